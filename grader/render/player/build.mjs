// Writes the scripts and styles of the player and of a site's pages beside their sources. The same sources give the same
// bytes; .ci/player compares them with the committed files.
import { build } from "esbuild";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";

const here = (path) => new URL(path, import.meta.url).pathname;
const rooms = here("../..");
const player = `${rooms}/render/player`;
const site = `${rooms}/site/page`;
const licenseOf = (name) => readFileSync(here(`node_modules/${name}/LICENSE`), "utf8").trim();

const shared = {
  absWorkingDir: rooms,
  nodePaths: [here("node_modules")], // the sources lie in folders without packages
  bundle: true,
  minify: true,
  charset: "ascii",
  legalComments: "none",
  logLevel: "warning",
};

// --- The player. Reports are opened in older browsers, too.

// The license asks for its text in every copy; it covers dagre and graphlib.
const layout = `/* @dagrejs/dagre and @dagrejs/graphlib:\n${licenseOf("@dagrejs/dagre")}\n*/`;
const older = { ...shared, target: "es2020", tsconfigRaw: { compilerOptions: { strict: true, useDefineForClassFields: false } } };
const ofPlayer = await build({
  ...older,
  entryPoints: [`${player}/src/main.ts`],
  format: "iife",
  write: false,
  banner: { js: layout },
});
// Pages are printed through an escape that replaces control characters, and the script's hash must stay true. What is
// left of them and of other characters stands in texts and patterns, where an escape means the same.
const code = (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`;
writeFileSync(`${player}/player.js`, ofPlayer.outputFiles[0].text.replace(/[^\n\x20-\x7e]/g, code));
await build({ ...older, entryPoints: [`${player}/src/style.css`], outfile: `${player}/player.css` });

// --- The site

// The editor's license asks for its text in every copy.
const folders = ["@codemirror", "@lezer"].flatMap((scope) =>
  readdirSync(here(`node_modules/${scope}`)).map((name) => `${scope}/${name}`),
);
const texts = new Map();
for (const name of [...folders, "crelt", "style-mod", "w3c-keyname", "@marijn/find-cluster-break"].sort()) {
  texts.set(licenseOf(name), [...(texts.get(licenseOf(name)) ?? []), name]);
}
const licenses = [...texts].map(([text, names]) => `${names.join(", ")}:\n${text}`).join("\n\n");

const page = (name, options) =>
  build({ ...shared, target: "es2022", tsconfig: here("tsconfig.json"), entryPoints: [`${site}/src/${name}`], outdir: site, ...options });
await page("day.ts", { format: "iife", banner: { js: `/* ${licenses}\n*/` } });
await page("play.ts", { format: "iife", banner: { js: layout } });
await page("start.ts", { format: "iife" });
await page("worker.ts", { format: "esm" });
await page("offline.ts", { format: "iife" });
await page("page.css", {});
