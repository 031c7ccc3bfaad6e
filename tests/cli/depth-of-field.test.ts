// --aperture and --focus through the built command. What is in focus stays unchanged, the rest spreads as far as with a
// lens, and nothing leaks over sharp edges.
import { afterAll, describe, expect, it } from 'vitest';
import { srgbToLinear } from '../../src/gltf/images/colour';
import { Builder } from '../gltf/build';
import { Workshop } from './program';

const workshop = new Workshop();
afterAll(() => workshop.remove());

const SIZE = 200;
const HALF_HEIGHT = Math.tan(Math.PI / 12);
/** The viewing distance in units of the model, and the model's radius. */
const DISTANCE = 7;
const RADIUS = 3;
interface Square {
  half: number;
  z: number;
  x?: number;
  color: number[];
}

/** Unlit squares that face the camera, in a model within ±2, ±2, ±1. */
function squares(...list: Square[]): Uint8Array {
  const b = new Builder();
  const corners = [-1, 1].flatMap((side) => [0, 1, 2].flatMap(() => [2 * side, 2 * side, side]));
  const meshes = list.map(({ half, z, x = 0 }, material) => ({
    primitives: [
      {
        material,
        indices: b.accessor('SCALAR', Uint8Array.of(0, 1, 2, 0, 2, 3)),
        attributes: {
          POSITION: b.accessor(
            'VEC3',
            Float32Array.of(x - half, -half, z, x + half, -half, z, x + half, half, z, x - half, half, z)
          ),
        },
      },
    ],
  }));
  // Degenerate triangles extend the bounding box of the model.
  meshes.push({
    primitives: [
      {
        material: 0,
        indices: b.accessor('SCALAR', Uint8Array.of(0, 1, 2, 3, 4, 5)),
        attributes: { POSITION: b.accessor('VEC3', Float32Array.from(corners)) },
      },
    ],
  });
  return b.glb({
    extensionsUsed: ['KHR_materials_unlit'],
    meshes,
    scenes: [{ nodes: meshes.map((_, i) => i) }],
    nodes: meshes.map((_, mesh) => ({ mesh })),
    materials: list.map(({ color }) => ({
      pbrMetallicRoughness: { baseColorFactor: [...color, 1] },
      extensions: { KHR_materials_unlit: {} },
    })),
  });
}

async function render(model: Uint8Array, ...words: string[]): Promise<ArrayLike<number>> {
  workshop.write('model.glb', model);
  const { code, err } = await workshop.run(
    'render',
    'model.glb',
    '-s',
    `${SIZE}x${SIZE}`,
    '-c',
    `orbit:0,0,${DISTANCE / RADIUS}`,
    '-b',
    '#000',
    ...words
  );
  expect([code, err.replace(/[\d.]+ s/, '')]).toEqual([0, 'Wrote model.png in .\n']);
  return workshop.picture('model.png').data;
}
const red = (data: ArrayLike<number>, x: number, y = SIZE / 2): number => data[(y * SIZE + x) * 3];
const light = (data: ArrayLike<number>): number =>
  Array.from({ length: SIZE * SIZE }, (_, i) => srgbToLinear(data[i * 3] / 255)).reduce((a, b) => a + b);

/** Diameter of a circle of confusion in pixels, by the lens equation. */
const circle = (diameter: number, focus: number, distance: number): number =>
  ((diameter * Math.abs(distance - focus)) / distance) * (SIZE / (2 * HALF_HEIGHT * focus));

describe('depth of field', () => {
  // The focus that is the default and the one that is not sharp take turns.
  it.each([
    ['1', '7', true],
    ['4', '5', false],
    ['8', '7', true],
  ])('keeps what is in focus unchanged, with %s samples', async (samples, focus, isSharp) => {
    const model = squares({ half: 0.5, z: 0, color: [1, 0.5, 0.25] });
    const sharp = await render(model, '--samples', samples);
    expect(await render(model, '--samples', samples, '--aperture', '0.5')).toEqual(sharp);
    const focused = await render(model, '--samples', samples, '--aperture', '0.5', '--focus', focus);
    expect(Buffer.from(focused as Uint8Array).equals(Buffer.from(sharp as Uint8Array))).toBe(isSharp);
  });

  it.each([
    ['behind', 4.5, 0.4],
    ['far behind', 3.5, 0.35],
    ['before', 9, 0.8],
    ['with all else before', 12, 0.5],
  ])('spreads a point %s the focus as far as a lens does', async (_, focus, aperture) => {
    const model = squares({ half: 0.02, z: 0, color: [1, 1, 1] });
    const sharp = await render(model);
    const blurred = await render(model, '--aperture', String(aperture), '--focus', String(focus));
    const width = (data: ArrayLike<number>): number =>
      Array.from({ length: SIZE }, (__, x) => red(data, x)).filter((value) => value > 6).length;
    const expected = circle(aperture, focus, DISTANCE);
    expect(expected).toBeGreaterThan(8);
    expect(Math.abs(width(blurred) - (expected + width(sharp)))).toBeLessThanOrEqual(2);
    // The light of the point is spread, not lost.
    expect(light(blurred) / light(sharp)).toBeGreaterThan(0.85);
    expect(light(blurred) / light(sharp)).toBeLessThan(1.15);
  });

  it('blurs the background only up to the edge of what is sharp', async () => {
    const model = squares({ half: 1, z: 0, x: -1, color: [0.2, 0, 0] }, { half: 2, z: -0.9, color: [1, 1, 1] });
    const sharp = await render(model, '--samples', '1');
    const blurred = await render(model, '--samples', '1', '--aperture', '2');
    const dark = red(sharp, SIZE / 2 - 5);
    expect(dark).toBeGreaterThan(0);
    const last = Array.from({ length: SIZE }, (_, x) => x).findLast((x) => red(sharp, x) === dark)!;
    expect([last - 8, last].map((x) => red(blurred, x))).toEqual([dark, dark]);
    expect(red(blurred, last + 1)).toBeGreaterThan(200);
  });

  it('shows the blurred edge of the foreground over what is sharp', async () => {
    const model = squares({ half: 2, z: 0, color: [1, 0, 0] }, { half: 1, z: 0.9, x: -1, color: [0, 0, 1] });
    const blurred = await render(model, '--aperture', '1');
    const row = Array.from({ length: SIZE }, (_, x) => red(blurred, x));
    const hidden = row.findLastIndex((value) => value === 0);
    const whole = row.indexOf(255);
    const between = row.slice(hidden, whole);
    expect(Math.abs(between.length - circle(1, DISTANCE, DISTANCE - 0.9))).toBeLessThanOrEqual(3);
    expect(between).toEqual([...between].sort((a, b) => a - b));
  });
});
