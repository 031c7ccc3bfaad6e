// The report of the benchmarks: from numbers, including unusual and missing ones, to a page and a picture. The numbers
// here are made up, and round.
import { describe, expect, test } from 'vitest';
import { figure } from '../../bench/report/draw.mjs';
import { page, picture } from '../../bench/report/page.mjs';
import { sections } from '../../bench/report/sections.mjs';
import { frame, machine, named } from './report.kit';

const peers = {
  machine,
  width: 1280,
  height: 720,
  engine: 'jit',
  threads: 2,
  frames: {
    'fill@1x': frame(2, 5, 1),
    'fill@4x': frame(2, 20, 10),
    'helmet@1x': frame(20, 200, 60),
    'helmet@4x': frame(30, 300, 90),
  },
  goals: {
    'fill@1x over llvmpipe': { value: 0.5, limit: 1.3, reached: false },
    'helmet@1x over swiftshader': { value: 10, limit: 7, reached: true },
  },
  pictures: { 'fill@1x': { percent: 99.5, reference: 'llvmpipe', largest: 3, near: true } },
};
const loop = (overScalar: number, overPlain: number) => ({
  unit: 'pixel',
  ns: { simd: 1, scalar: overScalar, plain: overPlain },
  cycles: { simd: 3, scalar: 3 * overScalar, plain: 3 * overPlain },
  overScalar,
  overPlain,
});
const kernels = {
  machine,
  loops: { coverage: loop(4, 10), 'depth test': loop(0.8, 6), blend: { ...loop(40, 5), general: true } },
  median: { value: 4, limit: 2.5, reached: true, twins: 2, overGeneral: 40, overPlain: 6 },
};
/** All texts of an SVG, in order. */
const texts = (svg: string): string[] => [...svg.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, text]) => text!);

describe('figures', () => {
  test.each([
    [1571.74, '1572'],
    [12.345, '12.3'],
    [1.684, '1.68'],
    [0.996, '1.00'],
    [0.0917, '0.092'],
    [0, '0'],
    [null, '–'],
    [NaN, '–'],
    [Infinity, '–'],
    [undefined, '–'],
  ])('%s is %s', (value, text) => {
    expect(figure(value)).toBe(text);
  });
});

describe('compute shaders', () => {
  test('compiled compared with other engines', () => {
    const programs = {
      matrix: {
        size: 512,
        ms: { compiled: 2, interpreter: 40, scalar: 100 },
        ratios: { interpreter: [20, 19, 21], scalar: [50] },
      },
      blur: {
        size: 1024,
        ms: { compiled: 3, interpreter: 15, scalar: 60 },
        ratios: { interpreter: [5, 4, 6], scalar: [20] },
      },
    };
    const {
      charts: [chart],
    } = named({ compute: { machine, programs } }, 'compute');
    expect(chart!.title).toBe('Compiled compute programs are 5.00 to 20.0 times as fast as with the interpreter');
    expect(chart!.table!.rows[0]).toEqual(['matrix', '512', '2.00', '40.0', '20.0', '100', '50.0']);
    expect(named({ compute: { machine, programs: {} } }, 'compute').charts).toEqual([]);
  });

  test('compared with peers, with their limits', () => {
    const programs = { blur: { size: 1920, ms: { rasterloom: 2, 'one thread': 3 }, ratios: { 'one thread': 1.5 } } };
    const goals = [
      { what: 'blur over one thread', value: 1.5, limit: 1.8, reached: false },
      { what: 'blur over swiftshader', value: 30, limit: 3, reached: true },
    ];
    const { charts, limits } = named({ 'compute-peers': { machine, threads: 2, programs, goals } }, 'compute-peers');
    expect(charts[0]!.title).toBe('Compute programs reach 1 of 2 limits');
    expect(charts[0]!.table!.rows).toEqual([['blur', '1920', '2.00', '3.00', '1.50']]);
    expect(limits[0]).toEqual({ what: 'blur over one thread', value: '1.50', limit: '≥ 1.8', reached: false });
    expect(named({ 'compute-peers': { machine, programs } }, 'compute-peers').charts).toEqual([]);
  });
});

