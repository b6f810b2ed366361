// The page in a real browser: it moves, follows, zooms, obeys keys, and executes nothing that is data.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test, { after, before } from "node:test";
import { fixtures } from "../../scripts/page.mjs";
import { angles } from "../fixtures/four_bar.mjs";
import { openBrowser, pageFile } from "./browser.mjs";

const all = await fixtures();
let browser;
before(async () => {
  browser = await openBrowser();
});
after(async () => browser?.close());

/** Opens a fixture; every complaint of the page is collected. */
async function open(name, options = {}) {
  const { data, use = browser, ...context } = options;
  const page = await use.newPage({ viewport: { width: 1100, height: 760 }, ...context });
  page.complaints = [];
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") page.complaints.push(message.text());
  });
  page.on("pageerror", (error) => page.complaints.push(error.message));
  page.on("request", (request) => {
    if (!/^(file|data|blob):/.test(request.url()))
      page.complaints.push(`asked the network for ${request.url()}`);
  });
  await page.goto(`file://${pageFile(name, data ?? all[name]())}`);
  await page.waitForFunction(() => window.trammelViewer?.status);
  await settle(page);
  return page;
}

const settle = (page) =>
  page.evaluate(
    () =>
      new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 60)))),
  );
const picture = (page) => page.locator(".stage").screenshot();
const viewer = (page, read) => page.evaluate(read);
const setTime = async (page, time) => {
  await page.evaluate((t) => window.trammelViewer.setTime(t), time);
  await settle(page);
};

// drivers in software rendering warn about their own speed, which is not the page's fault
const serious = (page) =>
  page.complaints.filter((text) => !/GPU stall|GL Driver Message|swiftshader/i.test(text));

for (const name of [
  "four-bar",
  "four-bar-plain",
  "stewart",
  "stewart-shapes",
  "car",
  "quarter-car",
  "gallery",
  "car-plain",
  "single-sample",
  "incomplete",
  "failed",
  "without-scene",
]) {
  test(`${name}: opens without any complaint`, async () => {
    const page = await open(name);
    await page.keyboard.press("End");
    await settle(page);
    assert.deepEqual(serious(page), []);
    assert.equal(await viewer(page, () => window.trammelViewer.webgl), name !== "without-scene");
    await page.close();
  });
}

test("the animation moves, and the page sleeps when nothing changes", async () => {
  const page = await open("four-bar");
  const first = await picture(page);
  await setTime(page, 1);
  const second = await picture(page);
  assert.ok(!first.equals(second));
  await setTime(page, 0);
  assert.ok(first.equals(await picture(page)), "the same time gives the same picture");
  const frames = await viewer(page, () => window.trammelViewer.frames);
  await page.waitForTimeout(400);
  assert.equal(await viewer(page, () => window.trammelViewer.frames), frames);
  await page.close();
});

test("bodies are where closed-form kinematics says", async () => {
  const page = await open("four-bar");
  await setTime(page, 1.3);
  const [x, y] = await page.evaluate(() => window.trammelViewer.position("crank"));
  const { b } = angles(1.3);
  assert.ok(Math.hypot(x - b[0] / 2, y - b[1] / 2) < 1e-6);
  await page.close();
});

test("play and pause by key and by button; speed by key", async () => {
  const page = await open("four-bar");
  await page.keyboard.press("Space");
  await page.waitForFunction(() => window.trammelViewer.playing && window.trammelViewer.time > 0.05);
  await page.getByRole("button", { name: "Pause (Space)" }).click();
  assert.equal(await viewer(page, () => window.trammelViewer.playing), false);
  const speed = page.getByLabel("Playback speed");
  assert.equal(await speed.inputValue(), "1");
  await page.evaluate(() => document.activeElement.blur());
  await page.keyboard.press("-");
  assert.equal(await speed.inputValue(), "0.5");
  await page.keyboard.press("+");
  await page.keyboard.press("+");
  assert.equal(await speed.inputValue(), "2");
  await page.close();
});

test("values under the cursor are those of the closed form", async () => {
  const page = await open("four-bar");
  for (const t of [0, 2.5, 4.31]) {
    await setTime(page, t);
    const [plot] = await page.evaluate(() => window.trammelViewer.values());
    assert.deepEqual(
      plot.channels.map((c) => [c.name, c.unit]),
      [
        ["coupler.angle", "rad"],
        ["rocker.angle", "rad"],
      ],
    );
    assert.ok(Math.abs(plot.channels[0].value - angles(t).coupler) < 1e-3);
    assert.ok(Math.abs(plot.channels[1].value - angles(t).rocker) < 1e-3);
    const shown = await page.locator(".legend .value").first().textContent();
    assert.ok(Math.abs(Number(shown.replace("−", "-")) - angles(t).coupler) < 2e-3);
  }
  await page.close();
});

test("a click in a plot sets the time; the cursor is drawn there; hover shows values", async () => {
  const page = await open("four-bar");
  const area = page.locator(".plot-area").first();
  const before = await area.screenshot();
  const box = await area.boundingBox();
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
  const time = await viewer(page, () => window.trammelViewer.time);
  assert.ok(time > 4 && time < 6, String(time));
  await settle(page);
  const tip = await page.locator(".tip:visible").first().textContent();
  assert.match(tip, /s.*rad.*rad/);
  await page.mouse.move(5, 5);
  await settle(page);
  assert.ok(!before.equals(await area.screenshot()));
  await page.close();
});

