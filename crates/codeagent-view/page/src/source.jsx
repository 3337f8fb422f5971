// The source of a symbol, with a link at every use that is in the index.
import { h, Fragment } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { ask, to, useAnswer } from "./api.js";
import { counted, Waiting } from "./parts.jsx";

const NAME = /^[@#]?[\p{L}\p{N}_$]+/u;

export function Source({ symbol, line }) {
  const { id } = symbol;
  const state = useAnswer("source", { id, line: line || undefined });
  const [more, setMore] = useState({ id, parts: [] });
  const marked = useRef();
  useEffect(() => marked.current?.scrollIntoView({ block: "center" }), [state.answer, line]);
  if (!state.answer) return <Waiting state={state} />;
  if (state.answer.problem) return <p class="warning">{state.answer.problem}</p>;

  const parts = [state.answer, ...(more.id === id ? more.parts : [])];
  const last = parts.at(-1);
  const load = () =>
    ask("source", { id, from: last.next }).then((part) => setMore({ id, parts: [...parts.slice(1), part] }));

  return (
    <section aria-label="Source" class="source">
      <pre tabIndex={0} aria-label={`Source of ${symbol.name}`}>
        {parts.map((part) => part.lines.map((text, index) => {
          const at = part.first + index;
          const isMarked = at === line;
          return (
            <div key={at} ref={isMarked ? marked : undefined} class={isMarked ? "line marked" : "line"}>
              <span class="number" data-line={at} aria-hidden="true" />
              <Line text={text} uses={part.uses[at] ?? []} />
            </div>
          );
        }))}
      </pre>
      {last.next && <button class="more" onClick={load}>{counted(symbol.spans[0].last - last.next + 1, "more line")}</button>}
    </section>
  );
}

/** Splits a line at its uses, whose columns count UTF-16 units from 1, as JavaScript's strings do. */
function Line({ text, uses }) {
  const parts = [];
  let at = 0;
  for (const use of uses) {
    const start = use.column - 1;
    const name = start >= at ? NAME.exec(text.slice(start))?.[0] : undefined;
    if (!name) continue;
    parts.push(text.slice(at, start));
    at = start + name.length;
    parts.push(
      use.id ? (
        <a href={to("symbol", use.id)} class={use.confidence} title={use.name}>{name}</a>
      ) : (
        <span class="unresolved" title="could not be resolved">{name}</span>
      ),
    );
  }
  parts.push(text.slice(at));
  return <code>{parts}{"\n"}</code>;
}
