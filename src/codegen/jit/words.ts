// Words of buffers, one a lane: loads and stores at the lanes' own offsets, each clamped to its binding, with the
// results of the interpreter (assembly/warp/memory.ts, buffers.ts). Lanes of compute programs mostly read and write
// words that lie side by side, which is one access of a vector: where that, or that they are inside, is not known from
// the program (ir/passes/lanes.ts), four lanes are looked at together.

import { Resource } from '../../../build/layout';
import type { Lanes, ValueId, IrProgram } from '../../ir';
import { choice, emitted, i32, i32x4, tee, v128, type I32, type Local, type V128 } from '../wasm/expression';
import type { FunctionWriter } from '../wasm/writer';
import type { Control } from '../control';
import type { Frame } from './frame';
import { isInside, isRowUnlessClamped } from './inside';
import { areApart } from './spread';

/** The values of the program that reads (values.ts): an offset is one of them. */
export interface Reader {
  readonly frame: Frame;
  readonly program: IrProgram;
  readonly lanes: Lanes;
  readonly control: Control;
  value(id: ValueId): V128;
  word(id: ValueId): I32;
  /** The same as a sum, of a word and of what an instruction adds to an address by itself. */
  sum(id: ValueId): { readonly word: I32; readonly added: number };
  isConvergent(id: ValueId): boolean;
}

export const resourceField = ({ resources }: Frame, resource: number, field: number): I32 => i32.load(
  resources, resource * Resource.bytes + field
);

/** Offsets of lanes whose words lie side by side, from the first one's. */
const SIDE_BY_SIDE = [0, 4, 8, 12] as const;
const VECTOR = 16;
const WORD = 4;

/** A binding: where it is, and how far offsets may go. */
export class Binding {
  /** Bytes, where they are known. */
  private readonly known: number | null;

  constructor(private readonly values: Reader, private readonly resource: number) {
    const described = values.program.resources[resource]!;
    this.known = described.kind === 'workgroup' || described.kind === 'counters' ? described.size : null;
  }

  get address(): I32 { return this.values.frame.addressOf(this.resource); }

  get size(): I32 {
    const { values: { frame }, resource, known } = this;
    return known === null ? resourceField(frame, resource, Resource.size) : i32.constant(known);
  }

  /** The last offset of a word, if there is one. */
  get last(): I32 {
    return this.known === null ? i32.sum(this.size, i32.constant(-WORD)) : i32.constant(this.known - WORD);
  }

  /** Whether it is known that `bytes` from an offset on are inside, in all lanes. */
  holds(offset: ValueId, bytes = WORD): boolean {
    const { values, resource, known } = this;
    if (known !== null) return values.lanes.rangeOf(offset).most <= known - bytes;
    const described = values.program.resources[resource]!;
    return isInside(values, { offset, bytes, resource, described });
  }

  /** Whether `bytes` from an offset on are inside. */
  reaches(offset: I32, bytes: number): I32 {
    const { values: { frame }, resource, known } = this;
    const reach = known === null ? frame.reachOf(resource, bytes) : i32.constant(Math.max(known - bytes + 1, 0));
    return i32.less(offset, reach);
  }

  /** `words`, or zeros where the binding has no word. */
  unlessEmpty(words: V128): V128 {
    if (this.known !== null && this.known >= WORD) return words;
    return choice(i32.less(this.size, i32.constant(WORD)), this.values.frame.splat(0), words);
  }

  /** Ones where it has a word. */
  get isThere(): V128 {
    return i32x4.splat(i32.difference(i32.constant(0), i32.atLeast(this.size, i32.constant(WORD))));
  }

  /** The offsets, clamped, as addresses. */
  addresses(offsets: V128): V128 {
    const { values: { frame } } = this;
    const clamped = v128.and(i32x4.min(offsets, i32x4.splat(this.last)), frame.splat(~3));
    return i32x4.sum(clamped, i32x4.splat(this.address));
  }
}

