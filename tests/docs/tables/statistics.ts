// The tables of statistics and traces, against their types and the names of all counters.
import { expect } from 'vitest';
import { Counters } from '../../../src/render/statistics/counters';
import { checksOf, codesIn, expectNames, expectValues, namesIn, tablesOf, type Table } from '../tables';
import { membersOf, valuesOf } from '../members';

const FILE = 'docs/features/statistics.md';
const at = checksOf(FILE);
const counters = new Set(Object.keys(new Counters().read()));

/** Counters that a table names exist. */
const existing = (table: Table): void => {
  expect(namesIn(table).length).toBeGreaterThan(0);
  for (const name of namesIn(table)) expect(counters).toContain(name);
};

/** The tables of counters on this page, and that of compute passes, have all counters. */
function allCounters(table: Table): void {
  existing(table);
  const tables = [...tablesOf(FILE), ...tablesOf('docs/features/compute.md')].filter(({ head }) =>
    /counter/.test(head[0]!)
  );
  expect([...new Set(tables.flatMap((each) => namesIn(each)))].sort()).toEqual([...counters].sort());
}

function members(table: Table): void {
  expectNames(table, membersOf('DeviceStatistics'));
  const memory = table.rows.find(([first]) => first === '`memory`')![1]!;
  for (const name of membersOf('DeviceStatistics', 'memory')) expect(codesIn(memory)).toContain(name);
}

const ofType =
  (...type: readonly string[]) =>
  (table: Table): void =>
    expectNames(table, membersOf(...type));

function programs(table: Table): void {
  expectNames(table, membersOf('DeviceStatistics', 'programs'));
  const cell = (name: string): string => table.rows.find(([first]) => first === `\`${name}\``)![1]!;
  expectValues(cell('engine'), valuesOf('DeviceStatistics', 'programs', 'engine'));
  expect(codesIn(cell('times'))).toEqual(membersOf('DeviceStatistics', 'programs', 'times'));
}

function programStages(table: Table): void {
  expectNames(table, membersOf('DeviceStatistics', 'programs', 'stages'));
  const state = table.rows.find(([first]) => first === '`state`')![1]!;
  expectValues(state, valuesOf('DeviceStatistics', 'programs', 'stages', 'state'));
}

function streams(table: Table): void {
  expectNames(table, membersOf('StreamStatistics'));
  const stalls = table.rows.find(([first]) => first === '`stalls`')![1]!;
  for (const name of membersOf('StreamStatistics', 'stalls')) expect(codesIn(stalls)).toContain(name);
}

function traceEvents(table: Table): void {
  expectNames(table, membersOf('TraceEvent'));
  const ph = table.rows.find(([first]) => first === '`ph`')![1]!;
  expectValues(ph, valuesOf('TraceEvent', 'ph'));
}

const streamed = checksOf('docs/features/streamed-textures.md');

export const STATISTICS_CHECKS = [
  at('`device.statistics()`', 'member', members),
  at('Passes and geometry', 'counter', allCounters),
  at('Passes and geometry', 'counter of culled triangles', existing),
  at('Blocks, quads and fragments', 'counter', existing),
  at('Blocks, quads and fragments', 'block counter', existing),
  at('Fragment stages', 'counter', existing),
  at('Order and scheduling', 'counter', existing),
  at('Times', 'member', ofType('DeviceTimes')),
  at('Shaders', 'member', programs),
  at('Shaders', 'member of a stage', programStages),
  checksOf('docs/features/compute.md')('Statistics', 'counter', existing),
  checksOf('docs/features/shading-rate.md')('Statistics', 'member', ofType('ShadingRateStatistics')),
  checksOf('docs/features/tile-sharing.md')('Statistics', 'counter', existing),
  checksOf('docs/features/tracing.md')('Types', 'member', traceEvents),
  streamed('Statistics', 'member', streams),
  streamed('Statistics', 'counter', existing),
];
