// The processor's clock, by a chain of additions, each of which waits for the one before: a cycle an addition.
import { addChain } from '../../build/testing/loops.js';

const ROUNDS = 4000;
for (let i = 0; i < 200; i++) addChain.run(100);

/** Nanoseconds a cycle, now. */
export function cycleTime() {
  const began = performance.now();
  addChain.run(ROUNDS);
  return ((performance.now() - began) * 1e6) / (ROUNDS * addChain.operations);
}