/** Bytes of a half. */
const HALF = 2;

/**
 * The word at min(offset, size − 4) & ~3 in each lane; 0 when the binding has no word. `rows`: of a load that is
 * written where it stands.
 */
export function loadWords(values: Reader, offset: ValueId, resource: number, rows?: Rows): V128 {
  const { lanes } = values, binding = new Binding(values, resource), step = lanes.stepOf(offset);
  if (values.isConvergent(offset) || step === 0) {
    return binding.holds(offset)
      ? heldForAll(values, offset, binding)
      : binding.unlessEmpty(wordForAll(binding, values.word(offset)));
  }
  const isHeld = binding.holds(offset), isRow = step === WORD || isRowUnlessClamped(values, offset, resource);
  const gathered = (offsets: V128): V128 => (isHeld
    ? gatherHeld(binding, offsets)
    : binding.unlessEmpty(gatherWords(binding, offsets)));
  if (values.program.kind !== 'compute' || (step === undefined ? areApart(values, offset) : step !== WORD))
    return gathered(values.value(offset));
  if (step === WORD && isHeld) return v128.load(i32.sum(values.word(offset), binding.address));
  return emitted((writer) => {
    const offsets = writer.kept('v128', values.value(offset)), look = rows ?? new Rows();
    const { first, reaches } = look.find(writer, `${offset} ${resource}`, {
      frame: values.frame, binding, offsets, isRow, isHeld,
    });
    const start = isHeld ? first : aligned(first);
    choice(reaches, v128.load(i32.sum(start, binding.address)), gathered(offsets)).write(writer);
    writer.release(offsets);
    if (rows === undefined) look.forget(writer);
  });
}

/** The word at an offset inside the binding on which all lanes agree. */
function heldForAll(values: Reader, offset: ValueId, binding: Binding): V128 {
  const { word, added } = values.sum(offset);
  return v128.loadSplat(i32.sum(word, binding.address), added);
}

const aligned = (offset: I32): I32 => i32.and(offset, i32.constant(~3));

interface Look {
  readonly frame: Frame;
  readonly binding: Binding;
  readonly offsets: Local<'v128'>;
  /** It is known that the words lie side by side where those of the first four are inside; that all are inside. */
  readonly isRow: boolean;
  readonly isHeld: boolean;
}
interface Found {
  /** The first lane's offset. */
  readonly first: Local<'i32'>;
  /** Whether the words of all four lanes lie side by side, inside the binding. */
  readonly reaches: Local<'i32'>;
}

/**
 * Whether words of four lanes lie side by side: found once for all accesses of a list of nodes at the same offsets, as
 * of what is read and then written back.
 */
export class Rows {
  private list: object | null = null;
  private readonly known = new Map<string, Found>();

  /** `list`: that which is being written. */
  enter(writer: FunctionWriter, list: object): void {
    if (this.list === list) return;
    this.list = list;
    this.forget(writer);
  }

