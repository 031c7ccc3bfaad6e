// Validates everything in a glTF file's JSON that later code relies on: references, byte ranges, and the node tree. A
// file is untrusted until it has passed this validation. Nothing is repaired.
import type { GLTF } from '@gltf-transform/core';
import { plain, quoted } from '../../base/printable';
import type { ModelBudget } from '../budget';
import { ModelError } from '../errors';
import { componentBytes, typeComponents } from './accessor-types';
import {
  damaged,
  isCount,
  listOf,
  numberMembers,
  numbers,
  object,
  optionalReference,
  range,
  reference,
  type Loose,
} from './checks';
import { checkImageLights, checkLights } from './light-checks';
import { checkMaterialExtensions, checkTextureInfo } from './material-checks';
import { isFallbackBuffer } from './meshopt';

/** Maximum size in bytes of accessors without data in the file (sparse or zero-filled). */
export const MAX_SYNTHETIC_BYTES = 256 * 1024 * 1024;

/** Maximum number of items in each list of a file, for example nodes or accessors. */
export const MAX_ITEMS = 100_000;

/** Extensions by which a texture names an image. */
const TEXTURE_EXTENSIONS = ['EXT_texture_webp', 'KHR_texture_basisu', 'EXT_texture_avif'] as const;

const INTERPOLATIONS = ['LINEAR', 'STEP', 'CUBICSPLINE'];

const LISTS = [
  'accessors',
  'animations',
  'bufferViews',
  'buffers',
  'cameras',
  'images',
  'materials',
  'meshes',
  'nodes',
  'samplers',
  'scenes',
  'skins',
  'textures',
  'extensionsUsed',
  'extensionsRequired',
] as const;

/** Validates the JSON alone: types, references, the node tree, and that every number is finite. */
export function validateStructure(json: GLTF.IGLTF): void {
  const version: unknown = (json.asset as unknown as Loose | undefined)?.version;
  // Versions before 1.0 are numbers.
  if ((typeof version !== 'string' && typeof version !== 'number') || version === '')
    damaged('asset.version is missing');
  if (version !== '2.0') {
    const message = `The file is glTF ${plain(String(version))}; only glTF 2.0 is supported.`;
    throw new ModelError(message, { code: 'unsupported' });
  }
  checkFinite(json);
  for (const name of LISTS) {
    const list = (json as unknown as Loose)[name];
    if (list === undefined) continue;
    if (!Array.isArray(list)) damaged(`${name} is not a list`);
    const [kind, called] = name.startsWith('extensions') ? ['string', 'text'] : ['object', 'an object'];
    list.forEach((item: unknown, i) => {
      if (typeof item !== kind || item === null || Array.isArray(item)) damaged(`${name}[${i}] is not ${called}`);
    });
  }
  checkMaterials(json);
  checkMeshes(json);
  checkNodes(json);
  checkAnimations(json);
  checkCameras(json);
  checkVariants(json);
  checkLights(json);
  checkImageLights(json);
  optionalReference(json.scene, json.scenes, 'scene');
  json.scenes?.forEach((scene, i) => {
    const seen = new Set<number>();
    for (const node of listOf(scene.nodes, `the nodes of scene ${i}`)) {
      reference(node, json.nodes, `a node of scene ${i}`);
      if (seen.has(node)) damaged(`scene ${i} names node ${node} twice`);
      seen.add(node);
    }
  });
  checkCounts(json);
}

/** Limits the number of items, because glTF-Transform makes an object for each, which takes time and memory. */
function checkCounts(json: GLTF.IGLTF): void {
  for (const name of LISTS) {
    const list = (json as unknown as Record<string, unknown[] | undefined>)[name];
    if (list && list.length > MAX_ITEMS)
      throw new ModelError(`The glTF file has ${list.length} ${name}; the limit is ${MAX_ITEMS}.`, {
        code: 'too-large',
      });
  }
}

/** JSON has no infinity, but 1e999 is parsed as one. */
function checkFinite(json: GLTF.IGLTF): void {
  const stack: unknown[] = [json];
  while (stack.length > 0) {
    const value = stack.pop();
    if (typeof value === 'number' && !Number.isFinite(value)) damaged('a number in its JSON is too large');
    if (typeof value === 'object' && value !== null) for (const inner of Object.values(value)) stack.push(inner);
  }
}

