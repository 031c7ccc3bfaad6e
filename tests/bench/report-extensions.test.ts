import { describe, expect, test } from 'vitest';
import { page } from '../../bench/report/page.mjs';
import { machine, named } from './report.kit';

describe('streamed textures', () => {
  test('one chart has all ratios, and the limits are reported', () => {
    const section = named(
      {
        streamed: {
          machine,
          results: {
            resident: [
              { what: 'nearest', value: 1.5, interval: [1.4, 1.6] },
              { what: 'trilinear', value: 1.2, interval: [1.1, 1.3], limit: 1.3, atLeast: false, reached: true },
            ],
            stalls: [
              { what: 'pages of 5 ms', value: 1.4, interval: [1.35, 1.5], limit: 1.3, atLeast: false, reached: false },
            ],
            thumbnail: [],
          },
        },
      },
      'streamed'
    );
    expect(section.charts).toHaveLength(1);
    expect(section.charts[0]!.title).toBe('Streamed textures keep 1 of 2 limits');
    expect(section.limits).toEqual([
      { what: 'trilinear', value: '1.20', limit: '≤ 1.3', reached: true },
      { what: 'pages of 5 ms', value: '1.40', limit: '≤ 1.3', reached: false },
    ]);
    expect(page([section])).toContain('pages of 5 ms');
  });

  test('without figures there is no chart', () => {
    expect(named({}, 'streamed').charts).toEqual([]);
  });
});

describe('modular pipelines', () => {
  test('costs and savings have a chart each, and the limits of both are reported', () => {
    const interval = [1, 1.1];
    const results = {
      one: { 'in view': { ms: { table: 2.02, pipeline: 2 }, value: 1.01, interval, limit: 1.01, reached: true } },
      chain: { 'in view, jit': { ms: { chained: 2.5, merged: 2 }, value: 1.25, interval } },
      memory: { 'few vertices': { ms: { passes: 6, chained: 2 }, value: 3, interval, limit: 2, reached: true } },
      enable: {
        'small, jit': {
          ms: { first: 2, cold: 10 },
          makeMs: { first: 0.1, cold: 5 },
          make: { first: { value: 50, interval, limit: 100, reached: false } },
          whole: { first: { value: 5, interval } },
        },
      },
    };
    const { charts, limits } = named({ modular: { machine, results } }, 'modular');
    expect(charts.map(({ title }) => title)).toEqual([
      'A table of one stage takes 1.01 times what a render pipeline takes, '
        + 'three stages up to 1.25 times what one program does',
      'A slot is turned on 5.00 to 50.0 times as fast as a pipeline is made anew',
    ]);
    expect(charts[0]!.table!.rows[1]).toEqual(['three, in view, jit', '2.50', '2.00', '1.25', '1.00 … 1.10']);
    expect(charts[1]!.table!.rows[0]).toEqual([
      'chained instead of a pass each, few vertices',
      '2.00',
      '6.00',
      '3.00',
      '1.00 … 1.10',
    ]);
    expect(charts[1]!.table!.rows[1]).toEqual(['made: first, small, jit', '0.10', '5.00', '50.0', '1.00 … 1.10']);
    expect(limits).toEqual([
      { what: 'one stage, in view', value: '1.01', limit: '≤ 1.01', reached: true },
      { what: 'chained instead of a pass each, few vertices', value: '3.00', limit: '≥ 2', reached: true },
      { what: 'made: first, small, jit', value: '50.0', limit: '≥ 100', reached: false },
    ]);
    expect(named({ modular: { machine, results: { one: {} } } }, 'modular').charts).toEqual([]);
  });
});

describe('coarse shading', () => {
  const interval = [0.5, 0.7];
  const frame = {
    what: 'helmet@1x, 2x2 over nothing set, frame',
    value: 0.6,
    interval,
    sides: ['2x2', 'nothing set'],
    ms: { '2x2': 12, 'nothing set': 20 },
    limit: 0.65,
    atLeast: false,
    reached: true,
  };
  const runs = {
    what: 'corridor@1x, auto, runs',
    value: 0.62,
    runs: [620, 1000],
    limit: 0.6,
    atLeast: false,
    reached: false,
  };
  const lanes = { what: 'dragon@1x, 4x4, lanes busy', value: 0.95, limit: 0.9, atLeast: true, reached: true };
  test('times and runs have a chart each, and every limit is reported', () => {
    const parts = { what: 'helmet@1x, kernel times by part', partMs: {} };
    const results = { helmet: [frame, parts], corridor: [runs], busy: [lanes] };
    const { charts, limits } = named({ 'shading-rate': { machine, results } }, 'shading-rate');
    expect(charts.map(({ title }) => title)).toEqual([
      'Coarse shading takes a frame down to 0.60 of its time',
      'Fragment programs run down to 0.62 times as often',
    ]);
    expect(charts[0]!.table!.rows).toEqual([[frame.what, '12.0', '20.0', '0.60', '0.50 … 0.70']]);
    expect(charts[1]!.table!.rows).toEqual([[runs.what, '620', '1000', '0.62']]);
    expect(limits).toEqual([
      { what: frame.what, value: '0.60', limit: '≤ 0.65', reached: true },
      { what: runs.what, value: '0.62', limit: '≤ 0.6', reached: false },
      { what: lanes.what, value: '0.95', limit: '≥ 0.9', reached: true },
    ]);
  });
});

