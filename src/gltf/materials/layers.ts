// The parts of a material that extensions add: coats, sheen, films, light that passes through. Each is read to plain
// numbers, and packed for the shader only if the material has it.
import type { Material, Texture, TextureInfo } from '@gltf-transform/core';
import type {
  Anisotropy,
  Clearcoat,
  DiffuseTransmission,
  Dispersion,
  IOR,
  Iridescence,
  PBRSpecularGlossiness,
  Sheen,
  Specular,
  Transmission,
  Volume,
} from '@gltf-transform/extensions';
import { PI, sinCosDegrees, type Vec3 } from '../math';

/** Texture slots of layers. */
export const LAYER_SLOTS = [
  'specular',
  'specularColor',
  'specularGlossiness',
  'clearcoat',
  'clearcoatRoughness',
  'clearcoatNormal',
  'sheenColor',
  'sheenRoughness',
  'transmission',
  'thickness',
  'iridescence',
  'iridescenceThickness',
  'anisotropy',
  'diffuseTransmission',
  'diffuseTransmissionColor',
] as const;
export type LayerSlot = (typeof LAYER_SLOTS)[number];

/** Slots whose textures hold sRGB colours. */
const SRGB_SLOTS: ReadonlySet<LayerSlot> = new Set([
  'specularColor',
  'specularGlossiness',
  'sheenColor',
  'diffuseTransmissionColor',
]);

/** Numbers of each layer as the shader reads them, in multiples of four. Missing layers have no effect. */
export interface Layers {
  /** Reflectance at normal incidence, times its colour; strength (KHR_materials_specular, KHR_materials_ior). */
  dielectric?: readonly number[];
  /** Specular colour; glossiness (KHR_materials_pbrSpecularGlossiness). */
  specularGlossiness?: readonly number[];
  /** Strength, roughness, normal scale, 0. */
  clearcoat?: readonly number[];
  /** Colour; roughness. */
  sheen?: readonly number[];
  /** Strength, thickness, index of refraction, dispersion; attenuation colour, 1 / attenuation distance. */
  transmission?: readonly number[];
  /** Strength, index of refraction, least and greatest thickness in nanometres. */
  iridescence?: readonly number[];
  /** Strength, cosine and sine of the rotation, 0. */
  anisotropy?: readonly number[];
  /** Colour; strength. */
  diffuseTransmission?: readonly number[];
}

/** The layers in the order of the shader's uniforms. */
export const LAYER_NAMES = [
  'dielectric',
  'specularGlossiness',
  'clearcoat',
  'sheen',
  'transmission',
  'iridescence',
  'anisotropy',
  'diffuseTransmission',
] as const satisfies (keyof Layers)[];
export type LayerName = (typeof LAYER_NAMES)[number];

/** Number of vec4f of a layer. */
export const layerVectors = (name: LayerName): number => (name === 'transmission' ? 2 : 1);

/** Index of refraction of core glTF's dielectrics, whose reflectance is 0.04. */
const DEFAULT_IOR = 1.5;

interface LayerTexture {
  slot: LayerSlot;
  image: Texture;
  info: TextureInfo;
  srgb: boolean;
}

const saturate = (x: number): number => Math.min(1, Math.max(0, x));
const atLeast0 = (x: number): number => Math.min(1e6, Math.max(0, x));
const color = (c: readonly number[]): Vec3 => [saturate(c[0]), saturate(c[1]), saturate(c[2])];
const maximum = (c: readonly number[]): number => Math.max(c[0], c[1], c[2]);

