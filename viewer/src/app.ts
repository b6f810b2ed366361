// Puts the page together and keeps its parts in step: clock, picture, plots, tables.
import { makeDetails } from "./details";
import { element } from "./dom";
import type { PageData, SampleBatch } from "./format";
import { Header } from "./header";
import { HelpDialog } from "./help_dialog";
import { listenToKeys } from "./keyboard";
import { PlotList } from "./plot/plot_list";
import { Playback } from "./playback";
import { readRun, type Run } from "./run";
import { Stage } from "./scene/stage";
import { makeToolbar } from "./scene/toolbar";
import { Scheduler } from "./scheduler";
import { Selection } from "./selection";
import { makeStructure } from "./structure";
import { ThemeChoice } from "./theme";
import { Transport } from "./transport";

export class App {
  readonly playback = new Playback();
  readonly scheduler = new Scheduler();
  readonly selection = new Selection();
  readonly theme = new ThemeChoice();
  readonly header: Header;
  run: Run | null = null;
  stage: Stage | null = null;
  plots: PlotList | null = null;
  private readonly help = new HelpDialog();
  private readonly transport = new Transport(this.playback);
  private readonly main = element("main", { class: "layout" });
  private readonly stageCard = element("section", { class: "card stage-card", "aria-label": "Animation" });
  private readonly details = element("div", { class: "details" });
  private readonly left = element("div", { class: "left" }, this.stageCard, this.details);
  private readonly right = element("div", { class: "right" });
  private readonly footer = element("footer", { class: "page-footer" });
  private signature = "";
  private lastScene = 0; // when it was made, by the browser's clock

  constructor() {
    this.header = new Header(
      () => this.theme.toggle(),
      () => this.help.toggle(),
    );
    this.main.append(this.left, this.right);
    document.body.replaceChildren(
      this.header.host,
      this.header.banner,
      this.main,
      this.footer,
      this.transport.host,
      this.help.host,
    );
    this.theme.onChange(() => this.applyTheme());
    this.playback.onChange(() => {
      this.stage?.setTime(this.playback.time);
      this.scheduler.request();
    });
    this.scheduler.add((seconds) => {
      this.playback.advance(seconds);
      return this.playback.playing;
    });
    listenToKeys({
      togglePlay: () => this.playback.toggle(),
      timeKey: (event) => this.transport.pressKey(event),
      changeSpeed: (direction) => this.transport.changeSpeed(direction),
      fit: () => this.stage?.fit(),
      toggleTheme: () => this.theme.toggle(),
      toggleHelp: () => this.help.toggle(),
      clearSelection: () => this.selection.select(null),
    });
  }

  /** Shows a run, or newer data of the run that is shown: then the reader's view, choice and time stay. */
  show(data: PageData): void {
    const run = readRun(data);
    const first = this.run === null;
    this.run = run;
    this.header.setRun(run);
    this.playback.setRange(run.begin, run.end);
    if (first) this.playback.setTime(run.status === "running" ? run.end : run.begin);
    this.transport.setRun(run);
    this.showScene(run);
    if (this.plots) this.plots.setRun(run);
    else {
      this.plots = new PlotList(run, this.playback, this.scheduler, this.theme.palette);
      this.right.prepend(this.plots.host);
    }
    this.showDetails(run);
    this.footer.textContent = run.generator;
    this.transport.host.hidden = run.times.length === 0 && run.poseTimes.length === 0;
    this.scheduler.request();
  }

  /** Samples that have come of the run that is shown. Whoever looks at its end goes on doing so. */
  extend(batch: SampleBatch): void {
    const run = this.run;
    if (!run || !run.append(batch)) return;
    const follows = this.playback.time >= this.playback.end && !this.playback.playing;
    this.stage?.extend(run);
    this.playback.setRange(run.begin, run.end);
    if (follows) this.playback.setTime(run.end);
    this.transport.setRun(run);
    this.transport.host.hidden = false;
    this.plots?.extend();
    // bounds, traces and the size of arrows follow now and then
    if (performance.now() - this.lastScene > 1000) this.showScene(run);
    this.scheduler.request();
  }

  private showScene(run: Run): void {
    this.lastScene = performance.now();
    this.main.classList.toggle("without-scene", run.scene === null);
    this.stageCard.hidden = run.scene === null;
    if (!run.scene) return;
    if (this.stage) this.stage.replace(run);
    else if (!this.stageCard.classList.contains("failed")) this.startStage(run);
    this.stage?.setTime(this.playback.time);
  }

  private startStage(run: Run): void {
    try {
      this.stage = new Stage(run, this.selection, this.scheduler);
      this.stageCard.replaceChildren(this.stage.host, makeToolbar(this.stage));
      this.stage.setPalette(this.theme.palette);
    } catch (error) {
      this.stageCard.classList.add("failed");
      const reason = error instanceof Error ? error.message : String(error);
      this.stageCard.replaceChildren(
        element(
          "p",
          { class: "no-picture", role: "status" },
          element("strong", {}, "No animation: this browser offers no WebGL. "),
          "The plots and tables below work all the same.",
          element("br"),
          element("small", {}, reason),
        ),
      );
    }
  }

  /**
   * The structure is drawn again only if it has changed, so that polling does not disturb who is reading it.
   */
  private showDetails(run: Run): void {
    const scene = run.scene;
    const signature = scene
      ? JSON.stringify([
          scene.bodies.map((body) => body.name),
          (scene.joints ?? []).map((j) => [j.name, j.bodies, j.loop]),
          (scene.forces ?? []).length,
        ])
      : "";
    let structure = this.right.querySelector(".structure");
    if (signature !== this.signature || !structure) {
      this.signature = signature;
      // a drawing has nothing that hangs together
      structure = scene && !scene.lines ? makeStructure(scene, this.selection) : null;
    }
    if (structure && !structure.isConnected) {
      this.right.querySelector(".structure")?.remove();
      this.right.append(structure);
    }
    this.details.replaceChildren(...makeDetails(run, this.playback));
  }

  private applyTheme(): void {
    this.stage?.setPalette(this.theme.palette);
    this.plots?.setPalette(this.theme.palette);
  }
}
