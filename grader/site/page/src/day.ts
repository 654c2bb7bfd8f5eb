// A day's page: the lesson stands in it already; this adds editors, buttons and Python.

import { applied, changeTo } from "./changes";
import { data, find, make, marked } from "./dom";
import { editor, type Editor } from "./editor";
import { cellsOf, NotANotebook, notebookOf, parsed, placed, renewed } from "./notebook";
import { Ended, Python } from "./python";
import { keepSite } from "./keep";
import { hold, keyOf, Store } from "./store";
import type { Change, Checked, Day, Output, Source, Work } from "./types";

const day = data<Day>("day");
const key = keyOf(day.name);
const untouched = cellsOf(day.notebook);

const store = new Store(key);
let work: Work = { cells: structuredClone(untouched), given: untouched, hints: {}, results: {}, undo: [], redo: [] };
let writable = true;
const editors = new Map<string, Editor>();
const outputs = new Map<string, HTMLElement>();
let edited = false; // since the last check
const hasRun = new Set<string>(); // the cells that ran since Python began, in their order

// --- What the page says

const status = find("#status");
const bar = find<HTMLProgressElement>("#starting");
const stop = find<HTMLButtonElement>("#stop");
const notice = find("#notice");
const undo = find<HTMLButtonElement>("#undo");
const redo = find<HTMLButtonElement>("#redo");

const say = (text: string): void => {
  status.textContent = text;
};

type About = "Python" | "storage" | "another tab" | "release" | "new cells" | "file" | "no file yet";
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
  const words = make("span", {}, ` points${edited ? ", before your last change" : ""}`);
  find("#points").replaceChildren(`${Number(earned.toFixed(2))} of ${Number(total.toFixed(2))}`, words);
  for (const [name] of checks) {
    for (const mark of document.querySelectorAll(`[data-outcome="${CSS.escape(name)}"]`)) {
      const outcome = work.results[name]?.outcome;
      mark.textContent = outcome ?? "not checked yet";
      mark.className = outcome === undefined ? "worth" : `pill ${outcome}`;
    }
  }
}

// --- What is kept

/** Keep the work as it is now, and say when that was. */
function keep(): void {
  if (!writable) return;
  try {
    store.write(work).then(sayKept, () => warn("storage", UNKEPT));
  } catch {
    warn("storage", UNKEPT);
  }
}

function sayKept(): void {
  const time = new Date().toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
  find("#kept").textContent = `kept in this browser, ${time}`;
}

const DAY = 86_400_000; // milliseconds

/** Note that a saved file would differ. The first time ask the browser to keep the work even if its disk fills up. */
function noteUnsaved(): void {
  if (!asked) void askToPersist().catch(() => undefined);
  asked = true;
  work.unsaved ??= Date.now();
  remind();
}

let asked = false;

async function askToPersist(): Promise<void> {
  if (!(await navigator.storage.persisted())) await navigator.storage.persist();
}

/** Remind, once, of work that no file has for a day: a browser's storage can be cleared. */
function remind(): void {
  if (work.reminded === true || work.unsaved === undefined || Date.now() - work.unsaved < DAY) return;
  work.reminded = true;
  keep();
  warn(
    "no file yet",
    "You have not saved your work as a file for over a day. A file is safe even if the browser's data are deleted.",
    button("Save notebook now", save),
  );
}

const UNKEPT =
  "This browser does not keep your work. Perhaps this is a private window, or the storage is full. Use “Save notebook” before you leave.";

