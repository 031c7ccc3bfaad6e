// What casts shadows: every kind of geometry and material, with a light from straight above that faces a floor.
import type { Document, Material, Node } from '@gltf-transform/core';
import * as X from '@gltf-transform/extensions';
import { describe, expect, it } from 'vitest';
import { loadModel } from '../../src/gltf/files/load';
import { DEFAULT_LIGHT } from '../../src/gltf/light/settings';
import { DEFAULT_PROJECTION } from '../../src/gltf/scene/camera';
import { animationBounds } from '../../src/gltf/scene/bounds';
import { flattenScene } from '../../src/gltf/scene/scene';
import { MAX_SHADOW_MAPS, shadowViews } from '../../src/gltf/scene/shadow-views';
import { ModelBudget } from '../../src/gltf/budget';
import { encodePicture } from '../../src/node/png';
import { draw, type Drawing } from './kit';
import { Stage, type Plate } from './stage';

const SIZE = 96;
/** From the side, so that what casts the shadow does not hide it; the floor is seen foreshortened. */
const VIEW: Drawing = {
  width: SIZE,
  height: SIZE,
  view: { lookAt: { eye: [0, 4, 10], target: [0, 0, 0] } },
  projection: {
    ...DEFAULT_PROJECTION,
    orthographic: true,
    fieldOfView: (Math.atan(3 / Math.hypot(10, 4)) * 360) / Math.PI,
  },
  lit: false,
};
const FLOOR: Plate = { middle: [0, 0, 0], u: [0, 0, 4], v: [4, 0, 0] };
const SQUARE = { u: [0, 0, 0.5], v: [0.5, 0, 0] } as const;

/** A floor and a light from above. `build` adds what casts a shadow, two units above. */
async function stageWith(build: (stage: Stage) => void): Promise<Uint8Array> {
  const stage = new Stage();
  stage.plate(FLOOR);
  build(stage);
  stage.light({ type: 'directional', intensity: 2, direction: [0, -1, 0] });
  return stage.glb();
}

/** Brightness of the floor at (x, z) over that without shadows. */
async function brightness(model: Uint8Array, more: Drawing = {}): Promise<(x: number, z: number) => number> {
  const pixels = await draw(model, { ...VIEW, ...more });
  const plain = await draw(model, { ...VIEW, ...more, light: { ...DEFAULT_LIGHT, shadowSize: undefined } });
  const slope = 4 / Math.hypot(10, 4);
  return (x, z) => {
    const [column, row] = [(x / 6 + 0.5) * SIZE, ((z * slope) / 6 + 0.5) * SIZE];
    const at = 4 * (Math.floor(row) * SIZE + Math.floor(column));
    return pixels[at] / plain[at];
  };
}

const shadowOf = async (build: (stage: Stage) => void, more?: Drawing): Promise<(x: number, z: number) => number> =>
  brightness(await stageWith(build), more);

const square = (stage: Stage, material?: Material): Node => stage.plate({ middle: [0, 2, 0], ...SQUARE }, material);

/** A texture with alpha 255 on the left and `right` on the right. */
function halfImage(document: Document, right: number): ReturnType<Document['createTexture']> {
  const data = new Uint8Array([255, 255, 255, 255, 255, 255, 255, right]);
  return document
    .createTexture()
    .setImage(encodePicture(data, 2, 1))
    .setMimeType('image/png');
}

