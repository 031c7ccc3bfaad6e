// The loops that bench/kernels measures can run: each function and a texture read, compiled, on a warp.
import { expect, test } from 'vitest';
import { functionLoop, functionNames } from './loops';

test.each(functionNames)('%s runs as compiled code', (name) => {
  expect(() => functionLoop(name).run(2)).not.toThrow();
});
