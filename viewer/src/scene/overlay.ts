// What is written over the picture: labels, the directions of the axes, a scale bar. On a 2D canvas, so names
// are only ink.
import type { Triple } from "../format";
import type { Palette } from "../palette";
import { conjugate, rotate } from "../vectors";
import { niceStep } from "../ticks";
import { formatValue } from "../numbers";
import type { Eye } from "./camera";
import type { Label } from "./mechanism_view";

const font = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', sans-serif";

export const shortened = (text: string, most: number): string => {
  const letters = Array.from(text.replace(/\s+/g, " "));
  return letters.length > most ? `${letters.slice(0, most - 1).join("")}…` : letters.join("");
};

export interface OverlayContent {
  labels: Label[];
  /** Labels that must be shown: of the selected or hovered body. */
  pinned: Label[];
  project(point: Triple): { x: number; y: number } | null;
  eye: Eye;
  palette: Palette;
}

export function drawOverlay(canvas: HTMLCanvasElement, content: OverlayContent): void {
  const ratio = Math.min(3, window.devicePixelRatio || 1);
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  const context = canvas.getContext("2d");
  if (!context) return;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  drawAxes(context, content, 38, height - 38);
  drawScale(context, content, width, height);
  drawLabels(context, content, width, height);
}

/** Labels, each where it hides no earlier one. */
function drawLabels(
  context: CanvasRenderingContext2D,
  content: OverlayContent,
  width: number,
  height: number,
): void {
  const taken: [number, number, number, number][] = [];
  const draw = (label: Label, strong: boolean): void => {
    const place = content.project(label.position);
    if (!place || place.x < 0 || place.y < 0 || place.x > width || place.y > height) return;
    const text = shortened(label.text, 36);
    const isBody = label.kind === "body";
    context.font = `${strong ? 600 : isBody ? 500 : 400} ${isBody ? 12 : 11}px ${font}`;
    const size = context.measureText(text).width;
    const x = Math.min(width - size - 6, place.x + 10);
    const y = Math.max(14, place.y - 10);
    const box: [number, number, number, number] = [x - 3, y - 12, x + size + 3, y + 4];
    const hidden = taken.some(
      (other) => box[0] < other[2] && other[0] < box[2] && box[1] < other[3] && other[1] < box[3],
    );
    if (hidden && !strong) return;
    taken.push(box);
    context.lineWidth = 3.5;
    context.lineJoin = "round";
    context.strokeStyle = content.palette.scene.halo;
    context.strokeText(text, x, y);
    context.fillStyle = strong
      ? content.palette.selection
      : label.kind === "body"
        ? content.palette.scene.labels
        : content.palette.faint;
    context.fillText(text, x, y);
  };
  content.pinned.forEach((label) => draw(label, true));
  content.labels.forEach((label) => draw(label, false));
}

/** The background's colour behind what is written, which is seen only where something else is under it. */
function back(
  context: CanvasRenderingContext2D,
  palette: Palette,
  x: number,
  y: number,
  w: number,
  h: number,
): void {
  context.save();
  context.globalAlpha = 0.72;
  context.fillStyle = palette.scene.halo;
  context.beginPath();
  context.ellipse(x + w / 2, y + h / 2, w / 2, h / 2, 0, 0, 2 * Math.PI);
  if (w !== h) context.rect(x, y, w, h);
  context.fill("nonzero");
  context.restore();
}

function drawAxes(
  context: CanvasRenderingContext2D,
  { eye, palette }: OverlayContent,
  x: number,
  y: number,
): void {
  const toCamera = conjugate(eye.orientation);
  const axes = (["axisX", "axisY", "axisZ"] as const).map((role, k) => {
    const axis: Triple = [0, 0, 0];
    axis[k] = 1;
    return { color: palette.roles[role], name: "xyz"[k], tip: rotate(toCamera, axis) };
  });
  axes.sort((a, b) => a.tip[2] - b.tip[2]);
  back(context, palette, x - 36, y - 36, 72, 72);
  context.font = `600 11px ${font}`;
  context.textAlign = "center";
  context.textBaseline = "middle";
  for (const { color, name, tip } of axes) {
    context.strokeStyle = context.fillStyle = color;
    context.lineWidth = 2;
    context.beginPath();
    context.moveTo(x, y);
    context.lineTo(x + 20 * tip[0], y - 20 * tip[1]);
    context.stroke();
    // an axis that points at the eye is a dot, and its name would sit on it
    if (Math.hypot(tip[0], tip[1]) > 0.2) context.fillText(name, x + 29 * tip[0], y - 29 * tip[1]);
  }
  context.textAlign = "start";
  context.textBaseline = "alphabetic";
}

function drawScale(
  context: CanvasRenderingContext2D,
  { eye, palette }: OverlayContent,
  width: number,
  height: number,
): void {
  const perPixel = eye.height / height;
  const size = niceStep(perPixel * 90, 1);
  const pixels = size / perPixel;
  if (!(pixels > 4) || pixels > width / 2) return;
  const [right, y] = [width - 14, height - 14];
  back(context, palette, right - pixels - 6, y - 19, pixels + 12, 25);
  context.strokeStyle = context.fillStyle = palette.faint;
  context.lineWidth = 1.5;
  context.beginPath();
  context.moveTo(right - pixels, y - 4);
  context.lineTo(right - pixels, y);
  context.lineTo(right, y);
  context.lineTo(right, y - 4);
  context.stroke();
  context.font = `11px ${font}`;
  context.textAlign = "center";
  context.fillText(lengthText(size), right - pixels / 2, y - 6);
  context.textAlign = "start";
}

function lengthText(metres: number): string {
  if (metres >= 1000) return `${formatValue(metres / 1000, 1)} km`;
  if (metres >= 1) return `${formatValue(metres, 1)} m`;
  if (metres >= 0.0099) return `${formatValue(metres * 100, 1)} cm`;
  if (metres >= 0.00099) return `${formatValue(metres * 1000, 1)} mm`;
  if (metres >= 0.99e-6) return `${formatValue(metres * 1e6, 1)} µm`;
  return `${formatValue(metres * 1e9, 1)} nm`;
}
