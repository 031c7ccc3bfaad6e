// Resolves the entry points of a module after all bodies: what each one reaches, and the rules for it. These are the
// limits, what its stage may use, aliases, and uniformity.

import { isOfSubgroup } from '../../builtin-table';
import type { EntryPoint, GlobalVariable } from '../../hir';
import type { Span } from '../../syntax';
import { checkAliases } from './aliases';
import { CallGraph, MAX_REACHED_FUNCTIONS } from './call-graph';
import type { Context } from '../context';
import { dispatchedOutputs } from '../dispatches';
import { definitionsOf, type FunctionRecord } from './functions';
import { Emitted } from '../geometry';
import type { PipelineConstants } from './globals';
import { checkEarlyTests } from './interface';
import type { Severities } from '../severity';
import { checkUniformity, checkUnreached } from '../uniformity/uniformity';
import {
  DERIVATIVE_UNIFORMITY,
  isBarrier,
  isDerivative,
  SUBGROUP_UNIFORMITY,
  type UniformityScope,
} from '../uniformity/uniformity-rules';

/** A module whose declarations and bodies are resolved. */
interface ResolvedModule {
  readonly context: Context;
  readonly functions: readonly FunctionRecord[];
  readonly globals: readonly GlobalVariable[];
  readonly severities: Severities;
  /** Values of the overrides; null if the whole module is checked without them. */
  readonly constants: PipelineConstants;
}

/**
 * Maximum number of entry points, because everything that each of them reaches is analysed separately (see also
 * MAX_REACHED_FUNCTIONS).
 */
const MAX_ENTRY_POINTS = 1024;

/** Omitted extents are 1. */
function wholeSize([x = 1, y = 1, z = 1]: readonly (number | null)[]): EntryPoint['workgroupSize'] {
  return x === null || y === null || z === null ? null : [x, y, z];
}

/** Checks the calls between functions and returns the valid entry points. */
export function resolveEntryPoints(module: ResolvedModule): EntryPoint[] {
  const { context, functions, globals } = module;
  const { report } = context;
  const { syntaxIsBroken } = context.module;
  const graph = new CallGraph(
    functions.map((record) => record.facts),
    report
  );
  if (!graph.checkRecursion()) return [];
  const entryPoints: EntryPoint[] = [];
  const emitted = new Emitted(context, syntaxIsBroken);
  if (hasTooManyEntryPoints(module) || !staysWithinLimit(module, graph)) return [];
  functions.forEach(({ declaration, stage, interface: io, testsEarly, workgroupSize, subgroupSize }, fn) => {
    if (stage === null || io === null) return;
    graph.checkStage(fn, stage);
    graph.checkBindings(fn, globals);
    const used = graph.globals(fn);
    const { text: name, span } = declaration.name;
    checkSurfaces(module, used, stage);
    checkWrites(module, used, stage);
    checkWorkgroups(module, used, stage);
    const emissions = graph.emissions(fn);
    const dispatches = stage === 'fragment' && emissions.length > 0;
    const outputs =
      stage === 'geometry'
        ? emitted.outputs(declaration, emissions)
        : dispatches
          ? dispatchedOutputs(context, declaration, emissions)
          : io.outputs;
    if (dispatches && testsEarly) checkEarlyTests(context, declaration, stage, { ...io, outputs });
    const usedGlobals = [...used.keys()];
    const resources = usedGlobals.filter((global) => globals[global]!.binding !== null).sort((a, b) => a - b);
    entryPoints.push({
      name,
      stage,
      fn,
      inputs: io.inputs,
      outputs,
      corners: io.corners,
      dispatches,
      cornersParameter: io.cornersParameter,
      functions: graph.reachable(fn),
      globals: usedGlobals,
      resources,
      immediate: graph.immediate(fn, globals),
      testsEarly,
      workgroupSize: stage === 'compute' ? wholeSize(workgroupSize) : null,
      subgroupSize,
      samplingPairs: graph.samplingPairs(fn),
      span,
    });
  });
  if (!report.hasErrors && !syntaxIsBroken) checkFlow(module, graph, entryPoints);
  return entryPoints;
}

