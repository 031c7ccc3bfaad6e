// Small models through the built command, one for each thing that a glTF renderer can get wrong.
import { encode } from 'fast-png';
import { afterAll, describe, expect, it } from 'vitest';
import { Builder, oneMesh } from '../gltf/build';
import { Workshop } from './program';

const workshop = new Workshop();
afterAll(() => workshop.remove());

const SIZE = 64;
type Json = Record<string, unknown>;
type Rgb = [number, number, number];

/** Renders a model from the front on black; the view is two units high and wide at z = 0. */
async function render(
  model: Uint8Array,
  { camera = 'orbit:0,0', samples = '1' } = {}
): Promise<{ at(x: number, y: number): Rgb; data: ArrayLike<number> }> {
  workshop.write('model.glb', model);
  const { code, err } = await workshop.run(
    'render',
    'model.glb',
    '-s',
    `${SIZE}x${SIZE}`,
    '-c',
    camera,
    '--samples',
    samples,
    '-b',
    '#000',
    '--allow-empty'
  );
  expect([code, err.replace(/[\d.]+ s/, '')]).toEqual([0, 'Wrote model.png in .\n']);
  const { data } = workshop.picture('model.png');
  return {
    data,
    at: (x, y) => [0, 1, 2].map((c) => data[(Math.floor(y * SIZE) * SIZE + Math.floor(x * SIZE)) * 3 + c]) as Rgb,
  };
}

const quad = (z = 0): Float32Array => new Float32Array([-1, -1, z, 1, -1, z, 1, 1, z, -1, 1, z]);
const QUAD_INDICES = Uint8Array.of(0, 1, 2, 0, 2, 3);
const QUAD_UV = Float32Array.of(0, 1, 1, 1, 1, 0, 0, 0);
const QUAD_NORMALS = Float32Array.of(0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1);

/** A square with one material. */
function square(material: Json, more: Json = {}, attributes: (b: Builder) => Json = () => ({})): Uint8Array {
  return oneMesh(
    (b) => ({
      material: 0,
      indices: b.accessor('SCALAR', QUAD_INDICES),
      attributes: {
        POSITION: b.accessor('VEC3', quad()),
        NORMAL: b.accessor('VEC3', QUAD_NORMALS),
        TEXCOORD_0: b.accessor('VEC2', QUAD_UV),
        ...attributes(b),
      },
    }),
    { extensionsUsed: ['KHR_materials_unlit', 'KHR_texture_transform'], materials: [material], ...more }
  );
}
const unlit = (factor: number[], more: Json = {}): Json => ({
  pbrMetallicRoughness: { baseColorFactor: factor },
  extensions: { KHR_materials_unlit: {} },
  ...more,
});
const image = (width: number, texels: number[][]): Json => {
  const data = Uint8Array.from(texels.flat());
  const png = encode({ width, height: texels.length / width, channels: 4, data });
  return { uri: `data:image/png;base64,${Buffer.from(png).toString('base64')}` };
};
const TEXELS = [
  [255, 0, 0, 255],
  [0, 255, 0, 255],
  [0, 0, 255, 255],
  [250, 240, 10, 255],
];
const CHECKS = {
  images: [image(2, TEXELS)],
  samplers: [{ magFilter: 9728, minFilter: 9728 }],
  textures: [{ source: 0, sampler: 0 }],
};

const near = (actual: Rgb, expected: readonly number[], within = 2): void => {
  actual.forEach((value, c) =>
    expect(Math.abs(value - expected[c]), `${actual.join()} for ${expected.join()}`).toBeLessThanOrEqual(within)
  );
};

