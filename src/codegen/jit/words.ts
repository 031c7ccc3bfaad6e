// Words of buffers, one per lane: loads and stores at the lanes' own offsets, each clamped to its binding, with the
// same results as the interpreter (assembly/warp/memory.ts, buffers.ts). Lanes of compute programs mostly access
// adjacent words, which takes a single vector access. The analysis (ir/passes/lanes.ts) may not be able to prove that
// the words are adjacent, or that they are inside the binding. The code then tests it at run time, once for all four
// lanes.

import { Resource } from '../../../build/layout';
import { WORD } from '../../base/bits';
import type { Lanes, ValueId, IrProgram } from '../../ir';
import { choice, emitted, i32, i32x4, tee, v128, type I32, type Local, type V128 } from '../wasm/expression';
import type { FunctionWriter } from '../wasm/writer';
import type { Control } from '../control';
import type { Frame } from './frame';
import { isInside, isRowUnlessClamped } from './in-bounds';
import { areApart } from './spread';

/** The values of the program that accesses memory (values.ts); offsets are among them. */
export interface Reader {
  readonly frame: Frame;
  readonly program: IrProgram;
  readonly lanes: Lanes;
  readonly control: Control;
  value(id: ValueId): V128;
  word(id: ValueId): I32;
  /** The word of a value, split into a word and a constant that goes into the memory instruction's offset. */
  sum(id: ValueId): { readonly word: I32; readonly added: number };
  isConvergent(id: ValueId): boolean;
}

export const resourceField = ({ resources }: Frame, resource: number, field: number): I32 =>
  i32.load(resources, resource * Resource.bytes + field);

/** Offsets of adjacent words, relative to the first lane's. */
const SIDE_BY_SIDE = [0, 4, 8, 12] as const;
const VECTOR = 16;

/** A binding: its address and the valid range of offsets. */
export class Binding {
  /** Size in bytes, if known. */
  private readonly known: number | null;

  constructor(
    private readonly values: Reader,
    private readonly resource: number
  ) {
    const described = values.program.resources[resource]!;
    this.known = described.kind === 'workgroup' || described.kind === 'counters' ? described.size : null;
  }

  get address(): I32 {
    return this.values.frame.addressOf(this.resource);
  }

  get size(): I32 {
    const {
      values: { frame },
      resource,
      known,
    } = this;
    return known === null ? resourceField(frame, resource, Resource.size) : i32.constant(known);
  }

  /** The last offset of a word, if there is one. */
  get last(): I32 {
    return this.known === null ? i32.sum(this.size, i32.constant(-WORD)) : i32.constant(this.known - WORD);
  }

  /** Whether `bytes` at an offset are known to be inside, in all lanes. */
  holds(offset: ValueId, bytes = WORD): boolean {
    const { values, resource, known } = this;
    if (known !== null) return values.lanes.rangeOf(offset).maximum <= known - bytes;
    const described = values.program.resources[resource]!;
    return isInside(values, { offset, bytes, resource, described });
  }

  /** Emits a test whether `bytes` at an offset are inside. */
  reaches(offset: I32, bytes: number): I32 {
    const {
      values: { frame },
      resource,
      known,
    } = this;
    const reach = known === null ? frame.reachOf(resource, bytes) : i32.constant(Math.max(known - bytes + 1, 0));
    return i32.less(offset, reach);
  }

  /** `words`, or zeros if the binding contains no word. */
  unlessEmpty(words: V128): V128 {
    if (this.known !== null && this.known >= WORD) return words;
    return choice(i32.less(this.size, i32.constant(WORD)), this.values.frame.splat(0), words);
  }

  /** All ones if the binding contains a word. */
  get isLargeEnough(): V128 {
    return i32x4.splat(i32.difference(i32.constant(0), i32.atLeast(this.size, i32.constant(WORD))));
  }

  /** The clamped offsets as addresses. */
  addresses(offsets: V128): V128 {
    const {
      values: { frame },
    } = this;
    const clamped = v128.and(i32x4.min(offsets, i32x4.splat(this.last)), frame.splat(~3));
    return i32x4.sum(clamped, i32x4.splat(this.address));
  }
}

/** Bytes of a half. */
const HALF = 2;

/**
 * The word at min(offset, size − 4) & ~3 in each lane; 0 if the binding contains no word. `rows`: adjacency tests that
 * this load can share with other accesses of its list. Omitted for loads that are written where their value is used.
 */
