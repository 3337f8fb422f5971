// Places the nodes of a neighbourhood. Its tree of shortest ways from the root is laid out in
// layers; the other relations are drawn on top, so that they do not stretch the picture.
import { Graph, layout } from "@dagrejs/dagre";

export const WIDTH = 200;
export const HEIGHT = 24;
/** Nodes of a layer before it is divided into several columns. */
const MAX_COLUMN = 22;

export function arrange({ nodes, edges }) {
  const graph = new Graph()
    .setGraph({ rankdir: "LR", nodesep: 6, ranksep: 36, marginx: 8, marginy: 8 })
    .setDefaultEdgeLabel(() => ({}));
  for (const node of nodes) graph.setNode(node.id, { width: WIDTH, height: HEIGHT });

  // A layer is one side of the root at one distance.
  const filled = new Map();
  const tree = new Set();
  for (const node of nodes) {
    if (!node.parent) continue;
    const layer = `${node.side} ${node.distance}`;
    const index = filled.get(layer) ?? 0;
    filled.set(layer, index + 1);
    const minlen = 1 + Math.floor(index / MAX_COLUMN);
    const ends = node.side === "users" ? [node.id, node.parent] : [node.parent, node.id];
    graph.setEdge(...ends, { minlen, weight: 1 });
    tree.add(ends.join(" "));
  }
  layout(graph);

  const at = new Map(nodes.map((node) => [node.id, { ...node, x: graph.node(node.id).x, y: graph.node(node.id).y }]));
  const { width, height } = graph.graph();
  return {
    width,
    height,
    nodes: [...at.values()],
    edges: edges.map((edge) => ({
      ...edge,
      isTree: tree.has(`${edge.from} ${edge.to}`),
      path: curve(at.get(edge.from), at.get(edge.to)),
    })),
  };
}

function curve(from, to) {
  const isBack = to.x <= from.x;
  const [x1, x2] = isBack ? [from.x - WIDTH / 2, to.x + WIDTH / 2] : [from.x + WIDTH / 2, to.x - WIDTH / 2];
  const bend = Math.max(20, Math.abs(x2 - x1) / 2) * (isBack ? -1 : 1);
  return `M${x1},${from.y}C${x1 + bend},${from.y} ${x2 - bend},${to.y} ${x2},${to.y}`;
}
