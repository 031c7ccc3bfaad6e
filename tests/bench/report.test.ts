// The report of the benchmarks: from numbers, including unusual and missing ones, to a page and a picture. The numbers
// here are made up, and round.
import { describe, expect, test } from 'vitest';
import { figure } from '../../bench/report/draw.mjs';
import { page, picture } from '../../bench/report/page.mjs';
import { sections, type Section } from '../../bench/report/sections.mjs';

const machine = {
  cpu: 'A <fast> CPU',
  cores: 2,
  memoryGiB: 8,
  node: 'v20',
  v8: '11',
  platform: 'linux',
  commit: 'abc',
  date: '2030-01-01',
};
const frame = (rasterloom: number | null, swiftshader: number | null, llvmpipe: number | null) => ({
  rasterloom,
  swiftshader,
  llvmpipe,
  swiftshaderRatio: rasterloom && swiftshader && swiftshader / rasterloom,
  llvmpipeRatio: rasterloom && llvmpipe && llvmpipe / rasterloom,
});
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

const named = (results: Readonly<Record<string, unknown>>, file: string): Section =>
  sections(results).find((section) => section.file === file)!;
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
