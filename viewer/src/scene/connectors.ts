// Things that stretch between two bodies: springs as coils, dampers and actuators as tube and rod, distance
// links.
import { Color, DynamicDrawUsage, InstancedBufferAttribute, InstancedMesh, type Object3D } from "three";
import { validPoint } from "../body_shapes";
import type { SceneData, Triple } from "../format";
import { isStretched } from "../joint_glyphs";
import { resolveColor, type Palette } from "../palette";
import type { Poses } from "../poses";
import { add, alongAxis, distance, scaled, subtract } from "../vectors";
import { Sticks, writeMatrix } from "./batch";
import { coilGeometry } from "./geometry";
import { coilSurface } from "./material";

export interface Ends {
  bodies: [number, number];
  points: [Triple, Triple];
}

interface Damper extends Ends {
  /** Length of the tube; the rod bridges what is left. */
  tube: number;
}

export function ends(
  connection: { bodies: [number, number]; points?: (Triple | null)[] | null },
  bodyCount: number,
): Ends | null {
  const first = validPoint(connection.points?.[0]);
  const second = validPoint(connection.points?.[1]);
  const known = connection.bodies.every((body) => body >= 0 && body < bodyCount);
  return first && second && known ? { bodies: connection.bodies, points: [first, second] } : null;
}

export class Connectors {
  private readonly springs: Ends[] = [];
  private readonly dampers: Damper[] = [];
  private readonly links: Ends[] = [];
  private readonly coils: InstancedMesh | null = null;
  private readonly stretch: InstancedBufferAttribute | null = null;
  private readonly sticks: Sticks;
  private readonly radius: number;

  constructor(scene: SceneData, poses: Poses, radius: number, parent: Object3D) {
    this.radius = radius;
    const colors: { damper: string[]; link: string[] } = { damper: [], link: [] };
    const world = (e: Ends): [Triple, Triple] => [
      poses.world(e.bodies[0], e.points[0]),
      poses.world(e.bodies[1], e.points[1]),
    ];
    for (const force of scene.forces ?? []) {
      const e = ends(force, scene.bodies.length);
      if (!e) continue;
      const apart = distance(...world(e));
      const isSpring = /spring|bungee/.test(force.type) && !/torsion/.test(force.type);
      if (isSpring) this.springs.push(e);
      if (/damper|actuator/.test(force.type)) {
        this.dampers.push({ ...e, tube: 0.45 * apart });
        colors.damper.push(/actuator/.test(force.type) ? "force" : "damper");
      } else if (!isSpring && !/torsion|bushing|tyre|tire|contact|friction|torque/.test(force.type)) {
        this.links.push(e);
        colors.link.push("force");
      }
    }
    for (const joint of scene.joints ?? []) {
      const e = isStretched(joint.type) ? ends(joint, scene.bodies.length) : null;
      if (!e) continue;
      this.links.push(e);
      colors.link.push(joint.type === "distance" ? "metal" : "pin");
    }
    this.sticks = new Sticks(
      "cylinder",
      [...colors.damper.flatMap((c) => [c, "pin"]), ...colors.link],
      parent,
    );
    if (this.springs.length > 0) {
      const geometry = coilGeometry(8, 0.16, this.springs.length < 60);
      this.stretch = new InstancedBufferAttribute(new Float32Array(this.springs.length), 1).setUsage(
        DynamicDrawUsage,
      );
      geometry.setAttribute("stretch", this.stretch);
      this.coils = new InstancedMesh(geometry, coilSurface(), this.springs.length);
      this.coils.instanceMatrix.setUsage(DynamicDrawUsage);
      this.coils.frustumCulled = false;
      parent.add(this.coils);
    }
  }

  update(poses: Poses): void {
    const r = this.radius;
    const world = (e: Ends): [Triple, Triple] => [
      poses.world(e.bodies[0], e.points[0]),
      poses.world(e.bodies[1], e.points[1]),
    ];
    this.springs.forEach((spring, i) => {
      if (!this.coils || !this.stretch) return;
      const [a, b] = world(spring);
      const apart = distance(a, b);
      // short springs get slim coils
      const size = Math.max(1e-9, Math.min(2.1 * r, 0.22 * apart));
      writeMatrix(this.coils.instanceMatrix.array, 16 * i, a, alongAxis(subtract(b, a)), [size, size, size]);
      this.stretch.setX(i, apart / size);
      this.coils.instanceMatrix.needsUpdate = true;
      this.stretch.needsUpdate = true;
    });
    this.dampers.forEach((damper, i) => {
      const [a, b] = world(damper);
      const apart = distance(a, b);
      const inner = add(a, scaled(subtract(b, a), Math.min(1, damper.tube / Math.max(apart, 1e-12))));
      const size = Math.min(0.85 * r, 0.09 * apart);
      this.sticks.set(2 * i, a, inner, size);
      this.sticks.set(2 * i + 1, a, b, 0.45 * size);
    });
    this.links.forEach((link, i) => this.sticks.set(2 * this.dampers.length + i, ...world(link), 0.5 * r));
  }

  recolor(palette: Palette): void {
    this.sticks.recolor(palette);
    if (!this.coils) return;
    const color = new Color(resolveColor("spring", palette));
    for (let i = 0; i < this.springs.length; i++) this.coils.setColorAt(i, color);
    if (this.coils.instanceColor) this.coils.instanceColor.needsUpdate = true;
  }
}