describe('a shadow is cast by', () => {
  it('a single-sided plate, also from its back', async () => {
    const front = await shadowOf((stage) => void square(stage));
    expect([front(0, 0), front(0.4, 0.4), front(0.7, 0)]).toEqual([0, 0, 1]);
    const back = await shadowOf((stage) => void square(stage).setRotation([1, 0, 0, 0]));
    expect([back(0, 0), back(0.7, 0)]).toEqual([0, 1]);
  });

  it('a mirrored and scaled node', async () => {
    const at = await shadowOf((stage) => void square(stage).setTranslation([-1, 2, 0]).setScale([-2, 1, 1]));
    expect([at(-1.9, 0), at(-0.1, 0), at(0.2, 0)]).toEqual([0, 0, 1]);
  });

  it('instances', async () => {
    const at = await shadowOf((stage) => {
      const extension = stage.document.createExtension(X.EXTMeshGPUInstancing);
      const places = stage.accessor('VEC3', new Float32Array([-1.5, 0, 0, 1.5, 0, 0]));
      square(stage).setExtension(
        'EXT_mesh_gpu_instancing',
        extension.createInstancedMesh().setAttribute('TRANSLATION', places)
      );
    });
    expect([at(-1.5, 0), at(0, 0), at(1.5, 0)]).toEqual([0, 1, 0]);
  });

  it('morph targets and skins in their pose', async () => {
    const moved = new Float32Array([1.5, 0, 0, 1.5, 0, 0, 1.5, 0, 0, 1.5, 0, 0]);
    const morphed = await shadowOf((stage) => {
      const primitive = stage.platePrimitive(SQUARE);
      const target = stage.document.createPrimitiveTarget().setAttribute('POSITION', stage.accessor('VEC3', moved));
      stage
        .add(stage.mesh(primitive.addTarget(target)))
        .setTranslation([0, 2, 0])
        .setWeights([1]);
    });
    expect([morphed(0, 0), morphed(1.5, 0)]).toEqual([1, 0]);
    const skinned = await shadowOf((stage) => {
      const joint = stage.add().setTranslation([-1.5, 2, 0]);
      const primitive = stage
        .platePrimitive(SQUARE)
        .setAttribute('JOINTS_0', stage.accessor('VEC4', new Uint16Array(16)))
        .setAttribute(
          'WEIGHTS_0',
          stage.accessor(
            'VEC4',
            new Float32Array(16).map((_, i) => (i % 4 === 0 ? 1 : 0))
          )
        );
      stage.add(stage.mesh(primitive)).setSkin(stage.document.createSkin().addJoint(joint));
    });
    expect([skinned(0, 0), skinned(-1.5, 0)]).toEqual([1, 0]);
  });

  it('lines and points, as many texels wide as they are pixels wide', async () => {
    const strokes = (mode: 0 | 1) => (stage: Stage) => {
      const primitive = stage.primitive([-1, 2, 0, 1, 2, 0], [0, 1, 0, 0, 1, 0], [0, 1]).setMode(mode);
      stage.add(stage.mesh(primitive));
    };
    // The map is about twelve units wide: 20 of its 64 texels are almost four units.
    const more: Drawing = { light: { ...DEFAULT_LIGHT, shadowSize: 64 }, lineWidth: 10, pointSize: 10 };
    const lines = await shadowOf(strokes(1), more);
    expect([lines(0, 0), lines(0, 0.4), lines(0, 2)]).toEqual([0, 0, 1]);
    const points = await shadowOf(strokes(0), { ...more, pointSize: 8 });
    expect([points(1, 0), points(-1, 0), points(2.4, 0)]).toEqual([0, 0, 1]);
    const thin = await shadowOf(strokes(1), { ...more, lineWidth: 1 });
    expect(thin(0, 0.8)).toBe(1);
  });

  it('masked materials, with their holes', async () => {
    const at = await shadowOf((stage) => {
      const material = stage.material().setAlphaMode('MASK').setAlphaCutoff(0.7);
      square(stage, material.setBaseColorTexture(halfImage(stage.document, 150)));
      material.getBaseColorTextureInfo()!.setMagFilter(9728);
    });
    // u grows with z on the plate.
    expect([at(0, -0.25), at(0, 0.25)]).toEqual([0, 1]);
  });

  it.each([
    [0.4, 1],
    [0.6, 0],
  ])('blended materials if their alpha is at least a half: %d', async (alpha, expected) => {
    const at = await shadowOf(
      (stage) => void square(stage, stage.material().setAlphaMode('BLEND').setBaseColorFactor([1, 1, 1, alpha]))
    );
    expect(at(0, 0)).toBe(expected);
  });

  it('blended materials by the alpha of their texture and their vertices', async () => {
    const byTexture = await shadowOf((stage) => {
      const material = stage.material().setAlphaMode('BLEND').setBaseColorTexture(halfImage(stage.document, 60));
      square(stage, material);
      material.getBaseColorTextureInfo()!.setMagFilter(9728);
    });
    expect([byTexture(0, -0.25), byTexture(0, 0.25)]).toEqual([0, 1]);
    const byVertices = await shadowOf((stage) => {
      const colors = new Float32Array(16).fill(0.2);
      const primitive = stage.platePrimitive(SQUARE, stage.material().setAlphaMode('BLEND'));
      stage
        .add(stage.mesh(primitive.setAttribute('COLOR_0', stage.accessor('VEC4', colors))))
        .setTranslation([0, 2, 0]);
    });
    expect(byVertices(0, 0)).toBe(1);
  });

  it.each([
    [0.4, 0],
    [0.6, 1],
  ])('transmissive materials if at most half of the light passes: %d', async (factor, expected) => {
    const at = await shadowOf((stage) => {
      const transmission = stage.document.createExtension(X.KHRMaterialsTransmission).createTransmission();
      square(
        stage,
        stage.material().setExtension('KHR_materials_transmission', transmission.setTransmissionFactor(factor))
      );
    });
    expect(at(0, 0)).toBe(expected);
  });

  it('unlit materials', async () => {
    const at = await shadowOf((stage) => {
      const unlit = stage.document.createExtension(X.KHRMaterialsUnlit).createUnlit();
      square(stage, stage.material().setExtension('KHR_materials_unlit', unlit));
    });
    expect(at(0, 0)).toBe(0);
  });
});

