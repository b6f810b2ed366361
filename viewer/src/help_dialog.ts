// The dialog that lists keys and gestures.
import { button, element } from "./dom";

const sections: [string, [string, string][]][] = [
  [
    "Time",
    [
      ["Space", "play, pause"],
      ["← →", "one sample back, on (with Shift: ten)"],
      ["Page Up, Page Down", "a tenth of the run"],
      ["Home, End", "beginning, end"],
      ["+ −", "faster, slower"],
    ],
  ],
  [
    "Picture",
    [
      ["drag", "turn (with Shift or the right button: move)"],
      ["wheel, pinch", "zoom"],
      ["F", "fit all of it in view"],
      ["click", "select a body (Escape: none)"],
    ],
  ],
  [
    "Plots",
    [
      ["click", "go to that time"],
      ["drag", "zoom to a range (Shift: move)"],
      ["Ctrl + wheel, pinch", "zoom; in a plot that has the focus the wheel alone does"],
      ["double click, 0", "show all"],
      ["+ − in a focused plot", "zoom; Shift + ← → moves"],
    ],
  ],
  [
    "Page",
    [
      ["T", "light or dark"],
      ["?", "this help"],
    ],
  ],
];

export class HelpDialog {
  readonly host: HTMLDialogElement;

  constructor() {
    const close = button("Close", "Close", () => this.host.close(), { class: "primary" });
    this.host = element("dialog", { class: "dialog help", "aria-label": "Keys and gestures" });
    this.host.append(element("header", {}, element("h2", {}, "Keys and gestures"), close));
    for (const [title, rows] of sections) {
      const list = element("dl", {});
      for (const [keys, meaning] of rows) list.append(element("dt", {}, keys), element("dd", {}, meaning));
      this.host.append(element("section", {}, element("h3", {}, title), list));
    }
    this.host.addEventListener("click", (event) => {
      if (event.target === this.host) this.host.close();
    });
  }

  toggle(): void {
    if (this.host.open) this.host.close();
    else this.host.showModal();
  }
}
