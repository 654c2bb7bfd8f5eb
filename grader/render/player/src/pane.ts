/** One walk of a trace: its heading, the words of its step and its graph. */

import { el, setText } from "./dom";
import { handedAt, historyOf, labelOf } from "./edges";
import type { Handed, History } from "./edges";
import { stateAt } from "./engine";
import { GraphView, gradLines, valueLines } from "./graph";
import type { Room } from "./graph";
import { edgesOf } from "./layout";
import type { Edge } from "./layout";
import { same } from "./numbers";
import { sentence } from "./sentences";
import type { State, Step, Trace } from "./types";

export type Side = "student" | "right";

/** `compare` is false where the trace has only one walk to show; `name` is its heading, which may be empty. */
export interface PaneOptions {
  trace: Trace;
  side: Side;
  compare: boolean;
  name: string;
  title: string;
  room: Room;
  choose: (edge: number) => void;
}

export class Pane {
  readonly element: HTMLElement;
  readonly steps: Step[];
  readonly own: boolean;
  readonly name: string;
  private readonly trace: Trace;
  private readonly words = el("p", { class: "sentence" });
  private readonly view: GraphView;
  private readonly history: History;

  constructor({ trace, side, compare, name, title, room, choose }: PaneOptions) {
    this.trace = trace;
    this.steps = trace[side];
    this.own = compare && side === "student";
    this.name = name;
    this.history = historyOf(trace.nodes, edgesOf(trace.nodes), this.steps);
    this.view = new GraphView(trace.nodes, name ? `${name}: ${title}` : title, room, choose);
    this.element = el("div", { class: "pane", role: name ? "group" : null, "aria-label": name || null });
    if (name) this.element.append(el("p", { class: "walk-name" }, name), this.words);
    this.element.append(this.view.element);
  }

  get edges(): Edge[] {
    return this.view.edges;
  }

  /** What each edge handed on during the first `index` steps. */
  handed(index: number): (Handed | null)[] {
    return handedAt(this.edges, this.history, index);
  }

  mark(edge: number | null): void {
    this.view.mark(edge);
  }

  /** Show the state after `index` steps, or the last one if the walk is shorter, and return it. */
  update(index: number): State {
    const { nodes, wrong, right, rounding } = this.trace;
    const state = stateAt(nodes, this.steps, Math.min(index, this.steps.length));
    const past = this.own && wrong !== null && index > wrong;
    this.view.update({
      state: index > this.steps.length ? { ...state, step: null } : state,
      handed: this.handed(index),
      wrong: past ? wrongNode(this.trace) : null,
      right: past && right.length ? stateAt(nodes, right, Math.min(index, right.length)).grad : null,
      rounding,
    });
    setText(this.words, this.describe(index));
    return state;
  }

  /** What the last of the first `index` steps did, in words. */
  describe(index: number): string {
    if (index > this.steps.length) return "This walk has ended: no step is left.";
    return sentence(this.trace.nodes, this.steps, index);
  }
}

/** The node of the first wrong step; if steps are missing, the node of the first one that is. */
export function wrongNode({ student, right, wrong }: Trace): number | null {
  if (wrong === null) return null;
  return (student[wrong] ?? right[wrong])?.node ?? null;
}

/** The room that the boxes and labels of a trace need, for both of its walks so that they look alike. */
export function roomOf(trace: Trace, compare: boolean): Room {
  const { nodes, student, right } = trace;
  const values = nodes.map(() => "");
  const edges = edgesOf(nodes);
  const labels = edges.map(() => "");
  const lines = nodes.map(() => ({ data: 1, grad: 1 }));
  const rows = edges.map(() => 2);
  const take = (node: number, kind: "data" | "grad", texts: string[]): void => {
    lines[node][kind] = Math.max(lines[node][kind], texts.length);
    for (const text of texts) longer(values, node, `${text} ◂`);
  };
  const longer = (texts: string[], at: number, text: string): void => {
    if (text.length > texts[at].length) texts[at] = text;
  };
  for (const steps of compare ? [student, right] : [student]) {
    for (const step of steps)
      for (const [node, value] of step.changes) take(node, step.kind === "forward" ? "data" : "grad", valueLines(value));
    for (const { edge, handed } of historyOf(nodes, edges, steps)) {
      const label = labelOf(handed);
      rows[edge] = Math.max(rows[edge], label.length);
      for (const line of label) longer(labels, edge, line);
    }
  }
  if (compare && right.length) {
    const [mine, due] = [student, right].map((steps) => stateAt(nodes, steps, steps.length).grad);
    nodes.forEach((_, node) => {
      if (!same(mine[node] ?? 0, due[node] ?? 0, trace.rounding))
        take(node, "grad", gradLines(mine[node], due[node] ?? 0));
    });
  }
  return { values, lines, labels, rows, layouts: new Map() };
}
