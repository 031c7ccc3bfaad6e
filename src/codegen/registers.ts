// Register allocation by linear scan: a value's register is free again after its last use, and the one freed last is
// taken first, so that the working set stays in the first-level cache (256 bytes a register).

import type { MachineCode, VirtualRegister } from './machine';

interface Interval {
  readonly register: VirtualRegister;
  start: number;
  end: number;
}

/** Positions: operands of instruction i are read at 2i, its results written at 2i + 1 (at 2i where it writes early). */
function intervals(code: MachineCode): Interval[] {
  const found = new Map<VirtualRegister, Interval>();
  const note = (register: VirtualRegister, position: number): void => {
    if (register.kind !== 'temp') return;
    const interval = found.get(register);
    if (interval === undefined) found.set(register, { register, start: position, end: position });
    else {
      interval.start = Math.min(interval.start, position);
      interval.end = Math.max(interval.end, position);
    }
  };
  code.instructions.forEach(({ defs, uses, early }, index) => {
    for (const register of uses) note(register, early ? 2 * index + 1 : 2 * index);
    for (const register of defs) note(register, early ? 2 * index : 2 * index + 1);
  });
  const all = [...found.values()];
  for (const interval of all) extendOverLoops(interval, code);
  return all.sort((a, b) => a.start - b.start);
}

/** What is written before a loop and read in it is read again in the next round; variables also carry values around. */
function extendOverLoops(interval: Interval, code: MachineCode): void {
  for (let changed = true; changed;) {
    changed = false;
    for (const { first, last } of code.loops) {
      const start = 2 * first;
      const end = 2 * last + 1;
      if (interval.end < start || interval.start > end || (interval.start <= start && interval.end >= end)) continue;
      const from = code.persistent.has(interval.register) ? Math.min(interval.start, start) : interval.start;
      const to = code.persistent.has(interval.register) || interval.start < start
        ? Math.max(interval.end, end)
        : interval.end;
      if (from === interval.start && to === interval.end) continue;
      interval.start = from;
      interval.end = to;
      changed = true;
    }
  }
}

export interface Allocation {
  readonly numbers: ReadonlyMap<VirtualRegister, number>;
  /** Registers in all. */
  readonly count: number;
}

export function allocate(code: MachineCode): Allocation {
  const numbers = new Map<VirtualRegister, number>();
  const free: number[] = [];
  let active: Interval[] = [];
  let count = 0;
  for (const interval of intervals(code)) {
    const still: Interval[] = [];
    // Sorted by end, so that the register used last comes to lie on top.
    for (const other of active) {
      if (other.end < interval.start) free.push(numbers.get(other.register)!);
      else still.push(other);
    }
    const number = free.pop() ?? count++;
    numbers.set(interval.register, number);
    still.push(interval);
    active = still.sort((a, b) => a.end - b.end);
  }
  return { numbers, count };
}
