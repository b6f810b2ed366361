// The buttons over the picture: views, what to show, projection.
import { button, element, icon, toggle } from "../dom";
import type { ViewName } from "../view";
import type { Layer } from "./mechanism_view";
import type { Stage } from "./stage";

const layerNames: [Layer, string][] = [
  ["joints", "Joints"],
  ["forces", "Springs and forces"],
  ["traces", "Traces"],
  ["arrows", "Forces"],
  ["frames", "Frames"],
  ["labels", "Labels"],
  ["grid", "Grid"],
];

export function makeToolbar(stage: Stage): HTMLElement {
  const views: [ViewName, string][] = [
    ...(stage.view.normal ? ([["plane", "Plane"]] as [ViewName, string][]) : []),
    ["front", "Front"],
    ["side", "Side"],
    ["top", "Top"],
    ["iso", "Iso"],
  ];
  const viewButtons = element("div", { class: "segments", role: "group", "aria-label": "View" });
  for (const [name, label] of views) {
    viewButtons.append(button(`View: ${label}`, label, () => stage.show(name)));
  }
  const perspective = toggle(
    "Perspective",
    "Perspective",
    stage.eye.perspective,
    (on) => stage.setPerspective(on),
    { class: "chip" },
  );
  const follow = toggle(
    "Follow the mechanism (or the selected body)",
    "Follow",
    stage.follow,
    (on) => stage.setFollow(on),
    { class: "chip" },
  );
  const fit = button("Fit (F)", icon("M4 9V4h5 M20 9V4h-5 M4 15v5h5 M20 15v5h-5"), () => stage.fit(), {
    class: "square",
  });
  return element("div", { class: "stage-tools" }, viewButtons, fit, perspective, follow, layerMenu(stage));
}

/** A menu of switches; a native disclosure, so it works by keyboard and closes with Escape. */
function layerMenu(stage: Stage): HTMLElement {
  const list = element("div", { class: "menu-list", role: "group", "aria-label": "Show" });
  for (const [layer, label] of layerNames) {
    if (layer === "arrows" && stage.view.arrows.count === 0) continue;
    if (layer === "traces" && stage.view.traces.count === 0) continue;
    const box = element("input", { type: "checkbox", "data-layer": layer });
    box.checked = stage.layers[layer];
    box.addEventListener("change", () => stage.setLayer(layer, box.checked));
    list.append(element("label", { class: "check" }, box, label));
  }
  const menu = element("details", { class: "menu" }, element("summary", { class: "chip" }, "Show"), list);
  menu.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    menu.open = false;
    menu.querySelector("summary")?.focus();
  });
  document.addEventListener("pointerdown", (event) => {
    if (!menu.contains(event.target as Node)) menu.open = false;
  });
  return menu;
}
