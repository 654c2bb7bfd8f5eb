/** What of the lesson is done. It is remembered on this machine, or as long as the page is open if nothing may be kept. */

import { button, el, freshId, setAttribute, setText } from "./dom";

export type Task = `preset:${string}` | "edge" | "leaf" | "questions" | "order-lost" | "order-right" | "nudge";

export interface Progress {
  /** Mark a task as done. */
  done(task: Task): void;
}

const KEY = "backgrade.player.done";

const EVERYWHERE = 3; // of the first others

const OTHERS: [Task, string][] = [
  ["questions", "Answer the questions of a graph"],
  ["edge", "Click an edge and read what it hands on"],
  ["leaf", "Edit the number of a leaf"],
  ["nudge", "Nudge a leaf and compare the slope with its gradient"],
  ["order-lost", "Order game: find an order that loses a contribution"],
  ["order-right", "Order game: find an order that loses nothing"],
];

function remembered(key: string): string[] {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(key) ?? "[]");
    return Array.isArray(found) ? found.filter((task) => typeof task === "string") : [];
  } catch {
    return []; // no storage here, or somebody else's text in it
  }
}

function remember(key: string, tasks: string[]): void {
  try {
    localStorage.setItem(key, JSON.stringify(tasks));
  } catch {
    // An iframe without an origin has no storage: the list lasts as long as the page.
  }
}

/** Show the list of tasks: one for each preset, and those of the tools. */
export function mountProgress(parent: HTMLElement, presets: { id: string; name: string }[], arrays: boolean): Progress {
  const key = arrays ? `${KEY}.arrays` : KEY;
  const tasks = new Map<string, string>([
    ...presets.map(({ id, name }): [string, string] => [`preset:${id}`, `Play "${name}" to the end`]),
    ...(arrays ? OTHERS.slice(0, EVERYWHERE) : OTHERS),
  ]);
  const finished = new Set(remembered(key).filter((task) => tasks.has(task)));
  const id = freshId("progress");
  const count = el("p", { class: "count", role: "status" });
  const bar = el("progress", { max: tasks.size, "aria-labelledby": id });
  const end = el("p", { class: "end", role: "status" });
  const rows = new Map([...tasks].map(([task, words]) => [task, row(words)]));
  const over = button("Start over", () => {
    finished.clear();
    remember(key, []);
    draw();
  });
  const list = el(
    "details",
    {},
    el("summary", {}, "What there is to do"),
    el("ul", {}, ...[...rows.values()].map((each) => each.item)),
  );
  parent.append(
    el(
      "section",
      { class: "progress", "aria-labelledby": id },
      el("h2", { id }, "Your progress"),
      el("div", { class: "choices" }, bar, count, end),
      list,
      over,
    ),
  );

  function draw(): void {
    for (const [task, { mark, item }] of rows) {
      setText(mark, finished.has(task) ? "✓ done: " : "○ to do: ");
      setAttribute(item, "class", finished.has(task) ? "done" : "open");
    }
    bar.value = finished.size;
    setText(count, `${finished.size} of ${tasks.size} done`);
    setText(end, finished.size === tasks.size ? "You have done everything in this lesson." : "");
    over.hidden = finished.size === 0;
  }

  draw();
  return {
    done(task) {
      if (!tasks.has(task) || finished.has(task)) return;
      finished.add(task);
      remember(key, [...finished]);
      draw();
    },
  };
}

function row(words: string): { item: HTMLElement; mark: HTMLElement } {
  const mark = el("span", { class: "mark" });
  return { item: el("li", {}, mark, words), mark };
}
