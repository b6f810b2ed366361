// Directions to look from, and the camera that shows all of a box. Orientations take the camera's axes (x
// right, y up, z towards the eye) to the world.
import type { Quadruple, Triple } from "./format";
import {
  add,
  axisAngle,
  conjugate,
  cross,
  dot,
  fromColumns,
  length,
  multiply,
  rotate,
  scaled,
  subtract,
  unit,
} from "./vectors";

export type ViewName = "plane" | "front" | "side" | "top" | "iso";

/** Looks along `direction` with `up` as far up the screen as it can be. */
export function lookAlong(direction: Triple, up: Triple): Quadruple {
  const back = scaled(unit(direction), -1);
  let right = cross(up, back);
  if (length(right) < 1e-9) right = cross([0, 1, 0], back);
  if (length(right) < 1e-9) right = [1, 0, 0];
  right = unit(right);
  return fromColumns(right, cross(back, right), back);
}

/** The axis that points right in the front view, and the one the front view looks along. */
function frontAxes(up: Triple): { right: Triple; forward: Triple } {
  const seed: Triple = Math.abs(up[0]) < 0.9 ? [1, 0, 0] : [0, 1, 0];
  const right = unit(subtract(seed, scaled(up, dot(seed, up))));
  return { right, forward: cross(up, right) };
}

export function standardView(name: ViewName, up: Triple, normal: Triple | null): Quadruple {
  const { right, forward } = frontAxes(up);
  switch (name) {
    case "plane":
      // seen from the tip of the normal; when that is the vertical itself, the second axis points up
      return lookAlong(
        scaled(normal ?? scaled(forward, -1), -1),
        normal && Math.abs(dot(normal, up)) > 0.9 ? [0, 1, 0] : up,
      );
    case "front":
      return lookAlong(forward, up);
    case "side":
      return lookAlong(scaled(right, -1), up);
    case "top":
      return lookAlong(scaled(up, -1), forward);
    case "iso":
      return lookAlong(add(add(scaled(right, -0.62), scaled(forward, 1)), scaled(up, -0.55)), up);
  }
}

export interface Fit {
  target: Triple;
  /** Height of the part of the world that is visible at the target. */
  height: number;
}

/**
 * Shows all of the points (x, y, z one after the other) from the given orientation, with a margin; `angle` is
 * the vertical angle of a perspective camera, null without perspective.
 */
export function fitPoints(
  points: ArrayLike<number>,
  orientation: Quadruple,
  aspect: number,
  angle: number | null,
  margin = 1.12,
): Fit {
  const count = Math.floor(points.length / 3);
  if (count === 0) return { target: [0, 0, 0], height: 2 };
  // in the camera's axes: the middle of what is seen is the target
  const seen: Triple[] = [];
  const toCamera = conjugate(orientation);
  for (let i = 0; i < count; i++)
    seen.push(rotate(toCamera, [points[3 * i], points[3 * i + 1], points[3 * i + 2]]));
  const middle = [0, 1, 2].map((k) => {
    const low = seen.reduce((least, point) => Math.min(least, point[k]), Infinity);
    const high = seen.reduce((most, point) => Math.max(most, point[k]), -Infinity);
    return (low + high) / 2;
  }) as Triple;
  const slope = angle === null ? 0 : Math.tan(angle / 2);
  let half = 0;
  for (const point of seen) {
    const [right, up, near] = subtract(point, middle);
    const across = Math.max(Math.abs(up), Math.abs(right) / Math.max(aspect, 1e-3));
    // a point nearer to the eye by `near` needs the eye that much farther away
    half = Math.max(half, across + near * slope);
  }
  return { target: rotate(orientation, middle), height: 2 * half * margin || 2 };
}

/** The orientation after dragging: around the vertical, and up and down without going over the top. */
export function orbited(orientation: Quadruple, up: Triple, across: number, upwards: number): Quadruple {
  const turned = multiply(axisAngle(up, -across), orientation);
  const right = rotate(turned, [1, 0, 0]);
  const tilted = multiply(axisAngle(right, -upwards), turned);
  const before = dot(rotate(turned, [0, 1, 0]), up);
  const after = dot(rotate(tilted, [0, 1, 0]), up);
  return after >= -1e-6 || after > before ? tilted : turned;
}

/** Spacing of the grid's fine lines: a power of ten so that some 10 to 100 of them span the view. */
export function gridSpacing(height: number): number {
  return Math.pow(10, Math.floor(Math.log10(Math.max(height, 1e-12) / 8)));
}
