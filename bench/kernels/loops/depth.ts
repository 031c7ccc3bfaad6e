// The depth test of covered blocks, which stores the triangle for samples that pass, and the search for the samples
// that show a triangle.
import { MODE_DEFERRED } from '../../../assembly/layout/tile/tile-codes';
import { SamplePositions, Tile, Triangle } from '../../../build/layout';
import { LoopKernel, numbers, PIXELS, type HotLoop, type Side } from './kit';

const TRIANGLES = 16;
const BLOCKS = 64;
const { fround } = Math;
const SAMPLE_X = { 1: Float32Array.of(0.5), 4: Float32Array.of(6 / 16, 14 / 16, 2 / 16, 10 / 16) };
const SAMPLE_Y = { 1: Float32Array.of(0.5), 4: Float32Array.of(2 / 16, 6 / 16, 10 / 16, 14 / 16) };

interface Depths {
  readonly depth: Float32Array;
  readonly ids: Uint32Array;
}
interface Plane {
  readonly id: number;
  readonly c: number;
  readonly dx: number;
  readonly dy: number;
}

/** Like the kernel, evaluates the plane at every sample in f32. */
function testBlock(
  { depth, ids }: Depths,
  { id, c, dx, dy }: Plane,
  block: number,
  cover: Uint16Array,
  samples: 1 | 4
): void {
  const sampleX = SAMPLE_X[samples];
  const sampleY = SAMPLE_Y[samples];
  const left = (block & 7) * 8;
  const top = (block >> 3) * 8;
  for (let quad = 0; quad < 16; quad++) {
    const mask = cover[quad]!;
    for (let bit = 0; bit < 4 * samples; bit++) {
      if (!(mask & (1 << bit))) continue;
      const pixel = samples === 1 ? bit : bit >> 2;
      const sample = samples === 1 ? 0 : bit & 3;
      const x = left + (quad & 3) * 2 + (pixel & 1) + sampleX[sample]!;
      const y = top + (quad >> 2) * 2 + (pixel >> 1) + sampleY[sample]!;
      const z = Math.min(Math.max(fround(fround(fround(dx * x) + c) + fround(dy * y)), 0), 1);
      const at = (block * 16 + quad) * 4 * samples + bit;
      if (z < depth[at]!) {
        depth[at] = z;
        ids[at] = id;
      }
    }
  }
}

function planes(k: LoopKernel): Plane[] {
  const next = numbers(3);
  return Array.from({ length: TRIANGLES }, () => {
    const triangle = k.alloc(Triangle.planes);
    const dx = fround((next() - 0.5) * 0.01);
    const dy = fround((next() - 0.5) * 0.01);
    const c = fround(next());
    for (const [field, value] of [
      [Triangle.z, c],
      [Triangle.zDx, dx],
      [Triangle.zDy, dy],
      [Triangle.zMax, 1],
    ] as const)
      k.putFloat(triangle + field, value);
    return { id: triangle, c, dx, dy };
  });
}

/** Three quarters of the samples are covered, the same ones in every block. */
export function depthTest(samples: 1 | 4): HotLoop {
  const k = new LoopKernel();
  const context = k.alloc(Tile.bytes);
  const length = PIXELS * samples;
  const depth = k.alloc(length * 4);
  const ids = k.alloc(length * 4);
  const all = samples === 1 ? 15 : 0xffff;
  const fields = [
    [Tile.layerSamples, samples],
    [Tile.samples, samples],
    [Tile.layers, 1],
    [Tile.depth, depth],
    [Tile.ids, ids],
    [Tile.less, -1],
    [Tile.depthWrite, 1],
    [Tile.mode, MODE_DEFERRED],
    [Tile.defersLess, 1],
    [Tile.cover, context + Tile.work],
  ] as const;
  for (const [field, value] of fields) k.put(context + field, value);
  if (samples === 4)
    for (const [i, [x, y]] of [
      [6, 2],
      [14, 6],
      [2, 10],
      [10, 14],
    ].entries()) {
      k.putFloat(context + Tile.layerPositions + i * 4, x! / 16);
      k.putFloat(context + Tile.layerPositions + SamplePositions.y + i * 4, y! / 16);
    }
  const next = numbers(4);
  const list = planes(k);
  const cover = Uint16Array.from(
    { length: 16 },
    () => all & (Math.floor(next() * 0x10000) | Math.floor(next() * 0x10000))
  );
  k.u16(context + Tile.work, 16).set(cover);
  const low = cover.subarray(0, 8).reduce((word, mask, quad) => word | ((mask & 15) << (quad * 4)), 0);
  const high = cover.subarray(8).reduce((word, mask, quad) => word | ((mask & 15) << (quad * 4)), 0);
  const pairs = list.flatMap((plane) => Array.from({ length: BLOCKS }, (_, block) => ({ plane, block })));
  const side = (name: string): Side => {
    const rows = pairs.map(({ plane, block }) => [
      context,
      plane.id,
      block,
      ...(samples === 1 ? [low, high, 1] : [0xffff, 1, 0]),
    ]);
    const { run } = k.calls(
      name,
      ['i32', 'i32', 'i32', ...(samples === 1 ? (['i64', 'i32'] as const) : (['i32', 'i32', 'i32'] as const))],
      rows,
      'i32'
    );
    return {
      run: () => {
        k.f32(depth, length).fill(1);
        run();
      },
      output: () => [...k.f32(depth, length), ...k.u32(ids, length)],
    };
  };
  const mine: Depths = { depth: new Float32Array(length), ids: new Uint32Array(length) };
  return {
    name: `depth test, ${samples} sample${samples === 1 ? '' : 's'}`,
    group: 'depth',
    unit: 'pixel',
    count: pairs.length * 64,
    tolerance: 0,
    simd: side(`visibleBlock${samples}`),
    scalar: side(`visibleBlock${samples}Scalar`),
    plain: {
      run: () => {
        mine.depth.fill(1);
        for (const { plane, block } of pairs) testBlock(mine, plane, block, cover, samples);
      },
      output: () => [...mine.depth, ...mine.ids],
    },
  };
}

const QUADS = 1024;

/**
 * Finds which of a quad's sixteen samples have an id. Shading at the end of a tile does this for every quad at four
 * samples.
 */
export function compareSamples(): HotLoop {
  const k = new LoopKernel();
  const next = numbers(5);
  const ids = Uint32Array.from({ length: QUADS * 16 }, () => 1 + Math.floor(next() * 3));
  const at = k.words(ids);
  const rows = Array.from({ length: QUADS }, (_, quad) => [at + quad * 64, 2]);
  const out = new Uint32Array(QUADS * 2);
  const side = (name: string): Side => {
    const { run, results } = k.calls(name, ['i32', 'i32'], rows, 'i32');
    return { run, output: results.u32 };
  };
  const run = (): void => {
    for (let quad = 0; quad < QUADS; quad++) {
      let mask = 0;
      for (let i = 0; i < 16; i++) if (ids[quad * 16 + i] === 2) mask |= 1 << i;
      out[quad * 2] = mask;
    }
  };
  return {
    name: 'compare samples’ triangles',
    group: 'depth',
    unit: 'pixel',
    count: QUADS * 4,
    tolerance: 0,
    simd: side('matchIds'),
    scalar: side('matchIdsScalar'),
    plain: { run, output: () => out },
  };
}
