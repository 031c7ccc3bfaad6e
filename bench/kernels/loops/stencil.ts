// Stencil of quads whose block has more than one value: the test, and an operation on the samples of a mask.
import { STENCIL_INCREMENT_WRAP } from '../../../assembly/layout/pass/draw-codes';
import { COMPARE_LESS_EQUAL } from '../../../assembly/layout/texture/texture-codes';
import { Draw, Tile } from '../../../build/layout';
import { LoopKernel, numbers, PIXELS, type HotLoop, type Side } from './kit';

const QUADS = PIXELS / 4;
const REFERENCE = 3;

type Samples = 1 | 4;

function makeTile(samples: Samples): { k: LoopKernel; rows: (code: number) => number[][]; plane: number } {
  const k = new LoopKernel();
  const context = k.alloc(Tile.bytes);
  const draw = k.alloc(Draw.bytes);
  const plane = k.alloc(PIXELS * 4);
  const fields = [
    [context + Tile.layerSamples, samples],
    [context + Tile.samples, samples],
    [context + Tile.layers, 1],
    [context + Tile.stencil, plane],
    [draw + Draw.stencilReadMask, 255],
    [draw + Draw.stencilWriteMask, 255],
    [draw + Draw.stencilReference, REFERENCE],
  ] as const;
  for (const [at, value] of fields) k.put(at, value);
  const all = samples === 1 ? 15 : 0xffff;
  const rows = (code: number): number[][] =>
    Array.from({ length: QUADS }, (_, quad) => [context, draw, quad, all, 0, code]);
  return { k, rows, plane };
}

const PARAMETERS = ['i32', 'i32', 'i32', 'i64', 'i32'] as const;
const nameOf = (what: string, samples: Samples): string =>
  `stencil ${what}, ${samples} sample${samples === 1 ? '' : 's'}`;

function stencilTest(samples: Samples): HotLoop {
  const { k, rows, plane } = makeTile(samples);
  const next = numbers(8);
  const stored = Uint8Array.from({ length: PIXELS * samples }, () => Math.floor(next() * 7));
  k.u8(plane, stored.length).set(stored);
  const side = (name: string): Side => {
    const { run, results } = k.calls(name, PARAMETERS, rows(COMPARE_LESS_EQUAL), 'i64');
    return { run, output: results.u32 };
  };
  const masks = new Uint32Array(QUADS * 2);
  const bits = 4 * samples;
  const run = (): void => {
    for (let quad = 0; quad < QUADS; quad++) {
      let mask = 0;
      for (let bit = 0; bit < bits; bit++) if (REFERENCE <= stored[quad * bits + bit]!) mask |= 1 << bit;
      masks[quad * 2] = mask;
    }
  };
  return {
    name: nameOf('test', samples),
    group: 'stencil',
    unit: 'pixel',
    count: PIXELS,
    tolerance: 0,
    simd: side('testSamplesSimd'),
    scalar: side('testSamplesScalar'),
    plain: { run, output: () => masks },
  };
}

function stencilIncrement(samples: Samples): HotLoop {
  const { k, rows, plane } = makeTile(samples);
  const length = PIXELS * samples;
  const mine = new Uint8Array(length);
  const fill = (values: Uint8Array): void => {
    for (let i = 0; i < length; i++) values[i] = i * 37;
  };
  const side = (name: string): Side => ({
    run: k.calls(name, PARAMETERS, rows(STENCIL_INCREMENT_WRAP)).run,
    output: () => k.u8(plane, length),
  });
  return {
    name: nameOf('increment', samples),
    group: 'stencil',
    unit: 'pixel',
    count: PIXELS,
    tolerance: 0,
    simd: side('operateSamplesSimd'),
    scalar: side('operateSamplesScalar'),
    plain: {
      run: () => {
        for (let i = 0; i < length; i++) mine[i]!++;
      },
      output: () => mine,
    },
    restart: () => {
      fill(k.u8(plane, length));
      fill(mine);
    },
  };
}

export const stencils: readonly (() => HotLoop)[] = ([1, 4] as const).flatMap((samples) => [
  () => stencilTest(samples),
  () => stencilIncrement(samples),
]);
