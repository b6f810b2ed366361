// Starts the browser for tests, and writes the pages they open.
import { chromium } from "playwright-core";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { pageOf } from "../../scripts/page.mjs";

export const outputFolder = join(dirname(fileURLToPath(import.meta.url)), "../output");

/**
 * Chromium with WebGL in software, so that tests need no graphics card; CHROMIUM names another executable.
 */
export async function openBrowser({ webgl = true } = {}) {
  const places = [
    process.env.CHROMIUM,
    "/usr/bin/chromium",
    "/usr/bin/chromium-browser",
    "/usr/bin/google-chrome",
  ];
  const executablePath = places.find((place) => place && existsSync(place));
  if (!executablePath) throw new Error("No Chromium found: install it or set CHROMIUM to its path.");
  const drawing = webgl
    ? ["--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
    : ["--disable-gpu", "--disable-3d-apis"];
  return chromium.launch({
    executablePath,
    args: [
      "--no-sandbox",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      "--no-first-run",
      ...drawing,
    ],
  });
}

export function pageFile(name, data) {
  const folder = join(outputFolder, "pages");
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${name}.html`);
  writeFileSync(file, pageOf(data));
  return file;
}
