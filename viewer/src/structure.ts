// The structure of the mechanism: bodies as nodes, joints as lines, forces dashed, loop-closing joints
// marked. Very large mechanisms become a list.
import { element, svg } from "./dom";
import type { SceneData } from "./format";
import { layoutGraph, separate, type GraphPoint } from "./graph_layout";
import { shortened } from "./scene/overlay";
import type { Selection } from "./selection";

const mostNodes = 150;

interface Edge {
  from: number;
  to: number;
  kind: "joint" | "loop" | "force";
  label: string;
}

function edgesOf(scene: SceneData): Edge[] {
  const known = (bodies: [number, number]): boolean =>
    bodies.every((body) => scene.bodies[body] !== undefined);
  const joints = (scene.joints ?? []).filter((joint) => known(joint.bodies));
  const forces = (scene.forces ?? []).filter(
    (force) => known(force.bodies) && force.bodies[0] !== force.bodies[1],
  );
  return [
    ...joints.map((joint): Edge => ({
      from: joint.bodies[0],
      to: joint.bodies[1],
      kind: joint.loop ? "loop" : "joint",
      label: `${joint.name} (${joint.type.replace(/_/g, " ")}${joint.loop ? ", closes a loop" : ""})`,
    })),
    ...forces.map((force): Edge => ({
      from: force.bodies[0],
      to: force.bodies[1],
      kind: "force",
      label: `${force.name} (${force.type.replace(/_/g, " ")})`,
    })),
  ];
}

export function makeStructure(scene: SceneData, selection: Selection): HTMLElement {
  const edges = edgesOf(scene);
  const large = scene.bodies.length > mostNodes;
  const counted = (number: number, one: string, many: string): string =>
    `${number} ${number === 1 ? one : many}`;
  const joints = counted((scene.joints ?? []).length, "joint", "joints");
  const count = `${counted(scene.bodies.length - 1, "body", "bodies")}, ${joints}`;
  const content = large ? makeList(scene, edges, selection) : makeGraph(scene, edges, selection);
  return element(
    "section",
    { class: "card structure" },
    element("header", {}, element("h2", {}, "Structure"), element("span", { class: "hint" }, count)),
    content,
    large ? null : makeKey(edges),
  );
}

function makeKey(edges: Edge[]): HTMLElement {
  const texts = { joint: "joint", loop: "joint that closes a loop", force: "force" };
  const kinds = (["joint", "loop", "force"] as const).filter((kind) =>
    edges.some((edge) => edge.kind === kind),
  );
  const line = (kind: string): Node =>
    svg(
      "svg",
      { viewBox: "0 0 26 8", width: 26, height: 8, "aria-hidden": "true" },
      svg("path", { d: "M1 4H25", class: `edge ${kind}` }),
    );
  return element("p", { class: "key" }, ...kinds.map((kind) => element("span", {}, line(kind), texts[kind])));
}

function makeGraph(scene: SceneData, edges: Edge[], selection: Selection): HTMLElement {
  const count = scene.bodies.length;
  const names = scene.bodies.map((body) => shortened(body.name, count > 40 ? 10 : 18));
  const [halfWidths, halfHeight] = [names.map((name) => 4.1 * Array.from(name).length + 11), 13];
  const margin = Math.max(...halfWidths) + 6;
  const width = count > 60 ? 1100 : count > 25 ? 820 : 620;
  const covered = halfWidths.reduce((sum, half) => sum + (2 * half + 16) * (2 * halfHeight + 16), 0);
  const height = Math.max(150, 62 * Math.sqrt(count), (3 * covered) / width);
  const points = layoutGraph(count, edges, width - 2 * margin, height - 48).map((p) => ({
    x: p.x + margin,
    y: p.y + 24,
  }));
  separate(points, halfWidths, halfHeight, width, height);
  const drawing = svg("svg", {
    viewBox: `0 0 ${width} ${height}`,
    class: "graph",
    role: "group",
    "aria-label": "Bodies and joints",
  });
  drawing.append(...edgePaths(edges, points));
  const nodes = scene.bodies.map((body, index) => {
    const half = halfWidths[index];
    const node = svg(
      "g",
      {
        class: index === 0 ? "node ground" : "node",
        tabindex: 0,
        role: "button",
        "aria-label": body.name,
        transform: `translate(${points[index].x} ${points[index].y})`,
      },
      svg("title", {}, body.name),
      svg("rect", { x: -half, y: -halfHeight, width: 2 * half, height: 2 * halfHeight, rx: 7 }),
      svg("text", { "text-anchor": "middle", dy: "0.34em" }, names[index]),
    );
    listen(node, index, selection);
    return node;
  });
  drawing.append(...nodes);
  selection.onChange(() => nodes.forEach((node, index) => mark(node, index, selection)));
  nodes.forEach((node, index) => mark(node, index, selection));
  return element("div", { class: "graph-host" }, drawing);
}

