// Checks the types of members of material extensions. What is missing has a default.
import type { GLTF } from '@gltf-transform/core';
import { damaged, numberMembers, numbers, reference, type Loose } from './checks';

/** Members of an extension: numbers, colours by their size, and textures. */
interface Members {
  numbers?: readonly string[];
  colors?: Readonly<Record<string, number>>;
  textures?: readonly string[];
}

const EXTENSIONS: Readonly<Record<string, Members>> = {
  KHR_materials_anisotropy: { numbers: ['anisotropyStrength', 'anisotropyRotation'], textures: ['anisotropyTexture'] },
  KHR_materials_clearcoat: {
    numbers: ['clearcoatFactor', 'clearcoatRoughnessFactor'],
    textures: ['clearcoatTexture', 'clearcoatRoughnessTexture', 'clearcoatNormalTexture'],
  },
  KHR_materials_diffuse_transmission: {
    numbers: ['diffuseTransmissionFactor'],
    colors: { diffuseTransmissionColorFactor: 3 },
    textures: ['diffuseTransmissionTexture', 'diffuseTransmissionColorTexture'],
  },
  KHR_materials_dispersion: { numbers: ['dispersion'] },
  KHR_materials_emissive_strength: { numbers: ['emissiveStrength'] },
  KHR_materials_ior: { numbers: ['ior'] },
  KHR_materials_iridescence: {
    numbers: ['iridescenceFactor', 'iridescenceIor', 'iridescenceThicknessMinimum', 'iridescenceThicknessMaximum'],
    textures: ['iridescenceTexture', 'iridescenceThicknessTexture'],
  },
  KHR_materials_pbrSpecularGlossiness: {
    numbers: ['glossinessFactor'],
    colors: { diffuseFactor: 4, specularFactor: 3 },
    textures: ['diffuseTexture', 'specularGlossinessTexture'],
  },
  KHR_materials_sheen: {
    numbers: ['sheenRoughnessFactor'],
    colors: { sheenColorFactor: 3 },
    textures: ['sheenColorTexture', 'sheenRoughnessTexture'],
  },
  KHR_materials_specular: {
    numbers: ['specularFactor'],
    colors: { specularColorFactor: 3 },
    textures: ['specularTexture', 'specularColorTexture'],
  },
  KHR_materials_transmission: { numbers: ['transmissionFactor'], textures: ['transmissionTexture'] },
  KHR_materials_volume: {
    numbers: ['thicknessFactor', 'attenuationDistance'],
    colors: { attenuationColor: 3 },
    textures: ['thicknessTexture'],
  },
};

/** @throws ModelError */
export function checkMaterialExtensions(material: GLTF.IMaterial, i: number, json: GLTF.IGLTF): void {
  for (const [name, members] of Object.entries(EXTENSIONS)) {
    const extension = material.extensions?.[name] as Loose | undefined;
    if (extension === undefined) continue;
    const what = `${name} of material ${i}`;
    if (typeof extension !== 'object' || extension === null) damaged(`${what} is not an object`);
    numberMembers(extension, members.numbers ?? [], what);
    for (const [member, size] of Object.entries(members.colors ?? {}))
      numbers(extension[member], size, `${member} of ${what}`);
    for (const member of members.textures ?? []) {
      const info = extension[member];
      if (info !== undefined) checkTextureInfo(info, `${member} of ${what}`, json);
    }
  }
}

/** Checks a use of a texture (glTF 2.0 §5.30, KHR_texture_transform). */
export function checkTextureInfo(info: unknown, what: string, json: GLTF.IGLTF): void {
  if (typeof info !== 'object' || info === null) damaged(`${what} is not an object`);
  const { index, extensions } = info as { index?: unknown; extensions?: Record<string, unknown> };
  reference(index, json.textures, `the index of ${what}`);
  const transform = extensions?.KHR_texture_transform as Loose | undefined;
  numbers(transform?.offset, 2, `the offset of ${what}`);
  numbers(transform?.scale, 2, `the scale of ${what}`);
  numberMembers(transform, ['rotation', 'texCoord'], what);
  numberMembers(info, ['texCoord', 'scale', 'strength'], what);
}
