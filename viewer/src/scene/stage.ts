// The 3D picture: renderer, light, camera, picking. Draws only when something has changed.
import {
  Color,
  DirectionalLight,
  HemisphereLight,
  Raycaster,
  Scene,
  Vector2,
  Vector3,
  WebGLRenderer,
} from "three";
import { element } from "../dom";
import type { Triple } from "../format";
import { palettes, type Palette } from "../palette";
import { boxDiagonal } from "../poses";
import type { Run } from "../run";
import type { Scheduler } from "../scheduler";
import type { Selection } from "../selection";
import { subtract } from "../vectors";
import { standardView, type ViewName } from "../view";
import { Eye } from "./camera";
import { listenToGestures } from "./gestures";
import { budget } from "./geometry";
import { MechanismView, type Label, type Layer } from "./mechanism_view";
import { thinnest } from "./material";
import { drawOverlay } from "./overlay";

/**
 * Without a graphics card the browser may draw on the processor: then fewer triangles and pixels keep it
 * moving.
 */
function drawsInSoftware(renderer: WebGLRenderer): boolean {
  const context = renderer.getContext();
  const info = context.getExtension("WEBGL_debug_renderer_info");
  const name = String(context.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : context.RENDERER));
  return /swiftshader|llvmpipe|software|basic render/i.test(name);
}

export class Stage {
  readonly host = element("div", { class: "stage" });
  readonly canvas = element("canvas", {
    class: "stage-canvas",
    tabindex: "0",
    role: "img",
    "aria-label": "Animation of the mechanism",
  });
  readonly eye = new Eye();
  view: MechanismView;
  follow = false;
  readonly layers: Record<Layer, boolean> = {
    joints: true,
    forces: true,
    frames: false,
    arrows: false,
    traces: true,
    grid: true,
    labels: false,
  };
  private readonly overlay = element("canvas", { class: "stage-overlay", "aria-hidden": "true" });
  private readonly renderer: WebGLRenderer;
  private readonly scene = new Scene();
  private readonly light = new DirectionalLight(0xffffff, 2.1);
  private readonly sky = new HemisphereLight(0xffffff, 0x9aa6b5, 1.35);
  private palette: Palette = palettes.light;
  private time = 0;
  private dirty = true;
  private bodiesMoved = true;
  private followed: Triple = [0, 0, 0];
  private viewIsChosen = false;
  private readonly retired: MechanismView[] = [];
  private hoverAt: [number, number] | null = null;

  /** Throws when the browser has no WebGL. */
  constructor(
    run: Run,
    private readonly selection: Selection,
    private readonly scheduler: Scheduler,
  ) {
    if (!run.scene) throw new Error("The run has no scene.");
    this.renderer = new WebGLRenderer({
      canvas: this.canvas,
      antialias: true,
      powerPreference: "high-performance",
    });
    const slow = drawsInSoftware(this.renderer);
    if (slow) budget.triangles = 12000;
    this.renderer.setPixelRatio(slow ? 1 : Math.min(2, window.devicePixelRatio || 1));
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.autoUpdate = false;
    this.scene.add(this.light, this.light.target, this.sky);
    this.view = new MechanismView(run.scene, run);
    this.scene.add(this.view.root);
    this.host.append(this.canvas, this.overlay);
    listenToGestures(this.canvas, this.eye, {
      moved: () => {
        this.viewIsChosen = true;
        this.invalidate();
      },
      clicked: (x, y) => this.selection.toggle(this.pick(x, y)),
      hovered: (x, y) => {
        this.hoverAt = [x, y];
        this.scheduler.request();
      },
      left: () => {
        this.hoverAt = null;
        this.selection.hover(null);
      },
    });
    selection.onChange(() => {
      this.followed = this.view.centerOf(this.follow ? this.selection.selected : null);
      this.view.recolorBodies(this.palette, (body) => this.highlight(body));
      this.invalidate();
    });
    this.canvas.addEventListener("webglcontextrestored", () => this.invalidate());
    new ResizeObserver(() => this.resize()).observe(this.host);
    scheduler.add(() => this.draw());
    this.startView();
  }

  invalidate(): void {
    this.dirty = true;
    this.scheduler.request();
  }

  /** Planar mechanisms begin flat; those that travel far are followed. */
  private startView(): void {
    this.eye.up = this.view.up;
    this.eye.perspective = this.view.normal === null;
    this.eye.reach = boxDiagonal(this.view.bounds) || 1;
    this.follow =
      boxDiagonal(this.view.bounds) > 4 * boxDiagonal(this.view.initialBounds) &&
      boxDiagonal(this.view.initialBounds) > 0;
    this.followed = this.view.centerOf(null);
    this.show(this.view.normal ? "plane" : "iso", false);
    this.viewIsChosen = false;
  }

  show(name: ViewName, animate = true): void {
    this.viewIsChosen = true;
    const orientation = standardView(name, this.view.up, this.view.normal);
    this.eye.fit(this.fitPlaces(), orientation, animate);
    this.invalidate();
  }

  fit(animate = true): void {
    this.eye.fit(this.fitPlaces(), this.eye.orientation, animate);
    this.invalidate();
  }

