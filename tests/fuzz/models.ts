// Mutated models: each is loaded, or rejected with a one-sentence error.
import { ModelError } from '../../src/gltf/errors';
import { imagesOf } from '../../src/gltf/images/image-set';
import { loadModel } from '../../src/gltf/files/load';
import { ModelBudget } from '../../src/gltf/budget';
import { flattenScene } from '../../src/gltf/scene/scene';
import { glb, triangleFile } from '../gltf/build';
import { modelCorpus } from './corpus';
import { Dice } from './dice';
import type { Target } from './target';

type Json = Record<string, unknown>;
const ODD: readonly unknown[] = [
  null,
  -1,
  0,
  1,
  2,
  0.5,
  255,
  65_536,
  1e9,
  4_294_967_296,
  1e308,
  '',
  'x',
  '\x1b]0;x\x07',
  'data:,',
  'a.bin',
  true,
  [],
  {},
  [0],
  [-1],
  [null],
  [1e9, 1e9, 1e9],
  'VEC3',
  'MAT4',
  'SCALAR',
  5126,
  5121,
  5125,
  'BLEND',
  'KHR_texture_transform',
];

/** Models with more places do not grow further: three nested lists of 300 are a gigabyte. */
const MAX_PLACES = 10_000;

const MATERIAL_EXTENSIONS: Json = {
  KHR_materials_anisotropy: { anisotropyStrength: 0.5, anisotropyRotation: 1, anisotropyTexture: { index: 0 } },
  KHR_materials_clearcoat: { clearcoatFactor: 1, clearcoatNormalTexture: { index: 0, scale: 2 } },
  KHR_materials_diffuse_transmission: { diffuseTransmissionFactor: 0.5, diffuseTransmissionColorFactor: [1, 1, 1] },
  KHR_materials_dispersion: { dispersion: 1 },
  KHR_materials_emissive_strength: { emissiveStrength: 2 },
  KHR_materials_ior: { ior: 1.3 },
  KHR_materials_iridescence: { iridescenceFactor: 1, iridescenceIor: 1.3, iridescenceThicknessMaximum: 400 },
  KHR_materials_sheen: { sheenColorFactor: [1, 1, 1], sheenRoughnessFactor: 0.5 },
  KHR_materials_specular: { specularFactor: 0.5, specularColorFactor: [1, 1, 1] },
  KHR_materials_transmission: { transmissionFactor: 1, transmissionTexture: { index: 0 } },
  KHR_materials_volume: { thicknessFactor: 1, attenuationDistance: 1, attenuationColor: [1, 1, 1] },
};

/** A file with a bit of everything. */
function whole(): { json: Json; binary: Uint8Array } {
  const { json, binary } = triangleFile();
  const image = { uri: 'data:image/png;base64,iVBORw0KGgo=' };
  return {
    binary,
    json: {
      ...json,
      images: [image],
      samplers: [{ magFilter: 9728, wrapS: 33_071 }],
      textures: [{ source: 0, sampler: 0 }],
      materials: [
        {
          alphaMode: 'MASK',
          alphaCutoff: 0.5,
          doubleSided: true,
          name: 'paint',
          pbrMetallicRoughness: { baseColorFactor: [1, 0, 0, 1], metallicFactor: 0, baseColorTexture: { index: 0 } },
          extensions: MATERIAL_EXTENSIONS,
        },
        { extensions: { KHR_materials_pbrSpecularGlossiness: { diffuseFactor: [1, 1, 1, 1], glossinessFactor: 1 } } },
      ],
      meshes: [
        {
          name: 'shape',
          weights: [0],
          primitives: [
            {
              attributes: { POSITION: 0, JOINTS_0: 0, WEIGHTS_0: 0 },
              indices: 1,
              material: 0,
              mode: 4,
              targets: [{ POSITION: 0 }],
              extensions: { KHR_materials_variants: { mappings: [{ material: 1, variants: [0] }] } },
            },
            { attributes: { POSITION: 0 }, mode: 3, indices: 1 },
          ],
        },
      ],
      nodes: [
        { name: 'root', children: [1, 2, 3], scale: [1, 2, 3] },
        { mesh: 0, skin: 0, translation: [1, 2, 3] },
        {
          camera: 0,
          rotation: [0, 0, 0, 1],
          extensions: { KHR_lights_punctual: { light: 0 }, KHR_node_visibility: { visible: true } },
        },
        { mesh: 0, extensions: { EXT_mesh_gpu_instancing: { attributes: { TRANSLATION: 0, SCALE: 0 } } } },
      ],
      skins: [{ joints: [0, 2] }],
      cameras: [
        { type: 'perspective', perspective: { yfov: 1, znear: 0.1 } },
        { type: 'orthographic', orthographic: { xmag: 1, ymag: 1, znear: 0, zfar: 9 } },
      ],
      animations: [
        {
          name: 'move',
          channels: [
            { sampler: 0, target: { node: 0, path: 'scale' } },
            {
              sampler: 1,
              target: { path: 'pointer', extensions: { KHR_animation_pointer: { pointer: '/nodes/1/translation' } } },
            },
          ],
          samplers: [
            { input: 1, output: 0 },
            { input: 1, output: 0, interpolation: 'STEP' },
          ],
        },
      ],
      extensions: {
        KHR_lights_punctual: {
          lights: [{ type: 'spot', intensity: 3, range: 9, spot: { innerConeAngle: 0.1, outerConeAngle: 0.3 } }],
        },
        KHR_materials_variants: { variants: [{ name: 'other' }] },
      },
      extensionsUsed: [
        ...Object.keys(MATERIAL_EXTENSIONS),
        'KHR_materials_pbrSpecularGlossiness',
        'KHR_materials_variants',
        'KHR_lights_punctual',
        'KHR_node_visibility',
        'KHR_animation_pointer',
        'EXT_mesh_gpu_instancing',
      ],
    },
  };
}

