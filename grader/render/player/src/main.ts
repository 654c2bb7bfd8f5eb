import { edgesOf, place } from "./layout";
const n = 300;
const nodes = Array.from({length: n}, (_, i) => ({name: "n"+i, op: i < 2 ? "" : "+", inputs: i < 2 ? [] : [{node: i-1, value: 0, local: 1}, {node: Math.max(0, i - 2 - (i*7)%5), value:0, local: 1}]}));
const edges = edgesOf(nodes);
for (let k=0;k<3;k++){
const t = performance.now();
const l = place(nodes, edges, nodes.map(() => ({width: 136, height: 64})), edges.map(() => ({width: 90, height: 30})), "LR");
console.log(performance.now() - t, l.width, l.height);}
