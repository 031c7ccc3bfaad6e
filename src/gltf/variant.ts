// Which shader a material on a geometry needs: the textures read, by which coordinates and samplers. What a
// material does not use costs nothing, and draws with the same needs share a pipeline.
import type { Geometry } from './geometry';
import { TEXTURE_SLOTS, type MaterialData, type SamplerSettings, type TextureSlot, type TextureUse } from './material';

/** A texture as the shader reads it. */
export interface TextureRead {
  use: TextureUse;
  /** Which of the variant's texture coordinates. */
  source: number;
  /** Which of the variant's samplers. */
  sampler: number;
}

export interface Variant {
  /** Equal for draws that share a shader. */
  key: string;
  reads: TextureRead[];
  samplers: SamplerSettings[];
  /** The read that feeds each slot; occlusion and metal-rough often share one. */
  slots: Partial<Record<TextureSlot, number>>;
  /** Texture coordinates computed per vertex: a set of the geometry, with or without a transform. */
  sources: { set: number; transform: TextureUse['transform'] }[];
  vertexColors: boolean;
  tangents: boolean;
  alphaMode: MaterialData['alphaMode'];
  doubleSided: boolean;
  unlit: boolean;
}

/**
 * Works out the variant. A texture whose coordinates the geometry lacks reads its first texel, as if they were (0, 0).
 */
export function variantOf(material: MaterialData, geometry: Geometry): Variant {
  const reads: TextureRead[] = [];
  const samplers: SamplerSettings[] = [];
  const sources: Variant['sources'] = [];
  const slots: Variant['slots'] = {};
  for (const slot of TEXTURE_SLOTS) {
    const use = material.textures[slot];
    if (!use) continue;
    const source = indexIn(sources, { set: use.texCoord, transform: use.transform });
    const sampler = indexIn(samplers, use.sampler);
    let read = reads.findIndex((other) => other.use.image === use.image && other.use.srgb === use.srgb
      && other.source === source && other.sampler === sampler);
    if (read < 0) read = reads.push({ use, source, sampler }) - 1;
    slots[slot] = read;
  }
  const shape = {
    vertexColors: geometry.colors !== undefined,
    tangents: geometry.tangents !== undefined && slots.normal !== undefined,
    alphaMode: material.alphaMode,
    doubleSided: material.doubleSided,
    unlit: material.unlit,
  };
  const key = JSON.stringify([
    shape, slots, samplers.length, sources.map(({ set, transform }) => [set, transform !== undefined]),
    reads.map(({ source, sampler }) => [source, sampler]),
  ]);
  return { key, reads, samplers, slots, sources, ...shape };
}

/** The position of an equal value in the list, where it is put if it is not there. */
function indexIn<T>(list: T[], value: T): number {
  const text = JSON.stringify(value);
  const found = list.findIndex((other) => JSON.stringify(other) === text);
  return found >= 0 ? found : list.push(value) - 1;
}

/** A vertex attribute of a variant, in the order in which vertices hold them. */
export interface VertexAttribute {
  name: string;
  location: number;
  components: 2 | 3 | 4;
}

/** The attributes that a variant's vertices hold. */
export function vertexAttributes(variant: Variant): VertexAttribute[] {
  const attributes: VertexAttribute[] = [{ name: 'position', location: 0, components: 3 }];
  if (!variant.unlit) attributes.push({ name: 'normal', location: 1, components: 3 });
  if (variant.tangents) attributes.push({ name: 'tangent', location: 2, components: 4 });
  if (variant.vertexColors) attributes.push({ name: 'color', location: 3, components: 4 });
  for (const set of [0, 1]) {
    if (variant.sources.some((source) => source.set === set))
      attributes.push({ name: `uv${set}`, location: 4 + set, components: 2 });
  }
  return attributes;
}