  /**
   * What has to be seen: all of the motion, or the mechanism as it was at first, where it is now, if the
   * camera goes with it.
   */
  private fitPlaces(): number[] {
    if (!this.follow) return this.view.places;
    const places = this.view.initialPlaces;
    const start = [0, 1, 2].map((k) => {
      const all = places.filter((_, i) => i % 3 === k);
      return all.reduce((sum, value) => sum + value, 0) / (all.length || 1);
    });
    const now = this.view.centerOf(this.selection.selected);
    return places.map((value, i) => value - start[i % 3] + now[i % 3]);
  }

  setFollow(follow: boolean): void {
    this.follow = follow;
    this.fit();
  }

  setPerspective(perspective: boolean): void {
    this.eye.perspective = perspective;
    this.invalidate();
  }

  setLayer(layer: Layer, visible: boolean): void {
    this.layers[layer] = visible;
    this.view.setLayer(layer, visible);
    this.view.update(this.time);
    this.bodiesMoved = true;
    this.invalidate();
  }

  setTime(time: number): void {
    if (time === this.time) return;
    this.time = time;
    this.bodiesMoved = true;
    this.view.update(time);
    const center = this.view.centerOf(this.follow ? this.selection.selected : null);
    if (this.follow) this.eye.shift(subtract(center, this.followed));
    this.followed = center;
    this.invalidate();
  }

  setPalette(palette: Palette): void {
    this.palette = palette;
    this.scene.background = new Color(palette.scene.background);
    this.view.recolor(palette, (body) => this.highlight(body));
    this.invalidate();
  }

  /** New data of the same mechanism, or of another: camera, layers and time stay. */
  replace(run: Run): void {
    if (!run.scene) return;
    this.scene.remove(this.view.root);
    // freed after the next frame: until then the new materials find the old ones' compiled shaders
    this.retired.push(this.view);
    this.view = new MechanismView(run.scene, run);
    this.scene.add(this.view.root);
    for (const layer of Object.keys(this.layers) as Layer[]) this.view.setLayer(layer, this.layers[layer]);
    this.eye.reach = boxDiagonal(this.view.bounds) || 1;
    this.bodiesMoved = true;
    this.view.update(this.time);
    this.followed = this.view.centerOf(this.follow ? this.selection.selected : null);
    this.resize();
    // a run that goes on may leave the picture; who has chosen a view keeps it
    if (!this.viewIsChosen && !this.follow) this.fit(false);
    this.setPalette(this.palette);
  }

  /** More samples of the same run. */
  extend(run: Run): void {
    this.view.poses.read(run.poseTimes, (name) => run.channel(name)?.data);
  }

  private highlight(body: number): string | null {
    if (body === this.selection.selected) return this.palette.selection;
    return body > 0 && body === this.selection.hovered ? this.palette.curves[5] : null;
  }

  private resize(): void {
    const [width, height] = [this.host.clientWidth, this.host.clientHeight];
    if (width === 0 || height === 0) return;
    const first = this.canvas.dataset.sized === undefined;
    this.canvas.dataset.sized = "yes";
    this.renderer.setSize(width, height, false);
    this.eye.aspect = width / height;
    this.view.traces.resize(width, height);
    if (first) this.fit(false);
    this.invalidate();
  }

  private pick(x: number, y: number): number | null {
    const ray = new Raycaster();
    ray.setFromCamera(new Vector2(x, y), this.eye.camera);
    return this.view.pick(ray);
  }

  private draw(): boolean {
    if (this.hoverAt) {
      const [x, y] = this.hoverAt;
      this.hoverAt = null;
      this.selection.hover(this.pick(x, y));
      this.canvas.style.cursor = this.selection.hovered === null ? "" : "pointer";
    }
    if (!this.dirty) return false;
    this.dirty = false;
    const moving = this.eye.step();
    this.eye.apply();
    const camera = this.eye.camera;
    // the light comes over the viewer's left shoulder wherever he looks from
    const at = new Vector3(...this.eye.target);
    const side = new Vector3(-0.45, 0.75, 1).applyQuaternion(camera.quaternion);
    this.light.position.copy(at).addScaledVector(side, this.eye.height);
    this.light.target.position.copy(at);
    this.sky.position.set(0, 1, 0.4).applyQuaternion(camera.quaternion);
    thinnest.value = (0.75 * this.eye.height) / (this.host.clientHeight || 1);
    this.view.grid.update(this.eye.target, this.eye.height);
    this.renderer.shadowMap.needsUpdate = this.bodiesMoved;
    this.bodiesMoved = false;
    this.renderer.render(this.scene, camera);
    for (const view of this.retired.splice(0)) view.dispose();
    this.drawText();
    if (moving) this.dirty = true;
    return moving;
  }

  private drawText(): void {
    const camera = this.eye.camera;
    const [width, height] = [this.host.clientWidth, this.host.clientHeight];
    const point = new Vector3();
    const bodies = this.view.scene.bodies;
    const pinned: Label[] = [this.selection.selected, this.selection.hovered]
      .filter(
        (body, i, all): body is number =>
          body !== null && all.indexOf(body) === i && bodies[body] !== undefined && body > 0,
      )
      .map((body) => ({ text: bodies[body].name, position: this.view.centerOf(body), kind: "body" }));
    drawOverlay(this.overlay, {
      labels: this.layers.labels ? this.view.labels() : [],
      pinned,
      eye: this.eye,
      palette: this.palette,
      project: ([x, y, z]) => {
        point.set(x, y, z).project(camera);
        return Math.abs(point.z) <= 1
          ? { x: ((point.x + 1) / 2) * width, y: ((1 - point.y) / 2) * height }
          : null;
      },
    });
  }
}