/** Reads the layers of a material, and the textures that they use. Factors are clamped to their ranges. */
export function readLayers(material: Material): { layers: Layers; textures: LayerTexture[] } {
  const layers: Layers = {};
  const textures: LayerTexture[] = [];
  const add = (slot: LayerSlot, image: Texture | null, info: TextureInfo | null): void => {
    if (image && info) textures.push({ slot, image, info, srgb: SRGB_SLOTS.has(slot) });
  };
  const ior = material.getExtension<IOR>('KHR_materials_ior')?.getIOR() ?? DEFAULT_IOR;
  const glossy = material.getExtension<PBRSpecularGlossiness>('KHR_materials_pbrSpecularGlossiness');
  if (glossy) {
    layers.specularGlossiness = [...color(glossy.getSpecularFactor()), saturate(glossy.getGlossinessFactor())];
    add('specularGlossiness', glossy.getSpecularGlossinessTexture(), glossy.getSpecularGlossinessTextureInfo());
    // The two models do not combine with other layers (KHR_materials_pbrSpecularGlossiness, "Extending Materials").
    return { layers, textures };
  }
  const specular = material.getExtension<Specular>('KHR_materials_specular');
  if (specular || ior !== DEFAULT_IOR) {
    const f0 = reflectance(ior);
    const [r, g, b] = (specular?.getSpecularColorFactor() ?? [1, 1, 1]).map(atLeast0);
    layers.dielectric = [r * f0, g * f0, b * f0, saturate(specular?.getSpecularFactor() ?? 1)];
    add('specular', specular?.getSpecularTexture() ?? null, specular?.getSpecularTextureInfo() ?? null);
    add('specularColor', specular?.getSpecularColorTexture() ?? null, specular?.getSpecularColorTextureInfo() ?? null);
  }
  const coat = material.getExtension<Clearcoat>('KHR_materials_clearcoat');
  if (coat && coat.getClearcoatFactor() > 0) {
    layers.clearcoat = [
      saturate(coat.getClearcoatFactor()),
      saturate(coat.getClearcoatRoughnessFactor()),
      atLeast0(coat.getClearcoatNormalScale()),
      0,
    ];
    add('clearcoat', coat.getClearcoatTexture(), coat.getClearcoatTextureInfo());
    add('clearcoatRoughness', coat.getClearcoatRoughnessTexture(), coat.getClearcoatRoughnessTextureInfo());
    add('clearcoatNormal', coat.getClearcoatNormalTexture(), coat.getClearcoatNormalTextureInfo());
  }
  const sheen = material.getExtension<Sheen>('KHR_materials_sheen');
  if (sheen && maximum(sheen.getSheenColorFactor()) > 0) {
    layers.sheen = [...color(sheen.getSheenColorFactor()), saturate(sheen.getSheenRoughnessFactor())];
    add('sheenColor', sheen.getSheenColorTexture(), sheen.getSheenColorTextureInfo());
    add('sheenRoughness', sheen.getSheenRoughnessTexture(), sheen.getSheenRoughnessTextureInfo());
  }
  readTransmission(material, ior, layers, add);
  const film = material.getExtension<Iridescence>('KHR_materials_iridescence');
  if (film && film.getIridescenceFactor() > 0) {
    layers.iridescence = [
      saturate(film.getIridescenceFactor()),
      Math.max(1, atLeast0(film.getIridescenceIOR())),
      atLeast0(film.getIridescenceThicknessMinimum()),
      atLeast0(film.getIridescenceThicknessMaximum()),
    ];
    add('iridescence', film.getIridescenceTexture(), film.getIridescenceTextureInfo());
    add('iridescenceThickness', film.getIridescenceThicknessTexture(), film.getIridescenceThicknessTextureInfo());
  }
  const brushed = material.getExtension<Anisotropy>('KHR_materials_anisotropy');
  if (brushed && brushed.getAnisotropyStrength() > 0) {
    const { sin, cos } = sinCosDegrees((brushed.getAnisotropyRotation() * 180) / PI);
    layers.anisotropy = [saturate(brushed.getAnisotropyStrength()), cos, sin, 0];
    add('anisotropy', brushed.getAnisotropyTexture(), brushed.getAnisotropyTextureInfo());
  }
  const leaf = material.getExtension<DiffuseTransmission>('KHR_materials_diffuse_transmission');
  if (leaf && leaf.getDiffuseTransmissionFactor() > 0) {
    layers.diffuseTransmission = [
      ...color(leaf.getDiffuseTransmissionColorFactor()),
      saturate(leaf.getDiffuseTransmissionFactor()),
    ];
    add('diffuseTransmission', leaf.getDiffuseTransmissionTexture(), leaf.getDiffuseTransmissionTextureInfo());
    add(
      'diffuseTransmissionColor',
      leaf.getDiffuseTransmissionColorTexture(),
      leaf.getDiffuseTransmissionColorTextureInfo()
    );
  }
  return { layers, textures };
}

function readTransmission(
  material: Material,
  ior: number,
  layers: Layers,
  add: (slot: LayerSlot, image: Texture | null, info: TextureInfo | null) => void
): void {
  const transmission = material.getExtension<Transmission>('KHR_materials_transmission');
  if (!transmission || transmission.getTransmissionFactor() <= 0) return;
  const volume = material.getExtension<Volume>('KHR_materials_volume');
  const distance = volume?.getAttenuationDistance() ?? 0;
  const dispersion = material.getExtension<Dispersion>('KHR_materials_dispersion')?.getDispersion() ?? 0;
  layers.transmission = [
    saturate(transmission.getTransmissionFactor()),
    atLeast0(volume?.getThicknessFactor() ?? 0),
    // An index of 0 stands for an infinite one, which refracts nothing that could be seen.
    ior === 0 ? 1e6 : Math.max(1, ior),
    volume ? atLeast0(dispersion) : 0,
    ...color(volume?.getAttenuationColor() ?? [1, 1, 1]),
    // Bounded, so that its product with any thickness fits single precision.
    distance > 0 && distance < 1e30 ? Math.min(1e30, 1 / distance) : 0,
  ];
  add('transmission', transmission.getTransmissionTexture(), transmission.getTransmissionTextureInfo());
  add('thickness', volume?.getThicknessTexture() ?? null, volume?.getThicknessTextureInfo() ?? null);
}

/** Reflectance at normal incidence. An index of 0 means total reflection (KHR_materials_ior). */
function reflectance(ior: number): number {
  if (ior === 0) return 1;
  const n = Math.max(1, ior);
  const root = (n - 1) / (n + 1);
  return root * root;
}
