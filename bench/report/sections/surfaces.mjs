// The section about compressed multisampled surfaces.
import { COLORS, figure, groupedBars, isNumber, ratioRows } from '../draw.mjs';
import { limit, plural } from './kit.mjs';

/** Operations on surfaces by content: rows of { what, ms, count, each } of a surfaces file. */
function contentChart(rows) {
  const least = Math.min(...rows.map(({ each }) => each.value));
  const most = Math.max(...rows.map(({ each }) => each.value));
  return {
    title:
      `Encoded surfaces are blended and resolved in ${figure(least)} `
      + `to ${figure(most)} of the time that plain ones take`,
    note:
      'A translucent layer over a whole surface, and a pass that only resolves it, '
      + 'over the same with encoding switched off, in turn in one process: shorter is better, '
      + 'and the upright mark is the most that is allowed. By what the surface holds: one value a pixel, '
      + 'several values of other samples in each pixel, another value in every sample, blades of grass.',
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
export function surfaces({ surfaces: file }) {
  const section = {
    title: 'Surfaces of several samples',
    command: 'npm run bench surfaces',
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
    title:
      'Eight samples take '
      + scenes
        .map((scene) => `${figure(results.frames[scene].over1?.[8]?.value)} times as long as one (${scene})`)
        .join(', '),
    note:
      `Milliseconds a frame at ${file.width}×${file.height}: shorter is better. `
      + 'Scenes that store their samples and load them in a second pass; encoded, '
      + 'and with encoding switched off (“plain”), in turn in one process.',
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
      note:
        'Nanoseconds a pixel of a translucent layer that a program blends by framebuffer fetch, or with '
        + 'textureLoadSamples and textureStoreSamples, on one thread: shorter is better.',
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
    ...Object.entries(results.costs ?? {}).flatMap(([what, each]) => held(what, each)),
    ...Object.entries(results.stages ?? {}).flatMap(([what, { stage, hybrid }]) => [
      ...held(`sample stages, ${what}, over shading once per sample`, stage),
      ...held(`hybrid shading, ${what}, over supersampling`, hybrid),
    ]),
    ...Object.entries(results.resolve ?? {}).flatMap(([what, each]) => held(`resolve, ${what}, over a copy`, each)),
  ];
  return section;
}
