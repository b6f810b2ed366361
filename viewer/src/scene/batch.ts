// Many pieces of one kind drawn at once. Attached pieces ride on a body; sticks run between two points that
// move.
import {
  Color,
  DynamicDrawUsage,
  InstancedMesh,
  type BufferGeometry,
  type Material,
  type Object3D,
} from "three";
import { resolveColor, type Palette } from "../palette";
import type { Piece } from "../pieces";
import type { Triple } from "../format";
import { unitGeometry, meshGeometry } from "./geometry";
import { surface } from "./material";

export interface AttachedPiece extends Piece {
  /** The body it moves with. */
  body: number;
}

/** Column-major 4 x 4 matrix of a position, rotation and scale, written to out[at ..]. */
export function writeMatrix(
  out: { [index: number]: number },
  at: number,
  p: ArrayLike<number>,
  q: ArrayLike<number>,
  s: ArrayLike<number>,
  pAt = 0,
  qAt = 0,
): void {
  const [w, x, y, z] = [q[qAt], q[qAt + 1], q[qAt + 2], q[qAt + 3]];
  out[at] = (1 - 2 * (y * y + z * z)) * s[0];
  out[at + 1] = 2 * (x * y + w * z) * s[0];
  out[at + 2] = 2 * (x * z - w * y) * s[0];
  out[at + 3] = 0;
  out[at + 4] = 2 * (x * y - w * z) * s[1];
  out[at + 5] = (1 - 2 * (x * x + z * z)) * s[1];
  out[at + 6] = 2 * (y * z + w * x) * s[1];
  out[at + 7] = 0;
  out[at + 8] = 2 * (x * z + w * y) * s[2];
  out[at + 9] = 2 * (y * z - w * x) * s[2];
  out[at + 10] = (1 - 2 * (x * x + y * y)) * s[2];
  out[at + 11] = 0;
  out[at + 12] = p[pAt];
  out[at + 13] = p[pAt + 1];
  out[at + 14] = p[pAt + 2];
  out[at + 15] = 1;
}

/** out = a b for affine matrices. */
function multiplyAffine(
  a: Float64Array,
  aAt: number,
  b: Float64Array,
  bAt: number,
  out: { [i: number]: number },
  at: number,
): void {
  for (let column = 0; column < 4; column++) {
    const [b0, b1, b2, b3] = [
      b[bAt + 4 * column],
      b[bAt + 4 * column + 1],
      b[bAt + 4 * column + 2],
      column === 3 ? 1 : 0,
    ];
    for (let row = 0; row < 3; row++) {
      out[at + 4 * column + row] =
        a[aAt + row] * b0 + a[aAt + 4 + row] * b1 + a[aAt + 8 + row] * b2 + a[aAt + 12 + row] * b3;
    }
    out[at + 4 * column + 3] = b3;
  }
}

export class Batch {
  readonly mesh: InstancedMesh;
  readonly pieces: AttachedPiece[];
  private readonly local: Float64Array;

  constructor(geometry: BufferGeometry, material: Material, pieces: AttachedPiece[]) {
    this.pieces = pieces;
    this.mesh = new InstancedMesh(geometry, material, pieces.length);
    this.mesh.instanceMatrix.setUsage(DynamicDrawUsage);
    // bounds change in every frame; culling all by stale bounds would be wrong and by fresh ones slow
    this.mesh.frustumCulled = false;
    this.local = new Float64Array(16 * pieces.length);
    pieces.forEach((part, i) => writeMatrix(this.local, 16 * i, part.position, part.quaternion, part.scale));
  }

  /** Moves the pieces with their bodies, whose matrices are given. */
  update(bodies: Float64Array): void {
    const out = this.mesh.instanceMatrix.array;
    for (let i = 0; i < this.pieces.length; i++) {
      multiplyAffine(bodies, 16 * this.pieces[i].body, this.local, 16 * i, out, 16 * i);
    }
    this.mesh.instanceMatrix.needsUpdate = true;
    this.mesh.boundingSphere = null;
  }

