// The tables about modular pipelines, geometry, tessellation and stream output, and those of attributes in shaders.
import { MAX_LEVEL } from '../../../assembly/layout/vertex/tessellation-codes';
import { expect } from 'vitest';
import { MAX_CONTROL_POINTS } from '../../../src/wgsl/resolve/geometry';
import { MAX_VIEWPORTS } from '../../../src/api/core/limits';
import { modularPipelineDescriptor, modularStage } from '../../../src/api/modular/modular-descriptor';
import { MAX_PATHS } from '../../../src/api/modular/modular-graph';
import { MAX_SINKS } from '../../../src/api/modular/modular-draws';
import { MAX_EMITTED_SCALARS, MAX_SLOTS, MAX_VERTICES } from '../../../src/api/modular/modular-slots';
import { cornersOf, MAX_PATCH_VERTICES, TOPOLOGIES } from '../../../src/mpipe';
import { BUILTIN_RULES } from '../../../src/wgsl/resolve/declarations/interface';
import { typeName } from '../../../src/wgsl/type-store';
import { apiDevice } from '../../api/fake';
import {
  amountIn,
  amountsIn,
  checksOf,
  codesIn,
  expectNames,
  expectValues,
  namesIn,
  rowOf,
  shown,
  type Table,
} from '../tables';
import { membersOf, parametersOf, valuesOf } from '../members';

const modular = checksOf('docs/features/modular-pipelines.md');
const geometry = checksOf('docs/features/geometry-and-stream-output.md');
const tessellation = checksOf('docs/features/tessellation.md');

const sorted = (names: Iterable<string>): readonly string[] => [...names].sort();

function descriptor(table: Table): void {
  expectNames(table, membersOf('ModularPipelineDescriptor'));
  expect(amountIn(rowOf(table, 'stages')[1]!)).toBe(MAX_SLOTS);
  expect(amountsIn(rowOf(table, 'sinks')[1]!)).toEqual([1, MAX_SINKS]);
  expect(codesIn(rowOf(table, 'processingOrder')[1]!)[0]).toBe(
    `{ ${membersOf('ModularPipelineDescriptor', 'processingOrder').join(', ')} }`
  );
}

function input(table: Table): void {
  expectNames(table, membersOf('ModularPipelineDescriptor', 'input'));
  const { topology } = modularPipelineDescriptor({ layout: 'auto', input: {}, stages: [], sinks: [] }, 'd').input;
  expect(rowOf(table, 'topology')[2]).toBe(shown(topology));
  expect(amountsIn(rowOf(table, 'patchVertices')[1]!)).toEqual([1, MAX_PATCH_VERTICES]);
  expectValues(
    rowOf(table, 'stripIndexFormat')[1]!,
    valuesOf('ModularPipelineDescriptor', 'input', 'stripIndexFormat')
  );
}

function topologies(table: Table): void {
  const known = valuesOf('ModularPipelineDescriptor', 'input', 'topology');
  const own = known.filter((name) => /adjacency|patch/.test(name));
  expectNames(table, own);
  for (const row of table.rows.filter(([, corners]) => /^\d+$/.test(corners!)))
    for (const name of namesIn({ ...table, rows: [row] }))
      expect(cornersOf(name as (typeof TOPOLOGIES)[number]), name).toBe(Number(row[1]));
}

async function stages(table: Table): Promise<void> {
  expect(sorted(new Set(namesIn(table)))).toEqual(sorted(membersOf('ModularStage')));
  const { device } = await apiDevice();
  const module = device.createShaderModule({ code: '' });
  const { enabled } = modularStage({ kind: 'vertex', module }, 'stage');
  expect(rowOf(table, 'enabled')[2]).toBe(shown(enabled));
  expectValues(rowOf(table, 'kind')[1]!, valuesOf('ModularStage', 'kind'));
}

function sinks(table: Table): void {
  const [raster, buffer, pipeline] = table.rows.map(([first]) => codesIn(first!)[0]);
  expect([raster, buffer, pipeline]).toEqual([
    `{ raster: { ${membersOf('RasterSink').join(', ')} } }`,
    `{ buffer: { ${membersOf('BufferSink').join(', ')} } }`,
    '{ pipeline }',
  ]);
  expect(sorted(membersOf('ModularSink'))).toEqual(['buffer', 'from', 'pipeline', 'raster', 'stream']);
  for (const name of membersOf('RasterSink', 'primitive')) expect(codesIn(table.rows[0]![1]!)).toContain(name);
}

const commands = (table: Table): void =>
  expectNames(table, [...membersOf('ModularPipelineCommands'), ...membersOf('ViewportCommands')]);

