// Writes DRAW CALL records (assembly/layout/job/draw-call.ts) for small draw calls of plain pipelines. Everything else
// gets a DRAW record of its own from the calling thread (draw-records.ts).
import { RANGE_VERTICES } from '../../../assembly/layout/vertex/geometry-codes';
import { DrawCall } from '../../../build/layout';
import { primitivesOf } from '../../mpipe';
import type { CommandWords } from '../memory/command-words';
import type { Pipeline } from '../pipeline/pipeline';
import type { IndexUse } from '../resources/index-ranges';
import type { DrawCommand, DrawState, DynamicState } from '../types';
import { DrawKind, DrawWord, type DrawList } from './draw-list';
import { writePattern, type Pattern } from './draw-patterns';
import { GroupPatterns } from './group-patterns';
import type { DrawRecords } from './draw-records';
import { RANGE_INDICES, type Planned, type PlannedCalls } from './geometry-plan';
import type { PassSize } from './pass-size';

/** Maximum number of primitives of such a draw call. Larger ones are divided between tasks. */
const MOST_PRIMITIVES = 1024;
/** Bounds for the number of records that are allocated together. */
const LEAST_CALLS = 16;
const MOST_CALLS = 1024;

/** PlannedCalls that may grow. */
type Open = { -readonly [Key in keyof PlannedCalls]: PlannedCalls[Key] };

/** What consecutive draw calls of a list share. */
interface Shared {
  /** The end of the draw calls. */
  end: number;
  /** The DRAW record of all of them, or the one that the pattern was made from. */
  record: number;
  pattern: Pattern | null;
  /** Address of the list's dynamic offsets, with a pattern. */
  offsets: number;
}

interface CallOptions {
  /** Whether each draw call is planned by itself. */
  readonly areSingle: boolean;
  /** Whether index ranges are used. */
  readonly useRanges: boolean;
  /** Whether the stages of all draw calls are counted in their records. */
  readonly countsStages: boolean;
}

export class DrawCalls {
  private open: Open | null = null;
  /** Number of further records that fit after those of `open`, and that fit into the next array. */
  private room = 0;
  private capacity = LEAST_CALLS;
  /** Addresses of the dynamic offsets of lists. */
  private readonly offsets = new Map<DrawList, number>();
  /** The state of the last pattern. The pattern is null if draw calls with the state cannot have one. */
  private last: { readonly state: DrawState; readonly dynamic: DynamicState; readonly pattern: Pattern | null } | null =
    null;
  private readonly groups: GroupPatterns;
  /** The result of `share`, which its next call overwrites: draw calls with other bind groups take one each. */
  private readonly shared: Shared = { end: 0, record: 0, pattern: null, offsets: 0 };
  /** The last index range, and where the indices are. */
  private use: IndexUse | null = null;
  private indices: { readonly state: DrawState; readonly first: number; readonly count: number } | null = null;

  constructor(
    private readonly words: CommandWords,
    private readonly records: DrawRecords,
    private readonly planned: Planned[],
    private readonly size: PassSize,
    private readonly options: CallOptions
  ) {
    this.groups = new GroupPatterns(words, records);
  }

  /**
   * Adds draw calls of a list, from the one with `number` in the pass, until one needs a separate record.
   * Returns the index of that one.
   */
  add(list: DrawList, begin: number, end: number, dynamic: DynamicState, number: number): number {
    let draw = begin;
    while (draw < end) {
      if (!this.accepts(list, draw)) break;
      const state = list.stateOf(draw);
      const shared = this.share(state, list, draw, list.endOfState(draw, end), dynamic);
      const done = this.write(state, shared, list, draw, number + draw - begin);
      this.records.note(state.pipeline as Pipeline, shared.record, dynamic, done - draw);
      draw = done;
      if (done < shared.end) break;
    }
    if (draw < end) this.close();
    return draw;
  }

  /** Begins another array of records with the next draw call. */
  private close(): void {
    this.open = null;
    this.room = 0;
    this.capacity = LEAST_CALLS;
  }

  private accepts(list: DrawList, draw: number): boolean {
    const { isPlain, hasBufferSinks, isForked, leaves } = list.stateOf(draw).pipeline as Pipeline;
    const { fragment, rateFallback } = leaves[0]!;
    return (
      !list.isIndirect(draw)
      && isPlain
      && !hasBufferSinks
      && !isForked
      && !this.options.countsStages
      && (!fragment || rateFallback === null)
    );
  }

