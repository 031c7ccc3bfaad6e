// Kernel times by part, from STATISTICS records. A page whose clock is too coarse to see a warp once gave NaN.
import { expect, test } from 'vitest';
import { Statistics, WarpTimes } from '../../build/layout';
import { readPartTimes } from '../../src/render/part-times';

test('warps that took no time by the clock leave numbers', () => {
  const memory = new WebAssembly.Memory({ initial: 1 });
  const f64 = new Float64Array(memory.buffer);
  for (const which of [0, 1]) {
    const at = Statistics.warpTimes + which * WarpTimes.bytes;
    f64[(at + WarpTimes.timed) / 8] = 3;
    f64[(at + WarpTimes.run) / 8] = 5;
  }
  for (const ms of Object.values(readPartTimes(memory, [0]))) expect(ms).toBe(0);
});
