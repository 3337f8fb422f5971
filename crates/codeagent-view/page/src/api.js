// Requests to the server, and the address of the page.
import { useEffect, useState } from "preact/hooks";

const RETRY_MS = 1500;

/** Fetches an answer. Relative to the page, so that the token in its address is sent. */
export async function ask(name, parameters, signal) {
  const query = new URLSearchParams(Object.entries(parameters).filter(([, value]) => value !== undefined && value !== ""));
  const response = await fetch(`api/${name}?${query}`, { signal });
  const answer = await response.json().catch(() => ({ error: `the server answered ${response.status}` }));
  if (response.ok) return answer;
  const error = new Error(answer.error);
  error.isNotReady = response.status === 503;
  throw error;
}

/** The answer to a query: `{answer}`, `{error}`, or `{}` while it is awaited. */
export function useAnswer(name, parameters) {
  const key = JSON.stringify([name, parameters]);
  const [state, setState] = useState({ key: "" });

  useEffect(() => {
    if (!name) return undefined;
    const abort = new AbortController();
    let timer;
    const load = () =>
      ask(name, parameters, abort.signal).then(
        (answer) => setState({ key, answer }),
        (error) => {
          if (abort.signal.aborted) return;
          setState({ key, error: error.message });
          if (error.isNotReady) timer = setTimeout(load, RETRY_MS);
        },
      );
    load();
    return () => {
      abort.abort();
      clearTimeout(timer);
    };
  }, [key]);

  return state.key === key ? state : {};
}

/** The route in the address: `#/symbol/Cart.Total?depth=2` is `{page, subject, options}`. */
export function useRoute() {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const changed = () => setHash(location.hash);
    addEventListener("hashchange", changed);
    return () => removeEventListener("hashchange", changed);
  }, []);

  const [path, query] = hash.replace(/^#\/?/, "").split("?");
  const slash = path.indexOf("/");
  const page = slash < 0 ? path : path.slice(0, slash);
  const subject = slash < 0 ? "" : decoded(path.slice(slash + 1));
  return { page, subject, options: Object.fromEntries(new URLSearchParams(query)), hash };
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The address of a page. */
export function to(page, subject, options) {
  const query = new URLSearchParams(options).toString();
  const path = subject === undefined ? `#/${page}` : `#/${page}/${encodeURIComponent(subject)}`;
  return query ? `${path}?${query}` : path;
}
