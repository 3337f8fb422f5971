// The health of each folder: failed files first, then the share of resolved calls.
import { h, Fragment } from "preact";
import { to, useAnswer } from "./api.js";
import { counted, number, Place, Section, Waiting } from "./parts.jsx";
import { Way } from "./way.jsx";

export function Health({ path }) {
  const state = useAnswer("health", { path });
  const answer = state.answer;
  return (
    <>
      <h1>What was understood</h1>
      <Way page="health" path={path} />
      {answer ? <Report answer={answer} /> : <Waiting state={state} />}
    </>
  );
}

function Report({ answer }) {
  const { total, folders, left_out, files, names } = answer;
  return (
    <>
      <p>
        {counted(total.files, "file")}, {counted(total.lines, "line")}; <Share row={total} /> of {counted(total.calls - total.external, "call")} inside the
        repository resolved; {counted(total.failed, "file")} failed, {number(total.partial)} parsed in part.
      </p>
      {files.total > 0 && (
        <Section title="Files with problems" count={files.total}>
          <ul class="rows">
            {files.rows.map((file) => (
              <li key={file.path}><Place path={file.path} line={file.line} /> <span class="quiet">{file.problem}</span></li>
            ))}
            {files.total > files.rows.length && <li class="quiet">and {number(files.total - files.rows.length)} more; go into a folder to see them</li>}
          </ul>
        </Section>
      )}
      <div class="scroll">
        <table class="health">
          <caption class="unseen">Folders</caption>
          <thead>
            <tr>
              <th scope="col">Folder</th><th scope="col">Files</th><th scope="col">Failed</th><th scope="col">In part</th>
              <th scope="col">Calls</th><th scope="col">Unresolved</th><th scope="col">Resolved</th>
            </tr>
          </thead>
          <tbody>
            {folders.map((row) => (
              <tr key={row.path}>
                <th scope="row">{row.is_leaf ? row.name : <a href={to("health", row.path)}>{row.name}</a>}</th>
                <td>{number(row.files)}</td>
                <td class={row.failed ? "bad" : ""}>{number(row.failed)}</td>
                <td class={row.partial ? "bad" : ""}>{number(row.partial)}</td>
                <td>{number(row.calls - row.external)}</td>
                <td>{number(row.calls - row.external - row.resolved)}</td>
                <td><Share row={row} /></td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {left_out > 0 && <p class="quiet">{counted(left_out, "more folder")} not shown.</p>}
      {names.length > 0 && (
        <Section title="Names with the most unresolved uses">
          <ul class="rows">
            {names.map(([name, count]) => <li key={name}><a href={to("search", undefined, { q: name })}>{name}</a> <span class="quiet">{number(count)}</span></li>)}
          </ul>
        </Section>
      )}
    </>
  );
}

function Share({ row }) {
  const calls = row.calls - row.external;
  if (calls <= 0) return <span class="quiet">no calls</span>;
  const percent = (row.resolved / calls) * 100;
  return (
    <span class="share">
      <meter min="0" max="100" low="80" high="95" optimum="100" value={percent} aria-hidden="true" />
      {percent.toFixed(1)} %
    </span>
  );
}
