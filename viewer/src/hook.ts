// window.trammelViewer: what tests, and scripts that embed the page, may read and do. README.md lists it.
import type { App } from "./app";

export interface ViewerHook {
  readonly time: number;
  readonly playing: boolean;
  readonly theme: string;
  readonly status: string;
  readonly end: number;
  /** Frames the page has drawn since it was opened. */
  readonly frames: number;
  /** Milliseconds the page itself has worked on them. */
  readonly work: number;
  readonly webgl: boolean;
  readonly selected: string | null;
  readonly range: [number, number];
  setTime(time: number): void;
  play(): void;
  pause(): void;
  setSpeed(speed: number): void;
  select(body: string | null): void;
  /** For every plot its channels with their values at the cursor. */
  values(): { title: string; channels: { name: string; unit: string; value: number }[] }[];
  /** World position of a body's origin at the cursor; null without animation. */
  position(body: string): [number, number, number] | null;
}

declare global {
  interface Window {
    trammelViewer?: ViewerHook;
  }
}

export function publishHook(app: App): void {
  const bodyIndex = (name: string): number =>
    app.run?.scene?.bodies.findIndex((body) => body.name === name) ?? -1;
  window.trammelViewer = {
    get time() {
      return app.playback.time;
    },
    get playing() {
      return app.playback.playing;
    },
    get theme() {
      return app.theme.theme;
    },
    get status() {
      return app.run?.status ?? "";
    },
    get end() {
      return app.playback.end;
    },
    get frames() {
      return app.scheduler.frames;
    },
    get work() {
      return app.scheduler.work;
    },
    get webgl() {
      return app.stage !== null;
    },
    get selected() {
      const body = app.selection.selected;
      return body === null ? null : (app.run?.scene?.bodies[body]?.name ?? null);
    },
    get range() {
      return app.plots?.range ?? [0, 0];
    },
    setTime: (time) => app.playback.setTime(time),
    play: () => app.playback.play(),
    pause: () => app.playback.pause(),
    setSpeed: (speed) => app.playback.setSpeed(speed),
    select: (body) => app.selection.select(body === null || bodyIndex(body) < 0 ? null : bodyIndex(body)),
    values: () =>
      (app.plots?.plots ?? []).map((plot) => ({
        title: plot.title,
        channels: plot.channels.map((channel) => ({
          name: channel.name,
          unit: channel.unit,
          value: channel.at(app.playback.time),
        })),
      })),
    position: (body) => {
      const index = bodyIndex(body);
      return app.stage && index >= 0 ? app.stage.view.poses.position(index) : null;
    },
  };
}
