// A material as plain values, from which its shader variant and its uniform buffer are made.
import type { Material, Texture, TextureInfo } from '@gltf-transform/core';
import type { EmissiveStrength, PBRSpecularGlossiness, Transform } from '@gltf-transform/extensions';
import { plain, quoted } from '../../base/printable';
import type { ShadingRate } from '../../index';
import { PI, sinCosDegrees } from '../math';
import { SHADING_RATES } from '../rate-names';
import { MAX_UV_SETS } from '../scene/geometry';
import { LAYER_SLOTS, readLayers, type Layers } from './layers';

/** How a texture is sampled, with the names of `GPUSamplerDescriptor`. */
export interface SamplerSettings {
  magFilter: 'nearest' | 'linear';
  minFilter: 'nearest' | 'linear';
  mipmapFilter: 'nearest' | 'linear';
  /** Whether the file's filter uses levels other than the largest one. */
  mips: boolean;
  addressModeU: 'repeat' | 'mirror-repeat' | 'clamp-to-edge';
  addressModeV: 'repeat' | 'mirror-repeat' | 'clamp-to-edge';
}

/** A use of an image by a material. */
export interface TextureUse {
  image: Texture;
  /** True for colours, false for data. */
  srgb: boolean;
  sampler: SamplerSettings;
  /** Number n of TEXCOORD_n. */
  texCoord: number;
  /** KHR_texture_transform as u' = a·u + b·v + x, v' = c·u + d·v + y; undefined for the identity. */
  transform: [a: number, b: number, c: number, d: number, x: number, y: number] | undefined;
}

/** The textures of a metallic-roughness material, and those of its layers. */
export const TEXTURE_SLOTS = ['base', 'metalRough', 'normal', 'occlusion', 'emissive', ...LAYER_SLOTS] as const;
export type TextureSlot = (typeof TEXTURE_SLOTS)[number];

export interface MaterialData {
  baseColor: [number, number, number, number];
  metallic: number;
  roughness: number;
  emissive: [number, number, number];
  normalScale: number;
  occlusionStrength: number;
  alphaMode: 'OPAQUE' | 'MASK' | 'BLEND';
  alphaCutoff: number;
  doubleSided: boolean;
  unlit: boolean;
  /** The rate that `extras.rasterloom.shadingRate` names; undefined: none. */
  shadingRate: ShadingRate | undefined;
  layers: Layers;
  textures: Partial<Record<TextureSlot, TextureUse>>;
}

/** glTF's default material (glTF 2.0 §3.9): white, metallic and rough. */
export const DEFAULT_MATERIAL: MaterialData = {
  baseColor: [1, 1, 1, 1],
  metallic: 1,
  roughness: 1,
  emissive: [0, 0, 0],
  normalScale: 1,
  occlusionStrength: 1,
  alphaMode: 'OPAQUE',
  alphaCutoff: 0.5,
  doubleSided: false,
  unlit: false,
  shadingRate: undefined,
  layers: {},
  textures: {},
};

/** Limit of factors that have no range, so that their products fit single precision. */
const MAX_VALUE = 1e6;
const bounded = (x: number): number => Math.min(MAX_VALUE, Math.max(-MAX_VALUE, x));

/**
 * Reads a material. Factors are clamped to their ranges. A texture with a fifth set of coordinates is omitted with a
 * warning.
 */