/** Checks aliases and uniformity. */
function checkFlow(module: ResolvedModule, graph: CallGraph, entryPoints: readonly EntryPoint[]): void {
  const {
    globals,
    severities,
    constants,
    context: { report },
  } = module;
  const functions = definitionsOf(module.functions);
  if (constants === null) checkAliases({ functions, globals, report });
  // Rules about derivatives do not depend on the values of overrides.
  const derivatives = constants === null && severities.canReport(DERIVATIVE_UNIFORMITY);
  const subgroups = constants === null && severities.canReport(SUBGROUP_UNIFORMITY);
  const scopes: [UniformityScope, (name: string) => boolean][] = [
    ['workgroup', (name) => isBarrier(name) || (derivatives && isDerivative(name))],
    ['subgroup', (name) => subgroups && isOfSubgroup(name)],
  ];
  const check = { functions, globals, report, severities, meter: { steps: 0 } };
  for (const entry of entryPoints) {
    for (const [scope, counts] of scopes)
      if (graph.callsBuiltin(entry.fn, counts)) checkUniformity(check, scope, entry);
  }
  if (constants !== null) return;
  // Beyond the limit, functions are not checked.
  for (const fn of graph.unreached(entryPoints.map((entry) => entry.fn)))
    for (const [scope, counts] of scopes)
      if (graph.staysWithinLimit(fn) && graph.callsBuiltin(fn, counts)) checkUnreached(check, scope, fn);
}

function staysWithinLimit({ functions, context }: ResolvedModule, graph: CallGraph): boolean {
  const beyond = functions.find(({ stage }, fn) => stage !== null && !graph.staysWithinLimit(fn));
  if (beyond === undefined) return true;
  context.report.error('too-much-reached', beyond.declaration.name.span, [], MAX_REACHED_FUNCTIONS);
  return false;
}

function hasTooManyEntryPoints({ functions, context }: ResolvedModule): boolean {
  const beyond = functions.filter(({ stage }) => stage !== null)[MAX_ENTRY_POINTS];
  if (beyond === undefined) return false;
  context.report.error('too-many-entry-points', beyond.declaration.name.span, [], MAX_ENTRY_POINTS);
  return true;
}

/** Multisampled storage textures are only available in fragment shaders. */
function checkSurfaces(
  { globals, context }: ResolvedModule,
  used: ReadonlyMap<number, Span>,
  stage: EntryPoint['stage']
): void {
  if (stage === 'fragment') return;
  for (const [global, span] of used) {
    const { name, type } = globals[global]!;
    if (type.kind !== 'storage-texture' || !type.multisampled) continue;
    const notes =
      stage === 'compute'
        ? [{ message: 'multisampled storage textures are not supported in compute shaders yet' }]
        : [];
    context.report.error('stage-not-allowed', span, notes, name, 'fragment', stage);
  }
}

/** Only compute shaders have workgroups. */
function checkWorkgroups(
  { globals, context }: ResolvedModule,
  used: ReadonlyMap<number, Span>,
  stage: EntryPoint['stage']
): void {
  if (stage === 'compute') return;
  for (const [global, span] of used) {
    const { name, space } = globals[global]!;
    if (space === 'workgroup') context.report.error('stage-not-allowed', span, [], name, 'compute', stage);
  }
}

/** Only fragment and compute shaders may write resources, or read writable ones. */
function checkWrites(
  { globals, context }: ResolvedModule,
  used: ReadonlyMap<number, Span>,
  stage: EntryPoint['stage']
): void {
  if (stage === 'fragment' || stage === 'compute') return;
  for (const [global, span] of used) {
    const { name, space, access, type } = globals[global]!;
    const isTexture = type.kind === 'storage-texture' && type.access !== 'read' && !type.multisampled;
    if (!isTexture && (space !== 'storage' || access === 'read')) continue;
    const what = isTexture ? "storage texture with the access 'read'" : "'var<storage, read>'";
    const notes = [{ message: `a ${what} can be read by all` }];
    context.report.error('stage-not-allowed', span, notes, name, 'fragment and compute', stage);
  }
}
