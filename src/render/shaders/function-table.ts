// Allocates slots in the kernel's function table for emitted functions. Kernels call through the table. Slot 0 means
// "none".

export class FunctionTable {
  /** Empty slots. The slot that was freed last is reused first. */
  private readonly free: number[] = [];

  /** The kernel's own functions keep their slots. */
  constructor(private readonly table: WebAssembly.Table) {}

  get length(): number {
    return this.table.length;
  }

  /**
   * Puts functions into free slots and returns the slot numbers in order. Grows the table if there are too few. Throws
   * RangeError if the engine refuses to grow it.
   */
  put(functions: readonly CallableFunction[]): number[] {
    const missing = functions.length - this.free.length;
    if (missing > 0) {
      const first = this.table.grow(missing);
      for (let slot = first + missing - 1; slot >= first; slot--) this.free.push(slot);
    }
    return functions.map((each) => {
      const slot = this.free.pop()!;
      this.table.set(slot, each);
      return slot;
    });
  }

  /** Empties slots. No pending work may refer to them. */
  remove(slots: readonly number[]): void {
    for (const slot of slots) {
      this.table.set(slot, null);
      this.free.push(slot);
    }
  }
}
