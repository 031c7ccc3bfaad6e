// The sections of the report about single contents: three.js, the cost map, and random configurations. The numbers here
// are made up, and round.
import { describe, expect, test } from 'vitest';
import { page } from '../../bench/report/page.mjs';
import { sections } from '../../bench/report/sections.mjs';
import { machine, named } from './report.kit';

const limits = { median: 1.3, each: 0.9 };
const scene = (ratio: number) => ({
  10: { ours: { ms: 20, cpu: 30 }, llvmpipe: { ms: 10, cpu: 20, ratio: 0.5, cpuRatio: 0.6, likeness: 1 } },
  '30 to 60': { ours: { ms: 10, cpu: 15 }, llvmpipe: { ms: 10 * ratio, cpu: 15, ratio, cpuRatio: 1, likeness: 0.995 } },
});
const three = {
  machine,
  size: '640x360',
  rounds: 3,
  peers: ['llvmpipe'],
  compared: {
    '1x, frames 10, llvmpipe': { median: 0.5, least: 0.5, limits, reached: true },
    '1x, frames 30 to 60, llvmpipe': { median: 1.5, least: 0.8, limits, reached: false },
  },
  results: { '1x': { sprites: scene(2), points: scene(0.8), fog: scene(1.5) } },
};
const costs = {
  machine,
  sizes: ['640x360', '1280x720'],
  kinds: ['rgba8unorm@1', 'rgba8unorm@4', 'rgba16float@1'],
  rows: {
    'empty, rgba8unorm@1, 640x360': {
      row: 'empty',
      kind: 'rgba8unorm@1',
      size: '640x360',
      ours: { ns: 2, cpu: 4 },
      llvmpipe: { ns: 1, cpu: 4, ratio: [0.5, 0.4, 0.6], cpuRatio: [1, 1, 1], likeness: 1 },
    },
    'sin, rgba8unorm@1, 640x360': {
      row: 'sin',
      kind: 'rgba8unorm@1',
      size: '640x360',
      ours: { ns: 20, cpu: 40 },
      llvmpipe: { ns: 40, cpu: 60, ratio: [2, 1.9, 2.1], cpuRatio: [1.5, 1, 2], likeness: 1 },
      swiftshader: { ns: 100, cpu: 100, ratio: [5, 5, 5], cpuRatio: [2.5, 2, 3], likeness: 1 },
    },
  },
  goals: [{ what: 'empty, rgba8unorm@1, 640x360', value: 0.5, limit: 1.2, reached: false }],
};
const result = (seed: number, ratio: number) => ({
  seed,
  ratio,
  cpuRatio: 1,
  ms: 2,
  peerMs: 2 * ratio,
  traits: ['1 sample', 'blend alpha'],
});
const search = {
  machine,
  peer: 'llvmpipe',
  limits: { share: 0.02, least: 0.7 },
  results: [result(1, 2), result(2, 0.5), result(3, 0.9), result(4, 1.4)],
};

describe('three.js', () => {
  const { charts, limits: held } = named({ three }, 'three');
  test('the title is the median, and rows have all windows', () => {
    expect(charts.map(({ title }) => title)).toEqual([
      '3 scenes of three.js at 1 sample: 1.50 times as fast as llvmpipe in the median',
      'three.js from the first frame to steady frames',
    ]);
    expect(charts[1]!.table!.rows).toEqual([['llvmpipe, 1 sample', '0.50', '1.50']]);
    expect(charts[0]!.table!.rows[1]).toEqual([
      'points',
      ...['20.0', '0.50', '0.60'],
      ...['10.0', '0.80', '1.00'],
      '99.5 %',
    ]);
  });
  test('steady frames have limits on the median and on the least', () => {
    expect(held.map(({ value, limit, reached }) => [value, limit, reached])).toEqual([
      ['1.50', '≥ 1.3', true],
      ['0.80', '≥ 0.9', false],
    ]);
  });
});

test('the cost map has a chart per measured size', () => {
  const { charts, limits: held } = named({ costs }, 'costs');
  expect(charts.map(({ title }) => title)).toEqual(['1 of 2 passes are as fast as llvmpipe’s, 640×360']);
  expect(charts[0]!.table!.rows).toEqual([
    ['empty', 'rgba8unorm@1', '2.00', '1.00', '0.50', '0.40 … 0.60', '1.00', '–'],
    ['sin', 'rgba8unorm@1', '20.0', '40.0', '2.00', '1.90 … 2.10', '1.50', '100'],
  ]);
  expect(held).toEqual([
    { what: 'empty, rgba8unorm@1, 640x360, over llvmpipe', value: '0.50', limit: '≥ 1.2', reached: false },
  ]);
});

test('random configurations are sorted, the slowest first', () => {
  const { charts, limits: held } = named({ search }, 'search');
  expect(charts[0]!.title).toBe('2 of 4 random configurations are slower than on llvmpipe');
  expect(charts[0]!.table!.rows.map(([seed]) => seed)).toEqual(['2', '3', '4', '1']);
  expect(held.map(({ value, reached }) => [value, reached])).toEqual([
    ['0.50', false],
    ['0.50', false],
  ]);
});

describe('scaling', () => {
  const scene = (at16: number) => ({
    ms: 40,
    serialShare: 0.05,
    predicted: { 1: 1, 2: 1.9, 16: at16 },
    measured: [1.8, 1.7, 1.9],
    limits: [{ what: 'the longest tile task', share: 0.5 }],
    goals: [{ what: 'fill, 16 workers', value: at16, limit: 11, atLeast: true, reached: at16 >= 11 }],
  });
  const scaling = { machine, workers: [1, 2, 16], results: { 'fill@1x': scene(12), 'helmet@4x': scene(8) } };
  const { charts, limits: held } = named({ scaling }, 'scaling');
  test('the title is the least prediction, and rows say what limits', () => {
    expect(charts[0]!.title).toBe('16 workers are predicted to be at least 8.00 times as fast as one');
    expect(charts[0]!.table!.rows[0]).toEqual([
      'fill 1×',
      '40.0',
      '5 %',
      '1.90',
      '12.0',
      '1.80',
      'the longest tile task',
    ]);
    expect(held.map(({ reached }) => reached)).toEqual([true, false]);
  });
  test('every scene is a line with its name and last value', () => {
    const svg = page(sections({ scaling }));
    for (const text of ['fill 1×', 'helmet 4×', '12.0', '8.00']) expect(svg).toContain(`>${text}</text>`);
  });
});

test('the page draws them', () => {
  expect(page(sections({ three, costs, search })).match(/<svg /g)!.length).toBe(4);
});
