// Sections about compute shaders: between the engines, and against the peers.
import { figure, isNumber, ratioRows } from '../draw.mjs';
import { countWhere, limit, threadsText } from './kit.mjs';

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

export function compute({ compute: file }) {
  const section = {
    title: 'Compute programs',
    command: 'npm run bench compute',
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
      title:
        `Compiled compute programs are ${figure(Math.min(...of(panels[0])))} `
        + `to ${figure(Math.max(...of(panels[0])))} times as fast as with the ${panels[0]}`,
      note:
        'Ratios of times, medians of pairs, logarithmic: longer is better. One thread each; '
        + 'what they leave is held to the same algorithm in JavaScript.',
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

export function computePeers({ 'compute-peers': file }) {
  const section = {
    title: 'Compute programs beside peers',
    command: 'npm run bench compute-peers',
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
      note:
        `Times as fast on ${threadsText(file.threads)}, medians of rounds, logarithmic: longer is better, `
        + 'and the upright mark is the least that is wanted. JavaScript and Rasterloom on one thread where they '
        + 'are compared; each side is a process of its own.',
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
