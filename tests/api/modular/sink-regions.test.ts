// Overlap checks for the sinks of a pass: they agree with a comparison to all earlier ones, in less time.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { BufferCore } from '../../../src/api/resources/buffer';
import { COUNTS_BYTES, SinkRegions, type SinkBinding } from '../../../src/api/encoders/sink-regions';

const buffers = ['first', 'second'].map((called) => ({ called }) as BufferCore);
const no = (message: string): never => {
  throw new Error(message);
};

/** `counts`: an offset in the second buffer. */
function sinkAt(buffer: BufferCore, offset: number, size: number, counts: number | null): SinkBinding {
  return {
    buffer,
    counts: counts === null ? null : buffers[1]!,
    usedBytes: 0,
    bound: { offset, size, counts: counts === null ? null : { offset: counts, missed: null } } as SinkBinding['bound'],
  };
}

interface Part {
  what: string;
  sink: SinkBinding;
  buffer: BufferCore;
  begin: number;
  end: number;
}

/** Reports the overlaps that a comparison of each region with all earlier ones finds. */
class Plain {
  private readonly parts: Part[] = [];

  take(sinks: readonly SinkBinding[]): string | null {
    const known = new Set(this.parts.map(({ sink }) => sink));
    const before = this.parts.length;
    const parts = sinks.flatMap((sink, i): Part[] => {
      const {
        bound: { offset, size, counts },
        buffer,
      } = sink;
      return [
        { what: `sinks[${i}]`, sink, buffer, begin: offset, end: offset + size },
        ...(counts
          ? [
              {
                what: `the counts of sinks[${i}]`,
                sink,
                buffer: sink.counts!,
                begin: counts.offset,
                end: counts.offset + COUNTS_BYTES,
              },
            ]
          : []),
      ];
    });
    for (const part of parts.filter(({ sink }) => !known.has(sink))) {
      const at = this.parts.findIndex(
        ({ buffer, begin, end }) => buffer === part.buffer && begin < part.end && part.begin < end
      );
      if (at >= 0)
        return (
          `${this.parts[at]!.what}${at < before ? ' of an earlier draw' : ''} and ${part.what} `
          + `are overlapping parts of ${part.buffer.called}; give setSinkBuffer() parts that do not overlap`
        );
      this.parts.push(part);
    }
    return null;
  }
}

function said(act: () => void): string | null {
  try {
    act();
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

const sink = fc
  .tuple(fc.constantFrom(...buffers), fc.nat(400), fc.nat(12), fc.option(fc.nat(400), { freq: 3 }))
  .map((given) => sinkAt(...given));
const draws = fc
  .array(sink, { minLength: 1, maxLength: 24 })
  .chain((sinks) =>
    fc.array(fc.uniqueArray(fc.constantFrom(...sinks), { minLength: 1, maxLength: 3 }), { maxLength: 24 })
  );

test('overlaps and messages equal those of a comparison of all regions', () => {
  let refused = 0;
  fc.assert(
    fc.property(draws, fc.boolean(), (passes, isBundle) => {
      const plain = new Plain();
      const regions = new SinkRegions();
      for (const sinks of passes) {
        const alone = isBundle ? new Plain().take(sinks) : null;
        const expected = alone ?? plain.take(sinks);
        const numbered = sinks.map((each, i) => [i, each] as const);
        expect(
          said(() => {
            if (!isBundle) return regions.take(numbered, no);
            const bundle = new SinkRegions();
            bundle.take(numbered, no);
            regions.claimAll(bundle, no);
          })
        ).toBe(expected);
        if (expected === null) continue;
        refused++;
        break;
      }
    }),
    { numRuns: 2000 }
  );
  expect(refused).toBeGreaterThan(100);
});

test('tens of thousands of sinks per pass are checked quickly in any order', () => {
  const count = 30_000;
  const before = process.cpuUsage();
  for (const step of [1, count - 1, 7919]) {
    const regions = new SinkRegions();
    for (let i = 0; i < count; i++) regions.take([[0, sinkAt(buffers[0]!, ((i * step) % count) * 16, 16, null)]], no);
    expect(
      said(() => {
        regions.take([[0, sinkAt(buffers[0]!, 24, 4, null)]], no);
      })
    ).toMatch(/of an earlier draw/);
  }
  expect(process.cpuUsage(before).user / 1000).toBeLessThan(1500);
});
