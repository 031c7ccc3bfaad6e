// The ground's contact shadow, beside the share of the sky that rays find hidden.
import * as X from '@gltf-transform/extensions';
import { describe, expect, it } from 'vitest';
import { LINEAR16, SRGB8 } from '../../src/gltf/images/colour';
import { DEFAULT_LIGHT } from '../../src/gltf/light/settings';
import { DEFAULT_PROJECTION } from '../../src/gltf/scene/camera';
import { draw, type Drawing } from './kit';
import { isHidden, Stage, type Plate, type Point } from './stage';

const SIZE = 128;
/** Half the width of the picture in world units. */
const HALF = 4;
/** Alpha of the ground where it sees nothing of the sky. */
const DARKEST = 0.8;
const SLOPE = 4 / Math.hypot(10, 4);

const GROUND: Drawing = {
  width: SIZE,
  height: SIZE,
  view: { lookAt: { eye: [0, 4, 10], target: [0, 0, 0] } },
  projection: {
    ...DEFAULT_PROJECTION,
    orthographic: true,
    fieldOfView: (Math.atan(HALF / Math.hypot(10, 4)) * 360) / Math.PI,
  },
  light: { ...DEFAULT_LIGHT, ground: true },
  background: [0, 0, 0, 0],
};

/** Index of the pixel that shows a place of the ground. */
const pixelOf = (x: number, z: number): number =>
  4 * (Math.floor(((z * SLOPE) / HALF / 2 + 0.5) * SIZE) * SIZE + Math.floor((x / HALF / 2 + 0.5) * SIZE));

/** Share of the sky's light that plates keep from a place of the ground, by rays. */
function hiddenShare(x: number, z: number, plates: readonly Plate[]): number {
  const count = 20_000;
  let hidden = 0;
  for (let i = 0; i < count; i++) {
    const square = (i + 0.5) / count;
    const [sine, angle] = [Math.sqrt(square), i * 2.399963229728653];
    const up = Math.sqrt(1 - square);
    const direction: Point = [-sine * Math.cos(angle), -up, -sine * Math.sin(angle)];
    const light = { type: 'directional', intensity: 1, direction } as const;
    if (plates.some((plate) => isHidden([x, 0, z], light, plate))) hidden++;
  }
  return hidden / count;
}

/** A box that stands on the ground or hangs above it, as six plates. */
function box([x, y, z]: Point, [w, h, d]: Point): Plate[] {
  return [1, -1].flatMap((side): Plate[] => [
    { middle: [x + side * w, y, z], u: [0, h, 0], v: [0, 0, side * d] },
    { middle: [x, y + side * h, z], u: [0, 0, d], v: [side * w, 0, 0] },
    { middle: [x, y, z + side * d], u: [w, 0, 0], v: [0, side * h, 0] },
  ]);
}

/** A speck on the ground, which says where it is. */
const SPECK: Plate = { middle: [-1.9, 0, -1.9], u: [0, 0, 0.01], v: [0.01, 0, 0] };

const modelOf = (plates: readonly Plate[]): Promise<Uint8Array> => {
  const stage = new Stage();
  for (const plate of plates) stage.plate(plate);
  return stage.glb();
};

