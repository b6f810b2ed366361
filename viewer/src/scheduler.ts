// One animation-frame loop for the page, which sleeps when nobody has anything to draw.

export class Scheduler {
  private readonly tasks: ((seconds: number) => boolean)[] = [];
  private waiting = false;
  private last = 0;
  /** Frames drawn so far, for measurements. */
  frames = 0;
  /** Milliseconds this page itself has spent on them, without what the graphics card does. */
  work = 0;

  /**
   * `task` is called in every frame with the seconds since the last one, and says whether it wants another.
   */
  add(task: (seconds: number) => boolean): void {
    this.tasks.push(task);
  }

  request(): void {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame((now) => this.run(now));
  }

  private run(now: number): void {
    this.waiting = false;
    // after a sleep the time since the last frame says nothing
    const seconds = this.last > 0 ? (now - this.last) / 1000 : 0;
    this.frames++;
    let more = false;
    const start = performance.now();
    for (const task of this.tasks) more = task(seconds) || more;
    this.work += performance.now() - start;
    this.last = more ? now : 0;
    if (more) this.request();
  }
}
