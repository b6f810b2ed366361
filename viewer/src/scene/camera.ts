// The eye: a target, an orientation and a visible height, drawn in perspective or not. Moves smoothly between
// views.
import { OrthographicCamera, PerspectiveCamera, Quaternion, type Camera, Vector3 } from "three";
import type { Quadruple, Triple } from "../format";
import { slerp } from "../interpolate";
import { add, rotate, scaled, subtract } from "../vectors";
import { fitPoints, orbited } from "../view";

const angle = (30 * Math.PI) / 180;
const slope = Math.tan(angle / 2);

export class Eye {
  target: Triple = [0, 0, 0];
  orientation: Quadruple = [1, 0, 0, 0];
  height = 2;
  perspective = true;
  up: Triple = [0, 0, 1];
  /** Largest distance of anything from the origin: decides the depth range. */
  reach = 10;
  aspect = 1;
  private readonly perspectiveCamera = new PerspectiveCamera(30, 1, 0.1, 100);
  private readonly flatCamera = new OrthographicCamera(-1, 1, 1, -1, 0.1, 100);
  private journey: {
    from: [Triple, Quadruple, number];
    to: [Triple, Quadruple, number];
    start: number;
  } | null = null;

  get camera(): Camera {
    return this.perspective ? this.perspectiveCamera : this.flatCamera;
  }

  /** Distance of the eye from its target. */
  get distance(): number {
    return this.height / 2 / slope;
  }

  orbit(across: number, upwards: number): void {
    this.journey = null;
    this.orientation = orbited(this.orientation, this.up, across, upwards);
  }

  /** Shifts the picture by a part of its height. */
  pan(right: number, upwards: number): void {
    this.journey = null;
    const move = rotate(this.orientation, [-right * this.height, -upwards * this.height, 0]);
    this.target = add(this.target, move);
  }

  /** Makes things larger by `factor`, keeping what is at (x, y) in place: -1 .. 1 across and up. */
  zoom(factor: number, x = 0, y = 0): void {
    this.journey = null;
    const height = Math.min(1e9, Math.max(1e-9, this.height / factor));
    const shift = (this.height - height) / 2;
    this.target = add(this.target, rotate(this.orientation, [x * this.aspect * shift, y * shift, 0]));
    this.height = height;
  }

  fit(points: ArrayLike<number>, orientation: Quadruple, animate: boolean): void {
    const fit = fitPoints(points, orientation, this.aspect, this.perspective ? angle : null);
    this.travel(fit.target, orientation, fit.height, animate);
  }

  travel(target: Triple, orientation: Quadruple, height: number, animate: boolean): void {
    const calm = typeof matchMedia === "function" && matchMedia("(prefers-reduced-motion: reduce)").matches;
    if (!animate || calm) {
      this.journey = null;
      [this.target, this.orientation, this.height] = [target, orientation, height];
      return;
    }
    this.journey = {
      from: [this.target, this.orientation, this.height],
      to: [target, orientation, height],
      start: performance.now(),
    };
  }

  /** Moves the target along with what is followed. */
  shift(by: Triple): void {
    this.target = add(this.target, by);
    if (!this.journey) return;
    this.journey.from[0] = add(this.journey.from[0], by);
    this.journey.to[0] = add(this.journey.to[0], by);
  }

  /** Goes on with a move between views; true while there is more to go. */
  step(): boolean {
    if (!this.journey) return false;
    const part = Math.min(1, (performance.now() - this.journey.start) / 320);
    const ease = part * part * (3 - 2 * part);
    const { from, to } = this.journey;
    this.target = add(from[0], scaled(subtract(to[0], from[0]), ease));
    const turn: Quadruple = [1, 0, 0, 0];
    slerp(from[1], to[1], ease, turn);
    this.orientation = turn;
    this.height = from[2] * Math.pow(to[2] / from[2], ease);
    if (part >= 1) this.journey = null;
    return this.journey !== null;
  }

  /** Brings the camera up to date before drawing. */
  apply(): void {
    const back = rotate(this.orientation, [0, 0, 1]);
    const depth = 2 * (this.reach + Math.hypot(...this.target)) + 8 * this.height;
    const away = this.perspective ? this.distance : depth;
    const camera = this.perspective ? this.perspectiveCamera : this.flatCamera;
    camera.position.copy(new Vector3(...add(this.target, scaled(back, away))));
    camera.quaternion.copy(
      new Quaternion(this.orientation[1], this.orientation[2], this.orientation[3], this.orientation[0]),
    );
    camera.near = this.perspective ? Math.max(away / 200, away - depth) : 0;
    camera.far = away + depth;
    if (camera instanceof PerspectiveCamera) {
      camera.aspect = this.aspect;
    } else {
      const half = this.height / 2;
      [camera.left, camera.right, camera.top, camera.bottom] = [
        -half * this.aspect,
        half * this.aspect,
        half,
        -half,
      ];
    }
    camera.updateProjectionMatrix();
    camera.updateMatrixWorld();
  }
}
