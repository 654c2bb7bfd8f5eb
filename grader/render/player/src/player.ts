/** The player of one walk, or of a student's walk beside a right one. */

import { Controls } from "./controls";
import { el, marked, setAttribute, setText } from "./dom";
import { account, edgeName, reason } from "./edges";
import { stateAt } from "./engine";
import type { Room } from "./graph";
import { nameOf } from "./names";
import { show } from "./numbers";
import { Pane, roomOf, wrongNode } from "./pane";
import type { Side } from "./pane";
import { Phases } from "./phases";
import type { State, Trace } from "./types";

/** What a player tells the parts around it after each step. */
export interface Moment {
  trace: Trace;
  index: number;
  length: number;
  state: State;
}

export interface Options {
  /** The name of the graph, for screen readers. */
  title: string;
  /** Whether the two walks of a trace are shown side by side. */
  compare?: boolean;
  /** The headings of the two walks; "Your engine" and "A right walk" if there are none. */
  headings?: { own: string; right: string };
  /** Called after each step, and at once for the first state. */
  step?: (moment: Moment) => void;
  /** Called when an edge is chosen. */
  edge?: () => void;
}

const HEADINGS = { own: "Your engine", right: "A right walk" };
const HINT = "Choose an edge of the graph to see its local derivative.";
const HINT_OF_ARRAYS = "Choose an edge of the graph to see what it hands on.";
const PACE = 1000; // ms a step
const CALM = 1800; // ms a step for readers who prefer reduced motion

export class Player {
  private readonly element: HTMLElement;
  private readonly compare: boolean;
  private readonly controls: Controls;
  private readonly phases = new Phases();
  private readonly verdict = el("p", { class: "verdict" });
  private readonly status = el("p", { class: "sentence", role: "status" });
  private readonly area = el("div", { class: "panes" });
  private readonly panel = el("div", { class: "panel", role: "status", "aria-label": "The edge" });
  private said = "";
  private panes: Pane[] = [];
  private trace!: Trace;
  private index = 0;
  private length = 0;
  private timer = 0;
  private chosen: { pane: number; edge: number } | null = null;

  constructor(
    parent: HTMLElement,
    trace: Trace,
    private readonly options: Options,
  ) {
    this.compare = options.compare ?? false;
    this.controls = new Controls(options.title, {
      go: (index) => this.go(index),
      by: (steps) => this.go(this.index + steps),
      last: () => this.go(this.length),
      wrong: () => this.go(this.wrongIndex()),
      toggle: () => this.toggle(),
    });
    this.verdict.hidden = !this.compare;
    this.status.classList.toggle("unseen", this.compare); // each walk shows its own sentence
    this.element = el("div", { class: "walk", role: "group", "aria-label": `Player: ${options.title}` });
    this.element.append(
      this.verdict,
      this.controls.element,
      this.phases.element,
      this.status,
      this.area,
      this.panel,
    );
    this.element.addEventListener("keydown", (event) => this.key(event));
    parent.append(this.element);
    this.show(trace, this.compare ? null : 0);
  }

  /** Show a trace; `index` is where to open, null the first wrong step. */
  show(trace: Trace, index: number | null): void {
    this.pause();
    this.trace = trace;
    this.length = Math.max(trace.student.length, trace.right.length);
    this.panes = this.makePanes();
    this.area.replaceChildren(...this.panes.map((pane) => pane.element));
    setAttribute(this.area, "class", `panes panes-${this.panes.length}`);
    const wrong = this.compare && trace.wrong !== null ? this.wrongIndex() : null;
    this.controls.reach(this.length, wrong);
    this.verdict.classList.toggle("none", wrong === null);
    this.verdict.replaceChildren(...marked(verdictOf(trace, wrong)));
    if (this.chosen && !this.panes[this.chosen.pane]?.edges[this.chosen.edge]) this.chosen = null;
    this.markChosen();
    this.go(index ?? wrong ?? this.length);
  }

  /** Show the same graph with other numbers: from its start, or at its end if it stood there. */
  replace(trace: Trace): void {
    this.show(trace, this.index === this.length ? Infinity : 0);
  }

  get position(): number {
    return this.index;
  }

  /** Go to the state after `index` steps, or as near as there is one. */
  go(index: number): void {
    this.index = Math.max(0, Math.min(this.length, index));
    if (this.index === this.length) this.pause();
    const states = this.panes.map((pane) => pane.update(this.index));
    const words = this.panes.map((pane) => pane.describe(this.index));
    const spoken = this.panes.map((pane, at) => `${pane.name}: ${words[at]}`).join(" ");
    setText(this.status, this.compare ? `Step ${this.index} of ${this.length}. ${spoken}` : words[0]);
    setAttribute(this.element, "data-step", this.index);
    const { student, right } = this.trace;
    const phase = this.phases.update(student[this.index - 1] ?? right[this.index - 1] ?? null);
    this.controls.update(this.index, this.length, phase ? `${phase}. ${words[0]}` : words[0]);
    this.explain();
    this.options.step?.({ trace: this.trace, index: this.index, length: this.length, state: states[0] });
  }

