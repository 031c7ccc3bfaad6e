// Ambient occlusion and motion against formulas.
import { describe, expect, it } from 'vitest';
import type { Shot } from '../../src/gltf/model';
import { Builder } from '../gltf/build';
import { drawPass } from './kit';

const SIZE = 128;
type Json = Record<string, unknown>;
const QUAD = Uint8Array.of(0, 1, 2, 0, 2, 3);

/** A primitive of one quad. */
const quad = (b: Builder, corners: number[], more: Json = {}): Json => ({
  indices: b.accessor('SCALAR', QUAD),
  attributes: { POSITION: b.accessor('VEC3', Float32Array.from(corners)), ...(more.attributes as Json) },
});

describe('ao', () => {
  const HEIGHT = 1;
  const WIDE = 40;

  /** A floor, and a wall of a height at z = 0 that is nearly endless to both sides. */
  function corner(withWall: boolean): Uint8Array {
    const b = new Builder();
    const floor = quad(b, [-WIDE, 0, 9, WIDE, 0, 9, WIDE, 0, 0, -WIDE, 0, 0]);
    const wall = quad(b, [-WIDE, 0, 0, WIDE, 0, 0, WIDE, HEIGHT, 0, -WIDE, HEIGHT, 0]);
    return b.glb({
      scenes: [{ nodes: [0] }],
      nodes: [{ mesh: 0 }],
      meshes: [{ primitives: withWall ? [floor, wall] : [floor] }],
    });
  }

  const view = { lookAt: { eye: [0, 4, 4] as const, target: [0, 0.4, 0.6] as const } } as unknown as Shot['view'];
  const drawing: Partial<Shot> = { view, width: SIZE, height: SIZE };
  const radius = { occlusionRadius: 5 };

  it('of a floor beside a wall is one minus the form factor of the wall', async () => {
    const { pixels } = await drawPass(corner(true), ['ao'], { ...drawing, ...radius });
    const { pixels: depth } = await drawPass(corner(true), ['depth'], drawing);
    const { pixels: normal } = await drawPass(corner(true), ['normal'], drawing);
    // The camera's axes.
    const back = [0, 3.6, 3.4].map((x) => x / Math.hypot(3.6, 3.4));
    const up = [0, back[2], -back[1]];
    const slope = Math.tan(Math.PI / 12);
    let compared = 0;
    let most = 0;
    for (let y = 0; y < SIZE; y++) {
      const i = y * SIZE + SIZE / 2;
      if (!(normal[3 * i + 1] > 0.9)) continue;
      const ndc = 1 - (y + 0.5) / (SIZE / 2);
      const z = 4 + depth[i] * (up[2] * ndc * slope - back[2]);
      if (z < 0.05 || z > 1.5) continue;
      // A strip that stands on the floor at a distance z (Howell, configuration C-14 in its limit).
      const wanted = 1 - 0.5 * (1 - z / Math.hypot(z, HEIGHT));
      compared++;
      most = Math.max(most, Math.abs(pixels[i] - wanted));
    }
    expect(compared).toBeGreaterThan(20);
    // Places between two steps are not seen.
    expect(most).toBeLessThan(0.07);
  });

  it('of an open floor is 1, and so is the background', async () => {
    const { pixels } = await drawPass(corner(false), ['ao'], { ...drawing, ...radius });
    // At the edges of the picture, the mean is over fewer pixels.
    expect(Math.min(...pixels)).toBeGreaterThan(0.98);
    const values = Array.from(pixels);
    expect(values.reduce((sum, value) => sum + value, 0) / values.length).toBeGreaterThan(0.995);
  });

  it('is not affected by what is farther away than its radius', async () => {
    const { pixels } = await drawPass(corner(true), ['ao'], { ...drawing, occlusionRadius: 0.05 });
    const { pixels: wide } = await drawPass(corner(true), ['ao'], { ...drawing, ...radius });
    const hidden = (values: ArrayLike<number>): number => Array.from(values).filter((value) => value < 0.8).length;
    expect(hidden(wide)).toBeGreaterThan(1000);
    expect(hidden(pixels)).toBeLessThan(0.2 * hidden(wide));
  });
});

