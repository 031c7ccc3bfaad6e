// The interface of entry points (WGSL §13.3): inputs and outputs, by location or as built-in values. Structs are split
// into members in order.

import type { InterfaceVariable, Stage } from '../../hir';
import type { Attribute, FunctionDeclaration, Span } from '../../syntax';
import {
  BOOL,
  F32,
  isConstructible,
  isFloat,
  makeArray,
  scalarOf,
  typeName,
  U32,
  vectorType,
  VOID,
} from '../../type-store';
import type { BuiltinName, IoAttributes, StructType, Type } from '../../types';
import { ioAttributes, hasBrokenIoAttribute, resolveAttributes } from './attributes';
import type { Context } from '../context';
import { MODULAR_PIPELINES, PRIMITIVE_INDEX, requireExtension } from './directives';

type Direction = 'input' | 'output';

interface BuiltinRule {
  readonly type: Type;
  readonly uses: readonly string[];
}

const PRIMITIVE_INPUTS = ['geometry input', 'primitive input', 'tess_control input', 'tess_evaluation input'];
/** WGSL §13.3.1.1.1. */
const MAX_DISTANCES = 8;
const VEC3U = vectorType(3, 'u32');
export const BUILTIN_RULES: Readonly<Record<BuiltinName, BuiltinRule>> = {
  vertex_index: { type: U32, uses: ['vertex input'] },
  instance_index: { type: U32, uses: ['vertex input', ...PRIMITIVE_INPUTS] },
  primitive_index: { type: U32, uses: ['fragment input', ...PRIMITIVE_INPUTS] },
  position: {
    type: vectorType(4, 'f32'),
    uses: ['vertex output', 'geometry output', 'tess_evaluation output', 'fragment input'],
  },
  clip_distances: { type: makeArray(F32, MAX_DISTANCES), uses: ['vertex output'] },
  tess_coord: { type: vectorType(3, 'f32'), uses: ['tess_evaluation input'] },
  tess_outer: { type: vectorType(4, 'f32'), uses: ['tess_control output'] },
  tess_inner: { type: vectorType(2, 'f32'), uses: ['tess_control output'] },
  cull_primitive: { type: BOOL, uses: ['primitive output'] },
  viewport_index: { type: U32, uses: ['primitive output'] },
  shading_rate: {
    type: U32,
    uses: ['vertex output', 'geometry output', 'tess_evaluation output', 'primitive output', 'fragment input'],
  },
  sample_depth: { type: F32, uses: ['fragment input'] },
  sample_stencil: { type: U32, uses: ['fragment input'] },
  front_facing: { type: BOOL, uses: ['fragment input'] },
  frag_depth: { type: F32, uses: ['fragment output'] },
  sample_index: { type: U32, uses: ['fragment input'] },
  sample_mask: { type: U32, uses: ['fragment input', 'fragment output'] },
  local_invocation_id: { type: VEC3U, uses: ['compute input'] },
  local_invocation_index: { type: U32, uses: ['compute input'] },
  global_invocation_id: { type: VEC3U, uses: ['compute input'] },
  global_invocation_index: { type: U32, uses: ['compute input'] },
  workgroup_id: { type: VEC3U, uses: ['compute input'] },
  workgroup_index: { type: U32, uses: ['compute input'] },
  num_workgroups: { type: VEC3U, uses: ['compute input'] },
  subgroup_invocation_id: { type: U32, uses: ['compute input', 'fragment input'] },
  subgroup_size: { type: U32, uses: ['compute input', 'fragment input'] },
  subgroup_id: { type: U32, uses: ['compute input'] },
  num_subgroups: { type: U32, uses: ['compute input'] },
};

/** A parameter or result, before its struct is split into members. */
export interface Item {
  readonly name: string;
  readonly type: Type;
  readonly attributes: readonly Attribute[];
  readonly span: Span;
  readonly parameter: number;
}

/** One side of an entry point that is known so far. */
export interface Side {
  readonly stage: Stage;
  readonly direction: Direction;
  readonly variables: InterfaceVariable[];
  /** Span of the first use of each location and builtin. */
  readonly seen: Map<string, Span>;
}

export interface EntryInterface {
  readonly inputs: readonly InterfaceVariable[];
  readonly outputs: readonly InterfaceVariable[];
  /** See EntryPoint. */
  readonly corners: number;
  readonly cornersParameter: number;
}

/** Checks a function with @early_depth_test. */
export function checkEarlyTests(
  ctx: Context,
  { name: { text, span } }: FunctionDeclaration,
  stage: Stage | null,
  io: EntryInterface | null
): void {
  if (stage !== 'fragment') ctx.report.error('early-test-without-fragment', span, [], text);
  else if (io?.outputs.some((output) => output.io.builtin === 'frag_depth'))
    ctx.report.error('early-test-with-depth', span, [], text);
}