export function loadWords(values: Reader, offset: ValueId, resource: number, rows?: Rows): V128 {
  const { lanes } = values;
  const binding = new Binding(values, resource);
  const step = lanes.stepOf(offset);
  if (values.isConvergent(offset) || step === 0) {
    return binding.holds(offset)
      ? heldForAll(values, offset, binding)
      : binding.unlessEmpty(wordForAll(binding, values.word(offset)));
  }
  const isHeld = binding.holds(offset);
  const isRow = step === WORD || isRowUnlessClamped(values, offset, resource);
  const gathered = (offsets: V128): V128 =>
    isHeld ? gatherHeld(binding, offsets) : binding.unlessEmpty(gatherWords(binding, offsets));
  if (values.program.kind !== 'compute' || (step === undefined ? areApart(values, offset) : step !== WORD))
    return gathered(values.value(offset));
  if (step === WORD && isHeld) return v128.load(i32.sum(values.word(offset), binding.address));
  return emitted((writer) => {
    const offsets = writer.kept('v128', values.value(offset));
    const look = rows ?? new Rows();
    const { first, reaches } = look.find(writer, `${offset} ${resource}`, {
      frame: values.frame,
      binding,
      offsets,
      isRow,
      isHeld,
    });
    const start = isHeld ? first : aligned(first);
    choice(reaches, v128.load(i32.sum(start, binding.address)), gathered(offsets)).write(writer);
    writer.release(offsets);
    if (rows === undefined) look.forget(writer);
  });
}

/** The word at an offset that is inside the binding and on which all lanes agree. */
function heldForAll(values: Reader, offset: ValueId, binding: Binding): V128 {
  const { word, added } = values.sum(offset);
  return v128.loadSplat(i32.sum(word, binding.address), added);
}

const aligned = (offset: I32): I32 => i32.and(offset, i32.constant(~3));

interface BoundsCheck {
  readonly frame: Frame;
  readonly binding: Binding;
  readonly offsets: Local<'v128'>;
  /**
   * `isRow`: the words are known to be adjacent if those of the four lanes are inside. `isHeld`: all are known to be
   * inside.
   */
  readonly isRow: boolean;
  readonly isHeld: boolean;
}
interface Found {
  /** The first lane's offset. */
  readonly first: Local<'i32'>;
  /** Whether the words of all four lanes are adjacent and inside the binding. */
  readonly reaches: Local<'i32'>;
}

/**
 * Tests whether words of four lanes are adjacent, once for all accesses in a list at the same offsets. Typical cases
 * are values that are read and then written back.
 */
export class Rows {
  private list: object | null = null;
  private readonly known = new Map<string, Found>();

  /** `list`: the list that is being written. */
  enter(writer: FunctionWriter, list: object): void {
    if (this.list === list) return;
    this.list = list;
    this.forget(writer);
  }

  find(writer: FunctionWriter, key: string, look: BoundsCheck): Found {
    let found = this.known.get(key);
    if (found === undefined) {
      const first = writer.local('i32');
      found = { first, reaches: writer.kept('i32', areSideBySide(look, first)) };
      this.known.set(key, found);
    }
    return found;
  }

  forget(writer: FunctionWriter): void {
    for (const { first, reaches } of this.known.values()) {
      writer.release(first);
      writer.release(reaches);
    }
    this.known.clear();
  }
}

function areSideBySide({ frame, binding, offsets, isRow, isHeld }: BoundsCheck, first: Local<'i32'>): I32 {
  const start = tee(first, i32x4.lane(offsets, 0));
  if (isRow) return binding.reaches(start, VECTOR);
  const differences = v128.xor(i32x4.sum(i32x4.splat(start), frame.constant(SIDE_BY_SIDE)), offsets);
  const areNext = i32.isZero(v128.isAny(differences));
  return isHeld ? areNext : i32.and(areNext, binding.reaches(first, VECTOR));
}

/** The word at an offset on which all lanes agree. */
const wordForAll = (binding: Binding, offset: I32): V128 =>
  emitted((writer) => {
    const word = writer.local('i32');
    const last = writer.local('i32');
    const asked = tee(word, offset);
    const most = tee(last, binding.last);
    const clamped = aligned(i32.select(asked, most, i32.less(word, last)));
    v128.loadSplat(i32.sum(clamped, binding.address)).write(writer);
    writer.release(word);
    writer.release(last);
  });

