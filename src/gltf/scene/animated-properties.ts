// Properties of materials, lights, cameras and meshes that animations change (KHR_animation_pointer). A pointer becomes
// the getter and the setter of an object of glTF-Transform, so that all code that reads the object follows.
import type { GLTF, Material, Mesh, Node, TextureInfo } from '@gltf-transform/core';
import type { Light, Transform } from '@gltf-transform/extensions';
import type { Model } from '../files/load';

/** Values of properties by their pointers. */
export type PropertyValues = ReadonlyMap<string, readonly number[]>;

/** Number of components of each property of a material, by extension; '' are those of core glTF. */
const FACTORS: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  '': { emissiveFactor: 3, alphaCutoff: 1 },
  pbrMetallicRoughness: { baseColorFactor: 4, metallicFactor: 1, roughnessFactor: 1 },
  KHR_materials_anisotropy: { anisotropyStrength: 1, anisotropyRotation: 1 },
  KHR_materials_clearcoat: { clearcoatFactor: 1, clearcoatRoughnessFactor: 1 },
  KHR_materials_diffuse_transmission: { diffuseTransmissionFactor: 1, diffuseTransmissionColorFactor: 3 },
  KHR_materials_dispersion: { dispersion: 1 },
  KHR_materials_emissive_strength: { emissiveStrength: 1 },
  KHR_materials_ior: { ior: 1 },
  KHR_materials_iridescence: {
    iridescenceFactor: 1,
    iridescenceIor: 1,
    iridescenceThicknessMinimum: 1,
    iridescenceThicknessMaximum: 1,
  },
  KHR_materials_pbrSpecularGlossiness: { diffuseFactor: 4, specularFactor: 3, glossinessFactor: 1 },
  KHR_materials_sheen: { sheenColorFactor: 3, sheenRoughnessFactor: 1 },
  KHR_materials_specular: { specularFactor: 1, specularColorFactor: 3 },
  KHR_materials_transmission: { transmissionFactor: 1 },
  KHR_materials_volume: { thicknessFactor: 1, attenuationDistance: 1, attenuationColor: 3 },
};

/** Factors of textures: what glTF-Transform calls them. */
const OF_TEXTURES: Readonly<Record<string, string>> = {
  'normalTexture/scale': 'NormalScale',
  'occlusionTexture/strength': 'OcclusionStrength',
  'clearcoatNormalTexture/scale': 'ClearcoatNormalScale',
};
const TRANSFORM: Readonly<Record<string, number>> = { offset: 2, scale: 2, rotation: 1 };
const LIGHT: Readonly<Record<string, number>> = {
  color: 3,
  intensity: 1,
  range: 1,
  'spot/innerConeAngle': 1,
  'spot/outerConeAngle': 1,
};
const CAMERA = /^(perspective\/(?:yfov|znear|zfar|aspectRatio)|orthographic\/(?:xmag|ymag|znear|zfar))$/;

const POINTER = /^\/(materials|cameras|extensions\/KHR_lights_punctual\/lights)\/(\d+)\/(.+)$/;
/** All weights of a mesh, or one of a node or a mesh. */
const WEIGHTS = /^\/(nodes|meshes)\/(\d+)\/weights(?:\/(\d+))?$/;
const OF_MATERIAL = /^(?:extensions\/(KHR_materials_\w+)\/|(pbrMetallicRoughness)\/)?(.+)$/;
const OF_TRANSFORM = /^([a-zA-Z]+Texture)\/extensions\/KHR_texture_transform\/(offset|scale|rotation)$/;

/** An object with getters and setters. */
type Accessible = Readonly<Record<string, unknown>>;

/** A property that can be animated. */
interface Property {
  size: number;
  /** Sets it, and returns a function that sets what it was before. */
  set(value: readonly number[]): () => void;
}

/** The property that a pointer means; undefined: the model has none, or it is not animated. */
export function findProperty(model: Model, pointer: string): Property | undefined {
  const weights = WEIGHTS.exec(pointer);
  if (weights) return propertyOfWeights(model, weights[1], Number(weights[2]), weights[3]);
  const [, collection, digits, path] = POINTER.exec(pointer) ?? [];
  const index = Number(digits);
  if (collection === 'materials') {
    const material = model.document.getRoot().listMaterials()[index] as Material | undefined;
    return material && propertyOfMaterial(material, path);
  }
  if (collection === 'cameras') return propertyOfCamera(model.json.cameras?.[index], path);
  if (collection === undefined || !Object.hasOwn(LIGHT, path)) return undefined;
  const light = lightAt(model, index);
  return light && accessor(light, nameOf(path.replace('spot/', '')), LIGHT[path]);
}

