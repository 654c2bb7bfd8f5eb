/** The order game: put the nodes in any order, call their `_backward` in it, and see which contribution is lost. */

import { button, el, freshId, setText } from "./dom";
import type { Graph } from "./engine";
import { formula, nameOf } from "./names";
import { show } from "./numbers";
import { findings, losses, traceOf, verdict } from "./orders";
import type { Run } from "./orders";
import { parse } from "./parse";
import type { Task } from "./progress";
import type { Trace } from "./types";

/** What shows a walk step by step: the graph with its controls. */
export interface Stage {
  update(trace: Trace, index: number): void;
}

export interface GameParts {
  stage: (parent: HTMLElement) => Stage;
  done: (task: Task) => void;
}

interface Setting {
  title: string;
  text: string;
}

const SETTINGS: Setting[] = [
  { title: "diamond", text: "b = a + 1; c = a * 3; d = b * c" },
  { title: "reuse", text: "b = 3 * a; c = a + b; d = b * c" },
];

const LEAF = "a";
const START = 2;

/** Show the game. Its walks are played on the stage that `parts.stage` makes; `parts.done` gets what was found. */
export function mountGame(parent: HTMLElement, parts: GameParts): void {
  parent.append(new Game(parts).element);
}

class Game {
  readonly element: HTMLElement;
  private setting = SETTINGS[0];
  private values: Record<string, number> = { [LEAF]: START };
  private graph = parse(this.setting.text, this.values);
  private runs: Run[] = [];
  private stage: Stage | null = null;
  private readonly id = freshId("game");
  private readonly list = new OrderList();
  private readonly field = el("input", { id: `${this.id}-leaf`, type: "number", step: "any", value: START });
  private readonly problem = el("span", { class: "problem", role: "status" });
  private readonly result = el("div", { class: "result", role: "status" });
  private readonly found = el("div", { class: "found" });
  private readonly tried = el("ol", { class: "tried" });
  private readonly history = el("details", {}, el("summary", {}, "Orders that you ran"), this.tried);
  private readonly board = el("div", { class: "stage" });

  constructor(private readonly parts: GameParts) {
    const note =
      "The seed is set. Put the nodes in the order in which their _backward is called, run it, and see what arrives at a.";
    const run = button("Run this order", () => this.run(), { class: "primary" });
    this.field.addEventListener("input", () => this.edit());
    this.element = el(
      "section",
      { class: "game", "aria-labelledby": this.id },
      el("h2", { id: this.id }, "Order game"),
      el("p", { class: "note" }, note),
      el(
        "fieldset",
        { class: "choices" },
        el("legend", {}, "Graph"),
        ...SETTINGS.map((each) => this.choice(each)),
      ),
      el("div", { class: "choices" }, el("label", { for: this.field.id }, LEAF), this.field, this.problem),
      el(
        "div",
        { class: "columns" },
        el("div", {}, this.list.element, run),
        el("div", {}, this.result, this.found, this.history),
      ),
      this.board,
    );
    this.begin();
    this.list.deal(this.graph);
  }

  private choice(setting: Setting): HTMLElement {
    const radio = el("input", { type: "radio", name: this.id, checked: setting === this.setting });
    radio.addEventListener("change", () => {
      this.setting = setting;
      this.begin();
      this.list.deal(this.graph);
    });
    return el("label", {}, radio, ` ${setting.title}`, el("span", { class: "note" }, ` ${setting.text}`));
  }

  /** Forget the orders that were run: another graph or another number gives other gradients. */
  private begin(): void {
    this.graph = parse(this.setting.text, this.values);
    this.runs = [];
    for (const each of [this.result, this.found, this.tried]) each.replaceChildren();
    this.history.hidden = true;
    this.board.hidden = true;
  }

  private edit(): void {
    const number = this.field.valueAsNumber;
    const valid = Number.isFinite(number);
    setText(this.problem, valid ? "" : `This is not a number. ${LEAF} stays ${show(this.values[LEAF])}.`);
    this.field.setAttribute("aria-invalid", String(!valid));
    if (!valid || number === this.values[LEAF]) return;
    this.values = { [LEAF]: number };
    this.begin();
    this.parts.done("leaf");
  }

