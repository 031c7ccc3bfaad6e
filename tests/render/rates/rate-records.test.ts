// Which draw calls of a pass have SHADING RATES records, and which of them share one.
import { describe, expect, test } from 'vitest';
import { ShadingRates } from '../../../build/layout';
import { Allocator, createMemory } from '../../../src/memory';
import { CommandMemory } from '../../../src/render/memory/command-memory';
import type { Leaf, Pipeline } from '../../../src/render/pipeline/pipeline';
import { hasRates, RateRecords } from '../../../src/render/draws/rate-records';
import type { DynamicState, PassRates, PassState } from '../../../src/render/types';
import { codeOf, type DepthTable, type ShadingRate } from '../../../src/shading-rate';

const leaf = (more: Partial<Leaf> = {}): Leaf =>
  ({ fragment: {}, primitiveRate: -1, rateFallback: null, ...more }) as Leaf;
const dynamic = (rate: ShadingRate, combiners: Partial<DynamicState['combiners']> = {}): DynamicState => ({
  viewports: [[0, 0, 8, 8, 0, 1]],
  scissor: [0, 0, 8, 8],
  blendConstant: [0, 0, 0, 0],
  stencilReference: 0,
  query: null,
  orders: { pixel: 'received', vertex: 'received', primitive: 'received' },
  rate,
  combiners: { primitive: 'coarsest', region: 'coarsest', depth: 'coarsest', ...combiners },
});
const table = (far: number): DepthTable => ({
  near: 0,
  far,
  rates: ['1x1', '1x1', '2x2', '4x4'],
  rounding: 'floor',
  at: 'centre',
});
/** A view of texels at address 6000, in rows of 4 bytes. */
const region = {
  view: { plane: {}, level: { rowBytes: 4 }, attachmentAddress: () => 6000 },
  blockSize: 16,
} as unknown as PassRates['region'];

function open(rates: PassRates | null) {
  const device = createMemory(1);
  const onRateFallback: string[] = [];
  const commands = new CommandMemory(new Allocator(device, 1024, 1 << 24));
  const records = new RateRecords(device.memory, commands, rates, (cause) => onRateFallback.push(cause));
  const int = (record: number, field: number): number =>
    new DataView(device.memory.buffer).getInt32(record + field, true);
  return { records, int, onRateFallback };
}

