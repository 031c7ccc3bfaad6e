import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sha256 } from '../../src/base/sha256';
import { rounds } from '../support/rounds';

const wanted = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

describe('sha256', () => {
  test('gives the digest of every short length', () => {
    for (let length = 0; length < 200; length++) {
      const bytes = Uint8Array.from({ length }, (_, i) => i * 7 + length);
      expect(sha256(bytes), `${length} bytes`).toBe(wanted(bytes));
    }
  });

  test('gives the digest of any part of a buffer', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 5000 }), fc.nat(100), (bytes, skipped) => {
        const part = bytes.subarray(Math.min(skipped, bytes.length));
        expect(sha256(part)).toBe(wanted(part));
      }),
      { numRuns: rounds(50), seed: 5 }
    );
  });
});
