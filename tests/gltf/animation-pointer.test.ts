// KHR_animation_pointer: at each moment, a scene equals that of a file whose property has the value of that moment.
import { describe, expect, it } from 'vitest';
import { loadModel } from '../../src/gltf/files/load';
import { flattenScene, type FlatScene } from '../../src/gltf/scene/scene';
import { encodePicture } from '../../src/node/png';
import { Builder, TRIANGLE } from './build';

type Json = Record<string, unknown>;

const PNG = `data:image/png;base64,${Buffer.from(encodePicture(new Uint8Array(4).fill(255), 1, 1)).toString('base64')}`;
const TRANSFORM = { KHR_texture_transform: { offset: [0.1, 0.2], scale: [1, 2], rotation: 0.3 } };
const texture = (more: Json = {}): Json => ({ index: 0, extensions: structuredClone(TRANSFORM), ...more });

/** A material with every extension but one, which excludes the others. */
const MATERIAL = (): Json => ({
  alphaMode: 'MASK',
  pbrMetallicRoughness: { baseColorTexture: texture(), metallicRoughnessTexture: texture() },
  normalTexture: texture({ scale: 0.5 }),
  occlusionTexture: texture({ strength: 0.5 }),
  emissiveFactor: [0.1, 0.1, 0.1],
  emissiveTexture: texture(),
  extensions: {
    KHR_materials_anisotropy: { anisotropyStrength: 0.2, anisotropyTexture: texture() },
    KHR_materials_clearcoat: {
      clearcoatFactor: 0.2,
      clearcoatTexture: texture(),
      clearcoatNormalTexture: texture({ scale: 0.5 }),
    },
    KHR_materials_diffuse_transmission: { diffuseTransmissionFactor: 0.2 },
    KHR_materials_dispersion: { dispersion: 0.2 },
    KHR_materials_emissive_strength: { emissiveStrength: 2 },
    KHR_materials_ior: { ior: 1.4 },
    KHR_materials_iridescence: { iridescenceFactor: 0.2 },
    KHR_materials_sheen: { sheenColorFactor: [0.1, 0.1, 0.1], sheenRoughnessTexture: texture() },
    KHR_materials_specular: { specularFactor: 0.9 },
    KHR_materials_transmission: { transmissionFactor: 0.2 },
    KHR_materials_volume: { thicknessFactor: 0.2, attenuationDistance: 3 },
  },
});
const GLOSSY = (): Json => ({
  extensions: { KHR_materials_pbrSpecularGlossiness: { specularFactor: [0.1, 0.1, 0.1] } },
});

const M = '/materials/0';
const X = `${M}/extensions/KHR_materials_`;
const L = '/extensions/KHR_lights_punctual/lights';
const T = 'extensions/KHR_texture_transform';

