// Colours of both themes. Curves and bodies follow Okabe and Ito's palette, which colour-blind readers can
// tell apart.

export type Theme = "light" | "dark";

export interface Palette {
  background: string;
  text: string;
  faint: string;
  gridLine: string;
  axisLine: string;
  cursor: string;
  event: string;
  selection: string;
  curves: string[];
  scene: { background: string; gridMinor: string; gridMajor: string; labels: string; halo: string };
  roles: Record<string, string>;
}

const light: Palette = {
  background: "#ffffff",
  text: "#1c2530",
  faint: "#5d6b7a",
  gridLine: "#e6eaef",
  axisLine: "#aab4bf",
  cursor: "#1c2530",
  event: "#8a5a00",
  selection: "#e8590c",
  curves: ["#0072b2", "#d55e00", "#00795a", "#b0488a", "#3a9bd6", "#b57600", "#6a4fa3", "#4a5560"],
  scene: {
    background: "#f4f6f9",
    gridMinor: "#dfe4ea",
    gridMajor: "#ccd4dd",
    labels: "#2a3440",
    halo: "#f4f6f9",
  },
  roles: {
    body0: "#3f83bd",
    body1: "#e08a3c",
    body2: "#3a9d7c",
    body3: "#c377a6",
    body4: "#73b4de",
    body5: "#c9a227",
    many0: "#3f83bd",
    many1: "#7fb0d8",
    ground: "#8b96a3",
    metal: "#d6dbe1",
    pin: "#4a5561",
    spring: "#66727f",
    damper: "#9aa5b1",
    force: "#c2410c",
    reaction: "#c2255c",
    axisX: "#d1495b",
    axisY: "#3f8f4f",
    axisZ: "#3766b8",
    trace: "#7048a8",
  },
};

const dark: Palette = {
  background: "#161b22",
  text: "#e3e9f0",
  faint: "#96a3b1",
  gridLine: "#262e38",
  axisLine: "#566270",
  cursor: "#f2f5f8",
  event: "#e0b35a",
  selection: "#ff9248",
  curves: ["#5ab4ec", "#ff8c4a", "#3ccf9f", "#e59ac4", "#a5d8f7", "#f0c04d", "#b3a0ea", "#b4bfca"],
  scene: {
    background: "#12171d",
    gridMinor: "#222b35",
    gridMajor: "#35414e",
    labels: "#dfe6ee",
    halo: "#12171d",
  },
  roles: {
    body0: "#5a9fd8",
    body1: "#eb9a50",
    body2: "#4bb894",
    body3: "#d28ab8",
    body4: "#8cc6ea",
    body5: "#d8b64a",
    many0: "#5a9fd8",
    many1: "#3a73a3",
    ground: "#6b7785",
    metal: "#c4ccd5",
    pin: "#39434e",
    spring: "#a3afbb",
    damper: "#7c8895",
    force: "#ff8c4a",
    reaction: "#f5719b",
    axisX: "#ef6f7f",
    axisY: "#6cc47c",
    axisZ: "#7aa5f0",
    trace: "#b79af0",
  },
};

export const palettes: Record<Theme, Palette> = { light, dark };

/** "#rrggbb" for a role of the palette; colours pass through. */
export function resolveColor(color: string, palette: Palette): string {
  if (Object.prototype.hasOwnProperty.call(palette.roles, color)) return palette.roles[color];
  return color.startsWith("#") ? color : palette.roles.body0;
}

/** Dashes tell curves apart once the colours have been used up. */
export function curveStyle(index: number, palette: Palette): { color: string; dash: number[] } {
  const dashes = [[], [7, 4], [2, 3], [9, 3, 2, 3]];
  const count = palette.curves.length;
  return { color: palette.curves[index % count], dash: dashes[Math.floor(index / count) % dashes.length] };
}
