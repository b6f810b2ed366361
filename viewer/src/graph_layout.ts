// Positions for the structure graph: layers by distance from the ground to begin with, then springs and
// repulsion. Nothing random, so the same mechanism always gets the same picture.

export interface GraphEdge {
  from: number;
  to: number;
}

export interface GraphPoint {
  x: number;
  y: number;
}

/** Number of edges between each node and node 0; nodes that are not connected come after all others. */
export function depths(count: number, edges: GraphEdge[]): number[] {
  const neighbours: number[][] = Array.from({ length: count }, () => []);
  for (const { from, to } of edges) {
    neighbours[from]?.push(to);
    neighbours[to]?.push(from);
  }
  const depth = new Array<number>(count).fill(-1);
  const queue = count > 0 ? [0] : [];
  if (count > 0) depth[0] = 0;
  for (let head = 0; head < queue.length; head++) {
    for (const other of neighbours[queue[head]]) {
      if (other < 0 || other >= count || depth[other] >= 0) continue;
      depth[other] = depth[queue[head]] + 1;
      queue.push(other);
    }
  }
  const deepest = Math.max(0, ...depth);
  return depth.map((value) => (value < 0 ? deepest + 1 : value));
}

function layered(depth: number[]): GraphPoint[] {
  const seen = new Map<number, number>();
  const sizes = new Map<number, number>();
  depth.forEach((d) => sizes.set(d, (sizes.get(d) ?? 0) + 1));
  return depth.map((d, node) => {
    const place = seen.get(d) ?? 0;
    seen.set(d, place + 1);
    const size = sizes.get(d) ?? 1;
    // a little skew keeps chains from starting on one exact line, where forces cannot part them
    return { x: d + 0.013 * ((node * 7) % 5), y: place - (size - 1) / 2 + 0.017 * ((node * 3) % 7) };
  });
}

/**
 * Pushes boxes of the given half widths and half height apart until none overlap, or for a while; all stay
 * inside.
 */
export function separate(
  points: GraphPoint[],
  halfWidths: number[],
  halfHeight: number,
  width: number,
  height: number,
): void {
  const gap = 8;
  for (let round = 0; round < 200; round++) {
    let moved = false;
    for (let i = 0; i < points.length; i++) {
      for (let j = i + 1; j < points.length; j++) {
        const x = points[j].x - points[i].x;
        const y = points[j].y - points[i].y;
        const overX = halfWidths[i] + halfWidths[j] + gap - Math.abs(x);
        const overY = 2 * halfHeight + gap - Math.abs(y);
        if (overX <= 0 || overY <= 0) continue;
        moved = true;
        const alongY = overY < overX;
        const shift = ((alongY ? overY : overX) / 2 + 0.01) * ((alongY ? y : x) < 0 ? -1 : 1);
        points[i][alongY ? "y" : "x"] -= shift;
        points[j][alongY ? "y" : "x"] += shift;
      }
    }
    points.forEach((point, i) => {
      point.x = Math.min(width - halfWidths[i] - 2, Math.max(halfWidths[i] + 2, point.x));
      point.y = Math.min(height - halfHeight - 2, Math.max(halfHeight + 2, point.y));
    });
    if (!moved) return;
  }
}

/** Positions in a box of the given size. */
export function layoutGraph(count: number, edges: GraphEdge[], width: number, height: number): GraphPoint[] {
  const valid = edges.filter(
    (e) => e.from !== e.to && e.from >= 0 && e.to >= 0 && e.from < count && e.to < count,
  );
  // what is not connected to the ground is held near it all the same, or it would drift out of the picture
  const depth = depths(count, valid);
  const connected = new Set(valid.flatMap((edge) => [edge.from, edge.to]));
  for (let node = 1; node < count; node++) if (!connected.has(node)) valid.push({ from: 0, to: node });
  const points = layered(depth);
  const rounds = count > 80 ? 120 : 300;
  for (let round = 0; round < rounds; round++) relax(points, valid, 0.25 * (1 - round / rounds) + 0.005);
  return fitted(points, width, height);
}

function relax(points: GraphPoint[], edges: GraphEdge[], step: number): void {
  const forces = points.map(() => ({ x: 0, y: 0 }));
  for (let i = 0; i < points.length; i++) {
    for (let j = i + 1; j < points.length; j++) {
      const x = points[i].x - points[j].x;
      const y = points[i].y - points[j].y;
      const push = 1 / Math.max(0.02, x * x + y * y);
      forces[i].x += x * push;
      forces[i].y += y * push;
      forces[j].x -= x * push;
      forces[j].y -= y * push;
    }
  }
  // a weak pull to the middle keeps parts that are not connected in the picture
  const middle = { x: 0, y: 0 };
  for (const point of points) {
    middle.x += point.x / points.length;
    middle.y += point.y / points.length;
  }
  points.forEach((point, i) => {
    forces[i].x += 0.25 * (middle.x - point.x);
    forces[i].y += 0.25 * (middle.y - point.y);
  });
  for (const { from, to } of edges) {
    const x = points[to].x - points[from].x;
    const y = points[to].y - points[from].y;
    const pull = Math.hypot(x, y);
    forces[from].x += x * pull;
    forces[from].y += y * pull;
    forces[to].x -= x * pull;
    forces[to].y -= y * pull;
  }
  points.forEach((point, i) => {
    const size = Math.hypot(forces[i].x, forces[i].y);
    const move = size > 0 ? Math.min(size * 0.1, step) / size : 0;
    point.x += forces[i].x * move;
    point.y += forces[i].y * move;
  });
}

function fitted(points: GraphPoint[], width: number, height: number): GraphPoint[] {
  const xs = points.map((p) => p.x);
  const ys = points.map((p) => p.y);
  const [left, right, low, high] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  const place = (value: number, from: number, to: number, size: number): number =>
    to - from > 1e-9 ? ((value - from) / (to - from)) * size : size / 2;
  return points.map((p) => ({ x: place(p.x, left, right, width), y: place(p.y, low, high, height) }));
}
