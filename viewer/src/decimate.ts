// Reduces long curves to what the pixels of a plot can show, keeping every peak: first, lowest, highest, last
// of a column.
import { indexAt } from "./interpolate";

/** Points of a curve in data coordinates; NaN in y breaks the line. */
export interface Curve {
  x: number[];
  y: number[];
}

/** Samples of [begin, end], and the neighbour on each side so that lines reach the frame's edge. */
export function visibleRange(times: ArrayLike<number>, begin: number, end: number): [number, number] {
  if (times.length === 0) return [0, -1];
  let first = indexAt(times, begin);
  let last = indexAt(times, end);
  // a jump has two samples at one time: take both
  while (first > 0 && times[first - 1] >= begin) first--;
  if (last < times.length - 1 && times[last] < end) last++;
  return [first, last];
}

export function decimate(
  times: ArrayLike<number>,
  values: ArrayLike<number>,
  begin: number,
  end: number,
  columns: number,
): Curve {
  const [first, last] = visibleRange(times, begin, Math.max(begin, end));
  const stop = Math.min(last, values.length - 1);
  const curve: Curve = { x: [], y: [] };
  if (stop - first + 1 <= 4 * columns) {
    for (let i = first; i <= stop; i++) {
      curve.x.push(times[i]);
      curve.y.push(values[i]);
    }
    return curve;
  }
  const width = (end - begin) / columns;
  let i = first;
  while (i <= stop) {
    const column = Math.floor((times[i] - begin) / width);
    const edge = begin + (column + 1) * width;
    i = Math.max(pushColumn(times, values, i, stop, edge, curve), i + 1);
  }
  return curve;
}

/**
 * Adds the extremes of the samples from `start` that lie before `edge`, in the order they come; returns the
 * next sample.
 */
function pushColumn(
  times: ArrayLike<number>,
  values: ArrayLike<number>,
  start: number,
  stop: number,
  edge: number,
  curve: Curve,
): number {
  let low = -1;
  let high = -1;
  let gap = -1;
  let i = start;
  for (; i <= stop && (i === start || times[i] < edge); i++) {
    const value = values[i];
    if (!Number.isFinite(value)) {
      gap = i;
      continue;
    }
    if (low < 0 || value < values[low]) low = i;
    if (high < 0 || value > values[high]) high = i;
  }
  const keep = new Set([start, low, high, gap, i - 1].filter((index) => index >= 0));
  for (const index of [...keep].sort((a, b) => a - b)) {
    curve.x.push(times[index]);
    curve.y.push(values[index]);
  }
  return i;
}

/**
 * Lowest and highest finite value between two times (interpolated ends are within their neighbours); null if
 * none.
 */
export function extent(
  times: ArrayLike<number>,
  values: ArrayLike<number>,
  begin: number,
  end: number,
  positiveOnly = false,
): [number, number] | null {
  const [first, last] = visibleRange(times, begin, end);
  let low = Infinity;
  let high = -Infinity;
  for (let i = first; i <= Math.min(last, values.length - 1); i++) {
    const value = values[i];
    if (!Number.isFinite(value) || (positiveOnly && value <= 0)) continue;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return low <= high ? [low, high] : null;
}
