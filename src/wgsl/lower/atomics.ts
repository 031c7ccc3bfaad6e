// Lowers atomic built-in functions (WGSL §17.8) to operations on words of buffers.

import { unreachable } from '../../base/assert';
import type { OpName, ValueId } from '../../ir';
import type { IrBuilder } from './builder';
import type { BuiltinArgument } from './builtin-rule';
import { atomicPlace } from './memory';

const OPERATIONS: Readonly<Record<string, { readonly i32: OpName; readonly u32: OpName }>> = {
  atomicAdd: { i32: 'atomic.add', u32: 'atomic.add' },
  atomicAnd: { i32: 'atomic.and', u32: 'atomic.and' },
  atomicOr: { i32: 'atomic.or', u32: 'atomic.or' },
  atomicXor: { i32: 'atomic.xor', u32: 'atomic.xor' },
  atomicExchange: { i32: 'atomic.exchange', u32: 'atomic.exchange' },
  atomicMin: { i32: 'atomic.minI32', u32: 'atomic.minU32' },
  atomicMax: { i32: 'atomic.maxI32', u32: 'atomic.maxU32' },
};
/** Names that lowerAtomic supports. */
export const loweredAtomics: readonly string[] = [
  ...Object.keys(OPERATIONS),
  'atomicSub',
  'atomicLoad',
  'atomicStore',
  'atomicCompareExchangeWeak',
];

/** Lowers an atomic function on evaluated arguments; returns the leaves of its result. */
export function lowerAtomic(builder: IrBuilder, name: string, args: readonly BuiltinArgument[]): readonly ValueId[] {
  const [pointer, ...others] = args;
  if (pointer?.kind !== 'pointer') return unreachable(`lower: ${name} of no pointer`);
  const { resource, scalar, offset } = atomicPlace(builder, pointer.place);
  if (scalar !== 'i32' && scalar !== 'u32') return unreachable(`lower: ${name} of a ${scalar}`);
  const values = others.map((arg) =>
    arg.kind === 'value' ? arg.values[0]! : unreachable(`lower: ${name} of no value`)
  );
  // Accesses to words are never torn, so no partial store can be seen.
  if (name === 'atomicLoad') return [builder.op('storage.load', scalar, [offset], resource)];
  if (name === 'atomicStore') {
    builder.effect('storage.store', [offset, values[0]!], resource);
    return [];
  }
  if (name === 'atomicSub')
    return [builder.op('atomic.add', scalar, [offset, builder.op('int.neg', scalar, [values[0]!])], resource)];
  if (name === 'atomicCompareExchangeWeak') {
    const [comparand, value] = values as [ValueId, ValueId];
    const before = builder.op('atomic.compareExchange', scalar, [offset, value, comparand], resource);
    // It never fails spuriously.
    return [before, builder.op('int.eq', 'bool', [before, comparand])];
  }
  const operation = OPERATIONS[name] ?? unreachable(`lower: ${name}`);
  return [builder.op(operation[scalar], scalar, [offset, values[0]!], resource)];
}
