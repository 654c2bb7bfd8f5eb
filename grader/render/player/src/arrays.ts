/** Arrays as texts, "(2, 3) [[1, 2, 3], [4, 5, 6]]", and forward and backward passes over them. */

import type { Num, Step, TraceNode } from "./types";

/** Entries in the order of rows; a number has no shape. */
export interface Arr {
  shape: number[];
  data: number[];
}

const MOST = 12; // entries that are shown
const DIGITS = 4;

/** The array of a text or a number; null for any other text, also for a large array that is shown by its sum. */
export function arrayOf(value: Num | null | undefined): Arr | null {
  if (typeof value === "number") return { shape: [], data: [value] };
  const match = typeof value === "string" && /^\(([\d, ]+)\) (\[.*\])$/.exec(value);
  if (!match) return null;
  const shape = match[1].split(",").filter((size) => size.trim()).map(Number);
  const words = match[2].replace(/[[\],]/g, " ").trim().split(/\s+/).filter(Boolean);
  const data = words.map((word) => (word.endsWith("inf") ? (word.startsWith("-") ? -Infinity : Infinity) : Number(word)));
  return data.length === count(shape) ? { shape, data } : null;
}

/** The text of an array, or its number. */
export function textOf({ shape, data }: Arr): Num {
  if (!shape.length) return data[0];
  if (data.length > MOST) return `${shapeText(shape)} sum ${short(data.reduce((sum, one) => sum + one, 0))}`;
  return `${shapeText(shape)} ${JSON.stringify(nested({ shape, data }).map(rounded)).replaceAll(",", ", ").replaceAll('"', "")}`;
}

type Nested = (number | Nested)[];

/** The entries as nested lists. */
export function nested({ shape, data }: Arr): Nested {
  if (shape.length < 2) return data;
  const size = data.length / shape[0];
  return Array.from({ length: shape[0] }, (_, at) => nested({ shape: shape.slice(1), data: data.slice(at * size, (at + 1) * size) }));
}

function rounded(one: number | Nested): unknown {
  return typeof one === "number" ? (Number.isFinite(one) ? Number(short(one)) : short(one)) : one.map(rounded);
}

function short(value: number): string {
  return String(Number(value.toPrecision(DIGITS)) + 0).replace("Infinity", "inf").replace("NaN", "nan");
}

/** The text of an array that a reader writes as nested lists. Raises an Error with a sentence. */
export function readArray(text: string): Num {
  let lists: unknown;
  try {
    lists = JSON.parse(text);
  } catch {
    throw new Error("This is no list of numbers.");
  }
  const shapeOf = (one: unknown): number[] => {
    if (typeof one === "number") return [];
    if (!Array.isArray(one) || !one.length) throw new Error("This is no list of numbers.");
    const inner = one.map(shapeOf);
    if (inner.some((shape) => String(shape) !== String(inner[0]))) throw new Error("All rows need the same length.");
    return [one.length, ...inner[0]];
  };
  const shape = shapeOf(lists);
  const data = (Array.isArray(lists) ? lists.flat(Infinity) : [lists]) as number[];
  if (data.length > MOST || shape.length > 2) throw new Error(`Write at most ${MOST} numbers, in one row or in rows.`);
  return textOf({ shape, data });
}

export function shapeText(shape: number[]): string {
  return `(${shape.join(", ")}${shape.length === 1 ? "," : ""})`;
}

function count(shape: number[]): number {
  return shape.reduce((product, size) => product * size, 1);
}

// ---------------------------------------------------------------- operations

/** The shape to which two are stretched. Raises an Error with a sentence. */
function stretched(one: number[], other: number[]): number[] {
  const [a, b] = [one, other].map((shape) => [...Array<number>(Math.max(one.length, other.length) - shape.length).fill(1), ...shape]);
  return a.map((size, axis) => {
    if (size !== b[axis] && size !== 1 && b[axis] !== 1) throw new Error(`${shapeText(one)} and ${shapeText(other)} do not fit.`);
    return Math.max(size, b[axis]);
  });
}

