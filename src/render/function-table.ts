// The kernel's function table as slots for emitted functions. Kernels call through it; slot 0 means "none".

export class FunctionTable {
  /** Slots that are null: the last one given back is the first one taken. */
  private readonly free: number[] = [];

  /** The kernel's own functions keep the slots that they have. */
  constructor(private readonly table: WebAssembly.Table) {}

  get length(): number { return this.table.length; }

  /**
   * Puts functions into slots of their own; their numbers, in order. Grows the table where none is free. Throws
   * RangeError where the engine refuses that.
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

  /** Empties slots. Nothing that is still to run may name them. */
  remove(slots: readonly number[]): void {
    for (const slot of slots) {
      this.table.set(slot, null);
      this.free.push(slot);
    }
  }
}