/**
 * Resolves and checks the interface of an entry point with known types. Stages that take primitives are in geometry.ts.
 */
export function resolveInterface(
  ctx: Context,
  node: FunctionDeclaration,
  stage: Stage,
  parameters: readonly (Type | null)[],
  result: Type | null
): EntryInterface {
  const input: Side = { stage, direction: 'input', variables: [], seen: new Map() };
  node.parameters.forEach((parameter, i) => {
    const type = parameters[i]!;
    const item = {
      name: parameter.name.text,
      attributes: parameter.attributes,
      span: parameter.name.span,
      parameter: i,
    };
    if (type !== null) addItem(ctx, { ...item, type }, input);
  });
  const outputs = addResult(ctx, node, stage, result);
  // In a modular pipeline, only the last vertex stage must write the position.
  const needsPosition = stage === 'vertex' && result !== null && !ctx.module.isEnabled(MODULAR_PIPELINES);
  if (needsPosition && !outputs.some(({ io }) => io.builtin === 'position'))
    ctx.report.error('vertex-without-position', node.name.span, [], node.name.text);
  return { inputs: input.variables, outputs, corners: 0, cornersParameter: -1 };
}

/** What an entry point returns. */
export function addResult(
  ctx: Context,
  node: FunctionDeclaration,
  stage: Stage,
  result: Type | null
): readonly InterfaceVariable[] {
  const output: Side = { stage, direction: 'output', variables: [], seen: new Map() };
  if (result !== null && result !== VOID) {
    const item: Item = {
      name: 'result',
      type: result,
      attributes: node.returnAttributes,
      span: node.returnType!.span,
      parameter: -1,
    };
    addItem(ctx, item, output);
  }
  return output.variables;
}

export function addItem(ctx: Context, item: Item, side: Side): void {
  const what = side.direction === 'input' ? 'a parameter of an entry point' : 'the result of an entry point';
  const values = resolveAttributes(ctx, item.attributes, 'io', what);
  if (item.type.kind === 'struct') {
    if (item.attributes.length > 0)
      ctx.report.error('io-attribute-on-struct', item.attributes[0]!.span, [], item.attributes[0]!.name.text);
    addMembers(ctx, item, item.type, side);
    return;
  }
  if (hasBrokenIoAttribute(item.attributes, values)) return;
  const variable: InterfaceVariable = {
    name: item.name,
    type: item.type,
    io: ioAttributes(values),
    parameter: item.parameter,
    member: -1,
  };
  if (checkVariable(ctx, variable, item.span, side)) side.variables.push(variable);
}

export function addMembers(ctx: Context, item: Item, struct: StructType, side: Side): void {
  struct.members.forEach((member, index) => {
    const variable: InterfaceVariable = {
      name: `${item.name}.${member.name}`,
      type: member.type,
      io: member.io,
      parameter: item.parameter,
      member: index,
    };
    if (checkVariable(ctx, variable, item.span, side)) side.variables.push(variable);
  });
}

export function checkVariable(ctx: Context, variable: InterfaceVariable, span: Span, side: Side): boolean {
  const { name, type, io, member } = variable;
  const given = [io.builtin, io.location, io.color, io.link].filter((value) => value !== undefined).length;
  if (given === 0) {
    ctx.report.error('io-without-attribute', span, [], name);
    return false;
  }
  if (given > 1) {
    if (io.link !== undefined)
      ctx.report.error('io-with-another', span, [], name, 'link', 'a @location, a @color or a @builtin');
    else if (io.color !== undefined)
      ctx.report.error('io-with-another', span, [], name, 'color', 'a @location or a @builtin');
    else ctx.report.error('io-with-both', span, [], name);
    return false;
  }
  // The members of a struct have been checked at their declarations.
  if (member < 0 && !checkIoType(ctx, name, type, io, span)) return false;
  if (io.color !== undefined || io.link !== undefined) return checkTied(ctx, variable, span, side);
  return io.builtin === undefined
    ? checkLocation(ctx, variable, span, side)
    : checkBuiltin(ctx, variable, io.builtin, span, side);
}

/** Checks what attributes of a declaration require of its type and of each other, wherever it is used (WGSL §12). */
export function checkIoType(
  ctx: Context,
  name: string,
  type: Type,
  { builtin, location, invariant }: IoAttributes,
  span: Span
): boolean {
  if (invariant === true && builtin !== 'position') ctx.report.error('invariant-without-position', span, [], name);
  if (builtin !== undefined) {
    const isDistance = builtin === 'clip_distances';
    const { type: wanted } = BUILTIN_RULES[builtin];
    if (isDistance ? isDistances(type) : type === wanted) return true;
    ctx.report.error(
      'builtin-type',
      span,
      [],
      builtin,
      isDistance ? `array<f32, N> with N from 1 to ${MAX_DISTANCES}` : typeName(wanted),
      typeName(type)
    );
    return false;
  }
  if (location === undefined) return true;
  if ((type.kind === 'scalar' || type.kind === 'vector') && type.scalar !== 'bool') return true;
  ctx.report.error('location-type', span, [], name, typeName(type));
  return false;
}

