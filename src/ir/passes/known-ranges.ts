// What a walk over a program knows at its current point: one table of ranges for the whole walk, and a list of what was
// there before each change. A branch goes back to where it began by that list, and paths meet by what changed on them,
// so no branch copies the table: its cost is what it changes, not what the program has.

import { joined, type Range } from './ranges';

/** undefined: nothing is known. */
type Known = Range | undefined;

/** Ranges by slot. Slots are numbered from 0 by the caller. */
export class KnownRanges {
  private readonly known: Known[];
  /** The slot of each change since the start, and what it held before. */
  private readonly slots: number[] = [];
  private readonly before: Known[] = [];
  /** By slot: the last number of `round` at which it was met. */
  private readonly seen: Int32Array;
  private round = 0;

  /** All slots hold `start`, or nothing is known of them from slot `starts` on. */
  constructor(count: number, starts: number, start: Range) {
    this.known = Array.from({ length: count }, (_, slot) => (slot < starts ? start : undefined));
    this.seen = new Int32Array(count);
  }

  /** The current point, for `goBack` and for meetings. */
  get mark(): number { return this.slots.length; }

  get(slot: number): Known { return this.known[slot]; }

  set(slot: number, range: Known): void {
    this.slots.push(slot);
    this.before.push(this.known[slot]);
    this.known[slot] = range;
  }

  goBack(mark: number): void {
    while (this.slots.length > mark) this.known[this.slots.pop()!] = this.before.pop();
  }

  /** Calls `visit` once for each slot that was changed since a mark, with what it held there and what it holds now. */
  forEachChange(mark: number, visit: (slot: number, before: Known, now: Known) => void): void {
    const round = ++this.round;
    for (let i = mark; i < this.slots.length; i++) {
      const slot = this.slots[i]!;
      if (this.seen[slot] === round) continue;
      this.seen[slot] = round;
      visit(slot, this.before[i], this.known[slot]);
    }
  }
}

interface Arrival {
  range: Known;
  /** Number of paths that changed the slot. */
  paths: number;
}

/** The end of a construct, where paths meet that all began at its start. */
export class Meeting {
  private readonly mark: number;
  private readonly changed = new Map<number, Arrival>();
  private paths = 0;

  /** Made at the start of the construct. */
  constructor(private readonly ranges: KnownRanges) {
    this.mark = ranges.mark;
  }

  /** The path to the current point goes on at the end of the construct. */
  add(): void {
    this.paths++;
    this.ranges.forEachChange(this.mark, (slot, _, range) => {
      const arrival = this.changed.get(slot);
      if (arrival === undefined) {
        this.changed.set(slot, { range, paths: 1 });
      } else {
        arrival.range = either(arrival.range, range);
        arrival.paths++;
      }
    });
  }

  /** Goes from the current point to the end of the construct; false where no path comes there. */
  finish(): boolean {
    this.ranges.goBack(this.mark);
    for (const [slot, { range, paths }] of this.changed)
      this.ranges.set(slot, paths < this.paths ? either(range, this.ranges.get(slot)) : range);
    return this.paths > 0;
  }
}

/** What holds after either of two paths. */
export const either = (a: Known, b: Known): Known => (
  a === undefined || b === undefined ? undefined : joined(a, b)
);