describe('surfaces', () => {
  it('seen through others have their shadows, too', async () => {
    const pane = (stage: Stage): void => {
      square(stage);
      const transmission = stage.document.createExtension(X.KHRMaterialsTransmission).createTransmission();
      const glass = stage
        .material()
        .setRoughnessFactor(0)
        .setExtension('KHR_materials_transmission', transmission.setTransmissionFactor(1));
      stage.plate({ middle: [0, 1, 4], u: [3, 0, 0], v: [0, 2, 0] }, glass);
    };
    const at = await shadowOf(pane);
    expect(at(0, 0)).toBeLessThan(0.3);
    expect(at(1.2, 0)).toBeGreaterThan(0.9);
  });

  it('that light passes through are lit from behind, but for shadows', async () => {
    const leaf = (hides: boolean) => (stage: Stage) => {
      const extension = stage.document.createExtension(X.KHRMaterialsDiffuseTransmission);
      const through = extension.createDiffuseTransmission().setDiffuseTransmissionFactor(1);
      const material = stage
        .material()
        .setDoubleSided(true)
        .setExtension('KHR_materials_diffuse_transmission', through);
      // It faces down and stands high, where the camera sees the side that faces away from the light.
      stage.plate({ middle: [0, 4, 0], u: [2, 0, 0], v: [0, 0, 2] }, material).setRotation([-0.2588, 0, 0, 0.9659]);
      if (hides) stage.plate({ middle: [0, 6, 0], u: [0, 0, 4], v: [4, 0, 0] });
    };
    const view: Drawing = { ...VIEW, view: { lookAt: { eye: [0, 1, 10], target: [0, 3.4, 0] } } };
    const middle = async (hides: boolean): Promise<number> => {
      const pixels = await draw(await stageWith(leaf(hides)), view);
      return pixels[4 * ((SIZE / 2) * SIZE + SIZE / 2)];
    };
    expect(await middle(false)).toBeGreaterThan(60);
    expect(await middle(true)).toBe(0);
  });
});

describe('shadow maps', () => {
  const lamps = async (kinds: ('point' | 'directional')[]) => {
    const stage = new Stage();
    stage.plate(FLOOR);
    for (const [i, type] of kinds.entries())
      stage.light(
        type === 'point' ? { type, intensity: 1, position: [i, 2, 0] } : { type, intensity: 0.1, direction: [0, -1, 0] }
      );
    const bytes = await stage.glb();
    return { bytes, scene: flattenScene(await loadModel(bytes)) };
  };

  it('are given to the lights in their order, as long as there are any', async () => {
    const { scene } = await lamps(['point', 'directional', 'point', 'point', 'directional', 'directional']);
    const { views, first, isCube, leftOut } = shadowViews(scene.lights, scene, 256);
    expect([views.length, first, isCube, leftOut]).toEqual([
      15,
      [0, 6, 7, -1, 13, 14],
      [true, false, true, true, false, false],
      1,
    ]);
    expect(views.length).toBeLessThanOrEqual(MAX_SHADOW_MAPS);
    // Outside the model, a light has one map.
    const outside = scene.lights.map((light) => ({
      ...light,
      position: light.position && ([0, 9, 0] as [number, number, number]),
    }));
    expect(shadowViews(outside, scene, 256).first).toEqual([0, 1, 2, 3, 4, 5]);
    // Four maps of 4096² take the bytes that all may take together.
    expect(shadowViews(scene.lights, scene, 4096).first).toEqual([-1, 0, -1, -1, 1, 2]);
  });

  it('do not depend on the moment of an animation', async () => {
    const stage = new Stage();
    stage.plate(FLOOR);
    const node = square(stage);
    const times = stage.accessor('SCALAR', new Float32Array([0, 1]));
    const values = stage.accessor('VEC3', new Float32Array([-3, 2, 0, 5, 3, 0]));
    const sampler = stage.document.createAnimationSampler().setInput(times).setOutput(values);
    const channel = stage.document.createAnimationChannel().setTargetNode(node).setTargetPath('translation');
    stage.document.createAnimation('move').addSampler(sampler).addChannel(channel.setSampler(sampler));
    stage.light({ type: 'directional', intensity: 2, direction: [0, -1, 0] });
    const model = await loadModel(await stage.glb());
    const bounds = [0, 0.3, 0.9].map((time) =>
      animationBounds(model, new ModelBudget(), { moment: { animation: undefined, time } })
    );
    expect(bounds[1]).toEqual(bounds[0]);
    expect(bounds[2]).toEqual(bounds[0]);
    // The plate's farthest corners at the first and the last measured moment are inside.
    const [{ center, radius, floor }] = bounds;
    for (const corner of [
      [-3.5, 2, 0.5],
      [5.5, 3, 0.5],
      [-4, 0, 4],
    ])
      expect(Math.hypot(...corner.map((x, i) => x - center[i]))).toBeLessThan(radius);
    expect(floor).toBe(0);
  });
});
