// Depth tables: their validation and their form in kernels. Also causes for falling back to 1×1, and shading rate
// records.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ShadingRates } from '../../build/layout';
import type { IrInput, IrOutput } from '../../src/ir';
import {
  combinerTable,
  depthTableFault,
  depthTerms,
  rateFallback,
  ratesRecord,
  type DepthTable,
  type RateSources,
  type ShadingRate,
} from '../../src/shading-rate';
import { ROUNDINGS, sliceOf } from './rates';

const FOUR: readonly ShadingRate[] = ['1x1', '1x2', '2x2', '4x4'];
const table = (near: number, far: number, rates: readonly ShadingRate[] = FOUR): DepthTable => ({
  near,
  far,
  rates,
  rounding: 'floor',
  at: 'centre',
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
  ])('of %s are rejected', (_name, bad, message) => expect(depthTableFault(bad)).toBe(message));

  test.each([
    table(0, 1),
    table(1, 0),
    table(-5, 1e30),
    table(0.9999999, 1),
    table(0, 3e-39),
    table(0, 1, [...FOUR, ...FOUR]),
    table(0, 1, [...FOUR, ...FOUR, ...FOUR, ...FOUR]),
  ])('are accepted: $near to $far, $rates.length slices', (good) => {
    expect(depthTableFault(good)).toBeNull();
    const { low, high, starts } = depthTerms(good);
    expect([low, high, ...starts].every((term) => Math.fround(term) === term)).toBe(true);
    expect(starts).toHaveLength(good.rates.length - 1);
  });

  test('have slices that begin at 32-bit floats, in both directions', () => {
    expect(depthTerms(table(0, 1))).toEqual({ low: 0, high: 1, direction: 1, starts: [0.25, 0.5, 0.75] });
    expect(depthTerms(table(1, 0.5))).toEqual({ low: 0.5, high: 1, direction: -1, starts: [-0.875, -0.75, -0.625] });
    // With nearest rounding, slice n begins half a slice before n: inclusive if n is even, exclusive if odd.
    expect(depthTerms({ ...table(0, 1), rounding: 'nearest' }).starts).toEqual([
      0.125 + 2 ** -26,
      0.375,
      0.625 + 2 ** -24,
    ]);
  });

  test('begin each slice at its first 32-bit float', () => {
    const step = (z: number): number => Math.max(Math.abs(z) * 2 ** -24, 2 ** -149);
    const float = fc.float({ noNaN: true, noDefaultInfinity: true, min: Math.fround(-1e6), max: Math.fround(1e6) });
    const counts = fc.constantFrom(4, 8, 16);
    const roundings = fc.constantFrom(...ROUNDINGS);
    fc.assert(
      fc.property(float, float, counts, roundings, (near, far, count, rounding) => {
        fc.pre(near !== far);
        const { direction, starts } = depthTerms({
          near,
          far,
          rounding,
          rates: new Array<ShadingRate>(count).fill('1x1'),
        });
        starts.forEach((start, i) => {
          const at = start * direction;
          const before = Math.fround(at - step(at) * direction);
          const slice = (z: number): number => sliceOf({ near, far, count, rounding }, z);
          expect(slice(at)).toBeGreaterThanOrEqual(i + 1);
          if (before !== at) expect(slice(before)).toBeLessThanOrEqual(i);
        });
      }),
      { numRuns: 2000 }
    );
  });
});

describe('shaders fall back to 1×1', () => {
  const sampleMask: IrInput = { kind: 'builtin', builtin: 'sample_mask', type: 'u32' };
  const color: IrOutput = { kind: 'color', location: 0, component: 0, type: 'f32' };
  const none = {
    runsPerSample: false,
    inputs: [],
    outputs: [color],
    alphaToCoverage: false,
    usesStorage: false,
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
    [
      'target-reads',
      {
        ...none,
        inputs: [{ kind: 'builtin', builtin: 'sample_depth', type: 'f32' }] satisfies IrInput[],
        hasFineStages: true,
      },
    ],
    ['pixel-stages', { ...none, hasFineStages: true }],
  ])('for %s', (cause, use) => expect(rateFallback(use)).toBe(cause));
});

describe('shading rate records', () => {
  const sources = (more: Partial<RateSources> = {}): RateSources => ({
    rate: '2x1',
    combiners: { primitive: 'finest', region: 'product', depth: 'average' },
    primitive: -1,
    region: null,
    depth: null,
    ...more,
  });
  const read = (record: Uint8Array) => {
    const view = new DataView(record.buffer);
    return {
      int: (field: number): number => view.getInt32(field, true),
      float: (field: number): number => view.getFloat32(field, true),
      bytes: (at: number, count: number): number[] => [...record.subarray(at, at + count)],
    };
  };

  test("with a draw call's rate only", () => {
    const record = ratesRecord(sources());
    const { int, bytes } = read(record);
    expect(record.length).toBe(ShadingRates.bytes);
    expect([int(ShadingRates.rate), int(ShadingRates.isConstant), int(ShadingRates.primitive)]).toEqual([4, 1, -1]);
    expect([int(ShadingRates.region), int(ShadingRates.slices)]).toEqual([0, 0]);
    expect(bytes(ShadingRates.primitiveCombiner, 256)).toEqual([...combinerTable('finest')]);
    expect(bytes(ShadingRates.regionCombiner, 256)).toEqual([...combinerTable('product')]);
    expect(bytes(ShadingRates.depthCombiner, 256)).toEqual([...combinerTable('average')]);
  });

  test.each([
    ['a primitive', { primitive: 3 }],
    ['a region', { region: { address: 64, rowBytes: 12, blockSize: 8 } as const }],
    ['depth', { depth: table(0, 1) }],
  ])('to which %s adds are not constant', (_name, more) => {
    expect(read(ratesRecord(sources(more))).int(ShadingRates.isConstant)).toBe(0);
  });

  test('with regions', () => {
    for (const [blockSize, shift] of [
      [8, 3],
      [16, 4],
    ] as const) {
      const { int } = read(ratesRecord(sources({ region: { address: 4096, rowBytes: 20, blockSize } })));
      expect([ShadingRates.region, ShadingRates.regionRowBytes, ShadingRates.regionShift].map(int)).toEqual([
        4096,
        20,
        shift,
      ]);
    }
  });

  test('with depth', () => {
    const depth: DepthTable = { ...table(1, 0.5), rounding: 'nearest', at: 'max' };
    const { int, float, bytes } = read(ratesRecord(sources({ depth })));
    expect([ShadingRates.slices, ShadingRates.at].map(int)).toEqual([4, 2]);
    const starts = [0, 1, 2].map((i) => ShadingRates.sliceStarts + 4 * i);
    expect([ShadingRates.low, ShadingRates.high, ShadingRates.direction].map(float)).toEqual([0.5, 1, -1]);
    expect(starts.map(float)).toEqual(depthTerms(depth).starts);
    expect(bytes(ShadingRates.sliceRates, 5)).toEqual([0, 1, 5, 10, 0]);
    expect(
      (['centre', 'min', 'centroid'] as const).map((at) =>
        read(ratesRecord(sources({ depth: { ...depth, at } }))).int(ShadingRates.at)
      )
    ).toEqual([0, 1, 3]);
  });
});