  /** Decides how draw calls with the same state get their DRAW records, and which ones get them in the same way. */
  private share(state: DrawState, list: DrawList, begin: number, end: number, dynamic: DynamicState): Shared {
    const same = state.dynamicOffsets === 0 ? end : list.endOfOffsets(begin, end);
    const isKnown = this.last?.state === state && this.last.dynamic === dynamic;
    // A single draw call needs no pattern.
    if (same === begin + 1 && (same < end || (isKnown && this.last!.pattern))) {
      const command = list.at(begin);
      const pattern = isKnown ? this.last!.pattern : writePattern(this.words, this.recordOf(command, dynamic), command);
      this.last = { state, dynamic, pattern };
      if (pattern) return this.sharing(end, pattern.record, pattern, this.offsetsOf(list));
    }
    const pattern = same === begin + 1 && state.dynamicOffsets === 0 ? this.groups.patternFor(state, dynamic) : null;
    if (pattern) return this.sharing(same, pattern.record, pattern, this.groups.valuesOf(pattern, state));
    return this.sharing(same, this.recordOf(list.at(begin), dynamic), null, 0);
  }

  private sharing(end: number, record: number, pattern: Pattern | null, offsets: number): Shared {
    const { shared } = this;
    shared.end = end;
    shared.record = record;
    shared.pattern = pattern;
    shared.offsets = offsets;
    return shared;
  }

  private recordOf(command: DrawCommand, dynamic: DynamicState): number {
    const shared = this.records.state(command, dynamic);
    // Draw calls with separate records get copies.
    shared.taken = true;
    return shared.record;
  }

  private offsetsOf(list: DrawList): number {
    let address = this.offsets.get(list);
    if (address === undefined) this.offsets.set(list, (address = this.words.table(list.allOffsets)));
    return address;
  }

  /** Writes the records of draw calls until one is large. Returns the index of that one, or `shared.end`. */
  private write(state: DrawState, shared: Shared, list: DrawList, begin: number, number: number): number {
    const { words } = this;
    const { pattern, end } = shared;
    const pipeline = state.pipeline as Pipeline;
    const { topology } = pipeline.state.primitive;
    const varyings = pipeline.varyingSources.length;
    const { records } = list;
    // Small passes add up what each draw call costs.
    const mayRepeat = pattern === null && !this.size.isSmall;
    let { u32 } = words.now();
    let counted = -1;
    let primitives = 0;
    for (let at = begin; at < end; at++) {
      const from = at * DrawWord.all;
      const kind = records[from + DrawWord.kind]!;
      if (kind & DrawKind.indirect) return at;
      const count = records[from + DrawWord.count]!;
      const instanceCount = records[from + DrawWord.instanceCount]!;
      if (count !== counted) primitives = primitivesOf(topology, (counted = count));
      const weight = primitives * instanceCount;
      if (weight > MOST_PRIMITIVES) return at;
      if (primitives === 0) {
        this.close();
        continue;
      }
      const use = kind & DrawKind.indexed ? this.useOf(state, records[from + DrawWord.first]!, count) : null;
      if (use && use.count > RANGE_VERTICES) return at;
      this.size.add(pipeline, instanceCount, primitives);
      const open = this.room > 0 ? this.open! : this.begin(number + at - begin, end - at);
      const call = open.calls + open.length * DrawCall.bytes;
      const block = pattern ? words.take(pattern.bytes) : shared.record;
      // Views of a memory that has grown are too short.
      if ((call + DrawCall.bytes) >>> 2 > u32.length) ({ u32 } = words.now());
      u32[(call + DrawCall.draw) >>> 2] = block;
      u32[(call + DrawCall.pattern) >>> 2] = pattern ? pattern.address : 0;
      u32[(call + DrawCall.offsets) >>> 2] = shared.offsets + records[from + DrawWord.offsets]! * 4;
      u32[(call + DrawCall.weight) >>> 2] = weight;
      putCall(u32, call, records, from, use, state.index);
      this.room--;
      extend(open, weight, varyings);
      if (use && use.count > 0 && this.options.useRanges && (instanceCount === 1 || count >= RANGE_INDICES))
        open.hasRange = true;
      if (!mayRepeat || this.room === 0) continue;
      const repeated = repeat(u32, call >>> 2, records, at + 1, Math.min(end, at + 1 + this.room));
      this.room -= repeated;
      open.length += repeated;
      open.weight += repeated * weight;
      at += repeated;
    }
    return end;
  }

  /** Begins an array of records. `number`: of the first draw call. `wanted`: the number of records that follow. */
  private begin(number: number, wanted: number): Open {
    this.room = this.options.areSingle ? 1 : Math.min(wanted, this.capacity);
    this.capacity = Math.min(MOST_CALLS, this.capacity * 2);
    const calls = this.words.take(this.room * DrawCall.bytes);
    this.open = { number, calls, length: 0, weight: 0, each: 0, varyings: 0, hasRange: false };
    this.planned.push(this.open);
    return this.open;
  }

