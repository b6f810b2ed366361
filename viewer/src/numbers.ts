// How numbers are written for people: values, times, speeds.
import { powerOfTen } from "./ticks";

/** A value with a few significant digits and a true minus sign. */
export function formatValue(value: number, digits = 5): string {
  if (Number.isNaN(value)) return "–";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  if (value === 0) return "0";
  const size = Math.abs(value);
  const sign = value < 0 ? "−" : "";
  const exponent = Math.floor(Math.log10(size));
  if (exponent >= 6 || exponent < -4) {
    const [mantissa, power] = size.toExponential(digits - 1).split("e");
    return `${sign}${mantissa}·${powerOfTen(Number(power))}`;
  }
  // never with an exponent here, and rounding may carry into the next decade
  return sign + size.toFixed(Math.max(0, digits - 1 - exponent));
}

/** Decimals that tell the samples of a run of this length apart. */
export function timeDecimals(duration: number): number {
  if (!(duration > 0)) return 3;
  return Math.min(12, Math.max(2, 3 - Math.floor(Math.log10(duration))));
}

export function formatTime(time: number, duration: number): string {
  const text = Math.abs(time).toFixed(timeDecimals(duration));
  return time < 0 && Number(text) !== 0 ? `−${text}` : text;
}

/** The playback speed: "1×", "0.02×", "1/500×" would be harder to compare. */
export function formatSpeed(speed: number): string {
  const digits = speed >= 100 ? 0 : speed >= 10 ? 1 : 2;
  let text = speed >= 0.1 ? speed.toFixed(digits) : String(Number(speed.toPrecision(2)));
  if (text.includes(".") && !text.includes("e")) text = text.replace(/\.?0+$/, "");
  if (text.includes("e")) text = formatValue(speed, 2);
  return `${text}×`;
}
