// Where every body is at any time, from the sampled poses; and the bounds of the whole motion.
import { decodeArray, type Numbers } from "./decode";
import type { Quadruple, SceneData, Triple } from "./format";
import { placeAt, slerp } from "./interpolate";
import { add, rotate } from "./vectors";

/** Poses of all bodies at one time: seven numbers a body, x y z qw qx qy qz. */
export class Poses {
  readonly count: number;
  readonly values: Float64Array;
  private times: Numbers;
  private samples: (Numbers[] | null)[];
  private readonly before = new Float64Array(4);
  private readonly after = new Float64Array(4);

  /** `channel` finds the values of a channel by its name, where poses name channels. */
  constructor(
    private readonly scene: SceneData,
    times: Numbers,
    channel: (name: string) => Numbers | undefined = () => undefined,
  ) {
    this.count = scene.bodies.length;
    this.times = times;
    this.values = new Float64Array(7 * this.count);
    this.samples = [];
    this.read(times, channel);
    for (let body = 0; body < this.count; body++) this.values[7 * body + 3] = 1;
    this.moveTo(times.length > 0 ? times[0] : 0);
  }

  /** Takes the poses as they are by now: of a run that goes on there are more. */
  read(times: Numbers, channel: (name: string) => Numbers | undefined): void {
    this.times = times;
    this.samples = this.scene.bodies.map((body, index) => {
      if (index === 0 || !Array.isArray(body.pose) || body.pose.length < 7) return null;
      const arrays = body.pose
        .slice(0, 7)
        .map((packed) =>
          typeof packed === "number"
            ? new Float64Array(times.length).fill(packed)
            : typeof packed === "string"
              ? (channel(packed) ?? new Float64Array(0))
              : decodeArray(packed),
        );
      return arrays.every((array) => array.length > 0) ? arrays : null;
    });
  }

  /** Interpolates all poses at `time`. A sample that is not finite keeps the body where it last was. */
  moveTo(time: number): void {
    const { index, fraction } = placeAt(this.times, time);
    if (index < 0) return;
    for (let body = 1; body < this.count; body++) {
      const arrays = this.samples[body];
      if (arrays) this.interpolate(arrays, 7 * body, index, fraction);
    }
  }

  private interpolate(arrays: Numbers[], at: number, index: number, fraction: number): void {
    const last = arrays[0].length - 1;
    const i = Math.min(index, last);
    const j = Math.min(index + 1, last);
    for (let k = 0; k < 7; k++) {
      if (!Number.isFinite(arrays[k][i]) || !Number.isFinite(arrays[k][j])) return;
    }
    for (let k = 0; k < 3; k++) this.values[at + k] = arrays[k][i] + fraction * (arrays[k][j] - arrays[k][i]);
    for (let k = 0; k < 4; k++) {
      this.before[k] = arrays[3 + k][i];
      this.after[k] = arrays[3 + k][j];
    }
    slerp(this.before, this.after, fraction, this.values, at + 3);
  }

  position(body: number): Triple {
    const v = this.values;
    return [v[7 * body], v[7 * body + 1], v[7 * body + 2]];
  }

  quaternion(body: number): Quadruple {
    const v = this.values;
    return [v[7 * body + 3], v[7 * body + 4], v[7 * body + 5], v[7 * body + 6]];
  }

  /** A point of a body's frame in the world. */
  world(body: number, point: Triple): Triple {
    return add(this.position(body), rotate(this.quaternion(body), point));
  }

  direction(body: number, vector: Triple): Triple {
    return rotate(this.quaternion(body), vector);
  }
}

export interface Box {
  low: Triple;
  high: Triple;
}

export function emptyBox(): Box {
  return { low: [Infinity, Infinity, Infinity], high: [-Infinity, -Infinity, -Infinity] };
}

export function grow(box: Box, point: Triple): void {
  for (let k = 0; k < 3; k++) {
    if (!Number.isFinite(point[k])) return;
  }
  for (let k = 0; k < 3; k++) {
    if (point[k] < box.low[k]) box.low[k] = point[k];
    if (point[k] > box.high[k]) box.high[k] = point[k];
  }
}

export const boxIsEmpty = (box: Box): boolean => !(box.low[0] <= box.high[0]);

export const boxCenter = (box: Box): Triple =>
  boxIsEmpty(box) ? [0, 0, 0] : ([0, 1, 2].map((k) => (box.low[k] + box.high[k]) / 2) as Triple);

export const boxDiagonal = (box: Box): number =>
  boxIsEmpty(box) ? 0 : Math.hypot(...[0, 1, 2].map((k) => box.high[k] - box.low[k]));

/**
 * Bounds of given points of bodies at each of `times`; the poses are left at the last of them. The places
 * themselves are added to `places`, if it is given.
 */
export function boundsOverTime(poses: Poses, points: Triple[][], times: number[], places?: number[]): Box {
  const box = emptyBox();
  for (const time of times) {
    poses.moveTo(time);
    points.forEach((list, body) => {
      for (const point of list) {
        const place = poses.world(body, point);
        grow(box, place);
        if (places && place.every(Number.isFinite)) places.push(...place);
      }
    });
  }
  return box;
}

/** At most `count` times spread over the run, with both ends. */
export function spreadTimes(times: ArrayLike<number>, count: number): number[] {
  if (times.length <= count) return Array.from(times);
  return Array.from({ length: count }, (_, i) => times[Math.round((i * (times.length - 1)) / (count - 1))]);
}
