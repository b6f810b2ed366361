// Draws a plot on a canvas: frame, ticks, curves, events. Knows nothing of the mouse.
import { decimate } from "../decimate";
import { curveStyle, type Palette } from "../palette";
import type { Channel } from "../run";
import { shortened } from "../scene/overlay";
import { linearTicks } from "../ticks";
import { axisTicks, fractionOf, type Axis } from "./axes";

const font = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', sans-serif";
const axisWidth = 58;

export interface Frame {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

export interface PlotContent {
  axes: Axis[];
  channels: Channel[];
  begin: number;
  end: number;
  events: { t: number; name: string }[];
  palette: Palette;
}

/** Where curves go on a canvas of this size: each axis takes its share at the sides. */
export function plotFrame(axes: Axis[], width: number, height: number): Frame {
  const lefts = axes.filter((axis) => axis.side === "left").length;
  const rights = axes.length - lefts;
  const share = Math.min(axisWidth, (0.5 * width) / Math.max(2, axes.length));
  return {
    left: Math.max(1, lefts) * share,
    right: width - (rights > 0 ? rights * share : 12),
    top: 20,
    bottom: height - 24,
  };
}

export const timeToX = (frame: Frame, content: { begin: number; end: number }, time: number): number =>
  frame.left + ((time - content.begin) / (content.end - content.begin || 1)) * (frame.right - frame.left);

export const xToTime = (frame: Frame, content: { begin: number; end: number }, x: number): number =>
  content.begin + ((x - frame.left) / (frame.right - frame.left || 1)) * (content.end - content.begin);

/** Prepares a canvas for its size on the page and the screen's pixels. */
export function prepare(
  canvas: HTMLCanvasElement,
  width: number,
  height: number,
): CanvasRenderingContext2D | null {
  const ratio = Math.min(3, window.devicePixelRatio || 1);
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  const context = canvas.getContext("2d");
  context?.setTransform(ratio, 0, 0, ratio, 0, 0);
  context?.clearRect(0, 0, width, height);
  return context;
}

export function drawPlot(
  canvas: HTMLCanvasElement,
  content: PlotContent,
  width: number,
  height: number,
): Frame {
  const frame = plotFrame(content.axes, width, height);
  const context = prepare(canvas, width, height);
  if (!context || frame.right - frame.left < 10) return frame;
  context.font = `11px ${font}`;
  drawTimeAxis(context, content, frame);
  let [left, right] = [0, 0];
  for (const axis of content.axes) {
    const share = frame.left / Math.max(1, content.axes.filter((a) => a.side === "left").length);
    const x = axis.side === "left" ? frame.left - share * left++ : frame.right + share * right++;
    drawValueAxis(context, content, axis, frame, x);
  }
  context.strokeStyle = content.palette.axisLine;
  context.lineWidth = 1;
  context.strokeRect(
    frame.left + 0.5,
    frame.top + 0.5,
    frame.right - frame.left - 1,
    frame.bottom - frame.top - 1,
  );
  drawEvents(context, content, frame);
  for (const axis of content.axes)
    for (const channel of axis.channels) drawCurve(context, content, axis, channel, frame);
  return frame;
}

function drawTimeAxis(context: CanvasRenderingContext2D, content: PlotContent, frame: Frame): void {
  const ticks = linearTicks(content.begin, content.end, Math.max(2, (frame.right - frame.left) / 90));
  context.textAlign = "center";
  context.textBaseline = "top";
  ticks.forEach((tick, i) => {
    const x = Math.round(timeToX(frame, content, tick.value)) + 0.5;
    line(context, content.palette.gridLine, x, frame.top, x, frame.bottom);
    context.fillStyle = content.palette.faint;
    // the last label carries the unit, and must not run out of the picture
    const text = i === ticks.length - 1 ? `${tick.label} s` : tick.label;
    const half = context.measureText(text).width / 2;
    context.fillText(text, Math.min(x, frame.right + 10 - half), frame.bottom + 6);
  });
}

function drawValueAxis(
  context: CanvasRenderingContext2D,
  content: PlotContent,
  axis: Axis,
  frame: Frame,
  x: number,
): void {
  const ticks = axisTicks(axis, Math.max(2, (frame.bottom - frame.top) / 42));
  const sign = axis.side === "left" ? -1 : 1;
  const single = content.axes.length > 1 && axis.channels.length === 1;
  const color = single
    ? curveStyle(content.channels.indexOf(axis.channels[0]), content.palette).color
    : content.palette.faint;
  context.textAlign = axis.side === "left" ? "right" : "left";
  context.textBaseline = "middle";
  for (const tick of ticks) {
    const y = Math.round(frame.bottom - fractionOf(axis, tick.value) * (frame.bottom - frame.top)) + 0.5;
    // lines across the plot belong to the first axis; two sets would only confuse
    if (axis === content.axes[0]) {
      context.globalAlpha = tick.label ? 1 : 0.45;
      line(context, content.palette.gridLine, frame.left, y, frame.right, y);
      context.globalAlpha = 1;
    } else {
      line(context, content.palette.axisLine, x, y, x + sign * (tick.label ? 4 : 2), y);
    }
    context.fillStyle = color;
    context.fillText(tick.label, x + sign * 7, y);
  }
  if (x !== frame.left && x !== frame.right)
    line(context, content.palette.axisLine, x, frame.top, x, frame.bottom);
  context.textBaseline = "alphabetic";
  context.fillStyle = color;
  context.fillText(shortened(axis.unit, 8), x + sign * 7, frame.top - 8);
}

export function line(
  context: CanvasRenderingContext2D,
  color: string,
  x0: number,
  y0: number,
  x1: number,
  y1: number,
): void {
  context.strokeStyle = color;
  context.lineWidth = 1;
  context.beginPath();
  context.moveTo(x0, y0);
  context.lineTo(x1, y1);
  context.stroke();
}

function drawEvents(context: CanvasRenderingContext2D, content: PlotContent, frame: Frame): void {
  const visible = content.events
    .filter((event) => event.t >= content.begin && event.t <= content.end)
    .slice(0, 2000);
  let free = frame.left;
  context.textAlign = "left";
  context.textBaseline = "alphabetic";
  context.save();
  context.setLineDash([3, 3]);
  for (const event of visible) {
    const x = Math.round(timeToX(frame, content, event.t)) + 0.5;
    line(context, content.palette.event, x, frame.top, x, frame.bottom);
    const text = shortened(event.name, 28);
    const size = context.measureText(text).width;
    if (x >= free && x + size < frame.right) {
      context.fillStyle = content.palette.event;
      context.fillText(text, x, frame.top - 7);
      free = x + size + 8;
    }
  }
  context.restore();
}

function drawCurve(
  context: CanvasRenderingContext2D,
  content: PlotContent,
  axis: Axis,
  channel: Channel,
  frame: Frame,
): void {
  const curve = decimate(
    channel.times,
    channel.data,
    content.begin,
    content.end,
    Math.ceil(frame.right - frame.left),
  );
  const style = curveStyle(content.channels.indexOf(channel), content.palette);
  const height = frame.bottom - frame.top;
  context.save();
  context.beginPath();
  context.rect(frame.left, frame.top, frame.right - frame.left, height);
  context.clip();
  context.strokeStyle = context.fillStyle = style.color;
  context.lineWidth = 1.7;
  context.lineJoin = context.lineCap = "round";
  context.setLineDash(style.dash);
  context.beginPath();
  let pen = false;
  for (let i = 0; i < curve.x.length; i++) {
    const y = frame.bottom - fractionOf(axis, curve.y[i]) * height;
    if (!Number.isFinite(y)) {
      pen = false;
      continue;
    }
    const x = timeToX(frame, content, curve.x[i]);
    const far = Math.max(-1e5, Math.min(1e5, y));
    if (pen) context.lineTo(x, far);
    else {
      // a sample alone between gaps is a dot
      context.moveTo(x, far);
      context.lineTo(x, far);
    }
    pen = true;
  }
  context.stroke();
  context.restore();
}
