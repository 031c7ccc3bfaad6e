// The bits of 32-bit floats, sizes in memory, and alignment.

/** Bytes of a word. */
export const WORD = 4;
/** Bytes of a cache line. */
export const CACHE_LINE = 64;

const scratch = new DataView(new ArrayBuffer(4));

/** The bits of 1.0. */
export const FLOAT_ONE_BITS = 0x3f800000;

/** The bits of the 32-bit float nearest to `value`. */
export function floatBits(value: number): number {
  scratch.setFloat32(0, value);
  return scratch.getUint32(0);
}

/** The 32-bit float with these bits. */
export function floatFromBits(bits: number): number {
  scratch.setUint32(0, bits);
  return scratch.getFloat32(0);
}

/** The next multiple of `to`. */
export const alignUp = (bytes: number, to: number): number => Math.ceil(bytes / to) * to;
