/** A quick layout for graphs that dagre takes seconds for: nodes in layers, each label just before the node that it leads to. */

import type { Edge, Layout, Size } from "./layout";

const GAP = 24; // px between two boxes of a layer
const SWEEPS = 6;

/** Lay a graph out from left to right. */
export function layered(edges: Edge[], boxes: Size[], labels: Size[], margin: number): Layout {
  const layers = layersOf(boxes.length, edges);
  const across = centres(edges, boxes, layers);
  const room = Math.max(0, ...labels.map((label) => label.width)) + 2 * GAP;
  const along: number[] = boxes.map(() => 0);
  let x = margin;
  for (const layer of layers) {
    const width = Math.max(0, ...layer.map((node) => boxes[node].width));
    for (const node of layer) along[node] = x + width / 2;
    x += width + room;
  }
  const top = Math.min(...across.map((y, node) => y - boxes[node].height / 2)) - margin;
  const points = boxes.map((_, node) => ({ x: along[node], y: across[node] - top }));
  const count = boxes.map(() => 0);
  for (const edge of edges) count[edge.to] += 1;
  const next = boxes.map(() => 0);
  return {
    width: x - room + margin,
    height: Math.max(...points.map((point, node) => point.y + boxes[node].height / 2)) + margin,
    boxes: points,
    lines: edges.map(({ from, to }) => {
      const offset = (next[to]++ - (count[to] - 1) / 2) * 32;
      const start = { x: points[from].x + boxes[from].width / 2, y: points[from].y };
      const end = { x: points[to].x - boxes[to].width / 2, y: points[to].y + offset / 2 };
      const label = { x: end.x - room / 2, y: points[to].y + offset };
      return {
        points: [
          start,
          { x: start.x + GAP, y: start.y },
          { x: end.x - room, y: label.y },
          label,
          { x: end.x - GAP, y: label.y },
          end,
        ],
        label,
      };
    }),
  };
}

/** The nodes of each layer. A node stands as late as the nodes that use it allow, so that edges are short. */
function layersOf(count: number, edges: Edge[]): number[][] {
  const back: number[] = new Array<number>(count).fill(0); // layers up to the last one
  const byEnd = edges.slice().sort((one, other) => other.to - one.to); // children come before their parents
  for (const { from, to } of byEnd) back[from] = Math.max(back[from], back[to] + 1);
  const last = Math.max(0, ...back);
  const layers: number[][] = Array.from({ length: last + 1 }, () => []);
  back.forEach((depth, node) => layers[last - depth].push(node));
  return layers;
}

/** The height of every node: near the nodes that it is connected with, without overlaps in a layer. */
function centres(edges: Edge[], boxes: Size[], layers: number[][]): number[] {
  const near: number[][] = boxes.map(() => []);
  for (const { from, to } of edges) {
    near[from].push(to);
    near[to].push(from);
  }
  const y: number[] = boxes.map(() => 0);
  for (const layer of layers) spread(layer, boxes, y);
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    for (const layer of sweep % 2 ? layers : layers.slice().reverse()) {
      const wish = new Map(
        layer.map((node) => [node, near[node].length ? sum(near[node], y) / near[node].length : y[node]]),
      );
      layer.sort((one, other) => wish.get(one)! - wish.get(other)! || one - other);
      for (const node of layer) y[node] = wish.get(node)!;
      spread(layer, boxes, y);
    }
  }
  return y;
}

/** Push the nodes of a layer apart, and keep their middle. */
function spread(layer: number[], boxes: Size[], y: number[]): void {
  const before = sum(layer, y) / layer.length;
  let free = -Infinity;
  for (const node of layer) {
    const half = boxes[node].height / 2;
    y[node] = Math.max(y[node], free + half);
    free = y[node] + half + GAP;
  }
  const shift = before - sum(layer, y) / layer.length;
  for (const node of layer) y[node] += shift;
}

function sum(nodes: number[], y: number[]): number {
  return nodes.reduce((total, node) => total + y[node], 0);
}
