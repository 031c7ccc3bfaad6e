// Finds numbers of materials outside of the ranges that glTF 2.0 and its extensions give. Most are drawn as the nearest
// number in range.
import type { GLTF } from '@gltf-transform/core';
import type { Loose } from './checks';

type Range = readonly [least: number, most: number];

const SHARE: Range = [0, 1];
const NOT_NEGATIVE: Range = [0, Infinity];

const PBR: Readonly<Record<string, Range>> = { baseColorFactor: SHARE, metallicFactor: SHARE, roughnessFactor: SHARE };

const MATERIAL: Readonly<Record<string, Range>> = { emissiveFactor: SHARE, alphaCutoff: NOT_NEGATIVE };

const EXTENSIONS: Readonly<Record<string, Readonly<Record<string, Range>>>> = {
  KHR_materials_anisotropy: { anisotropyStrength: SHARE },
  KHR_materials_clearcoat: { clearcoatFactor: SHARE, clearcoatRoughnessFactor: SHARE },
  KHR_materials_diffuse_transmission: { diffuseTransmissionFactor: SHARE, diffuseTransmissionColorFactor: SHARE },
  KHR_materials_dispersion: { dispersion: NOT_NEGATIVE },
  KHR_materials_emissive_strength: { emissiveStrength: NOT_NEGATIVE },
  // Besides, 0 stands for a reflectance of 1 in every direction.
  KHR_materials_ior: { ior: NOT_NEGATIVE },
  KHR_materials_iridescence: {
    iridescenceFactor: SHARE,
    iridescenceIor: [1, Infinity],
    iridescenceThicknessMinimum: NOT_NEGATIVE,
    iridescenceThicknessMaximum: NOT_NEGATIVE,
  },
  KHR_materials_pbrSpecularGlossiness: { diffuseFactor: SHARE, specularFactor: SHARE, glossinessFactor: SHARE },
  KHR_materials_sheen: { sheenColorFactor: SHARE, sheenRoughnessFactor: SHARE },
  KHR_materials_specular: { specularFactor: SHARE, specularColorFactor: NOT_NEGATIVE },
  KHR_materials_transmission: { transmissionFactor: SHARE },
  KHR_materials_volume: { thicknessFactor: NOT_NEGATIVE, attenuationDistance: NOT_NEGATIVE, attenuationColor: SHARE },
};

/** Greatest number of numbers that are named. */
const NAMED = 3;

/** One sentence for each number out of range; beyond three, a last one says how many there are. */
export function rangeWarnings({ materials = [] }: GLTF.IGLTF): string[] {
  const found: string[] = [];
  materials.forEach((material, i) => {
    const search = (object: unknown, ranges: Readonly<Record<string, Range>>): void => {
      for (const [name, [least, most]] of Object.entries(ranges)) {
        const values = [(object as Loose | undefined)?.[name] ?? []].flat() as number[];
        const value = values.find((each) => each < least || each > most);
        if (value === undefined) continue;
        const range = most === Infinity ? `at least ${least}` : `from ${least} to ${most}`;
        found.push(`The ${name} of material ${i} is ${value}, but should be ${range}; the picture may look wrong.`);
      }
    };
    search(material.pbrMetallicRoughness, PBR);
    search(material, MATERIAL);
    for (const [name, ranges] of Object.entries(EXTENSIONS)) search(material.extensions?.[name], ranges);
  });
  if (found.length <= NAMED) return found;
  const others = found.length - NAMED;
  const are = others === 1 ? 'number of a material is' : 'numbers of materials are';
  return [...found.slice(0, NAMED), `${others} more ${are} out of range.`];
}