describe('nothing measured', () => {
  test('every section names the command that measures it', () => {
    const all = sections({});
    const html = page(all);
    expect(all.length).toBeGreaterThan(5);
    for (const { command, charts } of all) {
      expect(charts).toEqual([]);
      expect(html).toContain(`Not measured yet: <code>${command}</code>`);
    }
    expect(html).toContain('Nothing has been measured yet.');
    expect(picture(all)).toBeUndefined();
  });
});

describe('peers', () => {
  test('the titles count, and the bars represent the numbers', () => {
    const { charts, limits } = named({ peers }, 'peers');
    expect(charts.map(({ title }) => title)).toEqual([
      'Rasterloom takes the least time in 3 of 4 scenes',
      '1 of 2 limits are reached',
    ]);
    expect(limits).toEqual([
      { what: 'fill 1× over llvmpipe', value: '0.50', limit: '≥ 1.3', reached: false },
      { what: 'helmet 1× over swiftshader', value: '10.0', limit: '≥ 7', reached: true },
    ]);
    const drawn = texts(picture([named({ peers }, 'peers')])!);
    for (const text of [
      'Rasterloom',
      'SwiftShader',
      'llvmpipe',
      '1 sample',
      '4 samples',
      'fill',
      'helmet',
      '2.00',
      '5.00',
      '20.0',
      '200',
      '300',
    ])
      expect(drawn).toContain(text);
    expect(charts[0]!.table!.rows[0]).toEqual([
      'fill 1×',
      '2.00',
      '5.00',
      '1.00',
      '2.50',
      '0.50',
      '99.50 % near llvmpipe’s',
    ]);
  });

  test('a peer that was not installed has no bars, and is named', () => {
    const frames = { 'fill@1x': frame(2, null, 1), 'helmet@1x': frame(20, null, 60) };
    const { charts } = named({ peers: { ...peers, frames, goals: {} } }, 'peers');
    expect(charts[0]!.note).toContain('left out: SwiftShader.');
    expect(texts(picture([named({ peers: { ...peers, frames } }, 'peers')])!)).not.toContain('SwiftShader');
  });

  test('without any peer there are only our times', () => {
    const { charts } = named(
      {
        peers: {
          ...peers,
          frames: { 'fill@1x': frame(2, null, null), 'helmet@1x': frame(null, null, null) },
          goals: {},
          pictures: {},
        },
      },
      'peers'
    );
    expect(charts).toHaveLength(1);
    expect(charts[0]!.table!.rows).toEqual([
      ['fill 1×', '2.00', '–'],
      ['helmet 1×', '–', '–'],
    ]);
  });
});

describe('kernels', () => {
  test('a loop that is slower with SIMD is drawn like the others', () => {
    const {
      charts: [chart],
      limits,
    } = named({ kernels }, 'kernels');
    expect(chart!.title).toBe(
      'SIMD is 4.00 times as fast as its scalar twins, and 6.00 times as fast as TypeScript: medians of 2 and 3 loops'
    );
    expect(chart!.table!.rows[1]).toEqual([
      'depth test',
      '1.00',
      '0.80',
      '6.00',
      'pixel',
      '3.00',
      '2.40',
      '18.0',
      '0.80',
      '6.00',
    ]);
    expect(limits).toEqual([
      { what: 'SIMD over its scalar twins, median of the hot loops', value: '4.00', limit: '≥ 2.5', reached: true },
    ]);
    expect(texts(picture([named({ kernels }, 'kernels')])!)).toEqual(
      expect.arrayContaining(['coverage', 'blend', 'limit 2.5', 'scalar twin', 'general way, scalar'])
    );
  });
});

