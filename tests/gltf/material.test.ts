import { describe, expect, it } from 'vitest';
import { loadModel } from '../../src/gltf/files/load';
import type { MaterialData } from '../../src/gltf/materials/material';
import { interleave, materialUniforms } from '../../src/gltf/gpu/pack';
import { flattenScene, type Draw } from '../../src/gltf/scene/scene';
import { materialBytes } from '../../src/gltf/materials/shader';
import { variantOf, vertexAttributes } from '../../src/gltf/materials/variant';
import { oneMesh, TRIANGLE } from './build';

const PIXEL =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ'
  + 'AAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';

async function drawWith(
  material: Record<string, unknown>,
  more: Record<string, unknown> = {}
): Promise<{ draw: Draw; warnings: string[] }> {
  const scene = flattenScene(
    await loadModel(
      oneMesh(
        (b) => ({
          material: 0,
          attributes: {
            POSITION: b.accessor('VEC3', TRIANGLE),
            NORMAL: b.accessor('VEC3', TRIANGLE),
            TEXCOORD_0: b.accessor('VEC2', Float32Array.of(0, 0, 1, 0, 0, 1)),
            TEXCOORD_1: b.accessor('VEC2', Float32Array.of(5, 5, 6, 6, 7, 7)),
          },
        }),
        {
          materials: [material],
          images: [{ uri: PIXEL }, { uri: PIXEL }],
          samplers: [{}, { magFilter: 9728, minFilter: 9984, wrapS: 33071, wrapT: 33648 }],
          textures: [{ source: 0, sampler: 0 }, { source: 1, sampler: 1 }, { source: 0 }],
          ...more,
        }
      )
    )
  );
  return { draw: scene.draws[0], warnings: scene.warnings };
}
const materialWith = async (material: Record<string, unknown>, more?: Record<string, unknown>): Promise<MaterialData> =>
  (await drawWith(material, more)).draw.material;

/** Warnings about materials: the normals of the triangle are not of unit length. */
const aboutMaterials = (warnings: readonly string[]): string[] => warnings.filter((each) => !each.includes('normals'));

describe('readMaterial', () => {
  it('reads the shading rate of its extras', async () => {
    const rated = (shadingRate: unknown) => drawWith({ name: 'sky', extras: { rasterloom: { shadingRate } } });
    expect((await rated('4x2')).draw.material.shadingRate).toBe('4x2');
    const { draw, warnings } = await rated('3x3');
    expect(draw.material.shadingRate).toBeUndefined();
    expect(aboutMaterials(warnings)).toEqual([
      'The material "sky" has extras.rasterloom.shadingRate "3x3", which is not a shading rate and is ignored; '
        + 'the rates are 1x1, 1x2, 2x1, 2x2, 2x4, 4x2, 4x4.',
    ]);
    for (const extras of [{}, { rasterloom: null }, { rasterloom: 3 }])
      expect((await drawWith({ extras })).draw.material.shadingRate).toBeUndefined();
  });

  it("has glTF's defaults", async () => {
    expect(await materialWith({})).toMatchObject({
      baseColor: [1, 1, 1, 1],
      metallic: 1,
      roughness: 1,
      emissive: [0, 0, 0],
      alphaMode: 'OPAQUE',
      alphaCutoff: 0.5,
      doubleSided: false,
      unlit: false,
      textures: {},
    });
  });

  it('clamps factors to their ranges', async () => {
    const material = await materialWith({
      pbrMetallicRoughness: { baseColorFactor: [2, -1, 0.5, 9], metallicFactor: 7, roughnessFactor: -2 },
    });
    expect(material).toMatchObject({ baseColor: [1, 0, 0.5, 1], metallic: 1, roughness: 0 });
  });

  it('warns of numbers out of range, the first three by name', async () => {
    const pbrMetallicRoughness = { baseColorFactor: [1, -1, 0.5, 1], metallicFactor: -1e30, roughnessFactor: 1 };
    const { warnings } = await drawWith({ pbrMetallicRoughness });
    expect(aboutMaterials(warnings)).toEqual([
      'The baseColorFactor of material 0 is -1, but should be from 0 to 1; the picture may look wrong.',
      'The metallicFactor of material 0 is -1e+30, but should be from 0 to 1; the picture may look wrong.',
    ]);
    const more = {
      pbrMetallicRoughness,
      emissiveFactor: [0, 0, 2],
      extensions: { KHR_materials_volume: { thicknessFactor: -1, attenuationColor: [1, 1, 7] } },
    };
    const { warnings: many } = await drawWith(more, { extensionsUsed: ['KHR_materials_volume'] });
    expect(aboutMaterials(many).slice(2)).toEqual([
      'The emissiveFactor of material 0 is 2, but should be from 0 to 1; the picture may look wrong.',
      '2 more numbers of materials are out of range.',
    ]);
  });

  it('reads samplers', async () => {
    const material = await materialWith({
      pbrMetallicRoughness: { baseColorTexture: { index: 1 }, metallicRoughnessTexture: { index: 0 } },
    });
    expect(material.textures.base!.sampler).toEqual({
      magFilter: 'nearest',
      minFilter: 'nearest',
      mipmapFilter: 'nearest',
      mips: true,
      addressModeU: 'clamp-to-edge',
      addressModeV: 'mirror-repeat',
    });
    expect(material.textures.metalRough!.sampler).toEqual({
      magFilter: 'linear',
      minFilter: 'linear',
      mipmapFilter: 'linear',
      mips: true,
      addressModeU: 'repeat',
      addressModeV: 'repeat',
    });
    expect([material.textures.base!.srgb, material.textures.metalRough!.srgb]).toEqual([true, false]);
  });

  it('reads unlit, emissive strength and texture transforms', async () => {
    expect(
      await materialWith({ extensions: { KHR_materials_unlit: {} } }, { extensionsUsed: ['KHR_materials_unlit'] })
    ).toMatchObject({ unlit: true });
    const strong = await materialWith(
      { emissiveFactor: [1, 0.5, 0], extensions: { KHR_materials_emissive_strength: { emissiveStrength: 4 } } },
      { extensionsUsed: ['KHR_materials_emissive_strength'] }
    );
    expect(strong.emissive).toEqual([4, 2, 0]);
    const turned = await materialWith(
      {
        pbrMetallicRoughness: {
          baseColorTexture: {
            index: 0,
            extensions: {
              KHR_texture_transform: { offset: [0.5, 0.25], scale: [2, 3], rotation: Math.PI / 2, texCoord: 1 },
            },
          },
        },
      },
      { extensionsUsed: ['KHR_texture_transform'] }
    );
    const { transform, texCoord } = turned.textures.base!;
    expect(texCoord).toBe(1);
    [0, 3, -2, 0, 0.5, 0.25].forEach((x, i) => expect(transform![i]).toBeCloseTo(x, 12));
  });

  it('ignores a fifth set of coordinates, with a warning', async () => {
    const { draw, warnings } = await drawWith({ name: 'odd', occlusionTexture: { index: 0, texCoord: 4 } });
    expect(draw.material.textures.occlusion).toBeUndefined();
    expect(aboutMaterials(warnings)).toEqual([
      'A texture of the material "odd" uses TEXCOORD_4 and is left out; only sets 0 to 3 are read.',
    ]);
  });
});

