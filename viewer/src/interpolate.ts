// Values between samples: search in ascending times, linear interpolation, spherical interpolation of
// rotations.

/**
 * The last index whose time is not after `time`, within [0, count - 1]; 0 before the first sample, -1 without
 * any.
 */
export function indexAt(times: ArrayLike<number>, time: number): number {
  let low = 0;
  let high = times.length - 1;
  if (high < 0) return -1;
  if (!(time > times[0])) return 0;
  if (time >= times[high]) return high;
  // times[low] <= time < times[high]
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (times[middle] <= time) low = middle;
    else high = middle;
  }
  return low;
}

/** Where `time` is: the sample before it and the fraction of the way to the next. */
export interface Place {
  index: number;
  fraction: number;
}

export function placeAt(times: ArrayLike<number>, time: number): Place {
  const index = indexAt(times, time);
  if (index < 0 || index >= times.length - 1) return { index, fraction: 0 };
  const span = times[index + 1] - times[index];
  const fraction = span > 0 ? (time - times[index]) / span : 0;
  return { index, fraction: Math.min(1, Math.max(0, fraction)) };
}

export function valueAt(times: ArrayLike<number>, values: ArrayLike<number>, time: number): number {
  const { index, fraction } = placeAt(times, time);
  if (index < 0 || index >= values.length) return NaN;
  if (fraction === 0 || index + 1 >= values.length) return values[index];
  return values[index] + fraction * (values[index + 1] - values[index]);
}

/**
 * Spherical interpolation of unit quaternions (w, x, y, z) the short way round; writes to out[at .. at + 3].
 */
export function slerp(
  a: ArrayLike<number>,
  b: ArrayLike<number>,
  fraction: number,
  out: { [index: number]: number },
  at = 0,
): void {
  let dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
  const sign = dot < 0 ? -1 : 1;
  dot *= sign;
  let first = 1 - fraction;
  let second = fraction * sign;
  // near each other the sines cancel; a line and a new normalisation are as good
  if (dot < 0.9995) {
    const angle = Math.acos(dot);
    const sine = Math.sin(angle);
    first = Math.sin((1 - fraction) * angle) / sine;
    second = (sign * Math.sin(fraction * angle)) / sine;
  }
  let norm = 0;
  for (let k = 0; k < 4; k++) {
    const value = first * a[k] + second * b[k];
    out[at + k] = value;
    norm += value * value;
  }
  norm = Math.sqrt(norm) || 1;
  for (let k = 0; k < 4; k++) out[at + k] /= norm;
}
