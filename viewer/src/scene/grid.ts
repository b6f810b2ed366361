// A plane of graph paper without end: lines at a power of ten that suits the view, and stronger ones ten
// times as wide.
import {
  Color,
  DoubleSide,
  Mesh,
  PlaneGeometry,
  ShaderMaterial,
  Vector2,
  Vector3,
  type Object3D,
} from "three";
import type { Quadruple, Triple } from "../format";
import type { Palette } from "../palette";
import { gridSpacing } from "../view";
import { rotate } from "../vectors";

const vertexShader = `
  varying vec2 place;
  uniform vec2 center;
  uniform float size;
  void main() {
    place = center + position.xy * size;
    gl_Position = projectionMatrix * modelViewMatrix * vec4(place, 0.0, 1.0);
  }`;

const fragmentShader = `
  varying vec2 place;
  uniform vec2 center;
  uniform float size;
  uniform float spacing;
  uniform float fineness;
  uniform vec3 minorColor;
  uniform vec3 majorColor;
  float lines(float width, float thickness) {
    vec2 scaled = place / width;
    vec2 slope = max(fwidth(scaled), 1e-9);
    vec2 off = abs(fract(scaled - 0.5) - 0.5) / slope;
    float crowded = 1.0 - smoothstep(0.2, 0.5, max(slope.x, slope.y));
    return (1.0 - smoothstep(thickness - 0.5, thickness + 0.5, min(off.x, off.y))) * crowded;
  }
  void main() {
    float minor = lines(spacing, 0.5) * fineness;
    float major = lines(10.0 * spacing, 0.55);
    float fade = 1.0 - smoothstep(0.25, 1.0, 2.0 * length(place - center) / size);
    float alpha = max(minor * 0.85, major) * fade;
    if (alpha < 0.01) discard;
    gl_FragColor = vec4(mix(minorColor, majorColor, major), alpha);
    #include <colorspace_fragment>
  }`;

export class Grid {
  readonly mesh: Mesh<PlaneGeometry, ShaderMaterial>;
  private readonly across: Triple;
  private readonly along: Triple;
  private readonly origin: Triple;

  /** The plane through `origin` whose normal is the z axis of `orientation`. */
  constructor(origin: Triple, orientation: Quadruple, parent: Object3D) {
    this.origin = origin;
    this.across = rotate(orientation, [1, 0, 0]);
    this.along = rotate(orientation, [0, 1, 0]);
    const material = new ShaderMaterial({
      vertexShader,
      fragmentShader,
      transparent: true,
      depthWrite: false,
      // under a road or plate of the model that lies in the same plane
      polygonOffset: true,
      polygonOffsetFactor: 2,
      polygonOffsetUnits: 16,
      side: DoubleSide,
      uniforms: {
        center: { value: new Vector2() },
        size: { value: 1 },
        spacing: { value: 1 },
        fineness: { value: 1 },
        minorColor: { value: new Color() },
        majorColor: { value: new Color() },
      },
    });
    this.mesh = new Mesh(new PlaneGeometry(1, 1), material);
    this.mesh.position.set(...origin);
    this.mesh.quaternion.set(orientation[1], orientation[2], orientation[3], orientation[0]);
    this.mesh.frustumCulled = false;
    this.mesh.renderOrder = -1;
    parent.add(this.mesh);
  }

  /** Spacing for a view of the given height around `target`. */
  update(target: Triple, height: number): void {
    const offset = new Vector3(
      target[0] - this.origin[0],
      target[1] - this.origin[1],
      target[2] - this.origin[2],
    );
    const { uniforms } = this.mesh.material;
    uniforms.center.value.set(
      offset.dot(new Vector3(...this.across)),
      offset.dot(new Vector3(...this.along)),
    );
    uniforms.size.value = 14 * height;
    const spacing = gridSpacing(height);
    uniforms.spacing.value = spacing;
    // the fine lines fade before the next power of ten takes over
    uniforms.fineness.value = 1 - 0.8 * Math.max(0, Math.log10(height / 8 / spacing));
  }

  recolor(palette: Palette): void {
    this.mesh.material.uniforms.minorColor.value.set(palette.scene.gridMinor);
    this.mesh.material.uniforms.majorColor.value.set(palette.scene.gridMajor);
  }
}
