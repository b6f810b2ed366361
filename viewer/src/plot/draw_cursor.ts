// Draws what moves over a plot: cursor, hover line, the rectangle being dragged. On a canvas of its own, so
// that curves need not be drawn again while the animation plays.
import { curveStyle } from "../palette";
import { fractionOf } from "./axes";
import { line, prepare, timeToX, type Frame, type PlotContent } from "./draw";

export interface CursorContent extends PlotContent {
  time: number;
  hover: number | null;
  /** A rectangle being dragged, in pixels. */
  drag: { x0: number; y0: number; x1: number; y1: number; tall: boolean } | null;
}

/**
 * The moving part, on a canvas of its own: the curves underneath are not drawn again while the animation
 * plays.
 */
export function drawCursor(
  canvas: HTMLCanvasElement,
  content: CursorContent,
  frame: Frame,
  width: number,
  height: number,
): void {
  const context = prepare(canvas, width, height);
  if (!context) return;
  if (content.drag) {
    const { x0, x1, y0, y1, tall } = content.drag;
    const [top, bottom] = tall ? [Math.min(y0, y1), Math.max(y0, y1)] : [frame.top, frame.bottom];
    context.fillStyle = context.strokeStyle = content.palette.curves[0];
    context.globalAlpha = 0.14;
    context.fillRect(Math.min(x0, x1), top, Math.abs(x1 - x0), bottom - top);
    context.globalAlpha = 0.8;
    context.strokeRect(Math.min(x0, x1) + 0.5, top + 0.5, Math.abs(x1 - x0), bottom - top - 1);
    context.globalAlpha = 1;
  }
  if (content.hover !== null) {
    context.globalAlpha = 0.45;
    const x = timeToX(frame, content, content.hover);
    line(context, content.palette.cursor, x, frame.top, x, frame.bottom);
    context.globalAlpha = 1;
    drawDots(context, content, frame, content.hover, 3);
  }
  if (content.time >= content.begin && content.time <= content.end) {
    const x = timeToX(frame, content, content.time);
    context.lineWidth = 1.5;
    line(context, content.palette.cursor, x, frame.top - 3, x, frame.bottom);
    context.fillStyle = content.palette.cursor;
    context.beginPath();
    context.moveTo(x - 4, frame.top - 5);
    context.lineTo(x + 4, frame.top - 5);
    context.lineTo(x, frame.top + 1);
    context.fill();
    drawDots(context, content, frame, content.time, 3.5);
  }
}

function drawDots(
  context: CanvasRenderingContext2D,
  content: PlotContent,
  frame: Frame,
  time: number,
  radius: number,
): void {
  for (const axis of content.axes) {
    for (const channel of axis.channels) {
      const y = frame.bottom - fractionOf(axis, channel.at(time)) * (frame.bottom - frame.top);
      if (!Number.isFinite(y) || y < frame.top - 1 || y > frame.bottom + 1) continue;
      context.beginPath();
      context.arc(timeToX(frame, content, time), y, radius, 0, 2 * Math.PI);
      context.fillStyle = curveStyle(content.channels.indexOf(channel), content.palette).color;
      context.fill();
      context.strokeStyle = content.palette.background;
      context.lineWidth = 1.5;
      context.stroke();
    }
  }
}