/** Types, and the stages in which builtins can be used. */
const builtins =
  (use: RegExp, onlyThese: boolean) =>
  (table: Table): void => {
    const rows = table.rows.map(([first]) => codesIn(first!));
    const name = (code: string): string => code.replace(/^@builtin\((.*)\)$/, '$1');
    const rules = Object.entries(BUILTIN_RULES).filter(([, { uses }]) => uses.some((each) => use.test(each)));
    const known = new Map(rules);
    for (const [code, type] of rows) {
      expect([...known.keys()]).toContain(name(code!));
      if (type !== undefined) expect(type).toBe(typeName(known.get(name(code!))!.type));
    }
    if (onlyThese) expect(sorted(rows.map(([code]) => name(code!)))).toEqual(sorted(known.keys()));
  };

function inspection(table: Table): void {
  expectNames(table, ['stages', 'edges', 'statistics']);
  const live = codesIn(rowOf(table, 'edges')[1]!);
  for (const name of live) expect(membersOf('EdgeDescription')).toContain(name);
}

function pipelineCounters(table: Table): void {
  const rows = table.rows.flatMap(([first]) => codesIn(first!));
  const slots = table.rows.filter(([first]) => first!.includes('slots[i].'));
  const ofSlots = namesIn({ ...table, rows: slots });
  for (const name of ofSlots) expect(membersOf('SlotStatistics')).toContain(name);
  expect(sorted(new Set(rows.map((code) => code.replace(/^slots\[i\]\./, ''))))).toEqual(
    sorted(
      new Set(
        [...membersOf('SlotStatistics'), ...membersOf('ModularPipelineStatistics')].filter((name) => name !== 'slots')
      )
    )
  );
}

function limits(table: Table): void {
  expect(table.rows.map(([, value]) => amountsIn(value!))).toEqual([
    [MAX_SLOTS],
    [MAX_SINKS],
    [MAX_PATHS],
    [MAX_VIEWPORTS],
    [MAX_VERTICES, MAX_EMITTED_SCALARS],
    [MAX_PATCH_VERTICES],
  ]);
}

function emission(table: Table): void {
  expectNames(table, ['maxVertices', 'topology']);
  expect(amountsIn(rowOf(table, 'maxVertices')[1]!)).toEqual([1, MAX_VERTICES, MAX_EMITTED_SCALARS]);
}

const adjacency = (table: Table): void =>
  expectNames(
    table,
    TOPOLOGIES.filter((name) => name.endsWith('adjacency'))
  );

function evaluation(table: Table): void {
  expectNames(table, ['spacing', 'topology', 'winding', 'maxLevel']);
  expectValues(rowOf(table, 'spacing')[1]!, valuesOf('ModularStage', 'spacing'));
  expectValues(rowOf(table, 'winding')[1]!, valuesOf('ModularStage', 'winding'));
  expect(amountsIn(rowOf(table, 'maxLevel')[1]!)).toEqual([1, MAX_LEVEL, 2, MAX_LEVEL]);
  expect(amountIn(rowOf(table, 'maxLevel')[2]!)).toBe(MAX_LEVEL);
}

const entryPoints = (table: Table): void => {
  expect(table.rows.map(([first]) => first)).toEqual(['`@tess_control`', '`@tess_evaluation`']);
  expect(amountsIn(table.rows[0]![1]!)).toEqual([1, MAX_CONTROL_POINTS]);
};

export const MODULAR_CHECKS = [
  modular('Descriptor', 'member', descriptor),
  modular('`input`', 'member', input),
  modular('`input`', '`topology`', topologies),
  modular('Stages', 'member', stages),
  modular('Stages', 'kind', (table) => expectNames(table, valuesOf('ModularStage', 'kind'))),
  modular('Sinks', 'sink', sinks),
  modular('Commands', 'command', commands),
  modular('Primitive stages', 'builtin', builtins(/^primitive output/, true)),
  modular('Inspection', 'member', inspection),
  modular('Inspection', 'counter', pipelineCounters),
  modular('Limits', 'limit', limits),
  geometry('Geometry stages', 'member', emission),
  geometry('Builtins', 'builtin', builtins(/^(geometry|vertex) input/, true)),
  geometry('Adjacency', 'topology', adjacency),
  geometry('Stream output', 'member of `buffer`', (table) => expectNames(table, membersOf('BufferSink'))),
  geometry('Stream output', 'parameter', (table) =>
    expectNames(table, parametersOf('ModularPipelineCommands', 'setSinkBuffer'))
  ),
  tessellation('Shaders', 'entry point', entryPoints),
  tessellation('Shaders', 'builtin', builtins(/^(tess_|vertex input)/, false)),
  tessellation('`domain`', '`domain`', (table) => expectNames(table, valuesOf('ModularStage', 'domain'))),
  tessellation('Other members of the evaluation stage', 'member', evaluation),
];