test("plots zoom by dragging, wheel and keys, together, and a double click shows all", async () => {
  const page = await open("four-bar");
  const area = page.locator(".plot-area").first();
  const box = await area.boundingBox();
  const range = () => viewer(page, () => window.trammelViewer.range);
  await page.mouse.move(box.x + 0.4 * box.width, box.y + 80);
  await page.mouse.down();
  await page.mouse.move(box.x + 0.6 * box.width, box.y + 84, { steps: 4 });
  await page.mouse.up();
  const dragged = await range();
  assert.ok(dragged[0] > 2 && dragged[1] < 7 && dragged[1] - dragged[0] < 3, String(dragged));
  await page.mouse.wheel(0, -300);
  await settle(page);
  const wheeled = await range();
  await area.focus();
  await page.mouse.wheel(0, -300);
  await settle(page);
  const focused = await range();
  assert.ok(focused[1] - focused[0] < wheeled[1] - wheeled[0]);
  await area.dblclick();
  assert.deepEqual(await range(), [0, 10]);
  await area.focus();
  await page.keyboard.press("+");
  const keyed = await range();
  assert.ok(keyed[1] - keyed[0] < 10);
  await page.keyboard.press("0");
  assert.deepEqual(await range(), [0, 10]);
  await page.close();
});

test("the scrubber is a range input with names and works by keyboard", async () => {
  const page = await open("four-bar");
  const slider = page.getByRole("slider", { name: "Time" });
  await slider.focus();
  await page.keyboard.press("ArrowRight");
  assert.ok(Math.abs((await viewer(page, () => window.trammelViewer.time)) - 0.02) < 1e-9);
  await page.keyboard.press("Shift+ArrowRight");
  assert.ok(Math.abs((await viewer(page, () => window.trammelViewer.time)) - 0.22) < 1e-9);
  await page.keyboard.press("End");
  assert.equal(await viewer(page, () => window.trammelViewer.time), 10);
  assert.match(await slider.getAttribute("aria-valuetext"), /10\.00 s of 10\.00 s/);
  await page.keyboard.press("Home");
  assert.equal(await viewer(page, () => window.trammelViewer.time), 0);
  const outline = await slider.evaluate((node) => getComputedStyle(node).outlineStyle);
  assert.equal(outline, "solid", "the focus is visible");
  await page.close();
});

test("channels are searched, chosen, and saved as CSV", async () => {
  const page = await open("four-bar");
  await page.getByRole("button", { name: "Add a plot" }).click();
  await page.getByLabel("Search channels").fill("crank angle");
  await page.locator(".channel-list .check").first().click();
  await page.getByRole("button", { name: "Close" }).first().click();
  const values = await page.evaluate(() => window.trammelViewer.values());
  assert.deepEqual(
    values[3].channels.map((c) => c.name),
    ["crank.angle"],
  );
  const waiting = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download these channels as CSV" }).last().click();
  const saved = readFileSync(await (await waiting).path(), "utf8")
    .trim()
    .split("\r\n");
  assert.equal(saved[0], "time [s],crank.angle [rad]");
  assert.equal(saved.length, 502);
  const [t, angle] = saved[101].split(",").map(Number);
  assert.ok(Math.abs(angle - (Math.PI / 2 + 3 * t)) < 1e-12);
  await page.close();
});

test("a body selected in the graph is selected in the picture, and the other way round", async () => {
  const page = await open("four-bar");
  const before = await picture(page);
  await page.getByRole("button", { name: "coupler", exact: true }).click();
  await page.mouse.move(2, 2);
  await settle(page);
  assert.equal(await viewer(page, () => window.trammelViewer.selected), "coupler");
  assert.ok(!before.equals(await picture(page)));
  await page.keyboard.press("Escape");
  assert.equal(await viewer(page, () => window.trammelViewer.selected), null);
  // the crank stands upright over the left pivot: look for it along a line
  const box = await page.locator(".stage").boundingBox();
  for (
    let x = 0.2;
    x < 0.8 && (await viewer(page, () => window.trammelViewer.selected)) === null;
    x += 0.008
  ) {
    await page.mouse.click(box.x + x * box.width, box.y + 0.62 * box.height);
  }
  assert.ok(["crank", "rocker", "coupler"].includes(await viewer(page, () => window.trammelViewer.selected)));
  assert.equal(await page.locator(".node.selected").count(), 1);
  await page.close();
});

