// Vectors, hulls, automatic shapes, glyphs, poses, camera, graph layout.
import assert from "node:assert/strict";
import test from "node:test";
import { attachmentPoints, automaticPieces, bodyColors, rodRadius } from "../output/modules/body_shapes.mjs";
import { layoutGraph, depths, separate } from "../output/modules/graph_layout.mjs";
import { collinearEnds, distinct, hullFaces } from "../output/modules/hull.mjs";
import { firstSideGlyph, pedestal, secondSideGlyph } from "../output/modules/joint_glyphs.mjs";
import { pieceCorners, reachAlong, shapePieces } from "../output/modules/pieces.mjs";
import { boundsOverTime, boxDiagonal, Poses, spreadTimes } from "../output/modules/poses.mjs";
import { alongAxis, axisAngle, cross, dot, multiply, rotate, unit } from "../output/modules/vectors.mjs";
import { fitPoints, gridSpacing, lookAlong, orbited, standardView } from "../output/modules/view.mjs";
import { assemble } from "../output/modules/scene/assembly.mjs";
import { readRun } from "../output/modules/run.mjs";
import { angles, fourBar, lengths } from "../fixtures/four_bar.mjs";
import { stewart } from "../fixtures/stewart.mjs";
import { hostile } from "../fixtures/others.mjs";

const near = (a, b, tolerance = 1e-9) =>
  a.forEach((v, k) => assert.ok(Math.abs(v - b[k]) <= tolerance, `${a} against ${b}`));

test("rotations turn vectors the right way", () => {
  near(rotate(axisAngle([0, 0, 1], Math.PI / 2), [1, 0, 0]), [0, 1, 0]);
  near(
    rotate(multiply(axisAngle([1, 0, 0], 0.3), axisAngle([0, 1, 0], 0.7)), [0, 0, 1]),
    rotate(axisAngle([1, 0, 0], 0.3), rotate(axisAngle([0, 1, 0], 0.7), [0, 0, 1])),
  );
  for (const axis of [
    [0, 0, 1],
    [0, 0, -1],
    [1, 2, -3],
    [-1, 0, 0],
    [0, 1, 0],
  ]) {
    near(rotate(alongAxis(axis), [0, 0, 1]), unit(axis));
  }
  near(rotate(alongAxis([0, 0, 1], [0, 1, 0]), [1, 0, 0]), [0, 1, 0]);
});

const cube = [0, 1].flatMap((x) => [0, 1].flatMap((y) => [0, 1].map((z) => [x, y, z])));

test("the hull of a cube has six squares, seen counter-clockwise from outside", () => {
  const points = [...cube, [0.5, 0.5, 0.5], [0.5, 0.5, 0]];
  const faces = hullFaces(points, 1e-9);
  assert.equal(faces.length, 6);
  for (const face of faces) {
    assert.equal(face.length, 4);
    const [a, b, c] = face.map((index) => points[index]);
    const normal = cross(
      b.map((v, k) => v - a[k]),
      c.map((v, k) => v - b[k]),
    );
    assert.ok(
      dot(
        normal,
        a.map((v) => v - 0.5),
      ) > 0,
    );
  }
});

test("flat, straight and single points", () => {
  assert.equal(
    hullFaces(
      [
        [0, 0, 0],
        [1, 0, 0],
        [1, 1, 0],
        [0, 1, 0],
        [0.5, 0.5, 0],
      ],
      1e-9,
    ).length,
    1,
  );
  near(
    collinearEnds(
      [
        [0, 0, 0],
        [2, 0, 0],
        [1, 0, 0],
      ],
      1e-9,
    )[1],
    [2, 0, 0],
  );
  assert.equal(
    collinearEnds(
      [
        [0, 0, 0],
        [2, 0, 0],
        [1, 0.1, 0],
      ],
      1e-9,
    ),
    null,
  );
  assert.equal(
    distinct(
      [
        [0, 0, 0],
        [1e-9, 0, 0],
        [1, 0, 0],
      ],
      1e-6,
    ).length,
    2,
  );
});

const kinds = (pieces) =>
  pieces
    .map((part) => part.kind)
    .sort()
    .join(" ");

