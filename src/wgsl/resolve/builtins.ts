// Calls of built-in functions (WGSL §17): the overload, rules that types cannot express, and the value.

import type { Note } from '../../base/diagnostics';
import { isOfSubgroup, STAGES_OF_BUILTIN } from '../builtin-table';
import { bitcastData } from '../const-bits';
import { brokenPartialRule, evaluateBuiltin, hasPartialRule } from '../const-builtins';
import { FoldFailure } from '../constant';
import type { Expr } from '../hir';
import { candidatesOf, chooseOverload } from '../overloads';
import type { Name, Span } from '../syntax';
import { isHandle, scalarOf, typeName } from '../type-store';
import type { Type } from '../types';
import type { Context, HandleSource } from './context';
import { concretize, convert } from './convert';
import { MULTISAMPLE_STORAGE_TEXTURES, requireExtension, SUBGROUPS } from './declarations/directives';
import { reportFailure } from './fold';
import { allData, computed, emit, known, latest, pendingOverride, Stage } from './operand';
import type { Operand } from './operand';

const MAX_CANDIDATES_SHOWN = 8;

function candidateNotes(candidates: readonly string[]): Note[] {
  const notes = candidates.slice(0, MAX_CANDIDATES_SHOWN).map((text) => ({ message: `candidate: ${text}` }));
  const rest = candidates.length - notes.length;
  return rest > 0 ? [...notes, { message: `and ${rest} more` }] : notes;
}

/** If the first argument determines which signatures can be meant, as textures do, only those are shown. */
export function reportNoOverload(ctx: Context, name: Name, args: readonly Operand[], all: readonly string[]): null {
  const family = args[0] === undefined ? '' : `(${typeName(args[0].type).replace(/<.*/, '')}`;
  const near = all.filter(
    (text) =>
      text.slice(name.text.length).startsWith(family) && !/^\w/.test(text.slice(name.text.length + family.length))
  );
  const candidates = near.length > 0 ? near : all;
  ctx.report.error(
    'no-overload',
    name.span,
    candidateNotes(candidates),
    name.text,
    args.map((arg) => typeName(arg.type)).join(', ')
  );
  return null;
}

/** Properties that all calls of a function share. */
interface Traits {
  readonly isOfSubgroup: boolean;
  readonly isOfTexture: boolean;
  /** Whether the function reads or changes anything other than its arguments. */
  readonly isRuntimeOnly: boolean;
}
const traits = new Map<string, Traits>();

function traitsOf(name: string): Traits {
  let found = traits.get(name);
  if (found === undefined) {
    const isOfTexture = name.startsWith('texture');
    const ofSubgroup = isOfSubgroup(name);
    const isRuntimeOnly =
      isOfTexture || name.startsWith('dpd') || name.startsWith('fwidth') || name.endsWith('Barrier') || ofSubgroup;
    traits.set(name, (found = { isOfSubgroup: ofSubgroup, isOfTexture, isRuntimeOnly }));
  }
  return found;
}

/** A built-in function that builtin-table.ts describes. Arguments are loaded values. */
export function resolveBuiltinCall(ctx: Context, name: Name, args: readonly Operand[], span: Span): Operand | null {
  const { isOfSubgroup: isSubgroups, isOfTexture, isRuntimeOnly: atRuntime } = traitsOf(name.text);
  if (isSubgroups && !requireExtension(ctx, SUBGROUPS, `function '${name.text}'`, name.span)) return null;
  if (
    OF_SAMPLES.test(name.text)
    && !requireExtension(ctx, MULTISAMPLE_STORAGE_TEXTURES, `function '${name.text}'`, name.span)
  )
    return null;
  const allConst = !atRuntime && latest(args) === Stage.Const;
  const match = chooseOverload(
    name.text,
    args.map((arg) => arg.type),
    allConst
  );
  if (match === null) return reportNoOverload(ctx, name, args, candidatesOf(name.text));
  const parts = new Array<Operand>(args.length);
  for (let i = 0; i < args.length; i++) {
    const part = convert(ctx, args[i]!, match.parameters[i]!);
    if (part === null) return null;
    parts[i] = part;
  }
  if (isOfTexture && !checkTextureCall(ctx, name, parts)) return null;
  if (isSubgroups && !checkLane(ctx, name.text, parts)) return null;
  noteBuiltin(ctx, name);
  return atRuntime
    ? builtinExpression(name.text, match.result, parts, span)
    : evaluate(ctx, name.text, match.result, parts, span);
}