test("views, layers and projection change the picture; dragging turns it; F brings it back", async () => {
  const page = await open("stewart");
  const pictures = [await picture(page)];
  const look = async (action) => {
    await action();
    await page.waitForTimeout(500);
    await settle(page);
    const next = await picture(page);
    assert.ok(
      pictures.every((earlier) => !earlier.equals(next)),
      `picture ${pictures.length} is new`,
    );
    pictures.push(next);
  };
  for (const view of ["Front", "Side", "Top", "Iso"]) {
    if (view !== "Iso") await look(() => page.getByRole("button", { name: `View: ${view}` }).click());
  }
  await look(() => page.getByRole("button", { name: "Perspective" }).click());
  await page.getByText("Show", { exact: true }).click();
  for (const layer of ["labels", "frames"]) await look(() => page.locator(`[data-layer=${layer}]`).check());
  const box = await page.locator(".stage").boundingBox();
  await page.mouse.move(box.x + 200, box.y + 200);
  await page.mouse.down();
  await look(() => page.mouse.move(box.x + 280, box.y + 250, { steps: 3 }));
  await page.mouse.up();
  await look(() => page.mouse.wheel(0, -400));
  await look(() => page.keyboard.press("f"));
  assert.deepEqual(serious(page), []);
  await page.close();
});

test("reaction forces can be shown", async () => {
  const page = await open("four-bar");
  const before = await picture(page);
  await page.getByText("Show", { exact: true }).click();
  await page.locator("[data-layer=arrows]").check();
  await page.keyboard.press("Escape");
  await settle(page);
  assert.ok(!before.equals(await picture(page)));
  await page.close();
});

test("names are text, never markup", async () => {
  const page = await open("hostile");
  await page.getByRole("button", { name: "Choose channels" }).first().click();
  await page.locator(".group summary").first().click();
  await page.getByRole("button", { name: "Close" }).first().click();
  await page.getByText("Show", { exact: true }).click();
  await page.locator("[data-layer=labels]").check();
  await setTime(page, 3);
  assert.equal(await page.evaluate(() => window.hacked), undefined);
  assert.equal(await page.locator("body img, body iframe, h1 *").count(), 0);
  assert.equal(
    await page.evaluate(() => document.scripts.length),
    0,
    "no script element is left in the body, and none was added",
  );
  assert.match(await page.locator("h1").textContent(), /^"><script>window\.hacked=1<\/script>/);
  assert.ok(
    await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth),
    "long names do not widen the page",
  );
  assert.deepEqual(serious(page), []);
  await page.close();
});

test("a failed run says why", async () => {
  const page = await open("failed");
  assert.match(
    await page.getByRole("alert").textContent(),
    /The run failed\. The Newton iteration did not converge/,
  );
  assert.equal(await page.locator(".status").textContent(), "Failed");
  await page.close();
});

for (const name of ["four-bar", "car", "hostile", "chain"]) {
  test(`${name}: fits a phone without sideways scrolling`, async () => {
    const page = await open(name, { viewport: { width: 375, height: 812 }, hasTouch: true, isMobile: true });
    const wide = await page.evaluate(() => [document.documentElement.scrollWidth, window.innerWidth]);
    assert.ok(wide[0] <= 375 && wide[1] === 375, String(wide));
    const outside = await page.evaluate(
      () =>
        [...document.querySelectorAll("button, select, input")].filter((node) => {
          const box = node.getBoundingClientRect();
          return box.width > 0 && !node.closest("dialog") && (box.left < -1 || box.right > 376);
        }).length,
    );
    assert.equal(outside, 0, "every control can be reached");
    await page.close();
  });
}

test("dark as the system prefers, and by key and button", async () => {
  const page = await open("four-bar", { colorScheme: "dark" });
  const color = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  assert.equal(await viewer(page, () => window.trammelViewer.theme), "dark");
  const dark = await color();
  await page.keyboard.press("t");
  assert.equal(await viewer(page, () => window.trammelViewer.theme), "light");
  assert.notEqual(await color(), dark);
  await page.getByRole("button", { name: "Light or dark (T)" }).click();
  assert.equal(await color(), dark);
  await page.close();
});

test("help opens by key and closes by Escape; keys rest meanwhile", async () => {
  const page = await open("four-bar");
  await page.keyboard.press("?");
  assert.equal(await page.getByRole("dialog", { name: "Keys and gestures" }).isVisible(), true);
  await page.keyboard.press("End");
  assert.equal(await viewer(page, () => window.trammelViewer.time), 0);
  await page.keyboard.press("Escape");
  assert.equal(await page.getByRole("dialog").count(), 0);
  await page.close();
});

test("without WebGL the page says so and still shows plots", async () => {
  const plain = await openBrowser({ webgl: false });
  const page = await open("four-bar", { use: plain });
  assert.equal(await viewer(page, () => window.trammelViewer.webgl), false);
  assert.match(await page.locator(".no-picture").textContent(), /no WebGL/);
  await setTime(page, 2.5);
  const [plot] = await page.evaluate(() => window.trammelViewer.values());
  assert.ok(Math.abs(plot.channels[0].value - angles(2.5).coupler) < 1e-3);
  await plain.close();
});

test("data of another format, or none, is refused in words", async () => {
  const page = await browser.newPage();
  await page.goto(`file://${pageFile("wrong-format", { format: 7 })}`);
  assert.match(await page.getByRole("alert").last().textContent(), /format 7/);
  await page.goto(`file://${pageFile("no-data", null)}`);
  assert.match(await page.getByRole("alert").last().textContent(), /holds no data/);
  await page.close();
});