test("bodies without shapes: ball, pendulum, rod, plate, hull", () => {
  assert.equal(kinds(automaticPieces([], [0, 0, 0], 0.1, "body0")), "sphere");
  assert.equal(
    kinds(automaticPieces([[0, 0, 0]], [0, -1, 0], 0.01, "body0")),
    "cylinder sphere sphere sphere",
  );
  const rod = automaticPieces(
    [
      [0, 0, 0],
      [1, 0, 0],
      [0.5, 0, 0],
    ],
    null,
    0.01,
    "body0",
  );
  assert.equal(kinds(rod), "cylinder sphere sphere");
  assert.ok(Math.abs(rod[0].scale[2] - 1) < 1e-12);
  const plate = automaticPieces(
    [
      [0, 0, 0],
      [1, 0, 0],
      [0, 1, 0],
    ],
    null,
    0.01,
    "body0",
  );
  assert.equal(plate.filter((part) => part.kind === "mesh").length, 1);
  assert.equal(plate.filter((part) => part.kind === "cylinder").length, 3);
  const hull = automaticPieces(cube, null, 0.01, "body0");
  assert.equal(hull.filter((part) => part.kind === "cylinder").length, 12);
  const many = Array.from({ length: 60 }, (_, i) => [Math.cos(i), Math.sin(i), i / 60]);
  assert.ok(automaticPieces(many, null, 0.01, "body0").length > 60);
});

test("shapes of the model become pieces; wild ones become none", () => {
  assert.equal(
    kinds(shapePieces({ type: "capsule", radius: 1, length: 2 }, "body0", 0.1)),
    "cylinder sphere sphere",
  );
  assert.equal(shapePieces({ type: "box", size: [1, NaN, 1] }, "body0", 0.1).length, 0);
  assert.equal(shapePieces({ type: "torus" }, "body0", 0.1).length, 0);
  const line = shapePieces(
    {
      type: "line",
      points: [
        [0, 0, 0],
        [1, 0, 0],
        [1, 1, 0],
      ],
      color: "#ff0000",
    },
    "body0",
    0.1,
  );
  assert.ok(line.every((part) => part.color === "#ff0000"));
  assert.equal(shapePieces({ type: "sphere", radius: 1, color: "url(x)" }, "body0", 0.1)[0].color, "body0");
  const mesh = shapePieces(
    {
      type: "mesh",
      vertices: [
        [0, 0, 0],
        [1, 0, 0],
        [0, 1, 0],
      ],
      faces: [
        [0, 1, 2],
        [0, 1, 7],
        [0, 1],
      ],
    },
    "body0",
    0.1,
  );
  assert.equal(mesh[0].mesh.faces.length, 1);
  const corners = pieceCorners(
    shapePieces({ type: "box", size: [2, 4, 6], position: [10, 0, 0] }, "body0", 0.1)[0],
  );
  assert.ok(corners.every(([x, y, z]) => Math.abs(x - 10) === 1 && Math.abs(y) === 2 && Math.abs(z) === 3));
});

test("how far pieces reach: a wheel touches the road however it has turned", () => {
  const [wheel] = shapePieces(
    { type: "cylinder", radius: 0.4, length: 0.2, quaternion: axisAngle([1, 0, 0], Math.PI / 2) },
    "body0",
    0.1,
  );
  for (const angle of [0, 0.3, 0.785, 2]) {
    const down = rotate(axisAngle([0, 1, 0], angle), [0, 0, -1]);
    assert.ok(Math.abs(reachAlong(wheel, down) - 0.4) < 1e-12);
  }
  const [box] = shapePieces({ type: "box", size: [2, 4, 6], position: [0, 0, 10] }, "body0", 0.1);
  assert.equal(reachAlong(box, [0, 0, 1]), 13);
  const [egg] = shapePieces({ type: "ellipsoid", radii: [1, 2, 3] }, "body0", 0.1);
  assert.equal(reachAlong(egg, [0, 1, 0]), 2);
});