describe('motion', () => {
  const EYE = 5;
  const front: Partial<Shot> = { view: { lookAt: { eye: [0, 0, EYE], target: [0, 0, 0] } }, width: 64, height: 64 };
  /** Pixels per unit at z = 0. */
  const SCALE = 32 / (EYE * Math.tan(Math.PI / 12));
  const corners = [-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0];
  const moment = (time: number): Partial<Shot> => ({ choice: { moment: { animation: undefined, time } } });

  /** Compares the motion of the pixels of a quad with that of their places. */
  async function compare(model: Uint8Array, move: (x: number, y: number) => [number, number]): Promise<number> {
    const { pixels } = await drawPass(model, ['motion'], { ...front, ...moment(0) }, moment(0.1));
    let covered = 0;
    for (let y = 0; y < 64; y++)
      for (let x = 0; x < 64; x++) {
        const at = 3 * (y * 64 + x);
        if (pixels[at + 2] === 0) {
          expect([pixels[at], pixels[at + 1]]).toEqual([0, 0]);
          continue;
        }
        covered++;
        const [px, py] = [(x + 0.5 - 32) / SCALE, (32 - y - 0.5) / SCALE];
        const [nx, ny] = move(px, py);
        expect(Math.abs(pixels[at] - (nx - px) * SCALE)).toBeLessThan(1e-3);
        expect(Math.abs(pixels[at + 1] - (py - ny) * SCALE)).toBeLessThan(1e-3);
      }
    return covered;
  }

  /** An animation of a property from one value to another in one second. */
  function animated(b: Builder, path: string, type: string, values: number[], node = 0): Json {
    const input = b.accessor('SCALAR', Float32Array.of(0, 1));
    const output = b.accessor(type, Float32Array.from(values));
    return { samplers: [{ input, output }], channels: [{ sampler: 0, target: { node, path } }] };
  }
  const turned = (degrees: number): number[] => {
    const half = (degrees * Math.PI) / 360;
    return [0, 0, Math.sin(half), Math.cos(half)];
  };
  const rotate =
    (degrees: number) =>
    (x: number, y: number): [number, number] => {
      const [s, c] = [Math.sin((degrees * Math.PI) / 180), Math.cos((degrees * Math.PI) / 180)];
      return [c * x - s * y, s * x + c * y];
    };

  it('of a node that turns is that of its matrices', async () => {
    const b = new Builder();
    const mesh = { primitives: [quad(b, corners)] };
    const animation = animated(b, 'rotation', 'VEC4', [...turned(0), ...turned(90)]);
    const model = b.glb({ scenes: [{ nodes: [0] }], nodes: [{ mesh: 0 }], meshes: [mesh], animations: [animation] });
    expect(await compare(model, rotate(9))).toBeGreaterThan(1500);
  });

  it('of a skin is that of its joints', async () => {
    const b = new Builder();
    const zeros = new Uint8Array(16);
    const attributes = {
      JOINTS_0: b.accessor('VEC4', zeros),
      WEIGHTS_0: b.accessor('VEC4', Float32Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0)),
    };
    const mesh = { primitives: [quad(b, corners, { attributes })] };
    const animation = animated(b, 'rotation', 'VEC4', [...turned(0), ...turned(90)], 1);
    const model = b.glb({
      scenes: [{ nodes: [0, 1] }],
      nodes: [{ mesh: 0, skin: 0 }, {}],
      skins: [{ joints: [1] }],
      meshes: [mesh],
      animations: [animation],
    });
    expect(await compare(model, rotate(9))).toBeGreaterThan(1500);
  });

  it('of morph targets is that of their weights', async () => {
    const b = new Builder();
    const targets = [{ POSITION: b.accessor('VEC3', Float32Array.of(1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0)) }];
    const mesh = { primitives: [{ ...quad(b, corners), targets }], weights: [0] };
    const animation = animated(b, 'weights', 'SCALAR', [0, 1]);
    const model = b.glb({ scenes: [{ nodes: [0] }], nodes: [{ mesh: 0 }], meshes: [mesh], animations: [animation] });
    expect(await compare(model, (x, y) => [x + 0.1, y])).toBeGreaterThan(1500);
  });

  it('of instances is that of their node', async () => {
    const b = new Builder();
    const mesh = {
      primitives: [
        quad(
          b,
          corners.map((x) => x / 2)
        ),
      ],
    };
    const TRANSLATION = b.accessor('VEC3', Float32Array.of(-0.6, 0, 0, 0.6, 0, 0));
    const animation = animated(b, 'translation', 'VEC3', [0, 0, 0, 0, 2, 0]);
    const model = b.glb({
      extensionsUsed: ['EXT_mesh_gpu_instancing'],
      scenes: [{ nodes: [0] }],
      nodes: [{ mesh: 0, extensions: { EXT_mesh_gpu_instancing: { attributes: { TRANSLATION } } } }],
      meshes: [mesh],
      animations: [animation],
    });
    expect(await compare(model, (x, y) => [x, y + 0.2])).toBeGreaterThan(1000);
  });

  it('of lines and points is that of their places', async () => {
    const b = new Builder();
    const POSITION = b.accessor('VEC3', Float32Array.of(-0.8, 0, 0, 0.8, 0, 0));
    const primitives = [
      { mode: 1, attributes: { POSITION } },
      { mode: 0, attributes: { POSITION } },
    ];
    const animation = animated(b, 'translation', 'VEC3', [0, 0, 0, 1, 0, 0]);
    const model = b.glb({
      scenes: [{ nodes: [0] }],
      nodes: [{ mesh: 0 }],
      meshes: [{ primitives }],
      animations: [animation],
    });
    const drawing = { ...front, ...moment(0), lineWidth: 3, pointSize: 9 };
    const { pixels } = await drawPass(model, ['motion'], drawing, { ...moment(0.1), lineWidth: 3, pointSize: 9 });
    let covered = 0;
    for (let at = 0; at < pixels.length; at += 3) {
      if (pixels[at + 2] === 0) continue;
      covered++;
      expect(Math.abs(pixels[at] - 0.1 * SCALE)).toBeLessThan(1e-3);
      expect(Math.abs(pixels[at + 1])).toBeLessThan(1e-3);
    }
    expect(covered).toBeGreaterThan(150);
  });
});
