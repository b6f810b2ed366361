// The unit geometries that all pieces are instances of, and the geometry of meshes of the model.
import { BoxGeometry, BufferGeometry, CylinderGeometry, Float32BufferAttribute, SphereGeometry } from "three";
import type { Triple } from "../format";
import type { Piece, PieceKind } from "../pieces";

/**
 * How many triangles a kind of piece may have in all. A graphics card takes many; drawing in software, few.
 */
export const budget = { triangles: 300000 };

/** Facets around a piece, such that `count` of them stay within the budget. */
function facets(kind: PieceKind, count: number): number {
  const each = budget.triangles / Math.max(1, count);
  return kind === "sphere"
    ? Math.round(Math.min(32, Math.max(8, Math.sqrt(each / 1.2))))
    : Math.round(Math.min(40, Math.max(8, each / 4)));
}

export function unitGeometry(kind: Exclude<PieceKind, "mesh">, count: number): BufferGeometry {
  const around = facets(kind, count);
  switch (kind) {
    case "box":
      return new BoxGeometry(1, 1, 1);
    case "sphere":
      return new SphereGeometry(1, around, Math.ceil(around * 0.6));
    case "cylinder":
      return new CylinderGeometry(1, 1, 1, around).rotateX(Math.PI / 2);
    case "cone":
      return new CylinderGeometry(0, 1, 1, around).rotateX(Math.PI / 2);
    case "wedge":
      return wedge();
  }
}

/** A triangle in the plane of x and z, apex up, extruded along y. */
function wedge(): BufferGeometry {
  const vertices: Triple[] = [
    [-1, -1, -0.5],
    [1, -1, -0.5],
    [0.25, -1, 0.5],
    [-0.25, -1, 0.5],
    [-1, 1, -0.5],
    [1, 1, -0.5],
    [0.25, 1, 0.5],
    [-0.25, 1, 0.5],
  ];
  const faces = [
    [0, 1, 2, 3],
    [7, 6, 5, 4],
    [1, 5, 6, 2],
    [4, 0, 3, 7],
    [4, 5, 1, 0],
    [3, 2, 6, 7],
  ];
  return meshGeometry({ vertices, faces });
}

/** Faces as fans of triangles with their own corners, so that edges stay sharp. */
export function meshGeometry(mesh: NonNullable<Piece["mesh"]>): BufferGeometry {
  const positions: number[] = [];
  for (const face of mesh.faces) {
    for (let k = 1; k + 1 < face.length; k++) {
      for (const index of [face[0], face[k], face[k + 1]])
        positions.push(...mesh.vertices[index].slice(0, 3));
    }
  }
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new Float32BufferAttribute(positions, 3));
  geometry.computeVertexNormals();
  return geometry;
}

/**
 * A coil of radius 1 along z. `position` holds the wire around a centre line flattened to z = 0; the
 * attribute `along`, 0 to 1, says how far along the spring a vertex is. The shader stretches it, so the wire
 * keeps its thickness.
 */
export function coilGeometry(turns: number, wire: number, detailed: boolean): BufferGeometry {
  const steps = turns * (detailed ? 20 : 10);
  const around = detailed ? 8 : 5;
  const positions: number[] = [];
  const normals: number[] = [];
  const along: number[] = [];
  const indices: number[] = [];
  for (let i = 0; i <= steps; i++) {
    const t = i / steps;
    // a straight piece at each end, then out to the coil
    const coil = Math.min(1, Math.max(0, (t - 0.1) / 0.8));
    const radius = Math.min(1, 9 * Math.min(coil, 1 - coil));
    const angle = 2 * Math.PI * turns * coil;
    const [c, s] = [Math.cos(angle), Math.sin(angle)];
    for (let k = 0; k < around; k++) {
      const phase = (2 * Math.PI * k) / around;
      const [outward, axial] = [Math.cos(phase), Math.sin(phase)];
      positions.push((radius + wire * outward) * c, (radius + wire * outward) * s, wire * axial);
      normals.push(outward * c, outward * s, axial);
      along.push(t);
      if (i === steps) continue;
      const a = i * around + k;
      const b = i * around + ((k + 1) % around);
      indices.push(a, a + around, b, b, a + around, b + around);
    }
  }
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new Float32BufferAttribute(positions, 3));
  geometry.setAttribute("normal", new Float32BufferAttribute(normals, 3));
  geometry.setAttribute("along", new Float32BufferAttribute(along, 1));
  geometry.setIndex(indices);
  return geometry;
}
