// The head of the page: what was run, how it ended, theme and help. A failure says why in a banner of its
// own.
import { button, element, icon } from "./dom";
import type { Status } from "./format";
import type { Run } from "./run";

const statusTexts: Record<Status, string> = {
  finished: "Finished",
  failed: "Failed",
  stopped: "Stopped",
  running: "Running",
};

export class Header {
  readonly host = element("header", { class: "page-header" });
  readonly banner = element("div", { class: "banner", role: "alert", hidden: true });
  private readonly title = element("h1", {});
  private readonly subtitle = element("p", { class: "subtitle" });
  private readonly status = element("span", { class: "status" });
  private readonly statusText = element("span", {});

  constructor(onTheme: () => void, onHelp: () => void) {
    this.status.append(element("span", { class: "light", "aria-hidden": "true" }), this.statusText);
    const moon = icon("M20 14.5A8.5 8.5 0 1 1 9.5 4a7 7 0 0 0 10.5 10.5z");
    this.host.append(
      element("div", { class: "titles" }, this.title, this.subtitle),
      element(
        "div",
        { class: "header-tools" },
        this.status,
        button("Light or dark (T)", moon, onTheme, { class: "square" }),
        button("Keys and gestures (?)", "?", onHelp, { class: "square" }),
      ),
    );
  }

  setRun(run: Run): void {
    this.title.textContent = run.title;
    this.subtitle.textContent = run.subtitle;
    this.subtitle.hidden = run.subtitle === "";
    const known = Object.prototype.hasOwnProperty.call(statusTexts, run.status);
    this.setStatus(known ? statusTexts[run.status] : String(run.status), known ? run.status : "finished");
    const message = run.message || (run.status === "failed" ? "The run failed without saying why." : "");
    this.banner.hidden = message === "";
    this.banner.dataset.status = run.status;
    const heading =
      run.status === "failed" ? "The run failed." : run.status === "stopped" ? "The run was stopped." : "";
    this.banner.replaceChildren(element("strong", {}, heading), heading ? " " : "", message);
    document.title = `${run.title} – Trammel`;
  }

  setStatus(text: string, kind: Status | "trouble"): void {
    this.statusText.textContent = text;
    this.status.dataset.status = kind;
  }
}
