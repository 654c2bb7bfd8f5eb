/** The order game: put the nodes in any order, call their `_backward` in it, and see which contribution is lost. */

import { button, el, freshId, setText } from "./dom";
import { forward, formula, gradName, locals, nameOf, parse, same, show, stateAt, trace as rightTrace, walk } from "./engine";
import type { Graph } from "./engine";
import type { Task } from "./progress";
import type { Trace, TraceNode } from "./types";

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

/** A node that was called with less than its whole gradient, and what its inputs miss for that. */
export interface Loss {
  node: number;
  held: number;
  whole: number;
  /** The nodes that were called after it and would have added to its gradient. */
  late: number[];
  lost: { to: number; amount: number }[];
}

// ---------------------------------------------------------------- what an order does

/** Every node that handed on too little because of the order. */
export function losses(graph: Graph, values: Record<string, number>, order: number[]): Loss[] {
  const { nodes } = graph;
  const slopes = locals(nodes, forward(graph, values));
  const steps = walk(graph, values, order);
  const right = walk(graph, values);
  const whole = stateAt(nodes, right, right.length).grad;
  const start = nodes.length + 1;
  return order.flatMap((node, position) => {
    const late = order.slice(position + 1).filter((other) => nodes[other].inputs.some((input) => input.node === node));
    const held = Number(stateAt(nodes, steps, start + position).grad[node] ?? 0);
    const missing = Number(whole[node] ?? 0) - held;
    const lost = nodes[node].inputs.flatMap((input, index) =>
      input.node === null ? [] : [{ to: input.node, amount: missing * slopes[node][index] }],
    );
    const tooLittle = nodes[node].op && (late.length > 0 || !same(missing, 0));
    return tooLittle ? [{ node, held, whole: Number(whole[node] ?? 0), late, lost: merged(lost) }] : [];
  });
}

function merged(lost: Loss["lost"]): Loss["lost"] {
  const sums = new Map<number, number>();
  for (const { to, amount } of lost) sums.set(to, (sums.get(to) ?? 0) + amount);
  return [...sums].map(([to, amount]) => ({ to, amount }));
}

/** What an order did, in sentences: the leaf's gradient, and each lost contribution with its reason. */
export function verdict(graph: Graph, values: Record<string, number>, order: number[]): string[] {
  const { nodes } = graph;
  const leaf = graph.leaves[0];
  const name = gradName(nodes, leaf);
  const steps = walk(graph, values, order);
  const right = walk(graph, values);
  const got = stateAt(nodes, steps, steps.length).grad[leaf] ?? 0;
  const want = stateAt(nodes, right, right.length).grad[leaf] ?? 0;
  const found = losses(graph, values, order);
  if (!found.length) return [`${name} is ${show(got)}, as it should be. Nothing is lost.`];
  const reasons = found.map((loss) => reason(nodes, loss));
  if (same(got, want)) return [`${name} is ${show(got)}, as it should be, but only with these numbers.`, ...reasons];
  return [`${name} is ${show(got)} and should be ${show(want)}.`, ...reasons];
}

function reason(nodes: TraceNode[], { node, held, whole, late, lost }: Loss): string {
  const name = nameOf(nodes, node);
  const gradient = gradName(nodes, node);
  const what = same(held, 0) ? "still 0" : `only ${show(held)} and not yet ${show(whole)}`;
  const amounts = lost.map(({ to, amount }) => `${show(amount)} to ${nameOf(nodes, to)}`).join(" and ");
  const words = lost.length === 1 ? "contribution" : "contributions";
  const ends = same(held, 0) ? `its ${words} of ${amounts} ${lost.length === 1 ? "is" : "are"} lost` : `${amounts} ${lost.length === 1 ? "is" : "are"} lost`;
  if (late.length) return `${name} was called before ${join(late.map((other) => nameOf(nodes, other)))}, when ${gradient} was ${what}: ${ends}.`;
  return `${name} was called with ${gradient} = ${show(held)} in place of ${show(whole)}, because of what was lost before: ${ends}.`;
}

