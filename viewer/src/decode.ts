// Decodes the packed arrays of a page into typed arrays.
import type { PackedArray } from "./format";

export type Numbers = Float32Array | Float64Array;

function bytesOfBase64(text: string): Uint8Array {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

/** The packed bytes are little-endian whatever the machine; nearly every machine is, and needs no copy. */
const machineIsLittleEndian = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;

function floats(bytes: Uint8Array, width: 4 | 8): Numbers {
  const count = Math.floor(bytes.length / width);
  if (machineIsLittleEndian) {
    return width === 4 ? new Float32Array(bytes.buffer, 0, count) : new Float64Array(bytes.buffer, 0, count);
  }
  const view = new DataView(bytes.buffer);
  const values = width === 4 ? new Float32Array(count) : new Float64Array(count);
  for (let i = 0; i < count; i++) {
    values[i] = width === 4 ? view.getFloat32(4 * i, true) : view.getFloat64(8 * i, true);
  }
  return values;
}

/** A list's null, and whatever else is not a number, becomes NaN; a missing array is empty. */
export function decodeArray(packed: PackedArray | null | undefined): Numbers {
  if (!packed) return new Float64Array(0);
  if (Array.isArray(packed)) {
    return Float64Array.from(packed, (value) => (typeof value === "number" ? value : NaN));
  }
  if ("f64" in packed) return floats(bytesOfBase64(packed.f64), 8);
  if ("f32" in packed) return floats(bytesOfBase64(packed.f32), 4);
  return new Float64Array(0);
}

/** Numbers with room behind them, so that a few more do not cost a copy of all. */
export class GrowingNumbers {
  private count: number;

  constructor(private buffer: Numbers) {
    this.count = buffer.length;
  }

  push(value: number): void {
    if (this.count === this.buffer.length) {
      const room = Math.max(64, 2 * this.count);
      const larger = this.buffer instanceof Float32Array ? new Float32Array(room) : new Float64Array(room);
      larger.set(this.buffer);
      this.buffer = larger;
    }
    this.buffer[this.count++] = value;
  }

  get numbers(): Numbers {
    return this.buffer.subarray(0, this.count);
  }
}

/** Packs values as base64 of float32 or float64, for tests and fixtures. */
export function encodeArray(values: ArrayLike<number>, width: 4 | 8 = 8): PackedArray {
  const view = new DataView(new ArrayBuffer(values.length * width));
  for (let i = 0; i < values.length; i++) {
    if (width === 4) view.setFloat32(4 * i, values[i], true);
    else view.setFloat64(8 * i, values[i], true);
  }
  let binary = "";
  const bytes = new Uint8Array(view.buffer);
  for (let start = 0; start < bytes.length; start += 8192) {
    binary += String.fromCharCode(...bytes.subarray(start, start + 8192));
  }
  return width === 4 ? { f32: btoa(binary) } : { f64: btoa(binary) };
}
