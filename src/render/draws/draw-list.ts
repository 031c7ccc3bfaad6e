// The draw calls of a pass or a bundle, as records of words. Encoders write the records and the renderer reads them, so
// no object is allocated per draw call. What consecutive draw calls share is in a table of states.
import type { BoundGroup, BoundResource } from '../resources/resource-types';
import type { DrawCommand, DrawState } from './draw-types';

/** Words of a record. */
export const DrawWord = {
  state: 0,
  /** Bits of DrawKind. */
  kind: 1,
  /** Index of the draw call's first dynamic offset in the list. */
  offsets: 2,
  /** Number of vertices or indices. Indirect draw calls: index of the arguments. */
  count: 3,
  instanceCount: 4,
  first: 5,
  baseVertex: 6,
  firstInstance: 7,
  /** Number of words. */
  all: 8,
} as const;
const WORDS = DrawWord.all;

export const DrawKind = { indexed: 1, indirect: 2 } as const;

const FIRST_WORDS = 64 * WORDS;
/** Maximum number of arrays that wait for the next list, and the maximum length of one. */
const MOST_SPARE = 8;
const MOST_SPARE_WORDS = 1 << 20;
/**
 * Arrays of released lists, for records and for offsets, shortest first. A pass with many draw calls would otherwise
 * allocate megabytes in each frame, and V8 would collect garbage in each frame.
 */
const spareWords: Uint32Array[] = [];
const spareOffsets: Uint32Array[] = [];

/** Takes the longest array, so that it hardly ever grows. */
const takeFrom = (spare: Uint32Array[]): Uint32Array => spare.pop() ?? new Uint32Array(FIRST_WORDS);

function giveTo(spare: Uint32Array[], words: Uint32Array): void {
  if (words.length === 0 || words.length > MOST_SPARE_WORDS) return;
  spare.push(words);
  spare.sort((a, b) => a.length - b.length);
  if (spare.length > MOST_SPARE) spare.shift();
}

/** Returns the first `length` words as an array of their own. */
function trim(spare: Uint32Array[], words: Uint32Array, length: number): Uint32Array {
  if (words.length === length) return words;
  const own = words.slice(0, length);
  giveTo(spare, words);
  return own;
}

function grow(words: Uint32Array, needed: number): Uint32Array {
  const larger = new Uint32Array(Math.max(needed, words.length * 2));
  larger.set(words);
  return larger;
}

type Indirect = NonNullable<DrawCommand['indirect']>;
const NO_WORDS: Uint32Array = new Uint32Array(0);

export class DrawList {
  /** The states of the draw calls, in the order of their first draw calls. */
  readonly states: DrawState[] = [];
  /** The first draw call of each state. */
  private readonly begins: number[] = [];
  private readonly indirects: Indirect[] = [];
  private words = NO_WORDS;
  private offsets = NO_WORDS;
  private offsetCount = 0;
  private count = 0;
  /** The renderer's own: see passResources(). */
  resources: readonly BoundResource[] | null = null;

  /** Number of draw calls. */
  get length(): number {
    return this.count;
  }

  /** Adds a state for the draw calls that follow, at least one. Returns its number. */
  addState(state: DrawState): number {
    this.begins.push(this.count);
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
    this.words[at + DrawWord.state] = state;
    this.words[at + DrawWord.kind] = isIndexed ? DrawKind.indexed : 0;
    this.words[at + DrawWord.offsets] = offsets;
  }

  /** Sets the counts of the last draw call. */
  put(count: number, instanceCount: number, first: number, baseVertex: number, firstInstance: number): void {
    const at = (this.count - 1) * WORDS;
    const { words } = this;
    words[at + DrawWord.count] = count;
    words[at + DrawWord.instanceCount] = instanceCount;
    words[at + DrawWord.first] = first;
    words[at + DrawWord.baseVertex] = baseVertex;
    words[at + DrawWord.firstInstance] = firstInstance;
  }

  /** Lets the last draw call read its counts from a buffer. */
  putIndirect(indirect: Indirect): void {
    this.words[(this.count - 1) * WORDS + DrawWord.kind]! |= DrawKind.indirect;
    this.put(this.indirects.push(indirect) - 1, 0, 0, 0, 0);
  }

  /** Returns the end of the draw calls before `end` that have the state of the one at `begin`. */
  endOfState(begin: number, end: number): number {
    return Math.min(end, this.begins[this.words[begin * WORDS + DrawWord.state]! + 1] ?? end);
  }

  /** As `endOfState`, for dynamic offsets at the same place. All draw calls must have the same state. */
  endOfOffsets(begin: number, end: number): number {
    const { words } = this;
    const value = words[begin * WORDS + DrawWord.offsets];
    // Within a state, a draw call's offsets are never before those of an earlier one.
    if (words[(end - 1) * WORDS + DrawWord.offsets] === value) return end;
    let draw = begin + 1;
    while (words[draw * WORDS + DrawWord.offsets] === value) draw++;
    return draw;
  }

  /** The dynamic offsets of all draw calls. */
  get allOffsets(): Uint32Array {
    return this.offsets.subarray(0, this.offsetCount);
  }

  /** The records of all draw calls, DrawWord.all words each. Valid until the next draw call is added. */
  get records(): Uint32Array {
    return this.words;
  }

  isIndirect(draw: number): boolean {
    return (this.words[draw * WORDS + DrawWord.kind]! & DrawKind.indirect) !== 0;
  }

  stateOf(draw: number): DrawState {
    return this.states[this.words[draw * WORDS + DrawWord.state]!]!;
  }

  /** Number of vertices of all instances; Infinity if the counts are in a buffer. */
  verticesOf(draw: number): number {
    const at = draw * WORDS;
    const { words } = this;
    return this.isIndirect(draw) ? Infinity : words[at + DrawWord.count]! * words[at + DrawWord.instanceCount]!;
  }

  /** A draw call as an object. */
  at(draw: number): DrawCommand {
    const at = draw * WORDS;
    const { words } = this;
    const state = this.stateOf(draw);
    const kind = words[at + DrawWord.kind]!;
    const groups = state.dynamicOffsets === 0 ? state.groups : this.groupsOf(state, words[at + DrawWord.offsets]!);
    const indexed = (kind & DrawKind.indexed) !== 0;
    const nothing = { count: 0, instanceCount: 0, first: 0, baseVertex: 0, firstInstance: 0 };
    if (kind & DrawKind.indirect)
      return { state, groups, indexed, ...nothing, indirect: this.indirects[words[at + DrawWord.count]!]! };
    return {
      state,
      groups,
      indexed,
      count: words[at + DrawWord.count]!,
      instanceCount: words[at + DrawWord.instanceCount]!,
      first: words[at + DrawWord.first]!,
      baseVertex: words[at + DrawWord.baseVertex]! | 0,
      firstInstance: words[at + DrawWord.firstInstance]!,
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

  /** Makes the list as small as possible, because a bundle keeps it. No draw calls may be added afterwards. */
  trim(): void {
    this.words = trim(spareWords, this.words, this.count * WORDS);
    this.offsets = trim(spareOffsets, this.offsets, this.offsetCount);
  }

  /** Ends the list. Its arrays are used by other lists. */
  release(): void {
    giveTo(spareWords, this.words);
    giveTo(spareOffsets, this.offsets);
    this.words = this.offsets = NO_WORDS;
    this.states.length = this.begins.length = this.indirects.length = this.count = this.offsetCount = 0;
  }
}
