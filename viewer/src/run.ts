// A run as the page uses it: decoded on demand, every optional field filled in, lookups by name.
import { decodeArray, GrowingNumbers, type Numbers } from "./decode";
import type { ChannelData, PageData, SampleBatch, SceneData, Status } from "./format";
import { valueAt } from "./interpolate";

/**
 * One quantity over time. Its numbers are decoded when they are first asked for: a run may have thousands.
 */
export class Channel {
  readonly name: string;
  readonly group: string;
  readonly unit: string;
  readonly description: string;
  readonly log: boolean;
  times: Numbers;
  private readonly source: ChannelData;
  private values: Numbers | null = null;
  private grown: GrowingNumbers | null = null;

  constructor(source: ChannelData, times: Numbers, group: string) {
    this.source = source;
    this.times = times;
    this.name = String(source.name);
    this.group = source.group || group;
    this.unit = source.unit || "";
    this.description = source.description || "";
    this.log = source.log === true;
  }

  get data(): Numbers {
    if (!this.values) {
      const decoded = decodeArray(this.source.data);
      this.values = decoded.length > this.times.length ? decoded.subarray(0, this.times.length) : decoded;
    }
    return this.values;
  }

  /** One value for each of the newer times. */
  append(newer: Iterable<number>, times: Numbers): void {
    this.grown ??= new GrowingNumbers(this.data);
    for (const value of newer) this.grown.push(value);
    this.values = this.grown.numbers;
    this.times = times;
  }

  at(time: number): number {
    return valueAt(this.times, this.data, time);
  }
}

export interface Run {
  format: number;
  generator: string;
  title: string;
  subtitle: string;
  status: Status;
  message: string;
  summary: [string, string][];
  parameters: [string, string][];
  notes: string[];
  times: Numbers;
  channels: Channel[];
  channel(name: string): Channel | undefined;
  events: { t: number; name: string }[];
  plots: { title: string; channels: string[] }[];
  scene: SceneData | null;
  /** Times at which the bodies' poses are given. */
  poseTimes: Numbers;
  begin: number;
  end: number;
  /** Adds samples that have come since. False if there is none among them that is new. */
  append(batch: SampleBatch): boolean;
}

/** The values of one channel in samples from `first` on. */
function* column(values: Numbers, channel: number, channels: number, first: number): Iterable<number> {
  for (let i = first * channels + channel; i < values.length; i += channels) yield values[i];
}

function appender(run: Run, sampled: Channel[]): (batch: SampleBatch) => boolean {
  const grown = new GrowingNumbers(run.times);
  const posesAreSampled = run.poseTimes === run.times;
  return (batch) => {
    const times = decodeArray(batch.times);
    const values = decodeArray(batch.values);
    const last = run.times.length > 0 ? run.times[run.times.length - 1] : -Infinity;
    const first = times.findIndex((time) => time > last);
    if (first < 0 || values.length !== times.length * sampled.length) return false;
    if (run.times.length === 0) run.begin = times[first];
    for (const time of times.subarray(first)) grown.push(time);
    run.times = grown.numbers;
    sampled.forEach((channel, i) => channel.append(column(values, i, sampled.length, first), run.times));
    if (posesAreSampled) run.poseTimes = run.times;
    run.end = Math.max(run.end, run.times[run.times.length - 1]);
    return true;
  };
}

const pairs = (rows: unknown): [string, string][] =>
  Array.isArray(rows) ? rows.map((row) => [String(row?.[0] ?? ""), String(row?.[1] ?? "")]) : [];

export const stepGroup = "integration steps";

function readChannels(data: PageData, times: Numbers): Channel[] {
  const channels = (data.channels ?? []).map((channel) => new Channel(channel, times, "channels"));
  const steps = data.steps;
  if (steps) {
    const stepTimes = decodeArray(steps.times);
    for (const channel of steps.channels ?? []) channels.push(new Channel(channel, stepTimes, stepGroup));
  }
  return channels;
}

/** Plots to begin with: the ones asked for, or the first few quantities, so that no page starts empty. */
function initialPlots(data: PageData, channels: Channel[]): Run["plots"] {
  const known = new Set(channels.map((channel) => channel.name));
  const asked = (data.plots ?? [])
    .map((plot) => ({ title: plot.title ?? "", channels: plot.channels.filter((name) => known.has(name)) }))
    .filter((plot) => plot.channels.length > 0);
  if (asked.length > 0 || channels.length === 0) return asked;
  const first = channels[0];
  const alike = channels.filter((channel) => channel.group === first.group && channel.unit === first.unit);
  return [{ title: first.group, channels: alike.slice(0, 4).map((channel) => channel.name) }];
}

export function readRun(data: PageData): Run {
  if (data.format !== 1) {
    throw new Error(`This page can show data of format 1, but the data says format ${String(data.format)}.`);
  }
  const times = decodeArray(data.times);
  const channels = readChannels(data, times);
  // of two channels with one name the first wins, as in a list read from the top
  const byName = new Map<string, Channel>();
  for (const channel of channels) if (!byName.has(channel.name)) byName.set(channel.name, channel);
  const scene =
    data.scene && Array.isArray(data.scene.bodies) && data.scene.bodies.length > 0 ? data.scene : null;
  const poseTimes = scene?.frames ? decodeArray(scene.frames.times) : times;
  const firsts = [times, poseTimes].filter((list) => list.length > 0);
  const run: Run = {
    format: data.format,
    generator: data.generator ?? "Trammel",
    title: data.title || "Untitled run",
    subtitle: data.subtitle ?? "",
    status: data.status ?? "finished",
    message: data.message ?? "",
    summary: pairs(data.summary),
    parameters: pairs(data.parameters),
    notes: (data.notes ?? []).map(String),
    times,
    channels,
    channel: (name) => byName.get(name),
    events: (data.events ?? []).filter((event) => Number.isFinite(event.t)),
    plots: initialPlots(data, channels),
    scene,
    poseTimes,
    begin: firsts.length > 0 ? Math.min(...firsts.map((list) => list[0])) : 0,
    end: firsts.length > 0 ? Math.max(...firsts.map((list) => list[list.length - 1])) : 0,
    append: () => false,
  };
  run.append = appender(run, channels.slice(0, data.channels?.length ?? 0));
  return run;
}
