// A day's page: the lesson stands in it already; this adds editors, buttons and Python.

import { data, find, make, marked } from "./dom";
import { editor, type Editor } from "./editor";
import { cellsOf, NotANotebook, notebookOf, parsed, placed } from "./notebook";
import { Ended, Python } from "./python";
import { keepSite } from "./keep";
import { hold, keyOf, Store } from "./store";
import type { Checked, Day, Output, Source, Work } from "./types";

const day = data<Day>("day");
const key = keyOf(day.name);
const untouched = cellsOf(day.notebook);
const OUTCOMES: Record<string, string> = {
  passed: "passed",
  failed: "failed",
  todo: "to do",
  blocked: "blocked",
  manual: "your instructor grades this",
  ungradable: "cannot be checked here",
};

const store = new Store(key);
let work: Work = { cells: structuredClone(untouched), hints: {}, results: {}, undo: [] };
let writable = true;
const editors = new Map<string, Editor>();
const outputs = new Map<string, HTMLElement>();
let edited = false; // since the last check
const hasRun: string[] = []; // the cells that ran since Python began, in their order

// --- What the page says

const status = find("#status");
const bar = find<HTMLProgressElement>("#starting");
const stop = find<HTMLButtonElement>("#stop");
const notice = find("#notice");

const say = (text: string): void => {
  status.textContent = text;
};

type About = "Python" | "storage" | "another tab" | "release" | "file";
const notices = new Map<About, HTMLElement>();

/** Show a notice, which takes the place of an earlier one about the same; without a text take that one away. */
function warn(about: About, text: string, ...actions: HTMLElement[]): void {
  notices.delete(about);
  if (text !== "") notices.set(about, make("div", {}, make("p", {}, text), ...actions));
  notice.replaceChildren(...notices.values());
  notice.hidden = notices.size === 0;
}

function showPoints(): void {
  const checks = Object.entries(day.checks).filter(([, check]) => !check.manual);
  const total = checks.reduce((sum, [, check]) => sum + check.points, 0);
  const earned = checks.reduce((sum, [name]) => sum + (work.results[name]?.score ?? 0), 0);
  const before = edited ? ", before your last change" : "";
  find("#points").textContent = `${Number(earned.toFixed(2))} of ${Number(total.toFixed(2))} points${before}`;
  for (const [name] of checks) {
    for (const mark of document.querySelectorAll(`[data-outcome="${CSS.escape(name)}"]`)) {
      mark.textContent = OUTCOMES[work.results[name]?.outcome ?? ""] ?? "not checked yet";
      mark.className = `outcome ${work.results[name]?.outcome ?? ""}`;
    }
  }
}

// --- What is kept

/** Keep the work as it is now. */
function keep(): void {
  if (!writable) return;
  try {
    store.write(work).catch(() => warn("storage", UNKEPT));
  } catch {
    warn("storage", UNKEPT);
  }
}

const UNKEPT =
  "This browser does not keep your work here (a private window, or its storage is full). Use “Save notebook” before you leave.";

function changed(id: string, source: string): void {
  const cell = work.cells.find((one) => one.id === id);
  if (cell === undefined || cell.source === source) return;
  cell.source = source;
  markEdited();
  keep();
}

/** The points in the page's head, and what was found, are of the text that was checked. */
function markEdited(): void {
  if (edited || Object.keys(work.results).length === 0) return;
  edited = true;
  for (const result of Object.values(work.results)) delete result.hints;
  showPoints();
}

// --- Python

const SOON = 300; // milliseconds: what ends sooner needs no button to stop it
let showStop = 0;
const python = new Python(day, started, () => {
  window.clearTimeout(showStop);
  if (python.busy) showStop = window.setTimeout(() => (stop.hidden = false), SOON);
  else stop.hidden = true;
});

let siteIsKept: Promise<void> | null = null;
let starts = 0;