/** The words at the lanes' own offsets. */
export const gatherWords = (binding: Binding, offsets: V128): V128 =>
  emitted((writer) => {
    const addresses = writer.kept('v128', binding.addresses(offsets));
    gather(writer, addresses, 0);
    writer.release(addresses);
  });

/** The words at the lanes' own offsets, if all of them are inside the binding. */
export const gatherHeld = (binding: Binding, offsets: V128): V128 =>
  emitted((writer) => {
    const addresses = writer.kept('v128', i32x4.sum(offsets, i32x4.splat(binding.address)));
    gather(writer, addresses, 0);
    writer.release(addresses);
  });

/** Leaves the words at four addresses on the stack; lane k reads `stride`·k bytes after its address. */
export function gather(writer: FunctionWriter, addresses: Local<'v128'>, stride: number): void {
  const words = writer.kept('v128', v128.loadFirst(i32x4.lane(addresses, 0)));
  for (let lane = 1; lane < 4; lane++)
    writer.set(words, v128.loadLane(i32x4.lane(addresses, lane), words, stride * lane, lane));
  words.write(writer);
  writer.release(words);
}

export interface Stored {
  readonly offset: ValueId;
  readonly value: ValueId;
  readonly resource: number;
  /** Lanes that store; null for all. */
  readonly lanes: V128 | null;
  /** Address of a dummy word for the other lanes. */
  readonly sink: I32;
  readonly rows: Rows;
}

/** Stores a word of each lane in lane order. If several lanes store to the same address, the last one wins. */
export function storeWords(values: Reader, { offset, value, resource, lanes, sink, rows }: Stored): void {
  const {
    frame,
    frame: { writer },
  } = values;
  const binding = new Binding(values, resource);
  const step = values.lanes.stepOf(offset);
  const isCompute = values.program.kind === 'compute';
  const isHeld = binding.holds(offset);
  if (isCompute && lanes === null && step === WORD && isHeld)
    return writer.store(i32.sum(values.word(offset), binding.address), values.value(value));
  const offsets = writer.kept('v128', values.value(offset));
  const words = writer.kept('v128', values.value(value));
  const byLane = (): void => {
    const addresses = writer.local('v128');
    const places = isHeld ? i32x4.sum(offsets, i32x4.splat(binding.address)) : binding.addresses(offsets);
    const storing = isHeld ? lanes : lanes === null ? binding.isLargeEnough : v128.and(lanes, binding.isLargeEnough);
    writer.set(addresses, storing === null ? places : v128.select(places, i32x4.splat(sink), storing));
    for (let lane = 0; lane < 4; lane++) writer.storeLane(i32x4.lane(addresses, lane), words, 0, lane);
    writer.release(addresses);
  };
  if (!isCompute || (step === undefined ? areApart(values, offset) : step !== WORD)) byLane();
  else {
    const { first, reaches } = rows.find(writer, `${offset} ${resource}`, {
      frame,
      binding,
      offsets,
      isRow: step === WORD || isRowUnlessClamped(values, offset, resource),
      isHeld,
    });
    const takesAll = lanes === null ? reaches : i32.and(reaches, i32x4.areAll(lanes));
    const start = isHeld ? first : aligned(first);
    writer.if(takesAll, () => writer.store(i32.sum(start, binding.address), words), byLane);
  }
  writer.release(offsets);
  writer.release(words);
}

/** Stores the low half of each lane's word, in lane order, at min(offset, size − 2) & ~1. */
export function storeHalves(values: Reader, { offset, value, resource, lanes, sink }: Omit<Stored, 'rows'>): void {
  const {
    frame,
    frame: { writer },
  } = values;
  const binding = new Binding(values, resource);
  const words = writer.kept('v128', values.value(value));
  const addresses = writer.local('v128');
  const last = i32.sum(binding.size, i32.constant(-HALF));
  const clamped = v128.and(i32x4.min(values.value(offset), i32x4.splat(last)), frame.splat(~1));
  const isLargeEnough = i32x4.splat(i32.difference(i32.constant(0), i32.atLeast(binding.size, i32.constant(HALF))));
  const places = i32x4.sum(clamped, i32x4.splat(binding.address));
  const storing = lanes === null ? isLargeEnough : v128.and(lanes, isLargeEnough);
  writer.set(addresses, v128.select(places, i32x4.splat(sink), storing));
  for (let lane = 0; lane < 4; lane++) writer.storeHalfLane(i32x4.lane(addresses, lane), words, 2 * lane);
  writer.release(words);
  writer.release(addresses);
}
