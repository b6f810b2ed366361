// A soft shadow on the floor, which shows how high things are. Only what casts it is drawn a second time,
// nothing receives it but the floor, so there is nothing to flicker.
import { DirectionalLight, Group, Mesh, type Object3D, PlaneGeometry, ShadowMaterial } from "three";
import type { Triple } from "../format";
import { add, dot, perpendicular, scaled } from "../vectors";

export class Shadow {
  private readonly light = new DirectionalLight(0xffffff, 0);
  private readonly floor = new Mesh(
    new PlaneGeometry(1, 1),
    new ShadowMaterial({
      opacity: 0.16,
      depthWrite: false,
      polygonOffset: true,
      polygonOffsetFactor: -1,
      polygonOffsetUnits: -2,
    }),
  );
  private readonly group = new Group();
  private readonly height: number;

  /** `like` is an object that lies in the floor's plane. */
  constructor(
    private readonly size: number,
    private readonly up: Triple,
    like: Object3D,
    parent: Object3D,
  ) {
    // a light without intensity would be left out; a tiny one still casts
    this.light.intensity = 1e-4;
    this.light.castShadow = true;
    this.light.shadow.mapSize.set(1024, 1024);
    this.light.shadow.radius = 5;
    const camera = this.light.shadow.camera;
    const half = 0.75 * size;
    [camera.left, camera.right, camera.top, camera.bottom] = [-half, half, half, -half];
    [camera.near, camera.far] = [0.01 * size, 6 * size];
    this.floor.position.copy(like.position);
    this.floor.quaternion.copy(like.quaternion);
    this.floor.scale.set(3 * size, 3 * size, 1);
    this.height = dot([like.position.x, like.position.y, like.position.z], up);
    this.floor.receiveShadow = true;
    this.floor.renderOrder = -2;
    this.floor.frustumCulled = false;
    this.group.add(this.light, this.light.target, this.floor);
    parent.add(this.group);
  }

  /** Moves the light over what casts the shadow. */
  update(center: Triple): void {
    this.light.position.set(
      ...add(center, add(scaled(this.up, 2.5 * this.size), scaled(perpendicular(this.up), 0.35 * this.size))),
    );
    this.light.target.position.set(...center);
    // a small floor that comes along: the depth of an endless one is not exact enough to lie on a road
    this.floor.position.set(...add(center, scaled(this.up, this.height - dot(center, this.up))));
  }
}
