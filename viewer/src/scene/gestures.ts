// Pointer gestures on the picture: drag to orbit, with the right button or Shift to pan, wheel and pinch to
// zoom, a click.
import type { Eye } from "./camera";

export interface GestureTarget {
  moved(): void;
  clicked(x: number, y: number): void;
  hovered(x: number, y: number): void;
  left(): void;
}

interface Finger {
  x: number;
  y: number;
}

export function listenToGestures(canvas: HTMLElement, eye: Eye, target: GestureTarget): void {
  const fingers = new Map<number, Finger>();
  let travelled = 0;
  let panning = false;

  const place = (event: { clientX: number; clientY: number }): [number, number] => {
    const box = canvas.getBoundingClientRect();
    return [
      ((event.clientX - box.left) / box.width) * 2 - 1,
      1 - ((event.clientY - box.top) / box.height) * 2,
    ];
  };

  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    travelled = fingers.size > 1 ? 100 : 0;
    panning = event.button === 1 || event.button === 2 || event.shiftKey || event.ctrlKey || event.metaKey;
  });

  canvas.addEventListener("pointermove", (event) => {
    const finger = fingers.get(event.pointerId);
    if (!finger) {
      if (event.pointerType === "mouse") target.hovered(...place(event));
      return;
    }
    const [dx, dy] = [event.clientX - finger.x, event.clientY - finger.y];
    travelled += Math.abs(dx) + Math.abs(dy);
    const height = canvas.clientHeight || 1;
    if (fingers.size >= 2) pinch(finger, event, height);
    else if (travelled > 4) {
      if (panning) eye.pan(dx / height, -dy / height);
      else eye.orbit((dx / height) * Math.PI, (dy / height) * Math.PI);
    }
    finger.x = event.clientX;
    finger.y = event.clientY;
    target.moved();
  });

  /** Two fingers: their distance zooms, their middle pans. */
  function pinch(finger: Finger, event: PointerEvent, height: number): void {
    const other = [...fingers.values()].find((candidate) => candidate !== finger);
    if (!other) return;
    const before = Math.hypot(finger.x - other.x, finger.y - other.y);
    const after = Math.hypot(event.clientX - other.x, event.clientY - other.y);
    const [x, y] = place({ clientX: (event.clientX + other.x) / 2, clientY: (event.clientY + other.y) / 2 });
    if (before > 0 && after > 0) eye.zoom(after / before, x, y);
    eye.pan((event.clientX - finger.x) / 2 / height, -(event.clientY - finger.y) / 2 / height);
  }

  const release = (event: PointerEvent): void => {
    if (fingers.has(event.pointerId) && fingers.size === 1 && travelled <= 4 && event.type === "pointerup") {
      target.clicked(...place(event));
    }
    fingers.delete(event.pointerId);
  };
  canvas.addEventListener("pointerup", release);
  canvas.addEventListener("pointercancel", release);
  canvas.addEventListener("pointerleave", () => target.left());
  canvas.addEventListener("contextmenu", (event) => event.preventDefault());
  canvas.addEventListener(
    "wheel",
    (event) => {
      event.preventDefault();
      const lines = event.deltaMode === 1 ? 30 : event.deltaMode === 2 ? 400 : 1;
      eye.zoom(Math.exp(-Math.max(-300, Math.min(300, event.deltaY * lines)) * 0.0014), ...place(event));
      target.moved();
    },
    { passive: false },
  );
}
