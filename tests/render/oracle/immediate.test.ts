// Compares the fast path with the oracle: the immediate-mode path of the testing build (assembly/oracle/tile.ts), which
// defers, packs and skips nothing. Random frames that vary everything that affects a pass's writes give the same bytes
// on all paths. same-bits.test.ts compares the image scenes.
// RASTERLOOM_FUZZ=count draws more frames, RASTERLOOM_SEED=number draws others, RASTERLOOM_KERNELS=directory loads
// kernels from a directory.
import { pathToFileURL } from 'node:url';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { create } from '../../../src/index';
import { forCreate, type CreateOptions } from '../../support/options';
import { openDevice } from '../../images/scenes';
import { difference, FrameDrawer } from './immediate.draw';
import type { Draw, Frame, Look, Mesh } from './immediate.frame';
import { COMPARES, frame } from './immediate.frames';
import type { SampleCount } from '../../../src/gltf/gpu/sample-count';
import { kinds, type Kind } from './immediate.shaders';
import { inTurn } from '../../support/combinations';
import { rounds } from '../../support/rounds';

const KERNELS = pathToFileURL(`${process.env['RASTERLOOM_KERNELS'] ?? 'build'}/`);
const FRAMES = rounds(30);
const SEED = Number(process.env['RASTERLOOM_SEED'] ?? 3);

const open = (options: CreateOptions): Promise<GPUDevice> =>
  openDevice(create(forCreate({ alwaysUseWorkers: true, ...options, kernelUrl: KERNELS })));

test('the oracle is rejected without the testing build', async () => {
  const adapter = await create(
    forCreate({ immediate: true, kernelUrl: new URL('..', import.meta.url) })
  ).requestAdapter();
  await expect(adapter!.requestDevice()).rejects.toThrow(
    'it needs the testing build, which the package does not contain'
  );
});

/** All but the third use the SIMD kernel. An arena of 1 KiB holds one or two triangles. */
const variants: Readonly<Record<string, CreateOptions>> = {
  'the fast path': { engine: 'jit' },
  'the interpreter': { engine: 'interpreter' },
  'a chunk after every draw': { engine: 'jit', chunkEveryDraw: true },
  'the scalar kernel': { simd: false },
  'chunks of a triangle or two': { arenaBytes: 1024 },
  'every second warp overtaken': { engine: 'jit', forcedParking: { every: 2, during: 3, warps: 3 } },
  'every third warp overtaken, interpreted': {
    engine: 'interpreter',
    forcedParking: { every: 3, during: 20, warps: 8 },
  },
};

/** Drawn from bundles. */
const BUNDLED: ReadonlySet<string> = new Set(['the interpreter', 'a chunk after every draw']);

const opaqueLook = (kind: Kind, depthCompare: GPUCompareFunction): Look => ({
  kind,
  primitive: { topology: 'triangle-list', cullMode: 'none', frontFace: 'ccw', unclippedDepth: false },
  depthCompare,
  depthWrite: true,
  bias: null,
  stencil: null,
  blends: [null],
  writeMasks: [15],
  sampleMask: 0xffffffff,
  alphaToCoverage: false,
});
/** Stacked rectangles from the upper left corner: their extent to the right and down, and their depth. */
const layers = (look: Look, ...sheets: readonly (readonly [right: number, z: number, bottom?: number])[]): Draw => {
  const mesh: Mesh = {
    vertices: sheets.flatMap(
      ([right, z, bottom = 64]) =>
        [
          [0, 0, z, 1],
          [right * 256, 0, z, 1],
          [0, bottom * 256, z, 1],
          [right * 256, bottom * 256, z, 1],
        ] as const
    ),
    indices: sheets.flatMap((_, i) => [0, 1, 2, 2, 1, 3].map((index) => i * 4 + index)),
    indexFormat: 'uint16',
  };
  return {
    look,
    mesh,
    instances: 1,
    skip: 0,
    viewport: null,
    scissor: null,
    blendConstant: [0, 0, 0, 0],
    stencilReference: 0,
    isAsked: true,
  };
};
const frameOf = (samples: SampleCount, clearDepth: number, draws: readonly Draw[]): Frame => ({
  width: 64,
  height: 64,
  samples,
  targets: ['rgba8unorm'],
  depth: 'depth32float',
  clearColor: [0, 0, 0, 0],
  clearDepth,
  clearStencil: 0,
  passes: [
    {
      draws,
      clearsColor: true,
      clearsDepth: true,
      clearsStencil: true,
      storeOp: 'store',
      depthStoreOp: 'store',
      readOnly: false,
    },
  ],
});

