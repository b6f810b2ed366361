// All plots of the page: they share the range of times, the cursor and the dialog that chooses channels.
import { button, element } from "../dom";
import type { Palette } from "../palette";
import type { Playback } from "../playback";
import type { Run } from "../run";
import type { Scheduler } from "../scheduler";
import { ChannelDialog } from "./channel_dialog";
import { Plot } from "./plot";

export class PlotList {
  readonly host = element("div", { class: "plots" });
  readonly plots: Plot[] = [];
  private readonly dialog = new ChannelDialog();
  private readonly addButton: HTMLButtonElement;
  /** Null while all of the run is shown. */
  private zoomed: [number, number] | null = null;

  constructor(
    public run: Run,
    readonly playback: Playback,
    readonly scheduler: Scheduler,
    public palette: Palette,
  ) {
    this.addButton = button(
      "Add a plot",
      "Add a plot",
      () => {
        const plot = this.add("", []);
        this.chooseChannels(plot);
      },
      { class: "wide" },
    );
    this.host.append(this.addButton, this.dialog.host);
    for (const plot of run.plots) this.add(plot.title, plot.channels);
    playback.onChange(() => this.plots.forEach((plot) => plot.moveCursor()));
    addEventListener("scroll", () => scheduler.request(), { passive: true });
    scheduler.add(() => {
      this.plots.forEach((plot) => plot.draw());
      return false;
    });
  }

  get whole(): [number, number] {
    const { begin, end } = this.run;
    return end > begin ? [begin, end] : [begin - 0.5, begin + 0.5];
  }

  get range(): [number, number] {
    return this.zoomed ?? this.whole;
  }

  setRange(range: [number, number] | null): void {
    if (range && !(range[1] > range[0])) return;
    const whole = this.whole;
    const all = range === null || (range[0] <= whole[0] && range[1] >= whole[1]);
    this.zoomed = all ? null : range;
    this.plots.forEach((plot) => plot.invalidate());
  }

  add(title: string, channels: string[]): Plot {
    const plot = new Plot(this, title, channels);
    this.plots.push(plot);
    this.host.insertBefore(plot.host, this.addButton);
    this.host.dataset.count = String(this.plots.length);
    return plot;
  }

  remove(plot: Plot): void {
    const index = this.plots.indexOf(plot);
    if (index < 0) return;
    this.plots.splice(index, 1);
    plot.host.remove();
    this.host.dataset.count = String(this.plots.length);
    (this.plots[Math.min(index, this.plots.length - 1)]?.area ?? this.addButton).focus();
  }

  chooseChannels(plot: Plot): void {
    this.dialog.open(this.run.channels, plot.names, (names) => {
      // a title that was written for other curves would mislead
      plot.title = names.join() === plot.names.join() ? plot.title : "";
      plot.setNames(names);
    });
  }

  setRun(run: Run): void {
    this.run = run;
    if (this.plots.length === 0) for (const plot of run.plots) this.add(plot.title, plot.channels);
    this.plots.forEach((plot) => plot.setRun(run));
  }

  /** More samples of the same run. */
  extend(): void {
    this.plots.forEach((plot) => plot.invalidate());
  }

  setPalette(palette: Palette): void {
    this.palette = palette;
    this.plots.forEach((plot) => {
      plot.buildLegend();
      plot.invalidate();
    });
  }
}
