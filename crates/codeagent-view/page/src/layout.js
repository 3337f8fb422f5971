// Places the nodes of a neighbourhood. Its tree of shortest ways from the root is laid out in
// columns, so that lines cross little; the other relations are drawn on top. A layer with many nodes
// takes several columns, and columns are packed, so that 200 names fit on a screen.
import { Graph, layout } from "@dagrejs/dagre";

export const WIDTH = 200;
export const HEIGHT = 24;
const GAP = 6;
const BETWEEN = 36;
const MAX_COLUMN = 22;

export function arrange({ nodes, edges }) {
  const columns = columnsOf(nodes);
  const tree = new Set();
  const graph = new Graph()
    .setGraph({ rankdir: "LR", nodesep: GAP, ranksep: BETWEEN })
    .setDefaultEdgeLabel(() => ({}));
  for (const node of nodes) graph.setNode(node.id, { width: WIDTH, height: HEIGHT });
  for (const node of nodes) {
    if (!node.parent) continue;
    const ends = node.side === "users" ? [node.id, node.parent] : [node.parent, node.id];
    graph.setEdge(...ends, { minlen: Math.abs(columns.get(node.id) - columns.get(node.parent)) });
    tree.add(ends.join(" "));
  }
  layout(graph);

  const order = [...nodes].sort((a, b) => graph.node(a.id).y - graph.node(b.id).y);
  const at = packed(order, columns);
  const first = Math.min(...columns.values());
  const top = Math.min(...at.values());
  const placed = new Map(
    nodes.map((node) => {
      const x = (columns.get(node.id) - first) * (WIDTH + BETWEEN) + WIDTH / 2;
      return [node.id, { ...node, x, y: at.get(node.id) - top + HEIGHT / 2 }];
    }),
  );
  const all = [...placed.values()];
  return {
    width: Math.max(...all.map((node) => node.x)) + WIDTH / 2,
    height: Math.max(...all.map((node) => node.y)) + HEIGHT / 2,
    nodes: all,
    edges: edges.map((edge) => ({
      ...edge,
      isTree: tree.has(`${edge.from} ${edge.to}`),
      path: curve(placed.get(edge.from), placed.get(edge.to)),
    })),
  };
}

/** The column of each node: 0 for the root, users negative. Nodes are sorted by distance. */
function columnsOf(nodes) {
  const columns = new Map();
  for (const [side, sign] of [["users", -1], ["used", 1]]) {
    let column = 0;
    let inColumn = 0;
    let distance = 0;
    for (const node of nodes.filter((each) => each.parent && each.side === side)) {
      if (node.distance !== distance || inColumn === MAX_COLUMN) {
        column += 1;
        inColumn = 0;
        distance = node.distance;
      }
      inColumn += 1;
      columns.set(node.id, sign * column);
    }
  }
  columns.set(nodes[0].id, 0);
  return columns;
}

/** The height of each node: as near to its parent as the others of its column allow. */
function packed(order, columns) {
  const at = new Map();
  const nearestFirst = [...new Set(columns.values())].sort((a, b) => Math.abs(a) - Math.abs(b));
  for (const column of nearestFirst) {
    const nodes = order.filter((node) => columns.get(node.id) === column);
    const wanted = nodes.map((node) => at.get(node.parent) ?? 0);
    let y = -Infinity;
    const ys = wanted.map((each) => (y = Math.max(each, y + HEIGHT + GAP)));
    // Pushing down shifts the column; moving it back keeps the average where it is wanted.
    const shift = ys.reduce((sum, each, index) => sum + wanted[index] - each, 0) / ys.length;
    nodes.forEach((node, index) => at.set(node.id, ys[index] + shift));
  }
  return at;
}

function curve(from, to) {
  const isBack = to.x <= from.x;
  const [x1, x2] = isBack ? [from.x - WIDTH / 2, to.x + WIDTH / 2] : [from.x + WIDTH / 2, to.x - WIDTH / 2];
  const bend = Math.max(20, Math.abs(x2 - x1) / 2) * (isBack ? -1 : 1);
  return `M${x1},${from.y}C${x1 + bend},${from.y} ${x2 - bend},${to.y} ${x2},${to.y}`;
}
