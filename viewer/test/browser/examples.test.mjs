// Pages that the program itself made of its examples. TRAMMEL names the program; without it there is nothing to do.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import test, { after, before } from "node:test";
import { fileURLToPath } from "node:url";
import { openBrowser, outputFolder } from "./browser.mjs";

const program = process.env.TRAMMEL;
const models = join(dirname(fileURLToPath(import.meta.url)), "../../../examples/models");
const options = { skip: program ? false : "TRAMMEL is not set" };

let browser, work;
before(async () => {
  if (!program) return;
  browser = await openBrowser();
  work = mkdtempSync(join(tmpdir(), "trammel-viewer-"));
});
after(async () => {
  await browser?.close();
  if (work) rmSync(work, { recursive: true });
});

/** Runs a model and opens its page; what the page complains about is collected. */
async function open(model, folder, extra = []) {
  const out = join(work, folder);
  execFileSync(program, ["run", model, "--out", out, "--quiet", "--no-hdf5", ...extra], { cwd: work });
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  page.complaints = [];
  page.on("console", (message) => {
    if (message.type() === "error") page.complaints.push(message.text());
  });
  page.on("pageerror", (error) => page.complaints.push(error.message));
  page.on("request", (request) => {
    if (!/^(file|data|blob):/.test(request.url())) page.complaints.push(`network: ${request.url()}`);
  });
  await page.goto(`file://${encodeURI(join(out, "index.html")).replace(/[?#]/g, encodeURIComponent)}`);
  await page.waitForFunction(() => window.trammelViewer?.status);
  return { page, out };
}

async function setTime(page, time) {
  await page.evaluate((t) => {
    window.trammelViewer.pause();
    window.trammelViewer.setTime(t);
  }, time);
  await page.waitForTimeout(150);
}

/** Columns of results.csv, by name. */
function columns(out) {
  const [head, ...rows] = readFileSync(join(out, "results.csv"), "utf8").trim().split("\n");
  const names = head.split(",");
  return Object.fromEntries(names.map((name, i) => [name, rows.map((row) => Number(row.split(",")[i]))]));
}

for (const [name, body] of [
  ["four-bar", "crank"],
  ["hmmwv", "chassis"],
  ["stewart-platform", "platform"],
  ["beam", "piece9"],
]) {
  test(`the page of ${name} moves, and its bodies are where the results say`, options, async () => {
    const { page, out } = await open(join(models, `${name}.yaml`), name);
    const results = columns(out);
    const times = results.t;
    const pictures = [];
    for (const part of [0.2, 0.6]) {
      const i = Math.round(part * (times.length - 1));
      await setTime(page, times[i]);
      pictures.push(await page.locator(".stage").screenshot());
      const place = await page.evaluate((b) => window.trammelViewer.position(b), body);
      for (const [k, axis] of ["x", "y", "z"].entries())
        assert.ok(Math.abs(place[k] - results[`${body}.position.${axis}`][i]) < 1e-5, `${axis} at ${times[i]}`);
    }
    assert.ok(!pictures[0].equals(pictures[1]), "the picture does not change");
    assert.deepEqual(page.complaints, []);
    mkdirSync(join(outputFolder, "screenshots"), { recursive: true });
    await page.screenshot({ path: join(outputFolder, "screenshots", `example-${name}.png`) });
    await page.close();
  });
}

test("a plot shows the values of the results under the cursor", options, async () => {
  const { page, out } = await open(join(models, "four-bar.yaml"), "values");
  const results = columns(out);
  const i = Math.round(0.37 * (results.t.length - 1));
  await setTime(page, results.t[i]);
  const shown = await page.evaluate(() => window.trammelViewer.values());
  const channel = shown.flatMap((plot) => plot.channels).find((each) => each.name === "A.angle");
  assert.ok(channel, JSON.stringify(shown));
  assert.ok(Math.abs(channel.value - results["A.angle"][i]) < 1e-5, `${channel.value}, ${results["A.angle"][i]}`);
  await page.close();
});

test("hostile names of files, titles and bodies execute nothing", options, async () => {
  const hostile = `"><img src=x onerror=window.hacked=1><script>window.hacked=1</script>'`;
  const folder = join(work, `a b "c" 'd' #e`);
  mkdirSync(folder);
  const model = join(folder, `m "x" & 'y'.yaml`);
  const quoted = JSON.stringify(hostile);
  writeFileSync(
    model,
    `trammel: 1
title: ${quoted}
bodies:
  rod: {rod: {from: [0, 0, 0], to: [1, 0, 0], mass: 1, radius: 1 cm}}
joints:
  A: {type: revolute, between: [ground, rod], at: [0, 0, 0], axis: [0, 1, 0]}
measures:
  height: {value: rod.position.z, unit: ${quoted}}
simulation: {end: 0.2}
`,
  );
  const { page } = await open(model, `out "q" <b>`);
  await setTime(page, 0.1);
  assert.equal(await page.evaluate(() => window.hacked), undefined);
  assert.ok((await page.title()).includes("<script>"), "the title is shown as it is");
  assert.deepEqual(page.complaints, []);
  await page.close();
});
