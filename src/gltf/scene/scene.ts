// Flattens a model to a list of draws in world space, with skins and morph targets in their rest pose.
import type { Material, Mesh, Node, Scene } from '@gltf-transform/core';
import type { Visibility } from '@gltf-transform/extensions';
import { quoted } from '../../base/printable';
import { DRAW_BYTES, ModelBudget } from '../budget';
import { ModelError } from '../errors';
import { isTriangles, readGeometry, type Geometry } from './geometry';
import type { Model } from '../files/load';
import { dimLights, MAX_LIGHTS, readLight, type SceneLight } from './lights';
import { DEFAULT_MATERIAL, readMaterial, type MaterialData } from '../materials/material';
import { compose, determinant3, identity, multiply, type Mat4, type Vec3 } from '../math';

/** One instance of a primitive. */
export interface Draw {
  geometry: Geometry;
  material: MaterialData;
  /** Transform from the geometry's space to world space. */
  matrix: Mat4;
  /** Whether the matrix reverses the winding of triangles. */
  mirrored: boolean;
}

export interface FlatScene {
  draws: Draw[];
  /** Centre of the bounding box, and radius of the bounding sphere around it. */
  center: Vec3;
  radius: number;
  triangles: number;
  lights: SceneLight[];
  warnings: string[];
}

/** Maximum number of triangles of a scene over all draws, which may repeat meshes. */
export const MAX_TRIANGLES = 50_000_000;

/**
 * Flattens the file's default scene, or else its first scene, or else all of its nodes.
 * @param budget memory account of loadModel
 */
export function flattenScene(model: Model, budget = new ModelBudget()): FlatScene {
  const warnings = new Set(model.warnings);
  const root = model.document.getRoot();
  const scene: Scene | undefined = root.getDefaultScene() ?? root.listScenes()[0];
  const tops = scene ? scene.listChildren() : root.listNodes().filter((node) => node.getParentNode() === null);
  const worlds = worldMatrices(model);
  const reader = new DrawReader(worlds, (sentence) => warnings.add(sentence), budget);
  const stack = [...tops].reverse();
  // A scene may also list a node that is a child of another node.
  const seen = new Set<Node>();
  while (stack.length > 0) {
    const node = stack.pop()!;
    if (seen.has(node)) continue;
    seen.add(node);
    if (node.getExtension<Visibility>('KHR_node_visibility')?.getVisible() === false) continue;
    reader.addNode(node);
    stack.push(...node.listChildren().reverse());
  }
  const { draws } = reader;
  if (draws.length === 0) throw new ModelError('The model has no triangles to draw.');
  const { center, radius } = measure(draws);
  const lights = reader.lights.slice(0, MAX_LIGHTS);
  if (lights.length < reader.lights.length)
    warnings.add(`Only the first ${MAX_LIGHTS} of ${reader.lights.length} lights are drawn.`);
  if (dimLights(lights, center, radius) < 1)
    warnings.add('The lights of the model are so bright that all would be white; they are drawn dimmer.');
  return { draws, center, radius, triangles: reader.triangles, lights, warnings: [...warnings] };
}

/**
 * Computes the world matrix of every node. A node's matrix is taken from the file's JSON, because its decomposition
 * into rotation and scale would lose shear.
 */
