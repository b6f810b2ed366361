// Collects all pieces of a mechanism: bodies, joint glyphs, force glyphs, frames, each attached to the body
// it moves with.
import { attachmentPoints, bodyColors, bodyPieces, rodRadius, thicknessAt, validPoint } from "../body_shapes";
import type { JointData, SceneData, Triple } from "../format";
import { distinct } from "../hull";
import { firstSideGlyph, isPlaceless, pedestal, secondSideGlyph } from "../joint_glyphs";
import { ball, bar, piece, pieceCorners, pin, placed, type Piece } from "../pieces";
import { boundsOverTime, boxDiagonal, type Poses } from "../poses";
import { add, alongAxis, distance, identity, normalized, scaled, unit } from "../vectors";
import type { AttachedPiece } from "./batch";

export interface Assembly {
  /** Radius of a rod, to which all glyphs are in proportion. */
  radius: number;
  /** Diagonal of the moving parts at the beginning. */
  size: number;
  colors: string[];
  bodies: AttachedPiece[];
  joints: AttachedPiece[];
  forces: AttachedPiece[];
  frames: AttachedPiece[];
  /**
   * Corners of a box around each body, in its frame; of the ground only around its joints: a road may be
   * endless.
   */
  corners: Triple[][];
}

export const upOf = (scene: SceneData): Triple => unit(validPoint(scene.up) ?? [0, 0, 1]);
export const normalOf = (scene: SceneData): Triple | null => {
  const normal = validPoint(scene.planar?.normal);
  return normal ? unit(normal) : null;
};

const attach = (pieces: Piece[], body: number): AttachedPiece[] => pieces.map((part) => ({ ...part, body }));

function boxCorners(points: Triple[]): Triple[] {
  if (points.length <= 8) return points;
  const low = [0, 1, 2].map((k) => points.reduce((least, p) => Math.min(least, p[k]), Infinity));
  const high = [0, 1, 2].map((k) => points.reduce((most, p) => Math.max(most, p[k]), -Infinity));
  const corners: Triple[] = [];
  for (const x of [low[0], high[0]]) {
    for (const y of [low[1], high[1]]) for (const z of [low[2], high[2]]) corners.push([x, y, z]);
  }
  return corners;
}

/** Size of the moving parts where they are now. The ground counts only where something is attached to it. */
function initialSize(scene: SceneData, poses: Poses, held: Triple[][], begin: number): number {
  const points = scene.bodies.map((body, index) => {
    if (index === 0) return held[0];
    const shapes = bodyPieces({ ...scene, bodies: [{ ...body }] }, 0, [], 0, "metal").flatMap(pieceCorners);
    return [...held[index], ...boxCorners(shapes), validPoint(body.center) ?? ([0, 0, 0] as Triple)];
  });
  return boxDiagonal(boundsOverTime(poses, points, [begin]));
}

export function assemble(scene: SceneData, poses: Poses, begin: number): Assembly {
  const held = attachmentPoints(scene);
  const size = initialSize(scene, poses, held, begin) || 1;
  const radius = rodRadius(size, held);
  const colors = bodyColors(scene);
  const perBody = scene.bodies.map((_, index) =>
    bodyPieces(scene, index, held[index], radius, colors[index]),
  );
  const joints = (scene.joints ?? []).flatMap((joint) => jointPieces(scene, joint, perBody, radius));
  perBody.forEach((pieces, index) =>
    pieces.push(...markerStems(scene, index, held[index], radius, colors[index])),
  );
  const feet = [...pedestals(scene, radius), ...pivots(scene, radius)];
  const corners = perBody.map((pieces, index) =>
    boxCorners((index === 0 ? feet : pieces).flatMap(pieceCorners)),
  );
  return {
    radius,
    size,
    colors,
    bodies: perBody.flatMap((pieces, body) => attach(pieces, body)),
    joints: [...joints, ...feet, ...traceDots(scene, radius)],
    forces: (scene.forces ?? []).flatMap((force) => forcePieces(scene, force, radius)),
    frames: framePieces(scene, radius),
    corners,
  };
}

function jointPieces(
  scene: SceneData,
  joint: JointData,
  perBody: Piece[][],
  radius: number,
): AttachedPiece[] {
  if (isPlaceless(joint.type)) return [];
  const points = [0, 1].map((side) => validPoint(joint.points?.[side]));
  const axes = [0, 1].map((side) => validPoint(joint.axes?.[side]));
  let size = radius;
  points.forEach((point, side) => {
    const pieces = perBody[joint.bodies[side]];
    if (point && pieces) size = Math.max(size, Math.min(3 * radius, 0.95 * thicknessAt(pieces, point)));
  });
  const sides = [firstSideGlyph, secondSideGlyph];
  return points.flatMap((point, side) =>
    point && scene.bodies[joint.bodies[side]]
      ? attach(sides[side](joint.type, point, axes[side], size), joint.bodies[side])
      : [],
  );
}

