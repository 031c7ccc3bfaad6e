// Buffers that a program may write. Loads and stores are inline (words.ts). Inactive lanes store to a dummy word next
// to the texture sites, so that no branches are needed.
//
// Atomic operations are also inline, one lane after another. They use plain instructions if no other thread can access
// the memory, as for workgroup memory or a worker's private copy of a collected buffer. Otherwise they use atomic
// instructions. Operations without such an instruction call the kernel for one quad, through an ATOMIC ACCESS record
// (assembly/layout/program/atomic-access.ts).

import { AtomicAccess, Resource } from '../../../build/layout';
import { unreachable } from '../../base/assert';
import { combinableBuffers, isAtomic, type Instruction } from '../../ir';
import { atomicCodes } from '../atomics';
import type { Operation } from '../control';
import { i32, i32x4, v128, type I32, type Local, type V128 } from '../wasm/expression';
import { codeOf } from '../wasm/opcodes';
import type { FunctionWriter } from '../wasm/writer';
import type { Sites } from './sites';
import { StridedStores } from './strided';
import type { Values } from './values';
import { Binding, loadWords, resourceField, Rows, storeHalves, storeWords, type Stored } from './words';

/** A word that an operation changes, and the local that receives its previous value. */
interface Change {
  readonly op: Instruction['op'];
  readonly word: Local<'i32'>;
  readonly address: Local<'i32'>;
  readonly value: I32;
  readonly comparand: I32;
}
type Access = (writer: FunctionWriter, change: Change) => void;

const INSTRUCTIONS: Readonly<Partial<Record<string, number>>> = Object.fromEntries(
  Object.entries({ add: 'add', and: 'and', or: 'or', xor: 'xor', exchange: 'xchg', compareExchange: 'cmpxchg' }).map(
    ([op, name]) => [`atomic.${op}`, codeOf(`i32.atomic.rmw.${name}`)]
  )
);

const atomically: Access = (writer, { op, word, address, value, comparand }) => {
  address.write(writer);
  if (op === 'atomic.compareExchange') comparand.write(writer);
  value.write(writer);
  writer.atomicWord(INSTRUCTIONS[op]!);
  writer.keep(word);
};

/** Valid only if no other thread can access the word. */
const combined: Access = (writer, change) => {
  writer.set(change.word, i32.load(change.address));
  writer.storeWord(change.address, become(change));
};

/** The new value of a word. */
function become({ op, word, value, comparand }: Change): I32 {
  switch (op) {
    case 'atomic.add':
      return i32.sum(word, value);
    case 'atomic.and':
      return i32.and(word, value);
    case 'atomic.or':
      return i32.or(word, value);
    case 'atomic.xor':
      return i32.xor(word, value);
    case 'atomic.exchange':
      return value;
    case 'atomic.minI32':
      return i32.select(value, word, i32.lessSigned(value, word));
    case 'atomic.maxI32':
      return i32.select(value, word, i32.lessSigned(word, value));
    case 'atomic.minU32':
      return i32.select(value, word, i32.less(value, word));
    case 'atomic.maxU32':
      return i32.select(value, word, i32.less(word, value));
    case 'atomic.compareExchange':
      return i32.select(value, word, i32.equal(word, comparand));
    default:
      return unreachable(`jit: no operation for ${op}`);
  }
}

const OPERANDS = [AtomicAccess.offset, AtomicAccess.value, AtomicAccess.comparand];

export class StorageAccesses {
  /** Offsets of the record, which all operations use in turn, and of the dummy word for inactive lanes. */
  private readonly record: number;
  private readonly sink: number;
  private readonly rows = new Rows();
  private readonly strided: StridedStores;
  /** Resources for which the worker may have a private copy at run time; the resource table tells. */
  private readonly collected: { has(resource: number): boolean };

  constructor(
    private readonly values: Values,
    private readonly sites: Sites
  ) {
    this.strided = new StridedStores(values);
    const uses = (is: (op: Instruction['op']) => boolean): boolean =>
      values.control.events.some((event) => event.kind === 'op' && is(event.instruction.op));
    this.record = uses((op) => isAtomic(op) && !(op in INSTRUCTIONS)) ? sites.takeMemory(AtomicAccess.bytes) : 0;
    this.collected = values.program.kind === 'compute' ? combinableBuffers(values.program) : new Set();
    this.sink = uses((op) => op.startsWith('storage.store')) ? sites.takeMemory(16) : 0;
  }

  load({ instruction: { args, results, imm }, list }: Operation): void {
    const { values } = this;
    const [result] = results;
    if (values.needs.uses[result!]! === 0) return;
    this.rows.enter(values.frame.writer, list);
    values.keep(result!, loadWords(values, args[0]!, imm, this.rows));
  }