function worldMatrices(model: Model): Map<Node, Mat4> {
  const nodes = model.document.getRoot().listNodes();
  const local = new Map(
    nodes.map((node, i) => {
      const matrix = model.json.nodes?.[i]?.matrix;
      return [node, matrix ? [...matrix] : compose(node.getTranslation(), node.getRotation(), node.getScale())];
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

/** Collects draws. Meshes in the same pose share their geometry. */
class DrawReader {
  readonly draws: Draw[] = [];
  readonly lights: SceneLight[] = [];
  triangles = 0;
  readonly #worlds: Map<Node, Mat4>;
  readonly #warn: (sentence: string) => void;
  readonly #materials = new Map<Material, MaterialData>();
  readonly #shared = new Map<Mesh, { geometry: Geometry; material: MaterialData }[]>();

  readonly #budget: ModelBudget;

  constructor(worlds: Map<Node, Mat4>, warn: (sentence: string) => void, budget: ModelBudget) {
    this.#worlds = worlds;
    this.#warn = warn;
    this.#budget = budget;
  }

  addNode(node: Node): void {
    const light = readLight(node, this.#worlds.get(node)!);
    if (light) this.lights.push(light);
    const mesh = node.getMesh();
    if (!mesh) return;
    const skin = node.getSkin();
    const posed = skin !== null || node.getWeights().length > 0;
    let parts = posed ? undefined : this.#shared.get(mesh);
    if (!parts) {
      parts = this.#readMesh(mesh, node);
      if (!posed) this.#shared.set(mesh, parts);
    }
    // A skinned mesh is already in world space; its node's transform is ignored (glTF 2.0 §3.7.3.3).
    const matrix = skin ? identity() : this.#worlds.get(node)!;
    if (matrix.some((x) => !Number.isFinite(Math.fround(x)))) {
      throw new ModelError(`The node ${quoted(node.getName())} has a transform that is too large.`);
    }
    for (const { geometry, material } of parts) {
      this.triangles += geometry.indices.length / 3;
      if (this.triangles > MAX_TRIANGLES) throw new ModelError(`The model has more than ${MAX_TRIANGLES} triangles.`);
      this.#budget.spend(DRAW_BYTES, `Draw ${this.draws.length + 1}`);
      this.draws.push({ geometry, material, matrix, mirrored: determinant3(matrix) < 0 });
    }
  }

  #readMesh(mesh: Mesh, node: Node): { geometry: Geometry; material: MaterialData }[] {
    const parts: { geometry: Geometry; material: MaterialData }[] = [];
    const weights = node.getWeights().length > 0 ? node.getWeights() : mesh.getWeights();
    mesh.listPrimitives().forEach((primitive, i) => {
      if (!isTriangles(primitive)) {
        this.#warn('Points and lines are not drawn.');
        return;
      }
      const name = `primitive ${i} of the mesh ${quoted(mesh.getName())}`;
      const joints = node.getSkin() ? this.#jointMatrices(node) : undefined;
      const geometry = readGeometry(primitive, name, weights, joints, this.#budget);
      if (geometry) parts.push({ geometry, material: this.#material(primitive.getMaterial()) });
    });
    return parts;
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

function measure(draws: readonly Draw[]): { center: Vec3; radius: number } {
  const low: Vec3 = [Infinity, Infinity, Infinity];
  const high: Vec3 = [-Infinity, -Infinity, -Infinity];
  forEachVertex(draws, (x, y, z) => {
    if (x < low[0]) low[0] = x;
    if (y < low[1]) low[1] = y;
    if (z < low[2]) low[2] = z;
    if (x > high[0]) high[0] = x;
    if (y > high[1]) high[1] = y;
    if (z > high[2]) high[2] = z;
  });
  const center: Vec3 = [(low[0] + high[0]) / 2, (low[1] + high[1]) / 2, (low[2] + high[2]) / 2];
  let square = 0;
  forEachVertex(draws, (x, y, z) => {
    const [dx, dy, dz] = [x - center[0], y - center[1], z - center[2]];
    square = Math.max(square, dx * dx + dy * dy + dz * dz);
  });
  const radius = Math.sqrt(square);
  // Depth and lighting are computed in single precision, which must hold squares of distances.
  if (!(radius < 1e18)) throw new ModelError('The model is too large: its size does not fit single-precision numbers.');
  return { center, radius: radius > 1e-18 ? radius : 1 };
}

/** Calls `visit` with the world position of every vertex that a triangle uses. */
export function forEachVertex(draws: readonly Draw[], visit: (x: number, y: number, z: number) => void): void {
  for (const { geometry, matrix: m } of draws) {
    const { positions, indices, vertexCount } = geometry;
    const used = new Uint8Array(vertexCount);
    for (let i = 0; i < indices.length; i++) used[indices[i]] = 1;
    for (let v = 0; v < vertexCount; v++) {
      if (!used[v]) continue;
      const x = positions[v * 3];
      const y = positions[v * 3 + 1];
      const z = positions[v * 3 + 2];
      visit(
        m[0] * x + m[4] * y + m[8] * z + m[12],
        m[1] * x + m[5] * y + m[9] * z + m[13],
        m[2] * x + m[6] * y + m[10] * z + m[14]
      );
    }
  }
}
