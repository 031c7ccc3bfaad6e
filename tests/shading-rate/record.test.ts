// Depth tables: which are refused, and what kernels get of them; causes of falling back; records.
import { describe, expect, test } from 'vitest';
import { ShadingRates } from '../../build/layout';
import type { IrInput, IrOutput } from '../../src/ir';
import {
  combinerTable, depthTableFault, depthTerms, rateFallback, ratesRecord, type DepthTable, type RateSources,
  type ShadingRate,
} from '../../src/shading-rate';

const FOUR: readonly ShadingRate[] = ['1x1', '1x2', '2x2', '4x4'];
const table = (near: number, far: number, rates: readonly ShadingRate[] = FOUR): DepthTable => ({
  near, far, rates, rounding: 'floor', at: 'centre',
});

describe('depth tables', () => {
  test.each<[string, DepthTable, string]>([
    ['three slices', table(0, 1, FOUR.slice(1)), 'rates must have 4, 8 or 16 entries, not 3'],
    ['no slices', table(0, 1, []), 'rates must have 4, 8 or 16 entries, not 0'],
    ['NaN', table(NaN, 1), 'near must be a finite 32-bit float, not NaN'],
    ['infinity', table(0, -Infinity), 'far must be a finite 32-bit float, not -Infinity'],
    ['more than floats have', table(0, 1e39), 'far must be a finite 32-bit float, not 1e+39'],
    ['no range', table(0.5, 0.5), 'near and far must differ as 32-bit floats, and both are 0.5'],
    ['no range of floats', table(1, 1 + 1e-12), 'near and far must differ as 32-bit floats, and both are 1'],
    ['too small a range', table(0, 1e-40), 'near 0 and far 1e-40 are too close together: 1/(far − near) must be finite as a 32-bit float'],
    ['too large a range', table(-3e38, 3e38), 'near -3e+38 and far 3e+38 are too far apart: far − near must be finite as a 32-bit float'],
  ])('of %s are refused', (_name, bad, message) => expect(depthTableFault(bad)).toBe(message));

  test.each([
    table(0, 1), table(1, 0), table(-5, 1e30), table(0.9999999, 1), table(0, 3e-39), table(0, 1, [...FOUR, ...FOUR]),
    table(0, 1, [...FOUR, ...FOUR, ...FOUR, ...FOUR]),
  ])('are taken: $near to $far, $rates.length slices', (good) => {
    expect(depthTableFault(good)).toBeNull();
    for (const term of Object.values(depthTerms(good))) expect(Number.isFinite(term)).toBe(true);
  });

  test('have terms in 32-bit floats, both ways round', () => {
    const f = Math.fround;
    expect(depthTerms(table(0.1, 0.7))).toEqual({
      low: f(0.1), high: f(0.7), a: f(1 / f(f(0.7) - f(0.1))), b: f(f(0.1) * f(1 / f(f(0.7) - f(0.1)))),
    });
    expect(depthTerms(table(1, 0.5))).toEqual({ low: 0.5, high: 1, a: -2, b: -2 });
  });
});

describe('programs fall back', () => {
  const sampleMask: IrInput = { kind: 'builtin', builtin: 'sample_mask', type: 'u32' };
  const color: IrOutput = { kind: 'color', location: 0, component: 0, type: 'f32' };
  const none = {
    runsPerSample: false, inputs: [], outputs: [color], alphaToCoverage: false, usesStorage: false,
    hasFineStages: false,
  };
  test.each([
    [null, none],
    ['sample-rate', { ...none, runsPerSample: true, usesStorage: true }],
    ['frag-depth', { ...none, outputs: [color, { kind: 'frag_depth', type: 'f32' }] satisfies IrOutput[] }],
    ['sample-mask', { ...none, inputs: [sampleMask], alphaToCoverage: true }],
    ['sample-mask', { ...none, outputs: [color, { kind: 'sample_mask', type: 'u32' }] satisfies IrOutput[] }],
    ['alpha-to-coverage', { ...none, alphaToCoverage: true }],
    ['storage', { ...none, usesStorage: true }],
    ['target-reads', {
      ...none, inputs: [{ kind: 'builtin', builtin: 'sample_depth', type: 'f32' }] satisfies IrInput[], hasFineStages: true,
    }],
    ['pixel-stages', { ...none, hasFineStages: true }],
  ])('for %s', (cause, use) => expect(rateFallback(use)).toBe(cause));
});

describe('records', () => {
  const sources = (more: Partial<RateSources> = {}): RateSources => ({
    rate: '2x1', combiners: { primitive: 'finest', region: 'product', depth: 'average' }, primitive: -1, region: null,
    depth: null, ...more,
  });
  const read = (record: Uint8Array) => {
    const view = new DataView(record.buffer);
    return {
      int: (field: number): number => view.getInt32(field, true),
      float: (field: number): number => view.getFloat32(field, true),
      bytes: (at: number, count: number): number[] => [...record.subarray(at, at + count)],
    };
  };

  test('of a draw alone', () => {
    const record = ratesRecord(sources()), { int, bytes } = read(record);
    expect(record.length).toBe(ShadingRates.bytes);
    expect([int(ShadingRates.rate), int(ShadingRates.isConstant), int(ShadingRates.primitive)]).toEqual([4, 1, -1]);
    expect([int(ShadingRates.region), int(ShadingRates.slices)]).toEqual([0, 0]);
    expect(bytes(ShadingRates.primitiveCombiner, 256)).toEqual([...combinerTable('finest')]);
    expect(bytes(ShadingRates.regionCombiner, 256)).toEqual([...combinerTable('product')]);
    expect(bytes(ShadingRates.depthCombiner, 256)).toEqual([...combinerTable('average')]);
  });

  test.each([
    ['a primitive', { primitive: 3 }], ['a region', { region: { address: 64, rowBytes: 12, blockSize: 8 } as const }],
    ['depth', { depth: table(0, 1) }],
  ])('to which %s adds are not constant', (_name, more) => {
    expect(read(ratesRecord(sources(more))).int(ShadingRates.isConstant)).toBe(0);
  });

  test('of regions', () => {
    for (const [blockSize, shift] of [[8, 3], [16, 4]] as const) {
      const { int } = read(ratesRecord(sources({ region: { address: 4096, rowBytes: 20, blockSize } })));
      expect([ShadingRates.region, ShadingRates.regionRowBytes, ShadingRates.regionShift].map(int)).toEqual([
        4096, 20, shift,
      ]);
    }
  });

  test('of depth', () => {
    const depth: DepthTable = { ...table(1, 0.5), rounding: 'nearest', at: 'max' };
    const { int, float, bytes } = read(ratesRecord(sources({ depth })));
    expect([ShadingRates.slices, ShadingRates.rounding, ShadingRates.at].map(int)).toEqual([4, 1, 2]);
    expect([ShadingRates.low, ShadingRates.high, ShadingRates.a, ShadingRates.b].map(float)).toEqual([0.5, 1, -2, -2]);
    expect(bytes(ShadingRates.sliceRates, 5)).toEqual([0, 1, 5, 10, 0]);
    expect((['centre', 'min', 'centroid'] as const).map(
      (at) => read(ratesRecord(sources({ depth: { ...depth, at } }))).int(ShadingRates.at)
    )).toEqual([0, 1, 3]);
    expect(read(ratesRecord(sources({ depth: table(0, 1) }))).int(ShadingRates.rounding)).toBe(0);
  });
});
