/** The player of one walk, or of a student's walk beside a right one: the graphs, the controls and the words of a step. */

import { button, el, freshId, marked, setAttribute, setText } from "./dom";
import { account, edgeName, reason } from "./edges";
import { nameOf, show, stateAt } from "./engine";
import type { Room } from "./graph";
import { Pane, roomOf, wrongNode } from "./pane";
import type { Side } from "./pane";
import type { Num, State, Trace } from "./types";

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
const PACE = 1000; // ms a step
const CALM = 1800; // ms a step for readers who prefer reduced motion

export class Player {
  readonly element: HTMLElement;
  private panes: Pane[] = [];
  private trace!: Trace;
  private index = 0;
  private length = 0;
  private timer = 0;
  private chosen: { pane: number; edge: number } | null = null;

  private readonly compare: boolean;
  private readonly verdict = el("p", { class: "verdict" });
  private readonly status = el("p", { class: "sentence", role: "status" });
  private readonly area = el("div", { class: "panes" });
  private readonly panel = el("div", { class: "panel", role: "status", "aria-label": "The edge" });
  private readonly slider: HTMLInputElement;
  private readonly count = el("span", { class: "count", "aria-hidden": "true" });
  private readonly tick = el("span", { class: "tick", "aria-hidden": "true" }, "✗");
  private readonly buttons: Record<"first" | "back" | "play" | "forward" | "last" | "wrong", HTMLButtonElement>;

  constructor(
    parent: HTMLElement,
    trace: Trace,
    private readonly options: Options,
  ) {
    this.compare = options.compare ?? false;
    this.buttons = {
      first: button("First", () => this.go(0)),
      back: button("Back", () => this.go(this.index - 1)),
      play: button("Play", () => this.toggle(), { class: "play" }),
      forward: button("Forward", () => this.go(this.index + 1)),
      last: button("Last", () => this.go(this.length)),
      wrong: button("First wrong step", () => this.go(this.wrongIndex()), { class: "to-wrong" }),
    };
    const id = freshId("step");
    this.slider = el("input", { type: "range", id, min: 0, max: 0, step: 1, value: 0 });
    this.slider.addEventListener("input", () => this.go(Number(this.slider.value)));
    const { first, back, play, forward, last, wrong } = this.buttons;
    const track = el("span", { class: "slot" }, this.slider, this.tick);
    const controls = el(
      "div",
      { class: "controls", role: "group", "aria-label": "Steps" },
      el("span", { class: "buttons" }, first, back, play, forward, last, wrong),
      el("label", { class: "steps", for: id }, el("span", { class: "unseen" }, "Step")),
    );
    controls.append(el("span", { class: "slide" }, track, this.count));
    this.status.classList.toggle("unseen", this.compare);
    this.element = el("div", { class: "walk", role: "group", "aria-label": `Player: ${options.title}` });
    this.element.append(this.verdict, controls, this.status, this.area, this.panel);
    this.element.addEventListener("keydown", (event) => this.key(event));
    parent.append(this.element);
    this.show(trace, this.compare ? null : 0);
  }

  /** Show a trace; `index` is where to open, null the first wrong step. */
  show(trace: Trace, index: number | null): void {
    this.pause();
    this.trace = trace;
    this.length = Math.max(trace.student.length, trace.right.length, 0);
    if (trace.wrong !== null) this.length = Math.max(this.length, Math.min(trace.wrong + 1, trace.student.length));
    const { title, headings = HEADINGS } = this.options;
    const room = roomOf(trace, this.compare);
    this.panes = this.compare
      ? [this.pane(0, "student", room, headings.own), ...(trace.right.length ? [this.pane(1, "right", room, headings.right)] : [])]
      : [this.pane(0, "student", room, "")];
    this.area.replaceChildren(...this.panes.map((pane) => pane.element));
    setAttribute(this.area, "class", `panes panes-${this.panes.length}`);
    setAttribute(this.slider, "max", this.length);
    setAttribute(this.slider, "aria-label", `Step of ${title}`);
    const isWrong = this.compare && trace.wrong !== null;
    this.buttons.wrong.hidden = !isWrong;
    this.tick.hidden = !isWrong;
    this.verdict.hidden = !this.compare;
    if (isWrong) this.tick.style.left = `calc(8px + (100% - 16px) * ${this.wrongIndex() / Math.max(1, this.length)})`;
    this.verdict.replaceChildren(...marked(verdictOf(trace, this.wrongIndex())));
    this.verdict.classList.toggle("none", !isWrong);
    if (this.chosen && this.chosen.pane >= this.panes.length) this.chosen = null;
    this.panes.forEach((pane, at) => pane.mark(this.chosen?.pane === at ? this.chosen.edge : null));
    this.go(index ?? (trace.wrong === null ? this.length : this.wrongIndex()));
  }

