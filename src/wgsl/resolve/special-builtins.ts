// Built-in functions with types that patterns cannot express: functions on pointers (WGSL §17.4, §17.8, §17.11), frexp
// and modf, whose results are special structs, and emitVertex and dispatchSamples, which take any struct.

import { unreachable } from '../../base/assert';
import type { Name, Span } from '../syntax';
import { becomes, isAbstract, isConstructible, scalarOf, scalarType, U32, vectorType, VOID } from '../type-store';
import { layOutStruct } from '../layout';
import type { PointerType, Scalar, StructType, Type } from '../types';
import { builtinExpression, checkConstant, evaluate, noteBuiltin, reportNoOverload } from './builtins';
import type { Context } from './context';
import { concretize, convert, convertible } from './convert';
import { FRAGMENT_STAGES, MODULAR_PIPELINES, requireExtension } from './declarations/directives';
import type { Operand } from './operand';

/** The highest number of an output stream of geometry stages. */
const MAX_STREAM = 3;

const CANDIDATES: ReadonlyMap<string, string> = new Map([
  ['arrayLength', 'arrayLength(ptr<storage, array<E>>) -> u32'],
  ['bufferLength', 'bufferLength(ptr<S, buffer>) -> u32'],
  ['frexp', 'frexp(T) -> { fract, exp }, T is f32, f16 or a vector of it'],
  ['modf', 'modf(T) -> { fract, whole }, T is f32, f16 or a vector of it'],
  ['workgroupUniformLoad', 'workgroupUniformLoad(ptr<workgroup, T>) -> T'],
  ['atomicLoad', 'atomicLoad(ptr<S, atomic<T>>) -> T'],
  ['atomicStore', 'atomicStore(ptr<S, atomic<T>>, T)'],
  ['atomicCompareExchangeWeak', 'atomicCompareExchangeWeak(ptr<S, atomic<T>>, T, T) -> { old_value, exchanged }'],
  ['emitVertex', 'emitVertex(W, u32?), W is a struct whose members have a @location or are the @builtin(position)'],
  ['endStrip', 'endStrip(u32?)'],
  ['dispatchSamples', 'dispatchSamples(u32, R), R is what a fragment entry point may return'],
  ...['Add', 'Sub', 'Max', 'Min', 'And', 'Or', 'Xor', 'Exchange'].map((op): [string, string] => [
    `atomic${op}`,
    `atomic${op}(ptr<S, atomic<T>>, T) -> T`,
  ]),
]);

export const isSpecialBuiltin = (name: string): boolean => CANDIDATES.has(name);
export const specialBuiltinNames = (): Iterable<string> => CANDIDATES.keys();

/** Whether a call may be a statement: WGSL has no @must_use on atomic built-in functions. */
export const hasEffect = (name: string): boolean => name.startsWith('atomic');

const resultStructs = new Map<string, StructType>();

function resultStruct(name: string, members: readonly (readonly [string, Type])[]): StructType {
  let type = resultStructs.get(name);
  if (type === undefined) {
    type = layOutStruct(
      name,
      members.map(([member, memberType]) => ({ name: member, type: memberType, io: {}, align: null, size: null }))
    );
    resultStructs.set(name, type);
  }
  return type;
}

export function resolveSpecialBuiltin(ctx: Context, name: Name, args: readonly Operand[], span: Span): Operand | null {
  const isOfGeometry = name.text === 'emitVertex' || name.text === 'endStrip';
  if (isOfGeometry && !requireExtension(ctx, MODULAR_PIPELINES, `function '${name.text}'`, name.span)) return null;
  if (name.text === 'dispatchSamples' && !requireExtension(ctx, FRAGMENT_STAGES, `function '${name.text}'`, name.span))
    return null;
  noteBuiltin(ctx, name);
  const result =
    name.text === 'frexp' || name.text === 'modf'
      ? floatParts(ctx, name, args, span)
      : name.text === 'arrayLength'
        ? arrayLength(name, args, span)
        : name.text === 'bufferLength'
          ? bufferLength(name, args, span)
          : name.text === 'emitVertex'
            ? emitVertex(ctx, name, args, span)
            : name.text === 'endStrip'
              ? endStrip(ctx, name, args, span)
              : name.text === 'dispatchSamples'
                ? dispatchSamples(ctx, name, args, span)
                : name.text === 'workgroupUniformLoad'
                  ? workgroupUniformLoad(ctx, name, args, span)
                  : atomic(ctx, name, args, span);
  return result === undefined ? reportNoOverload(ctx, name, args, [CANDIDATES.get(name.text)!]) : result;
}

function pointerTo(operand: Operand | undefined): PointerType | null {
  return operand?.type.kind === 'pointer' ? operand.type : null;
}