function checkMaterials(json: GLTF.IGLTF): void {
  json.images?.forEach((image, i) => {
    if (image.uri === undefined && image.bufferView === undefined)
      damaged(`image ${i} has neither a URI nor a buffer view`);
    if (image.uri !== undefined && typeof image.uri !== 'string') damaged(`the URI of image ${i} is not text`);
    optionalReference(image.bufferView, json.bufferViews, `the buffer view of image ${i}`);
  });
  json.textures?.forEach((texture, i) => {
    optionalReference(texture.source, json.images, `the image of texture ${i}`);
    optionalReference(texture.sampler, json.samplers, `the sampler of texture ${i}`);
    const sources = TEXTURE_EXTENSIONS.map((name) => (texture.extensions?.[name] as Loose | undefined)?.source);
    sources.forEach((source, k) =>
      optionalReference(source, json.images, `the ${TEXTURE_EXTENSIONS[k]} image of texture ${i}`)
    );
  });
  json.materials?.forEach((material, i) => {
    const pbr = material.pbrMetallicRoughness;
    numbers(pbr?.baseColorFactor, 4, `the base colour of material ${i}`);
    numbers(material.emissiveFactor, 3, `the emissive factor of material ${i}`);
    numberMembers(pbr, ['metallicFactor', 'roughnessFactor'], `material ${i}`);
    numberMembers(material, ['alphaCutoff'], `material ${i}`);
    checkMaterialExtensions(material, i, json);
    const textures = {
      'base colour': pbr?.baseColorTexture,
      'metal and roughness': pbr?.metallicRoughnessTexture,
      normal: material.normalTexture,
      occlusion: material.occlusionTexture,
      emissive: material.emissiveTexture,
    };
    for (const [name, info] of Object.entries(textures))
      if (info !== undefined) checkTextureInfo(info, `the ${name} texture of material ${i}`, json);
  });
}

/** Indices of the textures whose images are missing or have an unsupported format. */
export function texturesWithoutImages(json: GLTF.IGLTF): ReadonlySet<number> {
  const used = TEXTURE_EXTENSIONS.filter((name) => json.extensionsUsed?.includes(name));
  const sourcesOf = ({ source, extensions }: GLTF.ITexture): unknown[] => [
    source,
    ...used.map((name) => (extensions?.[name] as Loose | undefined)?.source),
  ];
  const isMissing = (texture: GLTF.ITexture): boolean => sourcesOf(texture).every((source) => source === undefined);
  return new Set((json.textures ?? []).flatMap((texture, i) => (isMissing(texture) ? [i] : [])));
}

function checkMeshes(json: GLTF.IGLTF): void {
  json.meshes?.forEach((mesh, i) => {
    if (!Array.isArray(mesh.primitives)) damaged(`mesh ${i} has no primitives`);
    numbers(mesh.weights, mesh.weights?.length ?? 0, `the weights of mesh ${i}`);
    mesh.primitives.forEach((primitive, k) => {
      const what = `primitive ${k} of mesh ${i}`;
      if (typeof primitive !== 'object' || primitive === null) damaged(`${what} is not an object`);
      if (primitive.mode !== undefined && !(isCount(primitive.mode) && primitive.mode <= 6))
        damaged(`${what} has an unknown mode`);
      optionalReference(primitive.indices, json.accessors, `the indices of ${what}`);
      optionalReference(primitive.material, json.materials, `the material of ${what}`);
      for (const set of [primitive.attributes, ...listOf(primitive.targets, `the targets of ${what}`)]) {
        for (const [name, index] of Object.entries(set ?? {})) reference(index, json.accessors, `${name} of ${what}`);
      }
    });
  });
}

function checkNodes(json: GLTF.IGLTF): void {
  const nodes = json.nodes ?? [];
  const parent = new Array<number>(nodes.length).fill(-1);
  nodes.forEach((node, i) => {
    numbers(node.matrix, 16, `the matrix of node ${i}`);
    numbers(node.translation, 3, `the translation of node ${i}`);
    numbers(node.rotation, 4, `the rotation of node ${i}`);
    numbers(node.scale, 3, `the scale of node ${i}`);
    numbers(node.weights, node.weights?.length ?? 0, `the weights of node ${i}`);
    optionalReference(node.mesh, json.meshes, `the mesh of node ${i}`);
    optionalReference(node.skin, json.skins, `the skin of node ${i}`);
    checkInstances(node, i, json);
    for (const child of listOf(node.children, `the children of node ${i}`)) {
      reference(child, nodes, `a child of node ${i}`);
      if (parent[child] !== -1) damaged(`node ${child} has two parents`);
      parent[child] = i;
    }
  });
  // Each node has one parent. A node that does not reach a root within as many steps as there are nodes is on a cycle.
  const reachesRoot = new Uint8Array(nodes.length);
  nodes.forEach((_, start) => {
    const path: number[] = [];
    let at = start;
    while (at !== -1 && reachesRoot[at] === 0) {
      if (path.length > nodes.length) damaged(`node ${start} is part of a cycle`);
      path.push(at);
      at = parent[at];
    }
    for (const node of path) reachesRoot[node] = 1;
  });
  json.skins?.forEach((skin, i) => {
    if (!Array.isArray(skin.joints) || skin.joints.length === 0) damaged(`skin ${i} has no joints`);
    skin.joints.forEach((joint) => reference(joint, nodes, `a joint of skin ${i}`));
    optionalReference(skin.skeleton, nodes, `the skeleton of skin ${i}`);
    optionalReference(skin.inverseBindMatrices, json.accessors, `the inverse bind matrices of skin ${i}`);
    if (skin.inverseBindMatrices === undefined) return;
    const matrices = json.accessors![skin.inverseBindMatrices];
    if (matrices.type !== 'MAT4' || matrices.count < skin.joints.length)
      damaged(`skin ${i} has fewer matrices than joints`);
  });
}

