// The mechanism in the 3D scene: made once from the model, moved to any time, coloured by theme and
// selection.
import { Group, type Raycaster } from "three";
import { validPoint } from "../body_shapes";
import type { SceneData, Triple } from "../format";
import type { Palette } from "../palette";
import { boundsOverTime, boxDiagonal, Poses, spreadTimes, type Box } from "../poses";
import type { Run } from "../run";
import { reachAlong } from "../pieces";
import { conjugate, dot, rotate, scaled } from "../vectors";
import { lookAlong } from "../view";
import { Arrows } from "./arrows";
import { assemble, normalOf, upOf, type Assembly } from "./assembly";
import { Batch, makeBatches, writeMatrix } from "./batch";
import { Connectors } from "./connectors";
import { Grid } from "./grid";
import { Lines } from "./lines";
import { Shadow } from "./shadow";
import { Traces } from "./traces";

export type Layer = "joints" | "forces" | "frames" | "arrows" | "traces" | "grid" | "labels";

export interface Label {
  text: string;
  position: Triple;
  kind: "body" | "joint" | "marker";
}

export class MechanismView {
  readonly root = new Group();
  readonly poses: Poses;
  readonly assembly: Assembly;
  /** Bounds at the beginning, and over the whole run. */
  readonly initialBounds: Box;
  readonly bounds: Box;
  /** Corners of the bodies at many times, and at the beginning: what a camera has to see. */
  readonly places: number[] = [];
  readonly initialPlaces: number[] = [];
  readonly arrows: Arrows;
  readonly traces: Traces;
  readonly grid: Grid;
  readonly up: Triple;
  readonly normal: Triple | null;
  /** Null in a plane, where it would only blur the drawing, and for very many bodies. */
  private readonly shadow: Shadow | null;
  private readonly connectors: Connectors;
  private readonly lines: Lines;
  private readonly bodyBatches: Batch[];
  private readonly otherBatches: Batch[];
  private readonly groups: Record<"joints" | "forces" | "frames", Group>;
  private readonly matrices: Float64Array;

  constructor(
    readonly scene: SceneData,
    run: Run,
  ) {
    this.poses = new Poses(scene, run.poseTimes, (name) => run.channel(name)?.data);
    this.up = upOf(scene);
    this.normal = normalOf(scene);
    const begin = run.poseTimes.length > 0 ? run.poseTimes[0] : 0;
    this.assembly = assemble(scene, this.poses, begin);
    const { corners, radius, size } = this.assembly;
    this.bounds = boundsOverTime(
      this.poses,
      corners,
      spreadTimes(run.poseTimes, scene.bodies.length > 100 ? 20 : 80),
      this.places,
    );
    this.initialBounds = boundsOverTime(this.poses, corners, [begin], this.initialPlaces);

    this.groups = { joints: new Group(), forces: new Group(), frames: new Group() };
    const bodies = new Group();
    this.root.add(bodies, this.groups.joints, this.groups.forces, this.groups.frames);
    this.groups.frames.visible = false;
    // the ground apart, because it casts no shadow: mostly it is what the shadow falls on
    this.bodyBatches = [true, false].flatMap((ground) =>
      makeBatches(
        this.assembly.bodies.filter((part) => (part.body === 0) === ground),
        bodies,
      ),
    );
    this.otherBatches = [
      ...makeBatches(this.assembly.joints, this.groups.joints),
      ...makeBatches(this.assembly.forces, this.groups.forces),
      ...makeBatches(this.assembly.frames, this.groups.frames),
    ];
    this.connectors = new Connectors(scene, this.poses, radius, this.groups.forces);
    this.lines = new Lines(scene, this.poses, radius, this.root);
    this.arrows = new Arrows(scene, run, size, radius, this.root);
    this.traces = new Traces(scene, this.poses, run.poseTimes, this.root);
    this.grid = this.makeGrid(spreadTimes(run.poseTimes, scene.bodies.length > 100 ? 8 : 60));
    this.shadow = this.normal === null && scene.bodies.length <= 300 ? this.makeShadow() : null;
    this.matrices = new Float64Array(16 * scene.bodies.length);
    this.update(begin);
  }

  /** A floor under everything; behind the mechanism when that moves in an upright plane. */
  private makeGrid(times: number[]): Grid {
    const { up, normal } = this;
    const size = boxDiagonal(this.initialBounds);
    const flat = normal !== null && Math.abs(dot(normal, up)) < 0.9;
    const axis = flat && normal ? normal : up;
    let height = this.lowest(axis, times) - (flat ? 2 * this.assembly.radius : 0);
    // a floor at zero if that is about where the mechanism ends: wheels may press into the road a little
    if (!flat && height > -0.02 * size && height < 0.3 * size) height = 0;
    // lines at round numbers of the world's own axes: only the height along the normal is free
    const orientation = lookAlong(
      scaled(axis, -1),
      flat ? up : Math.abs(up[1]) > 0.9 ? [0, 0, -1] : [0, 1, 0],
    );
    return new Grid(scaled(axis, height), orientation, this.root);
  }