function changed(id: string, source: string): void {
  const cell = work.cells.find((one) => one.id === id);
  if (cell === undefined || cell.source === source) return;
  cell.source = source;
  markEdited();
  noteUnsaved();
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
    warn("Python", `Python did not start: ${failure}. You can read, write and save. Load the page again to try once more.`);
  } else if (progress !== null) {
    bar.max = progress.total;
    bar.value = Math.min(progress.loaded, progress.total);
    say(`Loading Python: ${(progress.loaded / 1e6).toFixed(1)} of ${(progress.total / 1e6).toFixed(1)} MB`);
  } else {
    starts += 1;
    say(`Python is ready. ${starts > 1 ? "It started again, and runs the cells that had run before." : "No cell has run yet."}`);
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
  if (why === "died") return `Python does not run: ${message}.`;
  if (why === "crashed") {
    return `Python stopped at this code, and starts again: ${reasonOf(message)}.${line}`;
  }
  return `Python did not answer any more, so it was stopped. The code may be in a loop or in one long step.${line}`;
}

/** Say why Python broke, by what the browser says of it. */
function reasonOf(message: string): string {
  if (/call stack|too much recursion/.test(message)) return "something calls itself without end";
  return message === "" || /memory|MemoryError|allocat/i.test(message) ? "it probably ran out of memory" : message;
}

async function runAgain(): Promise<void> {
  const again = [...hasRun];
  hasRun.clear();
  for (const id of again) {
    const cell = work.cells.find((one) => one.id === id);
    if (cell === undefined) continue;
    try {
      await python.ask("run", id, cell.source);
      hasRun.add(id);
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
    output.replaceChildren(...found.map(shown));
    if (found.some(({ kind }) => kind === "memory")) {
      hasRun.delete(id);
      python.restart();
      void runAgain();
    } else hasRun.add(id);
  });
}

/** Run every cell from the top, as after a kernel's restart; it ends at one that ends Python. */
async function runAll(): Promise<void> {
  for (const cell of work.cells) {
    if (cell.kind === "code" && outputs.has(cell.id) && !(await run(cell.id))) return;
  }
}

function shown(output: Output): HTMLElement {
  if (output.kind !== "picture") return make("pre", { class: output.kind === "memory" ? "error" : output.kind }, output.text);
  // An image, not an element of the page: nothing in it is executed or fetched.
  return make("img", { alt: "the graph that this cell draws", src: `data:image/svg+xml,${encodeURIComponent(output.text)}` });
}

async function check(only: string | null, output: HTMLElement): Promise<void> {
  await withPython(only === null ? "Checking all" : `Checking ${only}`, output, async () => {
    const ids = work.cells.map(({ id }) => id);
    const notebook = JSON.stringify(notebookOf(work.cells, day.notebook));
    const found = await python.ask<Checked>("check", notebook, only);
    // The student's code can exchange the grader. The policy runs and fetches nothing, but follows a <meta>, and a <link>
    // may look up and connect to a host of any name.
    const page = make("div", { class: "feedback" });
    page.innerHTML = found.html.replace(/<(?=meta|link)/gi, "&lt;");
    for (const place of page.querySelectorAll<HTMLElement>("[data-at]")) linkLine(place, ids);
    output.replaceChildren(page);
    for (const { id, ...result } of found.checks) work.results[id] = result;
    edited = false;
    showPoints();
    keep();
    if (only === null) output.scrollIntoView({ block: "start" });
  });
}

