// Writes player.js and player.css. The same sources give the same bytes; .ci/player compares them with the committed files.
import { build } from "esbuild";
import { readFileSync } from "node:fs";

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

await build({
  ...shared,
  entryPoints: ["src/main.ts"],
  outfile: "player.js",
  format: "iife",
  // The license asks for its text in every copy; it covers dagre and graphlib.
  banner: { js: `/* @dagrejs/dagre and @dagrejs/graphlib:\n${license}\n*/` },
});
await build({ ...shared, entryPoints: ["src/style.css"], outfile: "player.css" });