function checkAnimations(json: GLTF.IGLTF): void {
  json.animations?.forEach((animation, i) => {
    const what = `animation ${i}`;
    if (!Array.isArray(animation.samplers) || !Array.isArray(animation.channels))
      damaged(`${what} has no samplers or no channels`);
    animation.samplers.forEach((sampler: unknown, k) => {
      const { input, output, interpolation } = object(sampler, `sampler ${k} of ${what}`);
      reference(input, json.accessors, `the input of sampler ${k} of ${what}`);
      reference(output, json.accessors, `the output of sampler ${k} of ${what}`);
      if (interpolation !== undefined && !INTERPOLATIONS.includes(interpolation as string))
        damaged(`sampler ${k} of ${what} has the unknown interpolation ${quoted(interpolation)}`);
    });
    animation.channels.forEach((channel: unknown, k) => {
      const { sampler, target } = object(channel, `channel ${k} of ${what}`);
      reference(sampler, animation.samplers, `the sampler of channel ${k} of ${what}`);
      const { node, path } = object(target, `the target of channel ${k} of ${what}`);
      optionalReference(node, json.nodes, `the node of channel ${k} of ${what}`);
      if (typeof path !== 'string') damaged(`the path of channel ${k} of ${what} is not text`);
    });
  });
}

function checkCameras(json: GLTF.IGLTF): void {
  json.cameras?.forEach((camera, i) => {
    numberMembers(camera.perspective, ['yfov', 'znear', 'zfar', 'aspectRatio'], `camera ${i}`);
    numberMembers(camera.orthographic, ['xmag', 'ymag', 'znear', 'zfar'], `camera ${i}`);
  });
  json.nodes?.forEach((node, i) => optionalReference(node.camera, json.cameras, `the camera of node ${i}`));
}

/** Checks the indices of KHR_materials_variants. */
function checkVariants(json: GLTF.IGLTF): void {
  const variants = (json.extensions?.KHR_materials_variants as Loose | undefined)?.variants;
  if (variants !== undefined && !Array.isArray(variants)) damaged('the variants of the materials are not a list');
  (variants as unknown[] | undefined)?.forEach((variant, i) => object(variant, `variant ${i} of the materials`));
  json.meshes?.forEach((mesh, i) =>
    mesh.primitives.forEach((primitive, k) => {
      const what = `primitive ${k} of mesh ${i}`;
      const extension = primitive.extensions?.KHR_materials_variants as { mappings?: unknown[] } | undefined;
      for (const mapping of listOf(extension?.mappings, `the variants of ${what}`)) {
        const { material, variants: chosen } = object(mapping, `a variant of ${what}`);
        reference(material, json.materials, `the material of a variant of ${what}`);
        if (!Array.isArray(chosen)) damaged(`the variants of ${what} are not a list`);
        for (const index of chosen as unknown[])
          reference(index, variants as unknown[] | undefined, `a variant of ${what}`);
      }
    })
  );
}

/** Checks the attributes of EXT_mesh_gpu_instancing. */
function checkInstances(node: GLTF.INode, i: number, json: GLTF.IGLTF): void {
  const extension = node.extensions?.EXT_mesh_gpu_instancing as { attributes?: unknown } | undefined;
  if (extension === undefined) return;
  const attributes = object(extension.attributes, `the instances of node ${i}`);
  for (const [name, index] of Object.entries(attributes))
    reference(index, json.accessors, `${name} of the instances of node ${i}`);
}

/**
 * Checks that every buffer view lies inside the available bytes.
 * @param buffers the bytes of each buffer of the file, in order
 */
export function validateViews(json: GLTF.IGLTF, buffers: readonly Uint8Array[]): void {
  json.buffers?.forEach((buffer, i) => {
    if (!isCount(buffer.byteLength)) damaged(`buffer ${i} has no length`);
    if (buffer.byteLength > buffers[i].length && !isFallbackBuffer(buffer))
      damaged(`buffer ${i} should hold ${buffer.byteLength} bytes and holds ${buffers[i].length}`);
  });
  json.bufferViews?.forEach((view, i) => {
    reference(view.buffer, json.buffers, `the buffer of buffer view ${i}`);
    range(json.buffers![view.buffer].byteLength, view.byteOffset, view.byteLength, `buffer view ${i}`);
    if (
      view.byteStride !== undefined
      && !(isCount(view.byteStride) && view.byteStride >= 1 && view.byteStride <= 252)
    ) {
      damaged(`buffer view ${i} has a stride of ${quoted(view.byteStride)}`);
    }
  });
}

