// Modular pipelines that fork: the order in which a packet visits the branches of enabled slots.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { graphOf, treeOf } from '../../../src/api/modular/modular-graph';
import type { TableSlot } from '../../../src/api/modular/modular-slots';
import type { Branch } from '../../../src/mpipe';

interface Table {
  readonly slots: number;
  readonly edges: readonly (readonly [number, number])[];
  readonly sinks: readonly (readonly number[])[];
  readonly enabled: number;
  readonly entry: number | null;
}
const no = (message: string): never => {
  throw new Error(message);
};

/** The slots of each path and its sink, in the order in which one packet visits them. */
function paths({ slots: count, edges, sinks, enabled, entry }: Table): string[] {
  const slots = Array.from({ length: count }, (_, slot) => {
    const held = { d: { kind: 'vertex' }, toString: () => String(slot) };
    return held as unknown as TableSlot;
  });
  const graph = graphOf(
    slots,
    edges,
    sinks.map((from) => ({ from, stream: 0 })),
    no
  );
  const list = ({ stages, branches, leaf }: Branch<TableSlot, number>, before: string): string[] => {
    const here = [before, ...stages].join(' ').trim();
    return leaf !== null ? [`${here} > ${leaf}`] : branches.flatMap((branch) => list(branch, here));
  };
  const tree = treeOf(graph, slots, { enabled, entry, pixelEntry: null }, no);
  return tree ? list(tree, '') : [];
}

/** The same by following every edge of the table, regardless of enabled slots. */
function followed({ slots, edges, sinks, enabled, entry }: Table): string[] {
  const deliver = (slot: number, before: string): string[] => {
    const here = (enabled >>> slot) & 1 ? `${before} ${slot}`.trim() : before;
    return [
      ...edges.filter(([from]) => from === slot).flatMap(([, to]) => deliver(to, here)),
      ...sinks.flatMap((from, sink) => from.filter((each) => each === slot).map(() => `${here} > ${sink}`)),
    ];
  };
  const all = Array.from({ length: slots }, (_, slot) => slot);
  const first = entry === null ? all.filter((slot) => !edges.some(([, to]) => to === slot)) : [entry];
  return first.flatMap((slot) => deliver(slot, ''));
}

test('a disabled slot keeps its branch in its place', () => {
  const table: Table = {
    slots: 5,
    edges: [
      [1, 4],
      [2, 4],
      [3, 4],
    ],
    sinks: [[4]],
    enabled: 0b11110,
    entry: null,
  };
  expect(paths({ ...table, enabled: 0b11010 })).toEqual(['1 4 > 0', '4 > 0', '3 4 > 0']);
  expect(paths({ ...table, enabled: 0b11100 })).toEqual(['4 > 0', '2 4 > 0', '3 4 > 0']);
});

test('the order is by inputs, edges and sinks, whatever is enabled', () => {
  const slot = fc.nat({ max: 6 });
  const tables = fc
    .record({
      edges: fc.uniqueArray(fc.tuple(slot, slot), { maxLength: 9, selector: ([a, b]) => `${a} ${b}` }),
      sinks: fc.array(fc.uniqueArray(slot, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 3 }),
      enabled: fc.nat({ max: 127 }),
      entry: fc.option(slot, { freq: 3, nil: null }),
      order: fc.shuffledSubarray([0, 1, 2, 3, 4, 5, 6], { minLength: 7 }),
    })
    .map(({ edges, order, ...of }): Table => ({
      ...of,
      slots: 7,
      edges: edges.filter(([a, b]) => order.indexOf(a) < order.indexOf(b)),
    }));
  fc.assert(
    fc.property(tables, (table) => {
      const wanted = followed(table);
      fc.pre(wanted.length <= 64);
      expect(paths(table)).toEqual(wanted);
    }),
    { numRuns: 500 }
  );
});