  find(writer: FunctionWriter, key: string, look: Look): Found {
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

function areSideBySide({ frame, binding, offsets, isRow, isHeld }: Look, first: Local<'i32'>): I32 {
  const start = tee(first, i32x4.lane(offsets, 0));
  if (isRow) return binding.reaches(start, VECTOR);
  const differences = v128.xor(i32x4.sum(i32x4.splat(start), frame.constant(SIDE_BY_SIDE)), offsets);
  const areNext = i32.isZero(v128.isAny(differences));
  return isHeld ? areNext : i32.and(areNext, binding.reaches(first, VECTOR));
}

/** The word at an offset on which all lanes agree. */
const wordForAll = (binding: Binding, offset: I32): V128 => emitted((writer) => {
  const word = writer.local('i32'), last = writer.local('i32');
  const asked = tee(word, offset), most = tee(last, binding.last);
  const clamped = aligned(i32.select(asked, most, i32.less(word, last)));
  v128.loadSplat(i32.sum(clamped, binding.address)).write(writer);
  writer.release(word);
  writer.release(last);
});

/** The words at offsets of the lanes' own. */
export const gatherWords = (binding: Binding, offsets: V128): V128 => emitted((writer) => {
  const addresses = writer.kept('v128', binding.addresses(offsets));
  gather(writer, addresses, 0);
  writer.release(addresses);
});

/** The same where all are inside. */
export const gatherHeld = (binding: Binding, offsets: V128): V128 => emitted((writer) => {
  const addresses = writer.kept('v128', i32x4.sum(offsets, i32x4.splat(binding.address)));
  gather(writer, addresses, 0);
  writer.release(addresses);
});

/** Leaves the words at four addresses on the stack; lane k of them reads `stride`·k bytes further on. */
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
  /** Address of a word for those that do not. */
  readonly sink: I32;
  readonly rows: Rows;
}

/** Stores a word of each lane, a lane after the other: of lanes that store to the same place, the last one's stays. */
export function storeWords(values: Reader, { offset, value, resource, lanes, sink, rows }: Stored): void {
  const { frame, frame: { writer } } = values, binding = new Binding(values, resource);
  const step = values.lanes.stepOf(offset);
  const isCompute = values.program.kind === 'compute';
  const isHeld = binding.holds(offset);
  if (isCompute && lanes === null && step === WORD && isHeld)
    return writer.store(i32.sum(values.word(offset), binding.address), values.value(value));
  const offsets = writer.kept('v128', values.value(offset)), words = writer.kept('v128', values.value(value));
  const byLane = (): void => {
    const addresses = writer.local('v128');
    const places = isHeld ? i32x4.sum(offsets, i32x4.splat(binding.address)) : binding.addresses(offsets);
    const storing = isHeld ? lanes : lanes === null ? binding.isThere : v128.and(lanes, binding.isThere);
    writer.set(addresses, storing === null ? places : v128.select(places, i32x4.splat(sink), storing));
    for (let lane = 0; lane < 4; lane++) writer.storeLane(i32x4.lane(addresses, lane), words, 0, lane);
    writer.release(addresses);
  };
  if (!isCompute || (step === undefined ? areApart(values, offset) : step !== WORD)) byLane();
  else {
    const { first, reaches } = rows.find(writer, `${offset} ${resource}`, {
      frame, binding, offsets, isRow: step === WORD || isRowUnlessClamped(values, offset, resource), isHeld,
    });
    const takesAll = lanes === null ? reaches : i32.and(reaches, i32x4.areAll(lanes));
    const start = isHeld ? first : aligned(first);
    writer.if(takesAll, () => writer.store(i32.sum(start, binding.address), words), byLane);
  }
  writer.release(offsets);
  writer.release(words);
}

/** Stores the low half of each lane's word, a lane after the other, at min(offset, size − 2) & ~1. */
export function storeHalves(
  values: Reader, { offset, value, resource, lanes, sink }: Omit<Stored, 'rows'>
): void {
  const { frame, frame: { writer } } = values, binding = new Binding(values, resource);
  const words = writer.kept('v128', values.value(value)), addresses = writer.local('v128');
  const last = i32.sum(binding.size, i32.constant(-HALF));
  const clamped = v128.and(i32x4.min(values.value(offset), i32x4.splat(last)), frame.splat(~1));
  const isThere = i32x4.splat(i32.difference(i32.constant(0), i32.atLeast(binding.size, i32.constant(HALF))));
  const places = i32x4.sum(clamped, i32x4.splat(binding.address));
  const storing = lanes === null ? isThere : v128.and(lanes, isThere);
  writer.set(addresses, v128.select(places, i32x4.splat(sink), storing));
  for (let lane = 0; lane < 4; lane++) writer.storeHalfLane(i32x4.lane(addresses, lane), words, 2 * lane);
  writer.release(words);
  writer.release(addresses);
}
