// Extensions that three.js's loader does not read, beside the formulas of their specifications: a sheet that faces an
// orthographic camera, lit by one directional light, with tone mapping that keeps light as it is.
import { Document, type Material } from '@gltf-transform/core';
import * as X from '@gltf-transform/extensions';
import { describe, expect, it } from 'vitest';
import { DEFAULT_LIGHT } from '../../src/gltf/light/settings';
import { draw, toGlb } from './kit';

const SIZE = 16;
/** Irradiance of a surface that faces the light. */
const LUX = 0.6;

type Vector = readonly [number, number, number];

const dot = (a: Vector, b: Vector): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const unit = (a: Vector): Vector => {
  const length = Math.sqrt(dot(a, a));
  return [a[0] / length, a[1] / length, a[2] / length];
};

/** The quaternion that turns −Z, along which lights shine, to a direction. */
function turnTo(direction: Vector): [number, number, number, number] {
  const [x, y, z] = direction;
  if (z === 1) return [1, 0, 0, 0];
  const w = 1 - z;
  const length = Math.hypot(y, x, w);
  return [y / length, -x / length, 0, w / length];
}

/** A sheet in the plane z = 0 that fills the picture. @param toLight from the surface towards the light */
function sheet(toLight: Vector, describeMaterial: (material: Material, document: Document) => void): Document {
  const document = new Document();
  const buffer = document.createBuffer();
  const scene = document.createScene();
  const positions = document.createAccessor().setType('VEC3').setBuffer(buffer);
  positions.setArray(new Float32Array([-2, -2, 0, 2, -2, 0, 2, 2, 0, -2, -2, 0, 2, 2, 0, -2, 2, 0]));
  const normals = document.createAccessor().setType('VEC3').setBuffer(buffer);
  normals.setArray(new Float32Array(Array.from({ length: 6 }, () => [0, 0, 1]).flat()));
  const material = document.createMaterial().setMetallicFactor(0);
  describeMaterial(material, document);
  const primitive = document.createPrimitive().setAttribute('POSITION', positions).setAttribute('NORMAL', normals);
  const mesh = document.createMesh().addPrimitive(primitive.setMaterial(material));
  scene.addChild(document.createNode('sheet').setMesh(mesh));
  const sun = document.createExtension(X.KHRLightsPunctual).createLight().setType('directional').setIntensity(LUX);
  const shines: Vector = [-toLight[0], -toLight[1], -toLight[2]];
  scene.addChild(document.createNode().setRotation(turnTo(shines)).setExtension('KHR_lights_punctual', sun));
  const camera = document.createCamera().setType('orthographic').setXMag(1).setYMag(1).setZNear(0.1).setZFar(10);
  scene.addChild(document.createNode('front').setCamera(camera).setTranslation([0, 0, 3]));
  return document;
}

/** Linear light of the pixel in the middle. */
async function light(document: Document): Promise<Vector> {
  const pixels = await draw(await toGlb(document), {
    width: SIZE,
    height: SIZE,
    view: { fileCamera: 'front' },
    lit: false,
    light: { ...DEFAULT_LIGHT, toneMapping: 'linear' },
  });
  const at = 4 * ((SIZE / 2) * SIZE + SIZE / 2);
  const linear = (byte: number): number =>
    byte / 255 <= 0.04045 ? byte / 255 / 12.92 : ((byte / 255 + 0.055) / 1.055) ** 2.4;
  return [linear(pixels[at]), linear(pixels[at + 1]), linear(pixels[at + 2])];
}

/** The distribution of GGX times the visibility of Smith (glTF 2.0, appendix B), for a view along the normal. */
function lobe(roughness: number, toLight: Vector): number {
  const [nv, nl] = [1, toLight[2]];
  const half = unit([toLight[0], toLight[1], toLight[2] + 1]);
  const a2 = roughness ** 4;
  const d = a2 / (Math.PI * (half[2] ** 2 * (a2 - 1) + 1) ** 2);
  return (d * 0.5) / (nl * Math.sqrt(nv * nv * (1 - a2) + a2) + nv * Math.sqrt(nl * nl * (1 - a2) + a2));
}