  private run(): void {
    const { graph, values, runs } = this;
    const order = [...this.list.order];
    const words = verdict(graph, values, order);
    const right = !losses(graph, values, order).length;
    if (!runs.some((run) => run.order.join() === order.join())) runs.push({ order, words: words[0], right });
    this.result.replaceChildren(...lines([`Order ${names(graph, order)}: ${words[0]}`, ...words.slice(1)]));
    this.found.replaceChildren(...lines(findings(graph, values, runs)));
    this.tried.replaceChildren(
      ...runs.map((run) => el("li", {}, `${names(graph, run.order)}: ${run.words}`)),
    );
    this.history.hidden = false;
    this.board.hidden = false;
    this.stage ??= this.parts.stage(this.board);
    // The forward pass and the seed are the same for all orders: the walk starts at the first call.
    this.stage.update(traceOf(graph, values, order), graph.nodes.length + 1);
    this.parts.done(right ? "order-right" : "order-lost");
  }
}

/** The nodes as cards in a list, moved by buttons or by dragging. */
class OrderList {
  readonly element = el("div");
  order: number[] = [];
  private graph: Graph | null = null;
  private cards: HTMLElement[] = [];
  private readonly list = el("ol", { class: "order", "aria-label": "Order of the calls" });
  private readonly moved = el("p", { class: "unseen", role: "status" });

  constructor() {
    this.element.append(this.list, this.moved);
  }

  /** Lay out the nodes of a graph in the order of the forward pass. */
  deal(graph: Graph): void {
    this.graph = graph;
    this.order = graph.nodes.map((_, index) => index);
    this.cards = this.order.map((node) => this.card(graph, node));
    this.list.replaceChildren(...this.cards);
  }

  private card(graph: Graph, node: number): HTMLElement {
    const name = nameOf(graph.nodes, node);
    const text = formula(graph.nodes, node);
    const card = el(
      "li",
      { draggable: "true" },
      el("span", { class: "name" }, text ? `${name} = ${text}` : name),
      button("Earlier", () => this.shift(node, -1), { "aria-label": `Move ${name} earlier` }),
      button("Later", () => this.shift(node, 1), { "aria-label": `Move ${name} later` }),
    );
    this.makeDraggable(card, node);
    return card;
  }

  private makeDraggable(card: HTMLElement, node: number): void {
    card.addEventListener("dragstart", (event) => {
      event.dataTransfer?.setData("text/plain", String(node));
      card.classList.add("dragged");
    });
    card.addEventListener("dragend", () => card.classList.remove("dragged"));
    card.addEventListener("dragover", (event) => {
      const dragged = this.cards.findIndex((other) => other.classList.contains("dragged"));
      if (dragged < 0) return;
      event.preventDefault();
      if (dragged !== node) this.place(dragged, this.order.indexOf(node));
    });
    card.addEventListener("drop", (event) => event.preventDefault());
  }

  private shift(node: number, by: number): void {
    const position = this.order.indexOf(node) + by;
    if (position >= 0 && position < this.order.length) this.place(node, position);
    else this.say(node, `is already ${by < 0 ? "first" : "last"}.`);
  }

  private place(node: number, position: number): void {
    this.order = this.order.filter((other) => other !== node);
    this.order.splice(position, 0, node);
    // Only the other cards move in the document, so that the button that was pressed keeps the focus.
    for (const other of this.order.slice(0, position).reverse()) this.list.prepend(this.cards[other]);
    for (const other of this.order.slice(position + 1)) this.list.append(this.cards[other]);
    this.say(node, `is number ${position + 1} of ${this.order.length}.`);
  }

  private say(node: number, what: string): void {
    if (this.graph)
      setText(
        this.moved,
        `${nameOf(this.graph.nodes, node)} ${what} Order: ${names(this.graph, this.order)}.`,
      );
  }
}

function names(graph: Graph, order: number[]): string {
  return order.map((node) => nameOf(graph.nodes, node)).join(", ");
}

function lines(texts: string[]): HTMLElement[] {
  return texts.map((text) => el("p", {}, text));
}