  /** Stop playing. */
  pause(): void {
    window.clearInterval(this.timer);
    this.timer = 0;
    this.controls.playing(false);
  }

  private toggle(): void {
    if (this.timer) {
      this.pause();
      return;
    }
    if (this.index === this.length) this.go(0);
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.timer = window.setInterval(() => this.go(this.index + 1), calm ? CALM : PACE);
    this.controls.playing(true);
  }

  private makePanes(): Pane[] {
    const { own, right } = this.options.headings ?? HEADINGS;
    const room = roomOf(this.trace, this.compare);
    if (!this.compare) return [this.pane(0, "student", room, "")];
    const student = this.pane(0, "student", room, own);
    return this.trace.right.length ? [student, this.pane(1, "right", room, right)] : [student];
  }

  private pane(at: number, side: Side, room: Room, name: string): Pane {
    const { trace, compare } = this;
    const choose = (edge: number): void => this.choose(at, edge);
    return new Pane({ trace, side, compare, name, title: this.options.title, room, choose });
  }

  private wrongIndex(): number {
    return Math.min(this.length, (this.trace.wrong ?? 0) + 1);
  }

  private choose(pane: number, edge: number): void {
    const again = this.chosen?.pane === pane && this.chosen.edge === edge;
    this.chosen = again ? null : { pane, edge };
    this.markChosen();
    this.explain();
    if (!again) this.options.edge?.();
  }

  private markChosen(): void {
    this.panes.forEach((pane, at) => pane.mark(this.chosen?.pane === at ? this.chosen.edge : null));
  }

  /** Say what the chosen edge handed on, and why. */
  private explain(): void {
    if (!this.chosen) {
      this.fillPanel("", this.panes[0].edges.length ? [hasArrays(this.trace) ? HINT_OF_ARRAYS : HINT] : []);
      return;
    }
    const pane = this.panes[this.chosen.pane];
    const edge = pane.edges[this.chosen.edge];
    const { nodes, student } = this.trace;
    const { local } = nodes[edge.to].inputs[edge.input];
    this.fillPanel(`Edge ${edgeName(nodes, edge)}`, [
      ...(local === "" // for arrays it is no number
        ? []
        : [`Local derivative: ${show(local)}`, reason(nodes, edge, stateAt(nodes, student, student.length).data)]),
      ...account(nodes, edge, pane.handed(this.index)[this.chosen.edge], pane.own),
    ]);
  }

  private fillPanel(heading: string, lines: string[]): void {
    const key = [heading, ...lines].join("\n");
    if (key === this.said) return; // or a screen reader would read it again
    this.said = key;
    this.panel.classList.toggle("hint", !heading);
    const rows = lines.map((line, at) => el("p", { class: heading && at === 0 ? "local" : null }, line));
    this.panel.replaceChildren(...(heading ? [el("strong", {}, heading)] : []), ...rows);
  }

  /** Fields, buttons and edges keep the keys that they use themselves. */
  private key(event: KeyboardEvent): void {
    const target = event.target as Element;
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (event.key === " ") {
      if (target.closest("button, [role=button], input:not([type=range])")) return;
      this.toggle();
    } else {
      if (target.closest("input")) return;
      if (event.key === "ArrowRight") this.go(this.index + 1);
      else if (event.key === "ArrowLeft") this.go(this.index - 1);
      else if (event.key === "Home") this.go(0);
      else if (event.key === "End") this.go(this.length);
      else return;
    }
    event.preventDefault();
  }
}

/** Whether nodes hold arrays: local derivatives are no numbers then. */
function hasArrays({ nodes }: Trace): boolean {
  return nodes.some(({ inputs }) => inputs.some(({ local }) => local === ""));
}

function verdictOf(trace: Trace, wrong: number | null): string {
  const agree = (trace.rounding ?? 0) > 1e-9 ? "The two walks differ by no more than rounding." : "The two walks do not differ.";
  const same = trace.right.length ? agree : "What your engine did, step by step.";
  if (wrong === null) return trace.words || same;
  const words = trace.words || `${nameOf(trace.nodes, wrongNode(trace) ?? 0)} differs here.`;
  return `✗ First wrong step: ${wrong}. ${words}`;
}
