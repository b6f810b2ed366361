// Arrows of forces, and poses that are given by the names of channels.
import assert from "node:assert/strict";
import test from "node:test";
import { arrowsOf } from "../output/modules/force_arrows.mjs";
import { Poses } from "../output/modules/poses.mjs";
import { readRun } from "../output/modules/run.mjs";

const names = ["x", "y", "z", "w", "a", "b", "c"].map((part) => `ball.${part}`);
const still = [0, 0];
const data = {
  format: 1,
  times: [0, 1],
  channels: [
    // the ball moves from (3, 0, 4) to (6, 0, 8)
    ...[[3, 6], still, [4, 8], [1, 1], still, still, still].map((values, k) => ({ name: names[k], data: values })),
    { name: "spring.force", data: [10, 20] },
    { name: "tyre.force", data: [5, 7] },
    ...["x", "y", "z"].map((axis, k) => ({ name: `A.${axis}`, data: [k, 10 * k] })),
  ],
  scene: {
    bodies: [{ name: "ground" }, { name: "ball", pose: names }],
    joints: [
      { name: "A", type: "spherical", bodies: [0, 1], points: [null, [0, 0, 0]], reaction: ["A.x", "A.y", "A.z"] },
      { name: "B", type: "spherical", bodies: [0, 1], points: [null, [0, 0, 0]], reaction: ["A.x", "A.y", "gone"] },
    ],
    forces: [
      { name: "spring", type: "spring", bodies: [0, 1], points: [[0, 0, 0], [0, 0, 0]], tension: "spring.force" },
      {
        name: "tyre",
        type: "tyre",
        bodies: [0, 1],
        points: [[0, 0, 0], [0, 0, 0]],
        push: { channel: "tyre.force", direction: [0, 0, 1] },
      },
      { name: "bare", type: "bushing", bodies: [0, 1], points: [[0, 0, 0], [0, 0, 0]] },
    ],
  },
};

test("poses may name channels", () => {
  const run = readRun(data);
  const poses = new Poses(run.scene, run.poseTimes, (name) => run.channel(name)?.data);
  poses.moveTo(0.5);
  assert.deepEqual([...poses.position(1)], [4.5, 0, 6]);
  // without the channels a body stays where it is
  new Poses(run.scene, run.poseTimes).moveTo(0.5);
});

test("forces act on the second body: reactions, along a spring, and upwards", () => {
  const run = readRun(data);
  const poses = new Poses(run.scene, run.poseTimes, (name) => run.channel(name)?.data);
  const arrows = arrowsOf(run.scene, run);
  assert.deepEqual(
    arrows.map((arrow) => arrow.color),
    ["reaction", "force", "force"],
  );
  poses.moveTo(1);
  const at = (arrow) => arrow.vector(arrow.channels.map((channel) => channel.at(1)), poses).map((v) => Number(v.toFixed(9)));
  assert.deepEqual(at(arrows[0]), [0, 10, 20]);
  assert.deepEqual(at(arrows[1]), [-12, 0, -16]); // 20 N from (6, 0, 8) to the origin
  assert.deepEqual(at(arrows[2]), [0, 0, 7]);
});