test("every joint type has a glyph, unknown ones too; couplers have none", () => {
  for (const type of [
    "revolute",
    "prismatic",
    "cylindrical",
    "spherical",
    "universal",
    "planar",
    "fixed",
    "distance",
    "point_on_line",
    "screw",
    "whatever",
  ]) {
    assert.ok(firstSideGlyph(type, [0, 0, 0], [0, 0, 1], 0.1).length > 0, type);
    for (const part of [
      ...firstSideGlyph(type, [0, 0, 0], null, 0.1),
      ...secondSideGlyph(type, [0, 0, 0], null, 0.1),
    ]) {
      assert.ok([...part.position, ...part.scale, ...part.quaternion].every(Number.isFinite), type);
    }
  }
  assert.equal(firstSideGlyph("gear", [0, 0, 0], [0, 0, 1], 0.1).length, 0);
  const foot = pedestal([0, 0, 0], [0, 1, 0], [0, 0, 1], 0.1);
  assert.ok(foot.every((part) => part.position[1] < 0));
});

test("rods are thin against the mechanism and against their own length", () => {
  const chain = Array.from({ length: 500 }, () => [
    [0, 0, 0],
    [0.1, 0, 0],
  ]);
  assert.ok(rodRadius(50, [[], ...chain]) <= 0.01);
  assert.ok(
    rodRadius(3, [
      [],
      [
        [0, 0, 0],
        [1, 0, 0],
      ],
    ]) > 0.01,
  );
  assert.ok(rodRadius(0, [[]]) > 0);
});

test("poses of the four-bar at and between samples", () => {
  const run = readRun(fourBar());
  const poses = new Poses(run.scene, run.poseTimes);
  for (const t of [0, 1.234, 5.017, 10]) {
    poses.moveTo(t);
    const { b, c } = angles(t);
    // float32 samples, and chords of 0.02 s at 3 rad/s
    near(poses.world(1, [lengths.crank / 2, 0, 0]), [...b, 0], 6e-4);
    near(poses.world(2, [lengths.coupler / 2, 0, 0]), [...c, 0], 2e-3);
    near(poses.world(3, [lengths.rocker / 2, 0, 0]), [...c, 0], 2e-3);
    near(poses.position(0), [0, 0, 0]);
  }
  const box = boundsOverTime(
    poses,
    [[[0, 0, 0]], [[lengths.crank / 2, 0, 0]]],
    spreadTimes(run.poseTimes, 100),
  );
  assert.ok(Math.abs(boxDiagonal(box) - Math.hypot(2, 2)) < 0.02);
});

test("a body without pose, or with a hole in it, stays where it was", () => {
  const scene = {
    bodies: [
      { name: "ground" },
      { name: "a" },
      {
        name: "b",
        pose: [
          [0, null, 2],
          [0, 0, 0],
          [0, 0, 0],
          [1, 1, 1],
          [0, 0, 0],
          [0, 0, 0],
          [0, 0, 0],
        ],
      },
    ],
  };
  const poses = new Poses(scene, Float64Array.of(0, 1, 2));
  poses.moveTo(1);
  near(poses.position(2), [0, 0, 0]);
  poses.moveTo(2);
  near(poses.position(2), [2, 0, 0]);
  near(poses.position(1), [0, 0, 0]);
});

test("markers are corners of bodies with few points only", () => {
  assert.equal(attachmentPoints(fourBar().scene)[2].length, 3);
  assert.equal(attachmentPoints(stewart().scene)[1].length, 6);
});

test("a mechanism is assembled whatever its names and types", () => {
  for (const data of [fourBar({ shapes: false }), stewart(), hostile()]) {
    const run = readRun(data);
    const all = assemble(run.scene, new Poses(run.scene, run.poseTimes), 0);
    assert.ok(all.bodies.length >= 3 && all.joints.length > 0 && all.radius > 0);
    assert.ok(all.bodies.every((part) => part.body > 0 && part.position.every(Number.isFinite)));
  }
  assert.equal(bodyColors(fourBar().scene)[2], "#ff6347");
});

const axes = (q) =>
  [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ].map((v) => rotate(q, v));

test("a drawing: points that move with channels, lines between them and to the ground", () => {
  const run = readRun({
    format: 1,
    times: [0, 1],
    channels: [
      { name: "x", data: [1, 2] },
      { name: "y", data: [-1, -3] },
    ],
    scene: {
      planar: { normal: [0, 0, 1] },
      up: [0, 1, 0],
      bodies: [{ name: "ground", fixed: true }, { name: "mass", pose: ["x", "y", 0, 1, 0, 0, 0] }],
      lines: [
        {
          bodies: [0, 1],
          points: [
            [0, 0, 0],
            [0, 0, 0],
          ],
        },
      ],
    },
  });
  const poses = new Poses(run.scene, run.poseTimes, (name) => run.channel(name)?.data);
  poses.moveTo(0.5);
  near(poses.position(1), [1.5, -2, 0]);
  near(poses.quaternion(1), [1, 0, 0, 0]);
  const assembly = assemble(run.scene, poses, 0);
  // a small ball where the line ends, and one where it hangs, which a picture has to show
  assert.deepEqual(
    assembly.bodies.map((part) => [part.kind, part.body]),
    [["sphere", 1]],
  );
  assert.ok(assembly.corners[0].some((corner) => corner.every((value) => Math.abs(value) < 0.1)));
});

