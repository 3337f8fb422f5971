// The way from the root to a folder.
import { h } from "preact";
import { to } from "./api.js";

export function Way({ page, path }) {
  const parts = path ? path.split("/") : [];
  return (
    <nav aria-label="Folder" class="way">
      <a href={to(page)} aria-current={path ? undefined : "true"}>repository</a>
      {parts.map((part, index) => {
        const folder = parts.slice(0, index + 1).join("/");
        return <span key={folder}> / <a href={to(page, folder)} aria-current={folder === path ? "true" : undefined}>{part}</a></span>;
      })}
    </nav>
  );
}
