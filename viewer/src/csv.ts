// Channels as comma-separated values, one row for each time at which any of them has a sample.
import { indexAt } from "./interpolate";

export interface Column {
  name: string;
  unit: string;
  times: ArrayLike<number>;
  data: ArrayLike<number>;
}

/**
 * A field in quotes when it needs them. A leading =, +, - or @ would be run as a formula by spreadsheets: a
 * quote stops it.
 */
export function csvField(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n']/.test(safe) ? `"${safe.replace(/"/g, '""')}"` : safe;
}

/** Numbers are written so that they read back as the same float; what is not finite stays empty. */
export function csvText(columns: Column[]): string {
  const heading = ["time [s]", ...columns.map((c) => (c.unit ? `${c.name} [${c.unit}]` : c.name))];
  const lines = [heading.map(csvField).join(",")];
  const shared = columns.every((column) => column.times === columns[0]?.times);
  const times = shared ? Array.from(columns[0]?.times ?? []) : mergedTimes(columns);
  times.forEach((time, row) => {
    const values = columns.map((column) => {
      const index = shared ? row : indexAt(column.times, time);
      const value = index >= 0 && column.times[index] === time ? column.data[index] : NaN;
      return Number.isFinite(value) ? String(shortest(value, column.data)) : "";
    });
    lines.push([String(time), ...values].join(","));
  });
  return lines.join("\r\n") + "\r\n";
}

/** A float32 has some eight digits; the rest of its decimal expansion is noise. */
function shortest(value: number, data: ArrayLike<number>): number {
  return data instanceof Float32Array ? Number(value.toPrecision(9)) : value;
}

function mergedTimes(columns: Column[]): number[] {
  const all = new Set<number>();
  for (const column of columns) for (let i = 0; i < column.times.length; i++) all.add(column.times[i]);
  return [...all].sort((a, b) => a - b);
}
