"use strict";
// The page of a group and the list: keys, and what is sent. Everything of a student's is set as text.
const $ = (name) => document.getElementById(name);
const all = (names) => [...document.querySelectorAll(names)];
const data = $("data") ? JSON.parse($("data").textContent) : null;

const go = (group) => location.assign(group ? `?group=${encodeURIComponent(group)}` : ".");
const say = (text) => { $("said").textContent = text; };

async function send(path, body) {
  try {
    const answer = await fetch(path, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ group: data.group, ...body }),
    });
    const found = await answer.json();
    if (!found.error) return found;
    say(found.error);
  } catch {
    say("`grade mark` did not answer, so this may not be saved. Start it again, and open the address that it prints.");
  }
  return null;
}

async function sendAndGo(path, body) {
  const found = await send(path, body);
  if (found) go(found.group);
}

// The mark

const items = () => all("input[name=item]");

function count() {
  const sum = items().reduce((total, item) => total + (item.checked ? Number(item.value) : 0), data.start);
  $("points").value = String(Math.round(Math.min(data.most, Math.max(0, sum)) * 100) / 100);
}

function fill(mark) {
  items().forEach((item, place) => { item.checked = mark.items.includes(place); });
  $("points").value = mark.points;
  $("comment").value = mark.comment;
}

let saving = false;
async function save() {
  if (saving) return;
  if (!$("points").value.trim()) {
    say("Enter points first.");
    $("points").focus();
    return;
  }
  saving = true;
  const chosen = items().flatMap((item, place) => (item.checked ? [place] : []));
  await sendAndGo("mark", { seen: data.seen, points: $("points").value.trim(), items: chosen, comment: $("comment").value });
  saving = false;
}

function use(place) {
  const text = all(".used")[place]?.textContent;
  if (text && !$("comment").value.includes(text)) $("comment").value = `${$("comment").value} ${text}`.trim();
}

async function runAgain(button) {
  const shown = button.closest(".cell").querySelector(".again");
  shown.textContent = "running …";
  const found = await send("run", { cell: Number(button.value) });
  shown.textContent = found && !found.length ? "The cell has no output." : "";
  for (const output of found ?? []) {
    const figure = shown.appendChild(document.createElement("figure"));
    figure.appendChild(document.createElement("figcaption")).textContent = "run again in the jail";
    const made = figure.appendChild(document.createElement(output.picture ? "img" : "pre"));
    if (output.picture) {
      made.src = `data:image/png;base64,${output.picture}`;
      made.alt = "picture of the run";
    } else made.textContent = output.text || "Picture not shown.";
  }
}

// Keys

const KEYS = {
  f: () => points(data.most),
  s: () => data.before && fill(data.before),
  Enter: save,
  p: () => $("points").select(),
  c: () => $("comment").focus(),
  n: () => go(data.next),
  b: () => history.back(),
  r: () => all(".run")[0]?.click(),
  x: () => all(".leave")[0]?.click(),
  m: () => all(".join")[0]?.click(),
  l: () => go(""),
  "?": () => $("keys").showModal(),
};

function points(number) {
  items().forEach((item) => { item.checked = false; });
  $("points").value = String(number);
}

function digit(event, number) {
  if (event.shiftKey) use(number - 1);
  else if (number === 0) points(0);
  else if (items().length) items()[number - 1]?.click();
  else {
    $("points").value = String(number);
    $("points").focus();
  }
  event.preventDefault();
}

function pressed(event) {
  const written = event.target.closest("textarea, input:not([type=checkbox])");
  const field = written?.id === "points" && /^[a-z?]$/.test(event.key) ? null : written; // points have no letters
  if (event.isComposing || event.repeat || event.ctrlKey || event.metaKey || event.altKey || $("keys").open) return;
  if (field) {
    if (event.key === "Escape") field.blur();
    if (event.key !== "Enter" || event.shiftKey || field.closest("#ask")) return;
  } else if (event.key === "Enter" && event.target.closest("button, a, summary")) return;
  const code = /^(?:Digit|Numpad)(\d)$/.exec(event.code);
  if (code && !field) {
    digit(event, Number(code[1]));
    return;
  }
  const act = KEYS[event.key];
  if (!act) return;
  event.preventDefault();
  act();
}

const click = (names, act) => all(names).forEach((one) => one.addEventListener("click", () => act(one)));

if (data) {
  document.addEventListener("keydown", pressed);
  items().forEach((item) => item.addEventListener("change", count));
  $("mark").addEventListener("submit", (event) => { event.preventDefault(); save(); });
  click("#skip", () => go(data.next));
  click("#help", KEYS["?"]);
  click("#same", KEYS.s);
  click(".used", (one) => use(all(".used").indexOf(one)));
  click(".run", runAgain);
  click(".leave", (one) => sendAndGo("leave", { member: Number(one.value) }));
  click(".join", (one) => sendAndGo("join", { other: one.value }));
  click("#open", () => sendAndGo("request", {
    comment: $("request").value,
    until: $("until").value,
    member: Number($("member")?.value ?? 0),
  }));
} else {
  document.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.target.closest("a")) $("first")?.click();
  });
}
