// Lowers HIR to IR: one entry point becomes one program. Functions are inlined, and vectors and structs are split into
// scalars. The result is correct but not yet optimised; src/ir/passes does that.

import { assert, unreachable } from '../../base/assert';
import { defaultShaderLimits } from '../../base/shader-limits';
import {
  dropUnused,
  NUMBER_LOCATION,
  RATE_LOCATION,
  type IrInput,
  type IrOutput,
  type IrProgram,
  type IrResource,
  type ScalarType,
  type ValueId,
} from '../../ir';
import type { EntryPoint, GlobalVariable, Hir, InterfaceVariable } from '../hir';
import { texelScalar } from '../predeclared';
import { IrBuilder } from './builder';
import type { Binding, Context } from './context';
import { lowerExpr } from './expressions';
import { streamsOf, writeOutputs } from './geometry';
import { isHalf, leafTypes, minBindingSize } from './leaves';
import { lanesFor, placeOf, store, variablesFor, type Memory } from './memory';
import { asHalves } from './operators';
import { workgroupVariables } from './workgroup';
import { analysisOf, inlineCall } from './statements';
import { SUBGROUP_SIZE } from '../subgroup-size';
import { laneIndex } from './subgroups';

export { loweredBuiltins } from './builtins';
export { loweredTextureBuiltins } from './textures';

/**
 * Lowers an entry point of any stage. The program obeys the rules of src/ir/program.ts and contains only the inputs
 * that are used. `resources` contains everything that the entry point statically uses, in the order of
 * EntryPoint.resources.
 */
export function lowerEntryPoint(hir: Hir, entryPointIndex: number, limits = defaultShaderLimits): IrProgram {
  const entry = hir.entryPoints[entryPointIndex] ?? unreachable(`lower: no entry point ${entryPointIndex}`);
  const { stage } = entry;
  const builder = new IrBuilder(`the ${stage} shader '${entry.name}'`, limits.instructions);
  const resources = new Map(entry.resources.map((global, index) => [global, index]));
  const globals = new Map<number, Memory>();
  const context: Context = {
    hir,
    builder,
    globals,
    resources,
    inline: (fn, args) => inlineCall(context, fn, args),
    frame: {
      fn: hir.functions[entry.fn]!,
      locals: [],
      constants: new Map(),
      spilled: new Set(),
      onReturn: () => unreachable('lower: return outside a function'),
      breakLabel: -1,
      continueLabel: -1,
    },
    loopDepth: 0,
  };
  const immediate = placeImmediate(hir, entry, globals);
  hir.globals.forEach((global, index) => {
    const resource = resources.get(index);
    if (resource !== undefined && (global.space === 'uniform' || global.space === 'storage'))
      globals.set(index, { kind: 'buffer', resource, writable: isWritable(hir.globals[index]!) });
  });
  const workgroup = placeWorkgroupVariables(hir, entry, globals, entry.resources.length + immediate.length);
  lowerPrivateVariables(context, entry);

  const inputs: IrInput[] = [];
  const args = lowerInputs(builder, entry, context.frame.fn.parameterCount, stage, inputs);
  const results = inlineCall(context, entry.fn, args);
  const outputs = outputsOf(entry, stage);
  // Some stages write their outputs with each vertex or dispatch. The others write them once at the end, where all
  // lanes are active again.
  if (stage !== 'geometry' && !entry.dispatches) {
    const counts = `${results.length} scalars for ${outputs.length} outputs`;
    assert(results.length === outputs.length, `lower: '${entry.name}' returns ${counts}`);
    writeOutputs(builder, results);
  }

  const body = builder.body();
  const streams = stage === 'geometry' ? streamsOf(body) : 1;
  return dropUnused({
    name: entry.name,
    kind: stage,
    values: builder.values,
    variables: builder.variables,
    arrays: builder.arrays,
    inputs,
    outputs,
    resources: [...entry.resources.map((global) => describeResource(hir.globals[global]!)), ...immediate, ...workgroup],
    body,
    usesDiscard: false,
    usesDerivatives: false,
    ...(entry.testsEarly && { testsEarly: true }),
    ...(stage === 'primitive' && { corners: entry.corners }),
    ...(streams !== 1 && { streams }),
    ...(entry.workgroupSize !== null && { workgroupSize: entry.workgroupSize }),
  });
}

