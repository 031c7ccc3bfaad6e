// Sections about single contents compared with the peers: scenes of three.js, the cost map, and the search for slow
// content.
import { figure, isNumber, ratioRows } from '../draw.mjs';
import { lines } from '../lines.mjs';
import { countWhere, limit, plural } from './kit.mjs';

const PEERS = { llvmpipe: 'llvmpipe', swiftshader: 'SwiftShader' };
const STEADY = '30 to 60';
const percent = (share) => (isNumber(share) ? `${(share * 100).toFixed(1)} %` : '–');
const middle = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];

export function three({ three: results }) {
  const section = {
    title: 'three.js',
    command: 'npm run bench three',
    file: 'three',
    machine: results?.machine,
    charts: [],
    limits: [],
  };
  for (const [samples, scenes] of Object.entries(results?.results ?? {})) {
    const names = Object.keys(scenes);
    const windows = [...new Set(names.flatMap((name) => Object.keys(scenes[name])))];
    const of = (name, peer, window = STEADY) => scenes[name][window]?.[peer];
    const peers = Object.keys(PEERS).filter((peer) => names.some((name) => isNumber(of(name, peer)?.ratio)));
    if (!peers.length) continue;
    const ratios = names.map((name) => of(name, peers[0])?.ratio).filter(isNumber);
    section.charts.push({
      title:
        `${plural(ratios.length, 'scene')} of three.js at ${plural(parseInt(samples, 10), 'sample')}: `
        + `${figure(middle(ratios))} times as fast as ${PEERS[peers[0]]} in the median`,
      note:
        `Times as fast in frames ${STEADY} at ${results.size}, medians of ${plural(results.rounds, 'round')}, `
        + 'logarithmic: longer is better. The upright mark is as fast as the peer. Each side draws in a process of '
        + 'its own, and three.js itself is included.',
      ...ratioRows({
        names,
        panels: peers.map((peer) => ({
          title: `over ${PEERS[peer]}`,
          rows: names.map((name) => ({ value: of(name, peer)?.ratio, limit: 1, text: figure(of(name, peer)?.ratio) })),
        })),
      }),
      table: {
        head: [
          'scene',
          ...windows.flatMap((window) => [
            `frames ${window}, ms`,
            ...peers.flatMap((peer) => [`over ${PEERS[peer]}`, 'by processor time']),
          ]),
          ...peers.map((peer) => `pixels like ${PEERS[peer]}’s`),
        ],
        rows: names.map((name) => [
          name,
          ...windows.flatMap((window) => [
            figure(of(name, 'ours', window)?.ms),
            ...peers.flatMap((peer) => [
              figure(of(name, peer, window)?.ratio),
              figure(of(name, peer, window)?.cpuRatio),
            ]),
          ]),
          ...peers.map((peer) => percent(of(name, peer)?.likeness)),
        ]),
      },
    });
  }
  const frames = overFrames(results?.compared ?? {});
  if (frames) section.charts.push(frames);
  section.limits = Object.entries(results?.compared ?? {})
    .filter(([what]) => what.includes(STEADY))
    .flatMap(([what, { median, least, limits }]) => [
      limit(`three.js at ${what}, median`, median, limits.median, median >= limits.median),
      limit(`three.js at ${what}, least`, least, limits.each, least >= limits.each),
    ]);
  return section;
}

/** Median ratios over the windows of frames, with a line for each peer and sample count, or nothing. */
function overFrames(compared) {
  const cells = Object.entries(compared).map(([what, { median }]) => {
    const [samples, frames, peer] = what.split(', ');
    return { line: `${PEERS[peer]}, ${plural(parseInt(samples, 10), 'sample')}`, frames: frames.slice(7), median };
  });
  const steps = [...new Set(cells.map(({ frames }) => frames))];
  if (steps.length < 2) return undefined;
  const names = [...new Set(cells.map(({ line }) => line))];
  const at = (line, frames) => cells.find((cell) => cell.line === line && cell.frames === frames)?.median;
  return {
    title: 'three.js from the first frame to steady frames',
    note:
      'Times as fast as each peer, the median over all scenes, logarithmic: higher is better. The dashed line is as '
      + 'fast as the peer.',
    ...lines({
      steps,
      axis: 'frames',
      unit: 'times as fast',
      limit: 1,
      series: names.map((name) => ({ name, values: steps.map((frames) => at(name, frames)) })),
    }),
    table: {
      head: ['over', ...steps.map((frames) => `frames ${frames}`)],
      rows: names.map((name) => [name, ...steps.map((frames) => figure(at(name, frames)))]),
    },
  };
}

