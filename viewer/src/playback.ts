// The clock of the animation: what time is shown, how fast it runs, what happens at the end. No DOM in here.

export const speeds = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10];

/** The speed at which the run takes about seven seconds: real time if that is between 4 and 20 s. */
export function defaultSpeed(duration: number): number {
  if (!(duration > 0) || (duration >= 4 && duration <= 20)) return 1;
  const wanted = duration / 7;
  const power = Math.pow(10, Math.floor(Math.log10(wanted)));
  const ratio = wanted / power;
  return Number((power * (ratio < 1.5 ? 1 : ratio < 3.5 ? 2 : ratio < 7.5 ? 5 : 10)).toPrecision(3));
}

/** The speeds on offer: 0.01 to 10 times real time, and what this run needs, if that is beyond. */
export function offeredSpeeds(duration: number): number[] {
  const usual = defaultSpeed(duration);
  const all = new Set([
    ...speeds,
    ...[0.1, 0.2, 0.5, 1, 2, 5, 10].map((f) => Number((f * usual).toPrecision(3))),
  ]);
  return [...all].sort((a, b) => a - b);
}

export class Playback {
  time = 0;
  speed = 1;
  playing = false;
  loop = true;
  begin = 0;
  end = 0;
  private listeners: (() => void)[] = [];

  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }

  private changed(): void {
    for (const listener of this.listeners) listener();
  }

  setRange(begin: number, end: number): void {
    const wasAtEnd = this.time >= this.end;
    const followed = this.end > this.begin && wasAtEnd;
    this.begin = begin;
    this.end = Math.max(begin, end);
    this.time = followed ? this.end : Math.min(this.end, Math.max(this.begin, this.time));
    this.changed();
  }

  setTime(time: number): void {
    if (!Number.isFinite(time)) return;
    this.time = Math.min(this.end, Math.max(this.begin, time));
    this.changed();
  }

  setSpeed(speed: number): void {
    if (speed > 0 && Number.isFinite(speed)) this.speed = speed;
    this.changed();
  }

  setLoop(loop: boolean): void {
    this.loop = loop;
    this.changed();
  }

  play(): void {
    if (this.end <= this.begin) return;
    if (this.time >= this.end) this.time = this.begin;
    this.playing = true;
    this.changed();
  }

  pause(): void {
    this.playing = false;
    this.changed();
  }

  toggle(): void {
    if (this.playing) this.pause();
    else this.play();
  }

  /**
   * Moves on by `seconds` of wall clock. A long pause of the browser (a hidden tab) must not become a jump.
   */
  advance(seconds: number): void {
    if (!this.playing) return;
    const duration = this.end - this.begin;
    let time = this.time + Math.min(seconds, 0.25) * this.speed;
    if (time >= this.end) {
      if (this.loop && duration > 0) time = this.begin + ((time - this.begin) % duration);
      else {
        time = this.end;
        this.playing = false;
      }
    }
    this.time = time;
    this.changed();
  }
}
