// Register allocation by linear scan: a value's register is free again after its last use, and the one freed last is
// taken first, so that the working set stays in the first-level cache (256 bytes a register).

import type { MachineCode } from './machine';

/** What is written before a loop and read in it is read again in the next round; variables also carry values around. */
function extendOverLoops({ starts, ends, loops }: MachineCode, temp: number, persistent: boolean): void {
  for (let changed = true; changed;) {
    changed = false;
    for (let i = 0; i < loops.length; i += 2) {
      const first = 2 * loops[i]!;
      const last = 2 * loops[i + 1]! + 1;
      const start = starts[temp]!;
      const end = ends[temp]!;
      if (end < first || start > last || (start <= first && end >= last)) continue;
      if (persistent && start > first) {
        starts[temp] = first;
        changed = true;
      }
      if ((persistent || start < first) && end < last) {
        ends[temp] = last;
        changed = true;
      }
    }
  }
}

export interface Allocation {
  /** By temporary. */
  readonly numbers: readonly number[];
  /** Registers in all. */
  readonly count: number;
}

/** `persistent`: so many temporaries, the first ones, keep their contents around loops: variables. */
export function allocate(code: MachineCode, persistent: number): Allocation {
  const { starts, ends, met } = code;
  if (code.loops.length > 0) for (const temp of met) extendOverLoops(code, temp, temp < persistent);
  const numbers: number[] = [];
  const free: number[] = [];
  /** Sorted by end, so that the register used last comes to lie on top of those that are free. */
  const active: number[] = [];
  let count = 0;
  for (const temp of [...met].sort((a, b) => starts[a]! - starts[b]!)) {
    let over = 0;
    while (over < active.length && ends[active[over]!]! < starts[temp]!) free.push(numbers[active[over++]!]!);
    if (over > 0) active.splice(0, over);
    numbers[temp] = free.pop() ?? count++;
    let at = active.length;
    for (; at > 0 && ends[active[at - 1]!]! > ends[temp]!; at--) active[at] = active[at - 1]!;
    active[at] = temp;
  }
  return { numbers, count };
}
