// Shadows of the file's lights, where geometry puts them. The studio is black, so that shadows are black as well.
import { describe, expect, it } from 'vitest';
import { DEFAULT_LIGHT } from '../../src/gltf/light/settings';
import { DEFAULT_PROJECTION } from '../../src/gltf/scene/camera';
import { draw, type Drawing } from './kit';
import { isHidden, Stage, type LightSpec, type Plate, type Point } from './stage';

const SIZE = 160;
/** Half the width of the floor, and of the picture from above. */
const HALF = 4;
const FLOOR: Plate = { middle: [0, 0, 0], u: [0, 0, HALF], v: [HALF, 0, 0] };
const ROOF: Plate = { middle: [0, 2, 0], u: [0, 0, 0.5], v: [0.7, 0, 0] };

/** The floor from straight above: x grows to the right, and z downwards. */
const FROM_ABOVE: Drawing = {
  width: SIZE,
  height: SIZE,
  view: { lookAt: { eye: [0, 10, 0], target: [0, 0, 0] } },
  projection: { ...DEFAULT_PROJECTION, orthographic: true, fieldOfView: (Math.atan(HALF / 10) * 360) / Math.PI },
  lit: false,
};
const drawn = (model: Uint8Array, shadowSize: number | undefined = 1024, more: Drawing = {}): Promise<Uint8Array> =>
  draw(model, { ...FROM_ABOVE, light: { ...DEFAULT_LIGHT, shadowSize }, ...more });

const floorPoint = (x: number, y: number): Point => [
  ((x + 0.5) / SIZE - 0.5) * 2 * HALF,
  0,
  ((y + 0.5) / SIZE - 0.5) * 2 * HALF,
];
/** Whether the picture shows the roof at a place of the floor. */
const isRoof = ([x, , z]: Point): boolean => Math.abs(x) < 0.75 && Math.abs(z) < 0.55;

/** Ways around a point, for what is near an edge. */
const AROUND = Array.from({ length: 16 }, (_, i) => [Math.cos((i * Math.PI) / 8), Math.sin((i * Math.PI) / 8)]);

/**
 * Compares a picture from above with the shadow by calculation. Within `soft` units of an edge, anything between black
 * and lit will do. Returns the number of black pixels that were compared.
 */
function expectShadow(
  [shadowed, plain]: readonly [Uint8Array, Uint8Array],
  hidden: (point: Point) => boolean,
  soft: number
): number {
  let black = 0;
  let compared = 0;
  for (let y = 0; y < SIZE; y++)
    for (let x = 0; x < SIZE; x++) {
      const point = floorPoint(x, y);
      if (isRoof(point)) continue;
      const inside = hidden(point);
      if (AROUND.some(([u, w]) => hidden([point[0] + soft * u, 0, point[2] + soft * w]) !== inside)) continue;
      compared++;
      if (inside) black++;
      const at = 4 * (y * SIZE + x);
      const expected = inside ? 0 : plain[at];
      if (Math.abs(shadowed[at] - expected) > 1)
        expect.fail(`at (${point.join(', ')}), ${shadowed[at]} instead of ${expected}`);
    }
  expect(compared).toBeGreaterThan(0.8 * SIZE * SIZE);
  return black;
}

const LIGHTS: Record<string, LightSpec> = {
  'a directional light': { type: 'directional', intensity: 2, direction: [1, -1.2, 0.3] },
  'a steep directional light': { type: 'directional', intensity: 2, direction: [0.4, -1, -0.6] },
  'a spot': { type: 'spot', intensity: 60, position: [-2, 5, 1], direction: [2.5, -5, -1], inner: 0.6, outer: 0.7 },
  'a wide spot': { type: 'spot', intensity: 60, position: [-1.5, 4, 1], direction: [0, -1, 0], inner: 1.3, outer: 1.5 },
  'a point light': { type: 'point', intensity: 60, position: [-1.5, 4, 1] },
  'a point light outside the model': { type: 'point', intensity: 900, position: [-5, 14, 3] },
  'a wide spot outside the model': {
    type: 'spot',
    intensity: 900,
    position: [5, 12, 3],
    direction: [-5, -12, -3],
    inner: 1.2,
    outer: 1.5,
  },
  'a point light that is far away': { type: 'point', intensity: 5e12, position: [-4e5, 1e6, 2e5] },
  'a point light beside the roof': { type: 'point', intensity: 30, position: [1.2, 3, -0.8] },
};

