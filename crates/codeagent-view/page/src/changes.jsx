// Changes since a commit, and what they affect.
import { h, Fragment } from "preact";
import { useState } from "preact/hooks";
import { to, useAnswer } from "./api.js";
import { counted, moveFocus, number, Notes, Place, Row, Section, SymbolLink, Waiting, words } from "./parts.jsx";

export function Changes({ base }) {
  const state = useAnswer("changes", { base });
  const [typed, setTyped] = useState(base);
  return (
    <>
      <h1>Changes since {base}</h1>
      <form
        class="base"
        onSubmit={(event) => {
          event.preventDefault();
          location.hash = to("changes", undefined, { base: typed.trim() || "HEAD" });
        }}
      >
        <label>
          Commit, branch or range{" "}
          <input value={typed} onInput={(event) => setTyped(event.currentTarget.value)} spellcheck={false} autocomplete="off" />
        </label>{" "}
        <button>Compare</button>
      </form>
      {state.answer ? <Effects answer={state.answer} /> : <Waiting state={state} />}
    </>
  );
}

function Effects({ answer }) {
  const { files, symbols, breaks, direct, possible, tests, steps, public: reached, notes } = answer;
  if (files.total === 0) return <p>Nothing differs.</p>;
  return (
    <>
      <p class="summary">
        {counted(files.total, "file")} and {counted(symbols.total, "symbol")} differ. Uses that no longer fit: {number(breaks.total)}; uses of what
        changed: {number(direct.total)}; test files to run: {number(tests.total)}.
      </p>
      <Notes notes={notes} />
      <Rows title="Uses that no longer fit" list={breaks} class="breaks" />
      <Section title="Changed symbols" count={symbols.total}>
        <ul class="rows" onKeyDown={moveFocus}>
          {symbols.rows.map((row, index) => (
            <li key={index}>
              <span class={`tag ${row.change}`}>{words(row.change)}</span>
              {row.id ? <SymbolLink symbol={row} /> : <span>{row.name}</span>}
              {row.before && <span class="quiet"> was {row.before}</span>}
              <div class="site quiet">{row.path}:{row.line}</div>
            </li>
          ))}
          <More list={symbols} />
        </ul>
      </Section>
      <Rows title="Uses of these symbols" list={direct} />
      <Rows title="Possible uses, through what they implement" list={possible} class="possible" />
      {steps.length > 0 && (
        <Section title="Farther away">
          <ul class="rows">
            {steps.map((step) => <li key={step.distance}>{counted(step.distance, "step")}: {counted(step.symbols, "symbol")} in {counted(step.files, "file")}</li>)}
          </ul>
        </Section>
      )}
      <Rows title="Tests that reach them" list={tests} />
      <Rows title="Public symbols reached" list={reached} />
      <Section title="Changed files" count={files.total}>
        <ul class="rows">
          {files.rows.map((file) => <li key={file.path}>{file.is_indexed ? <Place path={file.path} /> : <span class="quiet">{file.path}</span>}</li>)}
          <More list={files} />
        </ul>
      </Section>
    </>
  );
}

function Rows({ title, list, class: name }) {
  if (list.total === 0) return null;
  return (
    <Section title={title} count={list.total} class={name}>
      <ul class="rows" onKeyDown={moveFocus}>
        {list.rows.map((row, index) => <Row key={index} row={row} />)}
        <More list={list} />
      </ul>
    </Section>
  );
}

function More({ list }) {
  const more = list.total - list.rows.length;
  return more > 0 ? <li class="quiet">and {number(more)} more</li> : null;
}