export function builtinExpression(name: string, type: Type, parts: readonly Operand[], span: Span): Operand {
  return computed({ op: 'builtin', name, args: parts.map(emit), type, span });
}

/** The value of the call if it is known, otherwise the call itself. */
export function evaluate(
  ctx: Context,
  name: string,
  type: Type,
  parts: readonly Operand[],
  span: Span
): Operand | null {
  const data = allData(parts);
  if (data === null) {
    const broken = !hasPartialRule(name)
      ? null
      : brokenPartialRule(
          name,
          parts.map((part) => part.type),
          parts.map((part) => part.data),
          ctx.module.math
        );
    if (broken !== null) {
      ctx.report.error('invalid-constant-arguments', span, [], `${name}: ${broken}`);
      return null;
    }
    return latest(parts) === Stage.Runtime ? builtinExpression(name, type, parts, span) : pendingOverride(span, type);
  }
  const value = evaluateBuiltin({ name, types: parts.map((part) => part.type), args: data, math: ctx.module.math });
  if (value instanceof FoldFailure) {
    reportFailure(ctx, span, value);
    return null;
  }
  return value === null ? builtinExpression(name, type, parts, span) : known(span, type, value, latest(parts));
}

/** Records what the enclosing function calls, and the stages in which it can run. */
export function noteBuiltin(ctx: Context, name: Name): void {
  if (ctx.facts !== null && !ctx.facts.builtins.has(name.text)) ctx.facts.builtins.set(name.text, name.span);
  const stages = STAGES_OF_BUILTIN.get(name.text);
  if (stages !== undefined) ctx.facts?.stageUses.push({ name: name.text, stages, span: name.span });
}

// ── Textures ─────────────────────────────────────────────────────────────────────────────────

const TAKES_OFFSET: ReadonlySet<string> = new Set([
  'textureSample',
  'textureSampleBias',
  'textureSampleLevel',
  'textureSampleGrad',
  'textureSampleCompare',
  'textureSampleCompareLevel',
  'textureGather',
  'textureGatherCompare',
]);

/** Checks constant arguments of texture functions, and records which texture is used with which sampler. */
function checkTextureCall(ctx: Context, name: Name, parts: readonly Operand[]): boolean {
  const textureAt = parts.findIndex((part) => part.type.kind === 'texture' || part.type.kind === 'storage-texture');
  const texture = parts[textureAt];
  if (texture === undefined) return true; // textureBarrier()
  const sampler = parts[textureAt + 1];
  if (sampler?.type.kind === 'sampler' && ctx.facts !== null) {
    ctx.facts.samplingPairs.push([handleSource(emit(texture)), handleSource(emit(sampler))]);
  }
  if (name.text === 'textureGather' && textureAt === 1 && !checkConstant(ctx, parts[0]!, 'the component', 0, 3))
    return false;
  const last = parts[parts.length - 1]!;
  const isOffset = TAKES_OFFSET.has(name.text) && last.type.kind === 'vector' && last.type.scalar === 'i32';
  if (isOffset) return checkConstant(ctx, last, 'the offset', -8, 7);
  if (!checkSamples(ctx, name, parts)) return false;
  if (texture.type.kind !== 'storage-texture') return true;
  const unfit = name.text.startsWith('textureStore') ? 'read' : name.text.startsWith('textureLoad') ? 'write' : null;
  if (texture.type.access !== unfit) return true;
  ctx.report.error('storage-texture-access', name.span, [], name.text, typeName(texture.type));
  return false;
}

/** Functions of the extension MULTISAMPLE_STORAGE_TEXTURES. */
const OF_SAMPLES = /^texture(LoadSamples?|StoreSamples)$/;
/** The maximum number of samples of a texture. */
const MAX_SAMPLES = 16;