describe('shading rate records', () => {
  test('exist only for draw calls that may be coarse', () => {
    const { records } = open(null);
    expect(records.of(leaf(), dynamic('1x1'), 0, null)).toBe(0);
    expect(records.of(leaf({ fragment: null }), dynamic('4x4'), 0, null)).toBe(0);
    expect(records.of(leaf({ rateFallback: 'storage' }), dynamic('4x4'), 0, null)).toBe(0);
    expect(records.of(leaf(), dynamic('4x4'), 0, null)).toBeGreaterThan(0);
    expect(records.of(leaf({ primitiveRate: 2 }), dynamic('1x1'), 0, null)).toBeGreaterThan(0);
    expect(records.of(leaf({ primitiveRate: 2 }), dynamic('1x1', { primitive: 'keep' }), 0, null)).toBe(0);
    const passes = open({ depth: [table(1)], region }).records;
    expect(passes.of(leaf(), dynamic('1x1'), 0, null)).toBeGreaterThan(0);
    expect(passes.of(leaf(), dynamic('1x1', { depth: 'keep' }), 0, null)).toBeGreaterThan(0);
    expect(passes.of(leaf(), dynamic('1x1', { depth: 'keep', region: 'keep' }), 0, null)).toBe(0);
  });

  test('are shared by draw calls with the same contents', () => {
    const { records, int } = open({ depth: [table(1), table(2)], region: null });
    const of = (rate: ShadingRate, viewport: number, primitiveRate = -1): number =>
      records.of(leaf({ primitiveRate }), dynamic(rate), viewport, null);
    const first = of('1x1', 0);
    expect(of('1x1', 0)).toBe(first);
    const others = [of('1x1', 1), of('2x2', 0), of('1x1', 0, 4)];
    expect(new Set([first, ...others]).size).toBe(4);
    expect([first, ...others].map((record) => int(record, ShadingRates.rate))).toEqual([0, 0, codeOf('2x2'), 0]);
    expect([first, ...others].map((record) => int(record, ShadingRates.primitive))).toEqual([-1, -1, -1, 4]);
    const far = new Float32Array(1);
    const highs = [first, others[0]!].map((record) => {
      new Int32Array(far.buffer)[0] = int(record, ShadingRates.high);
      return far[0];
    });
    expect(highs).toEqual([1, 2]);
  });

  test('of one table hold those of all viewports', () => {
    const { records } = open({ depth: [table(1)], region: null });
    expect(records.of(leaf(), dynamic('1x1'), 3, null)).toBe(records.of(leaf(), dynamic('1x1'), 0, null));
  });

  test('hold the location of a rate texture', () => {
    const { records, int } = open({ depth: [], region });
    const record = records.of(leaf(), dynamic('1x1'), 0, null);
    expect(
      [ShadingRates.region, ShadingRates.regionRowBytes, ShadingRates.regionShift, ShadingRates.isConstant].map(
        (field) => int(record, field)
      )
    ).toEqual([6000, 4, 4, 0]);
  });

  test("hold a primitive stage's rate instead of the vertices'", () => {
    const { records, int } = open(null);
    const of = (combiner: 'keep' | 'finest' | 'product', stated: ShadingRate): number =>
      records.of(leaf({ primitiveRate: 1 }), dynamic('2x1', { primitive: combiner }), 0, stated);
    const product = of('product', '2x2');
    expect([int(product, ShadingRates.rate), int(product, ShadingRates.primitive)]).toEqual([codeOf('4x2'), -1]);
    expect(int(product, ShadingRates.isConstant)).toBe(1);
    expect(int(of('keep', '4x4'), ShadingRates.rate)).toBe(codeOf('2x1'));
    expect(of('finest', '1x1')).toBe(0);
  });

  test('note requests without effect, by cause', () => {
    const { records, onRateFallback } = open(null);
    records.note(leaf({ rateFallback: 'frag-depth' }), dynamic('2x2'));
    records.note(leaf({ rateFallback: 'storage', primitiveRate: 0 }), dynamic('1x1'));
    records.note(leaf({ rateFallback: 'storage' }), dynamic('1x1'));
    records.note(leaf(), dynamic('2x2'));
    records.note(leaf({ fragment: null }), dynamic('2x2'));
    expect(onRateFallback).toEqual(['frag-depth', 'storage']);
  });
});

test('a pass has rates if one of its draw calls may be coarse', () => {
  const has = (rates: PassRates | null, states: readonly DynamicState[], leaves: readonly Leaf[]): boolean =>
    hasRates({ rates, runs: states.map((state) => ({ dynamic: state, commands: [] })) } as unknown as PassState, [
      { leaves } as unknown as Pipeline,
    ]);
  const fine = dynamic('1x1');
  const coarse = dynamic('2x2');
  expect(has(null, [fine], [leaf()])).toBe(false);
  expect(has(null, [fine, coarse], [leaf()])).toBe(true);
  expect(has(null, [coarse], [leaf({ rateFallback: 'storage' }), leaf({ fragment: null })])).toBe(false);
  expect(has(null, [fine], [leaf(), leaf({ primitiveRate: 0 })])).toBe(true);
  expect(has({ depth: [table(1)], region: null }, [fine], [leaf()])).toBe(true);
  expect(has({ depth: [table(1)], region: null }, [dynamic('1x1', { depth: 'keep' })], [leaf()])).toBe(false);
  expect(has({ depth: [table(1)], region: null }, [], [leaf()])).toBe(false);
});