function join(names: string[]): string {
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names[names.length - 1]}`;
}

/** Every order of these nodes. */
export function orders(nodes: number[]): number[][] {
  if (nodes.length < 2) return [nodes];
  return nodes.flatMap((node) => orders(nodes.filter((other) => other !== node)).map((rest) => [node, ...rest]));
}

/** The trace of a walk in this order, marked at the first call that hands on too little. */
function traceOf(graph: Graph, values: Record<string, number>, order: number[]): Trace {
  const student = walk(graph, values, order);
  const first = losses(graph, values, order)[0];
  const wrong = first ? student.findIndex((step) => step.kind === "call" && step.node === first.node) : null;
  const words = first ? reason(graph.nodes, first) : "";
  return { ...rightTrace(graph, values), student, right: [], wrong, words };
}

// ---------------------------------------------------------------- the orders that were run

interface Run {
  order: number[];
  words: string;
  right: boolean;
}

/** Whether two orders differ only in where the leaf stands. */
function differInLeaf(one: number[], other: number[], leaf: number): boolean {
  const rest = (order: number[]): string => order.filter((node) => node !== leaf).join();
  return rest(one) === rest(other) && one.join() !== other.join();
}

/** What the student has found so far. That the leaf may stand anywhere is said only when they have seen it. */
function findings(graph: Graph, values: Record<string, number>, runs: Run[]): string[] {
  const leaf = graph.leaves[0];
  const all = orders(graph.nodes.map((_, index) => index));
  const right = runs.filter((run) => run.right).length;
  const said = [`Orders run: ${runs.length} of ${all.length}. Orders that lose nothing: ${right} found.`];
  if (right > 0 && right === all.filter((order) => !losses(graph, values, order).length).length) {
    said.push("There are no others that lose nothing.");
  }
  if (runs.some((one) => runs.some((other) => differInLeaf(one.order, other.order, leaf)))) {
    const name = nameOf(graph.nodes, leaf);
    said.push(`${name} may stand anywhere: it is a leaf, and a leaf's _backward does nothing.`);
  }
  return said;
}

// ---------------------------------------------------------------- the page

