// A run that is still going, served over HTTP: the page follows its end, keeps the reader's choices, survives
// hiccups.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import test from "node:test";
import { pageOf } from "../../scripts/page.mjs";
import { liveFourBar } from "../fixtures/others.mjs";
import { openBrowser } from "./browser.mjs";

test("live: follows the end, keeps view and time, stops asking when the run has ended", async () => {
  let answers = 0;
  let seconds = 1;
  let running = true;
  let broken = false;
  const server = createServer((request, response) => {
    if (request.url !== "/data") {
      response.setHeader("content-type", "text/html; charset=utf-8");
      response.end(pageOf({ format: 1, live: "/data" }));
      return;
    }
    answers++;
    response.statusCode = broken ? 503 : 200;
    response.end(broken ? "" : JSON.stringify(liveFourBar(seconds, running)));
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const browser = await openBrowser();
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 860 } });
    const errors = [];
    page.on("pageerror", (error) => errors.push(error.message));
    await page.goto(`http://127.0.0.1:${server.address().port}/`);
    await page.waitForFunction(() => window.trammelViewer.status === "running");
    const time = () => page.evaluate(() => window.trammelViewer.time);
    assert.equal(await time(), 1, "a running page begins at the end");

    seconds = 2;
    await page.waitForFunction(() => window.trammelViewer.end === 2);
    assert.equal(await time(), 2, "and follows it");

    // the reader looks at something else: that stays
    await page.evaluate(() => {
      window.trammelViewer.setTime(0.5);
      window.trammelViewer.select("rocker");
    });
    await page.getByRole("button", { name: "Remove this plot" }).last().click();
    seconds = 3;
    await page.waitForFunction(() => window.trammelViewer.end === 3);
    assert.equal(await time(), 0.5);
    assert.equal(await page.evaluate(() => window.trammelViewer.selected), "rocker");
    assert.equal((await page.evaluate(() => window.trammelViewer.values())).length, 2);

    broken = true;
    await page.waitForFunction(() => document.querySelector(".status").textContent.includes("No connection"));
    broken = false;
    seconds = 4;
    running = false;
    await page.waitForFunction(
      () => window.trammelViewer.status === "finished" && window.trammelViewer.end === 4,
    );
    const last = answers;
    await page.waitForTimeout(1600);
    assert.equal(answers, last, "a finished run is not asked for again");
    assert.deepEqual(errors, []);
  } finally {
    await browser.close();
    server.close();
  }
});

test("live: waits for data, and follows a second run in the same place", async () => {
  let data = null;
  let unchanged = 0;
  const server = createServer((request, response) => {
    if (request.url !== "/data") {
      response.setHeader("content-type", "text/html; charset=utf-8");
      response.end(pageOf({ format: 1, live: "/data" }));
      return;
    }
    response.setHeader("content-type", "application/json");
    response.setHeader("cache-control", "no-store");
    if (!data) {
      response.statusCode = 503;
      response.end('{"message": "nothing yet"}');
      return;
    }
    const text = JSON.stringify(data);
    const tag = `"${text.length}-${data.status}"`;
    response.setHeader("etag", tag);
    if (request.headers["if-none-match"] === tag) {
      unchanged++;
      response.statusCode = 304;
      response.end();
    } else response.end(text);
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const browser = await openBrowser();
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 860 } });
    const errors = [];
    page.on("pageerror", (error) => errors.push(error.message));
    const refused = page.waitForResponse((response) => response.status() === 503);
    await page.goto(`http://127.0.0.1:${server.address().port}/`);
    await refused;
    const status = () => page.evaluate(() => document.querySelector(".status").textContent);
    assert.equal(await status(), "Waiting for the run");

    data = liveFourBar(3, false);
    await page.waitForFunction(() => window.trammelViewer.status === "finished");
    await page.waitForResponse((response) => response.status() === 304);
    assert.ok(unchanged > 0);
    assert.equal(await status(), "Finished");

    data = liveFourBar(1, true);
    await page.waitForFunction(
      () => window.trammelViewer.status === "running" && window.trammelViewer.end === 1,
    );
    data = liveFourBar(2, true);
    await page.waitForFunction(() => window.trammelViewer.end === 2);
    assert.deepEqual(errors, []);
  } finally {
    await browser.close();
    server.close();
  }
});

