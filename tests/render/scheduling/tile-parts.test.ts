// However a tile is divided, its parts contain each pixel of each entry once, and the entries of a pixel in order.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LateWork } from '../../../build/layout';
import { TileParts } from '../../../src/late/tile-parts';

const RECORD = 64;
const SIZE = 64;
const MAX_ENTRIES = 5;

test('parts of a tile cover it once, in order', () => {
  const rules = fc.record({ isCoarse: fc.boolean(), inOrder: fc.boolean() });
  fc.assert(
    fc.property(
      rules,
      fc.integer({ min: 1, max: MAX_ENTRIES }),
      fc.boolean(),
      fc.array(fc.integer({ min: 0, max: 8 }), { minLength: 8 }),
      (rule, entries, isByQuads, divisions) => {
        const memory = new WebAssembly.Memory({ initial: 1 });
        const words = new Uint32Array(memory.buffer);
        const of = (field: number): number => words[(RECORD + field) >>> 2]!;
        const parts = new TileParts(memory, RECORD, rule);
        const done = new Uint8Array(SIZE * SIZE);
        for (let turn = 0, more = true; more; turn++) {
          words[(RECORD + LateWork.entryCount) >>> 2] = entries;
          words[(RECORD + LateWork.byQuads) >>> 2] = isByQuads ? 1 : 0;
          for (let left = turn === 0 ? 1 : divisions[turn % divisions.length]!; left > 0 && parts.divide(); left--)
            parts.missed();
          const part = of(LateWork.part);
          const [x0, y0, x1, y1] = [0, 8, 16, 24].map((shift) => (part >>> shift) & 0xff);
          const first = of(LateWork.first);
          const end = Math.min(of(LateWork.end), entries);
          expect(first).toBeLessThan(end);
          for (let y = y0!; y < y1!; y++) {
            const row = done.subarray(y * SIZE + x0!, y * SIZE + x1!);
            if (!row.every((count) => count === first)) throw new Error(`row ${y} has had other entries than ${first}`);
            row.fill(end);
          }
          const hasMore = of(LateWork.hasMore) === 1;
          more = parts.advance();
          expect(more).toBe(hasMore);
        }
        expect(done.every((count) => count === entries)).toBe(true);
        expect(of(LateWork.part)).toBe(0);
      }
    ),
    { numRuns: 30 }
  );
});