describe('the ground', () => {
  it.each<[string, Plate[], [x: number, z: number][]]>([
    [
      'a plate that floats',
      [SPECK, { middle: [0, 1, 0], u: [0, 0, 1], v: [1, 0, 0] }],
      [
        [0, 0.3],
        [0.5, 0.5],
        [0.9, 1],
        [-0.7, 1.3],
        [1.3, 0.6],
      ],
    ],
    [
      'a box that stands',
      box([0, 0.6, 0], [0.6, 0.6, 0.6]),
      [
        [0, 0.8],
        [0.3, 0.9],
        [0.85, 0.2],
        [-0.9, 0.4],
      ],
    ],
    [
      'a table',
      [
        ...box([0, 1, 0], [1.2, 0.05, 0.8]),
        ...[-1, 1].flatMap((x) => [-0.6, 0.6].flatMap((z) => box([x, 0.5, z], [0.08, 0.5, 0.08]))),
      ],
      [
        [0, 0.3],
        [0.6, 0.3],
        [0, 0.9],
        [-0.5, 1.2],
      ],
    ],
  ])('below %s hides as much of the sky', async (_, plates, places) => {
    const pixels = await draw(await modelOf(plates), GROUND);
    for (const [x, z] of places) {
      const expected = hiddenShare(x, z, plates);
      expect(expected).toBeGreaterThan(0.1);
      const at = pixelOf(x, z);
      expect([...pixels.subarray(at, at + 3)]).toEqual([0, 0, 0]);
      // The share is averaged over eight texels of about a twentieth of a unit, and drawn with 16 rays for each.
      expect(Math.abs(pixels[at + 3] / 255 / DARKEST - expected), `${x}, ${z}: ${expected}`).toBeLessThan(0.06);
    }
  });

  it('darkens the background in linear light', async () => {
    const model = await modelOf(box([0, 0.6, 0], [0.6, 0.6, 0.6]));
    const onNothing = await draw(model, GROUND);
    const onGrey = await draw(model, { ...GROUND, background: [207, 210, 215, 255] });
    for (const [x, z] of [
      [0, 0.9],
      [1, 0],
      [-1.2, 0.5],
    ]) {
      const at = pixelOf(x, z);
      const alpha = onNothing[at + 3] / 255;
      const expected = SRGB8[Math.round(LINEAR16[210] * (1 - alpha))];
      expect(alpha).toBeGreaterThan(0.02);
      expect(Math.abs(onGrey[at + 1] - expected)).toBeLessThanOrEqual(1);
      expect(onGrey[at + 3]).toBe(255);
    }
  });

  it('ends softly, and is seen from above only', async () => {
    const model = await modelOf(box([0, 0.6, 0], [0.6, 0.6, 0.6]));
    const pixels = await draw(model, GROUND);
    const alphas = [0.8, 1.2, 1.6, 2.2, 3].map((x) => pixels[pixelOf(x, 0) + 3]);
    expect(alphas).toEqual([...alphas].sort((a, b) => b - a));
    expect(alphas[0]).toBeGreaterThan(20);
    expect(alphas[4]).toBe(0);
    const below: Drawing = { ...GROUND, view: { lookAt: { eye: [0, -4, 10], target: [0, 0, 0] } } };
    const without = await draw(model, { ...below, light: DEFAULT_LIGHT });
    expect(await draw(model, below)).toEqual(without);
  });

  it('does not move the camera, nor change the model', async () => {
    const model = await modelOf(box([0, 0.6, 0], [0.6, 0.6, 0.6]));
    const fitted: Drawing = { ...GROUND, view: undefined, projection: undefined, background: [9, 9, 9, 255] };
    const plain = await draw(model, { ...clean(fitted), light: DEFAULT_LIGHT });
    const pixels = await draw(model, clean(fitted));
    let changed = 0;
    for (let i = 0; i < plain.length; i += 4) {
      if (plain[i] === 9) continue;
      if (pixels[i] !== plain[i]) changed++;
    }
    expect(changed).toBeLessThan(10);
  });

  it('is seen through glass, and hidden by blended surfaces in front of it', async () => {
    const withPane = async (build: (stage: Stage) => ReturnType<Stage['material']>, light: Drawing['light']) => {
      const stage = new Stage();
      for (const plate of box([0, 0.6, 0], [0.6, 0.6, 0.6])) stage.plate(plate);
      stage.plate({ middle: [0, 1, 3], u: [2, 0, 0], v: [0, 1, 0] }, build(stage));
      const pixels = await draw(await stage.glb(), { ...GROUND, light, background: [150, 150, 150, 255] });
      return pixels[pixelOf(0, 0.75) + 1];
    };
    const glass = (stage: Stage) => {
      const transmission = stage.document.createExtension(X.KHRMaterialsTransmission).createTransmission();
      return stage
        .material()
        .setRoughnessFactor(0)
        .setExtension('KHR_materials_transmission', transmission.setTransmissionFactor(1));
    };
    expect(await withPane(glass, GROUND.light)).toBeLessThan((await withPane(glass, DEFAULT_LIGHT)) - 10);
    const veil = (alpha: number) => (stage: Stage) =>
      stage
        .material()
        .setAlphaMode('BLEND')
        .setBaseColorFactor([0, 1, 0, alpha])
        .setExtension('KHR_materials_unlit', stage.document.createExtension(X.KHRMaterialsUnlit).createUnlit());
    expect(await withPane(veil(0.99), GROUND.light)).toBeGreaterThan(250);
    expect(await withPane(veil(0.2), GROUND.light)).toBeLessThan((await withPane(veil(0.2), DEFAULT_LIGHT)) - 10);
  });
});

/** Without members that are undefined. */
function clean<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)) as T;
}
