// The draw calls of a pass or a bundle, as records of words. Encoders write the records and the renderer reads them, so
// no object is allocated per draw call. What consecutive draw calls share is in a table of states.
import type { BoundGroup } from '../resources/resource-types';
import type { DrawCommand, DrawState } from './draw-types';

/** Words of a record. */
const STATE = 0;
/** Bits of KIND_*. */
const KIND = 1;
/** Index of the draw call's first dynamic offset in the list. */
const OFFSETS = 2;
/** Number of vertices or indices. Indirect draw calls: index of the arguments. */
const COUNT = 3;
const INSTANCE_COUNT = 4;
const FIRST = 5;
const BASE_VERTEX = 6;
const FIRST_INSTANCE = 7;
const WORDS = 8;

const KIND_INDEXED = 1;
const KIND_INDIRECT = 2;

const FIRST_WORDS = 64 * WORDS;
/** Maximum number of arrays that wait for the next list, and the maximum length of one. */
const MOST_SPARE = 8;
const MOST_SPARE_WORDS = 1 << 20;
/**
 * Arrays of released lists, for records and for offsets. A pass with many draw calls would otherwise allocate megabytes
 * in each frame.
 */
const spareWords: Uint32Array[] = [];
const spareOffsets: Uint32Array[] = [];

const takeFrom = (spare: Uint32Array[]): Uint32Array => spare.pop() ?? new Uint32Array(FIRST_WORDS);

function giveTo(spare: Uint32Array[], words: Uint32Array): void {
  if (words.length > 0 && words.length <= MOST_SPARE_WORDS && spare.length < MOST_SPARE) spare.push(words);
}

function grow(words: Uint32Array, needed: number): Uint32Array {
  const larger = new Uint32Array(Math.max(needed, words.length * 2));
  larger.set(words);
  return larger;
}

/** A draw call whose counts are known. */
export interface DirectDraw {
  indexed: boolean;
  /** Index of the first dynamic offset in `allOffsets`. */
  offsets: number;
  count: number;
  instanceCount: number;
  first: number;
  baseVertex: number;
  firstInstance: number;
}

type Indirect = NonNullable<DrawCommand['indirect']>;
const NO_WORDS: Uint32Array = new Uint32Array(0);

export class DrawList {
  /** The states of the draw calls, in the order of their first draw calls. */
  readonly states: DrawState[] = [];
  private readonly indirects: Indirect[] = [];
  private words = NO_WORDS;
  private offsets = NO_WORDS;
  private offsetCount = 0;
  private count = 0;

  /** Number of draw calls. */
  get length(): number {
    return this.count;
  }

  /** Adds a state for draw calls that follow. Returns its number. */
  addState(state: DrawState): number {
    return this.states.push(state) - 1;
  }

  /** Adds dynamic offsets for draw calls that follow. Returns the index of the first. */
  addOffsets(groups: readonly (BoundGroup | null)[], amount: number): number {
    const first = this.offsetCount;
    if (this.offsets.length === 0) this.offsets = takeFrom(spareOffsets);
    if (first + amount > this.offsets.length) this.offsets = grow(this.offsets, first + amount);
    for (const group of groups) {
      const own = group?.dynamicOffsets;
      if (!own) continue;
      for (let i = 0; i < own.length; i++) this.offsets[this.offsetCount++] = own[i]!;
    }
    return first;
  }

  /** Adds a draw call, whose counts `put` sets. */
  add(state: number, isIndexed: boolean, offsets: number): void {
    const at = this.count++ * WORDS;
    if (this.words.length === 0) this.words = takeFrom(spareWords);
    if (at + WORDS > this.words.length) this.words = grow(this.words, at + WORDS);
    this.words[at + STATE] = state;
    this.words[at + KIND] = isIndexed ? KIND_INDEXED : 0;
    this.words[at + OFFSETS] = offsets;
  }

  /** Sets the counts of the last draw call. */
  put(count: number, instanceCount: number, first: number, baseVertex: number, firstInstance: number): void {
    const at = (this.count - 1) * WORDS;
    const { words } = this;
    words[at + COUNT] = count;
    words[at + INSTANCE_COUNT] = instanceCount;
    words[at + FIRST] = first;
    words[at + BASE_VERTEX] = baseVertex;
    words[at + FIRST_INSTANCE] = firstInstance;
  }

