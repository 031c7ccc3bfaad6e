// Rates and codes, combiners, against rules written down here again, on sizes instead of logarithms.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import {
  codeOf,
  combine,
  combinerTable,
  isShadingRate,
  rateOfCode,
  shadingRateCombiners,
  shadingRates,
  type ShadingRate,
  type ShadingRateCombiner,
} from '../../src/shading-rate';

type Size = readonly [number, number];
const sizeOf = (rate: ShadingRate): Size => {
  const [width, height] = rate.split('x').map(Number);
  return [width!, height!];
};
/** The rate of a size, or what stands for it: at most 4 pixels a side, and thin ones of 2. */
function nearest([width, height]: Size): string {
  const w = Math.min(4, width);
  const h = Math.min(4, height);
  if (w === 1 && h === 4) return '1x2';
  if (w === 4 && h === 1) return '2x1';
  return `${w}x${h}`;
}
/** Of two sides, powers of two. */
const sides: Record<ShadingRateCombiner, (before: number, source: number) => number> = {
  keep: (before) => before,
  replace: (_, source) => source,
  finest: (before, source) => (before < source ? before : source),
  coarsest: (before, source) => (before > source ? before : source),
  // The largest power of two whose square is no larger than the product.
  average: (before, source) => [4, 2, 1].find((side) => side * side <= before * source)!,
  product: (before, source) => before * source,
};
const expected = (combiner: ShadingRateCombiner, before: ShadingRate, source: ShadingRate): string => {
  const a = sizeOf(before);
  const b = sizeOf(source);
  const side = sides[combiner];
  return nearest([side(a[0], b[0]), side(a[1], b[1])]);
};

describe('rates', () => {
  test('are seven, with the codes of Direct3D 12 and Vulkan', () => {
    expect(Object.fromEntries(shadingRates.map((rate) => [rate, codeOf(rate)]))).toEqual({
      '1x1': 0,
      '1x2': 1,
      '2x1': 4,
      '2x2': 5,
      '2x4': 6,
      '4x2': 9,
      '4x4': 10,
    });
    expect(['1x1', '4x4', '1x4', '2X2', 'toString', ''].map(isShadingRate)).toEqual([
      true,
      true,
      false,
      false,
      false,
      false,
    ]);
  });

  test('stand for codes that are none', () => {
    for (let code = 0; code < 16; code++) expect(rateOfCode(code)).toBe(nearest([1 << (code >> 2), 1 << (code & 3)]));
    expect([2, 8, 3, 12, 15, 16, 0xfffffff5, -1].map(rateOfCode)).toEqual([
      '1x2',
      '2x1',
      '1x2',
      '2x1',
      '4x4',
      '1x1',
      '2x2',
      '4x4',
    ]);
  });
});

describe.each(shadingRateCombiners)('%s', (combiner) => {
  test('joins all pairs of rates', () => {
    for (const before of shadingRates)
      for (const source of shadingRates)
        expect(combine(combiner, before, source), `${before} ${source}`).toBe(expected(combiner, before, source));
  });

  test('has a table of all pairs of codes', () => {
    const table = combinerTable(combiner);
    expect(table.length).toBe(256);
    for (let before = 0; before < 16; before++)
      for (let source = 0; source < 16; source++)
        expect(table[before * 16 + source], `${before} ${source}`).toBe(
          codeOf(combine(combiner, rateOfCode(before), rateOfCode(source)))
        );
    expect(combinerTable(combiner)).toBe(table);
  });
});

test('the documentation has the tables of combiners that compute a rate', () => {
  const page = readFileSync(new URL('../../docs/features/shading-rate.md', import.meta.url), 'utf8');
  for (const combiner of ['finest', 'coarsest', 'average', 'product'] as const) {
    const rows = shadingRates.map((before) => [
      before,
      ...shadingRates.map((source) => expected(combiner, before, source)),
    ]);
    const head = `| \`${combiner}\` | ${shadingRates.join(' | ')} |\n${'|---'.repeat(8)}|\n`;
    const at = page.indexOf(head);
    expect(at, combiner).toBeGreaterThan(0);
    expect(
      page
        .slice(at + head.length)
        .split('\n')
        .slice(0, 7)
    ).toEqual(rows.map((row) => `| ${row.join(' | ')} |`));
  }
});