/** A nearer layer hides half of the picture; its edge passes through the samples of the pixels at x = 32. */
const halfHidden = (kind: Kind, samples: SampleCount): Frame =>
  frameOf(samples, 1, [
    layers(opaqueLook(kind, 'less'), [64, 0.5]),
    layers(opaqueLook('constant', 'less'), [32.5, 0.25]),
    layers(opaqueLook(kind, 'less'), [64, 0.75]),
  ]);

/** Layers nearer than, at and farther than the existing depth. The last ones are so small that they share a warp. */
const throughAllDepths = (kind: Kind, by: GPUCompareFunction, samples: SampleCount): Frame =>
  frameOf(samples, 0.5, [
    layers(
      opaqueLook(kind, by),
      [64, 0.25],
      [50.5, 0.5],
      [20, 0.75],
      [40, 0.5],
      [64, 0.5],
      [6, 0.25, 4],
      [6, 0.5, 4],
      [5, 0.75, 4],
      [4, 0.5, 4],
      [6, 0.25, 4],
      [4, 0.5, 4]
    ),
  ]);

describe('frames equal the oracle', () => {
  let oracle: FrameDrawer;
  let drawers: (readonly [string, FrameDrawer])[];
  beforeAll(async () => {
    oracle = new FrameDrawer(await open({ immediate: true }));
    drawers = await Promise.all(
      Object.entries(variants).map(
        async ([name, options]) => [name, new FrameDrawer(await open(options), BUNDLED.has(name))] as const
      )
    );
  });
  afterAll(() => [oracle, ...drawers.map(([, drawer]) => drawer)].forEach(({ device }) => device.destroy()));

  /** Throws the first difference from the oracle. */
  async function compare(drawn: Frame): Promise<void> {
    const [expected, ...others] = await Promise.all(
      [oracle, ...drawers.map(([, drawer]) => drawer)].map((drawer) => drawer.draw(drawn))
    );
    drawers.forEach(([name], i) => {
      const found = difference(others[i]!, expected!);
      if (found !== undefined) throw new Error(`by ${name}, ${found}`);
    });
  }

  for (const [s, samples] of ([1, 2, 4, 8, 16] as const).entries()) {
    test.each(kinds)(`of %s, half hidden, at ${samples} samples`, async (kind) => compare(halfHidden(kind, samples)));
    // Shaded at the end of the tile, immediately, or before the depth test: by default one of them in turn.
    test.each(COMPARES)(`through all depths with "%s" at ${samples} samples`, async (by) => {
      for (const kind of inTurn(['smooth', 'discards', 'fragDepth'] as const, s + COMPARES.indexOf(by)))
        await compare(throughAllDepths(kind, by, samples));
    });
  }

  // At 8 and 16 samples, samples are closer to the sides of a pixel than at 4. A triangle covers a tile fully only if
  // it covers all of them.
  test.each([2, 4, 8, 16] as const)(
    'triangles that end between the last samples of a tile, at %i samples',
    async (samples) => {
      const sides = [
        [63 + 13.5 / 16, -200],
        [63 + 14.5 / 16, -200],
        [63 + 15.25 / 16, -200],
        [0.5 / 16, 264],
        [1.5 / 16, 264],
      ] as const;
      for (const [i, [side, far]] of sides.entries()) {
        for (const turned of inTurn([false, true], i + Math.log2(samples))) {
          const corner = (x: number, y: number): Mesh['vertices'][number] =>
            turned ? [y * 256, x * 256, 0.5, 1] : [x * 256, y * 256, 0.5, 1];
          const draw = layers(opaqueLook('smooth', 'less'), [64, 0.5]);
          await compare(
            frameOf(samples, 1, [
              {
                ...draw,
                mesh: {
                  vertices: [corner(side, -64), corner(side, 192), corner(far, 64)],
                  indices: [0, 1, 2],
                  indexFormat: 'uint16',
                },
              },
            ])
          );
        }
      }
    }
  );

  test('give the samples that a triangle covers to @builtin(sample_mask), also when they are occluded', async () => {
    for (const drawer of [oracle, ...drawers.map(([, of]) => of)]) {
      const [color] = await drawer.draw(halfHidden('maskIn', 4));
      const red = new Float32Array(color!.bytes.buffer);
      // Row y·4 + sample: samples 1 and 3 of the pixels at x = 32 are to the right of the nearer layer. 15/16 as
      // unorm8.
      expect([1, 3, 40 * 4 + 1].map((row) => red[(row * 64 + 32) * 4])).toEqual(Array(3).fill(Math.fround(239 / 255)));
    }
  });

  test(
    'random frames have the bytes of the oracle',
    async () => {
      const limits = { interruptAfterTimeLimit: 120_000 + FRAMES * 1000, markInterruptAsFailure: true };
      await fc.assert(fc.asyncProperty(frame, compare), { numRuns: FRAMES, seed: SEED, ...limits });
    },
    150_000 + FRAMES * 1000
  );
});