/** Checks a sample index or a sample mask if its value is known. */
function checkSamples(ctx: Context, name: Name, parts: readonly Operand[]): boolean {
  if (!OF_SAMPLES.test(name.text) || parts[2]!.data === null) return true;
  const [what, low, high] =
    name.text === 'textureLoadSample'
      ? (['the sample', 0, MAX_SAMPLES - 1] as const)
      : (['the mask', 1, (1 << MAX_SAMPLES) - 1] as const);
  return checkRange(ctx, parts[2]!, parts[2]!.data, what, low, high);
}

/** The maximum number of invocations in a subgroup (WGSL §17.12). */
const MAX_LANES = 128;

/** Checks the lane from which a function reads. For broadcasts it must be a constant. */
function checkLane(ctx: Context, name: string, [, lane]: readonly Operand[]): boolean {
  if (lane === undefined) return true;
  const what = name.endsWith('Xor') ? 'the mask' : /Up$|Down$/.test(name) ? 'the delta' : 'the lane';
  if (name === 'quadBroadcast') return checkConstant(ctx, lane, what, 0, 3);
  if (name === 'subgroupBroadcast') return checkConstant(ctx, lane, what, 0, MAX_LANES - 1);
  return lane.data === null || checkRange(ctx, lane, lane.data, what, 0, MAX_LANES - 1);
}

export function checkConstant(ctx: Context, operand: Operand, what: string, low: number, high: number): boolean {
  if (operand.stage === Stage.Const && operand.data !== null)
    return checkRange(ctx, operand, operand.data, what, low, high);
  ctx.report.error('must-be-constant', operand.span, [], what);
  return false;
}

function checkRange(
  ctx: Context,
  operand: Operand,
  data: NonNullable<Operand['data']>,
  what: string,
  low: number,
  high: number
): boolean {
  const bad = data.find((leaf) => Number(leaf) < low || Number(leaf) > high);
  if (bad === undefined) return true;
  ctx.report.error('constant-range', operand.span, [], what, low, high, String(bad));
  return false;
}

/** A texture or sampler expression is a global or a parameter; nothing else has such a type. */
function handleSource(expr: Expr): HandleSource {
  return expr.op === 'global' ? { global: expr.global } : { parameter: expr.op === 'local' ? expr.local : -1 };
}

export const handleSourceOrNull = (operand: Operand): HandleSource | null =>
  isHandle(operand.type) ? handleSource(emit(operand)) : null;

// ── bitcast ──────────────────────────────────────────────────────────────────────────────────

/** Whether two types consist of the same number of words. A word holds two halves. */
function haveSameWords(from: Type, to: Type): boolean {
  const wordsOf = (type: Type): number | null =>
    type.kind !== 'scalar' && type.kind !== 'vector'
      ? null
      : (type.kind === 'vector' ? type.size : 1) / (type.scalar === 'f16' ? 2 : 1);
  const words = wordsOf(from);
  return words !== null && Number.isInteger(words) && words === wordsOf(to);
}

/** Abstract integers become u32 if that is the target type, as in `u32(e)`, and otherwise their default type. */
function bitcastSource(ctx: Context, type: Type, operand: Operand): Operand | null {
  return scalarOf(type) === 'u32' && scalarOf(operand.type) === 'abstract-int'
    ? convert(ctx, operand, ctx.types.withScalar(operand.type, 'u32'))
    : concretize(ctx, operand);
}

/** `bitcast<T>(e)` (WGSL §17.2.1) between numbers and vectors of the same size in bits. */
export function resolveBitcast(ctx: Context, type: Type, operand: Operand, span: Span): Operand | null {
  const source = bitcastSource(ctx, type, operand);
  if (source === null) return null;
  const from = source.type;
  const to = scalarOf(type);
  if ((from !== type && !haveSameWords(from, type)) || to === null || to === 'bool' || scalarOf(from) === 'bool') {
    ctx.report.error('bitcast-types', span, [], typeName(from), typeName(type));
    return null;
  }
  if (from === type) return { ...source, span };
  if (source.data === null) {
    return source.stage === Stage.Runtime
      ? computed({ op: 'bitcast', operand: emit(source), type, span })
      : pendingOverride(span, type);
  }
  const data = bitcastData(scalarOf(from)!, to, source.data as readonly number[]);
  if (data instanceof FoldFailure) {
    reportFailure(ctx, span, data);
    return null;
  }
  return known(span, type, data, source.stage);
}
