// The bar that plays the run: play, scrub, speed, loop. It stays in sight while the page scrolls.
import { button, element, icon, toggle } from "./dom";
import { indexAt } from "./interpolate";
import { formatSpeed, formatTime } from "./numbers";
import { defaultSpeed, offeredSpeeds, type Playback } from "./playback";
import type { Run } from "./run";

const playPath = "M7 4.5v15l12.5-7.5z";
const pausePath = "M6.5 4.5h4v15h-4z M13.5 4.5h4v15h-4z";

export class Transport {
  readonly host: HTMLElement;
  readonly slider = element("input", {
    type: "range",
    class: "scrubber",
    min: 0,
    max: 1,
    step: "any",
    "aria-label": "Time",
  });
  private readonly playButton: HTMLButtonElement;
  private readonly clockNow = element("span", {});
  private readonly clockEnd = element("span", { class: "clock-end" });
  private readonly speed = element("select", {
    "aria-label": "Playback speed",
    title: "Playback speed (+ and −)",
  });
  private readonly marks = element("div", { class: "marks", "aria-hidden": "true" });
  private run: Run | null = null;
  private playing: boolean | null = null;

  constructor(private readonly playback: Playback) {
    this.playButton = button("Play (Space)", icon(playPath, true), () => playback.toggle(), {
      class: "play",
    });
    const loop = toggle(
      "Repeat",
      icon("M17 3l4 4-4 4 M21 7H8a5 5 0 0 0-5 5 M7 21l-4-4 4-4 M3 17h13a5 5 0 0 0 5-5"),
      playback.loop,
      (on) => playback.setLoop(on),
      { class: "square" },
    );
    this.host = element(
      "section",
      { class: "transport", "aria-label": "Playback" },
      this.playButton,
      button("One sample back (←)", icon("M15 5l-8 7 8 7 M4 5v14"), () => this.step(-1), { class: "square" }),
      button("One sample on (→)", icon("M9 5l8 7-8 7 M20 5v14"), () => this.step(1), { class: "square" }),
      element("div", { class: "track" }, this.slider, this.marks),
      element("output", { class: "clock", "aria-live": "off" }, this.clockNow, this.clockEnd),
      this.speed,
      loop,
    );
    this.slider.addEventListener("input", () => playback.setTime(Number(this.slider.value)));
    this.slider.addEventListener("keydown", (event) => {
      if (this.pressKey(event)) event.preventDefault();
    });
    this.speed.addEventListener("change", () => playback.setSpeed(Number(this.speed.value)));
    playback.onChange(() => this.show());
  }

  setRun(run: Run): void {
    const first = this.run === null || this.run.end <= this.run.begin;
    this.run = run;
    this.slider.min = String(run.begin);
    this.slider.max = String(run.end > run.begin ? run.end : run.begin + 1);
    this.slider.disabled = run.end <= run.begin;
    if (first) this.playback.setSpeed(defaultSpeed(run.end - run.begin));
    const span = run.end - run.begin || 1;
    this.marks.replaceChildren(
      ...run.events.slice(0, 300).map((event) => {
        const mark = element("span", { title: event.name });
        mark.style.left = `${Math.min(100, Math.max(0, ((event.t - run.begin) / span) * 100))}%`;
        return mark;
      }),
    );
    this.offerSpeeds(span);
    this.show();
  }

  private offerSpeeds(duration: number): void {
    const all = new Set([...offeredSpeeds(duration), this.playback.speed]);
    this.speed.replaceChildren(
      ...[...all]
        .sort((a, b) => a - b)
        .map((speed) => element("option", { value: speed }, formatSpeed(speed))),
    );
  }

  /** Faster or slower by one of the offered speeds. */
  changeSpeed(direction: 1 | -1): void {
    const all = Array.from(this.speed.options, (option) => Number(option.value));
    const index = all.findIndex((speed) => speed >= this.playback.speed * (1 - 1e-9));
    const next = all[index + direction];
    if (next !== undefined) this.playback.setSpeed(next);
  }

  /** Goes to the next or an earlier sample. */
  step(count: number): void {
    const times = this.run && (this.run.poseTimes.length > 0 ? this.run.poseTimes : this.run.times);
    if (!times || times.length === 0) return;
    this.playback.pause();
    const { time } = this.playback;
    let index = indexAt(times, time);
    // from between two samples, one step back is the sample before, not the one before that
    if (count < 0 && times[index] < time) index++;
    this.playback.setTime(times[Math.min(times.length - 1, Math.max(0, index + count))]);
  }

  /** Keys of the time line, which work on the slider and everywhere else; true if it was one. */
  pressKey(event: KeyboardEvent): boolean {
    if (event.ctrlKey || event.metaKey || event.altKey || !this.run) return false;
    const many = event.shiftKey ? 10 : 1;
    const part = (this.run.end - this.run.begin) / 10;
    if (event.key === "ArrowLeft" || event.key === "ArrowDown") this.step(-many);
    else if (event.key === "ArrowRight" || event.key === "ArrowUp") this.step(many);
    else if (event.key === "PageDown") this.playback.setTime(this.playback.time - part);
    else if (event.key === "PageUp") this.playback.setTime(this.playback.time + part);
    else if (event.key === "Home") this.playback.setTime(this.run.begin);
    else if (event.key === "End") this.playback.setTime(this.run.end);
    else return false;
    return true;
  }

  private show(): void {
    if (!this.run) return;
    const { time, playing, speed } = this.playback;
    const duration = this.run.end - this.run.begin;
    const text = `${formatTime(time, duration)} s`;
    this.slider.value = String(time);
    this.slider.style.setProperty(
      "--part",
      `${duration > 0 ? ((time - this.run.begin) / duration) * 100 : 0}%`,
    );
    this.slider.setAttribute("aria-valuetext", `${text} of ${formatTime(this.run.end, duration)} s`);
    this.clockNow.textContent = text;
    this.clockEnd.textContent = ` / ${formatTime(this.run.end, duration)} s`;
    if (this.speed.value !== String(speed)) this.speed.value = String(speed);
    if (playing === this.playing) return;
    this.playing = playing;
    const label = playing ? "Pause (Space)" : "Play (Space)";
    this.playButton.replaceChildren(icon(playing ? pausePath : playPath, true));
    this.playButton.setAttribute("aria-label", label);
    this.playButton.title = label;
  }
}
