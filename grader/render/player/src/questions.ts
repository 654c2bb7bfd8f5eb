/** Two closed questions about a graph; the page works out the answers from a right walk, and prints none of them. */

import { el, freshId, marked, setText } from "./dom";
import { historyOf } from "./edges";
import { stateAt } from "./engine";
import { edgesOf } from "./layout";
import { gradName, isLeaf, nameOf } from "./names";
import { numeric, show } from "./numbers";
import type { Trace } from "./types";

/** `why` is shown beside a right answer, `look` beside a wrong one. */
interface Question {
  words: string;
  answer: number;
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
  const field = el("input", { id, type: "text", inputmode: "decimal", autocomplete: "off" });
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
    const given = field.value.trim() === "" ? NaN : Number(field.value);
    const good = Math.abs(given - answer) <= ROUNDED * Math.max(1, Math.abs(answer));
    if (Number.isNaN(given)) setText(said, "Write a number.");
    else said.replaceChildren(...marked(good ? `✓ Right. ${why}` : `✗ ${show(given)} is not it. ${look}`));
    if (good) right();
  });
  return el("li", {}, form);
}

/** The questions about a trace; none where a number is not finite or there is no right walk. */
function questionsOf({ nodes, student, right, wrong }: Trace): Question[] {
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
          why: `Each edge that leaves ${nameOf(nodes, often)} brings one.`,
          look: `Count the edges that leave ${nameOf(nodes, often)}: each brings one.`,
        }
      : {
          words: "For how many nodes does `_backward` have something to hand on?",
          answer: called,
          why: "A leaf has no inputs: it hands on nothing.",
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
