// Decoding, the run, interpolation, decimation, CSV.
import assert from "node:assert/strict";
import test from "node:test";
import { csvField, csvText } from "../output/modules/csv.mjs";
import { decimate, extent, visibleRange } from "../output/modules/decimate.mjs";
import { decodeArray, encodeArray } from "../output/modules/decode.mjs";
import { indexAt, placeAt, slerp, valueAt } from "../output/modules/interpolate.mjs";
import { readRun } from "../output/modules/run.mjs";
import { fourBar } from "../fixtures/four_bar.mjs";
import { pack } from "../fixtures/pack.mjs";

test("packed arrays come back as they were", () => {
  const values = [0, -1.5, Math.PI, 1e300, NaN, Infinity];
  assert.deepEqual([...decodeArray(encodeArray(values, 8))], values);
  assert.deepEqual([...decodeArray(pack(values, 8))], values);
  assert.deepEqual([...decodeArray(pack([0.1, -2], 4))], [Math.fround(0.1), -2]);
  assert.deepEqual([...decodeArray([1, null, "x", 3])], [1, NaN, NaN, 3]);
  assert.equal(decodeArray(undefined).length, 0);
  assert.equal(decodeArray(encodeArray(new Float64Array(30000), 8)).length, 30000);
});

test("the sample before a time", () => {
  const times = [0, 1, 1, 2, 4];
  assert.equal(indexAt(times, -3), 0);
  assert.equal(indexAt(times, 0.5), 0);
  assert.equal(indexAt(times, 1), 2);
  assert.equal(indexAt(times, 3.9), 3);
  assert.equal(indexAt(times, 9), 4);
  assert.equal(indexAt([], 1), -1);
  assert.equal(indexAt(times, NaN), 0);
  assert.deepEqual(placeAt(times, 3), { index: 3, fraction: 0.5 });
});

test("linear interpolation, also where data is short or missing", () => {
  assert.equal(valueAt([0, 2], [10, 20], 0.5), 12.5);
  assert.equal(valueAt([0, 2], [10, 20], 7), 20);
  assert.equal(valueAt([0, 1, 2], [5], 0), 5);
  assert.ok(Number.isNaN(valueAt([0, 1, 2], [5], 2)));
  assert.ok(Number.isNaN(valueAt([], [], 0)));
});

test("rotations are interpolated at constant speed, the short way", () => {
  const half = (angle) => [Math.cos(angle / 2), 0, 0, Math.sin(angle / 2)];
  for (const sign of [1, -1]) {
    const out = [0, 0, 0, 0];
    slerp(
      half(0),
      half(2).map((v) => sign * v),
      0.25,
      out,
    );
    half(0.5).forEach((v, k) => assert.ok(Math.abs(out[k] - v) < 1e-12));
  }
  const out = [0, 0, 0, 0, 9];
  slerp(half(1), half(1 + 1e-6), 0.5, out);
  assert.ok(Math.abs(Math.hypot(...out.slice(0, 4)) - 1) < 1e-15);
  assert.equal(out[4], 9);
});

test("decimation keeps every extreme and the order in time", () => {
  const count = 50000;
  const times = Float64Array.from({ length: count }, (_, i) => i / count);
  const values = Float64Array.from(
    times,
    (t, i) => Math.sin(40 * t) + (i === 31234 ? 9 : 0) - (i === 777 ? 7 : 0),
  );
  const curve = decimate(times, values, 0, 1, 400);
  assert.ok(curve.x.length <= 400 * 5 && curve.x.length >= 400);
  assert.ok(curve.y.includes(values[31234]) && curve.y.includes(values[777]));
  assert.ok(curve.x.every((x, i) => i === 0 || x >= curve.x[i - 1]));
  assert.equal(curve.x[0], times[0]);
  assert.equal(curve.x[curve.x.length - 1], times[count - 1]);
});

test("decimation leaves gaps where values are missing", () => {
  const times = Float64Array.from({ length: 10000 }, (_, i) => i);
  const values = Float64Array.from(times, (_, i) => (i >= 4000 && i < 6000 ? NaN : 1));
  const curve = decimate(times, values, 0, 9999, 100);
  assert.ok(curve.y.some((y) => Number.isNaN(y)));
  const kept = curve.x.filter((x, i) => Number.isFinite(curve.y[i]));
  assert.ok(!kept.some((x) => x > 4000 && x < 6000));
});

test("few samples are drawn as they are, with a neighbour at each side", () => {
  const times = [0, 1, 2, 3, 4, 5];
  assert.deepEqual(visibleRange(times, 1.5, 3.5), [1, 4]);
  assert.deepEqual(decimate(times, [0, 1, 4, 9, 16, 25], 1.5, 3.5, 100), {
    x: [1, 2, 3, 4],
    y: [1, 4, 9, 16],
  });
  assert.deepEqual(visibleRange([], 0, 1), [0, -1]);
});

test("extent ignores what is not finite, or not positive on a logarithmic axis", () => {
  const times = [0, 1, 2, 3];
  assert.deepEqual(extent(times, [NaN, -2, 5, Infinity], 0, 3), [-2, 5]);
  assert.deepEqual(extent(times, [0, -2, 5, 3], 0, 3, true), [3, 5]);
  assert.equal(extent(times, [NaN, NaN, NaN, NaN], 0, 3), null);
});

test("CSV quotes what needs it and disarms formulas", () => {
  assert.equal(csvField("plain"), "plain");
  assert.equal(csvField('a "b", c'), '"a ""b"", c"');
  assert.equal(csvField("=1+1"), '"\'=1+1"');
  const text = csvText([
    { name: "a", unit: "m", times: [0, 1], data: [1.5, NaN] },
    { name: "b", unit: "", times: [0, 0.5], data: [2, 3] },
  ]);
  assert.equal(text, "time [s],a [m],b\r\n0,1.5,2\r\n0.5,,3\r\n1,,\r\n");
});

test("CSV of float32 does not show digits that are not there", () => {
  const times = [0];
  assert.match(
    csvText([{ name: "a", unit: "", times, data: Float32Array.of(0.1) }]),
    /\r\n0,0\.100000001\r\n/,
  );
  assert.match(csvText([{ name: "a", unit: "", times, data: Float64Array.of(0.1) }]), /\r\n0,0\.1\r\n/);
});

test("a run is read with its defaults, channels by name, steps in a group", () => {
  const run = readRun(fourBar());
  assert.equal(run.times.length, 501);
  assert.equal(run.channel("step size").group, "integration steps");
  assert.equal(run.channel("step size").log, true);
  assert.ok(Math.abs(run.channel("coupler.angle").at(0) - Math.atan2(1, 2)) < 1e-12);
  assert.equal(run.channel("no such"), undefined);
  assert.deepEqual([run.begin, run.end], [0, 10]);
});

test("a run may have next to nothing in it", () => {
  const run = readRun({ format: 1 });
  assert.deepEqual([run.begin, run.end, run.scene, run.channels.length], [0, 0, null, 0]);
  assert.throws(() => readRun({ format: 2 }), /format 2/);
  const some = readRun({
    format: 1,
    times: [0, 1],
    channels: [{ name: "__proto__", data: [1, 2, 3] }],
    plots: [{ channels: ["gone"] }],
  });
  assert.equal(some.channel("__proto__").data.length, 2);
  assert.deepEqual(some.plots[0].channels, ["__proto__"]);
});