  store(operation: Operation): void {
    const { rows } = this;
    if (this.strided.write(operation)) return;
    rows.enter(this.values.frame.writer, operation.list);
    storeWords(this.values, { ...this.stored(operation), rows });
  }

  storeHalf(operation: Operation): void {
    storeHalves(this.values, this.stored(operation));
  }

  private stored(operation: Operation): Omit<Stored, 'rows'> {
    const { args, imm } = operation.instruction;
    const sink = i32.sum(this.values.frame.sites, i32.constant(this.sites.memoryOffset(this.sink)));
    return { offset: args[0]!, value: args[1]!, resource: imm, lanes: this.standing(operation), sink };
  }

  atomic(operation: Operation): void {
    const {
      values: {
        program,
        frame: { imports },
      },
    } = this;
    const { op, imm } = operation.instruction;
    const { kind } = program.resources[imm]!;
    if (!imports.isShared || kind === 'workgroup' || kind === 'counters') this.inline(operation, combined);
    else if (this.collected.has(imm)) this.inline(operation, atomically, combined);
    else if (op in INSTRUCTIONS) this.inline(operation, atomically);
    else this.call(operation);
  }

  /** Lets each participating lane access memory in turn. `alone`: used if the resource is the worker's private copy. */
  private inline(operation: Operation, access: Access, alone?: Access): void {
    const {
      values,
      values: {
        frame,
        frame: { writer },
      },
    } = this;
    const { op, args, results, imm } = operation.instruction;
    const [result] = results;
    const isUsed = values.needs.uses[result!]! > 0;
    const addresses = writer.local('v128');
    const operands = args.slice(1).map(() => writer.local('v128'));
    const lanes = writer.local('v128');
    const before = writer.local('v128');
    const word = writer.local('i32');
    const address = writer.local('i32');
    const binding = new Binding(values, imm);
    const isHeld = binding.holds(args[0]!);
    const offsets = values.value(args[0]!);
    writer.set(addresses, isHeld ? i32x4.sum(offsets, i32x4.splat(binding.address)) : binding.addresses(offsets));
    operands.forEach((local, k) => writer.set(local, values.value(args[k + 1]!)));
    const standing = this.standing(operation);
    const isSure = standing === null && isHeld;
    if (!isSure) {
      const those = standing ?? frame.splat(~0);
      writer.set(lanes, isHeld ? those : v128.and(those, binding.isLargeEnough));
    }
    if (isUsed) writer.set(before, frame.splat(0));
    const inLanes = (accessing: Access): void => {
      for (let lane = 0; lane < 4; lane++) {
        const inLane = (): void => {
          writer.set(address, i32x4.lane(addresses, lane));
          const [value, comparand] = operands.map((local) => i32x4.lane(local, lane));
          accessing(writer, { op, word, address, value: value!, comparand: comparand ?? value! });
          if (isUsed) writer.set(before, i32x4.withLane(before, lane, word));
        };
        if (isSure) inLane();
        else writer.if(i32x4.lane(lanes, lane), inLane);
      }
    };
    if (alone) {
      writer.if(
        resourceField(frame, imm, Resource.own),
        () => {
          inLanes(alone);
        },
        () => {
          inLanes(access);
        }
      );
    } else inLanes(access);
    for (const local of [addresses, ...operands, lanes, word, address]) writer.release(local);
    if (isUsed) values.keep(result!, before);
    writer.release(before);
  }

  private call(operation: Operation): void {
    const {
      values,
      values: {
        frame,
        frame: { writer, sites, warp, imports },
      },
    } = this;
    const { op, args, results, imm } = operation.instruction;
    const code = atomicCodes[op] ?? unreachable(`jit: no operation for ${op}`);
    const offset = this.sites.memoryOffset(this.record);
    writer.store(sites, this.standing(operation) ?? frame.splat(~0), offset + AtomicAccess.lanes);
    args.forEach((id, k) => writer.store(sites, values.value(id), offset + OPERANDS[k]!));
    writer.run(imports.accessBufferQuad, warp, i32.constant(imm | (code << 16)), i32.sum(sites, i32.constant(offset)));
    const [result] = results;
    if (values.needs.uses[result!]! > 0) values.keep(result!, v128.load(sites, offset + AtomicAccess.result));
  }

  /** Lanes that are active and not discarded; null for all. Lanes of compute programs are never discarded. */
  private standing(operation: Operation): V128 | null {
    const exec = this.values.lanesOf(operation);
    return exec === null || this.values.program.kind === 'compute' ? exec : v128.andNot(exec, this.values.quad.killed);
  }
}
