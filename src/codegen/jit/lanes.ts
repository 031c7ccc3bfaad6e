// Operations across the four lanes of a quad, which form a subgroup (assembly/warp/lanes.ts). They are implemented as
// shuffles of the active lanes' values.

import { LANES_WITH_HELPERS } from '../../../assembly/layout/program/opcodes';
import { unreachable } from '../../base/assert';
import type { ValueId } from '../../ir';
import type { Operation } from '../control';
import { i32x4, v128, type V128 } from '../wasm/expression';
import type { Words } from './frame';
import type { Values } from './values';

/** The bytes of lane 0 as swizzle indices, and the increment per lane. */
const FIRST_LANE = 0x03020100;
const NEXT_LANE = 0x04040404;
const NUMBERS: Words = [0, 1, 2, 3];

export function writeAcrossLanes(values: Values, operation: Operation): void {
  values.keep(operation.instruction.results[0]!, acrossLanes(values, operation));
}

function acrossLanes(values: Values, operation: Operation): V128 {
  const { op, args, imm } = operation.instruction;
  const { frame } = values;
  switch (op) {
    case 'lanes.permute': {
      const [value, other] = args as [ValueId, ValueId];
      const own = values.value(value);
      const active = activeLanes(values, operation, (imm & LANES_WITH_HELPERS) !== 0);
      const given = active === null ? alone(values, other, own) : v128.select(own, values.value(other), active);
      return permuted(given, [imm & 3, (imm >> 2) & 3, (imm >> 4) & 3, (imm >> 6) & 3], values);
    }
    case 'lanes.shuffle': {
      const active = activeLanes(values, operation, false);
      const value = values.value(args[0]!);
      // Indices beyond the last lane select zeros.
      const lanes = i32x4.min(values.value(args[1]!), frame.splat(4));
      const bytes = i32x4.sum(i32x4.product(lanes, frame.splat(NEXT_LANE)), frame.splat(FIRST_LANE));
      return v128.swizzle(active === null ? value : v128.and(value, active), bytes);
    }
    case 'lanes.ballot': {
      const active = activeLanes(values, operation, false);
      const condition = values.value(args[0]!);
      return i32x4.splat(i32x4.signs(active === null ? condition : v128.and(condition, active)));
    }
    case 'lanes.index':
      return frame.constant(NUMBERS);
    default:
      return unreachable(`jit: ${op} is not across lanes`);
  }
}

/** Lanes that execute the operation; null for all. */
function activeLanes(values: Values, operation: Operation, withHelpers: boolean): V128 | null {
  const lanes = values.lanesOf(operation);
  if (withHelpers || lanes === null || values.program.kind === 'compute') return lanes;
  return v128.andNot(lanes, values.quad.killed);
}

/** Returns `value` and counts `other` as used. */
function alone(values: Values, other: ValueId, value: V128): V128 {
  values.skipUse(other);
  return value;
}

function permuted(value: V128, from: readonly number[], { frame: { writer } }: Values): V128 {
  const given = writer.kept('v128', value);
  const result = v128.shuffle(given, given, from);
  writer.release(given);
  return result;
}
