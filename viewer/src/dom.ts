// Builds elements. Text enters as text nodes and attribute values only, so no name can become markup.

type Child = Node | string | null | undefined;
type Attributes = Record<string, string | number | boolean | null | undefined>;

function fill(node: Element, attributes: Attributes, children: Child[]): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    node.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children) if (child !== null && child !== undefined) node.append(child);
}

export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const node = document.createElement(tag);
  fill(node, attributes, children);
  return node;
}

export function svg<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): SVGElementTagNameMap[K] {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  fill(node, attributes, children);
  return node;
}

/** An icon from the drawing instructions of a 24 x 24 path. */
export function icon(path: string, filled = false): SVGSVGElement {
  const look: Attributes = filled
    ? { fill: "currentColor" }
    : {
        fill: "none",
        stroke: "currentColor",
        "stroke-width": 1.8,
        "stroke-linecap": "round",
        "stroke-linejoin": "round",
      };
  return svg(
    "svg",
    { viewBox: "0 0 24 24", class: "icon", "aria-hidden": "true", ...look },
    svg("path", { d: path }),
  );
}

export function button(
  label: string,
  content: Child,
  onClick: () => void,
  attributes: Attributes = {},
): HTMLButtonElement {
  const node = element(
    "button",
    { type: "button", "aria-label": label, title: label, ...attributes },
    content,
  );
  node.addEventListener("click", onClick);
  return node;
}

/** A button that is on or off. */
export function toggle(
  label: string,
  content: Child,
  on: boolean,
  onChange: (on: boolean) => void,
  attributes: Attributes = {},
): HTMLButtonElement {
  const node = button(
    label,
    content,
    () => {
      const next = node.getAttribute("aria-pressed") !== "true";
      node.setAttribute("aria-pressed", String(next));
      onChange(next);
    },
    attributes,
  );
  node.setAttribute("aria-pressed", String(on));
  return node;
}

/** Offers text as a file to be saved. */
export function download(text: string, fileName: string, type: string): void {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = element("a", { href: address, download: fileName });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}