/** Pointers with the values of their tracks at 0 and 1 second. */
const TRACKS: [pointer: string, from: number[], to: number[]][] = [
  [`${M}/pbrMetallicRoughness/baseColorFactor`, [0, 0.2, 0.4, 1], [1, 0.4, 0.2, 0.5]],
  [`${M}/pbrMetallicRoughness/metallicFactor`, [0], [0.5]],
  [`${M}/pbrMetallicRoughness/roughnessFactor`, [0.5], [0]],
  [`${M}/pbrMetallicRoughness/baseColorTexture/${T}/offset`, [0, 0], [1, 0.5]],
  [`${M}/pbrMetallicRoughness/metallicRoughnessTexture/${T}/rotation`, [0], [1]],
  [`${M}/normalTexture/scale`, [0], [1]],
  [`${M}/normalTexture/${T}/scale`, [1, 1], [3, 2]],
  [`${M}/occlusionTexture/strength`, [0], [1]],
  [`${M}/emissiveFactor`, [0, 0.25, 0.5], [1, 0.5, 0.25]],
  [`${M}/emissiveTexture/${T}/offset`, [0, 0], [0, 1]],
  [`${M}/alphaCutoff`, [0], [1]],
  [`${X}anisotropy/anisotropyStrength`, [0.5], [1]],
  [`${X}anisotropy/anisotropyRotation`, [0], [3]],
  [`${X}anisotropy/anisotropyTexture/${T}/scale`, [1, 1], [2, 2]],
  [`${X}clearcoat/clearcoatFactor`, [0.5], [1]],
  [`${X}clearcoat/clearcoatRoughnessFactor`, [0], [1]],
  [`${X}clearcoat/clearcoatNormalTexture/scale`, [0], [1]],
  [`${X}clearcoat/clearcoatTexture/${T}/offset`, [0, 0], [1, 1]],
  [`${X}diffuse_transmission/diffuseTransmissionFactor`, [0.5], [1]],
  [`${X}diffuse_transmission/diffuseTransmissionColorFactor`, [1, 0, 0], [0, 1, 0]],
  [`${X}dispersion/dispersion`, [0], [4]],
  [`${X}emissive_strength/emissiveStrength`, [1], [4]],
  [`${X}ior/ior`, [1], [2]],
  [`${X}iridescence/iridescenceFactor`, [0.5], [1]],
  [`${X}iridescence/iridescenceIor`, [1], [2]],
  [`${X}iridescence/iridescenceThicknessMinimum`, [100], [200]],
  [`${X}iridescence/iridescenceThicknessMaximum`, [300], [500]],
  [`${X}sheen/sheenColorFactor`, [1, 0, 0], [0, 1, 1]],
  [`${X}sheen/sheenRoughnessFactor`, [0], [1]],
  [`${X}sheen/sheenRoughnessTexture/${T}/rotation`, [0], [1]],
  [`${X}specular/specularFactor`, [0], [1]],
  [`${X}specular/specularColorFactor`, [0, 0, 1], [1, 1, 0]],
  [`${X}transmission/transmissionFactor`, [0.5], [1]],
  [`${X}volume/thicknessFactor`, [0], [1]],
  [`${X}volume/attenuationDistance`, [1], [2]],
  [`${X}volume/attenuationColor`, [1, 1, 1], [0, 0.5, 1]],
  ['/materials/1/extensions/KHR_materials_pbrSpecularGlossiness/diffuseFactor', [0, 0, 0, 1], [1, 0.5, 0, 0]],
  ['/materials/1/extensions/KHR_materials_pbrSpecularGlossiness/specularFactor', [0, 0, 0], [1, 0.5, 0]],
  ['/materials/1/extensions/KHR_materials_pbrSpecularGlossiness/glossinessFactor', [0], [1]],
  [`${L}/0/color`, [1, 0, 0], [0, 0, 1]],
  [`${L}/0/intensity`, [1], [2]],
  [`${L}/0/range`, [5], [10]],
  [`${L}/0/spot/innerConeAngle`, [0], [0.25]],
  [`${L}/0/spot/outerConeAngle`, [0.5], [1]],
  ['/cameras/0/perspective/yfov', [0.5], [1]],
  ['/cameras/0/perspective/znear', [0.5], [1]],
  ['/cameras/0/perspective/zfar', [50], [100]],
  ['/cameras/1/orthographic/xmag', [1], [2]],
  ['/cameras/1/orthographic/ymag', [1], [2]],
  ['/cameras/1/orthographic/znear', [0], [1]],
  ['/cameras/1/orthographic/zfar', [5], [10]],
];

