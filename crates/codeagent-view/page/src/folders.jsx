// Uses between folders, as a matrix; cycles are marked.
import { h, Fragment } from "preact";
import { useRef } from "preact/hooks";
import { to, useAnswer } from "./api.js";
import { counted, moveFocus, number, Place, Section, Waiting } from "./parts.jsx";
import { Way } from "./way.jsx";

export function Folders({ path, cell }) {
  const state = useAnswer("folders", { path });
  const answer = state.answer;
  return (
    <>
      <h1>Folders</h1>
      <Way page="folders" path={path} />
      {answer ? <Matrix path={path} answer={answer} cell={cell} /> : <Waiting state={state} />}
    </>
  );
}

function Matrix({ path, answer, cell }) {
  const { folders, cells, cycles, left_out } = answer;
  const grid = useRef();
  if (folders.length < 2) return <p>There is only one folder with indexed files here. {folders.map((each) => <a key={each.path} href={to("folders", each.path)}>{each.name}</a>)}</p>;

  const uses = new Map(cells.map(([from, to, count]) => [from * folders.length + to, count]));
  const cycleOf = new Map(cycles.flatMap((members, index) => members.map((member) => [member, index])));
  const isInCycle = (from, to) => cycleOf.has(from) && cycleOf.get(from) === cycleOf.get(to);

  // The cell that Tab reaches is changed without drawing: there are thousands.
  const onFocusIn = (event) => {
    if (!event.target.dataset.at) return;
    grid.current.querySelector('[data-at][tabindex="0"]').tabIndex = -1;
    event.target.tabIndex = 0;
  };
  const onKeyDown = (event) => {
    const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
    const at = event.target.dataset.at?.split(",");
    if (!step || !at) return;
    event.preventDefault();
    const next = [0, 1].map((axis) => Math.min(Math.max(Number(at[axis]) + step[axis], 0), folders.length - 1));
    grid.current.querySelector(`[data-at="${next}"]`).focus();
  };

  return (
    <>
      <p class="quiet">
        A row uses the columns. Cells of a cycle have a border. Choose a cell for its files, a name to go into a folder.
        {left_out > 0 && ` ${counted(left_out, "smaller folder")} not shown.`}
      </p>
      <div class="scroll">
        <table role="grid" aria-label="Uses between folders" class="matrix" ref={grid} onKeyDown={onKeyDown} onFocusIn={onFocusIn}>
          <thead>
            <tr>
              <td />
              {folders.map((folder, index) => <th key={folder.path} scope="col"><abbr title={folder.path}>{index + 1}</abbr></th>)}
            </tr>
          </thead>
          <tbody>
            {folders.map((folder, from) => (
              <tr key={folder.path}>
                <th scope="row">
                  {folder.is_leaf ? <span>{folder.name}</span> : <a href={to("folders", folder.path)} title={folder.path}>{folder.name}</a>}
                  <span class="quiet"> {from + 1}</span>
                </th>
                {folders.map((other, to_) => {
                  const count = uses.get(from * folders.length + to_);
                  const place = { "data-at": `${from},${to_}`, tabIndex: from === 0 && to_ === 0 ? 0 : -1 };
                  const own = from === to_ ? "own" : "";
                  if (!count) return <td key={other.path} class={own} aria-label={`${folder.name} uses ${other.name} never`} {...place}>·</td>;
                  const isCycle = from !== to_ && isInCycle(from, to_);
                  const label = `${folder.name} uses ${other.name} ${counted(count, "time")}${count >= 1000 ? `, about ${short(count)}` : ""}${isCycle ? ", in a cycle" : ""}`;
                  return (
                    <td key={other.path} class={own || (isCycle ? "cycle" : "used")}>
                      <a {...place} aria-label={label} title={label} href={to("folders", path, { from: folder.path, to: other.path })}>{short(count)}</a>
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {cell && <Crossing cell={cell} />}
      <Cycles folders={folders} cycles={cycles} uses={uses} path={path} />
    </>
  );
}

function short(count) {
  return count < 1000 ? count : count < 999_500 ? `${Math.round(count / 1000)}k` : `${Math.round(count / 1e6)}M`;
}

/** The files behind a cell. */
function Crossing({ cell }) {
  const state = useAnswer("crossing", { from: cell.from, to: cell.to });
  const answer = state.answer;
  return (
    <Section title={`${cell.from} uses ${cell.to}`} count={answer?.total}>
      {answer ? (
        <ul class="rows" onKeyDown={moveFocus}>
          {answer.rows.map((row) => (
            <li key={row.from + row.to}><Place path={row.from} /> → <Place path={row.to} /> <span class="quiet">{number(row.uses)}</span></li>
          ))}
          {answer.total > answer.rows.length && <li class="quiet">and {counted(answer.total - answer.rows.length, "more pair")} of files</li>}
        </ul>
      ) : <Waiting state={state} />}
    </Section>
  );
}

function Cycles({ folders, cycles, uses, path }) {
  if (cycles.length === 0) return <p>No cycles between these folders.</p>;
  return (
    <Section title="Cycles" count={cycles.length}>
      {cycles.map((members) => {
        const pairs = members.flatMap((from) => members.filter((other) => other > from).map((other) => [from, other]));
        const mutual = pairs
          .map(([a, b]) => [a, b, uses.get(a * folders.length + b) ?? 0, uses.get(b * folders.length + a) ?? 0])
          .filter(([, , there, back]) => there && back)
          .map(([a, b, there, back]) => (there <= back ? [a, b, there, back] : [b, a, back, there]))
          .sort((x, y) => x[2] - y[2]);
        return (
          <div key={members.join()}>
            <p>{members.map((member) => folders[member].name).join(", ")}</p>
            <ul class="rows">
              {mutual.slice(0, 20).map(([from, other, there, back]) => (
                <li key={`${from} ${other}`}>
                  <a href={to("folders", path, { from: folders[from].path, to: folders[other].path })}>
                    {folders[from].name} uses {folders[other].name} {counted(there, "time")}
                  </a>
                  <span class="quiet">, back {number(back)}</span>
                </li>
              ))}
            </ul>
          </div>
        );
      })}
    </Section>
  );
}
