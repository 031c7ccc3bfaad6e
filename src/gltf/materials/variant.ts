// Determines the shader variant of a material on a geometry: its textures, coordinates and samplers. Unused features of
// a material cost nothing, and draws with equal variants share a pipeline.
import { MAX_UV_SETS, type Geometry, type Topology } from '../scene/geometry';
import { LAYER_NAMES, type LayerName } from './layers';
import { TEXTURE_SLOTS, type MaterialData, type SamplerSettings, type TextureSlot, type TextureUse } from './material';

/** A texture as the shader reads it. */
export interface TextureRead {
  use: TextureUse;
  /** Index of the variant's texture coordinates. */
  source: number;
  /** Index of the variant's sampler. */
  sampler: number;
}

export interface Variant {
  /** Equal for draws that share a shader. */
  key: string;
  reads: TextureRead[];
  samplers: SamplerSettings[];
  /** Index of the read for each slot; occlusion and metal-rough often share one. */
  slots: Partial<Record<TextureSlot, number>>;
  /** Texture coordinates that the vertex shader computes: a set of the geometry, with an optional transform. */
  sources: { set: number; transform: TextureUse['transform'] }[];
  vertexColors: boolean;
  tangents: boolean;
  alphaMode: MaterialData['alphaMode'];
  doubleSided: boolean;
  unlit: boolean;
  layers: LayerName[];
  topology: Topology;
  /** Whether each instance has a separate matrix. */
  instanced: boolean;
  /** Whether vertices have a position in the next frame. */
  moves?: boolean;
}

/** Slots whose textures are read in the tangent frame of the surface. */
const NORMAL_SLOTS: readonly TextureSlot[] = ['normal', 'clearcoatNormal'];

/** Determines the variant. If the geometry lacks the coordinates of a texture, they are (0, 0). */
export function variantOf(material: MaterialData, geometry: Geometry, instanced = false): Variant {
  // Lines and points have no surface that could be lit.
  const unlit = material.unlit || geometry.topology !== 'triangles';
  const reads: TextureRead[] = [];
  const samplers: SamplerSettings[] = [];
  const sources: Variant['sources'] = [];
  const slots: Variant['slots'] = {};
  for (const slot of TEXTURE_SLOTS) {
    const use = material.textures[slot];
    if (!use || (unlit && slot !== 'base')) continue;
    const source = indexIn(sources, { set: use.texCoord, transform: use.transform });
    const sampler = indexIn(samplers, use.sampler);
    let read = reads.findIndex(
      (other) =>
        other.use.image === use.image
        && other.use.srgb === use.srgb
        && other.source === source
        && other.sampler === sampler
    );
    if (read < 0) read = reads.push({ use, source, sampler }) - 1;
    slots[slot] = read;
  }
  const shape = {
    vertexColors: geometry.colors !== undefined,
    tangents:
      !unlit
      && geometry.tangents !== undefined
      && (material.layers.anisotropy !== undefined || NORMAL_SLOTS.some((slot) => slots[slot] !== undefined)),
    alphaMode: material.alphaMode,
    doubleSided: material.doubleSided,
    unlit,
    layers: unlit ? [] : LAYER_NAMES.filter((name) => material.layers[name] !== undefined),
    topology: geometry.topology,
    instanced,
    ...(geometry.next ? { moves: true } : {}),
  };
  const key = JSON.stringify([
    shape,
    slots,
    samplers.length,
    sources.map(({ set, transform }) => [set, transform !== undefined]),
    reads.map(({ source, sampler }) => [source, sampler]),
  ]);
  return { key, reads, samplers, slots, sources, ...shape };
}

/** Returns the index of an equal value in the list, and appends it if there is none. */
function indexIn<T>(list: T[], value: T): number {
  const text = JSON.stringify(value);
  const found = list.findIndex((other) => JSON.stringify(other) === text);
  return found >= 0 ? found : list.push(value) - 1;
}

/** A vertex attribute of a variant, in the order of the vertex layout. */
interface VertexAttribute {
  name: string;
  location: number;
  components: 2 | 3 | 4;
}

/** Returns the attributes of a variant's vertices. */
export function vertexAttributes(variant: Variant): VertexAttribute[] {
  const attributes: VertexAttribute[] = [{ name: 'position', location: 0, components: 3 }];
  if (!variant.unlit) attributes.push({ name: 'normal', location: 1, components: 3 });
  else if (variant.moves) attributes.push({ name: 'next', location: 1, components: 3 });
  if (variant.tangents) attributes.push({ name: 'tangent', location: 2, components: 4 });
  if (variant.vertexColors) attributes.push({ name: 'color', location: 3, components: 4 });
  for (let set = 0; set < MAX_UV_SETS; set++) {
    if (variant.sources.some((source) => source.set === set))
      attributes.push({ name: `uv${set}`, location: 4 + set, components: 2 });
  }
  return attributes;
}
