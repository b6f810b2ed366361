// The data of a page as it stands in its JSON, format 1. README.md describes every field.

/** Numbers: base64 of little-endian floats, or a plain list in which null means "not finite". */
export type PackedArray = { f32: string } | { f64: string } | (number | null)[];

export type Triple = [number, number, number];
export type Quadruple = [number, number, number, number];
export type Status = "finished" | "failed" | "stopped" | "running";

export interface ChannelData {
  name: string;
  group?: string;
  unit?: string;
  description?: string;
  log?: boolean;
  data: PackedArray;
}

interface Placed {
  position?: Triple;
  quaternion?: Quadruple;
  color?: string;
  opacity?: number;
}

export type Shape = Placed &
  (
    | { type: "box"; size: Triple }
    | { type: "sphere"; radius: number }
    | { type: "ellipsoid"; radii: Triple }
    | { type: "cylinder"; radius: number; length: number }
    | { type: "capsule"; radius: number; length: number }
    | { type: "cone"; radius: number; length: number }
    | { type: "line"; points: Triple[] }
    | { type: "mesh"; vertices: Triple[]; faces: number[][] }
  );

export interface BodyData {
  name: string;
  fixed?: boolean;
  color?: string;
  shapes?: Shape[];
  /** Seven arrays, names of channels, or numbers that stay: x y z qw qx qy qz. */
  pose?: (PackedArray | string | number)[] | null;
  center?: Triple | null;
}

export interface JointData {
  name: string;
  type: string;
  bodies: [number, number];
  points?: (Triple | null)[] | null;
  axes?: (Triple | null)[] | null;
  loop?: boolean;
  reaction?: string[] | null;
  radius?: number;
}

export interface ForceData {
  name: string;
  type: string;
  bodies: [number, number];
  points?: (Triple | null)[] | null;
  axes?: (Triple | null)[] | null;
  reaction?: string[] | null;
  /** A channel: how strongly the two points are pulled towards each other. */
  tension?: string;
  /** A channel, and the direction in which that force pushes the second body. */
  push?: { channel: string; direction: Triple };
  radius?: number;
}

/** A line of a drawing, between points of two bodies. */
export interface LineData {
  bodies: [number, number];
  points?: (Triple | null)[] | null;
}

export interface MarkerData {
  name: string;
  body: number;
  point: Triple;
  quaternion?: Quadruple;
  trace?: boolean;
}

export interface SceneData {
  up?: Triple;
  gravity?: Triple;
  planar?: null | { normal: Triple };
  frames?: null | { times: PackedArray; stride?: number };
  bodies: BodyData[];
  joints?: JointData[];
  forces?: ForceData[];
  lines?: LineData[];
  markers?: MarkerData[];
}

/** Samples that came after the data: values sample by sample, of all channels in their order. */
export interface SampleBatch {
  times: PackedArray;
  values: PackedArray;
}

export interface PageData {
  format: number;
  live?: string;
  generator?: string;
  title?: string;
  subtitle?: string;
  status?: Status;
  message?: string;
  summary?: [string, string][];
  parameters?: [string, string][];
  notes?: string[];
  times?: PackedArray;
  channels?: ChannelData[];
  steps?: null | { times: PackedArray; channels: ChannelData[] };
  events?: { t: number; name: string }[];
  plots?: { title?: string; channels: string[] }[];
  scene?: SceneData | null;
}