test("live: shows samples of a run in real time as they come", async () => {
  // a slider that moves 1 m/s, one sample each 10 ms; poses are channels, as the program writes them
  const names = ["x", "zero", "one"];
  const row = (time) => [time, 0, 1];
  const data = (count, status) => ({
    format: 1,
    status,
    title: "Slider",
    times: Array.from({ length: count }, (_, i) => i / 100),
    channels: names.map((name, k) => ({
      name,
      data: Array.from({ length: count }, (_, i) => row(i / 100)[k]),
    })),
    plots: [{ title: "Way", channels: ["x"] }],
    scene: {
      bodies: [
        { name: "ground" },
        {
          name: "slider",
          pose: ["x", "zero", "zero", "one", "zero", "zero", "zero"],
          shapes: [{ type: "box", size: [0.2, 0.2, 0.2] }],
        },
      ],
    },
  });
  let count = 50;
  let answers = 0;
  let looked = false; // until then the run goes on, however slow the browser is
  let ended = false;
  const server = createServer((request, response) => {
    if (request.url === "/data") {
      answers++;
      response.setHeader("etag", `"${count}-${ended}"`);
      if (!ended) response.setHeader("trammel-samples", "/samples/");
      response.end(JSON.stringify(data(count, ended ? "finished" : "running")));
    } else if (request.url.startsWith("/samples/")) {
      let sent = Math.round(100 * Number(request.url.slice(9))) + 1;
      response.setHeader("content-type", "text/event-stream");
      const timer = setInterval(() => {
        count += 3;
        const times = Array.from({ length: count - sent }, (_, i) => (sent + i) / 100);
        response.write(`event: samples\ndata: ${JSON.stringify({ times, values: times.flatMap(row) })}\n\n`);
        sent = count;
        if (count < 200 || !looked) return;
        clearInterval(timer);
        ended = true;
        response.end("event: end\ndata:\n\n");
      }, 30);
    } else {
      response.setHeader("content-type", "text/html; charset=utf-8");
      response.end(pageOf({ format: 1, live: "/data" }));
    }
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const browser = await openBrowser();
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 860 } });
    const errors = [];
    page.on("pageerror", (error) => errors.push(error.message));
    await page.goto(`http://127.0.0.1:${server.address().port}/`);
    await page.waitForFunction(() => window.trammelViewer?.end > 1);
    const seen = await page.evaluate(() => {
      const viewer = window.trammelViewer;
      return {
        status: viewer.status,
        time: viewer.time,
        end: viewer.end,
        value: viewer.values()[0].channels[0].value,
        place: viewer.position("slider")?.[0],
      };
    });
    looked = true;
    assert.equal(seen.status, "running");
    assert.equal(answers, 1, "samples came by themselves");
    assert.equal(seen.time, seen.end, "the page follows the end");
    assert.ok(Math.abs(seen.value - seen.time) < 1e-6, "plots have the new samples");
    assert.ok(Math.abs(seen.place - seen.time) < 1e-6, "bodies are where the new samples have them");
    // who looks at another time keeps it
    await page.evaluate(() => window.trammelViewer.setTime(0.2));
    await page.waitForFunction(() => window.trammelViewer.status === "finished");
    assert.equal(await page.evaluate(() => window.trammelViewer.time), 0.2);
    assert.ok(await page.evaluate(() => window.trammelViewer.end >= 1.99));
    assert.equal(answers, 2);
    assert.deepEqual(errors, []);
  } finally {
    await browser.close();
    server.close();
  }
});
