// Kernel times by part, from STATISTICS records. With a clock too coarse to measure a warp, they must not become NaN.
import { expect, test } from 'vitest';
import { PART_RASTER, PART_SHADE } from '../../../assembly/layout/pass/pass-codes';
import { Statistics, WarpTimes } from '../../../build/layout';
import { readKernelTimes } from '../../../src/render/statistics/part-times';

test('warps that took no measurable time give finite numbers', () => {
  const memory = new WebAssembly.Memory({ initial: 1 });
  const f64 = new Float64Array(memory.buffer);
  for (const which of [0, 1]) {
    const at = Statistics.warpTimes + which * WarpTimes.bytes;
    f64[(at + WarpTimes.timed) / 8] = 3;
    f64[(at + WarpTimes.run) / 8] = 5;
  }
  for (const ms of Object.values(readKernelTimes(memory, [0]))) expect(ms).toBe(0);
});

test('time of a walk or flush outside of its warps is raster and packing', () => {
  const memory = new WebAssembly.Memory({ initial: 1 });
  const f64 = new Float64Array(memory.buffer);
  f64[Statistics.times / 8 + PART_RASTER] = 100;
  f64[Statistics.times / 8 + PART_SHADE] = 50;
  // Two of sixteen warps each were timed: each stands for eight.
  for (const [which, program, output] of [
    [0, 3, 2],
    [1, 4, 1],
  ] as const) {
    const at = (Statistics.warpTimes + which * WarpTimes.bytes) / 8;
    f64[at + WarpTimes.timed / 8] = 2;
    f64[at + WarpTimes.run / 8] = 16;
    f64[at + WarpTimes.program / 8] = program;
    f64[at + WarpTimes.output / 8] = output;
  }
  expect(readKernelTimes(memory, [0])).toEqual({
    vertex: 0,
    setup: 0,
    raster: 60,
    pack: 10,
    shade: 56,
    blend: 24,
    resolve: 0,
  });
});
