// The page: header, search and routes.
import { h, render, Fragment } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { to, useAnswer, useRoute } from "./api.js";
import { Changes } from "./changes.jsx";
import { Folders } from "./folders.jsx";
import { GraphPage } from "./graph.jsx";
import { Health } from "./health.jsx";
import { counted, Waiting } from "./parts.jsx";
import { Results, Search } from "./search.jsx";
import { SymbolPage } from "./symbol.jsx";

const PAGES = [
  ["changes", "Changes"],
  ["folders", "Folders"],
  ["health", "Health"],
];
const THEMES = ["system", "light", "dark"];

function App() {
  const route = useRoute();
  const main = useRef();
  const isFirst = useRef(true);
  const { page, subject, options } = route;

  // A reader of the screen hears the new page; the search keeps the focus while one types.
  useEffect(() => {
    if (!isFirst.current && page !== "search") {
      main.current.focus();
      scrollTo(0, 0);
    }
    isFirst.current = false;
  }, [page, subject]);

  return (
    <>
      <header>
        <a class="skip" href={location.hash || "#/"} onClick={(event) => { event.preventDefault(); main.current.focus(); }}>Skip to content</a>
        <a class="home" href="#/">codeagent</a>
        <Search route={route} />
        <nav aria-label="Pages">
          {PAGES.map(([name, title]) => (
            <a key={name} href={to(name)} aria-current={page === name ? "page" : undefined}>{title}</a>
          ))}
        </nav>
        <Theme />
      </header>
      <main ref={main} tabIndex={-1}>
        <Page page={page} subject={subject} options={options} />
      </main>
    </>
  );
}

function Page({ page, subject, options }) {
  useEffect(() => {
    if (page !== "symbol" && page !== "graph") document.title = page ? `${page} · codeagent` : "codeagent";
  }, [page]);
  switch (page) {
    case "search":
      return <Results text={options.q ?? ""} />;
    case "symbol":
      return <SymbolPage name={subject} line={Number(options.line) || 0} />;
    case "graph":
      return <GraphPage name={subject} depth={Number(options.depth) || 2} />;
    case "changes":
      return <Changes base={options.base ?? "HEAD"} />;
    case "folders":
      return <Folders path={subject} cell={options.from ? options : undefined} />;
    case "health":
      return <Health path={subject} />;
    default:
      return <Home />;
  }
}

function Home() {
  const state = useAnswer("status", {});
  const status = state.answer;
  if (!status) return <Waiting state={state} />;
  return (
    <div class="home-page">
      <h1>{status.repository}</h1>
      <p>
        {counted(status.files, "file")}, {counted(status.symbols, "symbol")}, {counted(status.edges, "edge")}
      </p>
      <ul>
        <li>Type a name or a few words to search; <kbd>/</kbd> goes to the search from everywhere.</li>
        <li><a href={to("changes")}>Changes</a> shows what the uncommitted changes affect.</li>
        <li><a href={to("folders")}>Folders</a> shows which folder uses which, and cycles.</li>
        <li><a href={to("health")}>Health</a> shows how much of each folder was understood.</li>
      </ul>
    </div>
  );
}

function Theme() {
  const [theme, setTheme] = useState(() => stored() ?? "system");
  useEffect(() => {
    document.documentElement.dataset.theme = theme;
    try {
      localStorage.setItem("theme", theme);
    } catch {
      // The browser keeps nothing; the choice lasts until the page is closed.
    }
  }, [theme]);
  const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length];
  return (
    <button class="theme" onClick={() => setTheme(next)} aria-label={`Colours: ${theme}; change to ${next}`}>
      {theme}
    </button>
  );
}

function stored() {
  try {
    return THEMES.find((theme) => theme === localStorage.getItem("theme"));
  } catch {
    return undefined;
  }
}

render(<App />, document.body);