/** Allocates the private variables that the entry point can reach, and runs their initialisers. */
function lowerPrivateVariables(context: Context, entry: EntryPoint): void {
  const { builder, hir } = context;
  const globals = context.globals as Map<number, Memory>;
  const dynamic = new Set<number>();
  const used = entry.globals.filter((index) => hir.globals[index]!.space === 'private').sort((a, b) => a - b);
  if (used.length === 0) return;
  for (const fn of entry.functions) for (const global of analysisOf(context, fn).dynamicGlobals) dynamic.add(global);
  for (const index of used) {
    const global = hir.globals[index]!;
    const memory = dynamic.has(index)
      ? lanesFor(builder, global.name, global.type).memory
      : variablesFor(builder, global.name, global.type);
    globals.set(index, memory);
    // Variables are zero at the start.
    if (global.initializer !== null)
      store(builder, placeOf(memory, global.type), lowerExpr(context, global.initializer));
  }
}

/** Immediate data follow the resources with bindings. */
function placeImmediate(hir: Hir, { immediate, resources }: EntryPoint, globals: Map<number, Memory>): IrResource[] {
  if (immediate === null) return [];
  const { name, type } = hir.globals[immediate]!;
  globals.set(immediate, { kind: 'buffer', resource: resources.length, writable: false });
  return [{ kind: 'immediate', name, minSize: minBindingSize(type) }];
}

/** Workgroup variables are placed one after another in one memory, which is the last resource. */
function placeWorkgroupVariables(
  hir: Hir,
  entry: EntryPoint,
  globals: Map<number, Memory>,
  resource: number
): IrResource[] {
  const used = workgroupVariables(hir, entry);
  for (const { global, offset } of used.places)
    globals.set(global, { kind: 'buffer', resource, writable: true, offset });
  return used.places.length === 0 ? [] : [{ kind: 'workgroup', name: 'workgroup memory', size: used.bytes }];
}

const isWritable = ({ space, access }: GlobalVariable): boolean => space === 'storage' && access !== 'read';

function describeResource(global: GlobalVariable): IrResource {
  const { group, binding } = global.binding ?? unreachable(`lower: resource '${global.name}' without binding`);
  const { type, name } = global;
  switch (type.kind) {
    case 'texture':
      return {
        kind: 'texture',
        group,
        binding,
        name,
        dimension: type.dimension,
        multisampled: type.multisampled,
        sampled: type.sampled === 'external' ? 'f32' : type.sampled,
      };
    case 'sampler':
      return { kind: 'sampler', group, binding, name, comparison: type.comparison };
    case 'storage-texture': {
      const sampled = texelScalar(type) ?? unreachable(`lower: storage texture '${name}'`);
      const { format, access, dimension } = type;
      const common = { group, binding, name, sampled };
      if (type.multisampled) return { kind: 'surface', ...common, format, access };
      return access === 'read'
        ? { kind: 'texture', ...common, dimension, multisampled: false }
        : { kind: 'image', ...common, format, access, dimension };
    }
    default:
      return {
        kind: global.space === 'storage' ? 'storage' : 'uniform',
        group,
        binding,
        name,
        minSize: minBindingSize(type),
        writable: isWritable(global),
      };
  }
}

const SAMPLINGS = {
  center: 'center',
  centroid: 'centroid',
  sample: 'sample',
  first: 'center',
  either: 'center',
} as const;

/** How a location is interpolated; integers are flat. */
function interpolationOf(
  variable: InterfaceVariable,
  type: ScalarType
): Pick<Extract<IrInput, { kind: 'varying' }>, 'interpolation' | 'sampling'> {
  const given = variable.io.interpolation;
  if (given === undefined) return { interpolation: type === 'f32' ? 'perspective' : 'flat', sampling: 'center' };
  return { interpolation: given.type, sampling: SAMPLINGS[given.sampling] };
}

