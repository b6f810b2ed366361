// Ticks of linear and logarithmic axes, and ranges that leave a little room around the data.

export interface Tick {
  value: number;
  /** Empty for a minor tick. */
  label: string;
}

/** The step 1, 2 or 5 times a power of ten that gives about `count` intervals. */
export function niceStep(span: number, count: number): number {
  if (!(span > 0) || !Number.isFinite(span)) return 1;
  const rough = span / Math.max(1, count);
  const power = Math.pow(10, Math.floor(Math.log10(rough)));
  const ratio = rough / power;
  return power * (ratio < 1.5 ? 1 : ratio < 3.5 ? 2 : ratio < 7.5 ? 5 : 10);
}

const superscripts = "⁰¹²³⁴⁵⁶⁷⁸⁹";

export function powerOfTen(exponent: number): string {
  const digits = String(Math.abs(exponent)).replace(/\d/g, (digit) => superscripts[Number(digit)]);
  return `10${exponent < 0 ? "⁻" : ""}${digits}`;
}

/** A number with a true minus sign, at the resolution of `step`. */
export function tickLabel(value: number, step: number): string {
  if (value === 0 || Math.abs(value) < step * 1e-9) return "0";
  const size = Math.abs(value);
  const decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  let text: string;
  if (size >= 1e6 || size < 1e-4 || decimals > 7) {
    const exponent = Math.floor(Math.log10(size) + 1e-12);
    const digits = Math.max(0, exponent - Math.floor(Math.log10(step) + 1e-9));
    const mantissa = (size / Math.pow(10, exponent)).toFixed(Math.min(digits, 12));
    text = mantissa === "1" ? powerOfTen(exponent) : `${mantissa}·${powerOfTen(exponent)}`;
  } else {
    text = size.toFixed(decimals);
  }
  return value < 0 ? `−${text}` : text;
}

export function linearTicks(low: number, high: number, count: number): Tick[] {
  const step = niceStep(high - low, count);
  const ticks: Tick[] = [];
  const first = Math.ceil(low / step - 1e-9);
  const last = Math.floor(high / step + 1e-9);
  for (let k = first; k <= last && ticks.length < 100; k++) {
    ticks.push({ value: k * step, label: tickLabel(k * step, step) });
  }
  return ticks;
}

/**
 * Powers of ten with labels on at most `count` of them; within a decade or two also minor ticks at 2 .. 9.
 */
export function logTicks(low: number, high: number, count: number): Tick[] {
  const first = Math.floor(Math.log10(low) + 1e-12);
  const last = Math.ceil(Math.log10(high) - 1e-12);
  const every = Math.max(1, Math.ceil((last - first) / Math.max(1, count)));
  const ticks: Tick[] = [];
  const add = (value: number, label: string): void => {
    if (value >= low * (1 - 1e-12) && value <= high * (1 + 1e-12)) ticks.push({ value, label });
  };
  for (let exponent = first; exponent <= last; exponent++) {
    const power = Math.pow(10, exponent);
    add(power, (exponent - first) % every === 0 ? powerOfTen(exponent) : "");
    if (last - first > 6) continue;
    for (let digit = 2; digit <= 9; digit++) {
      add(
        digit * power,
        last - first <= 1 && (digit === 2 || digit === 5) ? tickLabel(digit * power, power) : "",
      );
    }
  }
  return ticks;
}

/**
 * The range an axis shows for data in [low, high]: some air, and something sensible when all values are
 * equal.
 */
export function paddedRange(low: number, high: number, log: boolean): [number, number] {
  if (log) {
    const ratio = high / low;
    const factor = ratio > 1.0001 ? Math.pow(ratio, 0.05) : 3;
    return [low / factor, high * factor];
  }
  const span = high - low;
  const size = Math.max(Math.abs(low), Math.abs(high));
  // differences at the level of round-off are not worth a zoom
  if (span <= size * 1e-12) return size === 0 ? [-1, 1] : [low - 0.1 * size, high + 0.1 * size];
  return [low - 0.06 * span, high + 0.06 * span];
}
