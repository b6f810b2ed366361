// Screenshots of fixture pages, to look at with one's own eyes: node scripts/screenshot.mjs [name ...]
//   with options: --dark, --phone, --time=1.5, --layer=labels (any number of times), --view=Iso, --select=crank
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { openBrowser, outputFolder, pageFile } from "../test/browser/browser.mjs";
import { fixtures } from "./page.mjs";

const options = process.argv.slice(2).filter((word) => word.startsWith("--"));
const value = (name) =>
  options.filter((word) => word.startsWith(`--${name}=`)).map((word) => word.slice(name.length + 3));
const wanted = process.argv.slice(2).filter((word) => !word.startsWith("--"));
const all = await fixtures();
const names = wanted.length > 0 ? wanted : Object.keys(all);
const phone = options.includes("--phone");
const dark = options.includes("--dark");
const folder = join(outputFolder, "screenshots");
mkdirSync(folder, { recursive: true });

const browser = await openBrowser();
for (const name of names) {
  const page = await browser.newPage({
    viewport: phone ? { width: 375, height: 812 } : { width: 1440, height: 900 },
    deviceScaleFactor: phone ? 2 : 1,
    colorScheme: dark ? "dark" : "light",
  });
  page.on("console", (message) => console.log(name, message.type(), message.text()));
  page.on("pageerror", (error) => console.log(name, "error", error.message));
  await page.goto(`file://${pageFile(name, all[name]())}`);
  await page.waitForTimeout(600);
  for (const time of value("time")) await page.evaluate((t) => window.trammelViewer.setTime(t), Number(time));
  for (const layer of value("layer"))
    await page.evaluate((l) => document.querySelector(`[data-layer=${l}]`)?.click(), layer);
  for (const body of value("select")) await page.evaluate((b) => window.trammelViewer.select(b), body);
  for (const view of value("view")) await page.getByRole("button", { name: `View: ${view}` }).click();
  await page.waitForTimeout(900);
  const file = join(folder, `${name}${dark ? "-dark" : ""}${phone ? "-phone" : ""}.png`);
  await page.screenshot({ path: file, fullPage: options.includes("--full") });
  console.log(file);
  await page.close();
}
await browser.close();