export function costs({ costs: results }) {
  const section = {
    title: 'The cost map beside peers',
    command: 'npm run bench costs',
    file: 'costs',
    machine: results?.machine,
    charts: [],
    limits: [],
  };
  const all = Object.values(results?.rows ?? {});
  for (const size of results?.sizes ?? []) {
    const at = (row, kind) => all.find((each) => each.size === size && each.row === row && each.kind === kind);
    const rows = [...new Set(all.map(({ row }) => row))];
    const kinds = results.kinds.filter((kind) => rows.some((row) => at(row, kind)?.llvmpipe));
    if (!kinds.length) continue;
    const cells = rows.flatMap((row) => kinds.map((kind) => at(row, kind)?.llvmpipe?.ratio[0])).filter(isNumber);
    section.charts.push({
      title:
        `${countWhere(cells, (ratio) => ratio >= 1)} of ${cells.length} passes are as fast as llvmpipe’s, `
        + size.replace('x', '×'),
      note:
        'Times as fast as llvmpipe, medians of rounds, logarithmic: longer is better. Full-screen passes with one '
        + 'operation each; the upright mark is as fast as llvmpipe. The numbers are nanoseconds per pixel of a whole '
        + 'pass.',
      ...ratioRows({
        names: rows,
        left: 200,
        panels: kinds.map((kind) => ({
          title: kind.replace('@1', ', 1 sample').replace('@4', ', 4 samples'),
          rows: rows.map((row) => {
            const ratio = at(row, kind)?.llvmpipe?.ratio[0];
            return { value: ratio, limit: 1, text: figure(ratio) };
          }),
        })),
      }),
      table: {
        head: [
          'pass',
          'target',
          'ns a pixel',
          'llvmpipe, ns',
          'times as fast',
          '95 % interval',
          'by processor time',
          'SwiftShader, ns',
        ],
        rows: all
          .filter((each) => each.size === size)
          .map(({ row, kind, ours, llvmpipe, swiftshader }) => [
            row,
            kind,
            figure(ours.ns),
            figure(llvmpipe?.ns),
            figure(llvmpipe?.ratio[0]),
            llvmpipe ? llvmpipe.ratio.slice(1).map(figure).join(' … ') : '–',
            figure(llvmpipe?.cpuRatio[0]),
            figure(swiftshader?.ns),
          ]),
      },
    });
  }
  section.limits = (results?.goals ?? []).map(({ what, value, limit: bound, reached }) =>
    limit(`${what}, over llvmpipe`, value, bound, reached)
  );
  return section;
}

/** Configurations of the chart: the slowest. */
const SHOWN = 30;

export function search({ search: results }) {
  const section = {
    title: 'Random configurations',
    command: 'npm run bench search',
    file: 'search',
    machine: results?.machine,
    charts: [],
    limits: [],
  };
  const all = [...(results?.results ?? [])].sort((a, b) => a.ratio - b.ratio);
  if (!all.length) return section;
  const { peer, limits } = results;
  const slow = countWhere(all, ({ ratio }) => ratio < 1);
  const shown = all.slice(0, SHOWN);
  section.charts.push({
    title: `${slow} of ${all.length} random configurations are slower than on ${PEERS[peer]}`,
    note:
      `The ${plural(shown.length, 'configuration')} with the least ratios to ${PEERS[peer]}: times as fast, `
      + 'logarithmic. The upright mark is as fast as the peer. The numbers say what each contains.',
    ...ratioRows({
      names: shown.map(({ seed }) => `seed ${seed}`),
      panels: [{ title: '', rows: shown.map(({ ratio }) => ({ value: ratio, limit: 1, text: figure(ratio) })) }],
    }),
    table: {
      head: ['seed', 'times as fast', 'by processor time', 'ms', `${PEERS[peer]}, ms`, 'what it contains'],
      rows: shown.map(({ seed, ratio, cpuRatio, ms, peerMs, traits }) => [
        String(seed),
        figure(ratio),
        figure(cpuRatio),
        figure(ms),
        figure(peerMs),
        traits.join(', '),
      ]),
    },
  });
  const share = slow / all.length;
  section.limits = [
    limit('share of random configurations below 1', share, limits.share, share <= limits.share, false),
    limit('least ratio of a random configuration', all[0].ratio, limits.least, all[0].ratio >= limits.least),
  ];
  return section;
}
