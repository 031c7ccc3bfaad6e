// Parameters of material extensions at their ends: no pixel is white or black that should not be.
import type { Document, Material } from '@gltf-transform/core';
import * as X from '@gltf-transform/extensions';
import { describe, expect, it } from 'vitest';
import { meanDifference } from '../support/mean-difference';
import { draw } from './kit';
import { ballModel, MATERIALS, type BallOptions } from './models';

const SIZE = 48;
/** Nothing in the scene is black: the ball and the background are lit by the studio. */
const GREY = [128, 128, 128, 255] as const;

const drawBall = async (
  describeMaterial: (material: Material, document: Document) => void,
  options: BallOptions = {}
): Promise<Uint8Array> =>
  draw(await ballModel(describeMaterial, { lights: false, stripes: false, ...options }), {
    width: SIZE,
    height: SIZE,
    view: { fileCamera: 'front' },
    background: GREY,
  });

/** Pixels that are nearly black, or nearly white, or differ from all four neighbours by much. */
function suspects(pixels: Uint8Array, most = 254): { black: number; white: number; lone: number } {
  const found = { black: 0, white: 0, lone: 0 };
  const light = (x: number, y: number): number => {
    const at = 4 * (y * SIZE + x);
    return (pixels[at] + pixels[at + 1] + pixels[at + 2]) / 3;
  };
  for (let y = 1; y < SIZE - 1; y++) {
    for (let x = 1; x < SIZE - 1; x++) {
      const here = light(x, y);
      if (here < 3) found.black++;
      if (here > most) found.white++;
      const near = [light(x - 1, y), light(x + 1, y), light(x, y - 1), light(x, y + 1)];
      if (near.every((each) => Math.abs(each - here) > 90)) found.lone++;
    }
  }
  return found;
}

const set =
  (name: string, change: (extension: never, material: Material, document: Document) => void) =>
  (material: Material, document: Document): void => {
    MATERIALS[name](material, document);
    change(material.getExtension(name) as never, material, document);
  };

const CASES: Record<string, (material: Material, document: Document) => void> = {
  'roughness 0': (material) => void material.setRoughnessFactor(0).setMetallicFactor(1),
  'a smooth coat': set('KHR_materials_clearcoat', (coat: X.Clearcoat) => coat.setClearcoatRoughnessFactor(0)),
  'a rough coat': set('KHR_materials_clearcoat', (coat: X.Clearcoat) => coat.setClearcoatRoughnessFactor(1)),
  'smooth sheen': set('KHR_materials_sheen', (sheen: X.Sheen) => sheen.setSheenRoughnessFactor(0)),
  'rough sheen': set('KHR_materials_sheen', (sheen: X.Sheen) => sheen.setSheenRoughnessFactor(1)),
  'IOR 1': set('KHR_materials_ior', (ior: X.IOR) => ior.setIOR(1)),
  'IOR 0': set('KHR_materials_ior', (ior: X.IOR) => ior.setIOR(0)),
  'IOR 1 with transmission': (material, document) => {
    MATERIALS.KHR_materials_dispersion(material, document);
    material.getExtension<X.IOR>('KHR_materials_ior')!.setIOR(1);
  },
  'IOR 0 with transmission': (material, document) => {
    MATERIALS.KHR_materials_dispersion(material, document);
    material.getExtension<X.IOR>('KHR_materials_ior')!.setIOR(0);
  },
  'thickness 0': set('KHR_materials_volume', (volume: X.Volume) => volume.setThicknessFactor(0)),
  'a huge thickness': set('KHR_materials_volume', (volume: X.Volume) =>
    volume.setThicknessFactor(1e6).setAttenuationColor([1, 1, 1])
  ),
  'an infinite attenuation distance': set('KHR_materials_volume', (volume: X.Volume) =>
    volume.setAttenuationDistance(Infinity)
  ),
  'a clear volume with a tiny attenuation distance': set('KHR_materials_volume', (volume: X.Volume) =>
    volume.setAttenuationDistance(1e-44).setAttenuationColor([1, 1, 1])
  ),
  'transmission of metal': set('KHR_materials_transmission', (_, material) => material.setMetallicFactor(1)),
  'rough transmission': set('KHR_materials_transmission', (_, material) => material.setRoughnessFactor(1)),
  'much dispersion': set('KHR_materials_dispersion', (dispersion: X.Dispersion) => dispersion.setDispersion(100)),
  'a film of no thickness': set('KHR_materials_iridescence', (film: X.Iridescence) =>
    film.setIridescenceThicknessMinimum(0).setIridescenceThicknessMaximum(0)
  ),
  'a film with IOR 1': set('KHR_materials_iridescence', (film: X.Iridescence) => film.setIridescenceIOR(1)),
  'a film on a white mirror': set('KHR_materials_iridescence', (_, material) =>
    material.setBaseColorFactor([1, 1, 1, 1]).setRoughnessFactor(0)
  ),
  'full anisotropy': set('KHR_materials_anisotropy', (brushed: X.Anisotropy, material) => {
    brushed.setAnisotropyStrength(1);
    // A smaller roughness gives a highlight that is thinner than a pixel.
    material.setRoughnessFactor(0.2);
  }),
  'no specular light': set('KHR_materials_specular', (specular: X.Specular) => specular.setSpecularFactor(0)),
  'bright specular colour': set('KHR_materials_specular', (specular: X.Specular) =>
    specular.setSpecularColorFactor([100, 100, 100])
  ),
  'diffuse transmission of a black surface': set(
    'KHR_materials_diffuse_transmission',
    (leaf: X.DiffuseTransmission, material) => {
      material.setBaseColorFactor([0, 0, 0, 1]);
      leaf.setDiffuseTransmissionFactor(1);
    }
  ),
};

