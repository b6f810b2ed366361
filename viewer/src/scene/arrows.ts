// Arrows of reactions and of forces: length in proportion to the largest one of the run.
import { Group, type Object3D } from "three";
import { type Arrow, arrowsOf } from "../force_arrows";
import type { SceneData } from "../format";
import type { Palette } from "../palette";
import type { Poses } from "../poses";
import type { Run } from "../run";
import { add, length, scaled } from "../vectors";
import { Sticks } from "./batch";

export class Arrows {
  readonly group = new Group();
  private readonly arrows: Arrow[];
  private readonly shafts: Sticks;
  private readonly heads: Sticks;
  private largest = 0;

  constructor(
    scene: SceneData,
    run: Run,
    private readonly size: number,
    private readonly radius: number,
    parent: Object3D,
  ) {
    this.arrows = arrowsOf(scene, run);
    const colors = this.arrows.map((arrow) => arrow.color);
    this.shafts = new Sticks("cylinder", colors, this.group);
    this.heads = new Sticks("cone", colors, this.group);
    this.group.visible = false;
    parent.add(this.group);
  }

  get count(): number {
    return this.arrows.length;
  }

  /**
   * Arrows are hidden at first, and the search for the largest force waits until someone wants to see them.
   */
  show(visible: boolean): void {
    this.group.visible = visible;
    if (!visible || this.largest > 0) return;
    for (const arrow of this.arrows) {
      const data = arrow.channels.map((channel) => channel.data);
      const stride = Math.max(1, Math.floor(data[0].length / 4000));
      for (let i = 0; i < data[0].length; i += stride) {
        const force = Math.hypot(...data.map((values) => values[i]));
        if (Number.isFinite(force)) this.largest = Math.max(this.largest, force);
      }
    }
  }

  update(poses: Poses, time: number): void {
    if (!this.group.visible) return;
    const scale = this.largest > 0 ? (0.35 * this.size) / this.largest : 0;
    this.arrows.forEach((arrow, i) => {
      const force = arrow.vector(arrow.channels.map((channel) => channel.at(time)), poses);
      const from = poses.world(arrow.body, arrow.point);
      const vector = scaled(force, Number.isFinite(length(force)) ? scale : 0);
      const size = length(vector);
      const head = Math.min(3.2 * this.radius, 0.6 * size);
      const neck = add(from, scaled(vector, size > 0 ? 1 - head / size : 0));
      const width = Math.min(0.55 * this.radius, 0.12 * size);
      this.shafts.set(i, from, neck, width);
      this.heads.set(i, neck, add(from, vector), 2.4 * width);
    });
  }

  recolor(palette: Palette): void {
    this.shafts.recolor(palette);
    this.heads.recolor(palette);
  }
}