function started(progress: { loaded: number; total: number } | null, failure: string | null): void {
  bar.hidden = progress === null;
  if (failure !== null) {
    say("Python did not start.");
    warn("Python", `Python did not start: ${failure}. You can read, write and save; load the page again to try once more.`);
  } else if (progress !== null) {
    bar.max = progress.total;
    bar.value = Math.min(progress.loaded, progress.total);
    say(`Python is on its way: ${(progress.loaded / 1e6).toFixed(1)} of ${(progress.total / 1e6).toFixed(1)} MB`);
  } else {
    starts += 1;
    say(`Python is ready. ${starts > 1 ? "It began anew, and runs the cells again that had run." : "No cell has run yet."}`);
    siteIsKept ??= keepSite((text, action) => warn("release", text, action));
  }
}

/** Do something with Python. If Python had to be ended, say why, and run the cells again that had run. */
async function withPython(what: string, output: HTMLElement, job: () => Promise<void>): Promise<boolean> {
  output.replaceChildren(make("p", { class: "waiting" }, `${what} …`));
  say(""); // it was about what was done before
  try {
    await job();
    return true;
  } catch (error) {
    if (!(error instanceof Ended)) throw error;
    output.replaceChildren(make("pre", { class: "error" }, endedWords(error)));
    void runAgain();
    return false;
  }
}

function endedWords({ why, place, message }: Ended): string {
  const line = place === "" ? "" : ` It stood in ${place}`;
  if (why === "stopped") return `Stopped.${line}`;
  if (why === "died") return `Python is not there: ${message}.`;
  if (why === "crashed") {
    const what = message.includes("call stack") ? "something calls itself without end" : message || "it ran out of memory";
    return `Python was ended by this code, and begins anew: ${what}.${line}`;
  }
  return `Python was ended, for it did not answer any more: the code is in a loop or in one long step.${line}`;
}

async function runAgain(): Promise<void> {
  const again = hasRun.splice(0);
  for (const id of again) {
    const cell = work.cells.find((one) => one.id === id);
    if (cell === undefined) continue;
    try {
      await python.ask("run", id, cell.source);
      hasRun.push(id);
    } catch {
      return; // the cell that had ended it, or the reader
    }
  }
}

/** Run a cell; return false if Python had to be ended. */
async function run(id: string): Promise<boolean> {
  const cell = work.cells.find((one) => one.id === id);
  const output = outputs.get(id);
  if (cell === undefined || output === undefined) return true;
  return withPython("Running", output, async () => {
    const found = await python.ask<Output[]>("run", id, cell.source);
    if (!hasRun.includes(id)) hasRun.push(id);
    output.replaceChildren(...found.map(shown));
  });
}

/** Run every cell from the top, as after a kernel's restart; it ends at one that ends Python. */
async function runAll(): Promise<void> {
  for (const cell of work.cells) {
    if (cell.kind === "code" && outputs.has(cell.id) && !(await run(cell.id))) return;
  }
}

function shown(output: Output): HTMLElement {
  if (output.kind !== "picture") return make("pre", { class: output.kind }, output.text);
  // An image, not an element of the page: nothing in it is executed or fetched.
  return make("img", { alt: "the graph that this cell draws", src: `data:image/svg+xml,${encodeURIComponent(output.text)}` });
}

async function check(only: string | null, output: HTMLElement): Promise<void> {
  await withPython(only === null ? "Checking all" : `Checking ${only}`, output, async () => {
    const notebook = JSON.stringify(notebookOf(work.cells, day.notebook));
    const found = await python.ask<Checked>("check", notebook, only);
    // Made by the grader, which escapes every text of the student's; the page's policy runs nothing in it.
    const page = make("div", { class: "feedback" });
    page.innerHTML = found.html;
    output.replaceChildren(page);
    for (const { id, ...result } of found.checks) work.results[id] = result;
    edited = false;
    showPoints();
    keep();
    if (only === null) output.scrollIntoView({ block: "start" });
  });
}