  /** Lets the last draw call read its counts from a buffer. */
  putIndirect(indirect: Indirect): void {
    this.words[(this.count - 1) * WORDS + KIND]! |= KIND_INDIRECT;
    this.put(this.indirects.push(indirect) - 1, 0, 0, 0, 0);
  }

  /** Returns the end of the draw calls before `end` that have the state of the one at `begin`. */
  endOfState(begin: number, end: number): number {
    return this.endOf(STATE, begin, end);
  }

  /** As `endOfState`, for dynamic offsets at the same place. */
  endOfOffsets(begin: number, end: number): number {
    return this.endOf(OFFSETS, begin, end);
  }

  private endOf(word: number, begin: number, end: number): number {
    const { words } = this;
    const value = words[begin * WORDS + word];
    let draw = begin + 1;
    while (draw < end && words[draw * WORDS + word] === value) draw++;
    return draw;
  }

  /** The dynamic offsets of all draw calls. */
  get allOffsets(): Uint32Array {
    return this.offsets.subarray(0, this.offsetCount);
  }

  /** Copies a draw call that is not indirect to `into`. Returns false if it is indirect. */
  read(draw: number, into: DirectDraw): boolean {
    const at = draw * WORDS;
    const { words } = this;
    const kind = words[at + KIND]!;
    if (kind & KIND_INDIRECT) return false;
    into.indexed = kind === KIND_INDEXED;
    into.offsets = words[at + OFFSETS]!;
    into.count = words[at + COUNT]!;
    into.instanceCount = words[at + INSTANCE_COUNT]!;
    into.first = words[at + FIRST]!;
    into.baseVertex = words[at + BASE_VERTEX]!;
    into.firstInstance = words[at + FIRST_INSTANCE]!;
    return true;
  }

  stateOf(draw: number): DrawState {
    return this.states[this.words[draw * WORDS + STATE]!]!;
  }

  /** Number of vertices of all instances; Infinity if the counts are in a buffer. */
  verticesOf(draw: number): number {
    const at = draw * WORDS;
    const { words } = this;
    return words[at + KIND]! & KIND_INDIRECT ? Infinity : words[at + COUNT]! * words[at + INSTANCE_COUNT]!;
  }

  /** A draw call as an object. */
  at(draw: number): DrawCommand {
    const at = draw * WORDS;
    const { words } = this;
    const state = this.stateOf(draw);
    const kind = words[at + KIND]!;
    const groups = state.dynamicOffsets === 0 ? state.groups : this.groupsOf(state, words[at + OFFSETS]!);
    const indexed = (kind & KIND_INDEXED) !== 0;
    const nothing = { count: 0, instanceCount: 0, first: 0, baseVertex: 0, firstInstance: 0 };
    if (kind & KIND_INDIRECT)
      return { state, groups, indexed, ...nothing, indirect: this.indirects[words[at + COUNT]!]! };
    return {
      state,
      groups,
      indexed,
      count: words[at + COUNT]!,
      instanceCount: words[at + INSTANCE_COUNT]!,
      first: words[at + FIRST]!,
      baseVertex: words[at + BASE_VERTEX]! | 0,
      firstInstance: words[at + FIRST_INSTANCE]!,
      indirect: null,
    };
  }

  private groupsOf({ groups }: DrawState, first: number): readonly (BoundGroup | null)[] {
    let at = first;
    return groups.map((bound) => {
      const amount = bound?.group.dynamic.length ?? 0;
      if (!bound || amount === 0) return bound;
      at += amount;
      return { group: bound.group, dynamicOffsets: [...this.offsets.subarray(at - amount, at)] };
    });
  }

  /** Ends the list. Its arrays are used by other lists. */
  release(): void {
    giveTo(spareWords, this.words);
    giveTo(spareOffsets, this.offsets);
    this.words = this.offsets = NO_WORDS;
    this.states.length = this.indirects.length = this.count = this.offsetCount = 0;
  }
}
