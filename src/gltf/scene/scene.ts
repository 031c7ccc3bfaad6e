// Flattens a model to a list of draws in world space, with skins and morph targets in their pose.
import type { GLTF, Material, Mesh, Node, Primitive, Scene } from '@gltf-transform/core';
import type { InstancedMesh, MappingList, Visibility } from '@gltf-transform/extensions';
import { quoted } from '../../base/printable';
import { DRAW_BYTES, ModelBudget } from '../budget';
import { ModelError } from '../errors';
import type { Model } from '../files/load';
import { DEFAULT_MATERIAL, readMaterial, type MaterialData } from '../materials/material';
import { compose, determinant3, identity, multiply, type Mat4, type Vec3 } from '../math';
import { applyProperties } from './animated-properties';
import { poseAt, type Moment, type Pose } from './animation';
import { readCamera, type FileCamera } from './file-cameras';
import { fileLightOf, type FileLight } from './file-light';
import { readGeometry, type Geometry } from './geometry';
import { readInstances } from './instances';
import { dimLights, MAX_LIGHTS, readLight, type SceneLight } from './lights';
import { boxOf, forEachBatch } from './points';

/** One use of a primitive, or many with a matrix each. */
export interface Draw {
  geometry: Geometry;
  material: MaterialData;
  /** Transform from the geometry's space, or from the instances', to world space. */
  matrix: Mat4;
  /** Whether the matrix reverses the winding of triangles. */
  mirrored: boolean;
  /** Matrices from the geometry's space to that of `matrix`, 16 floats each; undefined: one use. */
  instances?: Float32Array | undefined;
  /** Number of the node and of the material in the file, from 1; the default material has the number after the last. */
  ids: { object: number; material: number };
  /** The matrix in the next frame, for the motion of the draw. */
  nextMatrix?: Mat4 | undefined;
}

export interface FlatScene {
  draws: Draw[];
  /** Centre of the bounding box, and radius of the bounding sphere around it. */
  center: Vec3;
  radius: number;
  /** Least y. */
  floor: number;
  triangles: number;
  lights: SceneLight[];
  /** The image-based light of the scene in the file. */
  imageLight: FileLight | undefined;
  /** Factor by which lights are dimmed that would draw everything white; 1: they are as bright as in the file. */
  dimming: number;
  /** The cameras of the file; `read` throws a ModelError if the camera is damaged. */
  cameras: { name: string; read(): FileCamera }[];
  warnings: string[];
}

/** What of a model is shown. */
export interface SceneChoice {
  /** Name or index of a scene; undefined: the file's default scene, or else its first, or else all of its nodes. */
  scene?: string | undefined;
  /** Name or index of a variant of the materials (KHR_materials_variants); undefined: the materials as they are. */
  variant?: string | undefined;
  /** Moment of an animation; undefined: the pose at rest. */
  moment?: Moment | undefined;
}

/** Maximum number of triangles of a scene over all draws, which may repeat meshes. */
export const MAX_TRIANGLES = 50_000_000;

/**
 * Flattens a scene of a model.
 * @param budget memory account of loadModel
 * @throws ModelError
 */
export function flattenScene(model: Model, budget = new ModelBudget(), choice: SceneChoice = {}): FlatScene {
  const warnings = new Set(model.warnings);
  const warn = (sentence: string): void => void warnings.add(sentence);
  const pose: Pose = choice.moment ? poseAt(model, choice.moment, warn) : AT_REST;
  const restore = applyProperties(model, pose.properties);
  try {
    return { ...flattenPose(model, budget, choice, pose.nodes, warn), warnings: [...warnings] };
  } finally {
    restore();
  }
}

const AT_REST: Pose = { nodes: new Map(), properties: new Map() };

