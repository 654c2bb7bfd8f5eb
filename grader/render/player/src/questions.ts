/** Closed questions about a graph; the page works out the answers from a right walk, and prints none of them. */

import { arrayOf, shapeText } from "./arrays";
import { el, freshId, marked, setText } from "./dom";
import { historyOf } from "./edges";
import { stateAt } from "./engine";
import { edgesOf } from "./layout";
import { formula, gradName, isLeaf, nameOf } from "./names";
import { numeric, shapeOf, show } from "./numbers";
import type { Num, Trace } from "./types";

/** `why` is shown beside a right answer, `look` beside a wrong one. */
interface Question {
  words: string;
  answer: number | string; // a text is a shape
  why: string;
  look: string;
}

const ROUNDED = 0.005; // of the answer, or of 1: two decimals are enough

/** The questions below a graph. */
export class Questions {
  readonly element: HTMLElement;
  private readonly list = el("ol");
  private asked = "";

  /** `done` is called when both are answered. */
  constructor(
    heading: string,
    private readonly done: () => void,
  ) {
    const id = freshId("questions");
    this.element = el(
      "section",
      { class: "questions", "aria-labelledby": id },
      el("h3", { id }, heading),
      this.list,
    );
  }

  /** Ask about this graph with its numbers; what was answered stays while they do. */
  update(trace: Trace): void {
    const found = questionsOf(trace);
    const key = JSON.stringify(found);
    if (key === this.asked) return;
    this.asked = key;
    this.element.hidden = !found.length;
    const open = new Set(found);
    this.list.replaceChildren(
      ...found.map((question) =>
        ask(question, () => {
          open.delete(question);
          if (!open.size) this.done();
        }),
      ),
    );
  }
}

function ask({ words, answer, why, look }: Question, right: () => void): HTMLElement {
  const id = freshId("answer");
  const field = el("input", { id, type: "text", inputmode: typeof answer === "string" ? null : "decimal", autocomplete: "off" });
  const said = el("p", { class: "said", role: "status" });
  const form = el(
    "form",
    {},
    el("label", { for: id }, ...marked(words)),
    el("span", { class: "pair" }, field, el("button", {}, "Answer")),
    said,
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const given = read(field.value, typeof answer === "string");
    const good = typeof answer === "string" ? given === answer : Math.abs(Number(given) - answer) <= ROUNDED * Math.max(1, Math.abs(answer));
    if (given === null) setText(said, typeof answer === "string" ? "Write a shape, such as (2, 3)." : "Write a number.");
    else said.replaceChildren(...marked(good ? `✓ Right. ${why}` : `✗ ${show(given)} is not right. ${look}`));
    if (good) right();
  });
  return el("li", {}, form);
}

/** The number or the shape that a reader has written; null for anything else. */
function read(text: string, shape: boolean): Num | null {
  if (!shape) return text.trim() === "" || Number.isNaN(Number(text)) ? null : Number(text);
  const sizes = text.replace(/[()\s]/g, "").replace(/,$/, "");
  return /^(\d+(,\d+)*)?$/.test(sizes) && text.trim() ? shapeText(sizes ? sizes.split(",").map(Number) : []) : null;
}

/** Questions about the shapes of a graph of arrays. */
function shapeQuestions({ nodes, right }: Trace): Question[] {
  const { data, grad } = stateAt(nodes, right, right.length);
  const made = nodes.findIndex((node) => !isLeaf(node));
  const edges = edgesOf(nodes);
  const sizes = (value: Num | null | undefined): number[] => arrayOf(value)?.shape ?? [];
  const size = (shape: number[]): number => shape.reduce((product, one) => product * one, 1);
  const elementwise = edges.filter(({ to }) => ["+", "-", "*", "/"].includes(nodes[to].op));
  const repeats = ({ from, to }: { from: number; to: number }): number => size(sizes(data[to])) / size(sizes(data[from]));
  const repeated = elementwise.find((edge) => repeats(edge) > 1);
  const leaf = repeated?.from ?? nodes.findIndex(isLeaf);
  if (made < 0 || !shapeOf(grad[leaf]) || [data[made], grad[leaf]].some((value) => !arrayOf(value))) return [];
  const [name, of] = [nameOf(nodes, made), gradName(nodes, leaf)];
  const found: Question[] = [
    { words: `What is the shape of \`${name}\`?`, answer: shapeText(sizes(data[made])), why: `It is the shape of \`${formula(nodes, made)}\`.`, look: "Write the shapes of its inputs below each other, aligned at the right." },
    { words: `What is the shape of \`${of}\` when the backward pass is over?`, answer: shapeText(sizes(grad[leaf])), why: "A gradient has the shape of its data.", look: "A gradient has the shape of its data." },
  ];
  if (repeated) {
    found.push({ words: `How many contributions are added up in one entry of \`${of}\`?`, answer: repeats(repeated), why: `Each entry is repeated that often in ${nameOf(nodes, repeated.to)}.`, look: `Count how often one entry is used in ${nameOf(nodes, repeated.to)}.` });
  }
  return found;
}

/** The questions about a trace; none where a number is not finite or there is no right walk. */
function questionsOf(trace: Trace): Question[] {
  const { nodes, student, right, wrong } = trace;
  if (nodes.some(({ inputs }) => inputs.some(({ local }) => local === ""))) return shapeQuestions({ ...trace, right: right.length ? right : wrong === null ? student : [] });
  const steps = right.length ? right : wrong === null ? student : [];
  const edges = edgesOf(nodes);
  const leaves = nodes.map((_, node) => node).filter((node) => isLeaf(nodes[node]));
  const uses = (node: number): number => edges.filter((edge) => edge.from === node).length;
  const { grad } = stateAt(nodes, steps, steps.length);
  // The words about the first wrong step tell the gradients that it changes.
  const told = new Set(wrong === null ? [] : steps[wrong]?.changes.map(([node]) => node));
  const most = Math.max(...leaves.map(uses));
  const often = leaves.find((node) => uses(node) === most);
  const asks = (node: number): boolean => !told.has(node) && ![0, 1].includes(numeric(grad[node]));
  const leaf = leaves.find((node) => asks(node) && uses(node) === most) ?? leaves.find(asks) ?? often;
  const answer = leaf === undefined ? NaN : numeric(grad[leaf]);
  if (often === undefined || leaf === undefined || !Number.isFinite(answer)) return [];
  const name = nameOf(nodes, leaf);
  const called = nodes.filter((node) => !isLeaf(node)).length;
  const first =
    most > 1
      ? {
          words: `How many contributions are added to \`${gradName(nodes, often)}\`?`,
          answer: most,
          why: `Each edge that leaves ${nameOf(nodes, often)} brings one contribution.`,
          look: `Count the edges that leave ${nameOf(nodes, often)}: each brings one contribution.`,
        }
      : {
          words: "For how many nodes does `_backward` have something to hand on?",
          answer: called,
          why: "A leaf has no inputs, so it hands on nothing.",
          look: "A leaf has no inputs and hands on nothing. Count the other nodes.",
        };
  const sums = historyOf(nodes, edges, steps)
    .filter(({ edge }) => edges[edge].from === leaf)
    .map(({ handed }) => `${show(handed.upstream)} · ${show(handed.local)}`);
  return [
    first,
    {
      words: `What is \`${gradName(nodes, leaf)}\` when the backward pass is over?`,
      answer,
      why: `${sums.join(" + ")} = ${show(answer)}.`,
      look: `Go along every path from ${nameOf(nodes, nodes.length - 1)} to ${name}: multiply the local derivatives on it, and add up the paths.`,
    },
  ];
}
