// The lines of a drawing: sticks between points that move.
import type { Object3D } from "three";
import type { SceneData, Triple } from "../format";
import type { Palette } from "../palette";
import type { Poses } from "../poses";
import { distance } from "../vectors";
import { Sticks } from "./batch";
import { ends, type Ends } from "./connectors";

export class Lines {
  private readonly list: Ends[];
  private readonly radii: number[];
  private readonly sticks: Sticks | null;

  constructor(scene: SceneData, poses: Poses, radius: number, parent: Object3D) {
    this.list = (scene.lines ?? []).flatMap((line) => ends(line, scene.bodies.length) ?? []);
    // thin against their length, so that a chain of many still shows its links
    this.radii = this.list.map((line) => Math.min(0.6 * radius, 0.08 * distance(...world(poses, line)) || radius));
    this.sticks =
      this.list.length > 0
        ? new Sticks(
            "cylinder",
            this.list.map(() => "metal"),
            parent,
          )
        : null;
  }

  update(poses: Poses): void {
    this.list.forEach((line, i) => this.sticks?.set(i, ...world(poses, line), this.radii[i]));
  }

  recolor(palette: Palette): void {
    this.sticks?.recolor(palette);
  }
}

const world = (poses: Poses, line: Ends): [Triple, Triple] => [
  poses.world(line.bodies[0], line.points[0]),
  poses.world(line.bodies[1], line.points[1]),
];