/** A model that has all of it. */
function model(tracks: typeof TRACKS, change: (json: Json) => void = () => undefined): Uint8Array {
  const builder = new Builder();
  const samplers: Json[] = [];
  const channels: Json[] = [];
  for (const [pointer, from, to] of tracks) {
    const type = ['SCALAR', 'VEC2', 'VEC3', 'VEC4'][from.length - 1];
    samplers.push({
      input: builder.accessor('SCALAR', new Float32Array([0, 1])),
      output: builder.accessor(type, new Float32Array([...from, ...to])),
    });
    const target = { path: 'pointer', extensions: { KHR_animation_pointer: { pointer } } };
    channels.push({ sampler: samplers.length - 1, target });
  }
  const attributes = {
    POSITION: builder.accessor('VEC3', TRIANGLE),
    TEXCOORD_0: builder.accessor('VEC2', new Float32Array(6)),
  };
  const materials = [MATERIAL(), GLOSSY()];
  const ofMaterials = materials.flatMap(({ extensions }) => Object.keys(extensions as Json));
  const light = { type: 'spot', intensity: 1, range: 7, spot: { innerConeAngle: 0.1, outerConeAngle: 0.6 } };
  const json: Json = {
    extensionsUsed: [...ofMaterials, 'KHR_texture_transform', 'KHR_lights_punctual', 'KHR_animation_pointer'],
    extensions: { KHR_lights_punctual: { lights: [light] } },
    images: [{ uri: PNG }],
    textures: [{ source: 0 }],
    materials,
    meshes: [{ primitives: [0, 1].map((material) => ({ attributes, material })) }],
    cameras: [
      { type: 'perspective', perspective: { yfov: 0.7, znear: 0.1, zfar: 100 } },
      { type: 'orthographic', orthographic: { xmag: 3, ymag: 3, znear: 0, zfar: 10 } },
    ],
    scene: 0,
    scenes: [{ nodes: [0, 1, 2] }],
    nodes: [{ mesh: 0 }, { camera: 0, extensions: { KHR_lights_punctual: { light: 0 } } }, { camera: 1 }],
    ...(tracks.length > 0 ? { animations: [{ samplers, channels }] } : {}),
  };
  change(json);
  return builder.glb(json);
}

/** Two nodes with a mesh that has two morph targets; the second node has weights of its own. */
function morphing(tracks: typeof TRACKS, values: Json): Uint8Array {
  const builder = new Builder();
  const samplers = tracks.map(([, from, to]) => ({
    input: builder.accessor('SCALAR', new Float32Array([0, 1])),
    output: builder.accessor('SCALAR', new Float32Array([...from, ...to])),
  }));
  const channels = tracks.map(([pointer], sampler) => ({
    sampler,
    target: { path: 'pointer', extensions: { KHR_animation_pointer: { pointer } } },
  }));
  const target = (z: number): Json => ({
    POSITION: builder.accessor('VEC3', new Float32Array([0, 0, z, 0, z, 0, z, 0, 0])),
  });
  const primitive = { attributes: { POSITION: builder.accessor('VEC3', TRIANGLE) }, targets: [target(1), target(4)] };
  const json: Json = {
    extensionsUsed: ['KHR_animation_pointer'],
    meshes: [{ primitives: [primitive], weights: [0.5, 0.5] }],
    scene: 0,
    scenes: [{ nodes: [0, 1] }],
    nodes: [
      { mesh: 0, ...('/nodes/0/weights/1' in values ? { weights: [0.5, 0.5] } : {}) },
      { mesh: 0, weights: [0.125, 0.25] },
    ],
    ...(tracks.length > 0 ? { animations: [{ samplers, channels }] } : {}),
  };
  for (const [pointer, value] of Object.entries(values)) setAt(json, pointer, value as number[]);
  return builder.glb(json);
}

/** Sets the value that a pointer means. */
function setAt(json: Json, pointer: string, value: number[]): void {
  const steps = pointer.slice(1).split('/');
  const last = steps.pop()!;
  let at = json;
  for (const step of steps) at = (at[step] ??= {}) as Json;
  at[last] = value.length === 1 ? value[0] : value;
}

/** What of a scene can be compared: images are objects of one document. */
function described({ draws, lights, cameras }: FlatScene): unknown {
  const text = JSON.stringify(
    { materials: draws.map(({ material }) => material), lights, cameras: cameras.map((camera) => camera.read()) },
    (key, value: unknown) => (key === 'image' ? 'image' : value)
  );
  return JSON.parse(text, (_, value: unknown) => (typeof value === 'number' ? Number(value.toPrecision(6)) : value));
}

