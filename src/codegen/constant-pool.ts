// The constants of a program, which are registers of their own.

import { CONSTANT, virtual, type VirtualRegister } from './machine';

/** Constants by their bits, and tables of constants one after another. */
export class ConstantPool {
  readonly bits: number[] = [];
  private readonly single = new Map<number, number>();
  private readonly tables = new Map<number, number>();

  register(bits: number): VirtualRegister {
    let index = this.single.get(bits);
    if (index === undefined) this.single.set(bits, (index = this.bits.push(bits) - 1));
    return virtual(CONSTANT, index);
  }

  /** Index of a table's first constant. */
  table(array: number, constants: readonly number[]): number {
    let index = this.tables.get(array);
    if (index === undefined) {
      this.tables.set(array, (index = this.bits.length));
      for (const bits of constants) this.bits.push(bits);
    }
    return index;
  }
}
