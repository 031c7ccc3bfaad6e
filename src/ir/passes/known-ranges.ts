// Tracks what a walk over a program knows at its current point. There is one table of ranges for the whole walk, and a
// log of each change with the previous range. A branch undoes its changes with the log, and paths merge through the
// changes made on them. No branch copies the table, so its cost depends on what it changes and not on the size of the
// program.

import { joined, type Range } from './ranges';

/** A range; undefined if nothing is known. */
type Known = Range | undefined;

/** Ranges by slot. The caller numbers the slots from 0. */
export class KnownRanges {
  private readonly known: Known[];
  /** The log: the slot of each change, and its previous range. */
  private readonly slots: number[] = [];
  private readonly before: Known[] = [];
  /** For each slot, the `round` in which it was last visited. */
  private readonly seen: Int32Array;
  private round = 0;

  /** Initialises the slots before `starts` to the range `start`; nothing is known about the others. */
  constructor(count: number, starts: number, start: Range) {
    this.known = Array.from({ length: count }, (_, slot) => (slot < starts ? start : undefined));
    this.seen = new Int32Array(count);
  }

  /** Position in the log, for `goBack` and merges. */
  get mark(): number {
    return this.slots.length;
  }

  get(slot: number): Known {
    return this.known[slot];
  }

  set(slot: number, range: Known): void {
    this.slots.push(slot);
    this.before.push(this.known[slot]);
    this.known[slot] = range;
  }

  goBack(mark: number): void {
    while (this.slots.length > mark) this.known[this.slots.pop()!] = this.before.pop();
  }

  /**
   * Calls `visit` once for each slot that was changed since a mark, with its range at the mark and its current range.
   */
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

/** The end of a construct, where paths that all began at its start merge. */
export class Meeting {
  private readonly mark: number;
  private readonly changed = new Map<number, Arrival>();
  private paths = 0;

  /** Must be created at the start of the construct. */
  constructor(private readonly ranges: KnownRanges) {
    this.mark = ranges.mark;
  }

  /** Adds the path to the current point as one that continues at the end of the construct. */
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

  /** Moves from the current point to the end of the construct. Returns false if no path reaches it. */
  finish(): boolean {
    this.ranges.goBack(this.mark);
    for (const [slot, { range, paths }] of this.changed)
      this.ranges.set(slot, paths < this.paths ? either(range, this.ranges.get(slot)) : range);
    return this.paths > 0;
  }
}

/** What is known after either of two paths. */
export const either = (a: Known, b: Known): Known => (a === undefined || b === undefined ? undefined : joined(a, b));