/** Make a link of the words “line 30” in a place of the code, which shows the line in its editor. */
function linkLine(place: HTMLElement, ids: string[]): void {
  const [cell, line] = (place.dataset.at ?? "").split(":").map(Number) as [number, number];
  const id = ids[cell - 1] ?? "";
  const node = [...place.childNodes].find((one): one is Text => one instanceof Text && one.data.includes(`line ${line}`));
  if (node === undefined || !editors.has(id)) return;
  const words = node.splitText(node.data.indexOf(`line ${line}`));
  words.splitText(`line ${line}`.length);
  words.replaceWith(make("button", { type: "button", class: "link", click: () => editors.get(id)?.show(line) }, words.data));
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

const MOST_CHANGES = 10; // that can be taken back

/** Make a change to the cells that “Undo” takes back. */
function replace(cells: Source[]): void {
  makeChange(changeTo(cells, work.cells), work.undo);
}

/** Make a change; what takes it back is the newest in `undoing`. Cells that it does not name stay as they are. */
function makeChange(change: Change, undoing: Change[]): void {
  const before = work.cells;
  const [cells, back] = applied(structuredClone(change), before);
  if (back.length > 0) {
    work.cells = cells;
    undoing.push(back);
    undoing.splice(0, undoing.length - MOST_CHANGES);
    markEdited();
    noteUnsaved();
  }
  keep();
  redraw(before, new Set(back.map(({ id }) => id)));
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
  delete work.unsaved;
  delete work.reminded;
  warn("no file yet", "");
  keep();
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
  const link = make("a", { href: address, target: "_blank", rel: "noopener noreferrer" }, "Open the hand-in page");
  warn("file", `${day.submission} is saved. Open the hand-in page, drag the file onto it, and confirm there.`, link);
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
  delete document.documentElement.dataset.page;
  const waiting: [HTMLElement, string][] = [];
  find("#results").replaceChildren(); // they were of other cells
  editors.clear();
  outputs.clear();
  for (const own of document.querySelectorAll(".cell.own")) own.remove();
  let before: Element | null = null;
  for (const cell of work.cells) {
    let section = sectionOf(cell.id);
    if (section === null) {
      section = make("section", { class: "cell own", "data-cell": cell.id });
      if (before === null) find("#lesson").prepend(section);
      else before.after(section);
    }
    before = section;
    if (cell.kind === "code") waiting.push([section, cell.id]);
    else if (section.classList.contains("own")) section.replaceChildren(make("pre", {}, cell.source));
  }
  enableUndo();
  fillSome(waiting, drawn);
}

const sectionOf = (id: string): HTMLElement | null => document.querySelector<HTMLElement>(`[data-cell="${CSS.escape(id)}"]`);

/** Show the cells that changed; draw all anew if other cells are there than before. */
function redraw(before: Source[], changed: Set<string>): void {
  const ids = (cells: Source[]): string => cells.map(({ id, kind }) => `${id} ${kind}`).join();
  if (ids(before) !== ids(work.cells)) return draw();
  find("#results").replaceChildren(); // they were of other cells
  for (const cell of work.cells.filter((one) => one.kind === "code" && changed.has(one.id))) {
    const known = editors.get(cell.id);
    const section = sectionOf(cell.id);
    if (known !== undefined && askedBy(cell) === null) known.set(cell.source);
    else if (section !== null) fill(section, cell);
  }
  enableUndo();
  showPoints();
}

/** The check that a cell asks for and does nothing else; such a cell has buttons in place of an editor. */
function askedBy(cell: Source): string | null {
  const isUntouched = cell.source === untouched.find((own) => own.id === cell.id)?.source;
  return isUntouched ? (day.asks[cell.id] ?? null) : null;
}

function enableUndo(): void {
  undo.disabled = work.undo.length === 0;
  redo.disabled = work.redo.length === 0;
}

/** Fill some cells, and the others when the browser has shown these, unless all are drawn anew meanwhile. */
function fillSome(waiting: [HTMLElement, string][], of: number): void {
  if (of !== drawn) return;
  for (const [section, id] of waiting.splice(0, AT_ONCE)) fill(section, work.cells.find((cell) => cell.id === id)!);
  if (waiting.length > 0) window.setTimeout(() => fillSome(waiting, of));
  else document.documentElement.dataset.page = "drawn";
  showPoints();
}

function fill(section: HTMLElement, cell: Source): void {
  const output = make("div", { class: "output", "aria-live": "polite" });
  const asks = askedBy(cell);
  if (asks !== null) {
    editors.delete(cell.id);
    const known = day.checks[asks];
    const hints = make("div", { class: "hints" });
    const mark = make("span", { "data-outcome": asks });
    section.replaceChildren(
      make(
        "div",
        { class: "ask" },
        make("b", { class: "printed" }, asks),
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
  const made = editor(place, cell.source, `Code cell ${number}`, (text) => changed(cell.id, text), (goOn) => {
    void run(cell.id);
    if (goOn) goOnFrom(section);
  });
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

/** Go to what is used next after a cell: an editor, or the button of a check. */
function goOnFrom(section: HTMLElement): void {
  const all = [...document.querySelectorAll<HTMLElement>(".cell .cm-content, .ask > button:first-of-type")];
  const next = all.find((one) => (section.compareDocumentPosition(one) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0 && !section.contains(one));
  next?.focus({ preventScroll: true });
  next?.closest(".cell")?.scrollIntoView({ block: "nearest" });
}

function lock(): void {
  writable = false;
  for (const made of editors.values()) made.lock(true);
  const take = button("Work here instead", () => {
    void hold(key, lock, true).then(async () => {
      await restore();
      writable = true;
      warn("another tab", "");
      draw();
    });
  });
  warn("another tab", "This day is open in another tab, so this one only shows it. Nothing that you type there is overwritten.", take);
}

/** Take what is kept, and say so if the day was released anew since. */
async function restore(): Promise<void> {
  const found = (await store.read()) ?? work;
  work = renewed(found, untouched);
  if (JSON.stringify(work.cells) === JSON.stringify(found.cells)) return;
  markEdited();
  warn("new cells", "This day has changed since you worked on it. Your own text stays, and new cells were added. “Reset” replaces the text of a cell by the new one.");
}

async function begin(): Promise<void> {
  try {
    await store.open();
    await restore();
  } catch {
    warn("storage", UNKEPT);
  }
  draw();
  python.start(); // after the first cells, for it takes a core and more
  if (!(await hold(key, lock))) return lock();
  if (notices.has("new cells")) keep();
  remind();
}

find("#all").addEventListener("click", () => void check(null, find("#results")));
find("#run").addEventListener("click", () => void runAll());
stop.addEventListener("click", () => python.stop());
find("#save").addEventListener("click", save);
undo.addEventListener("click", () => makeChange(work.undo.pop() ?? [], work.redo));
redo.addEventListener("click", () => makeChange(work.redo.pop() ?? [], work.undo));
find("#reset").addEventListener("click", () => replace(untouched));

const more = find("#more"); // a narrow page shows these buttons when it is pressed
const openMenu = (isOpen: boolean): void => more.setAttribute("aria-expanded", String(isOpen));
more.addEventListener("click", () => openMenu(more.getAttribute("aria-expanded") === "false"));
document.addEventListener("click", ({ target }) => {
  if (target !== more) openMenu(false);
});
find("header").addEventListener("keydown", ({ key }) => {
  if (key !== "Escape" || more.getAttribute("aria-expanded") === "false") return;
  openMenu(false);
  more.focus();
});

const TALLEST = 5000; // pixels of a frame
window.addEventListener("message", ({ source, data }: MessageEvent<{ height?: unknown } | null>) => {
  const height = Number(data?.height);
  const frame = [...document.querySelectorAll("iframe")].find((one) => one.contentWindow === source);
  if (frame !== undefined && height < TALLEST) frame.style.height = height > 0 ? `${height}px` : "";
});

const chooser = find<HTMLInputElement>("#file");
find("#open").addEventListener("click", () => chooser.click());
chooser.addEventListener("change", () => {
  const [file] = chooser.files ?? [];
  if (file !== undefined) void open(file);
  chooser.value = "";
});
window.addEventListener("keydown", (event) => {
  if (event.key.toLowerCase() !== "s" || event.altKey || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault(); // of the browser, which would save the page without the work
  if (!notices.has("storage") && writable) say("Your work is kept in this browser at each keystroke. “Save notebook” makes a file.");
});
window.addEventListener("beforeunload", (event) => {
  if (notices.has("storage")) event.preventDefault();
});
void begin();