function checkBuiltin(
  ctx: Context,
  { name, io }: InterfaceVariable,
  builtin: BuiltinName,
  span: Span,
  { stage, direction, seen }: Side
): boolean {
  const rule = BUILTIN_RULES[builtin];
  if (!rule.uses.includes(`${stage} ${direction}`)) {
    const knowsTables = ctx.module.isEnabled(MODULAR_PIPELINES);
    const uses = rule.uses.filter((use) => knowsTables || !/^(geometry|primitive|tess_)/.test(use));
    ctx.report.error(
      'builtin-not-available',
      span,
      [{ message: `it is a ${uses.join(' and a ')}` }],
      builtin,
      `${stage} ${direction}`
    );
    return false;
  }
  if (
    builtin === 'primitive_index'
    && stage === 'fragment'
    && !requireExtension(ctx, PRIMITIVE_INDEX, "built-in value 'primitive_index'", span)
  )
    return false;
  if (io.interpolation !== undefined) ctx.report.error('interpolate-on-builtin', span, [], name);
  return checkUnique(ctx, `@builtin(${builtin})`, span, seen);
}

const isDistances = (type: Type): boolean =>
  type.kind === 'array' && type.element === F32 && type.count !== null && type.count <= MAX_DISTANCES;

function checkUnique(ctx: Context, key: string, span: Span, seen: Map<string, Span>): boolean {
  const earlier = seen.get(key);
  seen.set(key, earlier ?? span);
  if (earlier === undefined) return true;
  const notes = earlier.start === span.start ? [] : [{ message: 'first used here', span: earlier }];
  ctx.report.error('duplicate-io', span, notes, key);
  return false;
}

function checkLocation(
  ctx: Context,
  { name, type, io }: InterfaceVariable,
  span: Span,
  { stage, direction, seen }: Side
): boolean {
  if (stage === 'compute') {
    ctx.report.error('location-in-compute', span, [], name);
    return false;
  }
  if (stage === 'primitive' && direction === 'output') {
    ctx.report.error('location-in-primitive', span, [], name);
    return false;
  }
  const interpolated = direction === (stage === 'fragment' ? 'input' : 'output');
  if (interpolated && stage !== 'tess_control' && !isFloat(scalarOf(type)!) && io.interpolation?.type !== 'flat') {
    ctx.report.error('integer-not-flat', span, [{ message: 'add @interpolate(flat)' }], name, typeName(type));
    return false;
  }
  if (io.blendSrc === undefined) return checkUnique(ctx, `@location(${io.location})`, span, seen);
  if (stage === 'fragment' && direction === 'output')
    return checkUnique(ctx, `@location(${io.location}) @blend_src(${io.blendSrc})`, span, seen);
  ctx.report.error('blend-src-not-available', span, [], name, `${stage} ${direction}`);
  return false;
}

/** Checks framebuffer fetch inputs and links between fragment stages, which only fragment shaders can have. */
function checkTied(
  ctx: Context,
  { name, type, io: { color, link, interpolation } }: InterfaceVariable,
  span: Span,
  { stage, direction, seen }: Side
): boolean {
  const attribute = link === undefined ? 'color' : 'link';
  if (stage !== 'fragment' || (attribute === 'color' && direction !== 'input')) {
    ctx.report.error(`${attribute}-not-available`, span, [], `${stage} ${direction}`);
    return false;
  }
  if ((type.kind !== 'scalar' && type.kind !== 'vector') || type.scalar === 'bool' || !isConstructible(type)) {
    ctx.report.error('linked-type', span, [], name, attribute, typeName(type));
    return false;
  }
  if (interpolation !== undefined) ctx.report.error(`interpolate-on-${attribute}`, span, [], name);
  return checkUnique(ctx, `@${attribute}(${link ?? color})`, span, seen);
}

/** Rejects interface attributes on parameters and results of functions that are not entry points. */
export function refuseInterface(ctx: Context, node: FunctionDeclaration): void {
  for (const attribute of [...node.parameters.flatMap((parameter) => parameter.attributes), ...node.returnAttributes]) {
    ctx.report.error(
      'attribute-not-allowed',
      attribute.span,
      [],
      attribute.name.text,
      'a function that is not an entry point'
    );
  }
}
