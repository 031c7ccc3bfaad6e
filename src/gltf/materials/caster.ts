// What of a material keeps light away: a surface that is only as detailed as its shadow.
import type { Geometry } from '../scene/geometry';
import { DEFAULT_MATERIAL, type MaterialData } from './material';
import { variantOf, type Variant } from './variant';

/** Alpha of blended materials, and share of light that passes, from which on a surface casts a shadow, or none. */
const HALF = 0.5;

const SOLID: MaterialData = { ...DEFAULT_MATERIAL, unlit: true, doubleSided: true };

/**
 * The material with which a surface is drawn in shadow maps. Masked surfaces keep their holes; blended ones cast
 * shadows where their alpha is at least a half. Materials that let more than half of the light pass cast none.
 */
export function casterOf(material: MaterialData): MaterialData | undefined {
  const { alphaMode, alphaCutoff, baseColor, textures, layers } = material;
  if ((layers.transmission?.[0] ?? 0) > HALF) return undefined;
  if (alphaMode === 'OPAQUE') return SOLID;
  const cutoff = alphaMode === 'MASK' ? alphaCutoff : HALF;
  if (baseColor[3] < cutoff && alphaMode === 'BLEND') return undefined;
  return {
    ...SOLID,
    alphaMode: 'MASK',
    alphaCutoff: cutoff,
    baseColor,
    textures: textures.base ? { base: textures.base } : {},
  };
}

/** The variant of such a material. */
export function casterVariant(caster: MaterialData, geometry: Geometry, instanced: boolean): Variant {
  const isCut = caster.alphaMode === 'MASK';
  return variantOf(caster, isCut ? geometry : { ...geometry, colors: undefined }, instanced);
}