  /** Show the same graph with other numbers: from its start, or at its end if it stood there. */
  replace(trace: Trace): void {
    this.show(trace, this.index === this.length ? Math.max(trace.student.length, trace.right.length) : 0);
  }

  get position(): number {
    return this.index;
  }

  /** Go to the state after `index` steps. */
  go(index: number): void {
    this.index = Math.max(0, Math.min(this.length, index));
    if (this.index === this.length) this.pause();
    const states = this.panes.map((pane) => pane.update(this.index));
    this.slider.value = String(this.index);
    const place = `Step ${this.index} of ${this.length}`;
    setText(this.count, place);
    const words = this.panes.map((pane) => pane.describe(this.index));
    const spoken = this.panes.map((pane, at) => (pane.name ? `${pane.name}: ${words[at]}` : words[at]));
    setText(this.status, this.compare ? `${place}. ${spoken.join(" ")}` : words[0]);
    setAttribute(this.slider, "aria-valuetext", `${place}: ${words[0]}`);
    setAttribute(this.element, "data-step", this.index);
    for (const name of ["first", "back"] as const) this.disable(this.buttons[name], this.index === 0);
    for (const name of ["forward", "last"] as const) this.disable(this.buttons[name], this.index === this.length);
    this.explain();
    this.options.step?.({ trace: this.trace, index: this.index, length: this.length, state: states[0] });
  }

  /** A disabled button would lose the focus, so it stays in the order and says that it has nothing to do. */
  private disable(element: HTMLButtonElement, disabled: boolean): void {
    setAttribute(element, "aria-disabled", disabled ? "true" : null);
  }

  private pane(at: number, side: Side, room: Room, name: string): Pane {
    const { trace, compare } = this;
    return new Pane({ trace, side, compare, name, title: this.options.title, room, choose: (edge) => this.choose(at, edge) });
  }

  private wrongIndex(): number {
    return Math.min(this.length, (this.trace.wrong ?? 0) + 1);
  }

  private choose(pane: number, edge: number): void {
    const again = this.chosen?.pane === pane && this.chosen.edge === edge;
    this.chosen = again ? null : { pane, edge };
    this.panes.forEach((one, at) => one.mark(this.chosen && at === pane ? edge : null));
    this.explain();
    if (!again) this.options.edge?.();
  }

  /** Say what the chosen edge handed on, and why. */
  private explain(): void {
    if (!this.chosen) {
      const hint = this.panes[0].edges.length ? ["Click an edge to see its local derivative."] : [];
      this.fillPanel("", hint);
      return;
    }
    const pane = this.panes[this.chosen.pane];
    const edge = pane.edges[this.chosen.edge];
    const at = Math.min(this.index, pane.steps.length);
    const { nodes } = this.trace;
    const handed = pane.handed(at)[this.chosen.edge];
    const local = nodes[edge.to].inputs[edge.input].local;
    this.fillPanel(`Edge ${edgeName(nodes, edge)}`, [
      `Local derivative: ${show(local)}`,
      reason(nodes, edge, finalData(this.trace)),
      ...account(nodes, edge, handed, pane.own),
    ]);
  }

  private fillPanel(heading: string, lines: string[]): void {
    const key = [heading, ...lines].join("\n");
    if (this.panel.dataset.key === key) return;
    this.panel.dataset.key = key;
    const rows = lines.map((line, at) => el("p", { class: heading && at === 0 ? "local" : "" }, line));
    this.panel.replaceChildren(...(heading ? [el("strong", {}, heading)] : []), ...rows);
  }

  private toggle(): void {
    if (this.timer) {
      this.pause();
      return;
    }
    if (this.index === this.length) this.go(0);
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.timer = window.setInterval(() => this.go(this.index + 1), calm ? CALM : PACE);
    setText(this.buttons.play, "Pause");
  }

  private pause(): void {
    window.clearInterval(this.timer);
    this.timer = 0;
    setText(this.buttons.play, "Play");
  }

  private key(event: KeyboardEvent): void {
    const target = event.target as Element;
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (event.key === " ") {
      if (target.closest("button, a, [role=button], select, textarea, input:not([type=range])")) return;
      this.toggle();
    } else {
      if (target.closest("input, select, textarea")) return;
      if (event.key === "ArrowRight") this.go(this.index + 1);
      else if (event.key === "ArrowLeft") this.go(this.index - 1);
      else if (event.key === "Home") this.go(0);
      else if (event.key === "End") this.go(this.length);
      else return;
    }
    event.preventDefault();
  }
}

function finalData({ nodes, student }: Trace): (Num | null)[] {
  return stateAt(nodes, student, student.length).data;
}

function verdictOf(trace: Trace, at: number): string {
  if (trace.wrong === null) return trace.words || "The two walks do not differ.";
  const words = trace.words || `${nameOf(trace.nodes, wrongNode(trace) ?? 0)} differs here.`;
  return `✗ First wrong step: ${at}. ${words}`;
}