  /** DrawRecords.indexUse, which takes longer than all the rest. Many draw calls have the same indices. */
  private useOf(state: DrawState, first: number, count: number): IndexUse | null {
    const { indices } = this;
    if (
      indices?.state.index !== state.index
      || indices.first !== first
      || indices.count !== count
      || indices.state.pipeline !== state.pipeline
    ) {
      this.use = this.records.indexUse(state, first, count);
      this.indices = { state, first, count };
    }
    return this.use;
  }
}

function extend(open: Open, weight: number, varyings: number): void {
  open.each = open.length === 0 || weight === open.each ? weight : 0;
  open.length++;
  open.weight += weight;
  open.varyings = Math.max(open.varyings, varyings);
}

/**
 * Writes the records of draw calls that only differ from the one before in where their vertices and instances begin.
 * `before`: index of the record before. `begin`: the first draw call. Returns how many there are before `end`.
 *
 * Executing a bundle of 100 000 draw calls took 4.0 ms of the calling thread instead of 6.6, together with fewer
 * garbage collections (draw-list.ts), and 2.9 ms with records that are copied as a whole. Encoding it takes 5.6 ms.
 */
function repeat(u32: Uint32Array, before: number, records: Uint32Array, begin: number, end: number): number {
  const last = (begin - 1) * DrawWord.all;
  const kind = records[last + DrawWord.kind]!;
  const count = records[last + DrawWord.count]!;
  const instanceCount = records[last + DrawWord.instanceCount]!;
  const isIndexed = kind === DrawKind.indexed;
  const firstIndex = records[last + DrawWord.first]!;
  const base = isIndexed ? DrawWord.baseVertex : DrawWord.first;
  const baseVertex = records[last + base]!;
  const firstInstance = records[last + DrawWord.firstInstance]!;
  let differs = false;
  let at = begin;
  for (let from = begin * DrawWord.all; at < end; at++, from += DrawWord.all) {
    if (records[from + DrawWord.kind] !== kind || records[from + DrawWord.count] !== count) break;
    if (records[from + DrawWord.instanceCount] !== instanceCount) break;
    if (isIndexed && records[from + DrawWord.first] !== firstIndex) break;
    differs ||= records[from + base] !== baseVertex || records[from + DrawWord.firstInstance] !== firstInstance;
  }
  const repeated = at - begin;
  const words = DrawCall.bytes >>> 2;
  // Each copy doubles what there is.
  for (let done = 1; done <= repeated; done *= 2)
    u32.copyWithin(before + done * words, before, before + Math.min(done, repeated + 1 - done) * words);
  if (!differs) return repeated;
  let call = before;
  for (let from = begin * DrawWord.all; from < at * DrawWord.all; from += DrawWord.all) {
    call += words;
    u32[call + (DrawCall.baseVertex >>> 2)] = records[from + base]!;
    u32[call + (DrawCall.firstInstance >>> 2)] = records[from + DrawWord.firstInstance]!;
  }
  return repeated;
}

/** Copies the counts of the draw call whose record is at `from`. */
function putCall(
  u32: Uint32Array,
  call: number,
  records: Uint32Array,
  from: number,
  use: IndexUse | null,
  index: DrawState['index']
): void {
  const first = records[from + DrawWord.first]!;
  u32[(call + DrawCall.count) >>> 2] = records[from + DrawWord.count]!;
  u32[(call + DrawCall.instanceCount) >>> 2] = records[from + DrawWord.instanceCount]!;
  u32[(call + DrawCall.firstInstance) >>> 2] = records[from + DrawWord.firstInstance]!;
  u32[(call + DrawCall.rangeFirst) >>> 2] = use ? use.first : 0;
  u32[(call + DrawCall.rangeCount) >>> 2] = use ? use.count : 0;
  u32[(call + DrawCall.distinct) >>> 2] = use ? use.distinct : 0;
  if (records[from + DrawWord.kind]! & DrawKind.indexed && index) {
    const start = Math.min(first * index.bytes, index.size);
    u32[(call + DrawCall.indexBytes) >>> 2] = index.bytes;
    u32[(call + DrawCall.indexAddress) >>> 2] = index.buffer.address + index.offset + start;
    u32[(call + DrawCall.indexLimit) >>> 2] = Math.floor((index.size - start) / index.bytes);
    u32[(call + DrawCall.baseVertex) >>> 2] = records[from + DrawWord.baseVertex]!;
  } else {
    u32[(call + DrawCall.indexBytes) >>> 2] = 0;
    u32[(call + DrawCall.baseVertex) >>> 2] = first;
  }
}