describe('variantOf', () => {
  it('reads a texture shared by two slots once', async () => {
    const { draw } = await drawWith({
      pbrMetallicRoughness: { metallicRoughnessTexture: { index: 0 } },
      occlusionTexture: { index: 2 },
    });
    const variant = variantOf(draw.material, draw.geometry);
    expect(variant.reads).toHaveLength(1);
    expect(variant.slots).toEqual({ metalRough: 0, occlusion: 0 });
  });

  it('reads it twice as color and as data, or with two sets', async () => {
    const { draw } = await drawWith({
      pbrMetallicRoughness: { baseColorTexture: { index: 0 }, metallicRoughnessTexture: { index: 0 } },
      occlusionTexture: { index: 0, texCoord: 1 },
    });
    const variant = variantOf(draw.material, draw.geometry);
    expect(variant.reads.map(({ source }) => source)).toEqual([0, 0, 1]);
    expect(variant.samplers).toHaveLength(1);
    expect(vertexAttributes(variant).map(({ name }) => name)).toEqual(['position', 'normal', 'uv0', 'uv1']);
  });

  it('has one key for materials that differ in numbers only', async () => {
    const [a, b, c] = await Promise.all([
      drawWith({ alphaCutoff: 0.1 }),
      drawWith({ pbrMetallicRoughness: { metallicFactor: 0.3 } }),
      drawWith({ doubleSided: true }),
    ]);
    const keys = [a, b, c].map(({ draw }) => variantOf(draw.material, draw.geometry).key);
    expect(keys[0]).toBe(keys[1]);
    expect(keys[0]).not.toBe(keys[2]);
  });
});

describe('packing', () => {
  it('interleaves what the variant reads, and fills missing coordinates with zero', async () => {
    const { draw } = await drawWith({ pbrMetallicRoughness: { baseColorTexture: { index: 0, texCoord: 1 } } });
    const variant = variantOf(draw.material, draw.geometry);
    expect([...interleave(draw.geometry, variant).subarray(8, 16)]).toEqual([1, 0, 0, 1, 0, 0, 6, 6]);
    expect([...interleave({ ...draw.geometry, uvs: [] }, variant).subarray(8, 16)]).toEqual([1, 0, 0, 1, 0, 0, 0, 0]);
  });

  it('lays out the uniforms', async () => {
    const { draw } = await drawWith(
      {
        alphaCutoff: 0.25,
        emissiveFactor: [0.5, 0, 1],
        normalTexture: { index: 0, scale: 2, extensions: { KHR_texture_transform: { offset: [3, 4] } } },
        pbrMetallicRoughness: { baseColorFactor: [0.5, 0.25, 0.125, 1], metallicFactor: 0, roughnessFactor: 0.5 },
      },
      { extensionsUsed: ['KHR_texture_transform'] }
    );
    const variant = variantOf(draw.material, draw.geometry);
    const floats = materialUniforms(draw.material, variant);
    expect(floats.byteLength).toBe(materialBytes(variant));
    expect([...floats]).toEqual([0.5, 0.25, 0.125, 1, 0.5, 0, 1, 0.25, 0, 0.5, 2, 1, 1, 0, 3, 0, -0, 1, 4, 0]);
  });
});

describe('absurd numbers', () => {
  it('stay within single precision', async () => {
    const { draw } = await drawWith(
      {
        emissiveFactor: [1e300, -1e300, 1],
        alphaCutoff: 1e200,
        extensions: { KHR_materials_emissive_strength: { emissiveStrength: 1e30 } },
        normalTexture: {
          index: 0,
          scale: -1e99,
          extensions: { KHR_texture_transform: { offset: [1e200, 0], scale: [1e100, 1e100] } },
        },
      },
      { extensionsUsed: ['KHR_texture_transform', 'KHR_materials_emissive_strength'] }
    );
    expect(materialUniforms(draw.material, variantOf(draw.material, draw.geometry)).every(Number.isFinite)).toBe(true);
  });
});
