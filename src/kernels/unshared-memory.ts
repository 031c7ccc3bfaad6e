// Turns the kernel for shared memory into the one for memory that is not shared, which some browsers need. The two
// differ in one bit, so the package has one file for both: atomic instructions work on both kinds of memory.
import { unreachable } from '../base/assert';

/** Bytes before the first section: the magic number and the version. */
const HEADER = 8;
const IMPORT_SECTION = 2;
/** Kinds of imports in WebAssembly's binary format. */
const FUNCTION = 0;
const MEMORY = 2;
const SHARED_BIT = 2;

/** Reads the WebAssembly binary format. */
class Reader {
  constructor(
    private readonly bytes: Uint8Array,
    public at: number
  ) {}

  byte(): number {
    return this.bytes[this.at++]!;
  }
  /** A number in LEB128. */
  unsigned(): number {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = this.byte();
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  }
  skipName(): void {
    const length = this.unsigned();
    this.at += length;
  }
}

/** Clears the flag `shared` of the memory that a kernel imports, in place. */
export function unshareMemory(kernel: Uint8Array): void {
  const reader = new Reader(kernel, HEADER);
  while (reader.byte() !== IMPORT_SECTION) {
    const length = reader.unsigned();
    reader.at += length;
  }
  reader.unsigned();
  for (let left = reader.unsigned(); left > 0; left--) {
    reader.skipName();
    reader.skipName();
    const kind = reader.byte();
    if (kind === MEMORY) {
      kernel[reader.at]! &= ~SHARED_BIT;
      return;
    }
    // Kernels import functions and one memory.
    if (kind !== FUNCTION) break;
    reader.unsigned();
  }
  unreachable('the kernel imports no memory');
}
