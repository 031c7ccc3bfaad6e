// A ball with one material in front of stripes, lit from two sides, with a camera.
import { Document, type Material, type Primitive } from '@gltf-transform/core';
import * as X from '@gltf-transform/extensions';
import { toGlb } from './kit';

/** Width and height of pictures of the ball. */
export const BALL_SIZE = 240;

interface Ball {
  positions: number[];
  normals: number[];
  uvs: number[];
  tangents: number[];
  indices: number[];
}

function ball(steps: number): Ball {
  const out: Ball = { positions: [], normals: [], uvs: [], tangents: [], indices: [] };
  for (let i = 0; i <= steps; i++) {
    for (let j = 0; j <= 2 * steps; j++) {
      const [theta, phi] = [(Math.PI * i) / steps, (Math.PI * j) / steps];
      const normal = [-Math.sin(theta) * Math.cos(phi), Math.cos(theta), Math.sin(theta) * Math.sin(phi)];
      out.positions.push(...normal);
      out.normals.push(...normal);
      out.uvs.push(j / steps / 2, i / steps);
      out.tangents.push(Math.sin(phi), 0, Math.cos(phi), 1);
      if (i === steps || j === 2 * steps) continue;
      const a = i * (2 * steps + 1) + j;
      const b = a + 2 * steps + 1;
      out.indices.push(a, b, a + 1, b, b + 1, a + 1);
    }
  }
  return out;
}

export interface BallOptions {
  tangents?: boolean;
  uvs?: boolean;
  lights?: boolean;
  stripes?: boolean;
  /** Scale of the ball, by its node or by an instance. */
  scale?: number;
  instanced?: boolean;
}

/** Makes the model. The callback describes the material, which is blue and half rough. */
export function ballModel(
  describe: (material: Material, document: Document) => void,
  { tangents = true, uvs = true, lights = true, stripes = true, scale = 1, instanced = false }: BallOptions = {}
): Promise<Uint8Array> {
  const document = new Document();
  const buffer = document.createBuffer();
  const scene = document.createScene();
  const accessor = (type: 'SCALAR' | 'VEC2' | 'VEC3' | 'VEC4', array: Float32Array | Uint16Array) =>
    document.createAccessor().setType(type).setArray(array).setBuffer(buffer);
  const shape = ball(32);
  const primitive = (material: Material): Primitive => {
    const made = document
      .createPrimitive()
      .setAttribute('POSITION', accessor('VEC3', new Float32Array(shape.positions)))
      .setAttribute('NORMAL', accessor('VEC3', new Float32Array(shape.normals)))
      .setIndices(accessor('SCALAR', new Uint16Array(shape.indices)))
      .setMaterial(material);
    if (uvs) made.setAttribute('TEXCOORD_0', accessor('VEC2', new Float32Array(shape.uvs)));
    if (tangents) made.setAttribute('TANGENT', accessor('VEC4', new Float32Array(shape.tangents)));
    return made;
  };
  const material = document
    .createMaterial('ball')
    .setBaseColorFactor([0.2, 0.3, 0.7, 1])
    .setMetallicFactor(0)
    .setRoughnessFactor(0.5);
  describe(material, document);
  const node = document.createNode('ball').setMesh(document.createMesh().addPrimitive(primitive(material)));
  scene.addChild(node);
  if (instanced) {
    const instances = document.createExtension(X.EXTMeshGPUInstancing).createInstancedMesh();
    instances.setAttribute('SCALE', accessor('VEC3', new Float32Array(3).fill(scale)));
    node.setExtension('EXT_mesh_gpu_instancing', instances);
  } else node.setScale([scale, scale, scale]);
  if (stripes) {
    const orange = document.createMaterial().setBaseColorFactor([0.9, 0.4, 0.1, 1]).setMetallicFactor(0);
    const stripe = document.createMesh().addPrimitive(primitive(orange));
    for (let x = -4; x <= 4; x++)
      scene.addChild(
        document
          .createNode()
          .setMesh(stripe)
          .setTranslation([x * 0.6, 0, -2])
          .setScale([0.15, 3, 0.15])
      );
  }
  if (lights) {
    const extension = document.createExtension(X.KHRLightsPunctual);
    const sun = extension.createLight().setType('directional').setIntensity(2).setColor([1, 0.95, 0.9]);
    const lamp = extension.createLight().setType('point').setIntensity(12).setColor([0.8, 0.9, 1]);
    scene.addChild(document.createNode().setRotation([-0.3, 0.3, 0.1, 0.9]).setExtension('KHR_lights_punctual', sun));
    scene.addChild(document.createNode().setTranslation([-2, 1, 2]).setExtension('KHR_lights_punctual', lamp));
  }
  const camera = document.createCamera('front').setType('perspective').setYFov(0.6).setZNear(0.5).setZFar(20);
  camera.setAspectRatio(1);
  scene.addChild(document.createNode('front').setCamera(camera).setTranslation([0, 0, 4.2]));
  return toGlb(document);
}

type Describe = (material: Material, document: Document) => void;

const transmission = (document: Document, factor = 1): X.Transmission =>
  document.createExtension(X.KHRMaterialsTransmission).createTransmission().setTransmissionFactor(factor);