describe('programmable blending', () => {
  const row = {
    what: 'sprites@1x, short program, blending by it over by its state, frame',
    value: 1.4,
    interval: [1.3, 1.5],
    sides: ['program', 'state'],
    ms: { program: 14, state: 10 },
    limit: 1.5,
    atLeast: false,
    reached: true,
  };
  const gallery = {
    what: 'gallery@4x',
    value: 1.2,
    interval: [1.1, 1.3],
    sides: ['programs', 'state'],
    ms: { programs: 6, state: 5 },
  };
  test('times have a chart, and limits are reported', () => {
    const results = { over: [row, { ...row, value: 2 }], gallery: [gallery] };
    const { charts, limits } = named({ blend: { machine, results } }, 'blend');
    expect(charts.map(({ title }) => title)).toEqual([
      'Blending by a program takes 1.40 to 2.00 times what the blend state takes',
    ]);
    expect(charts[0]!.table!.rows[2]).toEqual(['gallery@4x', '6.00', '5.00', '1.20', '1.10 … 1.30']);
    expect(limits[0]).toEqual({ what: row.what, value: '1.40', limit: '≤ 1.5', reached: true });
  });
});

describe('surfaces', () => {
  test('every measured limit is reported, and where encoding was off', () => {
    const judged = (value: number, limit: number, reached: boolean) => ({ value, limit, reached });
    const frames = {
      helmet: {
        ms: { '1x': 20, '4x': 30, '8x': 36, '4 plainx': 40, '8 plainx': 60 },
        color: { held: 0.3, moved: 0.25 },
        depth: { held: 0.9, moved: 0.8 },
        over1: { 4: judged(1.5, 1.5, true), 8: judged(1.8, 1.9, true) },
        overPlain: { 8: judged(0.6, 1, true) },
        held: judged(0.3, 0.35, true),
        moved: judged(0.25, 0.3, true),
      },
    };
    const ms = { '4x': 5, '4 plainx': 10 };
    const content = {
      'one value': {
        blend: { ms, overPlain: { 4: judged(0.5, 0.5, true) } },
        resolve: { ms, overPlain: { 4: judged(0.6, 0.5, false) } },
        fourOver8: judged(1.1, 1, false),
        held: { value: 0.1 },
      },
      noise: { blend: { ms, overPlain: { 4: judged(1.2, 1.1, false) } }, held: judged(1.01, 1.05, true) },
    };
    const programs = { 'one value': { over: { 4: { ns: judged(40, 45, true), fixed: judged(5, 4, false) } } } };
    const results = { frames, content, programs, resolve: { cleared: judged(1.1, 1.3, true) } };
    const { charts, limits } = named({ surfaces: { machine, width: 1280, height: 720, results } }, 'surfaces');
    expect(charts[0]!.title).toBe('Eight samples take 1.80 times as long as one (helmet)');
    expect(charts[0]!.table!.rows).toEqual([
      ['helmet', '20.0', '30.0', '36.0', '40.0', '60.0', '30.0 %', '25.0 %', '90.0 %', '80.0 %'],
    ]);
    expect(limits.map(({ what, limit, reached }) => [what, limit, reached])).toEqual([
      ['helmet: 4 samples over 1', '≤ 1.5', true],
      ['helmet: 8 samples over 1', '≤ 1.9', true],
      ['helmet: 8 samples over plain', '≤ 1', true],
      ['helmet: colour held, of uncompressed', '≤ 0.35', true],
      ['helmet: colour moved, of uncompressed', '≤ 0.3', true],
      ['blend, one value, 4 samples, over plain', '≤ 0.5', true],
      ['resolve, one value, 4 samples, over plain', '≤ 0.5', false],
      ['blend, noise, 4 samples, over plain', '≤ 1.1', false],
      ['blend, one value: 4 samples over 8', '≤ 1', false],
      ['noise: bytes held over plain', '≤ 1.05', true],
      ['over by a program, one value, 4 samples: ns a pixel', '≤ 45', true],
      ['over by a program, one value, 4 samples: over the fixed function', '≤ 4', false],
      ['resolve, cleared, over a copy', '≤ 1.3', true],
    ]);
    expect(charts[1]!.title).toBe(
      'Encoded surfaces are blended and resolved in 0.50 to 1.20 of the time that plain ones take'
    );
    expect(charts[1]!.table!.rows[0]).toEqual(['blend, one value, 4 samples', '5.00', '10.0', '0.50', '0.50']);
    expect(charts[2]!.title).toBe('A program blends one colour a pixel in 40.0 ns a pixel');
  });
});