/**
 * Checks that every accessor lies inside its buffer view. Compressed data has been decoded.
 * @param buffers the bytes of each buffer of the file, in order
 * @param budget memory account for the accessors; each of them gets a separate array
 */
export function validateAccessors(json: GLTF.IGLTF, buffers: readonly Uint8Array[], budget: ModelBudget): void {
  json.bufferViews?.forEach((view, i) => {
    if (isFallbackBuffer(json.buffers![view.buffer])) damaged(`buffer view ${i} has no data but its compressed data`);
  });
  let synthetic = 0;
  json.accessors?.forEach((accessor, i) => {
    const components = typeComponents(accessor.type);
    if (components === 0) damaged(`accessor ${i} has the unknown type ${quoted(accessor.type)}`);
    const bytes = componentBytes(accessor.componentType) * components;
    if (bytes === 0) damaged(`accessor ${i} has the unknown component type ${quoted(accessor.componentType)}`);
    if (!isCount(accessor.count) || accessor.count === 0)
      damaged(`accessor ${i} has a count of ${quoted(accessor.count)}`);
    if (accessor.bufferView === undefined || accessor.sparse !== undefined) synthetic += accessor.count * bytes;
    if (synthetic > MAX_SYNTHETIC_BYTES) {
      throw new ModelError(
        `The glTF file asks for more than ${MAX_SYNTHETIC_BYTES >> 20} MiB of numbers that it does not contain `
          + `(accessor ${i} has a count of ${accessor.count}).`,
        { code: 'too-large' }
      );
    }
    if (accessor.bufferView !== undefined)
      elements(json, accessor.bufferView, accessor.byteOffset, accessor.count, bytes, `accessor ${i}`);
    budget.spend(accessor.count * bytes, `Accessor ${i}, with ${accessor.count} elements,`);
    if (accessor.sparse !== undefined) checkSparse(json, buffers, accessor, bytes, i);
  });
}

/** Checks the elements that an accessor reads from a buffer view. */
function elements(
  json: GLTF.IGLTF,
  view: unknown,
  byteOffset: unknown,
  count: number,
  elementBytes: number,
  what: string
): void {
  reference(view, json.bufferViews, `the buffer view of ${what}`);
  const def = json.bufferViews![view as number];
  const offset = byteOffset ?? 0;
  const stride = def.byteStride ?? elementBytes;
  if (!isCount(offset)) damaged(`${what} has no valid offset`);
  if (stride < elementBytes && count > 1) damaged(`${what} has elements that overlap`);
  if (offset + (count - 1) * stride + elementBytes > def.byteLength)
    damaged(`${what} reaches past the end of its buffer view`);
}

function checkSparse(
  json: GLTF.IGLTF,
  buffers: readonly Uint8Array[],
  accessor: GLTF.IAccessor,
  elementBytes: number,
  i: number
): void {
  const sparse = accessor.sparse!;
  const what = `the sparse part of accessor ${i}`;
  if (
    typeof sparse !== 'object'
    || sparse === null
    || typeof sparse.indices !== 'object'
    || typeof sparse.values !== 'object'
  )
    damaged(`${what} is not complete`);
  if (!isCount(sparse.count) || sparse.count === 0 || sparse.count > accessor.count)
    damaged(`${what} has a count of ${quoted(sparse.count)}`);
  const { componentType } = sparse.indices;
  if (componentType !== 5121 && componentType !== 5123 && componentType !== 5125)
    damaged(`${what} has indices of an unknown type`);
  const size = componentBytes(componentType);
  elements(json, sparse.indices.bufferView, sparse.indices.byteOffset, sparse.count, size, what);
  elements(json, sparse.values.bufferView, sparse.values.byteOffset, sparse.count, elementBytes, what);
  const view = json.bufferViews![sparse.indices.bufferView];
  const bytes = buffers[view.buffer];
  const data = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const start = (view.byteOffset ?? 0) + (sparse.indices.byteOffset ?? 0);
  const stride = view.byteStride ?? size;
  for (let k = 0; k < sparse.count; k++) {
    const at = start + k * stride;
    const index = size === 1 ? data.getUint8(at) : size === 2 ? data.getUint16(at, true) : data.getUint32(at, true);
    if (index >= accessor.count) damaged(`${what} refers to element ${index}, but there are ${accessor.count}`);
  }
}
