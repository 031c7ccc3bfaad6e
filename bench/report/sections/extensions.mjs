// Sections about extensions of WebGPU: modular pipelines, shading rates, programmable blending, streamed textures.
import { figure, isNumber, ratioRows } from '../draw.mjs';
import { countWhere, limit } from './kit.mjs';

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

export function modular({ modular: file }) {
  const section = {
    title: 'Tables of shaders',
    command: 'npm run bench modular',
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
      title:
        `A table of one stage takes ${figure(Math.max(...values(Object.values(one))))} `
        + 'times what a render pipeline takes, three stages up to '
        + `${figure(Math.max(...values(Object.values(chain))))} times what one program does`,
      note:
        'Ratios of frame times, medians of pairs: shorter is better, '
        + 'and the upright mark is the most that is allowed.',
      log: false,
      atMost: true,
      most: Math.max(...values(costs)) * 1.4,
      axis: 'times the time',
    }),
    ratiosChart([...chained, ...saved], {
      title:
        `A slot is turned on ${figure(Math.min(...values(saved)))} to ${figure(Math.max(...values(saved)))} `
        + 'times as fast as a pipeline is made anew',
      note:
        'Times as fast as a pipeline that the device has never seen, from its text on, '
        + 'until the draw is recorded (“made”) and until it is there (“drawn”): longer is better, '
        + 'and the upright mark is the least that is wanted.',
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

export function shadingRate({ 'shading-rate': file }) {
  const section = {
    title: 'Coarse shading',
    command: 'npm run bench shading-rate',
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
      note:
        'Ratios of times, medians of pairs: shorter is better, and the upright mark is the most that is allowed. '
        + 'Rates are everywhere the same, or, in the corridor, by depth (“auto”); “looked up”: 1×1 of every area, '
        + 'found in a depth table. Interpolation, program and packing are kernel times.',
      log: false,
      atMost: true,
      most: Math.max(...timed.map(({ value }) => value)) * 1.4,
      axis: 'times the time',
    }),
    {
      title: `Fragment programs run down to ${least(runs)} times as often`,
      note:
        'Runs of the fragment program over those of 1×1, counted: shorter is better, '
        + 'and the upright mark is the most that is allowed.',
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

export function blend({ blend: file }) {
  const section = {
    title: 'Programs that blend',
    command: 'npm run bench blend',
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
      title:
        `Blending by a program takes ${figure(Math.min(...over))} to ${figure(Math.max(...over))} `
        + 'times what the blend state takes',
      note:
        'Ratios of frame times, medians of pairs: shorter is better, and the upright mark is the most that is '
        + 'allowed. Source-over on both sides, by a fragment program that reads its target and by the state of the '
        + 'pipeline; a long program has at least 100 instructions before it blends. Hybrid: '
        + 'what changes slowly once a pixel, specular light and the test of depth once a sample, '
        + 'over all of it once a pixel.',
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

export function streamed({ streamed: file }) {
  const section = {
    title: 'Streamed textures',
    command: 'npm run bench streamed',
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
      note:
        'Ratios, medians of rounds: shorter is better, and the upright mark is the most that is allowed. '
        + 'A texture all of whose pages are there over a plain one; a frame whose pages take 5 ms each over the '
        + 'least that waiting and drawing take; a picture from images '
        + 'cut into pages over the same from whole images.',
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
