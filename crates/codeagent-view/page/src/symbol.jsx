// A symbol: its source, who uses it, what it uses, and the tests that reach it.
import { h, Fragment } from "preact";
import { useEffect } from "preact/hooks";
import { to, useAnswer } from "./api.js";
import { counted, Kind, List, Place, Waiting, words } from "./parts.jsx";
import { Source } from "./source.jsx";

/** Declarations of a partial or merged type that are shown at once. */
const MAX_PLACES = 3;

export function SymbolPage({ name, line }) {
  const state = useAnswer("symbol", { name });
  const symbol = state.answer;
  useEffect(() => {
    if (symbol) document.title = `${symbol.name} · codeagent`;
  }, [symbol]);
  if (!symbol) return <Waiting state={state} />;

  const { id } = symbol;
  return (
    <>
      <Head symbol={symbol} />
      <div class="columns">
        <div class="side">
          <List id={id} list="callers" title="Callers" />
          <List id={id} list="implementations" title="Implemented by" />
          <List id={id} list="uses" title="Other uses" />
          <List id={id} list="possible" title="Possible uses" class="possible" />
        </div>
        <div class="middle">
          <Source symbol={symbol} line={line} />
          <List id={id} list="members" title="Members" />
        </div>
        <div class="side">
          <List id={id} list="callees" title="Calls" />
          <List id={id} list="bases" title="Implements" />
          <List id={id} list="dependencies" title="Also uses" />
          <List id={id} list="unresolved" title="Unresolved calls" class="possible" />
        </div>
      </div>
      <List id={id} list="tests" title="Tests that reach it" />
    </>
  );
}

/** Whether only the path tells two symbols apart. */
function isSame(one, other) {
  return one.name === other.name && (one.parameters ?? "") === (other.parameters ?? "");
}

function Places({ spans }) {
  return spans.map((span, index) => (
    <span key={span.path + span.first}>{index > 0 && ", "}<Place path={span.path} line={span.first} /></span>
  ));
}

function Head({ symbol }) {
  const facts = [words(symbol.access), ...symbol.flags, words(symbol.kind)].filter(Boolean);
  return (
    <div class="head">
      <nav aria-label="Containers" class="quiet">
        {symbol.parents.map((parent, index) => (
          <span key={parent.id}>{index > 0 && " › "}<a href={to("symbol", parent.id)}>{parent.name}</a></span>
        ))}
      </nav>
      <h1><Kind kind={symbol.kind} />{symbol.name}<span class="parameters">{symbol.parameters}</span></h1>
      <p class="quiet">
        {facts.join(" ")}{symbol.project !== "." && ` in ${symbol.project}`} · {counted(symbol.uses, "use")} ·{" "}
        <Places spans={symbol.spans.slice(0, MAX_PLACES)} /> · <a href={to("graph", symbol.id)}>graph</a>
      </p>
      {symbol.spans.length > MAX_PLACES && (
        <details class="quiet">
          <summary>{counted(symbol.spans.length - MAX_PLACES, "more declaration")}</summary>
          <Places spans={symbol.spans.slice(MAX_PLACES)} />
        </details>
      )}
      {symbol.also.length > 0 && (
        <p class="quiet">
          Also named so:{" "}
          {symbol.also.map((other) => (
            <a key={other.id} class="also" href={to("symbol", other.id)}>
              {other.name}{other.parameters}{isSame(other, symbol) && ` in ${other.path}`}
            </a>
          ))}
        </p>
      )}
      {symbol.parsed !== "full" && <p class="warning">The file was not parsed completely; symbols and uses may be missing.</p>}
      {symbol.doc && <p class="doc">{symbol.doc}</p>}
    </div>
  );
}