  /** The lowest place along an axis that anything but the ground's own shapes gets to. */
  private lowest(axis: Triple, times: number[]): number {
    const down = scaled(axis, -1);
    const pieces = [...this.assembly.bodies.filter((part) => part.body > 0), ...this.assembly.joints];
    let most = -Infinity;
    for (const time of times) {
      this.poses.moveTo(time);
      for (const part of pieces) {
        const local = rotate(conjugate(this.poses.quaternion(part.body)), down);
        most = Math.max(most, dot(this.poses.position(part.body), down) + reachAlong(part, local));
      }
    }
    return Number.isFinite(most) ? -most : 0;
  }

  private makeShadow(): Shadow {
    for (const batch of [...this.bodyBatches, ...this.otherBatches]) {
      const { opacity, body } = batch.pieces[0];
      const isGround = body === 0 && this.bodyBatches.includes(batch);
      batch.mesh.castShadow = opacity === 1 && !isGround && batch.mesh.parent !== this.groups.frames;
    }
    const travels = boxDiagonal(this.bounds) > 4 * boxDiagonal(this.initialBounds);
    return new Shadow(
      boxDiagonal(travels ? this.initialBounds : this.bounds) * 1.1 || 1,
      this.up,
      this.grid.mesh,
      this.root,
    );
  }

  update(time: number): void {
    this.poses.moveTo(time);
    const values = this.poses.values;
    for (let body = 0; body < this.scene.bodies.length; body++) {
      writeMatrix(this.matrices, 16 * body, values, values, [1, 1, 1], 7 * body, 7 * body + 3);
    }
    for (const batch of this.bodyBatches) batch.update(this.matrices);
    for (const batch of this.otherBatches) if (batch.mesh.parent?.visible) batch.update(this.matrices);
    this.connectors.update(this.poses);
    this.lines.update(this.poses);
    this.arrows.update(this.poses, time);
    this.traces.update(time);
    this.shadow?.update(this.centerOf(null));
  }

  setLayer(layer: Layer, visible: boolean): void {
    if (layer === "arrows") this.arrows.show(visible);
    else if (layer === "traces") this.traces.group.visible = visible;
    else if (layer === "grid") this.grid.mesh.visible = visible;
    else if (layer !== "labels") this.groups[layer].visible = visible;
  }

  recolor(palette: Palette, highlight: (body: number) => string | null): void {
    for (const batch of this.bodyBatches) batch.recolor(palette, highlight);
    for (const batch of this.otherBatches) batch.recolor(palette, () => null);
    this.connectors.recolor(palette);
    this.lines.recolor(palette);
    this.arrows.recolor(palette);
    this.traces.recolor(palette);
    this.grid.recolor(palette);
  }

  recolorBodies(palette: Palette, highlight: (body: number) => string | null): void {
    for (const batch of this.bodyBatches) batch.recolor(palette, highlight);
  }

  /** The body the ray meets first. */
  pick(ray: Raycaster): number | null {
    let best: { distance: number; body: number } | null = null;
    for (const batch of this.bodyBatches) {
      for (const hit of ray.intersectObject(batch.mesh, false)) {
        if (hit.instanceId === undefined || (best && hit.distance >= best.distance)) continue;
        best = { distance: hit.distance, body: batch.pieces[hit.instanceId].body };
      }
    }
    return best ? best.body : null;
  }

  /** The middle of a body, or of all moving ones. */
  centerOf(body: number | null): Triple {
    if (body !== null && this.scene.bodies[body]) {
      return this.poses.world(body, validPoint(this.scene.bodies[body].center) ?? [0, 0, 0]);
    }
    const sum: Triple = [0, 0, 0];
    const count = this.scene.bodies.length - 1;
    for (let i = 1; i <= count; i++) {
      const point = this.poses.world(i, validPoint(this.scene.bodies[i].center) ?? [0, 0, 0]);
      for (let k = 0; k < 3; k++) sum[k] += point[k] / count;
    }
    return sum;
  }

  labels(): Label[] {
    const labels: Label[] = [];
    this.scene.bodies.forEach((body, index) => {
      if (index > 0) labels.push({ text: body.name, position: this.centerOf(index), kind: "body" });
    });
    for (const joint of this.scene.joints ?? []) {
      const point = validPoint(joint.points?.[0]);
      if (point && this.scene.bodies[joint.bodies[0]]) {
        labels.push({ text: joint.name, position: this.poses.world(joint.bodies[0], point), kind: "joint" });
      }
    }
    for (const marker of this.scene.markers ?? []) {
      const point = validPoint(marker.point);
      if (point && this.scene.bodies[marker.body]) {
        labels.push({ text: marker.name, position: this.poses.world(marker.body, point), kind: "marker" });
      }
    }
    return labels;
  }

  dispose(): void {
    this.root.traverse((object) => {
      const mesh = object as Partial<{
        geometry: { dispose(): void };
        material: { dispose(): void };
        dispose(): void;
      }>;
      mesh.geometry?.dispose();
      mesh.material?.dispose();
      mesh.dispose?.();
    });
  }
}