describe('pictures of glTF models', () => {
  it('unlit colors equal those in the file, in sRGB', async () => {
    near((await render(square(unlit([0.2140411, 1, 0, 1])))).at(0.5, 0.5), [128, 255, 0], 1);
  });

  it('texels are at their texture coordinates', async () => {
    const { at } = await render(
      square(unlit([1, 1, 1, 1], { pbrMetallicRoughness: { baseColorTexture: { index: 0 } } }), CHECKS)
    );
    near(at(0.3, 0.3), TEXELS[0], 0);
    near(at(0.7, 0.3), TEXELS[1], 0);
    near(at(0.3, 0.7), TEXELS[2], 0);
    near(at(0.7, 0.7), TEXELS[3], 0);
  });

  it('texture transforms move them', async () => {
    const baseColorTexture = { index: 0, extensions: { KHR_texture_transform: { offset: [0.5, 0], rotation: 0 } } };
    const { at } = await render(square(unlit([1, 1, 1, 1], { pbrMetallicRoughness: { baseColorTexture } }), CHECKS));
    near(at(0.3, 0.3), TEXELS[1], 0);
    near(at(0.7, 0.3), TEXELS[0], 0);
  });

  it('minified sRGB textures average linear light, not codes', async () => {
    const stripes = Array.from({ length: 256 * 256 }, (_, i) => (i % 2 ? [255, 255, 255, 255] : [0, 0, 0, 255]));
    const { at } = await render(
      square(unlit([1, 1, 1, 1], { pbrMetallicRoughness: { baseColorTexture: { index: 0 } } }), {
        images: [image(256, stripes)],
        textures: [{ source: 0 }],
      })
    );
    near(at(0.5, 0.5), [188, 188, 188], 3);
  });

  it('vertex colors are multiplied in', async () => {
    const { at } = await render(
      square(unlit([1, 0.5, 1, 1]), {}, (b) => ({
        COLOR_0: b.accessor(
          'VEC4',
          new Float32Array(16).map((_, i) => [1, 1, 0, 1][i % 4])
        ),
      }))
    );
    near(at(0.5, 0.5), [255, 188, 0], 1);
  });

  it('strips and fans give the same picture as their list', async () => {
    const make = (mode: number, indices: Uint8Array): Uint8Array =>
      oneMesh((b) => ({
        mode,
        indices: b.accessor('SCALAR', indices),
        attributes: { POSITION: b.accessor('VEC3', quad()) },
      }));
    const list = await render(make(4, QUAD_INDICES));
    expect(list.at(0.5, 0.5)[0]).toBeGreaterThan(50);
    expect((await render(make(6, Uint8Array.of(0, 1, 2, 3)))).data).toEqual(list.data);
    const strip = await render(make(5, Uint8Array.of(0, 1, 3, 2)));
    for (const [x, y] of [
      [0.2, 0.8],
      [0.8, 0.2],
      [0.5, 0.5],
    ])
      near(strip.at(x, y), list.at(x, y), 0);
  });

  it('back faces are visible with a double-sided material, lit from their own side', async () => {
    const back = { camera: 'orbit:180,0' };
    const one = square({});
    const two = square({ doubleSided: true });
    expect((await render(one, back)).at(0.5, 0.5)).toEqual([0, 0, 0]);
    const behind = (await render(two, back)).at(0.5, 0.5);
    // The same square rotated, seen from the same side.
    const turned = square({}, { nodes: [{ mesh: 0, rotation: [0, 1, 0, 0] }] });
    near(behind, (await render(turned, back)).at(0.5, 0.5), 1);
    expect(behind[0]).toBeGreaterThan(40);
  });

  it('a mirrored node keeps its front faces', async () => {
    const straight = await render(square({}));
    const mirrored = await render(square({}, { nodes: [{ mesh: 0, scale: [-1, 1, 1] }] }));
    near(mirrored.at(0.4, 0.6), straight.at(0.4, 0.6), 1);
    expect((await render(square({}, { nodes: [{ mesh: 0, scale: [-1, 1, -1] }] }))).at(0.5, 0.5)).toEqual([0, 0, 0]);
  });

  it('the mask discards below its cutoff', async () => {
    const half = {
      images: [
        image(2, [
          [255, 255, 255, 100],
          [255, 255, 255, 200],
          [255, 255, 255, 100],
          [255, 255, 255, 200],
        ]),
      ],
      samplers: CHECKS.samplers,
      textures: CHECKS.textures,
    };
    const { at } = await render(
      square(
        unlit([1, 1, 1, 1], {
          alphaMode: 'MASK',
          alphaCutoff: 0.6,
          pbrMetallicRoughness: { baseColorTexture: { index: 0 } },
        }),
        half
      )
    );
    expect(at(0.3, 0.5)).toEqual([0, 0, 0]);
    expect(at(0.7, 0.5)).toEqual([255, 255, 255]);
  });

  it('blended triangles are drawn back to front, in any file order', async () => {
    const layers = (swap: boolean): Uint8Array => {
      const b = new Builder();
      const primitive = (z: number, material: number): Json => ({
        material,
        indices: b.accessor('SCALAR', QUAD_INDICES),
        attributes: { POSITION: b.accessor('VEC3', quad(z)) },
      });
      const primitives = [primitive(0.2, 0), primitive(-0.2, 1)];
      return b.glb({
        extensionsUsed: ['KHR_materials_unlit'],
        scenes: [{ nodes: [0] }],
        nodes: [{ mesh: 0 }],
        meshes: [{ primitives: swap ? primitives.reverse() : primitives }],
        materials: [unlit([1, 0, 0, 0.5], { alphaMode: 'BLEND' }), unlit([0, 1, 0, 0.5], { alphaMode: 'BLEND' })],
      });
    };
    const colour = (await render(layers(false))).at(0.5, 0.5);
    near(colour, [188, 137, 0], 2); // red at one half over green at one quarter, in linear light
    expect((await render(layers(true))).at(0.5, 0.5)).toEqual(colour);
  });

  it('a normal map looks the same with and without tangents in the file, mirrored or not', async () => {
    // A normal map that leans to the right and up, by different amounts in the four corners.
    const bumps = image(2, [
      [200, 128, 230, 255],
      [128, 200, 230, 255],
      [60, 128, 230, 255],
      [150, 170, 240, 255],
    ]);
    const make = (u: number, sign: number, tangents: boolean): Uint8Array =>
      square(
        { normalTexture: { index: 0 }, pbrMetallicRoughness: { metallicFactor: 0, roughnessFactor: 0.3 } },
        { images: [bumps], textures: [{ source: 0 }] },
        (b) => ({
          TEXCOORD_0: b.accessor(
            'VEC2',
            QUAD_UV.map((x, i) => (i % 2 === 0 && u < 0 ? 1 - x : x))
          ),
          ...(tangents
            ? {
                TANGENT: b.accessor(
                  'VEC4',
                  new Float32Array(16).map((_, i) => [u, 0, 0, sign][i % 4])
                ),
              }
            : {}),
        })
      );
    for (const u of [1, -1]) {
      const derived = await render(make(u, u, false));
      const given = await render(make(u, u, true));
      let most = 0;
      for (let i = 0; i < given.data.length; i++) most = Math.max(most, Math.abs(given.data[i] - derived.data[i]));
      expect(most).toBeLessThanOrEqual(2);
      // The bumps are the right way round: a slope that leans towards the light is brighter.
      expect(given.at(u > 0 ? 0.3 : 0.7, 0.3)).not.toEqual(given.at(u > 0 ? 0.3 : 0.7, 0.7));
    }
  });

  it('emission needs no light', async () => {
    const { at } = await render(
      square({
        emissiveFactor: [0.2, 0, 0],
        pbrMetallicRoughness: { baseColorFactor: [0, 0, 0, 1], metallicFactor: 1 },
      })
    );
    const [r, g, b] = at(0.5, 0.5);
    expect(r).toBeGreaterThan(90);
    expect(Math.max(g, b)).toBeLessThan(r / 2);
  });

  it('occlusion darkens', async () => {
    const dark = { images: [image(1, [[64, 0, 0, 255]])], textures: [{ source: 0 }] };
    const full = (await render(square({ occlusionTexture: { index: 0 } }, dark))).at(0.5, 0.5)[0];
    const none = (await render(square({ occlusionTexture: { index: 0, strength: 0 } }, dark))).at(0.5, 0.5)[0];
    expect(full).toBeLessThan(none - 20);
  });

  it('four samples smooth the edges', async () => {
    const count = async (samples: string): Promise<number> => {
      const { data } = await render(
        square(unlit([1, 1, 1, 1]), { nodes: [{ mesh: 0, rotation: [0, 0, 0.2, 0.98] }] }),
        { samples }
      );
      return new Set(Array.from(data)).size;
    };
    expect(await count('1')).toBe(2);
    expect(await count('4')).toBeGreaterThanOrEqual(4);
  });
});