  /** Applies the palette; `highlight` gives a body another colour. */
  recolor(palette: Palette, highlight: (body: number) => string | null): void {
    const color = new Color();
    const accent = new Color();
    this.pieces.forEach((part, i) => {
      color.set(resolveColor(part.color, palette));
      const other = highlight(part.body);
      if (other) color.lerp(accent.set(other), 0.75);
      this.mesh.setColorAt(i, color);
    });
    if (this.mesh.instanceColor) this.mesh.instanceColor.needsUpdate = true;
  }
}

/** Groups pieces into batches: one for each kind and opacity, one for each mesh. */
export function makeBatches(pieces: AttachedPiece[], parent: Object3D): Batch[] {
  const groups = new Map<string, AttachedPiece[]>();
  const batches: Batch[] = [];
  for (const part of pieces) {
    if (part.kind === "mesh") {
      if (part.mesh && part.mesh.faces.length > 0) {
        batches.push(new Batch(meshGeometry(part.mesh), surface(part.opacity, true), [part]));
      }
      continue;
    }
    const key = `${part.kind} ${part.opacity}`;
    const group = groups.get(key);
    if (group) group.push(part);
    else groups.set(key, [part]);
  }
  for (const group of groups.values()) {
    const kind = group[0].kind;
    if (kind !== "mesh")
      batches.push(new Batch(unitGeometry(kind, group.length), surface(group[0].opacity), group));
  }
  for (const batch of batches) parent.add(batch.mesh);
  return batches;
}

/** Cylinders or cones between pairs of points that are set anew in every frame. */
export class Sticks {
  readonly mesh: InstancedMesh;

  constructor(
    kind: "cylinder" | "cone",
    private readonly colors: string[],
    parent: Object3D,
  ) {
    this.mesh = new InstancedMesh(unitGeometry(kind, colors.length * 2), surface(1), colors.length);
    this.mesh.instanceMatrix.setUsage(DynamicDrawUsage);
    this.mesh.frustumCulled = false;
    parent.add(this.mesh);
  }

  /** From a to b; a stick without length is not seen. */
  set(index: number, a: Triple, b: Triple, radius: number): void {
    const array = this.mesh.instanceMatrix.array;
    const at = 16 * index;
    const d: Triple = [b[0] - a[0], b[1] - a[1], b[2] - a[2]];
    const size = Math.hypot(d[0], d[1], d[2]);
    if (!(size > 0) || !Number.isFinite(size)) {
      array.fill(0, at, at + 15);
      array[at + 15] = 1;
    } else {
      writeStick(array, at, a, d, size, radius);
    }
    this.mesh.instanceMatrix.needsUpdate = true;
  }

  recolor(palette: Palette): void {
    const color = new Color();
    this.colors.forEach((role, i) => this.mesh.setColorAt(i, color.set(resolveColor(role, palette))));
    if (this.mesh.instanceColor) this.mesh.instanceColor.needsUpdate = true;
  }
}

function writeStick(
  array: { [i: number]: number },
  at: number,
  a: Triple,
  d: Triple,
  size: number,
  radius: number,
): void {
  const z: Triple = [d[0] / size, d[1] / size, d[2] / size];
  // x at right angles to z, from the coordinate axis that is farthest from it
  const least =
    Math.abs(z[0]) <= Math.abs(z[1]) && Math.abs(z[0]) <= Math.abs(z[2])
      ? 0
      : Math.abs(z[1]) <= Math.abs(z[2])
        ? 1
        : 2;
  const seed: Triple = [0, 0, 0];
  seed[least] = 1;
  const x: Triple = [
    z[1] * seed[2] - z[2] * seed[1],
    z[2] * seed[0] - z[0] * seed[2],
    z[0] * seed[1] - z[1] * seed[0],
  ];
  const norm = Math.hypot(x[0], x[1], x[2]);
  const y: Triple = [0, 0, 0];
  for (let k = 0; k < 3; k++) x[k] /= norm;
  y[0] = z[1] * x[2] - z[2] * x[1];
  y[1] = z[2] * x[0] - z[0] * x[2];
  y[2] = z[0] * x[1] - z[1] * x[0];
  for (let k = 0; k < 3; k++) {
    array[at + k] = x[k] * radius;
    array[at + 4 + k] = y[k] * radius;
    array[at + 8 + k] = d[k];
    array[at + 12 + k] = a[k] + d[k] / 2;
  }
  array[at + 3] = array[at + 7] = array[at + 11] = 0;
  array[at + 15] = 1;
}
