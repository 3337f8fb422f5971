// Parts of several pages: links to symbols, lists with more rows on request, states of loading.
import { h, Fragment } from "preact";
import { useEffect, useState } from "preact/hooks";
import { ask, to, useAnswer } from "./api.js";

export const words = (text) => (text || "").replaceAll("_", " ");
export const number = (value) => value.toLocaleString("en-US");
export const counted = (count, noun) => `${number(count)} ${noun}${count === 1 ? "" : "s"}`;

/** A link to a symbol. */
export function SymbolLink({ symbol }) {
  return (
    <a href={to("symbol", symbol.id)} title={symbol.path ? `${symbol.path}:${symbol.line}` : undefined}>
      <Kind kind={symbol.kind} />
      {symbol.name}
    </a>
  );
}

export function Kind({ kind }) {
  return (
    <span class={`kind ${kind}`} title={words(kind)}>
      <span aria-hidden="true">{words(kind).slice(0, 1)}</span>
      <span class="unseen">{words(kind)} </span>
    </span>
  );
}

export function Place({ path, line }) {
  return (
    <a class="place" href={to("symbol", path, line ? { line } : undefined)}>
      {line ? `${path}:${line}` : path}
    </a>
  );
}

/** What is shown instead of an answer: progress or an error. */
export function Waiting({ state }) {
  const [isSlow, setSlow] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), 150);
    return () => clearTimeout(timer);
  }, []);
  if (state.error) return <p class="error" role="alert">{state.error}</p>;
  return isSlow ? <p class="quiet" role="status">Loading…</p> : null;
}

export function Notes({ notes }) {
  return notes?.length ? <ul class="notes">{notes.map((note) => <li key={note}>{note}</li>)}</ul> : null;
}

/** Moves the focus between the links of a list with the arrow keys. */
export function moveFocus(event) {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const links = [...event.currentTarget.querySelectorAll("a, button")];
  const at = links.indexOf(document.activeElement);
  if (!step || at < 0) return;
  event.preventDefault();
  links[Math.min(Math.max(at + step, 0), links.length - 1)].focus();
}

/** A list of a symbol: its first rows, and more on request. Lists without rows are left out. */
export function List({ id, list, title, class: name }) {
  const state = useAnswer("list", { id, list });
  const [more, setMore] = useState({ key: id, rows: [] });
  const [error, setError] = useState("");
  const first = state.answer;
  if (!first) return state.error ? <Section title={title} class={name}><Waiting state={state} /></Section> : null;
  if (first.total === 0 && !first.notes?.length) return null;

  const pages = more.key === id ? more : { rows: [], next: first.next };
  const rows = [...first.rows, ...pages.rows];
  const next = pages.rows.length ? pages.next : first.next;
  const load = () =>
    ask("list", { id, list, from: next }).then(
      (page) => setMore({ key: id, rows: [...pages.rows, ...page.rows], next: page.next }),
      (failure) => setError(failure.message),
    );

  return (
    <Section title={title} count={first.total} class={name}>
      <Notes notes={first.notes} />
      <ul class="rows" onKeyDown={moveFocus}>
        {rows.map((row, index) => <Row key={index} row={row} />)}
      </ul>
      {next != null && <button class="more" onClick={load}>{counted(first.total - rows.length, "more row")}</button>}
      {error && <p class="error" role="alert">{error}</p>}
    </Section>
  );
}

export function Section({ title, count, class: name, children }) {
  return (
    <section class={`list ${name || ""}`} aria-label={title}>
      <h2>
        {title} {count !== undefined && <span class="count">{number(count)}</span>}
      </h2>
      {children}
    </section>
  );
}

/** A symbol with the lines of its uses, or a line of a file. */
export function Row({ row }) {
  const all = row.sites ?? [];
  const isFirst = (site, index) => all.findIndex((other) => other.path === site.path && other.line === site.line) === index;
  const sites = all.filter(isFirst);
  return (
    <li class={row.confidence === "inferred" ? "inferred" : undefined}>
      {row.id ? (
        <SymbolLink symbol={row} />
      ) : (
        <Place path={row.path} line={row.line} />
      )}
      {!row.id && row.name && <span class="quiet"> {row.name}</span>}
      {row.confidence === "inferred" && <span class="tag" title="the best of several candidates">inferred</span>}
      {row.relation && <span class="tag">{words(row.relation)}</span>}
      {row.test && <span class="tag">test</span>}
      {row.id && sites.length === 0 && row.path && <div class="site quiet">{row.path}:{row.line}</div>}
      {row.text && <code class="site">{row.text}</code>}
      {sites.map((site) => (
        <div class="site" key={`${site.path}:${site.line}:${site.column}`}>
          <Place path={site.path} line={site.line} />
          {site.text && <code>{site.text}</code>}
        </div>
      ))}
      {row.count > all.length && all.length > 0 && <div class="site quiet">{counted(row.count - all.length, "more site")}</div>}
    </li>
  );
}