function inputOf(
  variable: InterfaceVariable,
  stage: IrProgram['kind'],
  component: number,
  type: ScalarType,
  corner?: number
): IrInput {
  const { location, color, link, builtin } = variable.io;
  if (color !== undefined) return { kind: 'destination', location: color, component, type };
  if (link !== undefined) return { kind: 'link', location: link, component, type };
  if (location !== undefined) {
    if (stage === 'tess_evaluation' && corner !== undefined)
      return { kind: 'control_point', location, component, type, corner };
    if (stage !== 'fragment')
      return { kind: 'attribute', location, component, type, ...(corner !== undefined && { corner }) };
    return { kind: 'varying', location, component, type, ...interpolationOf(variable, type) };
  }
  if (builtin === 'primitive_index' && stage === 'fragment') return NUMBER_INPUT;
  switch (builtin) {
    case 'position':
    case 'tess_coord':
      return { kind: 'builtin', builtin, component, type: 'f32' };
    case 'local_invocation_id':
    case 'global_invocation_id':
    case 'workgroup_id':
    case 'num_workgroups':
      return { kind: 'builtin', builtin, component, type: 'u32' };
    case 'local_invocation_index':
      return { kind: 'builtin', builtin, type: 'u32' };
    case 'vertex_index':
    case 'instance_index':
    case 'primitive_index':
    case 'front_facing':
    case 'sample_index':
    case 'sample_mask':
    case 'shading_rate':
    case 'sample_depth':
    case 'sample_stencil':
      return { kind: 'builtin', builtin, type };
    default:
      return unreachable(`lower: input ${builtin}`);
  }
}

/** The primitive index of a fragment is a varying that setup writes. */
const NUMBER_INPUT: IrInput = {
  kind: 'varying',
  location: NUMBER_LOCATION,
  component: 0,
  type: 'u32',
  interpolation: 'flat',
  sampling: 'center',
  isPerPrimitive: true,
};

/**
 * Whether the value of an f16 input may lie between two halves: data from vertex buffers and render targets, and
 * interpolated values.
 */
const isBetween = (input: IrInput): boolean =>
  input.kind === 'attribute'
  || input.kind === 'destination'
  || (input.kind === 'varying' && input.interpolation !== 'flat');

/** Index of an input; adds it if missing. Built-in values of compute programs are shared. */
function indexOf(input: IrInput, inputs: IrInput[]): number {
  const component = 'component' in input ? input.component : 0;
  const known =
    input.kind !== 'builtin' || input.type !== 'u32'
      ? -1
      : inputs.findIndex(
          (other) =>
            other.kind === 'builtin'
            && other.builtin === input.builtin
            && ('component' in other ? other.component : 0) === component
        );
  return known >= 0 ? known : inputs.push(input) - 1;
}

/** x + (y + z · height) · width: the linear index of a workgroup or of an invocation in the whole dispatch. */
function linearIndex(
  builder: IrBuilder,
  entry: EntryPoint,
  builtin: 'workgroup_index' | 'global_invocation_index',
  inputs: IrInput[]
): ValueId {
  const read = (name: 'workgroup_id' | 'global_invocation_id' | 'num_workgroups', component: number): ValueId =>
    builder.once('input', 'u32', indexOf({ kind: 'builtin', builtin: name, component, type: 'u32' }, inputs));
  const op = (name: 'int.mul' | 'int.add', a: ValueId, b: ValueId): ValueId => builder.op(name, 'u32', [a, b]);
  const isGroup = builtin === 'workgroup_index';
  const size = entry.workgroupSize ?? unreachable('lower: no workgroup size');
  const [x, y, z] = [0, 1, 2].map((k) => read(isGroup ? 'workgroup_id' : 'global_invocation_id', k));
  const [width, height] = [0, 1].map((k) => {
    const groups = read('num_workgroups', k);
    return isGroup ? groups : op('int.mul', groups, builder.u32(size[k]!));
  });
  return op('int.add', x!, op('int.mul', op('int.add', y!, op('int.mul', z!, height!)), width!));
}

/** The number of subgroups in a workgroup, or the index of the invocation's subgroup. */
function subgroupNumber(
  builder: IrBuilder,
  entry: EntryPoint,
  builtin: 'subgroup_id' | 'num_subgroups',
  inputs: IrInput[]
): ValueId {
  const [x, y, z] = entry.workgroupSize ?? unreachable('lower: no workgroup size');
  if (builtin === 'num_subgroups') return builder.u32(Math.ceil((x * y * z) / SUBGROUP_SIZE));
  const index = indexOf({ kind: 'builtin', builtin: 'local_invocation_index', type: 'u32' }, inputs);
  return builder.op('u32.div', 'u32', [builder.once('input', 'u32', index), builder.u32(SUBGROUP_SIZE)]);
}