test("standard views", () => {
  const [right, up, back] = axes(standardView("front", [0, 0, 1], null));
  near(right, [1, 0, 0]);
  near(up, [0, 0, 1]);
  near(back, [0, -1, 0]);
  near(axes(standardView("front", [0, 1, 0], null))[2], [0, 0, 1]);
  near(axes(standardView("top", [0, 0, 1], null))[1], [0, 1, 0]);
  near(axes(standardView("side", [0, 0, 1], null))[2], [1, 0, 0]);
  // planar: against the normal, with up up; or the second axis, when the normal is the vertical
  near(axes(standardView("plane", [0, 1, 0], [0, 0, 1]))[2], [0, 0, 1]);
  near(axes(standardView("plane", [0, 1, 0], [0, 0, 1]))[1], [0, 1, 0]);
  near(axes(standardView("plane", [0, 0, 1], [0, 0, 1]))[1], [0, 1, 0]);
  near(axes(standardView("plane", [0, 0, 1], [0, -1, 0]))[1], [0, 0, 1]);
});

test("a fit shows every point, tightly, with and without perspective", () => {
  const points = cube.flat();
  for (const orientation of [standardView("iso", [0, 0, 1], null), lookAlong([1, 0, 0], [0, 0, 1])]) {
    for (const angle of [null, 0.6]) {
      const { target, height } = fitPoints(points, orientation, 1.5, angle, 1);
      const [right, up, back] = axes(orientation);
      const eye = angle === null ? Infinity : height / 2 / Math.tan(angle / 2);
      let most = 0;
      for (const p of cube) {
        const d = p.map((v, k) => v - target[k]);
        const shrink = eye === Infinity ? 1 : eye / (eye - dot(d, back));
        most = Math.max(
          most,
          (Math.abs(dot(d, up)) * shrink) / (height / 2),
          (Math.abs(dot(d, right)) * shrink) / (height / 2) / 1.5,
        );
      }
      assert.ok(most <= 1 + 1e-9 && most > 0.8, `${most}`);
    }
  }
  assert.deepEqual(fitPoints([], [1, 0, 0, 0], 1, null), { target: [0, 0, 0], height: 2 });
});

test("orbiting does not go over the top", () => {
  let q = standardView("front", [0, 0, 1], null);
  for (let i = 0; i < 100; i++) q = orbited(q, [0, 0, 1], 0.05, 0.1);
  assert.ok(rotate(q, [0, 1, 0])[2] >= -1e-6);
  assert.equal(gridSpacing(8), 1);
  assert.ok(Math.abs(gridSpacing(0.003) - 1e-4) < 1e-12);
});

test("the graph's layout is the same each time, inside its box, and boxes do not overlap", () => {
  const edges = Array.from({ length: 12 }, (_, i) => ({ from: i % 5, to: i + 1 }));
  const first = layoutGraph(14, edges, 600, 300);
  assert.deepEqual(first, layoutGraph(14, edges, 600, 300));
  assert.ok(first.every(({ x, y }) => x >= -1e-9 && x <= 600 + 1e-9 && y >= -1e-9 && y <= 300 + 1e-9));
  const widths = first.map(() => 30);
  separate(first, widths, 12, 700, 400);
  first.forEach((a, i) =>
    first.forEach((b, j) => assert.ok(i === j || Math.abs(a.x - b.x) >= 60 || Math.abs(a.y - b.y) >= 24)),
  );
  assert.deepEqual(
    depths(4, [
      { from: 0, to: 1 },
      { from: 1, to: 2 },
    ]),
    [0, 1, 2, 3],
  );
  assert.equal(layoutGraph(1, [], 100, 100).length, 1);
});
