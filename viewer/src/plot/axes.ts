// Which curves share a y axis, and what range each axis shows. Pure: no canvas in here.
import { extent } from "../decimate";
import type { Channel } from "../run";
import { linearTicks, logTicks, paddedRange, type Tick } from "../ticks";

export interface Axis {
  /** Identifies the axis while the choice of channels changes. */
  key: string;
  unit: string;
  log: boolean;
  side: "left" | "right";
  channels: Channel[];
  low: number;
  high: number;
}

/** One axis for each unit, and logarithmic channels apart; they take turns left and right. */
export function groupAxes(channels: Channel[]): Axis[] {
  const axes: Axis[] = [];
  for (const channel of channels) {
    const key = `${channel.unit} ${channel.log ? "log" : "linear"}`;
    let axis = axes.find((candidate) => candidate.key === key);
    if (!axis) {
      const side = axes.length % 2 === 0 ? "left" : "right";
      axis = { key, unit: channel.unit, log: channel.log, side, channels: [], low: 0, high: 1 };
      axes.push(axis);
    }
    axis.channels.push(channel);
  }
  return axes;
}

/** Sets the axis to all of its data between two times. */
export function autoRange(axis: Axis, begin: number, end: number): void {
  let low = Infinity;
  let high = -Infinity;
  for (const channel of axis.channels) {
    const range = extent(channel.times, channel.data, begin, end, axis.log);
    if (!range) continue;
    low = Math.min(low, range[0]);
    high = Math.max(high, range[1]);
  }
  if (!(low <= high)) [low, high] = axis.log ? [0.1, 1] : [0, 1];
  [axis.low, axis.high] = paddedRange(low, high, axis.log);
}

/** 0 at the axis' low end, 1 at its high end; NaN where a logarithm has no value. */
export function fractionOf(axis: Axis, value: number): number {
  if (axis.log) return value > 0 ? Math.log(value / axis.low) / Math.log(axis.high / axis.low) : NaN;
  return (value - axis.low) / (axis.high - axis.low);
}

export function valueOf(axis: Axis, fraction: number): number {
  if (axis.log) return axis.low * Math.pow(axis.high / axis.low, fraction);
  return axis.low + fraction * (axis.high - axis.low);
}

export function axisTicks(axis: Axis, count: number): Tick[] {
  // within less than a decade, round numbers say more than powers of ten
  if (axis.log && axis.high / axis.low > 8) return logTicks(axis.low, axis.high, count);
  return linearTicks(axis.low, axis.high, count);
}

/** A range of times zoomed about `center`; never beyond `whole`, never below what numbers can tell apart. */
export function zoomedRange(
  range: [number, number],
  whole: [number, number],
  factor: number,
  center: number,
): [number, number] | null {
  const span = range[1] - range[0];
  const smallest = Math.max(
    1e-9 * (whole[1] - whole[0]),
    1e-13 * Math.max(Math.abs(whole[0]), Math.abs(whole[1])),
  );
  const wanted = Math.max(span / factor, smallest);
  if (wanted >= whole[1] - whole[0]) return null;
  const share = span > 0 ? (center - range[0]) / span : 0.5;
  return clampedRange([center - share * wanted, center + (1 - share) * wanted], whole);
}

/** Moves a range back into `whole` without changing its length. */
export function clampedRange([begin, end]: [number, number], whole: [number, number]): [number, number] {
  const shift = begin < whole[0] ? whole[0] - begin : end > whole[1] ? whole[1] - end : 0;
  return [begin + shift, end + shift];
}