// --- Hints

/** Give one hint more. What the last check found comes first, unless the text has changed since. */
function hint(name: string, output: HTMLElement): void {
  const hints = work.results[name]?.hints ?? day.checks[name]?.hints ?? [];
  const before = work.hints[name];
  const given = Array.isArray(before) ? before : hints.slice(0, before ?? 0); // a number in works of earlier versions
  const left = hints.filter((text) => !given.includes(text));
  given.push(...left.splice(0, 1));
  work.hints[name] = given;
  keep();
  const list = make("ol", {}, ...given.map((text) => make("li", {}, ...marked(text))));
  const rest = given.length === 0 ? "There are no hints for this check." : left.length === 0 ? "There are no more hints." : `${left.length} more: press “Hint” again.`;
  output.replaceChildren(list, make("p", {}, rest));
}

// --- Resets

function replace(cells: Source[]): void {
  work.undo = [...work.undo.slice(-9), structuredClone(work.cells)];
  work.cells = structuredClone(cells);
  markEdited();
  keep();
  draw();
}

function undo(): void {
  const before = work.undo.pop();
  if (before === undefined) return;
  work.cells = before;
  markEdited();
  keep();
  draw();
}

function resetCell(id: string): void {
  const own = untouched.find((cell) => cell.id === id);
  replace(
    own === undefined
      ? work.cells.filter((cell) => cell.id !== id)
      : work.cells.map((cell) => (cell.id === id ? own : cell)),
  );
}

// --- Files

function save(): void {
  download();
  if (day.hand_in === "") say(`${day.submission} is saved. Hand in this file where your instructor says.`);
  else handIn();
}

/** Show the page that takes the file; it may have the student's name on GitHub in its address. */
function handIn(): void {
  let address = day.hand_in;
  if (address.includes("{github}")) {
    const name = handInName();
    if (name === "") return;
    address = address.replaceAll("{github}", encodeURIComponent(name));
  }
  const link = make("a", { href: address, target: "_blank", rel: "noopener noreferrer" }, "Open the page for it");
  warn("file", `${day.submission} is saved. To hand it in, drag the file onto the page that opens, and confirm there.`, link);
}

/** Ask for the student's name on GitHub, once. */
function handInName(): string {
  let known = "";
  try {
    known = localStorage.getItem("backgrade github") ?? "";
  } catch {
    // asked each time
  }
  const name = known !== "" ? known : (window.prompt("Your name on GitHub, for the address of your repository:") ?? "").trim();
  try {
    if (name !== "") localStorage.setItem("backgrade github", name);
  } catch {
    // asked each time
  }
  return name;
}

