// Pointer, wheel and keys on a plot: hover, click to set the time, drag to zoom, pinch, pan.
import { valueOf, zoomedRange, clampedRange } from "./axes";
import { xToTime } from "./draw";
import type { Plot } from "./plot";

export function listenToPlot(plot: Plot): void {
  const { area } = plot;
  const fingers = new Map<number, number>();
  let start: { x: number; y: number; pan: boolean; range: [number, number] } | null = null;
  let moved = false;

  const local = (event: { clientX: number; clientY: number }): { x: number; y: number } => {
    const box = area.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  const timeAt = (x: number): number => {
    const inside = Math.min(plot.frame.right, Math.max(plot.frame.left, x));
    return xToTime(plot.frame, plot, inside);
  };

  area.addEventListener("pointerdown", (event) => {
    if (event.button === 2) return;
    const { x, y } = local(event);
    area.setPointerCapture(event.pointerId);
    fingers.set(event.pointerId, x);
    start = { x, y, pan: event.button === 1 || event.shiftKey, range: [plot.begin, plot.end] };
    moved = fingers.size > 1;
    if (event.pointerType === "touch" && fingers.size === 1) plot.list.playback.setTime(timeAt(x));
  });

  area.addEventListener("pointermove", (event) => {
    const { x, y } = local(event);
    if (!fingers.has(event.pointerId) || !start) {
      if (event.pointerType === "touch") return;
      plot.hover = x >= plot.frame.left && x <= plot.frame.right ? timeAt(x) : null;
      plot.moveCursor();
      return;
    }
    if (fingers.size >= 2) {
      pinch(event.pointerId, x);
      return;
    }
    moved = moved || Math.abs(x - start.x) > 4 || Math.abs(y - start.y) > 4;
    if (event.pointerType === "touch") plot.list.playback.setTime(timeAt(x));
    else if (start.pan) panTo(x);
    else if (moved) {
      const tall = Math.abs(y - start.y) > 24;
      const inside = Math.min(plot.frame.right, Math.max(plot.frame.left, x));
      plot.drag = { x0: Math.max(plot.frame.left, start.x), y0: start.y, x1: inside, y1: y, tall };
      plot.hover = null;
      plot.moveCursor();
    }
  });

  function panTo(x: number): void {
    if (!start) return;
    const shift = ((start.x - x) / (plot.frame.right - plot.frame.left)) * (start.range[1] - start.range[0]);
    plot.list.setRange(clampedRange([start.range[0] + shift, start.range[1] + shift], plot.list.whole));
  }

  /** The times under both fingers stay under them. */
  function pinch(id: number, x: number): void {
    const [other] = [...fingers].filter(([key]) => key !== id).map(([, place]) => place);
    const before = fingers.get(id) ?? x;
    const [t0, t1] = [xToTime(plot.frame, plot, before), xToTime(plot.frame, plot, other)];
    fingers.set(id, x);
    if (Math.abs(x - other) < 8 || t0 === t1) return;
    const factor = Math.abs(x - other) / Math.max(1, Math.abs(before - other));
    plot.list.setRange(zoomedRange([plot.begin, plot.end], plot.list.whole, factor, t1));
  }

  const release = (event: PointerEvent): void => {
    if (!fingers.delete(event.pointerId)) return;
    const drag = plot.drag;
    plot.drag = null;
    if (event.type === "pointerup" && fingers.size === 0) {
      if (drag) zoomTo(plot, drag);
      else if (!moved && start && !start.pan) plot.list.playback.setTime(timeAt(start.x));
    }
    if (fingers.size === 0) start = null;
    plot.moveCursor();
  };
  area.addEventListener("pointerup", release);
  area.addEventListener("pointercancel", release);
  area.addEventListener("pointerleave", () => {
    plot.hover = null;
    plot.moveCursor();
  });
  area.addEventListener("dblclick", () => plot.reset());
  area.addEventListener("wheel", (event) => wheel(plot, event, timeAt(local(event).x)), { passive: false });
  area.addEventListener("keydown", (event) => pressKey(plot, event));
}

/**
 * Wheel zooms in a plot that has the focus or with Ctrl (which is also what a pinch on a touchpad sends);
 * else it scrolls.
 */
function wheel(plot: Plot, event: WheelEvent, time: number): void {
  if (!event.ctrlKey && !event.metaKey && document.activeElement !== plot.area) return;
  event.preventDefault();
  const factor = Math.exp(-Math.max(-200, Math.min(200, event.deltaY)) * 0.003);
  if (event.shiftKey || event.altKey) scaleAxes(plot, factor);
  else plot.list.setRange(zoomedRange([plot.begin, plot.end], plot.list.whole, factor, time));
}

function scaleAxes(plot: Plot, factor: number): void {
  for (const axis of plot.axes) {
    const half = 0.5 / factor;
    plot.fixedRanges.set(axis.key, [valueOf(axis, 0.5 - half), valueOf(axis, 0.5 + half)]);
  }
  plot.invalidate();
}

function zoomTo(plot: Plot, drag: NonNullable<Plot["drag"]>): void {
  if (Math.abs(drag.x1 - drag.x0) < 5) return;
  const times = [xToTime(plot.frame, plot, drag.x0), xToTime(plot.frame, plot, drag.x1)].sort(
    (a, b) => a - b,
  );
  if (drag.tall) {
    const height = plot.frame.bottom - plot.frame.top;
    const shares = [drag.y0, drag.y1].map((y) => (plot.frame.bottom - y) / height).sort((a, b) => a - b);
    for (const axis of plot.axes) {
      plot.fixedRanges.set(axis.key, [
        valueOf(axis, Math.max(0, shares[0])),
        valueOf(axis, Math.min(1, shares[1])),
      ]);
    }
  }
  plot.list.setRange([times[0], times[1]]);
  plot.invalidate();
}

/** Keys of a focused plot. Those it does not know go on to the page. */
function pressKey(plot: Plot, event: KeyboardEvent): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const { playback } = plot.list;
  const center =
    playback.time >= plot.begin && playback.time <= plot.end ? playback.time : (plot.begin + plot.end) / 2;
  const zoom = (factor: number): void =>
    plot.list.setRange(zoomedRange([plot.begin, plot.end], plot.list.whole, factor, center));
  const step = (plot.end - plot.begin) / 10;
  const pan = (by: number): void =>
    plot.list.setRange(clampedRange([plot.begin + by, plot.end + by], plot.list.whole));
  if (event.key === "+" || event.key === "=") zoom(1.5);
  else if (event.key === "-") zoom(1 / 1.5);
  else if (event.key === "0") plot.reset();
  else if (event.key === "ArrowLeft" && event.shiftKey) pan(-step);
  else if (event.key === "ArrowRight" && event.shiftKey) pan(step);
  else return;
  event.preventDefault();
  event.stopPropagation();
}