export function readMaterial(material: Material, warn: (sentence: string) => void): MaterialData {
  const saturate = (x: number): number => Math.min(1, Math.max(0, x));
  const strength =
    material.getExtension<EmissiveStrength>('KHR_materials_emissive_strength')?.getEmissiveStrength() ?? 1;
  const [r, g, b] = material.getEmissiveFactor();
  const glossy = material.getExtension<PBRSpecularGlossiness>('KHR_materials_pbrSpecularGlossiness');
  const base = glossy?.getDiffuseFactor() ?? material.getBaseColorFactor();
  const unlit = material.getExtension('KHR_materials_unlit') !== null;
  const { layers, textures: layered } = unlit ? { layers: {}, textures: [] } : readLayers(material);
  const slots: [TextureSlot, Texture | null, TextureInfo | null, boolean][] = [
    glossy
      ? ['base', glossy.getDiffuseTexture(), glossy.getDiffuseTextureInfo(), true]
      : ['base', material.getBaseColorTexture(), material.getBaseColorTextureInfo(), true],
    ['metalRough', material.getMetallicRoughnessTexture(), material.getMetallicRoughnessTextureInfo(), false],
    ['normal', material.getNormalTexture(), material.getNormalTextureInfo(), false],
    ['occlusion', material.getOcclusionTexture(), material.getOcclusionTextureInfo(), false],
    ['emissive', material.getEmissiveTexture(), material.getEmissiveTextureInfo(), true],
    ...layered.map(({ slot, image, info, srgb }): [TextureSlot, Texture, TextureInfo, boolean] => [
      slot,
      image,
      info,
      srgb,
    ]),
  ];
  const textures: MaterialData['textures'] = {};
  for (const [slot, image, info, srgb] of slots) {
    if (!image || !info || (unlit && slot !== 'base') || (glossy && slot === 'metalRough')) continue;
    if (slot === 'emissive' && r === 0 && g === 0 && b === 0) continue;
    const use = readTextureUse(image, info, srgb);
    if (use.texCoord < MAX_UV_SETS) textures[slot] = use;
    else
      warn(
        `A texture of the material ${quoted(material.getName())} uses TEXCOORD_${use.texCoord} and is left out; `
          + `only sets 0 to ${MAX_UV_SETS - 1} are read.`
      );
  }
  return {
    baseColor: [saturate(base[0]), saturate(base[1]), saturate(base[2]), saturate(base[3])],
    metallic: glossy ? 0 : saturate(material.getMetallicFactor()),
    roughness: saturate(material.getRoughnessFactor()),
    emissive: [bounded(r * strength), bounded(g * strength), bounded(b * strength)],
    normalScale: bounded(material.getNormalScale()),
    occlusionStrength: saturate(material.getOcclusionStrength()),
    alphaMode: material.getAlphaMode(),
    alphaCutoff: bounded(material.getAlphaCutoff()),
    doubleSided: material.getDoubleSided(),
    unlit,
    shadingRate: readRate(material, warn),
    layers,
    textures,
  };
}

/** Reads `extras.rasterloom.shadingRate`. Other values than rates are left out with a warning. */
function readRate(material: Material, warn: (sentence: string) => void): ShadingRate | undefined {
  const { rasterloom } = material.getExtras();
  const rate: unknown = (rasterloom as { shadingRate?: unknown } | null | undefined)?.shadingRate;
  const found = SHADING_RATES.find((known) => known === rate);
  if (rate !== undefined && !found)
    warn(
      `The material ${quoted(material.getName())} has extras.rasterloom.shadingRate `
        + `${plain(JSON.stringify(rate), 40)}, which is not a shading rate and is ignored; `
        + `the rates are ${SHADING_RATES.join(', ')}.`
    );
  return found;
}

function readTextureUse(image: Texture, info: TextureInfo, srgb: boolean): TextureUse {
  const transform = info.getExtension<Transform>('KHR_texture_transform');
  return {
    image,
    srgb,
    sampler: readSampler(info),
    texCoord: transform?.getTexCoord() ?? info.getTexCoord(),
    transform: transform ? readTransform(transform) : undefined,
  };
}

const WRAP = { 33071: 'clamp-to-edge', 33648: 'mirror-repeat', 10497: 'repeat' } as const;

/** Converts glTF's filters (glTF 2.0 §3.8.4.1). The default is linear with mips. */
function readSampler(info: TextureInfo): SamplerSettings {
  const min: number = info.getMinFilter() ?? 9987;
  return {
    magFilter: info.getMagFilter() === 9728 ? 'nearest' : 'linear',
    minFilter: min === 9728 || min === 9984 || min === 9986 ? 'nearest' : 'linear',
    mipmapFilter: min === 9986 || min === 9987 ? 'linear' : 'nearest',
    mips: min !== 9728 && min !== 9729,
    addressModeU: WRAP[info.getWrapS()] ?? 'repeat',
    addressModeV: WRAP[info.getWrapT()] ?? 'repeat',
  };
}

function readTransform(transform: Transform): TextureUse['transform'] {
  const [x, y] = transform.getOffset();
  const [sx, sy] = transform.getScale();
  const rotation = transform.getRotation();
  if (x === 0 && y === 0 && sx === 1 && sy === 1 && rotation === 0) return undefined;
  const { sin, cos } = sinCosDegrees((rotation * 180) / PI);
  return [bounded(cos * sx), bounded(sin * sy), bounded(-sin * sx), bounded(cos * sy), bounded(x), bounded(y)];
}
