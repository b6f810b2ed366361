// Ticks, numbers, axes, the clock, searching channels.
import assert from "node:assert/strict";
import test from "node:test";
import {
  autoRange,
  axisTicks,
  clampedRange,
  fractionOf,
  groupAxes,
  valueOf,
  zoomedRange,
} from "../output/modules/plot/axes.mjs";
import { searchChannels } from "../output/modules/plot/channel_dialog.mjs";
import { pause } from "../output/modules/live.mjs";
import { formatSpeed, formatTime, formatValue } from "../output/modules/numbers.mjs";
import { curveStyle, palettes, resolveColor } from "../output/modules/palette.mjs";
import { defaultSpeed, offeredSpeeds, Playback } from "../output/modules/playback.mjs";
import {
  linearTicks,
  logTicks,
  niceStep,
  paddedRange,
  powerOfTen,
  tickLabel,
} from "../output/modules/ticks.mjs";

const labels = (ticks) => ticks.map((tick) => tick.label);

test("linear ticks are round numbers inside the range", () => {
  assert.deepEqual(labels(linearTicks(0, 1, 5)), ["0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
  assert.deepEqual(labels(linearTicks(-3, 7, 5)), ["−2", "0", "2", "4", "6"]);
  assert.deepEqual(
    labels(linearTicks(0, 2e-7, 2)),
    ["0", "1·10⁻⁷", "2·10⁻⁷"].map((t) => t.replace("1·", "")),
  );
  assert.equal(niceStep(0, 5), 1);
  assert.equal(linearTicks(1e9, 1e9 + 1, 4).length > 2, true);
});

test("logarithmic ticks are powers of ten, with minor ones between", () => {
  const ticks = logTicks(2e-6, 0.5, 10);
  assert.deepEqual(labels(ticks).filter(Boolean), ["10⁻⁵", "10⁻⁴", "10⁻³", "10⁻²", "10⁻¹"]);
  assert.ok(ticks.some((tick) => tick.label === "" && Math.abs(tick.value - 2e-4) < 1e-12));
  assert.ok(labels(logTicks(1e-300, 1, 6)).filter(Boolean).length <= 8);
  assert.equal(powerOfTen(-12), "10⁻¹²");
  assert.equal(tickLabel(-0.25, 0.05), "−0.25");
});

test("ranges leave room, also around equal values", () => {
  const [low, high] = paddedRange(2, 4, false);
  assert.ok(low < 2 && low > 1.5 && high > 4 && high < 4.5);
  assert.deepEqual(paddedRange(0, 0, false), [-1, 1]);
  assert.ok(paddedRange(5, 5, false)[0] < 5);
  assert.ok(paddedRange(1e-3, 1e-3, true)[0] > 0);
});

test("numbers as people write them", () => {
  assert.equal(formatValue(Math.PI), "3.1416");
  assert.equal(formatValue(-0.001234567), "−0.0012346");
  assert.equal(formatValue(12345678), "1.2346·10⁷");
  assert.equal(formatValue(-1e-16, 2), "−1.0·10⁻¹⁶");
  assert.equal(formatValue(NaN), "–");
  assert.equal(formatValue(-Infinity), "−∞");
  assert.equal(formatTime(0.00123, 0.005), "0.001230");
  assert.equal(formatTime(-1, 10), "−1.00");
  assert.equal(formatTime(3599.5, 3600), "3599.50");
  assert.equal(formatSpeed(1), "1×");
  assert.equal(formatSpeed(0.0005), "0.0005×");
  assert.equal(formatSpeed(500), "500×");
});

const channel = (name, unit, log, times, data) => ({ name, unit, log, times, data });

test("one axis for each unit, left and right in turn", () => {
  const times = [0, 1, 2];
  const axes = groupAxes([
    channel("a", "m", false, times, [0, 1, 2]),
    channel("b", "N", false, times, [5, 5, 5]),
    channel("c", "m", false, times, [-1, 0, 0]),
    channel("d", "s", true, times, [0, 1e-3, 1e-2]),
  ]);
  assert.deepEqual(
    axes.map((axis) => [axis.unit, axis.side, axis.channels.length]),
    [
      ["m", "left", 2],
      ["N", "right", 1],
      ["s", "left", 1],
    ],
  );
  autoRange(axes[0], 0, 2);
  assert.ok(axes[0].low < -1 && axes[0].high > 2);
  autoRange(axes[2], 0, 2);
  assert.ok(axes[2].low > 0 && axes[2].low < 1e-3);
  assert.ok(Number.isNaN(fractionOf(axes[2], 0)));
  assert.ok(Math.abs(fractionOf(axes[2], valueOf(axes[2], 0.3)) - 0.3) < 1e-12);
  assert.ok(axisTicks(axes[2], 5).length > 1);
});

test("zooming keeps the time under the pointer and stays within the run", () => {
  const [begin, end] = zoomedRange([0, 10], [0, 10], 2, 2.5);
  assert.ok(Math.abs(end - begin - 5) < 1e-12 && Math.abs((2.5 - begin) / 5 - 0.25) < 1e-12);
  assert.equal(zoomedRange([2, 4], [0, 10], 0.1, 3), null);
  assert.deepEqual(clampedRange([-1, 2], [0, 10]), [0, 3]);
  let range = [0, 10];
  for (let i = 0; i < 200; i++) range = zoomedRange(range, [0, 10], 2, 5);
  assert.ok(range[1] > range[0]);
});

test("the default speed makes any run last some seconds", () => {
  assert.equal(defaultSpeed(10), 1);
  for (const duration of [1e-6, 0.005, 0.3, 2, 45, 3600, 1e7]) {
    const wall = duration / defaultSpeed(duration);
    assert.ok(wall > 4 && wall < 15, `${duration}: ${wall}`);
    assert.ok(offeredSpeeds(duration).includes(defaultSpeed(duration)));
  }
  assert.equal(defaultSpeed(0), 1);
  assert.ok(offeredSpeeds(10).includes(0.01) && offeredSpeeds(10).includes(10));
});

test("the clock plays, loops, stops at the end, and follows a growing run", () => {
  const clock = new Playback();
  let calls = 0;
  clock.onChange(() => calls++);
  clock.play();
  assert.equal(clock.playing, false, "nothing to play yet");
  clock.setRange(0, 2);
  clock.setTime(1.9);
  clock.play();
  clock.advance(0.2);
  assert.ok(Math.abs(clock.time - 0.1) < 1e-12);
  clock.setLoop(false);
  clock.setTime(1.95);
  clock.advance(0.2);
  assert.deepEqual([clock.time, clock.playing], [2, false]);
  clock.setRange(0, 3);
  assert.equal(clock.time, 3);
  clock.setTime(1);
  clock.setRange(0, 4);
  assert.equal(clock.time, 1);
  clock.play();
  clock.advance(60);
  assert.ok(clock.time <= 1.3, "a hidden tab does not make it jump");
  clock.setTime(NaN);
  assert.ok(Number.isFinite(clock.time) && calls > 5);
});

test("searching channels: all words, any text", () => {
  const channels = [
    { name: "crank.position.x", group: "positions", unit: "m", description: "" },
    { name: "crank.velocity.x", group: "velocities", unit: "m/s", description: "of the centre of mass" },
  ];
  assert.equal(searchChannels(channels, "crank").length, 2);
  assert.deepEqual(
    searchChannels(channels, "CENTRE x").map((c) => c.name),
    ["crank.velocity.x"],
  );
  assert.equal(searchChannels(channels, "crank (").length, 0);
});

test("retries of a live page wait longer and longer, but not for ever", () => {
  assert.equal(pause(0), 1000);
  assert.ok(pause(3) > pause(2));
  assert.equal(pause(50), 10000);
});

/** Contrast as the WCAG define it. */
function contrast(a, b) {
  const luminance = (color) => {
    const [r, g, blue] = [1, 3, 5].map((i) => {
      const v = parseInt(color.slice(i, i + 2), 16) / 255;
      return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * blue;
  };
  const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
}

test("text and curves stand out in both themes", () => {
  for (const palette of Object.values(palettes)) {
    assert.ok(contrast(palette.text, palette.background) >= 7);
    assert.ok(contrast(palette.faint, palette.background) >= 4.5);
    assert.ok(contrast(palette.event, palette.background) >= 4.5);
    for (const color of palette.curves) assert.ok(contrast(color, palette.background) >= 3, color);
  }
  const styles = Array.from({ length: 20 }, (_, i) => JSON.stringify(curveStyle(i, palettes.light)));
  assert.equal(new Set(styles).size, 20);
  assert.equal(resolveColor("#123456", palettes.light), "#123456");
  assert.match(resolveColor("constructor", palettes.light), /^#/);
});
