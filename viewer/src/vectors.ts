// Vectors and unit quaternions (w, x, y, z) as plain lists: enough for poses and glyphs, and testable without
// a browser.
import type { Quadruple, Triple } from "./format";

export const add = (a: Triple, b: Triple): Triple => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
export const subtract = (a: Triple, b: Triple): Triple => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
export const scaled = (a: Triple, s: number): Triple => [a[0] * s, a[1] * s, a[2] * s];
export const dot = (a: Triple, b: Triple): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const cross = (a: Triple, b: Triple): Triple => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];
export const length = (a: Triple): number => Math.hypot(a[0], a[1], a[2]);
export const distance = (a: Triple, b: Triple): number => length(subtract(a, b));
export const middle = (a: Triple, b: Triple): Triple => scaled(add(a, b), 0.5);

/** The direction of `a`, or `otherwise` where it has none. */
export function unit(a: Triple, otherwise: Triple = [0, 0, 1]): Triple {
  const size = length(a);
  return size > 0 && Number.isFinite(size) ? scaled(a, 1 / size) : otherwise;
}

/** Any unit vector at right angles to `a`. */
export function perpendicular(a: Triple): Triple {
  const u = unit(a);
  const least: Triple =
    Math.abs(u[0]) <= Math.abs(u[1]) && Math.abs(u[0]) <= Math.abs(u[2])
      ? [1, 0, 0]
      : Math.abs(u[1]) <= Math.abs(u[2])
        ? [0, 1, 0]
        : [0, 0, 1];
  return unit(cross(u, least));
}

export const identity: Quadruple = [1, 0, 0, 0];

export const multiply = (a: Quadruple, b: Quadruple): Quadruple => [
  a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
  a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
  a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
  a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
];

export function rotate(q: Quadruple, v: Triple): Triple {
  const u: Triple = [q[1], q[2], q[3]];
  const t = scaled(cross(u, v), 2);
  return add(add(v, scaled(t, q[0])), cross(u, t));
}

export const conjugate = (q: Quadruple): Quadruple => [q[0], -q[1], -q[2], -q[3]];

export function normalized(q: Quadruple): Quadruple {
  const size = Math.hypot(q[0], q[1], q[2], q[3]);
  return size > 0 && Number.isFinite(size) ? [q[0] / size, q[1] / size, q[2] / size, q[3] / size] : identity;
}

export function axisAngle(axis: Triple, angle: number): Quadruple {
  const u = scaled(unit(axis), Math.sin(angle / 2));
  return [Math.cos(angle / 2), u[0], u[1], u[2]];
}

/** The rotation whose columns are the right-handed unit vectors x, y, z. */
export function fromColumns(x: Triple, y: Triple, z: Triple): Quadruple {
  const trace = x[0] + y[1] + z[2];
  if (trace > 0) {
    const s = 2 * Math.sqrt(trace + 1);
    return normalized([s / 4, (y[2] - z[1]) / s, (z[0] - x[2]) / s, (x[1] - y[0]) / s]);
  }
  if (x[0] > y[1] && x[0] > z[2]) {
    const s = 2 * Math.sqrt(1 + x[0] - y[1] - z[2]);
    return normalized([(y[2] - z[1]) / s, s / 4, (y[0] + x[1]) / s, (z[0] + x[2]) / s]);
  }
  if (y[1] > z[2]) {
    const s = 2 * Math.sqrt(1 + y[1] - x[0] - z[2]);
    return normalized([(z[0] - x[2]) / s, (y[0] + x[1]) / s, s / 4, (z[1] + y[2]) / s]);
  }
  const s = 2 * Math.sqrt(1 + z[2] - x[0] - y[1]);
  return normalized([(x[1] - y[0]) / s, (z[0] + x[2]) / s, (z[1] + y[2]) / s, s / 4]);
}

/** A rotation that takes z to `axis`, and x as near to `sideways` as it can be. */
export function alongAxis(axis: Triple, sideways?: Triple): Quadruple {
  const z = unit(axis);
  let x = sideways ? subtract(sideways, scaled(z, dot(sideways, z))) : perpendicular(z);
  x = length(x) > 1e-9 ? unit(x) : perpendicular(z);
  return fromColumns(x, cross(z, x), z);
}
