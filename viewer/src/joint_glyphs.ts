// What a joint looks like, by its type: pieces around the joint's point in the frame of the body they move
// with.
import type { Triple } from "./format";
import { ball, bar, piece, pin, type Piece } from "./pieces";
import { add, alongAxis, cross, dot, perpendicular, scaled, subtract, unit } from "./vectors";

const metal = { color: "metal" };
const dark = { color: "pin" };
const seeThrough = { color: "metal", opacity: 0.45 };

/** A ring of a hinge with its pin: seen along the axis the circle and dot of every drawing of a linkage. */
const hinge = (point: Triple, axis: Triple, r: number): Piece[] => [
  pin(point, axis, 1.55 * r, 2.5 * r, metal),
  pin(point, axis, 0.75 * r, 3.1 * r, dark),
];

/**
 * Pieces on the first body's side (what guides), at `point` with `axis`, where `r` is the radius of a rod.
 */
export function firstSideGlyph(type: string, point: Triple, axis: Triple | null, r: number): Piece[] {
  const along = unit(axis ?? [0, 0, 1]);
  const at = (offset: number): Triple => add(point, scaled(along, offset));
  switch (type) {
    case "revolute":
      return hinge(point, along, r);
    case "cylindrical":
      return [pin(point, along, 1.6 * r, 5 * r, metal), pin(point, along, 0.75 * r, 7 * r, dark)];
    case "screw":
      return [
        pin(point, along, 0.8 * r, 7 * r, dark),
        ...[-2, -1, 0, 1, 2].map((k) => pin(at(1.1 * k * r), along, 1.6 * r, 0.45 * r, metal)),
      ];
    case "prismatic":
    case "translational":
      return [piece("box", point, alongAxis(along), [3.2 * r, 3.2 * r, 6 * r], seeThrough)];
    case "planar":
    case "point_in_plane":
      return [piece("box", point, alongAxis(along), [9 * r, 9 * r, 0.5 * r], seeThrough)];
    case "point_on_line":
      return bar(at(-9 * r), at(9 * r), 0.4 * r, metal);
    case "fixed":
      return [piece("box", point, alongAxis(along), [2.6 * r, 2.6 * r, 2.6 * r], metal)];
    case "spherical":
      return [ball(point, 1.75 * r, metal)];
    case "universal":
    case "constant_velocity":
      return axis
        ? [pin(point, along, 0.8 * r, 4.4 * r, dark), ball(point, 1.2 * r, metal)]
        : [ball(point, 1.5 * r, metal)];
    case "distance":
      return [ball(point, 1.1 * r, metal)];
    case "gear":
    case "rack_and_pinion":
    case "coupler":
      return [];
    default:
      return [ball(point, 1.2 * r, metal)];
  }
}

/** Pieces on the second body's side (what is guided). */
export function secondSideGlyph(type: string, point: Triple, axis: Triple | null, r: number): Piece[] {
  const along = unit(axis ?? [0, 0, 1]);
  switch (type) {
    case "prismatic":
    case "translational":
      return [piece("box", point, alongAxis(along), [1.9 * r, 1.9 * r, 7 * r], dark)];
    case "planar":
    case "point_in_plane":
    case "point_on_line":
    case "distance":
      return [ball(point, 1.1 * r, metal)];
    case "universal":
    case "constant_velocity":
      return axis ? [pin(point, along, 0.8 * r, 4.4 * r, metal)] : [];
    default:
      return [];
  }
}

/** Joints whose two points may be apart, and are shown with a link or a rail between them. */
export const isStretched = (type: string): boolean =>
  /^(distance|prismatic|translational|cylindrical|screw)$/.test(type);

/** Types that have no place of their own in space. */
export const isPlaceless = (type: string): boolean =>
  type === "gear" || type === "rack_and_pinion" || type === "coupler";

/**
 * The pedestal under a joint on the ground, at `point` in the world: a foot that widens downwards to a
 * hatched base. In a planar mechanism it is the flat triangle of textbooks.
 */
export function pedestal(point: Triple, up: Triple, normal: Triple | null, r: number): Piece[] {
  const look = { color: "ground" };
  const height = 4.2 * r;
  const down = (h: number): Triple => add(point, scaled(up, -h));
  const flat = normal !== null && Math.abs(dot(normal, up)) < 0.9;
  const side = flat ? unit(cross(up, normal)) : perpendicular(up);
  const turn = alongAxis(up, side);
  if (!flat) {
    return [
      piece("cone", down(0.5 * height), turn, [2.3 * r, 2.3 * r, height], look),
      piece("cylinder", down(height + 0.2 * r), turn, [3.4 * r, 3.4 * r, 0.5 * r], look),
    ];
  }
  const pieces: Piece[] = [
    piece("wedge", down(0.5 * height), turn, [2.3 * r, 0.9 * r, height], look),
    piece("box", down(height + 0.12 * r), turn, [8 * r, 1.9 * r, 0.35 * r], look),
  ];
  for (let k = -3; k <= 3; k++) {
    const top = add(down(height + 0.3 * r), scaled(side, 1.15 * k * r + 0.4 * r));
    const bottom = add(subtract(top, scaled(up, 1.3 * r)), scaled(side, -1.1 * r));
    pieces.push(...bar(top, bottom, 0.12 * r, look));
  }
  return pieces;
}
