// Writes page.js. The same sources give the same bytes; .ci/player compares it with the committed file.
import { build } from "esbuild";
import { existsSync, readFileSync, writeFileSync } from "node:fs";

const here = (path) => new URL(path, import.meta.url).pathname;

const made = await build({
  absWorkingDir: here("."),
  entryPoints: ["src/main.ts"],
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2020",
  charset: "ascii",
  legalComments: "none",
  logLevel: "warning",
  metafile: true,
  write: false,
});

// Each license asks for its text in every copy; packages with the same text share it.
const parts = Object.values(made.metafile.outputs)[0].inputs;
const used = Object.keys(parts).filter((path) => parts[path].bytesInOutput > 0);
const packages = [...new Set(used.map((path) => path.match(/node_modules\/((?:@[^/]+\/)?[^/]+)/)?.[1]).filter(Boolean))].sort();
const byText = new Map();
for (const name of packages) {
  const file = ["LICENSE", "LICENSE.md", "LICENSE.txt"].map((one) => here(`node_modules/${name}/${one}`)).find(existsSync);
  const text = file
    ? readFileSync(file, "utf8").trim()
    : `License: ${JSON.parse(readFileSync(here(`node_modules/${name}/package.json`), "utf8")).license}`;
  byText.set(text, [...(byText.get(text) ?? []), name]);
}
const licenses = [...byText].map(([text, names]) => `${names.join(", ")}:\n${text}`).join("\n\n").replaceAll("*/", "* /");

// Pages are printed through an escape that replaces control characters, and the script's hash must stay true. What is
// left of them and of other characters stands in texts and patterns, where an escape means the same.
const code = (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`;
const script = `/* ${licenses}\n*/\n${made.outputFiles[0].text}`;
writeFileSync(here("page.js"), script.replace(/[^\n\x20-\x7e]/g, code));