/** The entry function's arguments. Appends one entry per scalar to `inputs`. */
function lowerInputs(
  builder: IrBuilder,
  entry: EntryPoint,
  parameterCount: number,
  stage: IrProgram['kind'],
  inputs: IrInput[]
): Binding[] {
  const args: ValueId[][] = Array.from({ length: parameterCount }, () => []);
  const add = (variable: InterfaceVariable, corner?: number): void => {
    const { builtin } = variable.io;
    if (builtin === 'workgroup_index' || builtin === 'global_invocation_index') {
      args[variable.parameter]!.push(linearIndex(builder, entry, builtin, inputs));
      return;
    }
    if (builtin === 'subgroup_id' || builtin === 'num_subgroups') {
      args[variable.parameter]!.push(subgroupNumber(builder, entry, builtin, inputs));
      return;
    }
    if (builtin === 'subgroup_size' || builtin === 'subgroup_invocation_id') {
      args[variable.parameter]!.push(builtin === 'subgroup_size' ? builder.u32(SUBGROUP_SIZE) : laneIndex(builder));
      return;
    }
    leafTypes(variable.type).forEach((type, component) => {
      const index = indexOf(inputOf(variable, stage, component, type, corner), inputs);
      const value = builder.once('input', type, index);
      args[variable.parameter]!.push(...asHalves(builder, isHalf(variable.type) && isBetween(inputs[index]!), [value]));
    });
  };
  const isOfCorner = ({ parameter }: InterfaceVariable): boolean => parameter === entry.cornersParameter;
  // Corner by corner, in the order of the elements of the parameter's array.
  for (let corner = 0; corner < entry.corners; corner++)
    for (const variable of entry.inputs) if (isOfCorner(variable)) add(variable, corner);
  for (const variable of entry.inputs) if (!isOfCorner(variable)) add(variable);
  return args.map((values) => ({ kind: 'values', values }));
}

/** A vertex's shading rate is an ordinary varying. Setup uses that of the provoking vertex. */
const RATE_OUTPUT: IrOutput = {
  kind: 'varying',
  location: RATE_LOCATION,
  component: 0,
  type: 'u32',
  interpolation: 'flat',
  sampling: 'center',
};

function outputOf(
  variable: InterfaceVariable,
  stage: IrProgram['kind'],
  component: number,
  type: ScalarType
): IrOutput {
  const { location, link, blendSrc, builtin } = variable.io;
  if (link !== undefined) return { kind: 'link', location: link, component, type };
  if (location !== undefined) {
    if (blendSrc === 1) return { kind: 'second_color', component, type };
    if (stage === 'fragment') return { kind: 'color', location, component, type };
    return { kind: 'varying', location, component, type, ...interpolationOf(variable, type) };
  }
  switch (builtin) {
    case 'position':
      return { kind: 'position', component, type: 'f32' };
    case 'clip_distances':
      return { kind: 'clip_distance', component, type: 'f32' };
    case 'frag_depth':
      return { kind: 'frag_depth', type: 'f32' };
    case 'tess_outer':
      return { kind: 'tess_level', level: component, type: 'f32' };
    case 'tess_inner':
      return { kind: 'tess_level', level: 4 + component, type: 'f32' };
    case 'sample_mask':
      return { kind: 'sample_mask', type: 'u32' };
    case 'cull_primitive':
      return { kind: builtin, type: 'bool' };
    case 'viewport_index':
      return { kind: builtin, type: 'u32' };
    case 'shading_rate':
      return stage === 'primitive' ? { kind: builtin, type: 'u32' } : RATE_OUTPUT;
    default:
      return unreachable(`lower: output ${builtin}`);
  }
}

function outputsOf(entry: EntryPoint, stage: IrProgram['kind']): IrOutput[] {
  return entry.outputs.flatMap((variable) =>
    leafTypes(variable.type).map((type, component) => outputOf(variable, stage, component, type))
  );
}