/** Where each entry of a stretched array comes from. */
function sources(shape: number[], to: number[]): number[] {
  const own = [...Array<number>(to.length - shape.length).fill(1), ...shape];
  return Array.from({ length: count(to) }, (_, at) => {
    let [index, rest, step] = [0, at, 1];
    for (let axis = to.length - 1; axis >= 0; axis -= 1) {
      const place = rest % to[axis];
      rest = Math.floor(rest / to[axis]);
      if (own[axis] > 1) index += place * step;
      step *= own[axis];
    }
    return index;
  });
}

function each(x: Arr, y: Arr, make: (x: number, y: number) => number): Arr {
  const shape = stretched(x.shape, y.shape);
  const [from, other] = [sources(x.shape, shape), sources(y.shape, shape)];
  return { shape, data: from.map((index, at) => make(x.data[index], y.data[other[at]])) };
}

/** The sum over what stretching has repeated, in the shape of an input. */
function unbroadcast(grad: Arr, shape: number[]): Arr {
  const data = Array<number>(count(shape)).fill(0);
  sources(shape, grad.shape).forEach((index, at) => (data[index] += grad.data[at]));
  return { shape, data };
}

function product(x: Arr, y: Arr): Arr {
  const [[rows, inner], [again, columns]] = [x.shape, y.shape];
  if (x.shape.length !== 2 || y.shape.length !== 2 || inner !== again)
    throw new Error(`${shapeText(x.shape)} @ ${shapeText(y.shape)} do not fit: two matrices, and the inner two lengths are equal.`);
  const data = Array.from({ length: rows * columns }, (_, at) => {
    let sum = 0;
    for (let k = 0; k < inner; k += 1) sum += x.data[Math.floor(at / columns) * inner + k] * y.data[k * columns + (at % columns)];
    return sum;
  });
  return { shape: [rows, columns], data };
}

function turned({ shape: [rows, columns], data }: Arr): Arr {
  return { shape: [columns, rows], data: data.map((_, at) => data[(at % rows) * columns + Math.floor(at / rows)]) };
}

export const FUNCTIONS: Record<string, [(x: number) => number, (x: number, out: number) => number]> = {
  neg: [(x) => -x, () => -1],
  exp: [Math.exp, (_, out) => out],
  log: [Math.log, (x) => 1 / x],
  tanh: [Math.tanh, (_, out) => 1 - out * out],
  relu: [(x) => Math.max(0, x), (x) => (x > 0 ? 1 : 0)],
};

export const BINARY: Record<string, [(x: number, y: number) => number, (x: number, y: number) => number, (x: number, y: number) => number]> = {
  "+": [(x, y) => x + y, () => 1, () => 1],
  "-": [(x, y) => x - y, () => 1, () => -1],
  "*": [(x, y) => x * y, (_, y) => y, (x) => x],
  "/": [(x, y) => x / y, (_, y) => 1 / y, (x, y) => -x / (y * y)],
  "**": [(x, y) => x ** y, (x, y) => y * x ** (y - 1), (x, y) => x ** y * Math.log(x)],
};

const times = (x: number, y: number): number => x * y;

/** Whether a sum goes over this axis: "axis=0" names one, without an option it goes over all. */
function summedAxes(shape: number[], option: Num | undefined): boolean[] {
  if (option === undefined) return shape.map(() => true);
  const at = Number(String(option).split("=")[1]);
  if (!Number.isInteger(at) || at < -shape.length || at >= shape.length) throw new Error(`${shapeText(shape)} has no ${option}.`);
  return shape.map((_, axis) => axis === (at + shape.length) % shape.length);
}

