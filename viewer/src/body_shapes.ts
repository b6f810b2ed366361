// What bodies look like when the model gives them no shape: rods between the points where they are held,
// plates, hulls.
import type { SceneData, Triple } from "./format";
import { collinearEnds, distinct, hullFaces } from "./hull";
import { ball, isColor, pin, rod, shapePieces, type Piece } from "./pieces";
import { add, cross, distance, length, scaled, subtract, unit } from "./vectors";

const isTriple = (point: unknown): point is Triple =>
  Array.isArray(point) && point.length >= 3 && point.slice(0, 3).every((value) => Number.isFinite(value));

export const validPoint = (point: unknown): Triple | null => (isTriple(point) ? point : null);

/**
 * The points at which each body is held or pushed, in its own frame; with only one or two, traced markers
 * count too (the third corner of a coupler), while on a larger body they are mostly somewhere inside.
 */
export function attachmentPoints(scene: SceneData): Triple[][] {
  const points: Triple[][] = scene.bodies.map(() => []);
  for (const connection of [...(scene.joints ?? []), ...(scene.forces ?? []), ...(scene.lines ?? [])]) {
    connection.bodies.forEach((body, side) => {
      const point = validPoint(connection.points?.[side]);
      if (point && points[body]) points[body].push(point);
    });
  }
  const held = points.map((list) => list.length);
  for (const marker of scene.markers ?? []) {
    const point = validPoint(marker.point);
    if (marker.trace && point && held[marker.body] <= 2) points[marker.body].push(point);
  }
  return points;
}

/**
 * The radius of a drawn rod: a small part of the mechanism's size, but thin against the links themselves, so
 * that a chain of 500 links still shows its links.
 */
export function rodRadius(mechanismSize: number, points: Triple[][]): number {
  const lengths: number[] = [];
  for (const list of points.slice(1)) {
    let longest = 0;
    for (const a of list) for (const b of list) longest = Math.max(longest, distance(a, b));
    if (longest > 1e-6 * mechanismSize) lengths.push(longest);
  }
  lengths.sort((a, b) => a - b);
  const typical = lengths[Math.floor(lengths.length / 2)] ?? mechanismSize;
  const size = mechanismSize > 0 ? mechanismSize : 1;
  return Math.min(0.0125 * size, 0.08 * typical || Infinity);
}

/** Pieces of a body without shapes. */
export function automaticPieces(
  points: Triple[],
  center: Triple | null,
  radius: number,
  color: string,
): Piece[] {
  const look = { color };
  const tolerance = 0.05 * radius;
  const held = distinct(points, tolerance);
  if (held.length <= 1) {
    const mass = center ?? held[0] ?? [0, 0, 0];
    const stem =
      held.length === 1 && distance(held[0], mass) > tolerance ? rod(held[0], mass, 0.7 * radius, look) : [];
    return [...stem, ball(mass, 2.6 * radius, look)];
  }
  const ends = collinearEnds(held, tolerance);
  if (ends) return rod(ends[0], ends[1], radius, look);
  if (held.length > 24) return star(held, center, radius, color);
  return hullPieces(held, radius, tolerance, color);
}

function star(points: Triple[], center: Triple | null, radius: number, color: string): Piece[] {
  const sum = points.reduce((total, point) => add(total, point), [0, 0, 0] as Triple);
  const hub = center ?? scaled(sum, 1 / points.length);
  return points.flatMap((point) => rod(hub, point, 0.6 * radius, { color }));
}

/** Rods along the edges and a translucent skin; a flat polygon becomes a plate that has some thickness. */
function hullPieces(points: Triple[], radius: number, tolerance: number, color: string): Piece[] {
  const faces = hullFaces(points, tolerance);
  const pieces: Piece[] = [];
  const drawn = new Set<string>();
  for (const face of faces) {
    face.forEach((index, k) => {
      const other = face[(k + 1) % face.length];
      const key = index < other ? `${index} ${other}` : `${other} ${index}`;
      if (drawn.has(key)) return;
      drawn.add(key);
      pieces.push(...rod(points[index], points[other], 0.8 * radius, { color }));
    });
  }
  const skin = faces.length === 1 ? plate(points, faces[0], 0.5 * radius) : { vertices: points, faces };
  pieces.push({
    kind: "mesh",
    position: [0, 0, 0],
    quaternion: [1, 0, 0, 0],
    scale: [1, 1, 1],
    color,
    opacity: 0.28,
    mesh: skin,
  });
  return pieces;
}