/** Show the game. Its walks are played on the stage that `makeStage` builds; `done` gets what the student has found. */
export function mountGame(parent: HTMLElement, { stage: makeStage, done }: GameParts): void {
  const id = freshId("game");
  const field = el("input", { id: `${id}-leaf`, type: "number", step: "any", value: START });
  const problem = el("span", { class: "problem", role: "status" });
  const list = el("ol", { class: "order", "aria-label": "Order of the calls" });
  const moved = el("p", { class: "unseen", role: "status" });
  const result = el("div", { class: "result", role: "status" });
  const found = el("div", { class: "found" });
  const tried = el("ol", { class: "tried" });
  const history = el("details", {}, el("summary", {}, "Orders that you ran"), tried);
  const board = el("div", { class: "stage" });
  let stage: Stage | null = null;
  let setting = SETTINGS[0];
  let values: Record<string, number> = { [LEAF]: START };
  let graph = parse(setting.text, values);
  let order = graph.nodes.map((_, index) => index);
  let cards: HTMLElement[] = [];
  let runs: Run[] = [];

  function begin(): void {
    graph = parse(setting.text, values);
    runs = [];
    for (const each of [result, found, tried]) each.replaceChildren();
    history.hidden = true;
    board.hidden = true;
  }

  function deal(): void {
    order = graph.nodes.map((_, index) => index);
    cards = graph.nodes.map((_, node) => card(node));
    list.replaceChildren(...cards);
  }

  function card(node: number): HTMLElement {
    const name = nameOf(graph.nodes, node);
    const text = formula(graph.nodes, node);
    const item = el(
      "li",
      { draggable: "true" },
      el("span", { class: "name" }, text ? `${name} = ${text}` : name),
      button("Earlier", () => shift(node, -1), { "aria-label": `Move ${name} earlier` }),
      button("Later", () => shift(node, 1), { "aria-label": `Move ${name} later` }),
    );
    item.addEventListener("dragstart", (event) => {
      event.dataTransfer?.setData("text/plain", name);
      item.classList.add("dragged");
    });
    item.addEventListener("dragend", () => item.classList.remove("dragged"));
    item.addEventListener("dragover", (event) => {
      const dragged = cards.findIndex((other) => other.classList.contains("dragged"));
      if (dragged < 0) return;
      event.preventDefault();
      if (dragged !== node) place(dragged, order.indexOf(node));
    });
    item.addEventListener("drop", (event) => event.preventDefault());
    return item;
  }

  function place(node: number, position: number): void {
    order = order.filter((other) => other !== node);
    order.splice(position, 0, node);
    // Only the neighbours move in the document, so that the button that was pressed keeps the focus.
    const at = order.indexOf(node);
    for (const other of order.slice(0, at).reverse()) list.prepend(cards[other]);
    for (const other of order.slice(at + 1)) list.append(cards[other]);
    setText(moved, `${nameOf(graph.nodes, node)} is number ${at + 1} of ${order.length}. Order: ${names(order)}.`);
  }

  function shift(node: number, by: number): void {
    const position = order.indexOf(node) + by;
    if (position >= 0 && position < order.length) place(node, position);
    else setText(moved, `${nameOf(graph.nodes, node)} is ${by < 0 ? "first" : "last"} already.`);
  }

  function names(given: number[]): string {
    return given.map((node) => nameOf(graph.nodes, node)).join(", ");
  }

  function run(): void {
    const words = verdict(graph, values, order);
    const right = !losses(graph, values, order).length;
    if (!runs.some((each) => each.order.join() === order.join())) runs.push({ order: [...order], words: words[0], right });
    result.replaceChildren(...lines([`Order ${names(order)}: ${words[0]}`, ...words.slice(1)]));
    found.replaceChildren(...lines(findings(graph, values, runs)));
    tried.replaceChildren(...runs.map((each) => el("li", {}, `${names(each.order)}: ${each.words}`)));
    history.hidden = false;
    board.hidden = false;
    const trace = traceOf(graph, values, order);
    stage ??= makeStage(board);
    // The forward pass and the seed are the same for all orders: the walk starts at the first call.
    stage.update(trace, graph.nodes.length + 1);
    done(right ? "order-right" : "order-lost");
  }

  function edit(): void {
    const number = field.valueAsNumber;
    if (!Number.isFinite(number)) {
      setText(problem, `This is no number: ${LEAF} stays ${show(values[LEAF])}.`);
      field.setAttribute("aria-invalid", "true");
      return;
    }
    setText(problem, "");
    field.removeAttribute("aria-invalid");
    if (number === values[LEAF]) return;
    values = { [LEAF]: number };
    begin();
    done("leaf");
  }

  const choices = SETTINGS.map((each, position) => {
    const radio = el("input", { type: "radio", name: id, checked: position === 0 });
    radio.addEventListener("change", () => {
      setting = each;
      begin();
      deal();
    });
    return el("label", {}, radio, ` ${each.title}`, el("span", { class: "note" }, ` ${each.text}`));
  });
  field.addEventListener("input", edit);
  parent.append(
    el(
      "section",
      { class: "game", "aria-labelledby": id },
      el("h2", { id }, "Order game"),
      el(
        "p",
        { class: "note" },
        "The seed is set. Put the nodes in the order in which their _backward is called, run it, and see what arrives at a.",
      ),
      el("fieldset", { class: "choices" }, el("legend", {}, "Graph"), ...choices),
      el("div", { class: "choices" }, el("label", { for: field.id }, LEAF), field, problem),
      el(
        "div",
        { class: "columns" },
        el("div", {}, list, moved, button("Run this order", run, { class: "primary" })),
        el("div", {}, result, found, history),
      ),
      board,
    ),
  );
  begin();
  deal();
}

function lines(texts: string[]): HTMLElement[] {
  return texts.map((text) => el("p", {}, text));
}