/** The share of light along the normal that leaves a white surface after one reflection, by integration. */
function onceReflected(roughness: number): number {
  const steps = 2000;
  let sum = 0;
  for (let i = 0; i < steps; i++) {
    const angle = ((i + 0.5) / steps) * (Math.PI / 2);
    sum += lobe(roughness, [Math.sin(angle), 0, Math.cos(angle)]) * Math.cos(angle) * Math.sin(angle);
  }
  return (sum * 2 * Math.PI * (Math.PI / 2)) / steps;
}

/** Light that an opaque surface reflects. Specular light that bounces twice comes out again (Turquin 2019). */
function reflected(diffuse: Vector, f0: Vector, roughness: number, toLight: Vector): number[] {
  const half = unit([toLight[0], toLight[1], toLight[2] + 1]);
  const lost = 1 / onceReflected(roughness) - 1;
  return f0.map((at0, i) => {
    const fresnel = at0 + (1 - at0) * (1 - half[2]) ** 5;
    const specular = fresnel * lobe(roughness, toLight) * (1 + at0 * lost);
    return ((diffuse[i] / Math.PI) * (1 - fresnel) + specular) * LUX * toLight[2];
  });
}

/** Expects light within 4 % and a step of a byte. */
function expectNear(found: Vector, expected: readonly number[]): void {
  for (const [i, value] of expected.entries())
    expect(Math.abs(found[i] - value), `${found.join()} beside ${expected.join()}`).toBeLessThan(0.04 * value + 0.004);
}

const DIRECTIONS: readonly Vector[] = [[0, 0, 1], unit([1, 0, 1]), unit([0.3, -2, 1])];

describe('KHR_materials_pbrSpecularGlossiness', () => {
  const specular: Vector = [0.3, 0.1, 0.5];
  const diffuse: Vector = [0.5, 0.8, 0.2];

  it.each(DIRECTIONS.flatMap((toLight) => [0.2, 0.6].map((glossiness) => ({ toLight, glossiness }))))(
    'reflects light from $toLight at glossiness $glossiness',
    async ({ toLight, glossiness }) => {
      const found = await light(
        sheet(toLight, (material, document) =>
          material.setExtension(
            'KHR_materials_pbrSpecularGlossiness',
            document
              .createExtension(X.KHRMaterialsPBRSpecularGlossiness)
              .createPBRSpecularGlossiness()
              .setDiffuseFactor([...diffuse, 1])
              .setSpecularFactor([...specular])
              .setGlossinessFactor(glossiness)
          )
        )
      );
      const dimmed = diffuse.map((value) => value * (1 - Math.max(...specular))) as unknown as Vector;
      expectNear(found, reflected(dimmed, specular, 1 - glossiness, toLight));
    }
  );
});

describe('KHR_materials_diffuse_transmission', () => {
  const base: Vector = [0.8, 0.4, 0.2];
  const through: Vector = [0.2, 0.9, 0.5];
  const leaf =
    (factor: number) =>
    (material: Material, document: Document): void =>
      void material
        .setBaseColorFactor([...base, 1])
        .setRoughnessFactor(1)
        .setExtension(
          'KHR_materials_diffuse_transmission',
          document
            .createExtension(X.KHRMaterialsDiffuseTransmission)
            .createDiffuseTransmission()
            .setDiffuseTransmissionFactor(factor)
            .setDiffuseTransmissionColorFactor([...through])
        );

  it.each(DIRECTIONS)('lets the light from behind through (%s, %s, %s)', async (...toLight) => {
    for (const factor of [0, 0.5, 1]) {
      const behind: Vector = [toLight[0], toLight[1], -toLight[2]];
      const found = await light(sheet(behind, leaf(factor)));
      expectNear(
        found,
        through.map((color) => (factor * color * LUX * toLight[2]) / Math.PI)
      );
    }
  });

  it.each(DIRECTIONS)('takes what passes from the diffuse reflection (%s, %s, %s)', async (...toLight) => {
    for (const factor of [0, 0.5, 1]) {
      const found = await light(sheet(toLight, leaf(factor)));
      const rest = base.map((color) => color * (1 - factor)) as unknown as Vector;
      expectNear(found, reflected(rest, [0.04, 0.04, 0.04], 1, toLight));
    }
  });
});