/** The result of an operation, and what each input gets of an upstream gradient. Raises an Error with a sentence. */
function applied(op: string, given: Arr[], option: Num | undefined): { out: Arr; back: ((up: Arr) => Arr)[] } {
  const [x, y] = given;
  if (op === "sum" || op === "mean") {
    const gone = summedAxes(x.shape, option);
    const kept = x.shape.map((size, axis) => (gone[axis] ? 1 : size));
    const share = op === "mean" ? count(kept) / x.data.length : 1;
    const { data } = unbroadcast({ shape: x.shape, data: x.data.map((one) => one * share) }, kept);
    const out = { shape: x.shape.filter((_, axis) => !gone[axis]), data };
    return { out, back: [(up) => each({ shape: x.shape, data: x.data.map(() => share) }, { shape: kept, data: up.data }, times)] };
  }
  if (op === "@") return { out: product(x, y), back: [(up) => product(up, turned(y)), (up) => product(turned(x), up)] };
  if (op in BINARY) {
    const [make, ...slopes] = BINARY[op];
    const back = [x, y].map((one, at) => (up: Arr) => unbroadcast(each(up, each(x, y, slopes[at]), times), one.shape));
    return { out: each(x, y, make), back };
  }
  if (!(op in FUNCTIONS)) throw new Error(`${op} cannot be played with arrays.`);
  const [make, slope] = FUNCTIONS[op];
  const out = { shape: x.shape, data: x.data.map(make) };
  return { out, back: [(up) => ({ shape: x.shape, data: up.data.map((one, at) => one * slope(x.data[at], out.data[at])) })] };
}

/** The steps of a whole walk over arrays, leaves by their names. Raises an Error with a sentence. */
export function arrayWalk(nodes: TraceNode[], values: Record<string, Num>): Step[] {
  const data: Arr[] = [];
  const backs = nodes.map(({ name, op, inputs }) => {
    const isOption = (value: Num): boolean => typeof value === "string" && value.includes("=");
    const given = inputs.flatMap(({ node, value }) => (node === null && isOption(value) ? [] : [node === null ? arrayOf(value)! : data[node]]));
    const made = inputs.length ? applied(op, given, inputs.find(({ node, value }) => node === null && isOption(value))?.value) : null;
    data.push(made?.out ?? arrayOf(values[name]) ?? { shape: [], data: [NaN] });
    return made?.back ?? [];
  });
  const root = nodes.length - 1;
  const grads: (Arr | null)[] = nodes.map(() => null);
  grads[root] = { shape: data[root].shape, data: data[root].data.map(() => 1) };
  const steps: Step[] = data.map((value, node) => ({ kind: "forward", node, changes: [[node, textOf(value)]] }));
  steps.push({ kind: "seed", node: root, changes: [[root, textOf(grads[root])]] });
  for (let node = root; node >= 0; node -= 1) {
    const [up, { inputs }] = [grads[node], nodes[node]];
    if (!inputs.length || !up) continue;
    const changed = new Set<number>();
    inputs.forEach(({ node: from }, at) => {
      if (from === null) return;
      const amount = backs[node][at](up);
      const before = grads[from];
      grads[from] = before ? each(before, amount, (x, y) => x + y) : amount;
      changed.add(from);
    });
    steps.push({ kind: "call", node, changes: [...changed].map((from) => [from, textOf(grads[from]!)]) });
  }
  return steps;
}

/** What was added to a gradient; null where it cannot be known. */
export function difference(after: Num | null, before: Num | null): Num | null {
  const [x, y] = [arrayOf(after), arrayOf(before ?? 0)];
  try {
    return x && y ? textOf(each(x, y, (one, other) => one - other)) : null;
  } catch {
    return null;
  }
}

/** Whether two values are equal but for rounding; zeros of any shape are 0. */
export function sameArrays(one: Num, other: Num, rounding: number): boolean {
  const [x, y] = [arrayOf(one), arrayOf(other)];
  if (!x || !y) return one === other;
  if (!(x.shape.length && y.shape.length)) return [...x.data, ...y.data].every((entry) => entry === 0);
  const close = (entry: number, at: number): boolean => Math.abs(entry - y.data[at]) <= Math.max(rounding, 1e-3 * Math.max(1, Math.abs(entry))) || entry === y.data[at];
  return String(x.shape) === String(y.shape) && x.data.every(close);
}

/** An array as lines of text: its shape, and the rows of a small one. */
export function linesOf(value: Num): string[] {
  const array = arrayOf(value);
  const shape = /^\([\d, ]+\)/.exec(String(value))?.[0];
  if (!shape) return [];
  if (!array || array.shape.length > 2 || array.data.length > MOST || (array.shape.length === 2 && array.shape[0] > 4)) return [shape];
  const rows = array.shape.length === 2 ? (nested(array) as number[][]) : [array.data];
  return [shape, ...rows.map((row) => row.map(short).join(" "))];
}
