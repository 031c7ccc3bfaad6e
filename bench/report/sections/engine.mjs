// Sections about the parts of the engine: kernels, compilation, threads, and the start of a process.
import { COLORS, dots, figure, groupedBars, isNumber, ratioRows, stackedRows } from '../draw.mjs';
import { lines } from '../lines.mjs';
import { keysAt, limit, plural, sceneOf, samplesOf, threadsText, times } from './kit.mjs';

export function kernels({ kernels: results }) {
  const section = {
    title: 'SIMD against scalar and TypeScript',
    command: 'npm run bench kernels',
    file: 'kernels',
    machine: results?.machine,
    charts: [],
    limits: [],
  };
  if (!results?.loops) return section;
  const names = Object.keys(results.loops);
  const loops = Object.values(results.loops);
  const { value, limit: least, reached, twins, ofKinds, overGeneral, overPlain } = results.median ?? {};
  const over = (general) => loops.map((loop) => (Boolean(loop.general) === general ? loop.overScalar : null));
  section.charts.push({
    title:
      `SIMD is ${figure(value)} times as fast as its scalar twins, and ${figure(overPlain)} times as fast as `
      + `TypeScript: medians of ${twins} and ${names.length} loops`,
    note:
      'Each row is a hot loop. A point says how many times as long as the SIMD kernel the others take, '
      + 'logarithmic: the further right, the more SIMD is worth; left of 1 it is slower.'
      + ' All three compute the same, which is checked before they are timed.'
      + (isNumber(ofKinds)
        ? ` Where each kind of loop counts once, SIMD is ${figure(ofKinds)} times as fast as its twins.`
        : '')
      + (isNumber(overGeneral)
        ? ' Where SIMD has cases of its own for a format or a state, it stands beside the general way that the scalar '
          + `build takes for all of them (${figure(overGeneral)} times): that is no twin, and counts for no limit.`
        : ''),
    ...dots({
      names,
      axis: 'times the SIMD kernel’s time',
      lines: [{ at: 1, text: 'SIMD' }, ...(isNumber(least) ? [{ at: least, text: `limit ${least}` }] : [])],
      series: [
        { name: 'scalar twin', color: COLORS.first, symbol: 'circle', values: over(false) },
        { name: 'general way, scalar', color: COLORS.quiet, symbol: 'triangle', values: over(true) },
        {
          name: 'plain TypeScript',
          color: COLORS.second,
          symbol: 'diamond',
          values: loops.map((loop) => loop.overPlain),
        },
      ],
    }),
    table: {
      head: [
        'loop',
        'SIMD, ns',
        'scalar, ns',
        'TypeScript, ns',
        'of a',
        'SIMD, cycles',
        'scalar, cycles',
        'TypeScript, cycles',
        'scalar ÷ SIMD',
        'TypeScript ÷ SIMD',
      ],
      rows: names.map((name) => {
        const { ns = {}, cycles = {}, unit, overScalar, overPlain: plain } = results.loops[name];
        return [
          name,
          figure(ns.simd),
          figure(ns.scalar),
          figure(ns.plain),
          unit,
          figure(cycles.simd),
          figure(cycles.scalar),
          figure(cycles.plain),
          figure(overScalar),
          figure(plain),
        ];
      }),
    },
  });
  if (isNumber(value))
    section.limits = [limit('SIMD over its scalar twins, median of the hot loops', value, least, reached)];
  return section;
}

const WAYS = { async: 'asynchronous', sync: 'synchronous', forced: 'engine “jit”' };

/** A large pipeline from its creation to its first use, in new processes. */
function firstUse(pipeline) {
  const ways = Object.keys(WAYS).filter((way) => pipeline?.[way]?.cold?.steps);
  const steps = [
    ...new Set(
      ways.flatMap((way) =>
        Object.entries(pipeline[way].cold.steps)
          .filter(([, ms]) => ms > 0)
          .map(([step]) => step)
      )
    ),
  ];
  if (!ways.length) return undefined;
  const cold = ways.map((way) => pipeline[way].cold);
  const least = Math.min(...cold.map((way) => way.firstUse).filter(isNumber));
  const bound = cold.map((way) => way.limit).find(isNumber);
  return {
    title: `The helmet’s pipeline is used ${figure(least)} ms after its creation began, in a fresh process`,
    note:
      `Milliseconds of each step, medians of ${pipeline.processes} processes. Asynchronous: `
      + 'createRenderPipelineAsync, compiled before it resolves. Synchronous: starts interpreted, '
      + 'and is compiled after its first frame.',
    ...stackedRows({
      unit: 'ms',
      rows: ways.map((way, i) => ({ name: WAYS[way], values: steps.map((step) => cold[i].steps[step]) })),
      parts: steps,
      limit: isNumber(bound) ? { at: bound, text: `limit ${bound} ms` } : undefined,
    }),
    table: {
      head: ['way', ...steps.map((step) => `${step}, ms`), 'first use, ms', 'another program in the same process, ms'],
      rows: ways.map((way, i) => [
        WAYS[way],
        ...steps.map((step) => figure(cold[i].steps[step])),
        figure(cold[i].firstUse),
        figure(pipeline[way].warm?.ready),
      ]),
    },
  };
}

