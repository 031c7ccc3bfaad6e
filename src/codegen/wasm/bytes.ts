// A byte buffer for writing code and modules.

/** A growable buffer. */
export class Bytes {
  private array: Uint8Array<ArrayBuffer>;
  length = 0;

  constructor(capacity = 1024) {
    this.array = new Uint8Array(capacity);
  }

  byte(value: number): void {
    if (this.length === this.array.length) this.reserve(1);
    this.array[this.length++] = value;
  }

  pair(first: number, second: number): void {
    if (this.length + 2 > this.array.length) this.reserve(2);
    this.array[this.length] = first;
    this.array[this.length + 1] = second;
    this.length += 2;
  }

  /** Unsigned LEB128. */
  unsigned(value: number): void {
    let rest = value >>> 0;
    for (; rest >= 0x80; rest >>>= 7) this.byte((rest & 0x7f) | 0x80);
    this.byte(rest);
  }

  /** Signed LEB128 of 32 bits. */
  signed(value: number): void {
    let rest = value | 0;
    for (; rest < -0x40 || rest > 0x3f; rest >>= 7) this.byte((rest & 0x7f) | 0x80);
    this.byte(rest & 0x7f);
  }

  /** A name of ASCII characters, preceded by its length. */
  name(text: string): void {
    this.unsigned(text.length);
    for (let k = 0; k < text.length; k++) this.byte(text.charCodeAt(k));
  }

  bytes(more: Uint8Array): void {
    this.reserve(more.length);
    this.array.set(more, this.length);
    this.length += more.length;
  }

  /** Copies a few bytes out of many. Faster than creating a view of them. */
  part(of: Uint8Array, from: number, to: number): void {
    this.reserve(to - from);
    for (let k = from; k < to; k++) this.array[this.length++] = of[k]!;
  }

  /** The bytes written so far, as a view that is valid until the next write. */
  get written(): Uint8Array<ArrayBuffer> {
    return this.array.subarray(0, this.length);
  }

  private reserve(count: number): void {
    if (this.length + count <= this.array.length) return;
    const grown = new Uint8Array(Math.max(2 * this.array.length, this.length + count));
    grown.set(this.written);
    this.array = grown;
  }
}
