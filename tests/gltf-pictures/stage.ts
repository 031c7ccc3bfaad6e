// Small scenes for tests of light: plates, boxes and lights at known places, so that their shadows can be calculated.
import { Document, type Material, type Mesh, type Node, type Primitive } from '@gltf-transform/core';
import { KHRLightsPunctual, type Light } from '@gltf-transform/extensions';
import { toGlb } from './kit';

export type Point = readonly [number, number, number];

const subtract = (a: Point, b: Point): Point => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const dot = (a: Point, b: Point): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const unit = (a: Point): Point => a.map((x) => x / Math.hypot(...a)) as unknown as Point;

/** The rotation that turns −Z to a direction. */
export function towards(direction: Point): [number, number, number, number] {
  const d = unit(direction);
  if (d[2] > 0.999999) return [0, 1, 0, 0];
  const q = [d[1], -d[0], 0, 1 - d[2]];
  const length = Math.hypot(...q);
  return q.map((x) => x / length) as [number, number, number, number];
}

/** How a light is given. */
export type LightSpec = { color?: Point; intensity: number } & (
  | { type: 'directional'; direction: Point }
  | { type: 'point'; position: Point }
  | { type: 'spot'; position: Point; direction: Point; inner: number; outer: number }
);

/** A rectangle in the plane of two axes, through its middle. */
export interface Plate {
  middle: Point;
  /** Half of its sides, as vectors. */
  u: Point;
  v: Point;
}

const cross = (a: Point, b: Point): Point => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];

export class Stage {
  readonly document = new Document();
  readonly #buffer = this.document.createBuffer();
  readonly #scene = this.document.createScene();
  readonly white = this.material();

  material(): Material {
    return this.document.createMaterial().setMetallicFactor(0).setRoughnessFactor(1);
  }

  accessor(type: 'SCALAR' | 'VEC2' | 'VEC3' | 'VEC4', array: Float32Array | Uint16Array) {
    return this.document.createAccessor().setType(type).setArray(array).setBuffer(this.#buffer);
  }

  primitive(positions: number[], normals: number[], indices: number[], material = this.white): Primitive {
    return this.document
      .createPrimitive()
      .setAttribute('POSITION', this.accessor('VEC3', new Float32Array(positions)))
      .setAttribute('NORMAL', this.accessor('VEC3', new Float32Array(normals)))
      .setIndices(this.accessor('SCALAR', new Uint16Array(indices)))
      .setMaterial(material);
  }

  /** A plate that faces u × v. */
  platePrimitive({ u, v }: Pick<Plate, 'u' | 'v'>, material = this.white): Primitive {
    const normal = unit(cross(u, v));
    const corners = [
      [-1, -1],
      [1, -1],
      [1, 1],
      [-1, 1],
    ].flatMap(([a, b]) => u.map((x, i) => a * x + b * v[i]));
    return this.primitive(
      corners,
      [...normal, ...normal, ...normal, ...normal],
      [0, 1, 2, 0, 2, 3],
      material
    ).setAttribute('TEXCOORD_0', this.accessor('VEC2', new Float32Array([0, 1, 1, 1, 1, 0, 0, 0])));
  }

  plate(plate: Plate, material = this.white): Node {
    const node = this.add(this.mesh(this.platePrimitive(plate, material)));
    return node.setTranslation([...plate.middle]);
  }

  mesh(...primitives: Primitive[]): Mesh {
    const mesh = this.document.createMesh();
    for (const primitive of primitives) mesh.addPrimitive(primitive);
    return mesh;
  }

  add(mesh?: Mesh): Node {
    const node = this.document.createNode();
    if (mesh) node.setMesh(mesh);
    this.#scene.addChild(node);
    return node;
  }

  light(spec: LightSpec): Node {
    const light: Light = this.document.createExtension(KHRLightsPunctual).createLight().setType(spec.type);
    light.setIntensity(spec.intensity).setColor([...(spec.color ?? ([1, 1, 1] as const))]);
    if (spec.type === 'spot') light.setInnerConeAngle(spec.inner).setOuterConeAngle(spec.outer);
    const node = this.add().setExtension('KHR_lights_punctual', light);
    if ('position' in spec) node.setTranslation([...spec.position]);
    if ('direction' in spec) node.setRotation(towards(spec.direction));
    return node;
  }

  glb(): Promise<Uint8Array> {
    return toGlb(this.document);
  }
}

/** Whether a plate is between a point and a light. */
export function isHidden(point: Point, light: LightSpec, { middle, u, v }: Plate): boolean {
  const way: Point =
    light.type === 'directional'
      ? (light.direction.map((x) => -1e3 * x) as unknown as Point)
      : subtract(light.position, point);
  const normal = cross(u, v);
  const along = dot(way, normal);
  if (along === 0) return false;
  const share = dot(subtract(middle, point), normal) / along;
  if (share <= 0 || share >= 1) return false;
  const hit = subtract(point.map((x, i) => x + share * way[i]) as unknown as Point, middle);
  return Math.abs(dot(hit, u)) < dot(u, u) && Math.abs(dot(hit, v)) < dot(v, v);
}
