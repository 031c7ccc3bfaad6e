// The map of costs as lists: every cell is compared with another one or with none, and every reason belongs to a cell.
// The bench measures what cells cost and draw; one of each group is drawn here.
import { describe, expect, test } from 'vitest';
import { allCells, keyOf } from '../../bench/everything/cells.mjs';
import { REASONS } from '../../bench/everything/reasons.mjs';
import { heatMap } from '../../bench/report/draw.mjs';
import { draw } from '../../bench/report/page.mjs';

const cells = allCells();
const byKey = new Map(cells.map((cell) => [keyOf(cell), cell]));

describe('the cells of the map', () => {
  test('have unique names, and units', () => {
    expect(byKey.size).toBe(cells.length);
    expect(cells.length).toBeGreaterThan(1500);
    for (const { count } of cells) expect(count).toBeGreaterThan(0);
  });
  test('are compared with existing cells, without cycles', () => {
    for (const cell of cells) {
      const seen = new Set<string>();
      for (let at = cell; at.than !== undefined;) {
        expect(seen).not.toContain(at.than);
        seen.add(at.than);
        const next = byKey.get(at.than);
        if (!next) throw new Error(`${keyOf(at)} is held to ${at.than}, which is no cell`);
        at = next;
      }
    }
  });
  test('have no unused reasons', () => {
    for (const [pattern, why] of REASONS)
      expect(
        cells.some((cell) => pattern.test(keyOf(cell))),
        `${pattern}: ${why}`
      ).toBe(true);
  });
});

test('a heat map shows every cell, and frames those that are marked', () => {
  const svg = draw(
    heatMap({
      rows: ['r8unorm', 'rgba8unorm'],
      columns: ['load', 'sample'],
      values: [
        [12, 340],
        [null, 5.5],
      ],
      marked: [[0, 1]],
    })
  );
  const texts = [...svg.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, text]) => text);
  expect(texts).toEqual(expect.arrayContaining(['r8unorm', 'rgba8unorm', 'load', 'sample', '12.0', '340', '5.50']));
  expect(svg.match(/stroke-width="2"/g)).toHaveLength(1);
});