function floatParts(ctx: Context, name: Name, args: readonly Operand[], span: Span): Operand | null | undefined {
  const arg = args[0];
  if (args.length !== 1 || (arg!.type.kind !== 'scalar' && arg!.type.kind !== 'vector')) return undefined;
  const size = arg!.type.kind === 'vector' ? arg!.type.size : null;
  const shaped = (scalar: Scalar): Type => (size === null ? scalarType(scalar) : vectorType(size, scalar));
  const float = scalarOf(arg!.type) === 'f16' ? 'f16' : 'f32';
  if (!convertible(ctx, arg!.type, shaped(float))) return undefined;
  const part = convert(ctx, arg!, shaped(isAbstract(arg!.type) ? 'abstract-float' : float));
  if (part === null) return null;
  const result = (suffix: string, fract: Scalar, int: Scalar): StructType =>
    resultStruct(`__${name.text}_result_${size === null ? '' : `vec${size}_`}${suffix}`, [
      ['fract', shaped(fract)],
      name.text === 'modf' ? ['whole', shaped(fract)] : ['exp', shaped(int)],
    ]);
  const concrete = result(float, float, 'i32');
  if (!isAbstract(arg!.type)) return evaluate(ctx, name.text, concrete, [part], span);
  const abstract = result('abstract', 'abstract-float', 'abstract-int');
  becomes(abstract, concrete);
  return evaluate(ctx, name.text, abstract, [part], span);
}

function arrayLength(name: Name, args: readonly Operand[], span: Span): Operand | undefined {
  const pointer = pointerTo(args[0]);
  if (args.length !== 1 || pointer?.store.kind !== 'array' || pointer.store.count !== null) return undefined;
  return builtinExpression(name.text, U32, args, span);
}

function bufferLength(name: Name, args: readonly Operand[], span: Span): Operand | undefined {
  if (args.length !== 1 || pointerTo(args[0])?.store.kind !== 'buffer') return undefined;
  return builtinExpression(name.text, U32, args, span);
}

/** The entry points that reach the call check the struct's members, which are their outputs. */
function emitVertex(ctx: Context, name: Name, args: readonly Operand[], span: Span): Operand | null | undefined {
  const [vertex, ...rest] = args;
  if (vertex?.type.kind !== 'struct') return undefined;
  const stream = streamOf(ctx, rest);
  if (!stream) return stream;
  ctx.facts?.emissions.push({ type: vertex.type, span: name.span });
  return builtinExpression(name.text, VOID, [vertex, ...stream], span);
}

/** The stream that optional arguments name; null after an error, undefined if the arguments do not fit. */
function streamOf(ctx: Context, args: readonly Operand[]): readonly Operand[] | null | undefined {
  const [given] = args;
  if (!given) return args;
  if (args.length > 1 || !convertible(ctx, given.type, U32)) return undefined;
  const stream = convert(ctx, given, U32);
  return stream && checkConstant(ctx, stream, 'the stream', 0, MAX_STREAM) ? [stream] : null;
}

/** The entry points that reach the call check the results like returned values. */
function dispatchSamples(ctx: Context, name: Name, args: readonly Operand[], span: Span): Operand | null | undefined {
  const [mask, value] = args;
  if (args.length !== 2 || !convertible(ctx, mask!.type, U32)) return undefined;
  const samples = convert(ctx, mask!, U32);
  const results = concretize(ctx, value!);
  if (samples === null || results === null) return null;
  ctx.facts?.emissions.push({ type: results.type, span: name.span });
  return builtinExpression(name.text, VOID, [samples, results], span);
}

function endStrip(ctx: Context, name: Name, args: readonly Operand[], span: Span): Operand | null | undefined {
  const stream = streamOf(ctx, args);
  return stream && builtinExpression(name.text, VOID, stream, span);
}

/** The target is an atomic, or a constructible type whose size does not depend on an override (WGSL §17.12.2). */
function workgroupUniformLoad(ctx: Context, name: Name, args: readonly Operand[], span: Span): Operand | undefined {
  const pointer = pointerTo(args[0]);
  if (args.length !== 1 || pointer?.space !== 'workgroup') return undefined;
  const { store } = pointer;
  if (store.kind !== 'atomic' && (!isConstructible(store) || ctx.module.openArrays.has(store))) return undefined;
  const type = store.kind === 'atomic' ? scalarType(store.scalar) : store;
  return builtinExpression(name.text, type, args, span);
}

function atomic(ctx: Context, name: Name, args: readonly Operand[], span: Span): Operand | null | undefined {
  const pointer = pointerTo(args[0]);
  if (pointer?.store.kind !== 'atomic' || pointer.access !== 'read_write') return undefined;
  const scalar = scalarType(pointer.store.scalar);
  const values = name.text === 'atomicLoad' ? 0 : name.text === 'atomicCompareExchangeWeak' ? 2 : 1;
  if (args.length !== values + 1 || args.slice(1).some((arg) => !convertible(ctx, arg.type, scalar))) return undefined;
  const parts = [args[0]!];
  for (const arg of args.slice(1)) {
    const part = convert(ctx, arg, scalar);
    if (part === null) return null;
    parts.push(part);
  }
  return builtinExpression(name.text, atomicResult(name.text, scalar), parts, span);
}

function atomicResult(name: string, scalar: Type): Type {
  if (name === 'atomicStore') return VOID;
  if (name !== 'atomicCompareExchangeWeak') return scalar;
  if (scalar.kind !== 'scalar') return unreachable('wgsl: atomic of no scalar');
  return resultStruct(`__atomic_compare_exchange_result_${scalar.scalar}`, [
    ['old_value', scalar],
    ['exchanged', scalarType('bool')],
  ]);
}
