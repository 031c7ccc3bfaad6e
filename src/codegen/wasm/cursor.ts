// Reads the primitive values of a WebAssembly module from its bytes: numbers in LEB128, names, value types and lists.
// Throws an error where the bytes end or where a value is malformed. (WebAssembly Core Specification 2.0, § 5.2.)

import { WASM_TYPES, type WasmType } from './writer';

/**
 * Thrown for bytes that are not a module or that use instructions missing from the table. The message is a sentence.
 */
export class WasmFormatError extends Error {
  override readonly name = 'WasmFormatError';
}

export type ValueType = WasmType | 'funcref' | 'externref';
const REFERENCE_TYPES: Readonly<Record<number, ValueType>> = { 0x70: 'funcref', 0x6f: 'externref' };

const UTF8 = new TextDecoder();
export const hex = (value: number): string => `0x${value.toString(16)}`;

/** A value type by its code, or by the negative number that represents it in a block type. */
export function valueTypeOf(code: number): ValueType {
  const type = WASM_TYPES.get(code & 0x7f) ?? REFERENCE_TYPES[code & 0x7f];
  if (type === undefined)
    throw new WasmFormatError(`The WebAssembly has a value of an unknown type, ${hex(code & 0x7f)}.`);
  return type;
}

/** A read position in the bytes, with bounds checks. */
export class Cursor {
  private readonly view: DataView;

  constructor(
    private readonly bytes: Uint8Array,
    public at: number,
    readonly end: number
  ) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get done(): boolean {
    return this.at >= this.end;
  }

  /** Skips `count` bytes; returns where they start. */
  private pass(count: number): number {
    if (count > this.end - this.at)
      throw new WasmFormatError(
        `The WebAssembly is cut off at byte ${this.end}: ${count - (this.end - this.at)} bytes are missing.`
      );
    this.at += count;
    return this.at - count;
  }

  /** The next `count` bytes, as a view. */
  take(count: number): Uint8Array {
    const start = this.pass(count);
    return this.bytes.subarray(start, this.at);
  }

  byte(): number {
    return this.bytes[this.pass(1)]!;
  }

  /** LEB128 of at most `bits` bits. */
  private leb(bits: number, signed: boolean): bigint {
    const start = this.at;
    let value = 0n;
    for (let shift = 0; shift < bits; shift += 7) {
      const byte = this.byte();
      value |= BigInt(byte & 0x7f) << BigInt(shift);
      if (byte < 0x80) return signed ? BigInt.asIntN(Math.min(bits, shift + 7), value) : BigInt.asUintN(bits, value);
    }
    throw new WasmFormatError(`The number at byte ${start} of the WebAssembly is longer than ${bits} bits.`);
  }

  /** Whether the next number is a single byte, as most are; these take a fast path. */
  private get short(): boolean {
    return this.at < this.end && this.bytes[this.at]! < 0x80;
  }

  u32(): number {
    return this.short ? this.byte() : Number(this.leb(32, false));
  }
  s32(): number {
    return this.short ? (this.byte() << 25) >> 25 : Number(this.leb(32, true));
  }
  s33(): number {
    return this.short ? (this.byte() << 25) >> 25 : Number(this.leb(33, true));
  }
  s64(): bigint {
    return this.leb(64, true);
  }
  bits32(): number {
    return this.view.getUint32(this.pass(4), true);
  }
  bits64(): bigint {
    return this.view.getBigUint64(this.pass(8), true);
  }
  name(): string {
    return UTF8.decode(this.take(this.u32()));
  }
  valueType(): ValueType {
    return valueTypeOf(this.byte());
  }

  list<T>(read: () => T): T[] {
    const count = this.u32();
    // Every entry takes at least one byte. Checking the count first avoids allocating memory for an invalid one.
    if (count > this.end - this.at)
      throw new WasmFormatError(
        `The list at byte ${this.at} of the WebAssembly has ${count} entries, but ${this.end - this.at} bytes remain.`
      );
    return Array.from({ length: count }, read);
  }
}
