// The neighbourhood of a symbol as a graph: users left, used symbols right.
import { h, Fragment } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { select } from "d3-selection";
import { zoom, zoomIdentity } from "d3-zoom";
import { to, useAnswer } from "./api.js";
import { arrange, HEIGHT, WIDTH } from "./layout.js";
import { counted, number, Waiting, words } from "./parts.jsx";

const DEPTHS = [1, 2, 3];
const PADDING = 24;
/** Below this scale names cannot be read. */
const READABLE = 0.75;

export function GraphPage({ name, depth }) {
  const state = useAnswer("graph", { name, depth });
  const graph = state.answer;
  useEffect(() => {
    if (graph) document.title = `Graph of ${graph.nodes[0].name} · codeagent`;
  }, [graph]);
  if (!graph) return <Waiting state={state} />;
  const root = graph.nodes[0];
  return (
    <>
      <h1>Neighbourhood of <a href={to("symbol", root.id)}>{root.name}</a></h1>
      <p class="quiet">
        Users are left, used symbols right. {counted(graph.nodes.length, "symbol")}, {counted(graph.edges.length, "relation")}
        {graph.left_out > 0 && `; ${number(graph.left_out)} more symbols are not drawn`}. Steps:{" "}
        {DEPTHS.map((each) => (
          <a key={each} class="choice" href={to("graph", root.id, { depth: each })} aria-current={each === depth ? "true" : undefined}>{each}</a>
        ))}
      </p>
      <Picture key={root.id + depth} graph={graph} />
    </>
  );
}

function Picture({ graph }) {
  const picture = useMemo(() => arrange(graph), [graph]);
  const svg = useRef();
  const inner = useRef();
  const zooming = useRef();
  const [focused, setFocused] = useState(null);

  useEffect(() => {
    const behaviour = zoom()
      .scaleExtent([0.1, 3])
      .on("zoom", ({ transform }) => inner.current.setAttribute("transform", transform));
    zooming.current = behaviour;
    select(svg.current).call(behaviour).on("dblclick.zoom", null);
    show(false);
  }, [picture]);

  // Shows everything if names stay readable, else the root at its natural size.
  const show = (isAll) => {
    const { width, height } = svg.current.getBoundingClientRect();
    const all = Math.min((width - PADDING) / picture.width, (height - PADDING) / picture.height, 1);
    const scale = isAll ? all : Math.max(all, READABLE);
    const centre = scale > all ? picture.nodes[0] : { x: picture.width / 2, y: picture.height / 2 };
    const shift = zoomIdentity.translate(width / 2 - centre.x * scale, height / 2 - centre.y * scale).scale(scale);
    select(svg.current).call(zooming.current.transform, shift);
  };
  const scaleBy = (factor) => select(svg.current).call(zooming.current.scaleBy, factor);
  const toView = (node) => {
    const transform = svg.current.__zoom;
    const { width, height } = svg.current.getBoundingClientRect();
    const [x, y] = transform.apply([node.x, node.y]);
    const isInside = x > WIDTH / 2 && x < width - WIDTH / 2 && y > HEIGHT && y < height - HEIGHT;
    if (!isInside) select(svg.current).call(zooming.current.translateTo, node.x, node.y);
  };

  const onKeyDown = (event) => {
    const { key } = event;
    if (key === "+" || key === "=") scaleBy(1.3);
    else if (key === "-") scaleBy(1 / 1.3);
    else if (key === "0") show(true);
    else if (key.startsWith("Arrow")) {
      const next = nearest(picture.nodes, focused ?? picture.nodes[0], key.slice(5));
      if (next) svg.current.querySelector(`[data-id="${next.id}"]`).focus();
    } else return;
    event.preventDefault();
  };

  const isNear = (edge) => focused && (edge.from === focused.id || edge.to === focused.id);
  const near = new Set(focused && picture.edges.filter(isNear).flatMap((edge) => [edge.from, edge.to]));
  return (
    <div class="graph">
      <div class="tools">
        <button onClick={() => scaleBy(1.3)} aria-label="Zoom in">+</button>
        <button onClick={() => scaleBy(1 / 1.3)} aria-label="Zoom out">−</button>
        <button onClick={() => show(true)}>Whole graph</button>
        <button onClick={() => show(false)}>Start</button>
      </div>
      <svg ref={svg} role="group" aria-label="Graph; arrow keys move between symbols, plus and minus zoom" onKeyDown={onKeyDown}>
        <g ref={inner}>
          {picture.edges.map((edge, index) => (
            <path key={index} d={edge.path} class={`edge ${edge.is_inferred ? "inferred" : ""} ${edge.isTree ? "" : "cross"} ${isNear(edge) ? "near" : ""}`} />
          ))}
          {picture.nodes.map((node, index) => (
            <a
              key={node.id}
              href={to("symbol", node.id)}
              data-id={node.id}
              tabIndex={(focused ? node === focused : index === 0) ? 0 : -1}
              aria-label={description(node, picture.edges)}
              class={`node ${node.kind} ${index === 0 ? "root" : ""} ${node.test ? "test" : ""} ${focused && focused !== node && !near.has(node.id) ? "far" : ""}`}
              transform={`translate(${node.x - WIDTH / 2},${node.y - HEIGHT / 2})`}
              onFocus={() => {
                setFocused(node);
                toView(node);
              }}
              onBlur={() => setFocused(null)}
              onPointerEnter={() => setFocused(node)}
              onPointerLeave={() => setFocused(null)}
            >
              <title>{`${words(node.kind)} ${node.name}\n${node.path}:${node.line}`}</title>
              <rect width={WIDTH} height={HEIGHT} rx="4" />
              <foreignObject width={WIDTH} height={HEIGHT}>
                <div class="name" style={{ lineHeight: `${HEIGHT}px` }}>{node.name}</div>
              </foreignObject>
            </a>
          ))}
        </g>
      </svg>
    </div>
  );
}

function description(node, edges) {
  const uses = edges.filter((edge) => edge.from === node.id).length;
  const users = edges.filter((edge) => edge.to === node.id).length;
  return `${words(node.kind)} ${node.name}; here it uses ${uses} and is used by ${users}`;
}

/** The nearest node in a direction; what lies straight ahead counts as nearer. */
function nearest(nodes, from, direction) {
  const [dx, dy] = { Left: [-1, 0], Right: [1, 0], Up: [0, -1], Down: [0, 1] }[direction];
  let best;
  let least = Infinity;
  for (const node of nodes) {
    const [x, y] = [node.x - from.x, node.y - from.y];
    const ahead = x * dx + y * dy;
    const aside = Math.abs(x * dy) + Math.abs(y * dx);
    if (ahead > 1 && ahead + 2 * aside < least) {
      least = ahead + 2 * aside;
      best = node;
    }
  }
  return best;
}