function download(): void {
  const text = `${JSON.stringify(notebookOf(work.cells, day.notebook), null, 1)}\n`;
  const address = URL.createObjectURL(new Blob([text], { type: "application/x-ipynb+json" }));
  make("a", { href: address, download: day.submission }).click();
  window.setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

async function open(file: File): Promise<void> {
  try {
    replace(placed(parsed(await file.text(), day.name), day.notebook));
    say(`${file.name} is open. “Undo” brings back what was here.`);
    warn("file", "");
  } catch (error) {
    if (!(error instanceof NotANotebook)) throw error;
    warn("file", `${file.name}: ${error.message}`);
  }
}

// --- The page

const button = (text: string, action: () => void, label = text): HTMLButtonElement =>
  make("button", { type: "button", "aria-label": label, click: action }, text);

const AT_ONCE = 3; // cells that get their editor before the page can be used; the others follow at once
let drawn = 0;

/** Put the editors and buttons into the lesson; cells that somebody added stand between. */
function draw(): void {
  drawn += 1;
  const waiting: [HTMLElement, Source][] = [];
  find("#results").replaceChildren(); // they were of other cells
  editors.clear();
  outputs.clear();
  for (const own of document.querySelectorAll(".cell.own")) own.remove();
  let before: Element | null = null;
  for (const cell of work.cells) {
    let section: HTMLElement | null = document.querySelector<HTMLElement>(`[data-cell="${CSS.escape(cell.id)}"]`);
    if (section === null) {
      section = make("section", { class: "cell own", "data-cell": cell.id });
      if (before === null) find("#lesson").prepend(section);
      else before.after(section);
    }
    before = section;
    if (cell.kind === "code") waiting.push([section, cell]);
    else if (section.classList.contains("own")) section.replaceChildren(make("pre", {}, cell.source));
  }
  find<HTMLButtonElement>("#undo").disabled = work.undo.length === 0;
  fillSome(waiting, drawn);
}

/** Fill some cells, and the others when the browser has shown these, unless all are drawn anew meanwhile. */
function fillSome(waiting: [HTMLElement, Source][], of: number): void {
  if (of !== drawn) return;
  for (const [section, cell] of waiting.splice(0, AT_ONCE)) fill(section, cell);
  if (waiting.length > 0) window.setTimeout(() => fillSome(waiting, of));
  else document.documentElement.dataset.page = "drawn";
  showPoints();
}

function fill(section: HTMLElement, cell: Source): void {
  const output = make("div", { class: "output", "aria-live": "polite" });
  const asks = day.asks[cell.id];
  if (asks !== undefined && cell.source === untouched.find((own) => own.id === cell.id)?.source) {
    const known = day.checks[asks];
    const hints = make("div", { class: "hints" });
    const mark = make("span", { "data-outcome": asks });
    section.replaceChildren(
      make(
        "div",
        { class: "ask" },
        button(`Check ${asks}`, () => void check(asks, output)),
        button("Hint", () => hint(asks, hints), `Hint for ${asks}`),
        mark,
        make("span", { class: "worth" }, known === undefined ? "" : `${known.points} points`),
      ),
      hints,
      output,
    );
    return;
  }
  const place = make("div", { class: "edit" });
  section.replaceChildren(place);
  const number = work.cells.filter((one) => one.kind === "code").indexOf(cell) + 1;
  const made = editor(place, cell.source, `Code cell ${number}`, (text) => changed(cell.id, text), () => void run(cell.id));
  made.lock(!writable);
  editors.set(cell.id, made);
  outputs.set(cell.id, output);
  section.append(
    make(
      "div",
      { class: "tools" },
      button("Run", () => void run(cell.id), `Run code cell ${number}`),
      button("Reset", () => resetCell(cell.id), `Reset code cell ${number}`),
    ),
    output,
  );
}

function lock(): void {
  writable = false;
  for (const made of editors.values()) made.lock(true);
  const take = button("Work here instead", () => {
    void hold(key, lock, true).then(async () => {
      work = (await store.read()) ?? work;
      writable = true;
      warn("another tab", "");
      draw();
    });
  });
  warn("another tab", "This day is open in another tab, so this one only shows it. Nothing that you type there is overwritten.", take);
}

async function begin(): Promise<void> {
  try {
    await store.open();
    work = (await store.read()) ?? work;
  } catch {
    warn("storage", UNKEPT);
  }
  draw();
  python.start(); // after the first cells, for it takes a core and more
  if (!(await hold(key, lock))) lock();
}

find("#all").addEventListener("click", () => void check(null, find("#results")));
find("#run").addEventListener("click", () => void runAll());
stop.addEventListener("click", () => python.stop());
find("#save").addEventListener("click", save);
find("#undo").addEventListener("click", undo);
find("#reset").addEventListener("click", () => replace(untouched));
const chooser = find<HTMLInputElement>("#file");
find("#open").addEventListener("click", () => chooser.click());
chooser.addEventListener("change", () => {
  const [file] = chooser.files ?? [];
  if (file !== undefined) void open(file);
  chooser.value = "";
});
window.addEventListener("beforeunload", (event) => {
  if (notices.has("storage")) event.preventDefault();
});
void begin();
