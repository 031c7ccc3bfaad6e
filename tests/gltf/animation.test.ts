// Poses of animations compared with the specification's formulas (glTF 2.0, appendix C) in double precision.
import { describe, expect, it } from 'vitest';
import { loadModel } from '../../src/gltf/files/load';
import { listAnimations, poseAt, slerp } from '../../src/gltf/scene/animation';
import { flattenScene } from '../../src/gltf/scene/scene';
import { Builder, oneMesh, TRIANGLE } from './build';

type Quaternion = [number, number, number, number];
const dot = (a: readonly number[], b: readonly number[]): number => a.reduce((sum, x, i) => sum + x * b[i], 0);

/** The shorter arc by trigonometry. */
function arc(a: Quaternion, b: Quaternion, t: number): number[] {
  const d = dot(a, b);
  const angle = Math.acos(Math.min(1, Math.abs(d)));
  if (angle < 1e-9) return [...a];
  const sign = d < 0 ? -1 : 1;
  return a.map((x, i) => (Math.sin((1 - t) * angle) * x + sign * Math.sin(t * angle) * b[i]) / Math.sin(angle));
}
const around = (degrees: number, x = 0, y = 0, z = 1): Quaternion => {
  const half = (degrees * Math.PI) / 360;
  return [x * Math.sin(half), y * Math.sin(half), z * Math.sin(half), Math.cos(half)];
};

function expectClose(actual: readonly number[], expected: readonly number[], tolerance = 1e-6): void {
  expect(actual).toHaveLength(expected.length);
  actual.forEach((x, i) => expect(Math.abs(x - expected[i]), `${actual} for ${expected}`).toBeLessThan(tolerance));
}

describe('slerp', () => {
  it('follows the arc', () => {
    for (const degrees of [0.001, 1, 45, 90, 179, 180, 181, 270, 359])
      for (const t of [0, 0.001, 0.25, 0.5, 0.7, 0.999, 1])
        expectClose(slerp(around(10), around(10 + degrees), t), arc(around(10), around(10 + degrees), t), 1e-9);
  });

  it('has its ends', () => {
    const [a, b] = [around(20, 1, 0, 0), around(100, 0, 1, 0)];
    expectClose(slerp(a, b, 0), a, 1e-11);
    expectClose(slerp(a, b, 1), b, 1e-11);
  });

  it('takes the shorter way, and stays for equal and opposite quaternions', () => {
    const a = around(30);
    const opposite = a.map((x) => -x) as Quaternion;
    for (const t of [0, 0.3, 0.5, 1]) {
      expectClose(slerp(a, a, t), a, 1e-11);
      expectClose(slerp(a, opposite, t), a, 1e-11);
    }
  });

  it('gives a rotation for half a turn and for zeros', () => {
    for (const t of [0, 0.3, 0.5, 1])
      for (const [a, b] of [
        [around(0), around(360)],
        [around(0, 1, 0, 0), around(180, 0, 1, 0)],
        [[0, 0, 0, 0] as Quaternion, around(90)],
      ])
        expect(Math.hypot(...slerp(a, b, t))).toBeCloseTo(1, 11);
  });
});

type Json = Record<string, unknown>;

/** A triangle whose node has animations; each is a list of channels. */
function animated(
  tracks: {
    path: string;
    times: number[];
    values: number[];
    interpolation?: string;
    pointer?: string;
    type?: string;
  }[],
  more: Json = {}
): Uint8Array {
  return oneMesh((b) => {
    const samplers: Json[] = [];
    const channels: Json[] = [];
    for (const { path, times, values, interpolation, pointer, type } of tracks) {
      const input = b.accessor('SCALAR', new Float32Array(times));
      const output = b.accessor(
        type ?? (path === 'rotation' ? 'VEC4' : path === 'weights' ? 'SCALAR' : 'VEC3'),
        new Float32Array(values)
      );
      samplers.push({ input, output, ...(interpolation ? { interpolation } : {}) });
      channels.push({
        sampler: samplers.length - 1,
        target: pointer ? { path: 'pointer', extensions: { KHR_animation_pointer: { pointer } } } : { node: 0, path },
      });
    }
    (b.json as Json).animations = [{ name: 'move', samplers, channels }];
    return { attributes: { POSITION: b.accessor('VEC3', TRIANGLE) } };
  }, more);
}