const volume = (document: Document): X.Volume => document.createExtension(X.KHRMaterialsVolume).createVolume();
const ior = (document: Document, n: number): X.IOR => document.createExtension(X.KHRMaterialsIOR).createIOR().setIOR(n);
const clear = (material: Material): Material => material.setBaseColorFactor([1, 1, 1, 1]).setRoughnessFactor(0);

/** A material for each extension, and what the ball would be without it. */
export const MATERIALS: Record<string, Describe> = {
  KHR_materials_clearcoat: (material, document) =>
    void material
      .setRoughnessFactor(0.8)
      .setExtension(
        'KHR_materials_clearcoat',
        document
          .createExtension(X.KHRMaterialsClearcoat)
          .createClearcoat()
          .setClearcoatFactor(1)
          .setClearcoatRoughnessFactor(0.2)
      ),
  KHR_materials_sheen: (material, document) =>
    void material.setExtension(
      'KHR_materials_sheen',
      document
        .createExtension(X.KHRMaterialsSheen)
        .createSheen()
        .setSheenColorFactor([0.9, 0.6, 0.4])
        .setSheenRoughnessFactor(0.4)
    ),
  KHR_materials_transmission: (material, document) =>
    void clear(material).setExtension('KHR_materials_transmission', transmission(document, 0.8)),
  KHR_materials_volume: (material, document) =>
    void clear(material)
      .setExtension('KHR_materials_transmission', transmission(document))
      .setExtension(
        'KHR_materials_volume',
        volume(document).setThicknessFactor(0.8).setAttenuationDistance(1).setAttenuationColor([0.3, 0.8, 0.5])
      ),
  KHR_materials_dispersion: (material, document) =>
    void clear(material)
      .setExtension('KHR_materials_transmission', transmission(document))
      .setExtension('KHR_materials_volume', volume(document).setThicknessFactor(0.8))
      .setExtension('KHR_materials_ior', ior(document, 1.6))
      .setExtension(
        'KHR_materials_dispersion',
        document.createExtension(X.KHRMaterialsDispersion).createDispersion().setDispersion(5)
      ),
  KHR_materials_ior: (material, document) =>
    void material.setRoughnessFactor(0.3).setExtension('KHR_materials_ior', ior(document, 2.4)),
  KHR_materials_specular: (material, document) =>
    void material
      .setRoughnessFactor(0.3)
      .setExtension('KHR_materials_ior', ior(document, 1.8))
      .setExtension(
        'KHR_materials_specular',
        document
          .createExtension(X.KHRMaterialsSpecular)
          .createSpecular()
          .setSpecularColorFactor([1, 0.2, 0.1])
          .setSpecularFactor(0.9)
      ),
  KHR_materials_iridescence: (material, document) =>
    void material
      .setMetallicFactor(1)
      .setRoughnessFactor(0.4)
      .setBaseColorFactor([0.8, 0.8, 0.8, 1])
      .setExtension(
        'KHR_materials_iridescence',
        document
          .createExtension(X.KHRMaterialsIridescence)
          .createIridescence()
          .setIridescenceFactor(1)
          .setIridescenceIOR(1.6)
          .setIridescenceThicknessMaximum(400)
      ),
  KHR_materials_anisotropy: (material, document) =>
    void material
      .setMetallicFactor(1)
      .setRoughnessFactor(0.4)
      .setBaseColorFactor([0.9, 0.8, 0.6, 1])
      .setExtension(
        'KHR_materials_anisotropy',
        document
          .createExtension(X.KHRMaterialsAnisotropy)
          .createAnisotropy()
          .setAnisotropyStrength(0.8)
          .setAnisotropyRotation(0.5)
      ),
  KHR_materials_emissive_strength: (material, document) =>
    void material
      .setEmissiveFactor([0.3, 0.1, 0])
      .setExtension(
        'KHR_materials_emissive_strength',
        document.createExtension(X.KHRMaterialsEmissiveStrength).createEmissiveStrength().setEmissiveStrength(4)
      ),
  KHR_materials_unlit: (material, document) =>
    void material.setExtension('KHR_materials_unlit', document.createExtension(X.KHRMaterialsUnlit).createUnlit()),
  KHR_materials_diffuse_transmission: (material, document) =>
    void material.setExtension(
      'KHR_materials_diffuse_transmission',
      document
        .createExtension(X.KHRMaterialsDiffuseTransmission)
        .createDiffuseTransmission()
        .setDiffuseTransmissionFactor(0.7)
        .setDiffuseTransmissionColorFactor([0.2, 1, 0.2])
    ),
  KHR_materials_pbrSpecularGlossiness: (material, document) =>
    void material.setExtension(
      'KHR_materials_pbrSpecularGlossiness',
      document
        .createExtension(X.KHRMaterialsPBRSpecularGlossiness)
        .createPBRSpecularGlossiness()
        .setDiffuseFactor([0.5, 0.1, 0.1, 1])
        .setSpecularFactor([0.3, 0.3, 0.8])
        .setGlossinessFactor(0.7)
    ),
};

/** The same material with its extension taken away. */
export const without =
  (name: string): Describe =>
  (material, document) => {
    MATERIALS[name](material, document);
    material.setExtension(name, null);
  };