function flattenPose(
  model: Model,
  budget: ModelBudget,
  choice: SceneChoice,
  pose: Pose['nodes'],
  warn: (sentence: string) => void
): Omit<FlatScene, 'warnings'> {
  const root = model.document.getRoot();
  const scene = chooseScene(model, choice.scene);
  const tops = scene ? scene.listChildren() : root.listNodes().filter((node) => node.getParentNode() === null);
  const nodes = root.listNodes();
  const indexOf = new Map(nodes.map((node, i) => [node, i]));
  const worlds = worldMatrices(model, pose);
  const variant = choice.variant === undefined ? undefined : findVariant(model, choice.variant);
  const reader = new DrawReader(model, worlds, warn, budget, variant);
  const stack = [...tops].reverse();
  // A scene may also list a node that is a child of another node.
  const seen = new Set<Node>();
  while (stack.length > 0) {
    const node = stack.pop()!;
    if (seen.has(node)) continue;
    seen.add(node);
    const index = indexOf.get(node)!;
    const at = pose.get(index);
    if (!(at?.visible ?? node.getExtension<Visibility>('KHR_node_visibility')?.getVisible() ?? true)) continue;
    reader.addNode(node, index, at?.weights);
    stack.push(...node.listChildren().reverse());
  }
  const { draws } = reader;
  if (draws.length === 0)
    throw new ModelError('The model has nothing to draw: no triangles, lines or points.', { code: 'empty' });
  const { center, radius, floor } = measure(draws);
  const lights = reader.lights.slice(0, MAX_LIGHTS);
  if (lights.length < reader.lights.length)
    warn(`Only the first ${MAX_LIGHTS} of ${reader.lights.length} lights are drawn.`);
  const dimming = dimLights(lights, center, radius);
  if (dimming < 1) warn('The lights of the model are so bright that all would be white; they are drawn dimmer.');
  const { triangles, cameras } = reader;
  const imageLight = fileLightOf(model, scene);
  return { draws, center, radius, floor, triangles, lights, imageLight, dimming, cameras };
}

/** Finds an item by its name or index. @throws ModelError that lists the items */
function find<T>(items: readonly T[], names: readonly string[], wanted: string, what: string): T {
  const index = names.indexOf(wanted);
  const found = index >= 0 ? items[index] : items[/^\d+$/.test(wanted) ? Number(wanted) : -1];
  if (found !== undefined) return found;
  const listed = names.slice(0, 20).map((name, i) => `${i} (${quoted(name)})`);
  throw new ModelError(
    `The model has no ${what} ${quoted(wanted)}; it has ${listed.length > 0 ? listed.join(', ') : 'none'}.`,
    { code: 'not-found' }
  );
}

function chooseScene({ document }: Model, wanted: string | undefined): Scene | undefined {
  const root = document.getRoot();
  const scenes = root.listScenes();
  if (wanted === undefined) return root.getDefaultScene() ?? scenes[0];
  return find(
    scenes,
    scenes.map((scene) => scene.getName()),
    wanted,
    'scene'
  );
}

/** Names of the variants of a model's materials. */
export function listVariants({ json }: Model): string[] {
  const extension = json.extensions?.KHR_materials_variants as { variants?: { name?: unknown }[] } | undefined;
  return (extension?.variants ?? []).map(({ name }) => String(name));
}

/** Name of a variant that is given by its name or index. */
function findVariant(model: Model, wanted: string): string {
  const names = listVariants(model);
  return find(names, names, wanted, 'variant');
}

/**
 * Computes the world matrix of every node. A node's matrix is taken from the file's JSON, because its decomposition
 * into rotation and scale would lose shear.
 */
function worldMatrices(model: Model, pose: Pose['nodes']): Map<Node, Mat4> {
  const nodes = model.document.getRoot().listNodes();
  const local = new Map(
    nodes.map((node, i) => {
      const at = pose.get(i);
      const matrix = model.json.nodes?.[i]?.matrix;
      const isMoved = (at?.translation ?? at?.rotation ?? at?.scale) !== undefined;
      if (matrix && !isMoved) return [node, [...matrix]];
      return [
        node,
        compose(
          at?.translation ?? node.getTranslation(),
          at?.rotation ?? node.getRotation(),
          at?.scale ?? node.getScale()
        ),
      ];
    })
  );
  const world = new Map<Node, Mat4>();
  for (const node of nodes) {
    const path: Node[] = [];
    let at: Node | null = node;
    while (at && !world.has(at)) {
      path.push(at);
      at = at.getParentNode();
    }
    let matrix = at ? world.get(at)! : identity();
    for (const step of path.reverse()) {
      matrix = multiply(matrix, local.get(step)!);
      world.set(step, matrix);
    }
  }
  return world;
}

