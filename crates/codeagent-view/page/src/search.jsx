// The search box, and the page of results.
import { h, Fragment } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { to, useAnswer } from "./api.js";
import { Kind, moveFocus, Notes, Row, Waiting } from "./parts.jsx";

/** A combobox: results appear as one types, arrows choose, Enter opens. */
export function Search({ route }) {
  const [text, setText] = useState(route.page === "search" ? (route.options.q ?? "") : "");
  const [isOpen, setOpen] = useState(false);
  const [chosen, setChosen] = useState(0);
  const [known, setKnown] = useState([]);
  const input = useRef();
  const wanted = isOpen && text.trim();
  const state = useAnswer(wanted ? "search" : "", { q: text.trim(), limit: 12 });

  // The last results stay until the next ones are there.
  useEffect(() => {
    if (state.answer) {
      setKnown(state.answer.rows);
      setChosen(0);
    }
  }, [state.answer]);
  useEffect(() => setOpen(false), [route.hash]);
  useEffect(() => {
    const key = (event) => {
      const isTyping = event.target.closest?.("input, textarea, select");
      if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      input.current.focus();
      input.current.select();
    };
    addEventListener("keydown", key);
    return () => removeEventListener("keydown", key);
  }, []);

  const rows = wanted ? known : [];
  const open = (row) => {
    setOpen(false);
    location.hash = to("symbol", row.id);
  };
  const onKeyDown = (event) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      const step = event.key === "ArrowDown" ? 1 : rows.length - 1;
      if (rows.length) setChosen((chosen + step) % rows.length);
    } else if (event.key === "Enter") {
      event.preventDefault();
      const isCurrent = state.answer && rows[chosen];
      if (event.shiftKey || !isCurrent) location.hash = to("search", undefined, { q: text.trim() });
      else open(rows[chosen]);
    } else if (event.key === "Escape") {
      setOpen(false);
    }
  };

  return (
    <div class="search" role="search">
      <input
        ref={input}
        type="search"
        role="combobox"
        aria-label="Search symbols"
        aria-expanded={rows.length > 0 ? "true" : "false"}
        aria-controls="found"
        aria-autocomplete="list"
        aria-activedescendant={rows.length ? `found-${chosen}` : undefined}
        placeholder="Search symbols (/)"
        autocomplete="off"
        spellcheck={false}
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setOpen(true);
        }}
        onFocus={() => setOpen(true)}
        onBlur={() => setOpen(false)}
        onKeyDown={onKeyDown}
      />
      <ul id="found" role="listbox" aria-label="Found symbols" hidden={rows.length === 0}>
        {rows.map((row, index) => (
          <li
            key={row.id}
            id={`found-${index}`}
            role="option"
            aria-selected={index === chosen ? "true" : "false"}
            onPointerDown={(event) => {
              event.preventDefault();
              open(row);
            }}
          >
            <Kind kind={row.kind} />
            {row.name}
            <span class="quiet"> {row.path}:{row.line}</span>
          </li>
        ))}
      </ul>
      <span class="unseen" role="status">{wanted && state.answer ? `${rows.length} results` : ""}</span>
      {wanted && state.error && <p class="error" role="alert">{state.error}</p>}
    </div>
  );
}

export function Results({ text }) {
  const state = useAnswer(text ? "search" : "", { q: text, limit: 100 });
  if (!text) return <p>Type a name or a few words.</p>;
  if (!state.answer) return <Waiting state={state} />;
  const { rows, notes } = state.answer;
  return (
    <>
      <h1>Symbols that match “{text}”</h1>
      <Notes notes={notes} />
      {rows.length === 0 && <p>Nothing was found.</p>}
      <ul class="rows" onKeyDown={moveFocus}>
        {rows.map((row) => <Row key={row.id} row={row} />)}
      </ul>
    </>
  );
}