describe('at the end of a range', () => {
  it.each(Object.keys(CASES))('%s', async (name) => {
    expect(suspects(await drawBall(CASES[name]))).toEqual({ black: 0, white: 0, lone: 0 });
  });

  it('a tiny attenuation distance leaves no light through, but what is reflected', async () => {
    for (const distance of [1e-3, 1e-20, 1e-44]) {
      const pixels = await drawBall(
        set('KHR_materials_volume', (volume: X.Volume) => volume.setAttenuationDistance(distance))
      );
      expect(suspects(pixels)).toMatchObject({ white: 0, lone: 0 });
      const centre = 4 * ((SIZE / 2) * SIZE + SIZE / 2);
      expect(Math.max(...pixels.subarray(centre, centre + 3))).toBeLessThan(90);
    }
  });

  it('light through a thin clear sheet is that of the background', async () => {
    const pixels = await drawBall((material, document) => {
      MATERIALS.KHR_materials_transmission(material, document);
      material.getExtension<X.Transmission>('KHR_materials_transmission')!.setTransmissionFactor(1);
      material.setExtension('KHR_materials_ior', document.createExtension(X.KHRMaterialsIOR).createIOR().setIOR(1));
    });
    const flat = new Uint8Array(pixels.length).fill(128);
    expect(meanDifference(pixels, flat)).toBeLessThan(2.5);
  });

  it.each(['KHR_materials_anisotropy', 'KHR_materials_clearcoat', 'KHR_materials_iridescence'])(
    '%s without tangents and coordinates',
    async (name) => {
      const whole = await drawBall(MATERIALS[name]);
      for (const options of [{ tangents: false }, { tangents: false, uvs: false }]) {
        const pixels = await drawBall(MATERIALS[name], options);
        expect(suspects(pixels)).toEqual({ black: 0, white: 0, lone: 0 });
        if (name !== 'KHR_materials_anisotropy' || options.uvs !== false)
          expect(meanDifference(whole, pixels)).toBeLessThan(1.5);
      }
    }
  );
});
