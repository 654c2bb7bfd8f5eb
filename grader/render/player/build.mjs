// Writes player.js and player.css. The same sources give the same bytes; .ci/player compares them with the committed files.
import { build } from "esbuild";
import { readFileSync, writeFileSync } from "node:fs";

const here = (path) => new URL(path, import.meta.url).pathname;
const license = readFileSync(here("node_modules/@dagrejs/dagre/LICENSE"), "utf8").trim();

const shared = {
  absWorkingDir: here("."),
  bundle: true,
  minify: true,
  target: "es2020",
  charset: "ascii",
  legalComments: "none",
  logLevel: "warning",
};

const script = await build({
  ...shared,
  entryPoints: ["src/main.ts"],
  format: "iife",
  write: false,
  // The license asks for its text in every copy; it covers dagre and graphlib.
  banner: { js: `/* @dagrejs/dagre and @dagrejs/graphlib:\n${license}\n*/` },
});
// Pages are printed through an escape that replaces control characters, and the script's hash must stay true. What is
// left of them and of other characters stands in texts and patterns, where an escape means the same.
const code = (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`;
writeFileSync(here("player.js"), script.outputFiles[0].text.replace(/[^\n\x20-\x7e]/g, code));

await build({ ...shared, entryPoints: ["src/style.css"], outfile: "player.css" });
