// Turns the files of a run into the report's sections: conclusions, charts, numbers. Neither reads files nor draws.
import { COLORS, dots, figure, groupedBars, heatMap, isNumber, ratioRows, stackedRows } from './draw.mjs';

const times = (key) => key.replace('@', ' ').replace(/x$/, '×');
const keysAt = (record, samples) => Object.keys(record ?? {}).filter((key) => key.endsWith(`@${samples}x`));
const samplesOf = (record) =>
  [...new Set(Object.keys(record ?? {}).map((key) => Number(key.match(/@(\d+)x$/)?.[1])))]
    .filter(isNumber)
    .sort((a, b) => a - b);
const sceneOf = (key) => key.split('@')[0];
const plural = (count, word) => `${count} ${word}${count === 1 ? '' : 's'}`;
const threadsText = (count) => (count === 0 ? 'the calling thread' : plural(count, 'thread'));
const countWhere = (list, test) => list.filter(test).length;

/** A limit as a row of the overview: name, value, limit, and whether it is met. */
const limit = (what, value, bound, reached, least = true) => ({
  what,
  value: figure(value),
  limit: `${least ? '≥' : '≤'} ${bound}`,
  reached,
});

function peers({ peers: results }) {
  const section = {
    title: 'Against SwiftShader and llvmpipe',
    command: 'npm run bench:peers',
    file: 'peers',
    machine: results?.machine,
    charts: [],
    limits: [],
  };
  if (!results?.frames) return section;
  const { frames, goals = {}, pictures = {}, threads, engine } = results;
  const keys = Object.keys(frames);
  const theirs = ['swiftshader', 'llvmpipe'];
  const names = { swiftshader: 'SwiftShader', llvmpipe: 'llvmpipe' };
  const samples = samplesOf(frames);
  const scenes = [...new Set(keys.map(sceneOf))];
  const at = (scene, count) => frames[`${scene}@${count}x`] ?? {};
  const measured = theirs.filter((peer) => keys.some((key) => isNumber(frames[key][peer])));
  const absent = theirs.filter((peer) => !measured.includes(peer));
  const fastest = countWhere(
    keys,
    (key) =>
      measured.length > 0
      && measured.every((peer) => !isNumber(frames[key][peer]) || frames[key].rasterloom <= frames[key][peer])
  );
  const bars = [
    ['Rasterloom', 'rasterloom', COLORS.ours],
    ...measured.map((peer) => [names[peer], peer, peer === 'swiftshader' ? COLORS.first : COLORS.second]),
  ];
  section.note = `Milliseconds a frame at ${results.width}×${results.height}, logarithmic: shorter is better. The same WebGPU scenes on all, interleaved in one run. Rasterloom: engine “${engine}”, ${threadsText(threads)}; the others use all cores.${absent.length ? ` Not installed when this was measured, and left out: ${absent.map((peer) => names[peer]).join(', ')}.` : ''}`;
  section.charts.push({
    title: `Rasterloom takes the least time in ${fastest} of ${keys.length} scenes`,
    note: section.note,
    ...groupedBars({
      unit: 'ms a frame',
      panels: samples.map((count) => ({ title: plural(count, 'sample'), categories: scenes })),
      series: bars.map(([name, field, color]) => ({
        name,
        color,
        values: samples.map((count) => scenes.map((scene) => at(scene, count)[field])),
      })),
    }),
    table: {
      head: [
        'scene',
        ...bars.map(([name]) => `${name}, ms`),
        ...measured.map((peer) => `times as fast as ${names[peer]}`),
        'picture',
      ],
      rows: keys.map((key) => [
        times(key),
        ...bars.map(([, field]) => figure(frames[key][field])),
        ...measured.map((peer) => figure(frames[key][`${peer}Ratio`])),
        pictures[key] ? `${pictures[key].percent.toFixed(2)} % near ${pictures[key].reference}’s` : '–',
      ]),
    },
  });
  const held = Object.entries(goals);
  const kept = countWhere(held, ([, goal]) => goal.reached);
  const row = (key, peer) => {
    const goal = goals[`${key} over ${peer}`];
    const value = frames[key][`${peer}Ratio`];
    return { value, limit: goal?.limit, text: goal ? `${figure(value)} of ${goal.limit}` : figure(value) };
  };
  if (measured.length)
    section.charts.push({
      title: held.length ? `${kept} of ${held.length} limits are reached` : 'Times as fast as each peer',
      note: 'How many times as fast as each peer, logarithmic: longer is better. The upright mark is the limit; a bar that ends short of it is orange.',
      ...ratioRows({
        names: keys.map(times),
        panels: measured.map((peer) => ({ title: `over ${names[peer]}`, rows: keys.map((key) => row(key, peer)) })),
      }),
      table: {
        head: ['scene over peer', 'times as fast', 'limit', ''],
        rows: held.map(([what, goal]) => [
          what.replace('x over', '× over').replace('@', ' '),
          figure(goal.value),
          String(goal.limit),
          goal.reached ? 'reached' : 'NOT REACHED',
        ]),
      },
    });
  section.limits = held.map(([what, goal]) =>
    limit(what.replace('@', ' ').replace('x over', '× over'), goal.value, goal.limit, goal.reached)
  );
  return section;
}

