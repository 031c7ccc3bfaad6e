// Temporaries that are read or set in a loop keep their register for the whole loop.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MachineCode } from '../../src/codegen/machine';
import { allocate } from '../../src/codegen/registers';

const INSTRUCTIONS = 40;
interface Nest {
  from: number;
  length: number;
  inner: Nest[];
}

/** Nested loops, up to a depth. */
const nests = (depth: number): fc.Arbitrary<Nest[]> =>
  fc.array(fc.record({ from: fc.nat(12), length: fc.nat(20), inner: depth > 0 ? nests(depth - 1) : fc.constant([]) }), {
    maxLength: 3,
  });

/** Their first and last instructions; inner loops come first, in the order of emission. */
function place(loops: readonly Nest[], from: number, to: number, into: number[]): void {
  let at = from;
  for (const { from: gap, length, inner } of loops) {
    const first = at + gap;
    const last = Math.min(to, first + length);
    if (first > last) return;
    place(inner, first, last, into);
    into.push(first, last);
    at = last + 1;
  }
}

/** The same by visiting all loops until nothing changes. */
function extended(loops: readonly number[], start: number, end: number, persistent: boolean): [number, number] {
  for (let changed = true; changed;) {
    changed = false;
    for (let i = 0; i < loops.length; i += 2) {
      const first = 2 * loops[i]!;
      const last = 2 * loops[i + 1]! + 1;
      if (end < first || start > last || (start <= first && end >= last)) continue;
      if (persistent && start > first) [start, changed] = [first, true];
      if ((persistent || start < first) && end < last) [end, changed] = [last, true];
    }
  }
  return [start, end];
}

describe('temporaries', () => {
  it('are kept over loops, and overlapping ones have different registers', () => {
    const spans = fc.array(fc.tuple(fc.nat(2 * INSTRUCTIONS), fc.nat(30)), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(nests(3), spans, fc.nat(6), (loops, temps, persistent) => {
        const code = new MachineCode();
        place(loops, 0, INSTRUCTIONS, code.loops);
        for (const [start, length] of temps) {
          code.temp();
          code.met.push(code.met.length);
          code.starts[code.met.length - 1] = start;
          code.ends[code.met.length - 1] = start + length;
        }
        const { numbers, count } = allocate(code, persistent);
        const wanted = temps.map(([start, length], i) => extended(code.loops, start, start + length, i < persistent));
        expect(temps.map((_, i) => [code.starts[i], code.ends[i]])).toEqual(wanted);
        for (let a = 0; a < temps.length; a++) {
          expect(numbers[a]).toBeLessThan(count);
          for (let b = 0; b < a; b++)
            if (numbers[a] === numbers[b])
              expect(wanted[a]![1] < wanted[b]![0] || wanted[b]![1] < wanted[a]![0]).toBe(true);
        }
      }),
      { numRuns: 2000 }
    );
  });
});
