// The convex hull of a few points in space, for bodies that have no shape of their own: its flat faces as
// polygons.
import type { Triple } from "./format";
import { cross, dot, length, scaled, subtract, unit, add } from "./vectors";

/** Points without those that coincide with an earlier one, within `tolerance`. */
export function distinct(points: Triple[], tolerance: number): Triple[] {
  const kept: Triple[] = [];
  for (const point of points) {
    if (kept.every((other) => length(subtract(point, other)) > tolerance)) kept.push(point);
  }
  return kept;
}

/** The two points farthest apart, if all points lie on one line; null otherwise. */
export function collinearEnds(points: Triple[], tolerance: number): [Triple, Triple] | null {
  let ends: [Triple, Triple] = [points[0], points[0]];
  let farthest = -1;
  for (let i = 0; i < points.length; i++) {
    for (let j = i + 1; j < points.length; j++) {
      const far = length(subtract(points[i], points[j]));
      if (far > farthest) {
        farthest = far;
        ends = [points[i], points[j]];
      }
    }
  }
  const direction = unit(subtract(ends[1], ends[0]));
  const straight = points.every((point) => length(cross(subtract(point, ends[0]), direction)) <= tolerance);
  return straight ? ends : null;
}

/**
 * The faces of the hull as lists of indices, counter-clockwise seen from outside. Points in one plane give
 * one face. Every plane through three points is tried, which is quick for the few dozen points a body has.
 */
export function hullFaces(points: Triple[], tolerance: number): number[][] {
  const faces = new Map<string, number[]>();
  const count = points.length;
  for (let i = 0; i < count; i++) {
    for (let j = i + 1; j < count; j++) {
      for (let k = j + 1; k < count; k++) {
        const normal = cross(subtract(points[j], points[i]), subtract(points[k], points[i]));
        if (length(normal) < tolerance * tolerance) continue;
        const face = faceOfPlane(points, points[i], unit(normal), tolerance);
        if (face) faces.set([...face].sort((a, b) => a - b).join(), face);
      }
    }
  }
  return [...faces.values()];
}

function faceOfPlane(points: Triple[], origin: Triple, normal: Triple, tolerance: number): number[] | null {
  const inPlane: number[] = [];
  let above = 0;
  let below = 0;
  points.forEach((point, index) => {
    const height = dot(subtract(point, origin), normal);
    if (Math.abs(height) <= tolerance) inPlane.push(index);
    else if (height > 0) above++;
    else below++;
  });
  if (above > 0 && below > 0) return null;
  const outward = above > 0 ? scaled(normal, -1) : normal;
  return convexPolygon(points, inPlane, outward, tolerance);
}

/** The convex polygon around points of one plane: gift wrapping from a point that is certainly outside. */
function convexPolygon(
  points: Triple[],
  indices: number[],
  normal: Triple,
  tolerance: number,
): number[] | null {
  const center = scaled(
    indices.reduce((sum, index) => add(sum, points[index]), [0, 0, 0] as Triple),
    1 / indices.length,
  );
  let start = indices[0];
  for (const index of indices) {
    if (length(subtract(points[index], center)) > length(subtract(points[start], center)) + tolerance)
      start = index;
  }
  const polygon: number[] = [];
  let current = start;
  do {
    polygon.push(current);
    let next = -1;
    for (const index of indices) {
      if (index === current) continue;
      if (next < 0) {
        next = index;
        continue;
      }
      const a = subtract(points[next], points[current]);
      const b = subtract(points[index], points[current]);
      const turn = dot(cross(a, b), normal);
      const slack = tolerance * Math.max(length(a), length(b));
      if (turn < -slack || (Math.abs(turn) <= slack && length(b) > length(a))) next = index;
    }
    current = next;
  } while (current !== start && current >= 0 && polygon.length <= indices.length);
  return polygon.length >= 3 ? polygon : null;
}
