// One plot on the page: heading, legend with values at the cursor, canvas. Gestures are in gestures.ts.
import { csvText } from "../csv";
import { button, download, element, icon } from "../dom";
import { formatTime, formatValue } from "../numbers";
import { curveStyle, type Palette } from "../palette";
import type { Channel, Run } from "../run";
import { autoRange, groupAxes, type Axis } from "./axes";
import { drawPlot, plotFrame, type Frame } from "./draw";
import { drawCursor, type CursorContent } from "./draw_cursor";
import { listenToPlot } from "./gestures";
import type { PlotList } from "./plot_list";

export class Plot {
  readonly host: HTMLElement;
  readonly area = element("div", { class: "plot-area", tabindex: "0", role: "group" });
  title: string;
  names: string[];
  channels: Channel[] = [];
  axes: Axis[] = [];
  frame: Frame = { left: 0, right: 1, top: 0, bottom: 1 };
  hover: number | null = null;
  drag: CursorContent["drag"] = null;
  /** Ranges of axes that the reader has zoomed; others follow their data. */
  readonly fixedRanges = new Map<string, [number, number]>();
  private readonly base = element("canvas", { class: "plot-base", "aria-hidden": "true" });
  private readonly top = element("canvas", { class: "plot-top", "aria-hidden": "true" });
  private readonly heading = element("h3", {});
  private readonly legend = element("ul", { class: "legend" });
  private readonly tip = element("div", { class: "tip", "aria-hidden": "true", hidden: true });
  private values: HTMLElement[] = [];
  private valuesWritten = 0;
  private curvesDirty = true;
  private cursorDirty = true;

  constructor(
    readonly list: PlotList,
    title: string,
    names: string[],
  ) {
    this.title = title;
    this.names = [...names];
    const tools = element(
      "div",
      { class: "plot-tools" },
      button("Choose channels", "Channels…", () => list.chooseChannels(this), { class: "chip" }),
      button("Download these channels as CSV", "CSV", () => this.saveCsv(), { class: "chip" }),
      button(
        "Show all of the run (double click)",
        icon("M4 12a8 8 0 1 0 3-6.2 M4 4v5h5"),
        () => this.reset(),
        { class: "square" },
      ),
      button("Remove this plot", icon("M6 6l12 12 M18 6L6 18"), () => list.remove(this), { class: "square" }),
    );
    this.area.append(this.base, this.top, this.tip);
    this.host = element(
      "section",
      { class: "card plot" },
      element("header", {}, this.heading, tools),
      this.legend,
      this.area,
    );
    new ResizeObserver(() => this.invalidate()).observe(this.area);
    listenToPlot(this);
    this.setRun(list.run);
  }

  get begin(): number {
    return this.list.range[0];
  }

  get end(): number {
    return this.list.range[1];
  }

  get palette(): Palette {
    return this.list.palette;
  }

  setRun(run: Run): void {
    this.channels = this.names.map((name) => run.channel(name)).filter((c): c is Channel => c !== undefined);
    this.axes = groupAxes(this.channels);
    this.buildLegend();
    this.invalidate();
  }

  setNames(names: string[]): void {
    this.names = names;
    this.fixedRanges.clear();
    this.setRun(this.list.run);
  }

  private describe(): string {
    return this.title || this.channels.map((channel) => channel.name).join(", ") || "Empty plot";
  }

