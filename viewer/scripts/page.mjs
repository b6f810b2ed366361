// Assembles pages from data and dist/, as the program does: for tests and for development.
//   node scripts/page.mjs                    all fixtures into test/output/pages/
//   node scripts/page.mjs data.json out.html one page
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");

/** The page as text. Every < in the data is escaped, so that nothing in it can end the element. */
export function pageOf(data) {
  const script = readFileSync(join(root, "dist/viewer.js"), "utf8");
  const style = readFileSync(join(root, "dist/viewer.css"), "utf8");
  const json = JSON.stringify(data).replace(/</g, "\\u003c");
  return [
    "<!DOCTYPE html>",
    '<html lang="en"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    "<title>Trammel</title>",
    '<link rel="icon" href="data:,">',
    `<style>${style}</style></head><body>`,
    "<noscript>This page needs JavaScript to show the run.</noscript>",
    `<script type="application/json" id="trammel-data">${json}</script>`,
    `<script>${script}</script>`,
    "</body></html>",
    "",
  ].join("\n");
}

/** Name and data of every fixture. */
export async function fixtures() {
  const { fourBar } = await import("../test/fixtures/four_bar.mjs");
  const { stewart } = await import("../test/fixtures/stewart.mjs");
  const { car, quarterCar } = await import("../test/fixtures/car.mjs");
  const { chain } = await import("../test/fixtures/chain.mjs");
  const others = await import("../test/fixtures/others.mjs");
  return {
    "four-bar": () => fourBar(),
    "four-bar-plain": () => fourBar({ shapes: false }),
    stewart: () => stewart(),
    "stewart-shapes": () => stewart({ shapes: true }),
    car: () => car(),
    "car-plain": () => car({ wheels: false }),
    "quarter-car": () => quarterCar(),
    chain: () => chain(),
    "long-run": () => others.longRun(),
    failed: () => others.failedRun(),
    hostile: () => others.hostile(),
    gallery: () => others.gallery(),
    "single-sample": () => others.singleSample(),
    incomplete: () => others.incomplete(),
    "without-scene": () => others.withoutScene(),
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [dataFile, outFile] = process.argv.slice(2);
  if (dataFile) {
    writeFileSync(outFile ?? "page.html", pageOf(JSON.parse(readFileSync(dataFile, "utf8"))));
  } else {
    const folder = join(root, "test/output/pages");
    mkdirSync(folder, { recursive: true });
    for (const [name, make] of Object.entries(await fixtures()))
      writeFileSync(join(folder, `${name}.html`), pageOf(make()));
    console.log("test/output/pages/");
  }
}