export function engines({ jit: results }) {
  const section = {
    title: 'Compiled against interpreted programs',
    command: 'npm run bench jit',
    file: 'jit',
    machine: results?.machine,
    charts: [],
    limits: [],
  };
  if (!results?.engines) return section;
  const keys = Object.keys(results.engines);
  const frames = keys.map((key) => results.engines[key].frame ?? {});
  const shadings = keys.map((key) => results.engines[key].shading ?? {});
  const samples = samplesOf(results.engines);
  const most = frames.reduce((best, frame) => Math.max(best, isNumber(frame.ratio) ? frame.ratio : 0), 0);
  const of = (field) =>
    samples.map((count) => keysAt(results.engines, count).map((key) => results.engines[key].frame?.[field]));
  section.charts.push({
    title: `Compiled programs make whole frames up to ${figure(most)} times as fast`,
    note:
      'Milliseconds a frame, logarithmic: shorter is better. Both engines in one process, '
      + 'frame by frame in turn; pictures are the same bit for bit. The more of a frame is shading, '
      + 'the more compiling is worth.',
    ...groupedBars({
      unit: 'ms a frame',
      panelHeight: 190,
      panels: samples.map((count) => ({
        title: plural(count, 'sample'),
        categories: keysAt(results.engines, count).map(
          (key) => `${sceneOf(key)}\n${figure(results.engines[key].frame?.ratio)} times as fast`
        ),
      })),
      series: [
        { name: 'interpreter', color: COLORS.first, values: of('interpreter') },
        { name: 'compiled', color: COLORS.ours, values: of('jit') },
      ],
    }),
    table: {
      head: [
        'scene',
        'interpreter, ms',
        'compiled, ms',
        'ratio',
        '95 % interval',
        'shading, interpreter, ms',
        'shading, compiled, ms',
        'its ratio',
      ],
      rows: keys.map((key, i) => [
        times(key),
        figure(frames[i].interpreter),
        figure(frames[i].jit),
        figure(frames[i].ratio),
        (frames[i].interval ?? []).map(figure).join(' … '),
        figure(shadings[i].interpreter),
        figure(shadings[i].jit),
        figure(shadings[i].ratio),
      ]),
    },
  });
  const first = firstUse(results.pipeline);
  if (first) section.charts.push(first);
  section.limits = keys.flatMap((key, i) =>
    isNumber(shadings[i].limit)
      ? [
          limit(
            `${times(key)}: shading compiled over interpreted`,
            shadings[i].ratio,
            shadings[i].limit,
            shadings[i].holds
          ),
        ]
      : []
  );
  for (const [way, { cold }] of Object.entries(results.pipeline ?? {}))
    if (isNumber(cold?.limit))
      section.limits.push(
        limit(`the helmet’s pipeline to its first use, ms, ${way}`, cold.firstUse, cold.limit, cold.holds, false)
      );
  for (const [name, quad] of Object.entries(results.functions?.quads ?? {}))
    if (isNumber(quad.limit))
      section.limits.push(limit(`${name}, cycles a quad`, quad.cycles, quad.limit, quad.holds, false));
  return section;
}

/** Workers for which the section about scaling has limits. */
const LIMITED_WORKERS = 16;

export function scaling({ scaling: results }) {
  const section = {
    title: 'Scaling',
    command: 'npm run bench scaling',
    file: 'scaling',
    machine: results?.machine,
    charts: [],
    limits: [],
  };
  const keys = Object.keys(results?.results ?? {});
  if (!keys.length) return section;
  const { workers, results: scenes } = results;
  const least = Math.min(...keys.map((key) => scenes[key].predicted[LIMITED_WORKERS]));
  section.charts.push({
    title: `${LIMITED_WORKERS} workers are predicted to be at least ${figure(least)} times as fast as one`,
    note:
      'Times as fast as one worker, logarithmic: higher is better. Predicted from the trace of a frame on one thread; '
      + 'the numbers compare the prediction for two threads with a measurement.',
    ...lines({
      steps: workers.map(String),
      axis: 'workers',
      unit: 'times as fast',
      series: keys.map((key) => ({ name: times(key), values: workers.map((count) => scenes[key].predicted[count]) })),
    }),
    table: {
      head: [
        'scene',
        '1 thread, ms',
        'serial',
        ...workers.slice(1).map(String),
        '2 measured',
        'what limits 16 workers',
      ],
      rows: keys.map((key) => {
        const { ms, serialShare, predicted, measured, limits } = scenes[key];
        return [
          times(key),
          figure(ms),
          `${Math.round(serialShare * 100)} %`,
          ...workers.slice(1).map((count) => figure(predicted[count])),
          figure(measured[0]),
          limits[0].what,
        ];
      }),
    },
  });
  section.limits = keys
    .flatMap((key) => scenes[key].goals)
    .map((goal) => limit(goal.what, goal.value, goal.limit, goal.reached, goal.atLeast));
  return section;
}