const withoutFoot = /planar|point_in_plane|rolling|knife/;

function pedestals(scene: SceneData, radius: number): AttachedPiece[] {
  const places = (scene.joints ?? []).flatMap((joint) => {
    const side = joint.bodies.indexOf(0);
    const point = side >= 0 ? validPoint(joint.points?.[side]) : null;
    return point && !withoutFoot.test(joint.type) && !isPlaceless(joint.type) ? [point] : [];
  });
  for (const force of scene.forces ?? []) {
    const side = force.bodies.indexOf(0);
    const point = side >= 0 ? validPoint(force.points?.[side]) : null;
    if (point && /spring|damper|bushing/.test(force.type)) places.push(point);
  }
  const feet = distinct(places, 0.1 * radius);
  return feet.flatMap((point) => attach(pedestal(point, upOf(scene), normalOf(scene), radius), 0));
}

/** Where the lines of a drawing end on the ground. */
function pivots(scene: SceneData, radius: number): AttachedPiece[] {
  const places = (scene.lines ?? []).flatMap((line) => {
    const point = validPoint(line.points?.[line.bodies.indexOf(0)]);
    return point ? [point] : [];
  });
  return distinct(places, 0.1 * radius).flatMap((point) =>
    attach([ball(point, 1.4 * radius, { color: "ground" })], 0),
  );
}

function traceDots(scene: SceneData, radius: number): AttachedPiece[] {
  return (scene.markers ?? []).flatMap((marker) => {
    const point = validPoint(marker.point);
    if (!marker.trace || !point || !scene.bodies[marker.body]) return [];
    return attach([ball(point, 1.15 * radius, { color: "trace" })], marker.body);
  });
}

/** Thin bars from a body with shapes to its traced markers, which would float in the air otherwise. */
function markerStems(scene: SceneData, body: number, held: Triple[], radius: number, color: string): Piece[] {
  if (body === 0 || (scene.bodies[body].shapes ?? []).length === 0) return [];
  return (scene.markers ?? []).flatMap((marker) => {
    const point = validPoint(marker.point);
    if (!marker.trace || marker.body !== body || !point) return [];
    const others = held.filter((other) => distance(other, point) > 3 * radius);
    others.sort((a, b) => distance(a, point) - distance(b, point));
    return others.slice(0, 2).flatMap((other) => bar(other, point, 0.3 * radius, { color }));
  });
}

function forcePieces(
  scene: SceneData,
  force: NonNullable<SceneData["forces"]>[number],
  radius: number,
): AttachedPiece[] {
  const pieces: AttachedPiece[] = [];
  force.bodies.forEach((body, side) => {
    const point = validPoint(force.points?.[side]);
    const axis = validPoint(force.axes?.[side]) ?? normalOf(scene) ?? upOf(scene);
    if (!point || !scene.bodies[body]) return;
    if (force.type === "bushing" && side === 0) {
      pieces.push(
        ...attach(
          [
            piece("cylinder", point, alongAxis(axis), [2.2 * radius, 2.2 * radius, 2 * radius], {
              color: "damper",
              opacity: 0.6,
            }),
          ],
          body,
        ),
      );
    } else if (/torsion|torque/.test(force.type) && side === 1) {
      pieces.push(...attach([pin(point, axis, 2.1 * radius, 0.6 * radius, { color: "spring" })], body));
    } else if (/spring|damper|actuator/.test(force.type)) {
      pieces.push(...attach([ball(point, 0.8 * radius, { color: "pin" })], body));
    } else if (force.type === "force" || force.type === "applied") {
      if (side === 1) pieces.push(...attach([ball(point, 0.95 * radius, { color: "force" })], body));
    }
  });
  return pieces;
}

/** Axes of every body at its origin, and of every marker, smaller. */
function framePieces(scene: SceneData, radius: number): AttachedPiece[] {
  const axes = (size: number): Piece[] =>
    (["axisX", "axisY", "axisZ"] as const).flatMap((color, k) => {
      const direction: Triple = [0, 0, 0];
      direction[k] = 1;
      const neck = scaled(direction, 0.75 * size);
      const tip = piece(
        "cone",
        add(neck, scaled(direction, 0.12 * size)),
        alongAxis(direction),
        [0.09 * size, 0.09 * size, 0.25 * size],
        { color },
      );
      return [...bar([0, 0, 0], neck, 0.035 * size, { color }), tip];
    });
  const bodies = scene.bodies.flatMap((_, body) => attach(axes(9 * radius), body));
  const markers = (scene.markers ?? []).flatMap((marker) => {
    const point = validPoint(marker.point);
    if (!point || !scene.bodies[marker.body]) return [];
    const turn = normalized(marker.quaternion ?? identity);
    return attach(
      axes(5 * radius).map((part) => placed(part, point, turn)),
      marker.body,
    );
  });
  return [...bodies, ...markers];
}
