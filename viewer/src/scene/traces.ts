// The paths of traced markers: all of the path faintly, what is already past strongly.
import { Color, Group, type Object3D } from "three";
import { Line2 } from "three/addons/lines/Line2.js";
import { LineGeometry } from "three/addons/lines/LineGeometry.js";
import { LineMaterial } from "three/addons/lines/LineMaterial.js";
import type { SceneData } from "../format";
import { indexAt } from "../interpolate";
import { resolveColor, type Palette } from "../palette";
import { spreadTimes, type Poses } from "../poses";
import { budget } from "./geometry";

export class Traces {
  readonly group = new Group();
  readonly count: number;
  private readonly times: number[];
  private readonly pasts: Line2[] = [];
  private readonly materials: { line: LineMaterial; index: number }[] = [];

  constructor(scene: SceneData, poses: Poses, times: ArrayLike<number>, parent: Object3D) {
    const markers = (scene.markers ?? [])
      .filter((marker) => marker.trace && scene.bodies[marker.body])
      .slice(0, 40);
    this.count = markers.length;
    // a line is six triangles for each sample, twice
    this.times = spreadTimes(
      times,
      Math.min(3000, Math.max(300, Math.floor(budget.triangles / 12 / Math.max(1, markers.length)))),
    );
    const paths: number[][] = markers.map(() => []);
    if (markers.length > 0 && this.times.length > 1) {
      for (const time of this.times) {
        poses.moveTo(time);
        markers.forEach((marker, i) => paths[i].push(...poses.world(marker.body, marker.point)));
      }
      paths.forEach((path, index) => this.addPath(path, index));
    }
    parent.add(this.group);
  }

  private addPath(path: number[], index: number): void {
    for (const past of [false, true]) {
      const geometry = new LineGeometry();
      geometry.setPositions(path);
      const line = new LineMaterial({
        linewidth: past ? 2.4 : 1.4,
        transparent: true,
        opacity: past ? 0.95 : 0.35,
        depthTest: past,
      });
      const mesh = new Line2(geometry, line);
      mesh.frustumCulled = false;
      mesh.renderOrder = past ? 3 : 2;
      this.group.add(mesh);
      this.materials.push({ line, index });
      if (past) this.pasts.push(mesh);
    }
  }

  update(time: number): void {
    const count = Math.max(0, indexAt(this.times, time));
    for (const line of this.pasts) {
      line.geometry.instanceCount = count;
      line.visible = count > 0;
    }
  }

  resize(width: number, height: number): void {
    for (const { line } of this.materials) line.resolution.set(width, height);
  }

  recolor(palette: Palette): void {
    for (const { line, index } of this.materials) {
      const color =
        index === 0 ? resolveColor("trace", palette) : palette.curves[index % palette.curves.length];
      line.color = new Color(color);
    }
  }
}
