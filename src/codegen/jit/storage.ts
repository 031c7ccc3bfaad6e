// Buffers that a program may write. Loads and stores are inline; lanes that take no part store to a word beside the
// texture sites, so that nothing branches. Atomic operations are calls of the kernel for one quad, through an ATOMIC
// ACCESS record (assembly/layout/atomic-access.ts).

import { AtomicAccess, Resource } from '../../../build/layout';
import { unreachable } from '../../base/assert';
import { isAtomic, type Instruction } from '../../ir';
import { atomicCodes } from '../atomics';
import { i32, i32x4, v128, type V128 } from '../wasm/expression';
import { bufferLoad, resourceField } from './resources';
import type { Sites } from './sites';
import type { Values } from './values';

const OPERANDS = [AtomicAccess.offset, AtomicAccess.value, AtomicAccess.comparand];

export class StorageAccesses {
  /** Offsets of the record, which all operations use one after the other, and of the word of idle lanes. */
  private readonly record: number;
  private readonly sink: number;

  constructor(private readonly values: Values, private readonly sites: Sites) {
    const uses = (is: (op: Instruction['op']) => boolean): boolean => values.control.events.some(
      (event) => event.kind === 'op' && is(event.instruction.op)
    );
    this.record = uses(isAtomic) ? sites.takeMemory(AtomicAccess.bytes) : 0;
    this.sink = uses((op) => op === 'storage.store') ? sites.takeMemory(16) : 0;
  }

  load(instruction: Instruction): void {
    const { values } = this, [result] = instruction.results;
    if (values.needs.uses[result!]! > 0) values.keep(result!, bufferLoad(values, instruction));
  }

  store({ args, imm }: Instruction): void {
    const { values, values: { frame, frame: { writer, sites } } } = this;
    const addresses = writer.local('v128'), value = writer.local('v128');
    const size = resourceField(frame, imm, Resource.size), start = resourceField(frame, imm, Resource.address);
    const last = i32x4.splat(i32.sum(size, i32.constant(-4)));
    const offsets = v128.and(i32x4.min(values.value(args[0]!), last), frame.splat(~3));
    const sink = i32x4.splat(i32.sum(sites, i32.constant(this.sites.memoryOffset(this.sink))));
    const isThere = i32x4.splat(i32.difference(i32.constant(0), i32.atLeast(size, i32.constant(4))));
    const stands = v128.and(this.standing, isThere);
    writer.set(addresses, v128.select(i32x4.sum(offsets, i32x4.splat(start)), sink, stands));
    writer.set(value, values.value(args[1]!));
    for (let lane = 0; lane < 4; lane++) writer.storeLane(i32x4.lane(addresses, lane), value, 0, lane);
    writer.release(addresses);
    writer.release(value);
  }

  atomic({ op, args, results, imm }: Instruction): void {
    const { values, values: { frame: { writer, sites, warp, imports } } } = this;
    const code = atomicCodes[op] ?? unreachable(`jit: no operation for ${op}`);
    const offset = this.sites.memoryOffset(this.record);
    writer.store(sites, this.standing, offset + AtomicAccess.lanes);
    args.forEach((id, k) => writer.store(sites, values.value(id), offset + OPERANDS[k]!));
    writer.run(imports.accessBufferQuad, warp, i32.constant(imm | (code << 16)), i32.sum(sites, i32.constant(offset)));
    const [result] = results;
    if (values.needs.uses[result!]! > 0) values.keep(result!, v128.load(sites, offset + AtomicAccess.result));
  }

  /** Lanes that are on and not killed, which those of compute programs never are. */
  private get standing(): V128 {
    const exec = this.values.exec ?? unreachable('jit: a write to a buffer in a program without a mask');
    return this.values.program.kind === 'compute' ? exec : v128.andNot(exec, this.values.quad.killed);
  }
}
