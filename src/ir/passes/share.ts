// Finds equal computations, and finds those that become equal after values have been replaced by others.

import { numberOf, opInfo, type OpName } from '../ops';
import type { Instruction, IrNode, IrProgram, ScalarType, ValueId } from '../program';
import { withValues } from '../walk';

/** Operations that are commutative in every observable bit (all NaNs count as one). */
const commutative: ReadonlySet<OpName> = new Set<OpName>([
  'f32.add',
  'f32.mul',
  'f32.eq',
  'f32.ne',
  'int.add',
  'int.mul',
  'int.and',
  'int.or',
  'int.xor',
  'int.eq',
  'int.ne',
  'i32.min',
  'i32.max',
  'u32.min',
  'u32.max',
  'bool.and',
  'bool.or',
  'bool.eq',
  'bool.ne',
]);

/** Equal for pure instructions with equal results. */
export type ShareKey = number | string;

const TYPES: Readonly<Record<ScalarType, number>> = { bool: 0, i32: 1, u32: 2, f32: 3 };
/** Number of values per field when a key is an integer, given the space taken by the operation, the type and `imm`. */
const ROOM = [2 ** 42, 2 ** 42, 2 ** 21, 2 ** 14] as const;

/**
 * Returns the key of a pure instruction. `type` is the type of the first result. Keys of a few small fields are
 * numbers, which are faster to look up than strings.
 */
export function shareKey({ op, args, imm, texture }: Instruction, type: ScalarType): ShareKey {
  const isSwapped = args.length === 2 && args[0]! > args[1]! && commutative.has(op);
  const room = ROOM[args.length + (imm === 0 ? 0 : 1)];
  if (texture === undefined && room !== undefined && imm < room) {
    let key = (numberOf(op) * 4 + TYPES[type]) * 2;
    let isSmall = true;
    if (imm !== 0) key = (key + 1) * room + imm;
    for (let k = 0; k < args.length; k++) {
      const id = args[isSwapped ? 1 - k : k]!;
      key = key * room + id;
      isSmall &&= id < room;
    }
    if (isSmall) return key;
  }
  let key = `${op} ${imm} ${type}`;
  for (let k = 0; k < args.length; k++) key += ` ${args[isSwapped ? 1 - k : k]!}`;
  if (texture !== undefined)
    key +=
      ` ${texture.mode} ${texture.component ?? 0} ${texture.texture} ${texture.sampler} `
      + `${texture.offset.join(' ')} ${texture.compare}`;
  return key;
}

class Sharing {
  /** Values that replaced others. An instruction that uses none of them cannot have become equal to another. */
  private readonly kept: Uint8Array;
  private readonly available = new Map<ShareKey, readonly ValueId[]>();

  constructor(
    private readonly program: IrProgram,
    private readonly replaced: Map<ValueId, ValueId>
  ) {
    this.kept = new Uint8Array(program.values.length);
    for (const id of replaced.values()) this.kept[id] = 1;
  }

  list(nodes: readonly IrNode[]): IrNode[] {
    const out: IrNode[] = [];
    const added: ShareKey[] = [];
    for (const node of nodes) {
      switch (node.kind) {
        case 'op':
          this.instruction(node, out, added);
          break;
        case 'if':
          out.push({
            ...node,
            condition: this.value(node.condition),
            then: this.list(node.then),
            otherwise: this.list(node.otherwise),
          });
          break;
        case 'leave':
          out.push(node);
          break;
        default:
          out.push({ ...node, body: this.list(node.body) });
      }
    }
    // Computations in a list are not available after it.
    for (const key of added) this.available.delete(key);
    return out;
  }

  /** The current replacement of a value. Follows the chain, because the replacement may itself have been replaced. */
  private value(id: ValueId): ValueId {
    let value = id;
    for (let next = this.replaced.get(value); next !== undefined; next = this.replaced.get(value)) value = next;
    return value;
  }

  private instruction(node: Instruction, out: IrNode[], added: ShareKey[]): void {
    let changed = false;
    let interesting = false;
    for (const id of node.args) {
      const value = this.value(id);
      changed ||= value !== id;
      interesting ||= this.kept[value] === 1;
    }
    const instruction = changed
      ? withValues(
          node,
          node.results,
          node.args.map((id) => this.value(id))
        )
      : node;
    const { op, results } = instruction;
    const isShared = interesting && opInfo(op).pure && op !== 'array.load' && op !== 'var.get';
    if (!isShared) return void out.push(instruction);
    const key = shareKey(instruction, this.program.values[results[0]!]!);
    const found = this.available.get(key);
    if (found === undefined) {
      this.available.set(key, results);
      added.push(key);
      out.push(instruction);
      return;
    }
    results.forEach((id, k) => {
      this.replaced.set(id, found[k]!);
      this.kept[found[k]!] = 1;
    });
  }
}

/** Replaces values by others and shares the computations that thereby become equal. */
export function shareEqual(program: IrProgram, replaced: Map<ValueId, ValueId>): IrProgram {
  return { ...program, body: new Sharing(program, replaced).list(program.body) };
}