/** What a property is called after "get" and "set". */
const nameOf = (property: string): string =>
  `${property[0].toUpperCase()}${property.slice(1)}`.replace(/^(Iridescence)?Ior$/, '$1IOR');

function propertyOfMaterial(material: Material, path: string): Property | undefined {
  const [, extension, core, rest] = OF_MATERIAL.exec(path)!;
  const owner = extension === undefined ? material : material.getExtension(extension);
  if (!owner) return undefined;
  const accessible = owner as unknown as Accessible;
  const factors = FACTORS[extension ?? core ?? ''];
  if (factors && Object.hasOwn(factors, rest)) return accessor(accessible, nameOf(rest), factors[rest]);
  if (Object.hasOwn(OF_TEXTURES, rest)) return accessor(accessible, OF_TEXTURES[rest], 1);
  const [, texture, member] = OF_TRANSFORM.exec(rest) ?? [];
  if (texture === undefined) return undefined;
  const read = accessible[`get${nameOf(texture)}Info`] as (() => TextureInfo | null) | undefined;
  const transform = read?.call(owner)?.getExtension<Transform>('KHR_texture_transform');
  return transform ? accessor(transform as unknown as Accessible, nameOf(member), TRANSFORM[member]) : undefined;
}

function accessor(owner: Accessible, name: string, size: number): Property | undefined {
  const get = owner[`get${name}`] as (() => unknown) | undefined;
  const set = owner[`set${name}`] as ((value: unknown) => void) | undefined;
  if (!get || !set) return undefined;
  return {
    size,
    set: (value) => {
      const before = get.call(owner);
      set.call(owner, size === 1 ? value[0] : [...value]);
      return () => set.call(owner, before);
    },
  };
}

/** Weights of morph targets. @param element one of them; undefined: all */
function propertyOfWeights(
  { document }: Model,
  collection: string,
  index: number,
  element: string | undefined
): Property | undefined {
  const root = document.getRoot();
  const owner = (collection === 'nodes' ? root.listNodes() : root.listMeshes())[index] as Node | Mesh | undefined;
  const mesh = owner && ('getMesh' in owner ? owner.getMesh() : owner);
  const count = mesh?.listPrimitives()[0]?.listTargets().length ?? 0;
  if (!owner || !mesh || (element === undefined ? count === 0 : Number(element) >= count)) return undefined;
  return {
    size: element === undefined ? count : 1,
    set: (value) => {
      const before = owner.getWeights();
      const rest = before.length > 0 ? before : mesh.getWeights();
      const first = Number(element ?? 0);
      owner.setWeights(Array.from({ length: count }, (_, i) => value[i - first] ?? rest[i] ?? 0));
      return () => owner.setWeights(before);
    },
  };
}

function lightAt({ json, document }: Model, index: number): Accessible | undefined {
  const user = (json.nodes ?? []).findIndex(
    ({ extensions }) => (extensions?.KHR_lights_punctual as { light?: number } | undefined)?.light === index
  );
  const node = document.getRoot().listNodes()[user] as Node | undefined;
  const light = node?.getExtension<Light>('KHR_lights_punctual');
  return light ? (light as unknown as Accessible) : undefined;
}

/** Cameras are read from the file's JSON. */
function propertyOfCamera(camera: GLTF.ICamera | undefined, path: string): Property | undefined {
  if (!CAMERA.test(path)) return undefined;
  const [type, name] = path.split('/');
  const owner = camera?.[type as 'perspective'] as unknown as Record<string, number | undefined> | undefined;
  if (!owner) return undefined;
  return {
    size: 1,
    set: ([value]) => {
      const before = owner[name];
      owner[name] = value;
      return () => {
        owner[name] = before;
      };
    },
  };
}

/** Sets properties, and returns a function that sets all of them to what they were. */
export function applyProperties(model: Model, values: PropertyValues): () => void {
  const undo = [...values].map(([pointer, value]) => findProperty(model, pointer)!.set(value));
  return () => undo.reverse().forEach((each) => each());
}
