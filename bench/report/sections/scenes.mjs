// Sections about whole scenes: against the peers, by samples and threads, and by kind of work.
import { COLORS, figure, groupedBars, heatMap, isNumber, ratioRows } from '../draw.mjs';
import { countWhere, keysAt, limit, plural, sceneOf, samplesOf, threadsText, times } from './kit.mjs';

export function peers({ peers: results }) {
  const section = {
    title: 'Against SwiftShader and llvmpipe',
    command: 'npm run bench peers',
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
  section.note =
    `Milliseconds a frame at ${results.width}×${results.height}, logarithmic: shorter is better. `
    + `The same WebGPU scenes on all, interleaved in one run. Rasterloom: engine “${engine}”, `
    + `${threadsText(threads)}; the others use all `
    + 'cores.'
    + (absent.length
      ? ` Not installed when this was measured, and left out: ${absent.map((peer) => names[peer]).join(', ')}.`
      : '');
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
      note:
        'How many times as fast as each peer, logarithmic: longer is better. The upright mark is the limit; '
        + 'a bar that ends short of it is orange.',
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

export function scenes({ scenes: results }) {
  const section = {
    title: 'The bench’s own scenes',
    command: 'npm run bench scenes',
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
    title:
      `At least ${figure(best)} frames a second at ${results.width}×${results.height} `
      + `with ${threadsText(counts.at(-1))}`,
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

export function work({ 'less-work': results }) {
  const section = {
    title: 'Doing less work',
    command: 'npm run bench work',
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
    note:
      'Ratios of frame times, medians of pairs: shorter is better, and the upright mark is the most that is '
      + 'allowed. Geometry: vertices, setup and raster of the dragon on one thread over llvmpipe’s whole frame on '
      + 'all cores. Busy lanes (in the numbers): the share of shading’s lanes that are fragments, '
      + 'for the helmet of what its triangles allow.',
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

export function everything({ everything: results }) {
  const section = {
    title: 'The map of costs',
    command: 'npm run bench everything',
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
      title:
        `${group}: `
        + `${plural(own.length, 'cell')}${dear.length ? `, ${dear.length} over ${most} times their relative` : ''}`,
      note:
        `Cycles a ${own[0].unit}, compiled programs on one thread. Framed: `
        + `more than ${most} times the nearest common cell; the numbers say of which, and why.`,
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