describe('the other parts', () => {
  const results = {
    threads: {
      machine,
      threads: 2,
      pairs: {
        'helmet@1x': { pairs: 21, one: 40, all: 21, ratio: 1.9, interval: [1.88, 1.92], limit: 1.8, reached: true },
      },
    },
    jit: {
      machine,
      engines: {
        'fill@1x': {
          frame: { interpreter: 3, jit: 2, ratio: 1.5, interval: [1.4, 1.6] },
          shading: { interpreter: 2, jit: 1, ratio: 2, limit: 2, holds: true },
        },
      },
      pipeline: {
        processes: 3,
        sync: {
          cold: { steps: { 'parse, check': 10, emit: 0 }, firstUse: 20, limit: 30, holds: true },
          warm: { ready: 5 },
        },
      },
      functions: { quads: { pow: { cycles: 30, limit: 36.4, holds: true } } },
    },
    scenes: {
      machine,
      width: 1280,
      height: 720,
      threads: [1, 2],
      frames: {
        'fill@8x': {
          threads: { 1: { median: 4, fps: 250 }, 2: { median: 2, fps: 500 } },
          counters: { trianglesIn: 1, verticesShaded: 3, quadsShaded: 10, lanesShaded: 40 },
          bytesUsed: 2 ** 20,
        },
      },
    },
    start: {
      machine,
      triangle: { median: 130, min: 120 },
      helmet: { median: 1600, min: 1500, limit: 1500, reached: false, parts: { start: 30, decode: 400, render: 200 } },
    },
    'less-work': {
      machine,
      overdraw: { '1x': { value: 1.7, interval: [1.6, 1.8], limit: 2, holds: true } },
      lanes: { 'dragon@1x': { value: 1, limit: 0.9, holds: true } },
    },
  };
  test('have a chart, a title with the conclusion, and limits', () => {
    const all = sections(results).filter(({ charts }) => charts.length);
    expect(all.flatMap(({ charts }) => charts.map(({ title }) => title))).toEqual([
      '2 threads are at least 1.90 times as fast as one',
      'Compiled programs make whole frames up to 1.50 times as fast',
      'The helmet’s pipeline is used 20.0 ms after its creation began, in a fresh process',
      'At least 500 frames a second at 1280×720 with 2 threads',
      'A picture of the helmet is written 1.60 s after the process began',
      '48 layers cost 1.70 times what one costs',
    ]);
    expect(
      sections(results)
        .flatMap(({ limits }) => limits)
        .filter(({ reached }) => !reached)
        .map(({ what }) => what)
    ).toEqual(['start of the process to the helmet’s picture, ms']);
  });

  test('results in an older format count as not measured', () => {
    const old = {
      scenes: { machine, frames: { 'fill@1x': { median: 3, min: 2, frames: 300 } } },
      threads: { machine },
      start: { machine },
      jit: { machine },
      kernels: { machine },
      peers: { machine },
      'less-work': { machine },
    };
    expect(sections(old).flatMap(({ charts }) => charts)).toEqual([]);
  });
});

describe('the page', () => {
  const html = page(sections({ peers, kernels }));
  test('is self-contained', () => {
    expect(html).not.toMatch(/<(script|link|img|iframe)\b|url\(\s*["']?http|@import/);
    expect(html.match(/<svg /g)!.length).toBe(3);
  });
  test('names the machine, and escapes text', () => {
    expect(html).toContain('A &lt;fast&gt; CPU, 2 cores, 8 GiB');
    expect(html).not.toContain('<fast>');
  });
  test('names missed limits', () => {
    expect(html).toContain('<strong>2 of 3</strong>');
    expect(html).toMatch(/not reached.*fill 1× over llvmpipe/s);
  });
  test('the picture is well-formed', () => {
    const svg = picture(sections({ peers, kernels }))!;
    for (const [tag] of svg.matchAll(/<[a-z][^>]*>/g)) expect(tag).toMatch(/^<[a-z]+( [\w:-]+="[^"<]*")*\s*\/?>$/i);
  });
});
