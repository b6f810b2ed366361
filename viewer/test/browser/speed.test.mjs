// Measures frames per second with large data. Reported, never asserted: it depends on the machine, and tests
// draw in software.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { fixtures } from "../../scripts/page.mjs";
import { openBrowser, outputFolder, pageFile } from "./browser.mjs";

const report = {};

for (const [name, what] of [
  ["four-bar", "4 bodies, 501 samples"],
  ["long-run", "100,000 samples, 4 channels in 3 plots"],
  ["chain", "500 bodies"],
]) {
  test(`speed of ${name}: ${what}`, async () => {
    const browser = await openBrowser();
    const page = await browser.newPage({ viewport: { width: 1280, height: 860 } });
    const make = (await fixtures())[name];
    const start = Date.now();
    await page.goto(`file://${pageFile(name, make())}`);
    await page.waitForFunction(() => window.trammelViewer?.frames > 0);
    const opened = Date.now() - start;
    const measure = (seconds) =>
      page.evaluate(async (duration) => {
        const begin = performance.now();
        const { frames, work } = window.trammelViewer;
        await new Promise((done) => setTimeout(done, duration * 1000));
        const drawn = window.trammelViewer.frames - frames;
        return {
          perSecond: (drawn * 1000) / (performance.now() - begin),
          work: (window.trammelViewer.work - work) / drawn,
        };
      }, seconds);
    await page.evaluate(() => window.trammelViewer.play());
    await page.waitForTimeout(1500); // shaders are compiled with the first frames
    const playing = await measure(4);
    await page.evaluate(() => window.trammelViewer.pause());
    report[name] = {
      what,
      openedMilliseconds: opened,
      framesPerSecond: Number(playing.perSecond.toFixed(1)),
      millisecondsOfPageWorkPerFrame: Number(playing.work.toFixed(2)),
    };
    console.log(
      `${name}: ${what}: ${playing.perSecond.toFixed(1)} frames/s while playing (drawn in software), ` +
        `${playing.work.toFixed(2)} ms of the page's own work a frame, opened in ${opened} ms`,
    );
    mkdirSync(outputFolder, { recursive: true });
    writeFileSync(join(outputFolder, "speed.json"), JSON.stringify(report, null, 2));
    await browser.close();
  });
}
