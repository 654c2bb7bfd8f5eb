/** The graphs of the lesson. The course's table of graphs has the same expressions and numbers. */

import { readArray } from "./arrays";
import type { Num } from "./types";

/** `watch` is one sentence about what to look for. */
export interface Preset {
  id: string;
  name: string;
  text: string;
  leaves: Record<string, Num>;
  watch: string;
}

const NEURON = { x1: 2, x2: 0, w1: -3, w2: 1, b: 6.8813735870195432 };
const WEIGHTED = "x1·w1 = x1 * w1; x2·w2 = x2 * w2; sum = x1·w1 + x2·w2; n = sum + b";

export const PRESETS: Preset[] = [
  {
    id: "product",
    name: "product",
    text: "d = a * b; L = d + c",
    leaves: { a: 2, b: -3, c: 10 },
    watch: "Watch the two factors: each gets the other one as its local derivative.",
  },
  {
    id: "sum-times",
    name: "sum-times",
    text: "e = a + b; f = e * c",
    leaves: { a: 2, b: -3, c: 10 },
    watch: "Watch the sum: it copies its upstream gradient to both inputs.",
  },
  {
    id: "twice",
    name: "a·a",
    text: "L = a * a",
    leaves: { a: 3 },
    watch: "Watch a: two edges leave it, and their contributions accumulate.",
  },
  {
    id: "complex",
    name: "complex",
    text: "p = a * b; q = p + c; s = a + b; L = q * s",
    leaves: { a: 2, b: -3, c: 10 },
    watch: "Watch a and b: each is used twice, so each gets two contributions.",
  },
  {
    id: "neuron-tanh",
    name: "neuron (tanh)",
    text: `${WEIGHTED}; o = tanh(n)`,
    leaves: NEURON,
    watch: "Watch tanh: its local derivative is 1 - o · o, and everything before it is scaled by this.",
  },
  {
    id: "neuron-relu",
    name: "neuron (relu)",
    text: `${WEIGHTED}; o = relu(n)`,
    leaves: NEURON,
    watch: "Watch relu: n is positive, so the upstream gradient passes unchanged.",
  },
  {
    id: "relu-sum",
    name: "relu sum",
    text: "c = a * b; e = c + d; f = relu(e)",
    leaves: { a: 2, b: -3, d: 10 },
    watch: "Watch relu: e is positive here. Set d to 5 and it is not.",
  },
  {
    id: "dead-relu",
    name: "dead relu",
    text: "p = w * x; n = p + b; o = relu(n)",
    leaves: { w: -3, x: 2, b: 1 },
    watch: "Watch relu: n is negative, so every gradient behind it is 0.",
  },
  {
    id: "diamond",
    name: "diamond",
    text: "b = a + 1; c = a * 3; d = b * c",
    leaves: { a: 2 },
    watch: "Watch the order: b and c must be called after d, or their contributions to a are lost.",
  },
  {
    id: "reuse",
    name: "reuse",
    text: "b = 3 * a; c = a + b; d = b * c",
    leaves: { a: 2 },
    watch: "Watch b: both d and c use it, so b is called only after both.",
  },
];

const MATRIX = readArray("[[1, 2, 3], [4, 5, 6]]");

export const ARRAY_PRESETS: Preset[] = [
  {
    id: "row",
    name: "row plus matrix",
    text: "C = A + b; D = C * W; L = D.sum()",
    leaves: { A: MATRIX, b: readArray("[10, 20, 30]"), W: readArray("[[1, 0.5, -1], [2, 1, 0]]") },
    watch: "Watch b: it is one row for both rows of A, so each of its entries collects two gradients.",
  },
  {
    id: "matmul",
    name: "product",
    text: "C = A @ B; D = C * W; L = D.sum()",
    leaves: { A: MATRIX, B: readArray("[[1, -1], [0.5, 2], [-2, 0]]"), W: readArray("[[1, 2], [-1, 0.5]]") },
    watch: "Watch the shapes: only one product of C.grad with the other matrix, transposed, has the shape of A.",
  },
  {
    id: "sum",
    name: "sum",
    text: "s = x.sum(axis=1); d = s * w; L = d.sum()",
    leaves: { x: MATRIX, w: readArray("[3, -2]") },
    watch: "Watch x: each entry gets the gradient of the sum that it went into.",
  },
  {
    id: "column",
    name: "column times row",
    text: "C = p * q; L = C.sum()",
    leaves: { p: readArray("[[2], [-1]]"), q: readArray("[1, 2, 4]") },
    watch: "Watch p and q: both are stretched, and each collects along the axis on which it was repeated.",
  },
];