const flat = async (bytes: Uint8Array, time?: number): Promise<unknown> =>
  described(
    flattenScene(
      await loadModel(bytes),
      undefined,
      time === undefined ? {} : { moment: { animation: undefined, time } }
    )
  );

describe('the animation of', () => {
  it.each(TRACKS)('%s changes what is drawn, as the file would', async (pointer, from, to) => {
    const atRest = await flat(model([]));
    for (const time of [0, 0.25, 1]) {
      const value = from.map((x, i) => Math.fround(x + (to[i] - x) * time));
      const expected = await flat(model([], (json) => setAt(json, pointer, value)));
      expect(await flat(model([[pointer, from, to]]), time)).toEqual(expected);
    }
    // A value that matters, which is gone when the model is at rest again.
    expect(await flat(model([[pointer, from, to]]), 0.25)).not.toEqual(atRest);
    const loaded = await loadModel(model([[pointer, from, to]]));
    flattenScene(loaded, undefined, { moment: { animation: undefined, time: 0.5 } });
    expect(described(flattenScene(loaded))).toEqual(atRest);
  });

  it('many properties at once sets all of them', async () => {
    const expected = await flat(
      model([], (json) => {
        for (const [pointer, , to] of TRACKS) setAt(json, pointer, to);
      })
    );
    expect(await flat(model(TRACKS), 1)).toEqual(expected);
  });

  it.each([
    '/materials/9/alphaCutoff',
    '/materials/0/alphaMode',
    '/materials/0/constructor',
    '/materials/0/extensions/KHR_materials_unlit/strength',
    '/materials/1/extensions/KHR_materials_ior/ior',
    '/materials/1/normalTexture/scaling',
    `/materials/1/normalTexture/${T}/offset`,
    `${L}/0/constructor`,
    `${L}/7/intensity`,
    '/cameras/0/orthographic/xmag',
    '/cameras/0/perspective/__proto__',
    '/cameras/5/perspective/yfov',
    '/meshes/0/name',
    '/meshes/0/weights',
    '/nodes/0/weights/0',
  ])('%s is left out with a warning', async (pointer) => {
    const scene = flattenScene(await loadModel(model([[pointer, [0], [1]]])), undefined, {
      moment: { animation: undefined, time: 0.5 },
    });
    expect(scene.warnings).toEqual([
      `The animation of "${pointer}" is left out; the model has no such property, or it is not drawn.`,
    ]);
  });

  it.each([
    ['/meshes/0/weights', [0, 0.5], [1, 0.25]],
    ['/meshes/0/weights/1', [0], [1]],
    ['/nodes/1/weights/0', [0], [1]],
    ['/nodes/0/weights/1', [0], [1]],
  ])('%s moves vertices, as the file would', async (pointer, from, to) => {
    const positions = async (tracks: typeof TRACKS, time?: number): Promise<number[][]> => {
      const moment = time === undefined ? {} : { moment: { animation: undefined, time } };
      const { draws } = flattenScene(
        await loadModel(morphing(tracks, time === undefined ? values : {})),
        undefined,
        moment
      );
      return draws.map(({ geometry }) => [...geometry.positions]);
    };
    let values: Json = {};
    const atRest = await positions([]);
    for (const time of [0.25, 1]) {
      values = { [pointer]: from.map((x, i) => x + (to[i] - x) * time) };
      expect(await positions([[pointer, from, to]], time)).toEqual(await positions([]));
      expect(await positions([])).not.toEqual(atRest);
    }
  });

  it('numbers of a wrong count, or that are not finite, is refused', async () => {
    const at = async (track: (typeof TRACKS)[number]) => {
      const loaded = await loadModel(model([track]));
      return () => flattenScene(loaded, undefined, { moment: { animation: undefined, time: 0.5 } });
    };
    expect(await at([`${M}/alphaCutoff`, [0, 0], [1, 1]])).toThrow('is damaged: its property has 4 numbers');
    expect(await at([`${M}/alphaCutoff`, [NaN], [1]])).toThrow('has numbers that are not finite');
  });
});