export function threads({ threads: results }) {
  const section = {
    title: 'Threads',
    command: 'npm run bench threads',
    file: 'threads',
    machine: results?.machine,
    charts: [],
    limits: [],
  };
  if (!results?.pairs) return section;
  const keys = Object.keys(results.pairs);
  const pairs = Object.values(results.pairs);
  const least = Math.min(...pairs.map(({ ratio }) => ratio).filter(isNumber));
  section.charts.push({
    title: `${threadsText(results.threads)} are at least ${figure(least)} times as fast as one`,
    note:
      `One thread against ${results.threads}, frame by frame in turn: the median of the pairs’ ratios. `
      + 'The upright mark is the limit.',
    ...ratioRows({
      names: keys.map(times),
      log: false,
      most: Math.max(2, results.threads ?? 0) + 0.5,
      panels: [
        {
          title: '',
          rows: pairs.map(({ ratio, limit: bound, interval = [] }) => ({
            value: ratio,
            limit: bound,
            text: `${figure(ratio)} (${interval.map(figure).join(' … ')})`,
          })),
        },
      ],
    }),
    table: {
      head: ['scene', '1 thread, ms', `${threadsText(results.threads)}, ms`, 'ratio', '95 % interval', 'pairs'],
      rows: keys.map((key, i) => [
        times(key),
        figure(pairs[i].one),
        figure(pairs[i].all),
        figure(pairs[i].ratio),
        (pairs[i].interval ?? []).map(figure).join(' … '),
        String(pairs[i].pairs ?? '–'),
      ]),
    },
  });
  section.limits = keys.flatMap((key, i) =>
    isNumber(pairs[i].limit)
      ? [
          limit(
            `${times(key)}: ${threadsText(results.threads)} over one`,
            pairs[i].ratio,
            pairs[i].limit,
            pairs[i].reached
          ),
        ]
      : []
  );
  return section;
}

const PARTS = {
  start: 'start',
  load: 'read the model',
  decode: 'decode images',
  upload: 'mip levels, upload',
  render: 'render',
  encode: 'encode PNG',
};

export function start({ start: results }) {
  const section = {
    title: 'From the start of a process',
    command: 'npm run bench start',
    file: 'start',
    machine: results?.machine,
    charts: [],
    limits: [],
  };
  if (!results?.triangle) return section;
  const { triangle, helmet } = results;
  section.note =
    `To the first 256×256 triangle read back: ${figure(triangle.median)} ms, `
    + `median of several (fastest ${figure(triangle.min)}).`;
  if (!helmet) return section;
  const parts = Object.keys(PARTS).filter((part) => isNumber(helmet.parts?.[part]));
  section.charts.push({
    title: `A picture of the helmet is written ${figure(helmet.median / 1000)} s after the process began`,
    note:
      '1280×720 with 4 samples, from five 2048² JPEG textures to a PNG. '
      + 'The parts are those of one run that reads the clock between them.',
    ...stackedRows({
      unit: 'ms',
      rows: [{ name: 'helmet', values: parts.map((part) => helmet.parts[part]) }],
      parts: parts.map((part) => PARTS[part]),
      limit: isNumber(helmet.limit) ? { at: helmet.limit, text: `limit ${helmet.limit} ms` } : undefined,
    }),
    table: {
      head: ['part', 'ms'],
      rows: [
        ...parts.map((part) => [PARTS[part], figure(helmet.parts[part])]),
        ['to the picture, median', figure(helmet.median)],
        ['to the picture, fastest', figure(helmet.min)],
        ['to the end of the process, median', figure(helmet.ended?.median)],
      ],
    },
  });
  if (isNumber(helmet.limit))
    section.limits = [
      limit('start of the process to the helmet’s picture, ms', helmet.median, helmet.limit, helmet.reached, false),
    ];
  return section;
}