interface Part {
  geometry: Geometry;
  material: MaterialData;
  /** Number of the material. */
  number: number;
}

/** Collects draws, lights and cameras. Meshes in the same pose share their geometry. */
class DrawReader {
  readonly draws: Draw[] = [];
  readonly lights: SceneLight[] = [];
  readonly cameras: FlatScene['cameras'] = [];
  triangles = 0;
  readonly #model: Model;
  readonly #worlds: Map<Node, Mat4>;
  readonly #warn: (sentence: string) => void;
  readonly #budget: ModelBudget;
  readonly #variant: string | undefined;
  readonly #materials = new Map<Material, MaterialData>();
  readonly #numbers: ReadonlyMap<Material, number>;
  readonly #shared = new Map<Mesh, Part[]>();

  constructor(
    model: Model,
    worlds: Map<Node, Mat4>,
    warn: (sentence: string) => void,
    budget: ModelBudget,
    variant: string | undefined
  ) {
    this.#model = model;
    this.#worlds = worlds;
    this.#warn = warn;
    this.#budget = budget;
    this.#variant = variant;
    this.#numbers = new Map(
      model.document
        .getRoot()
        .listMaterials()
        .map((material, i) => [material, i + 1])
    );
  }

  /** @param animated weights of the morph targets at the moment of an animation */
  addNode(node: Node, index: number, animated: readonly number[] | undefined): void {
    const world = this.#worlds.get(node)!;
    const light = readLight(node, world);
    if (light) this.lights.push(light);
    this.#addCamera(node, index, world);
    const mesh = node.getMesh();
    if (!mesh) return;
    const skin = node.getSkin();
    const own = animated ?? (node.getWeights().length > 0 ? node.getWeights() : undefined);
    const posed = skin !== null || own !== undefined;
    let parts = posed ? undefined : this.#shared.get(mesh);
    if (!parts) {
      parts = this.#readMesh(mesh, node, own ?? mesh.getWeights());
      if (!posed) this.#shared.set(mesh, parts);
    }
    // A skinned mesh is already in world space; its node's transform is ignored (glTF 2.0 §3.7.3.3).
    const matrix = skin ? identity() : world;
    if (matrix.some((x) => !Number.isFinite(Math.fround(x)))) {
      throw new ModelError(`The node ${quoted(node.getName())} has a transform that is too large.`);
    }
    const instanced = skin ? null : node.getExtension<InstancedMesh>('EXT_mesh_gpu_instancing');
    for (const { geometry, material, number } of parts) {
      const part = { geometry, material, ids: { object: index + 1, material: number } };
      if (instanced) this.#addInstances(part, matrix, instanced, node);
      else this.#add({ ...part, matrix, mirrored: determinant3(matrix) < 0 });
    }
  }

  #add(draw: Draw): void {
    const { geometry, instances } = draw;
    const count = instances ? instances.length / 16 : 1;
    if (geometry.topology === 'triangles') this.triangles += (geometry.indices.length / 3) * count;
    if (this.triangles > MAX_TRIANGLES)
      throw new ModelError(`The model has more than ${MAX_TRIANGLES} triangles.`, { code: 'too-large' });
    this.#budget.spend(DRAW_BYTES + (instances?.byteLength ?? 0), `Draw ${this.draws.length + 1}`);
    this.draws.push(draw);
  }

  /** Adds one draw for all instances; if they are sorted by depth or have no surface, one for each. */
  #addInstances(part: Omit<Draw, 'matrix' | 'mirrored'>, matrix: Mat4, instanced: InstancedMesh, node: Node): void {
    const { plain, mirrored } = readInstances(instanced, quoted(node.getName()), this.#budget);
    const isReversed = determinant3(matrix) < 0;
    const isSeparate = part.material.alphaMode === 'BLEND' || part.geometry.topology !== 'triangles';
    for (const [instances, isMirrored] of [
      [plain, isReversed],
      [mirrored, !isReversed],
    ] as const) {
      if (instances.length === 0) continue;
      if (!isSeparate) {
        this.#add({ ...part, matrix, mirrored: isMirrored, instances });
        continue;
      }
      for (let i = 0; i < instances.length; i += 16)
        this.#add({ ...part, matrix: multiply(matrix, [...instances.subarray(i, i + 16)]), mirrored: isMirrored });
    }
  }

  #addCamera(node: Node, index: number, world: Mat4): void {
    const { nodes, cameras } = this.#model.json;
    const camera = nodes?.[index]?.camera;
    if (camera === undefined) return;
    // It is read later, when an animation may have changed it.
    const def = structuredClone(cameras![camera]) as GLTF.ICamera & { name?: string };
    const name = def.name ?? (node.getName() || String(this.cameras.length));
    this.cameras.push({ name, read: () => readCamera(def, name, world) });
  }

  #readMesh(mesh: Mesh, node: Node, weights: readonly number[]): Part[] {
    const parts: Part[] = [];
    mesh.listPrimitives().forEach((primitive, i) => {
      const name = `primitive ${i} of the mesh ${quoted(mesh.getName())}`;
      const joints = node.getSkin() ? this.#jointMatrices(node) : undefined;
      const geometry = readGeometry(primitive, name, weights, joints, this.#budget);
      if (!geometry) return;
      const material = this.#chosen(primitive);
      const number = (material && this.#numbers.get(material)) ?? this.#numbers.size + 1;
      parts.push({ geometry, material: this.#material(material), number });
    });
    return parts;
  }

  /** The material of a primitive in the chosen variant. */
  #chosen(primitive: Primitive): Material | null {
    if (this.#variant === undefined) return primitive.getMaterial();
    const mapping = primitive
      .getExtension<MappingList>('KHR_materials_variants')
      ?.listMappings()
      .find((each) => each.listVariants().some((variant) => variant.getName() === this.#variant));
    return mapping?.getMaterial() ?? primitive.getMaterial();
  }

  #material(material: Material | null): MaterialData {
    if (!material) return DEFAULT_MATERIAL;
    let data = this.#materials.get(material);
    if (!data) {
      data = readMaterial(material, this.#warn);
      this.#materials.set(material, data);
    }
    return data;
  }

  #jointMatrices(node: Node): Mat4[] {
    const skin = node.getSkin()!;
    const inverses = skin.getInverseBindMatrices()?.getArray();
    return skin.listJoints().map((joint, i) => {
      const world = this.#worlds.get(joint)!;
      return inverses ? multiply(world, Array.from(inverses.subarray(i * 16, i * 16 + 16))) : world;
    });
  }
}

/** A scene with the draws of several, for a camera that shows all of them. It is not drawn. */
export function unionOf(scenes: readonly FlatScene[]): FlatScene {
  const draws = scenes.flatMap((scene) => scene.draws);
  return { ...scenes[0], draws, ...measure(draws) };
}

function measure(draws: readonly Draw[]): Pick<FlatScene, 'center' | 'radius' | 'floor'> {
  const { low, high } = boxOf(draws);
  const center: Vec3 = [(low[0] + high[0]) / 2, (low[1] + high[1]) / 2, (low[2] + high[2]) / 2];
  let square = 0;
  forEachBatch(draws, (points) => {
    for (let i = 0; i < points.length; i += 3) {
      const x = points[i] - center[0];
      const y = points[i + 1] - center[1];
      const z = points[i + 2] - center[2];
      square = Math.max(square, x * x + y * y + z * z);
    }
  });
  const radius = Math.sqrt(square);
  // Depth and lighting are computed in single precision, which must hold squares of distances.
  if (!(radius < 1e18)) throw new ModelError('The model is too large: its size does not fit single-precision numbers.');
  return { center, radius: radius > 1e-18 ? radius : 1, floor: low[1] };
}