  buildLegend(): void {
    const name = this.describe();
    this.heading.textContent = name;
    this.heading.title = name;
    this.area.setAttribute(
      "aria-label",
      `Plot of ${name}. Left and right arrow move the time, plus and minus zoom, 0 shows all.`,
    );
    this.values = [];
    this.legend.replaceChildren(
      ...this.channels.map((channel, index) => {
        const { color, dash } = curveStyle(index, this.palette);
        const swatch = element("span", { class: "swatch" });
        swatch.style.borderTop = `3px ${dash.length > 0 ? "dashed" : "solid"} ${color}`;
        const value = element("span", { class: "value" });
        this.values.push(value);
        const hint = channel.description ? `${channel.name}: ${channel.description}` : channel.name;
        return element(
          "li",
          { title: hint },
          swatch,
          element("span", { class: "name" }, channel.name),
          value,
          element("span", { class: "unit" }, channel.unit),
        );
      }),
    );
    if (this.channels.length === 0)
      this.legend.append(element("li", { class: "hint" }, "No channels chosen yet."));
    this.valuesWritten = 0;
  }

  invalidate(): void {
    this.curvesDirty = true;
    this.moveCursor();
  }

  moveCursor(): void {
    this.cursorDirty = true;
    this.list.scheduler.request();
  }

  private content(): CursorContent {
    const { axes, channels, begin, end, palette, hover, drag } = this;
    return {
      axes,
      channels,
      begin,
      end,
      palette,
      hover,
      drag,
      events: this.list.run.events,
      time: this.list.playback.time,
    };
  }

  /** Draws what has changed. Plots that are scrolled out of sight wait until they are seen. */
  draw(): void {
    const [width, height] = [this.area.clientWidth, this.area.clientHeight];
    if (width === 0 || height === 0 || !(this.curvesDirty || this.cursorDirty) || !this.isNearView()) return;
    if (this.curvesDirty) {
      for (const axis of this.axes) {
        const fixed = this.fixedRanges.get(axis.key);
        if (fixed) [axis.low, axis.high] = fixed;
        else autoRange(axis, this.begin, this.end);
      }
      this.frame =
        this.channels.length > 0
          ? drawPlot(this.base, this.content(), width, height)
          : plotFrame([], width, height);
      if (this.channels.length === 0) drawPlot(this.base, { ...this.content(), axes: [] }, width, height);
      this.curvesDirty = false;
    }
    this.cursorDirty = false;
    drawCursor(this.top, this.content(), this.frame, width, height);
    this.writeValues();
    this.writeTip(width);
  }

  private isNearView(): boolean {
    const box = this.area.getBoundingClientRect();
    return box.bottom > -200 && box.top < window.innerHeight + 200;
  }

  /** Numbers that change sixty times a second cannot be read: while playing, ten times is plenty. */
  private writeValues(): void {
    const now = performance.now();
    if (this.list.playback.playing && now - this.valuesWritten < 100) return;
    this.valuesWritten = now;
    this.channels.forEach((channel, i) => {
      this.values[i].textContent = formatValue(channel.at(this.list.playback.time));
    });
  }

  private writeTip(width: number): void {
    const time = this.hover;
    this.tip.hidden = time === null || this.channels.length === 0 || this.drag !== null;
    if (time === null || this.tip.hidden) return;
    const rows = this.channels.slice(0, 12).map((channel, i) => {
      const dot = element("span", { class: "dot" });
      dot.style.background = curveStyle(i, this.palette).color;
      return element("div", {}, dot, `${formatValue(channel.at(time))} ${channel.unit}`);
    });
    this.tip.replaceChildren(
      element("div", { class: "tip-time" }, `${formatTime(time, this.end - this.begin)} s`),
      ...rows,
    );
    const x =
      this.frame.left +
      ((time - this.begin) / (this.end - this.begin || 1)) * (this.frame.right - this.frame.left);
    const right = x < width / 2;
    this.tip.style.left = right ? `${x + 12}px` : "auto";
    this.tip.style.right = right ? "auto" : `${width - x + 12}px`;
  }

  reset(): void {
    this.fixedRanges.clear();
    this.list.setRange(null);
    this.invalidate();
  }

  private saveCsv(): void {
    const name =
      this.describe()
        .replace(/[^\p{L}\p{N}._-]+/gu, "-")
        .slice(0, 60) || "plot";
    download(csvText(this.channels), `${name}.csv`, "text/csv");
  }
}
