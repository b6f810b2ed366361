// Builds dist/viewer.js (one minified script) and dist/viewer.css, both meant to stand inside one HTML page.
import { build } from "esbuild";
import { mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
mkdirSync(join(root, "dist"), { recursive: true });

// The MIT licence asks that its text goes with every copy; three's own sources carry the short notice only.
const licence = readFileSync(join(root, "node_modules/three/LICENSE"), "utf8").replace(/©/g, "(c)").trim();
const notice = `/*! Contains three.js (https://threejs.org):\n\n${licence}\n*/`;

const options = {
  minify: true,
  target: ["es2020", "chrome90", "firefox90", "safari15"],
  charset: "ascii",
  logLevel: "warning",
};
await build({
  ...options,
  entryPoints: [join(root, "src/main.ts")],
  outfile: join(root, "dist/viewer.js"),
  bundle: true,
  format: "iife",
  legalComments: "eof",
  footer: { js: notice },
});
await build({
  ...options,
  entryPoints: [join(root, "src/viewer.css")],
  outfile: join(root, "dist/viewer.css"),
  bundle: true,
});

// Inside <script> and <style> these sequences would end the element or change how it is read.
const script = readFileSync(join(root, "dist/viewer.js"), "utf8");
const style = readFileSync(join(root, "dist/viewer.css"), "utf8");
if (/<\/script|<!--/i.test(script))
  throw new Error("dist/viewer.js holds </script or <!-- and cannot stand in a page");
if (/<\/style/i.test(style)) throw new Error("dist/viewer.css holds </style and cannot stand in a page");
for (const [name, text] of [
  ["viewer.js", script],
  ["viewer.css", style],
]) {
  console.log(`dist/${name}  ${(text.length / 1024).toFixed(0)} KiB`);
}