/** Several connections of one pair of bodies are bent apart. */
function edgePaths(edges: Edge[], points: GraphPoint[]): SVGElement[] {
  const counts = new Map<string, number>();
  const keyOf = (edge: Edge): string => [edge.from, edge.to].sort((a, b) => a - b).join(" ");
  edges.forEach((edge) => counts.set(keyOf(edge), (counts.get(keyOf(edge)) ?? 0) + 1));
  const seen = new Map<string, number>();
  return edges.map((edge) => {
    const key = keyOf(edge);
    const place = seen.get(key) ?? 0;
    seen.set(key, place + 1);
    const [low, high] = [Math.min(edge.from, edge.to), Math.max(edge.from, edge.to)];
    const [a, b] = [points[low], points[high]];
    const bend = (place - ((counts.get(key) ?? 1) - 1) / 2) * 26;
    const size = Math.hypot(b.x - a.x, b.y - a.y) || 1;
    const x = (a.x + b.x) / 2 - ((b.y - a.y) / size) * bend;
    const y = (a.y + b.y) / 2 + ((b.x - a.x) / size) * bend;
    const d = `M${a.x} ${a.y}Q${x} ${y} ${b.x} ${b.y}`;
    return svg(
      "g",
      {},
      svg("title", {}, edge.label),
      svg("path", { d, class: "edge wide" }),
      svg("path", { d, class: `edge ${edge.kind}` }),
    );
  });
}

function listen(node: Element, body: number, selection: Selection): void {
  node.addEventListener("click", () => selection.toggle(body));
  node.addEventListener("pointerenter", () => selection.hover(body));
  node.addEventListener("pointerleave", () => selection.hover(null));
  node.addEventListener("keydown", (event) => {
    const { key } = event as KeyboardEvent;
    if (key !== "Enter" && key !== " ") return;
    event.preventDefault();
    event.stopPropagation();
    selection.toggle(body);
  });
}

function mark(node: Element, body: number, selection: Selection): void {
  node.classList.toggle("selected", selection.selected === body);
  node.classList.toggle("hovered", selection.hovered === body);
  node.setAttribute("aria-pressed", String(selection.selected === body));
}

function makeList(scene: SceneData, edges: Edge[], selection: Selection): HTMLElement {
  const perBody: Edge[][] = scene.bodies.map(() => []);
  for (const edge of edges) {
    perBody[edge.from].push(edge);
    if (edge.to !== edge.from) perBody[edge.to].push(edge);
  }
  const list = element("ul", { class: "body-list" });
  const rows = new Map<number, HTMLElement>();
  scene.bodies.slice(0, 3000).forEach((body, index) => {
    const inner = element("ul", {});
    const heading = element(
      "summary",
      {},
      element("span", { class: "name" }, body.name),
      element("span", { class: "count" }, String(perBody[index].length)),
    );
    const details = element("details", {}, heading, inner);
    details.addEventListener("toggle", () => {
      if (details.open && inner.childElementCount === 0) {
        const other = (edge: Edge): string => scene.bodies[edge.from === index ? edge.to : edge.from].name;
        inner.append(...perBody[index].map((edge) => element("li", {}, `${edge.label} to ${other(edge)}`)));
      }
    });
    heading.addEventListener("pointerenter", () => selection.hover(index));
    heading.addEventListener("pointerleave", () => selection.hover(null));
    heading.addEventListener("click", () => selection.select(index));
    rows.set(index, details);
    list.append(element("li", {}, details));
  });
  let last: HTMLElement | undefined;
  selection.onChange(() => {
    last?.classList.remove("selected");
    last = selection.selected === null ? undefined : rows.get(selection.selected);
    last?.classList.add("selected");
    if (last) list.scrollTop = Math.max(0, last.offsetTop - list.offsetTop - 60);
  });
  return list;
}