function kernels({ kernels: results }) {
  const section = {
    title: 'SIMD against scalar and TypeScript',
    command: 'npm run bench -- kernels',
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
    title: `SIMD is ${figure(value)} times as fast as its scalar twins, and ${figure(overPlain)} times as fast as TypeScript: medians of ${twins} and ${names.length} loops`,
    note:
      'Each row is a hot loop. A point says how many times as long as the SIMD kernel the others take, logarithmic: the further right, the more SIMD is worth; left of 1 it is slower.'
      + ' All three compute the same, which is checked before they are timed.'
      + `${isNumber(ofKinds) ? ` Where each kind of loop counts once, SIMD is ${figure(ofKinds)} times as fast as its twins.` : ''}`
      + `${isNumber(overGeneral) ? ` Where SIMD has cases of its own for a format or a state, it stands beside the general way that the scalar build takes for all of them (${figure(overGeneral)} times): that is no twin, and counts for no limit.` : ''}`,
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
    note: `Milliseconds of each step, medians of ${pipeline.processes} processes. Asynchronous: createRenderPipelineAsync, compiled before it resolves. Synchronous: starts interpreted, and is compiled after its first frame.`,
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

function engines({ jit: results }) {
  const section = {
    title: 'Compiled against interpreted programs',
    command: 'npm run bench:jit',
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
    note: 'Milliseconds a frame, logarithmic: shorter is better. Both engines in one process, frame by frame in turn; pictures are the same bit for bit. The more of a frame is shading, the more compiling is worth.',
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

function threads({ threads: results }) {
  const section = {
    title: 'Threads',
    command: 'npm run bench:threads',
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
    note: `One thread against ${results.threads}, frame by frame in turn: the median of the pairs’ ratios. The upright mark is the limit.`,
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

function scenes({ scenes: results }) {
  const section = {
    title: 'The bench’s own scenes',
    command: 'npm run bench -- scenes',
    file: 'scenes',
    machine: results?.machine,
    charts: [],
    limits: [],
  };
  const keys = Object.keys(results?.frames ?? {}).filter((key) => results.frames[key].threads);
  if (!keys.length) return section;
  const { frames, threads: counts } = results;
  const samples = samplesOf(frames);
  const colors = [COLORS.first, COLORS.ours, COLORS.second];
  const best = Math.min(...keys.map((key) => frames[key].threads[counts.at(-1)]?.fps).filter(isNumber));
  section.charts.push({
    title: `At least ${figure(best)} frames a second at ${results.width}×${results.height} with ${threadsText(counts.at(-1))}`,
    note: 'Frames a second, logarithmic: longer is better. A uniform is another in every frame.',
    ...groupedBars({
      unit: 'frames a second',
      panelHeight: 190,
      panels: samples.map((count) => ({
        title: plural(count, 'sample'),
        categories: keysAt(frames, count).map(sceneOf),
      })),
      series: counts.map((count, i) => ({
        name: threadsText(count),
        color: colors[i % colors.length],
        values: samples.map((at) => keysAt(frames, at).map((key) => frames[key].threads[count]?.fps)),
      })),
    }),
    table: {
      head: [
        'scene',
        ...counts.flatMap((count) => [`${threadsText(count)}, ms`, 'frames a second']),
        'triangles',
        'vertices shaded',
        'quads shaded',
        'busy lanes',
        'memory, MiB',
      ],
      rows: keys.map((key) => {
        const { counters = {}, bytesUsed } = frames[key];
        return [
          times(key),
          ...counts.flatMap((count) => [
            figure(frames[key].threads[count]?.median),
            figure(frames[key].threads[count]?.fps),
          ]),
          ...['trianglesIn', 'verticesShaded', 'quadsShaded'].map((name) => String(counters[name] ?? '–')),
          isNumber(counters.lanesShaded) ? `${figure((25 * counters.lanesShaded) / counters.quadsShaded)} %` : '–',
          isNumber(bytesUsed) ? figure(bytesUsed / 2 ** 20) : '–',
        ];
      }),
    },
  });
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

function start({ start: results }) {
  const section = {
    title: 'From the start of a process',
    command: 'npm run bench -- start',
    file: 'start',
    machine: results?.machine,
    charts: [],
    limits: [],
  };
  if (!results?.triangle) return section;
  const { triangle, helmet } = results;
  section.note = `To the first 64×64 triangle read back: ${figure(triangle.median)} ms, median of several (fastest ${figure(triangle.min)}).`;
  if (!helmet) return section;
  const parts = Object.keys(PARTS).filter((part) => isNumber(helmet.parts?.[part]));
  section.charts.push({
    title: `A picture of the helmet is written ${figure(helmet.median / 1000)} s after the process began`,
    note: '1280×720 with 4 samples, from five 2048² JPEG textures to a PNG. The parts are those of one run that reads the clock between them.',
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

function work({ 'less-work': results }) {
  const section = {
    title: 'Doing less work',
    command: 'npm run bench:work',
    file: 'less-work',
    machine: results?.machine,
    charts: [],
    limits: [],
  };
  const WHAT = {
    overdraw: '48 layers over one',
    samples: '4 samples over 1',
    geometry: 'geometry over llvmpipe’s frame',
    lanes: 'busy lanes',
  };
  const rows = Object.keys(WHAT).flatMap((group) =>
    Object.entries(results?.[group] ?? {}).map(([name, entry]) => ({
      what: `${WHAT[group]}, ${times(name)}`,
      ...entry,
      least: group === 'lanes',
    }))
  );
  const costs = rows.filter(({ least }) => !least);
  if (!rows.length) return section;
  section.limits = rows
    .filter(({ limit: bound }) => isNumber(bound))
    .map(({ what, value, limit: bound, holds, least }) => limit(what, value, bound, holds, least));
  const layers = Object.values(results.overdraw ?? {})
    .map(({ value }) => value)
    .filter(isNumber);
  section.charts.push({
    title: layers.length
      ? `48 layers cost ${figure(Math.max(...layers))} times what one costs`
      : 'How little more work costs',
    note: 'Ratios of frame times, medians of pairs: shorter is better, and the upright mark is the most that is allowed. Geometry: vertices, setup and raster of the dragon on one thread over llvmpipe’s whole frame on all cores. Busy lanes (in the numbers): the share of shading’s lanes that are fragments, for the helmet of what its triangles allow.',
    ...ratioRows({
      names: costs.map(({ what }) => what),
      left: 280,
      axis: 'times the time',
      log: false,
      most: 2.4,
      atMost: true,
      panels: [
        {
          title: '',
          rows: costs.map(({ value, limit: bound, interval = [] }) => ({
            value,
            limit: bound,
            text: `${figure(value)} (${interval.map(figure).join(' … ')})`,
          })),
        },
      ],
    }),
    table: {
      head: ['what', 'ratio', '95 % interval', 'limit'],
      rows: rows.map(({ what, value, interval = [], limit: bound, least }) => [
        what,
        figure(value),
        interval.map(figure).join(' … '),
        isNumber(bound) ? `${least ? '≥' : '≤'} ${bound}` : '',
      ]),
    },
  });
  return section;
}

/** Operations on surfaces by content: rows of { what, ms, count, each } of a surfaces file. */
function contentChart(rows) {
  const least = Math.min(...rows.map(({ each }) => each.value));
  const most = Math.max(...rows.map(({ each }) => each.value));
  return {
    title: `Encoded surfaces are blended and resolved in ${figure(least)} to ${figure(most)} of the time that plain ones take`,
    note: 'A translucent layer over a whole surface, and a pass that only resolves it, over the same with encoding switched off, in turn in one process: shorter is better, and the upright mark is the most that is allowed. By what the surface holds: one value a pixel, two values of other samples in each pixel, another value in every sample.',
    ...ratioRows({
      names: rows.map(({ what }) => what),
      left: 280,
      axis: 'times the time',
      log: false,
      most: most * 1.2,
      atMost: true,
      panels: [
        {
          title: '',
          rows: rows.map(({ each: { value, limit: bound, interval = [] } }) => ({
            value,
            limit: bound,
            text: `${figure(value)} (${interval.map(figure).join(' … ')})`,
          })),
        },
      ],
    }),
    table: {
      head: ['what', 'encoded, ms', 'plain, ms', 'ratio', 'limit'],
      rows: rows.map(({ what, ms = {}, count, each }) => [
        what,
        figure(ms[`${count}x`]),
        figure(ms[`${count} plainx`]),
        figure(each.value),
        figure(each.limit),
      ]),
    },
  };
}

/** `results`: the available files by name. A section without charts and note has not been measured. */
function surfaces({ surfaces: file }) {
  const section = {
    title: 'Surfaces of several samples',
    command: 'npm run bench:surfaces',
    file: 'surfaces',
    machine: file?.machine,
    charts: [],
    limits: [],
  };
  const results = file?.results;
  if (!results?.frames) return section;
  const scenes = Object.keys(results.frames);
  const counts = ['1', '4', '8'];
  const of = (key) => scenes.map((scene) => results.frames[scene].ms?.[key]);
  const share = (value) => (isNumber(value) ? `${figure(value * 100)} %` : '–');
  section.charts.push({
    title: `Eight samples take ${scenes.map((scene) => `${figure(results.frames[scene].over1?.[8]?.value)} times as long as one (${scene})`).join(', ')}`,
    note: `Milliseconds a frame at ${file.width}×${file.height}: shorter is better. Scenes that store their samples and load them in a second pass; encoded, and with encoding switched off (“plain”), in turn in one process.`,
    ...groupedBars({
      unit: 'ms a frame',
      panels: [
        { title: 'encoded', categories: scenes },
        { title: 'plain', categories: scenes },
      ],
      series: counts.map((count, i) => ({
        name: plural(Number(count), 'sample'),
        color: [COLORS.first, COLORS.ours, COLORS.second][i],
        values: [of(`${count}x`), count === '1' ? scenes.map(() => null) : of(`${count} plainx`)],
      })),
    }),
    table: {
      head: [
        'scene',
        ...counts.map((count) => `${plural(Number(count), 'sample')}, ms`),
        '4 plain, ms',
        '8 plain, ms',
        'colour held',
        'colour moved',
        'depth held',
        'depth moved',
      ],
      rows: scenes.map((scene) => {
        const { ms = {}, color = {}, depth = {} } = results.frames[scene];
        return [
          scene,
          ...counts.map((count) => figure(ms[`${count}x`])),
          figure(ms['4 plainx']),
          figure(ms['8 plainx']),
          share(color.held),
          share(color.moved),
          share(depth.held),
          share(depth.moved),
        ];
      }),
    },
  });
  const contents = Object.entries(results.content ?? {}).flatMap(([name, each]) =>
    ['blend', 'resolve'].flatMap((verb) =>
      Object.entries(each[verb]?.overPlain ?? {}).map(([count, ratio]) => ({
        what: `${verb}, ${name}, ${count} samples`,
        ms: each[verb].ms,
        count,
        each: ratio,
      }))
    )
  );
  const programs = Object.entries(results.programs ?? {}).flatMap(([name, { over }]) =>
    Object.entries(over).map(([count, each]) => ({ what: `over by a program, ${name}, ${count} samples`, ...each }))
  );
  if (contents.length) section.charts.push(contentChart(contents));
  if (programs.length)
    section.charts.push({
      title: `A program blends one colour a pixel in ${programs
        .slice(0, 2)
        .map(({ ns }) => figure(ns.value))
        .join(' and ')} ns a pixel`,
      note: 'Nanoseconds a pixel of a translucent layer that a program blends with textureLoadSamples and textureStoreSamples, on one thread: shorter is better. The upright mark is the most that is allowed.',
      ...ratioRows({
        names: programs.map(({ what }) => what),
        left: 280,
        axis: 'ns a pixel',
        log: false,
        atMost: true,
        most: Math.max(...programs.map(({ ns }) => ns.value)) * 1.2,
        panels: [
          { title: '', rows: programs.map(({ ns }) => ({ value: ns.value, limit: ns.limit, text: figure(ns.value) })) },
        ],
      }),
      table: {
        head: ['what', 'ns a pixel', 'times the fixed function'],
        rows: programs.map(({ what, ns, fixed }) => [what, figure(ns.value), figure(fixed.value)]),
      },
    });
  const held = (what, each) =>
    isNumber(each?.limit) ? [limit(what, each.value, each.limit, each.reached, false)] : [];
  section.limits = [
    ...scenes.flatMap((scene) => {
      const { over1 = {}, overPlain = {}, held: kept, moved } = results.frames[scene];
      return [
        ...Object.entries(over1).flatMap(([count, each]) => held(`${scene}: ${count} samples over 1`, each)),
        ...Object.entries(overPlain).flatMap(([count, each]) => held(`${scene}: ${count} samples over plain`, each)),
        ...held(`${scene}: colour held, of uncompressed`, kept),
        ...held(`${scene}: colour moved, of uncompressed`, moved),
      ];
    }),
    ...contents.flatMap(({ what, each }) => held(`${what}, over plain`, each)),
    ...Object.entries(results.content ?? {}).flatMap(([name, { fourOver8, held: kept }]) => [
      ...held(`blend, ${name}: 4 samples over 8`, fourOver8),
      ...held(`${name}: bytes held over plain`, kept),
    ]),
    ...programs.flatMap(({ what, ns, fixed }) => [
      ...held(`${what}: ns a pixel`, ns),
      ...held(`${what}: over the fixed function`, fixed),
    ]),
    ...Object.entries(results.resolve ?? {}).flatMap(([what, each]) => held(`resolve, ${what}, over a copy`, each)),
  ];
  return section;
}

function everything({ everything: results }) {
  const section = {
    title: 'The map of costs',
    command: 'npm run bench:everything',
    file: 'everything',
    machine: results?.machine,
    charts: [],
    limits: [],
  };
  if (!results?.cells) return section;
  const { cells, groups, limit: most } = results;
  const all = Object.entries(cells).map(([key, cell]) => {
    const [group, row, column] = key.split('|');
    return { group, row, column, ...cell };
  });
  const over = all.filter(({ dear }) => dear);
  const unexplained = over.filter(({ because }) => !because);
  for (const group of groups) {
    const own = all.filter((cell) => cell.group === group);
    const rows = [...new Set(own.map(({ row }) => row))];
    const columns = [...new Set(own.map(({ column }) => column))];
    const at = (row, column) => own.find((cell) => cell.row === row && cell.column === column);
    const dear = own.filter((cell) => over.includes(cell));
    section.charts.push({
      title: `${group}: ${plural(own.length, 'cell')}${dear.length ? `, ${dear.length} over ${most} times their relative` : ''}`,
      note: `Cycles a ${own[0].unit}, compiled programs on one thread. Framed: more than ${most} times the nearest common cell; the numbers say of which, and why.`,
      ...heatMap({
        rows,
        columns,
        values: rows.map((row) => columns.map((column) => at(row, column)?.jit ?? null)),
        marked: dear.map(({ row, column }) => [rows.indexOf(row), columns.indexOf(column)]),
      }),
      table: {
        head: ['cell', 'JIT', 'interpreter', 'scalar', 'held to', 'times that', 'why'],
        rows: own.map(({ row, column, jit, interpreter, scalar, than, ratio, because }) => [
          `${row}, ${column}`,
          figure(jit),
          figure(interpreter),
          figure(scalar),
          than?.replaceAll('|', ', ') ?? '–',
          figure(ratio),
          because ?? '',
        ]),
      },
    });
  }
  section.limits = [
    limit(
      `cells over ${most} times their relative without a reason, of ${all.length}`,
      unexplained.length,
      0,
      unexplained.length === 0,
      false
    ),
  ];
  return section;
}

/** Rows of { what, ms, sides, value, interval, limit }, with `sides` named as in `ms`. */
function ratiosChart(rows, { title, note, ...how }) {
  return {
    title,
    note,
    ...ratioRows({
      names: rows.map(({ what }) => what),
      left: 400,
      ...how,
      panels: [
        {
          title: '',
          rows: rows.map(({ value, limit: bound, interval = [] }) => ({
            value,
            limit: bound,
            text: `${figure(value)} (${interval.map(figure).join(' … ')})`,
          })),
        },
      ],
    }),
    table: {
      head: ['what', 'ms', 'compared with, ms', 'ratio', '95 % interval'],
      rows: rows.map(({ what, ms = {}, sides, value, interval = [] }) => [
        what,
        ...sides.map((side) => figure(ms[side])),
        figure(value),
        interval.map(figure).join(' … '),
      ]),
    },
  };
}

function modular({ modular: file }) {
  const section = {
    title: 'Tables of shaders',
    command: 'npm run bench:modular',
    file: 'modular',
    machine: file?.machine,
    charts: [],
    limits: [],
  };
  const { one, chain, emit = {}, terrain: { bytes, ...terrain } = {}, enable, memory = {} } = file?.results ?? {};
  if (!one || !chain || !enable) return section;
  const costs = [
    ...Object.entries(one).map(([what, row]) => ({ what: `one stage, ${what}`, sides: ['table', 'pipeline'], ...row })),
    ...Object.entries(chain).map(([what, row]) => ({ what: `three, ${what}`, sides: ['chained', 'merged'], ...row })),
    ...Object.entries(emit).map(([what, row]) => ({ what: `emitted, ${what}`, sides: Object.keys(row.ms), ...row })),
    ...Object.entries(terrain).map(([what, row]) => ({
      what: `terrain, ${what}`,
      sides: ['tessellated', 'indexed'],
      ...row,
    })),
  ];
  const saved = Object.entries(enable).flatMap(([of, { make, whole, ms, makeMs }]) =>
    Object.keys(make).flatMap((name) => {
      const sides = [name, 'cold'];
      return [
        { what: `made: ${name}, ${of}`, ms: makeMs, sides, ...make[name] },
        { what: `drawn: ${name}, ${of}`, ms, sides, ...whole[name] },
      ];
    })
  );
  const chained = Object.entries(memory).map(([what, row]) => ({
    what: `chained instead of a pass each, ${what}`,
    sides: ['chained', 'passes'],
    ...row,
  }));
  const values = (rows) => rows.map(({ value }) => value);
  section.charts = [
    ratiosChart(costs, {
      title: `A table of one stage takes ${figure(Math.max(...values(Object.values(one))))} times what a render pipeline takes, three stages up to ${figure(Math.max(...values(Object.values(chain))))} times what one program does`,
      note: 'Ratios of frame times, medians of pairs: shorter is better, and the upright mark is the most that is allowed.',
      log: false,
      atMost: true,
      most: Math.max(...values(costs)) * 1.4,
      axis: 'times the time',
    }),
    ratiosChart([...chained, ...saved], {
      title: `A slot is turned on ${figure(Math.min(...values(saved)))} to ${figure(Math.max(...values(saved)))} times as fast as a pipeline is made anew`,
      note: 'Times as fast as a pipeline that the device has never seen, from its text on, until the draw is recorded (“made”) and until it is there (“drawn”): longer is better, and the upright mark is the least that is wanted.',
      axis: 'times as fast',
    }),
  ];
  section.limits = [
    ...[...costs, ...(bytes ? [{ what: 'bytes of the terrain, tessellated over indexed', ...bytes }] : [])].map(
      (row) => ({ ...row, least: false })
    ),
    ...[...chained, ...saved].map((row) => ({ ...row, least: true })),
  ]
    .filter(({ limit: bound }) => isNumber(bound))
    .map(({ what, value, limit: bound, reached, least }) => limit(what, value, bound, reached, least));
  return section;
}

function shadingRate({ 'shading-rate': file }) {
  const section = {
    title: 'Coarse shading',
    command: 'npm run bench:shading-rate',
    file: 'shading-rate',
    machine: file?.machine,
    charts: [],
    limits: [],
  };
  const { helmet = [], corridor = [], busy = [] } = file?.results ?? {};
  const rows = [...helmet, ...corridor, ...busy].filter(({ value }) => isNumber(value));
  const timed = rows.filter(({ ms }) => ms);
  const runs = rows.filter(({ runs: counts }) => counts);
  const inFrames = timed.filter(({ what }) => what.endsWith(', frame'));
  if (!inFrames.length || !runs.length) return section;
  const least = (some) => figure(Math.min(...some.map(({ value }) => value)));
  section.charts = [
    ratiosChart(timed, {
      title: `Coarse shading takes a frame down to ${least(inFrames)} of its time`,
      note: 'Ratios of times, medians of pairs: shorter is better, and the upright mark is the most that is allowed. Rates are everywhere the same, or, in the corridor, by depth (“auto”); “looked up”: 1×1 of every area, found in a depth table. Interpolation, program and packing are kernel times.',
      log: false,
      atMost: true,
      most: Math.max(...timed.map(({ value }) => value)) * 1.4,
      axis: 'times the time',
    }),
    {
      title: `Fragment programs run down to ${least(runs)} times as often`,
      note: 'Runs of the fragment program over those of 1×1, counted: shorter is better, and the upright mark is the most that is allowed.',
      ...ratioRows({
        names: runs.map(({ what }) => what),
        left: 400,
        log: false,
        atMost: true,
        most: 1.4,
        axis: 'times the runs',
        panels: [
          { title: '', rows: runs.map(({ value, limit: bound }) => ({ value, limit: bound, text: figure(value) })) },
        ],
      }),
      table: {
        head: ['what', 'runs', 'at 1×1', 'ratio'],
        rows: runs.map(({ what, runs: [some, all], value }) => [what, figure(some), figure(all), figure(value)]),
      },
    },
  ];
  section.limits = rows
    .filter(({ limit: bound }) => isNumber(bound))
    .map(({ what, value, limit: bound, reached, atLeast }) => limit(what, value, bound, reached, atLeast));
  return section;
}

function blend({ blend: file }) {
  const section = {
    title: 'Programs that blend',
    command: 'npm run bench:blend',
    file: 'blend',
    machine: file?.machine,
    charts: [],
    limits: [],
  };
  const rows = Object.values(file?.results ?? {})
    .flat()
    .filter(({ value }) => isNumber(value));
  const timed = rows.filter(({ ms, atLeast }) => ms && !atLeast);
  const over = (file?.results?.over ?? []).map(({ value }) => value);
  if (!timed.length || !over.length) return section;
  section.charts = [
    ratiosChart(timed, {
      title: `Blending by a program takes ${figure(Math.min(...over))} to ${figure(Math.max(...over))} times what the blend state takes`,
      note: 'Ratios of frame times, medians of pairs: shorter is better, and the upright mark is the most that is allowed. Source-over on both sides, by a fragment program that reads its target and by the state of the pipeline; a long program has at least 100 instructions before it blends. Hybrid: what changes slowly once a pixel, specular light and the test of depth once a sample, over all of it once a pixel.',
      log: false,
      atMost: true,
      most: Math.max(...timed.map(({ value }) => value)) * 1.4,
      axis: 'times the time',
    }),
  ];
  section.limits = rows
    .filter(({ limit: bound }) => isNumber(bound))
    .map(({ what, value, limit: bound, reached, atLeast }) => limit(what, value, bound, reached, atLeast));
  return section;
}

/** The base side, then the ratios of the other sides to it, by program. */
function computeTable(programs, base) {
  const sides = [...new Set(Object.values(programs).flatMap(({ ratios }) => Object.keys(ratios)))];
  return {
    head: ['program', 'size', `${base}, ms`, ...sides.flatMap((side) => [`${side}, ms`, 'ratio'])],
    rows: Object.entries(programs).map(([name, { size, ms, ratios }]) => [
      name,
      String(size),
      figure(ms[base]),
      ...sides.flatMap((side) => [figure(ms[side]), figure([ratios[side]].flat()[0])]),
    ]),
  };
}

function compute({ compute: file }) {
  const section = {
    title: 'Compute programs',
    command: 'npm run bench:compute',
    file: 'compute',
    machine: file?.machine,
    charts: [],
    limits: [],
  };
  const programs = file?.programs ?? {};
  const names = Object.keys(programs);
  const of = (side) => names.map((name) => [programs[name].ratios[side]].flat()[0]);
  const panels = ['interpreter', 'scalar'].filter((side) => of(side).some(isNumber));
  if (!panels.length) return section;
  section.charts = [
    {
      title: `Compiled compute programs are ${figure(Math.min(...of(panels[0])))} to ${figure(Math.max(...of(panels[0])))} times as fast as with the ${panels[0]}`,
      note: 'Ratios of times, medians of pairs, logarithmic: longer is better. One thread each; what they leave is held to the same algorithm in JavaScript.',
      ...ratioRows({
        names,
        panels: panels.map((side) => ({
          title: `over ${side}`,
          rows: of(side).map((value) => ({ value, text: figure(value) })),
        })),
      }),
      table: computeTable(programs, 'compiled'),
    },
  ];
  return section;
}

function computePeers({ 'compute-peers': file }) {
  const section = {
    title: 'Compute programs beside peers',
    command: 'npm run bench:compute-peers',
    file: 'compute-peers',
    machine: file?.machine,
    charts: [],
    limits: [],
  };
  const programs = file?.programs ?? {};
  const goals = file?.goals ?? [];
  if (!Object.keys(programs).length || !goals.length) return section;
  const reached = countWhere(goals, (goal) => goal.reached);
  section.charts = [
    {
      title: `Compute programs reach ${reached} of ${goals.length} limits`,
      note: `Times as fast on ${threadsText(file.threads)}, medians of rounds, logarithmic: longer is better, and the upright mark is the least that is wanted. JavaScript and Rasterloom on one thread where they are compared; each side is a process of its own.`,
      ...ratioRows({
        names: goals.map(({ what }) => what),
        left: 220,
        panels: [
          { title: '', rows: goals.map(({ value, limit: bound }) => ({ value, limit: bound, text: figure(value) })) },
        ],
      }),
      table: computeTable(programs, 'rasterloom'),
    },
  ];
  section.limits = goals.map((goal) => limit(goal.what, goal.value, goal.limit, goal.reached));
  return section;
}

function streamed({ streamed: file }) {
  const section = {
    title: 'Streamed textures',
    command: 'npm run bench:streamed',
    file: 'streamed',
    machine: file?.machine,
    charts: [],
    limits: [],
  };
  const rows = Object.values(file?.results ?? {})
    .flat()
    .filter(({ value }) => isNumber(value));
  const limited = rows.filter(({ limit: bound }) => isNumber(bound));
  if (!limited.length) return section;
  const reached = countWhere(limited, (row) => row.reached);
  section.charts = [
    {
      title: `Streamed textures keep ${reached} of ${limited.length} limits`,
      note: 'Ratios, medians of rounds: shorter is better, and the upright mark is the most that is allowed. A texture all of whose pages are there over a plain one; a frame whose pages take 5 ms each over the least that waiting and drawing take; a picture from images cut into pages over the same from whole images.',
      ...ratioRows({
        names: rows.map(({ what }) => what),
        left: 520,
        log: false,
        atMost: true,
        most: Math.max(...rows.map(({ value }) => value)) * 1.3,
        axis: 'times as much',
        panels: [
          { title: '', rows: rows.map(({ value, limit: bound }) => ({ value, limit: bound, text: figure(value) })) },
        ],
      }),
      table: {
        head: ['what', 'ratio', '95 % interval'],
        rows: rows.map(({ what, value, interval = [] }) => [what, figure(value), interval.map(figure).join(' … ')]),
      },
    },
  ];
  section.limits = limited.map(({ what, value, limit: bound, reached: isKept, atLeast }) =>
    limit(what, value, bound, isKept, atLeast)
  );
  return section;
}

export const sections = (results) =>
  [
    peers,
    threads,
    surfaces,
    modular,
    shadingRate,
    blend,
    streamed,
    compute,
    computePeers,
    kernels,
    engines,
    scenes,
    start,
    work,
    everything,
  ].map((make) => make(results));
