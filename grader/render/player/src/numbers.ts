/** Numbers of a trace: comparing them and showing them. */

import { sameArrays } from "./arrays";
import type { Num } from "./types";

/** The number behind a value of a trace; NaN for a text that is no number. A gradient of None counts as 0. */
export function numeric(value: Num | null | undefined): number {
  if (value === "None") return 0;
  if (typeof value === "number") return value;
  if (value === "inf") return Infinity;
  if (value === "-inf") return -Infinity;
  return NaN;
}

/** A value as the page shows it: up to 6 significant digits, a text as it is, nothing for null. */
export function show(value: Num | null | undefined): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "string") return value;
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
  return String(Number(value.toPrecision(6)) + 0);
}

/** The shape in the text of an array, "(2, 3)" of "(2, 3) [[1, ...", or null for any other value. */
export function shapeOf(value: Num | null | undefined): string | null {
  return (typeof value === "string" && /^\([\d, ]+\)/.exec(value)?.[0]) || null;
}

/** Whether two values are the same number, but for rounding of at most `rounding` about 0, or the same text. None counts as 0. */
export function same(one: Num | null | undefined, other: Num | null | undefined, rounding = 1e-9): boolean {
  if (shapeOf(one) || shapeOf(other)) return sameArrays(one ?? 0, other ?? 0, rounding);
  if (one === "None" || other === "None") return numeric(one) === numeric(other);
  if (typeof one !== "number" || typeof other !== "number") return one === other;
  if (one === other || (Number.isNaN(one) && Number.isNaN(other))) return true;
  return Math.abs(one - other) <= Math.max(rounding, 1e-9 * Math.max(Math.abs(one), Math.abs(other)));
}