function plate(points: Triple[], face: number[], half: number): { vertices: Triple[]; faces: number[][] } {
  const corners = face.map((index) => points[index]);
  const normal = unit(cross(subtract(corners[1], corners[0]), subtract(corners[2], corners[0])));
  const count = corners.length;
  const vertices = [half, -half].flatMap((offset) => corners.map((c) => add(c, scaled(normal, offset))));
  const faces = [corners.map((_, i) => i), corners.map((_, i) => 2 * count - 1 - i)];
  for (let i = 0; i < count; i++) faces.push([i, i + count, ((i + 1) % count) + count, (i + 1) % count]);
  return { vertices, faces };
}

/**
 * Colours of the bodies: the one given, or a palette role; many bodies get few colours, or the eye gets lost.
 */
export function bodyColors(scene: SceneData): string[] {
  const many = scene.bodies.length > 25;
  return scene.bodies.map((body, index) => {
    if (isColor(body.color)) return body.color;
    if (index === 0 || body.fixed) return "ground";
    const own = body.shapes?.find((shape) => isColor(shape.color))?.color;
    return own ?? (many ? `many${(index - 1) % 2}` : `body${(index - 1) % 6}`);
  });
}

/**
 * All pieces of a body: its shapes, or sensible ones. The ground without shapes has none: its joints have
 * pedestals.
 */
export function bodyPieces(
  scene: SceneData,
  index: number,
  points: Triple[],
  radius: number,
  color: string,
): Piece[] {
  const body = scene.bodies[index];
  const shapes = (body.shapes ?? []).flatMap((shape) => shapePieces(shape, color, 0.35 * radius));
  if (shapes.length > 0 || index === 0) return shapes;
  // the points of a drawing are where its lines end
  if (scene.lines?.some((line) => line.bodies.includes(index))) return [ball([0, 0, 0], radius, { color })];
  const wheel = wheelPieces(scene, index, color);
  if (wheel.length > 0) return wheel;
  const pieces = automaticPieces(points, validPoint(body.center), radius, color);
  // in a very large mechanism the round ends of rods cost more than they show: joints cover them
  const plain = scene.bodies.length > 200 && pieces.some((part) => part.kind === "cylinder");
  return plain ? pieces.filter((part) => part.kind !== "sphere" || part.scale[0] > radius) : pieces;
}

/** A wheel or ball, where a tyre or a rolling joint says how large the body is. */
function wheelPieces(scene: SceneData, index: number, color: string): Piece[] {
  for (const rolling of [...(scene.forces ?? []), ...(scene.joints ?? [])]) {
    const center = validPoint(rolling.points?.[1]);
    const radius = rolling.radius ?? 0;
    const rolls = rolling.bodies[1] === index && /tyre|tire|rolling|contact/.test(rolling.type);
    if (!rolls || !center || !(radius > 0)) continue;
    if (/sphere|contact/.test(rolling.type)) return [ball(center, radius, { color })];
    // without an axis: across the world's x, which most models drive along
    const axis = validPoint(rolling.axes?.[1]) ?? cross(validPoint(scene.up) ?? [0, 0, 1], [1, 0, 0]);
    return [
      pin(center, axis, radius, 0.45 * radius, { color: "pin" }),
      pin(center, axis, 0.55 * radius, 0.48 * radius, { color }),
    ];
  }
  return [];
}

/**
 * How thick a body is near one of its points, so that a joint's glyph is not swallowed: 0 if nothing round is
 * there.
 */
export function thicknessAt(pieces: Piece[], point: Triple): number {
  let thickness = 0;
  for (const part of pieces) {
    if (part.kind !== "sphere" && part.kind !== "cylinder") continue;
    const reach = Math.max(part.scale[0], part.scale[1]);
    const isThin = part.kind === "sphere" || part.scale[2] > 3 * reach;
    const offset = length(subtract(point, part.position));
    const near = part.kind === "sphere" ? offset < 0.5 * reach : offset <= part.scale[2] / 2 + reach;
    if (isThin && near) thickness = Math.max(thickness, reach);
  }
  return thickness;
}
