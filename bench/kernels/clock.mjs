// Measures the processor's clock with a chain of dependent additions: one addition takes one cycle.
import { addChain } from '../../build/testing/loops.js';

const ROUNDS = 4000;
for (let i = 0; i < 200; i++) addChain.run(100);

/** Returns the current nanoseconds per cycle. */
export function cycleTime() {
  const began = performance.now();
  addChain.run(ROUNDS);
  return ((performance.now() - began) * 1e6) / (ROUNDS * addChain.operations);
}
