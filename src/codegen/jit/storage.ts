// Buffers that a program may write. Loads and stores are inline; lanes that take no part store to a word beside the
// texture sites, so that nothing branches. Atomic operations are calls of the kernel for one quad, through an ATOMIC
// ACCESS record (assembly/layout/atomic-access.ts).

import { AtomicAccess } from '../../../build/layout';
import { unreachable } from '../../base/assert';
import { isAtomic, type Instruction } from '../../ir';
import { atomicCodes } from '../atomics';
import { i32, v128, type V128 } from '../wasm/expression';
import type { Sites } from './sites';
import type { Values } from './values';
import { loadWords, storeWords } from './words';

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
    if (values.needs.uses[result!]! > 0) values.keep(result!, loadWords(values, instruction.args[0]!, instruction.imm));
  }

  store({ args, imm }: Instruction): void {
    const sink = i32.sum(this.values.frame.sites, i32.constant(this.sites.memoryOffset(this.sink)));
    storeWords(this.values, { offset: args[0]!, value: args[1]!, resource: imm, lanes: this.standing, sink });
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
