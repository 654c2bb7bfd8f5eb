// Writes the scripts and styles of the site's pages. The same sources give the same bytes; .ci/player compares them
// with the committed files.
import { build } from "esbuild";
import { readdirSync, readFileSync } from "node:fs";

const here = (path) => new URL(path, import.meta.url).pathname;
// The editor's license asks for its text in every copy.
const folders = ["@codemirror", "@lezer"].flatMap((scope) =>
  readdirSync(here(`node_modules/${scope}`)).map((name) => `${scope}/${name}`),
);
const packages = [...folders, "crelt", "style-mod", "w3c-keyname", "@marijn/find-cluster-break"].sort();
const texts = new Map();
for (const name of packages) {
  const text = readFileSync(here(`node_modules/${name}/LICENSE`), "utf8").trim();
  texts.set(text, [...(texts.get(text) ?? []), name]);
}
const licenses = [...texts].map(([text, names]) => `${names.join(", ")}:\n${text}`).join("\n\n");

const shared = {
  absWorkingDir: here("."),
  bundle: true,
  minify: true,
  target: "es2022",
  charset: "ascii",
  legalComments: "none",
  logLevel: "warning",
};
await build({
  ...shared,
  entryPoints: ["src/day.ts"],
  outfile: "day.js",
  format: "iife",
  banner: { js: `/* ${licenses}\n*/` },
});
await build({ ...shared, entryPoints: ["src/start.ts"], outfile: "start.js", format: "iife" });
await build({ ...shared, entryPoints: ["src/worker.ts"], outfile: "worker.js", format: "esm" });
await build({ ...shared, entryPoints: ["src/offline.ts"], outfile: "offline.js", format: "iife" });
await build({ ...shared, entryPoints: ["src/page.css"], outfile: "page.css" });