/** Every place in it: the object or array, and the key. */
function placesOf(value: unknown, into: [Json, string][] = []): [Json, string][] {
  if (typeof value !== 'object' || value === null) return into;
  for (const key of Object.keys(value)) {
    into.push([value as Json, key]);
    placesOf((value as Json)[key], into);
  }
  return into;
}

function modelOf(seed: number): Uint8Array {
  const dice = new Dice(seed);
  const { json, binary } = whole();
  for (let left = 1 + dice.below(6); left > 0; left--) {
    const places = placesOf(json);
    if (places.length > MAX_PLACES) break;
    const [at, key] = dice.pick(places);
    const kind = dice.below(5);
    if (kind === 0) delete at[key];
    else if (kind === 1) at[key] = structuredClone(dice.pick(places)[0]);
    else if (kind === 2 && Array.isArray(at[key]))
      at[key] = Array.from({ length: dice.below(300) }, () => (at[key] as unknown[])[0]);
    else if (kind === 3 && typeof at[key] === 'number')
      at[key] = (at[key] as number) + dice.pick([-1, 1, 0.5, 1e6, 2 ** 31]);
    else at[key] = structuredClone(dice.pick(ODD));
  }
  const bytes = glb(json, dice.chance(0.9) ? binary : binary.subarray(0, dice.below(binary.length + 1)));
  if (dice.chance(0.2)) bytes[dice.below(bytes.length)] = dice.below(256);
  return bytes;
}

async function mistakeInModel(bytes: Uint8Array): Promise<string | null> {
  try {
    const budget = new ModelBudget(64 << 20);
    const model = await loadModel(bytes, () => Promise.reject(new ModelError('there are no files')), budget);
    const { cameras } = flattenScene(model, budget);
    const moved = flattenScene(model, budget, { variant: 'other', moment: { animation: undefined, time: 0.3 } });
    imagesOf(moved, budget);
    for (const camera of cameras) camera.read();
    return null;
  } catch (error) {
    if (!(error instanceof ModelError)) return error instanceof Error ? (error.stack ?? error.message) : String(error);
    return error.message.length > 2000 ? `${error.message.length} characters of message` : null;
  }
}

export const models: Target = {
  what: 'mutated models',
  maxAttemptMs: 5000,
  reopenAfter: 10_000,
  open: async () => {
    for (const json of modelCorpus) {
      const mistake = await mistakeInModel(new TextEncoder().encode(JSON.stringify(json)));
      if (mistake !== null) return () => `${mistake}: ${JSON.stringify(json)}`;
    }
    return (seed) => mistakeInModel(modelOf(seed));
  },
};
