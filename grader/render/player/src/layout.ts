/** Where the boxes and lines of a graph lie: dagre, asked once for each graph and direction. */

import { Graph, layout } from "@dagrejs/dagre";
import type { Point } from "@dagrejs/dagre";

import { layered } from "./layers";
import { isLeaf } from "./names";
import type { TraceNode } from "./types";

export type Direction = "LR" | "TB";

export interface Size {
  width: number;
  height: number;
}

/** One input of `to` that is a node: the line from that node to `to`. */
export interface Edge {
  from: number;
  to: number;
  input: number;
}

/** The centre of each box, and for each edge its points and the centre of its label. */
export interface Layout extends Size {
  boxes: Point[];
  lines: { points: Point[]; label: Point }[];
}

/** The edges of a graph, in the order of its nodes and their inputs. */
export function edgesOf(nodes: TraceNode[]): Edge[] {
  return nodes.flatMap((node, to) =>
    node.inputs.flatMap((input, index) =>
      input.node === null ? [] : [{ from: input.node, to, input: index }],
    ),
  );
}

const MARGIN = 20;
const LARGE = 100; // nodes; a larger graph takes dagre about a second

/** Lay a graph out from the leaves to the root: left to right, or top to bottom if it is not too large. */
export function place(
  nodes: TraceNode[],
  edges: Edge[],
  boxes: Size[],
  labels: Size[],
  direction: Direction,
): Layout {
  if (nodes.length > LARGE) return layered(edges, boxes, labels, MARGIN);
  const graph = new Graph({ multigraph: true });
  const across = direction === "LR";
  graph.setGraph({
    rankdir: direction,
    nodesep: across ? 22 : 14,
    edgesep: across ? 12 : 8,
    ranksep: across ? 26 : 22,
    marginx: MARGIN,
    marginy: MARGIN,
  });
  nodes.forEach((_, index) => graph.setNode(String(index), { ...boxes[index] }));
  edges.forEach((edge, index) =>
    graph.setEdge(String(edge.from), String(edge.to), { ...labels[index], labelpos: "c" }, String(index)),
  );
  layout(graph);
  const { width = 0, height = 0 } = graph.graph() as Partial<Size>;
  const axis = across ? "y" : "x";
  const mirrored = isReversed(nodes, (index) => graph.node(String(index))[axis] ?? 0);
  const pointOf = (point: Partial<Point>): Point => {
    const { x = 0, y = 0 } = point;
    if (!mirrored) return { x, y };
    return across ? { x, y: height - y } : { x: width - x, y };
  };
  return {
    width,
    height,
    boxes: nodes.map((_, index) => pointOf(graph.node(String(index)))),
    lines: edges.map((edge, index) => {
      const line = graph.edge(String(edge.from), String(edge.to), String(index));
      return { points: (line.points ?? []).map(pointOf), label: pointOf(line) };
    }),
  };
}

/** Whether leaves and inputs stand in their order more often from the far side: dagre does not mind which side. */
function isReversed(nodes: TraceNode[], at: (index: number) => number): boolean {
  const leaves = nodes.flatMap((node, index) => (isLeaf(node) ? [index] : []));
  const inputs = nodes.map((node) => node.inputs.flatMap((input) => (input.node === null ? [] : [input.node])));
  let rising = 0;
  for (const group of [leaves, ...inputs]) {
    group.forEach((one, index) => {
      for (const other of group.slice(index + 1)) rising += Math.sign(at(other) - at(one));
    });
  }
  return rising < 0;
}
