// Everything drawn on a body is made of a few primitives, so that each kind is one instanced draw. This file
// turns the model's shapes into them.
import type { Quadruple, Shape, Triple } from "./format";
import {
  add,
  alongAxis,
  conjugate,
  distance,
  dot,
  identity,
  middle,
  multiply,
  normalized,
  rotate,
  subtract,
} from "./vectors";

/**
 * Unit primitives: box of side 1; sphere of radius 1; cylinder and cone of radius 1 and length 1 along z,
 * centred.
 */
export type PieceKind = "box" | "sphere" | "cylinder" | "cone" | "wedge" | "mesh";

export interface Piece {
  kind: PieceKind;
  position: Triple;
  quaternion: Quadruple;
  scale: Triple;
  /** "#rrggbb", or one of the roles of the palette. */
  color: string;
  opacity: number;
  mesh?: { vertices: Triple[]; faces: number[][]; smooth?: boolean };
}

type Look = { color: string; opacity?: number };

export function piece(
  kind: PieceKind,
  position: Triple,
  quaternion: Quadruple,
  scale: Triple,
  look: Look,
): Piece {
  return { kind, position, quaternion, scale, color: look.color, opacity: look.opacity ?? 1 };
}

export const ball = (position: Triple, radius: number, look: Look): Piece =>
  piece("sphere", position, identity, [radius, radius, radius], look);

export const pin = (position: Triple, axis: Triple, radius: number, size: number, look: Look): Piece =>
  piece("cylinder", position, alongAxis(axis), [radius, radius, size], look);

/** A bar with flat ends from `a` to `b`; none when they coincide. */
export function bar(a: Triple, b: Triple, radius: number, look: Look): Piece[] {
  const size = distance(a, b);
  return size > 0 ? [pin(middle(a, b), subtract(b, a), radius, size, look)] : [];
}

/** A bar with round ends. */
export const rod = (a: Triple, b: Triple, radius: number, look: Look): Piece[] => [
  ...bar(a, b, radius, look),
  ball(a, radius, look),
  ...(distance(a, b) > 0 ? [ball(b, radius, look)] : []),
];

const finite = (values: (number | undefined)[]): boolean => values.every((value) => Number.isFinite(value));
export const isColor = (text: unknown): text is string =>
  typeof text === "string" && /^#[0-9a-f]{6}$/i.test(text);

/** The pieces of one shape of the model. A shape with missing or wild numbers gives none. */
export function shapePieces(shape: Shape, bodyColor: string, lineRadius: number): Piece[] {
  const position = shape.position ?? [0, 0, 0];
  const quaternion = normalized(shape.quaternion ?? identity);
  if (!finite([...position, ...quaternion])) return [];
  const look: Look = {
    color: isColor(shape.color) ? shape.color : bodyColor,
    opacity: Math.min(1, Math.max(0.05, shape.opacity ?? 1)),
  };
  const local = (point: Triple): Triple => add(position, rotate(quaternion, point));
  switch (shape.type) {
    case "box":
      return finite(shape.size) ? [piece("box", position, quaternion, shape.size, look)] : [];
    case "sphere":
      return finite([shape.radius]) ? [ball(position, shape.radius, look)] : [];
    case "ellipsoid":
      return finite(shape.radii) ? [piece("sphere", position, quaternion, shape.radii, look)] : [];
    case "cylinder":
    case "cone":
      if (!finite([shape.radius, shape.length])) return [];
      return [piece(shape.type, position, quaternion, [shape.radius, shape.radius, shape.length], look)];
    case "capsule": {
      if (!finite([shape.radius, shape.length])) return [];
      const half = shape.length / 2;
      return rod(local([0, 0, -half]), local([0, 0, half]), shape.radius, look);
    }
    case "line": {
      const points = shape.points.filter((point) => finite(point)).map(local);
      return points.flatMap((point, i) =>
        i === 0 ? [] : [...bar(points[i - 1], point, lineRadius, look), ball(point, lineRadius, look)],
      );
    }
    case "mesh":
      return [{ ...piece("mesh", position, quaternion, [1, 1, 1], look), mesh: cleanMesh(shape) }];
    default:
      return [];
  }
}

/** Faces that name missing vertices are left out. */
function cleanMesh(shape: { vertices: Triple[]; faces: number[][] }): {
  vertices: Triple[];
  faces: number[][];
} {
  const known = (index: number): boolean =>
    Number.isInteger(index) && index >= 0 && index < shape.vertices.length && finite(shape.vertices[index]);
  return {
    vertices: shape.vertices,
    faces: shape.faces.filter((face) => face.length >= 3 && face.every(known)),
  };
}

/** Points that bound a piece, in the body's frame: the corners of its box. */
export function pieceCorners(part: Piece): Triple[] {
  if (part.mesh) return part.mesh.vertices.map((v) => add(part.position, rotate(part.quaternion, v)));
  const half = part.kind === "sphere" ? 1 : 0.5;
  const side = part.kind === "cylinder" || part.kind === "cone" || part.kind === "wedge" ? 1 : half;
  const corners: Triple[] = [];
  for (const x of [-side, side]) {
    for (const y of [-side, side]) {
      for (const z of [-half, half]) {
        const corner: Triple = [x * part.scale[0], y * part.scale[1], z * part.scale[2]];
        corners.push(add(part.position, rotate(part.quaternion, corner)));
      }
    }
  }
  return corners;
}

/**
 * How far a piece reaches along a unit vector of the body's frame: exactly, where its box would say too much.
 */
export function reachAlong(part: Piece, direction: Triple): number {
  if (part.mesh)
    return pieceCorners(part).reduce((most, corner) => Math.max(most, dot(corner, direction)), -Infinity);
  const [x, y, z] = rotate(conjugate(part.quaternion), direction).map((d, k) => d * part.scale[k]);
  const box = (Math.abs(x) + Math.abs(y) + Math.abs(z)) / 2;
  const round = Math.hypot(x, y) + Math.abs(z) / 2;
  const own = part.kind === "sphere" ? Math.hypot(x, y, z) : part.kind === "box" ? box : round;
  return dot(part.position, direction) + own;
}

/** Turns a piece that was made in one frame so that it stands at `position` and `quaternion` of another. */
export function placed(part: Piece, position: Triple, quaternion: Quadruple): Piece {
  return {
    ...part,
    position: add(position, rotate(quaternion, part.position)),
    quaternion: multiply(quaternion, part.quaternion),
  };
}