describe('the shadow of a plate', () => {
  it.each(Object.entries(LIGHTS))('in %s is where the rays put it', async (_, light) => {
    const stage = new Stage();
    stage.plate(FLOOR);
    stage.plate(ROOF);
    stage.light(light);
    const model = await stage.glb();
    const pictures = [await drawn(model), await drawn(model, undefined)] as const;
    // Texels are at most 0.02 wide. An edge is soft by 3 of them, and as far aside as the offset along the normal.
    const black = expectShadow(pictures, (point) => isHidden(point, light, ROOF), 0.12);
    expect(black).toBeGreaterThan(250);
  });

  it('gets sharper in larger maps', async () => {
    const stage = new Stage();
    stage.plate(FLOOR);
    stage.plate(ROOF);
    stage.light(LIGHTS['a directional light']);
    const model = await stage.glb();
    const plain = await drawn(model, undefined);
    const softPixels = async (size: number): Promise<number> => {
      const pixels = await drawn(model, size);
      return Array.from({ length: SIZE * SIZE }, (_, i) => pixels[4 * i]).filter(
        (value, i) => value > 4 && value < plain[4 * i] - 4
      ).length;
    };
    const [coarse, middle, fine] = [await softPixels(64), await softPixels(256), await softPixels(2048)];
    expect(coarse).toBeGreaterThan(2.5 * middle);
    expect(middle).toBeGreaterThan(1.5 * fine);
  });
});

describe('surfaces without anything between them and a light', () => {
  it.each(Object.entries(LIGHTS))('are as bright with shadows: %s', async (_, light) => {
    const stage = new Stage();
    stage.plate(FLOOR);
    // A ramp and a wall, which lie obliquely in every map.
    stage.plate({ middle: [-2.5, 0.6, 2.5], u: [0, 0, 1], v: [1, 0.5, 0] });
    stage.light(light);
    const model = await stage.glb();
    const [shadowed, plain] = [await drawn(model, 256), await drawn(model, undefined)];
    const ramp: Plate = { middle: [-2.5, 0.6, 2.5], u: [0, 0, 1], v: [1, 0.5, 0] };
    let worst = 0;
    for (let y = 0; y < SIZE; y++)
      for (let x = 0; x < SIZE; x++) {
        const point = floorPoint(x, y);
        const isNear = AROUND.some(([u, w]) => isHidden([point[0] + 0.4 * u, 0, point[2] + 0.4 * w], light, ramp));
        const onRamp = Math.abs(point[0] + 2.5) < 1.1 && Math.abs(point[2] - 2.5) < 1.1;
        const isInside = Math.abs(point[0] + 2.5) < 0.9 && Math.abs(point[2] - 2.5) < 0.9;
        if (onRamp ? !isInside : isNear) continue;
        worst = Math.max(worst, plain[4 * (y * SIZE + x)] - shadowed[4 * (y * SIZE + x)]);
      }
    expect(worst).toBeLessThanOrEqual(1);
  });
});

describe('a point light', () => {
  it('casts shadows to all six sides', async () => {
    const axes: Point[] = [
      [1, 0, 0],
      [0, 1, 0],
      [0, 0, 1],
    ];
    const stage = new Stage();
    const along = (axis: Point, length: number): Point => axis.map((x) => x * length) as unknown as Point;
    axes.forEach((axis, i) => {
      const [u, v] = [axes[(i + 1) % 3], axes[(i + 2) % 3]];
      for (const side of [1, -1]) {
        // Walls face inwards, so that the camera looks through the nearer one.
        stage.plate({ middle: along(axis, 3 * side), u: along(u, 3), v: along(v, -3 * side) });
        stage.plate({ middle: along(axis, side), u: along(u, 0.3), v: along(v, -0.3 * side) });
      }
    });
    stage.light({ type: 'point', intensity: 40, position: [0, 0, 0] });
    const model = await stage.glb();
    for (const axis of axes)
      for (const side of [1, -1]) {
        const eye = along(axis, 8 * side);
        const tilted: Point = [eye[0] + 0.001, eye[1] + 0.001, eye[2]];
        const projection = { ...FROM_ABOVE.projection!, fieldOfView: (Math.atan(3 / 8) * 360) / Math.PI };
        const view = { lookAt: { eye: [...tilted], target: [0, 0, 0] } } as Drawing['view'];
        const pixels = await drawn(model, 512, { view, projection });
        const lit = (x: number, y: number): boolean =>
          pixels[4 * (Math.floor((y / 6 + 0.5) * SIZE) * SIZE + Math.floor((x / 6 + 0.5) * SIZE))] > 30;
        // The shadow of a plate at a third of the way is three times as large: from −0.9 to 0.9.
        for (const [x, y] of AROUND) {
          const square = 1 / Math.max(Math.abs(x), Math.abs(y));
          expect([eye, x, y, lit(0.78 * x * square, 0.78 * y * square)]).toEqual([eye, x, y, false]);
          expect([eye, x, y, lit(1.04 * x * square, 1.04 * y * square)]).toEqual([eye, x, y, true]);
        }
      }
  });
});