async function pose(bytes: Uint8Array, time: number, warnings: string[] = []) {
  const warn = (sentence: string): void => void warnings.push(sentence);
  return poseAt(await loadModel(bytes), { animation: undefined, time }, warn).nodes.get(0);
}

const TIMES = [0.5, 1, 2.5];
const POINTS = [0, 0, 0, 1, 2, 3, -4, 5, 6];

describe('poses', () => {
  it('of linear tracks', async () => {
    const bytes = animated([{ path: 'translation', times: TIMES, values: POINTS }]);
    expectClose((await pose(bytes, 0))!.translation!, [0, 0, 0]);
    expectClose((await pose(bytes, 0.75))!.translation!, [0.5, 1, 1.5]);
    expectClose((await pose(bytes, 1))!.translation!, [1, 2, 3]);
    expectClose((await pose(bytes, 1.3))!.translation!, [0, 2.6, 3.6]);
    expectClose((await pose(bytes, 2.5))!.translation!, [-4, 5, 6]);
  });

  it('of steps', async () => {
    const bytes = animated([{ path: 'scale', times: TIMES, values: POINTS, interpolation: 'STEP' }]);
    for (const [time, expected] of [
      [0, [0, 0, 0]],
      [0.99, [0, 0, 0]],
      [1, [1, 2, 3]],
      [2.49, [1, 2, 3]],
      [2.5, [-4, 5, 6]],
    ] as const)
      expect((await pose(bytes, time))!.scale).toEqual(expected);
  });

  it('of cubic splines', async () => {
    const numbers = Array.from({ length: 27 }, (_, i) => Math.sin(i * 3.7) * 2);
    const bytes = animated([{ path: 'translation', times: TIMES, values: numbers, interpolation: 'CUBICSPLINE' }]);
    const part = (key: number, kind: number) => numbers.slice(9 * key + 3 * kind, 9 * key + 3 * kind + 3);
    for (const [key, time] of [
      [0, 0.5],
      [0, 0.7],
      [1, 1],
      [1, 1.9],
    ]) {
      const span = TIMES[key + 1] - TIMES[key];
      const t = (time - TIMES[key]) / span;
      const expected = [0, 1, 2].map(
        (c) =>
          (2 * t ** 3 - 3 * t ** 2 + 1) * part(key, 1)[c]
          + span * (t ** 3 - 2 * t ** 2 + t) * part(key, 2)[c]
          + (-2 * t ** 3 + 3 * t ** 2) * part(key + 1, 1)[c]
          + span * (t ** 3 - t ** 2) * part(key + 1, 0)[c]
      );
      expectClose((await pose(bytes, time))!.translation!, expected);
    }
    expectClose((await pose(bytes, 0))!.translation!, part(0, 1));
    expectClose((await pose(bytes, 2.5))!.translation!, part(2, 1));
  });

  it('of rotations', async () => {
    const [a, b] = [around(20, 1, 0, 0), around(170, 0, 0, 1)];
    const linear = animated([{ path: 'rotation', times: [0, 2], values: [...a, ...b] }]);
    for (const time of [0, 0.5, 1, 1.7, 2])
      expectClose((await pose(linear, time))!.rotation!, arc(a, b, time / 2), 1e-6);
    const zeros = [0, 0, 0, 0];
    const spline = animated([
      {
        path: 'rotation',
        times: [0, 2],
        values: [...zeros, ...a, ...zeros, ...zeros, ...b, ...zeros],
        interpolation: 'CUBICSPLINE',
      },
    ]);
    const half = a.map((x, i) => (x + b[i]) / 2);
    expectClose(
      (await pose(spline, 1))!.rotation!,
      half.map((x) => x / Math.hypot(...half))
    );
  });

  it('of normalised integers', async () => {
    const bytes = oneMesh((b) => {
      const input = b.accessor('SCALAR', new Float32Array([0, 1]));
      const output = b.accessor('VEC4', new Int16Array([0, 0, 0, 32767, 0, 0, 32767, 0]), { normalized: true });
      (b.json as Json).animations = [
        { samplers: [{ input, output }], channels: [{ sampler: 0, target: { node: 0, path: 'rotation' } }] },
      ];
      return { attributes: { POSITION: b.accessor('VEC3', TRIANGLE) } };
    });
    expectClose((await pose(bytes, 0.5))!.rotation!, around(90));
  });

  it('begin again after the end', async () => {
    const bytes = animated([{ path: 'translation', times: TIMES, values: POINTS }]);
    expectClose((await pose(bytes, 2.5 + 0.75))!.translation!, [0.5, 1, 1.5]);
    expect(listAnimations(await loadModel(bytes))).toEqual([{ name: 'move', duration: 2.5 }]);
  });

  it('of a single moment', async () => {
    const bytes = animated([{ path: 'translation', times: [0], values: [1, 2, 3] }]);
    for (const time of [0, 3]) expect((await pose(bytes, time))!.translation).toEqual([1, 2, 3]);
  });

  it('of pointers to properties of nodes', async () => {
    const warnings: string[] = [];
    const bytes = animated([
      { path: '', pointer: '/nodes/0/translation', times: [0, 1], values: [0, 0, 0, 2, 0, 0] },
      { path: '', pointer: '/nodes/0/rotation', type: 'VEC4', times: [0, 1], values: [...around(0), ...around(90)] },
      {
        path: '',
        pointer: '/nodes/0/extensions/KHR_node_visibility/visible',
        type: 'SCALAR',
        interpolation: 'STEP',
        times: [0, 1],
        values: [1, 0],
      },
      { path: '', pointer: '/materials/0/alphaCutoff', type: 'SCALAR', times: [0, 1], values: [1, 0] },
    ]);
    const at = (await pose(bytes, 0.5, warnings))!;
    expectClose(at.translation!, [1, 0, 0]);
    expectClose(at.rotation!, around(45));
    expect(at.visible).toBe(true);
    expect(warnings).toEqual([
      'The animation of "/materials/0/alphaCutoff" is left out; the model has no such property, or it is not drawn.',
    ]);
    expect((await pose(bytes, 1))!.visible).toBe(false);
  });

  it('move draws, and keep what they do not move', async () => {
    const bytes = animated([{ path: 'translation', times: [0, 1], values: [0, 0, 0, 2, 0, 0] }], {
      nodes: [{ mesh: 0, scale: [3, 3, 3] }],
    });
    const scene = flattenScene(await loadModel(bytes), undefined, { moment: { animation: 'move', time: 0.5 } });
    expect(scene.draws[0].matrix).toEqual([3, 0, 0, 0, 0, 3, 0, 0, 0, 0, 3, 0, 1, 0, 0, 1]);
  });

  it('keep the shear of a matrix if only weights move', async () => {
    const sheared = [1, 0, 0, 0, 0.5, 1, 0, 0, 0, 0, 1, 0, 4, 0, 0, 1];
    const builder = new Builder();
    const position = builder.accessor('VEC3', TRIANGLE);
    const target = builder.accessor('VEC3', new Float32Array(9).fill(1));
    const input = builder.accessor('SCALAR', new Float32Array([0, 1]));
    const output = builder.accessor('SCALAR', new Float32Array([0, 1]));
    const bytes = builder.glb({
      scenes: [{ nodes: [0] }],
      nodes: [{ mesh: 0, matrix: sheared }],
      meshes: [{ primitives: [{ attributes: { POSITION: position }, targets: [{ POSITION: target }] }] }],
      animations: [{ samplers: [{ input, output }], channels: [{ sampler: 0, target: { node: 0, path: 'weights' } }] }],
    });
    const scene = flattenScene(await loadModel(bytes), undefined, { moment: { animation: undefined, time: 0.25 } });
    expect(scene.draws[0].matrix).toEqual(sheared);
    expect([...scene.draws[0].geometry.positions]).toEqual([...TRIANGLE].map((x) => x + 0.25));
  });

  it('are refused if there is no such animation, or if its numbers do not fit', async () => {
    const model = await loadModel(animated([{ path: 'translation', times: TIMES, values: POINTS }]));
    const ask = (animation: string) => () => poseAt(model, { animation, time: 0 }, () => undefined);
    expect(ask('run')).toThrow('The model has no animation "run"; it has 0 ("move").');
    expect(ask('0')).not.toThrow();
    const damaged = animated([{ path: 'translation', times: TIMES, values: [...POINTS, 1, 2, 3] }]);
    await expect(pose(damaged, 0)).rejects.toThrow(/is damaged: its translation has 12 numbers for 3 times/);
  });
});
