// The PACKED record of a block, which holds the values of pixels with lists (assembly/layout/surface/packed.ts): tests
// write and read it.
import { Packed } from '../../build/layout';

/** A value beyond a pixel's first, as the bits of a texel of four bytes, and the mask of the samples that hold it. */
export type Further = readonly [value: number, mask: number];

const valuesAt = (at: number, count: number): number => at + Packed.masks + ((2 * count + 15) & ~15);

/** Writes a record at `at`. `lists`: the values of the pixels (0…63) that hold any beyond the first. */
export function putPacked(memory: ArrayBufferLike, at: number, lists: ReadonlyMap<number, readonly Further[]>): void {
  const view = new DataView(memory);
  const entries: Further[] = [];
  let divided = 0n;
  for (const pixel of lists.keys()) divided |= 1n << BigInt(pixel);
  for (let quad = 0; quad < 16; quad++) {
    const four = [0, 1, 2, 3].map((lane) => lists.get(quad * 4 + lane) ?? []);
    view.setUint16(at + Packed.starts + 2 * quad, entries.length, true);
    const counts = four.reduce((bits, list, lane) => bits | (list.length << (4 * lane)), 0);
    view.setUint16(at + Packed.counts + 2 * quad, counts, true);
    for (let index = 0; four.some((list) => index < list.length); index++)
      for (const list of four) if (index < list.length) entries.push(list[index]!);
  }
  view.setBigUint64(at + Packed.divided, divided, true);
  view.setUint32(at + Packed.count, entries.length, true);
  entries.forEach(([value, mask], i) => {
    view.setUint16(at + Packed.masks + 2 * i, mask, true);
    view.setUint32(valuesAt(at, entries.length) + 4 * i, value, true);
  });
}

/** Address of the value beyond the first that a sample of a pixel (0…63) holds; undefined: it holds the first. */
export function packedTexel(memory: ArrayBufferLike, at: number, pixel: number, sample: number): number | undefined {
  const view = new DataView(memory);
  const quad = pixel >> 2;
  const counts = view.getUint16(at + Packed.counts + 2 * quad, true);
  const four = [0, 4, 8, 12].map((shift) => (counts >> shift) & 15);
  let entry = view.getUint16(at + Packed.starts + 2 * quad, true);
  for (let index = 0; index < four[pixel & 3]!; index++)
    for (let lane = 0; lane < 4; lane++) {
      if (index >= four[lane]!) continue;
      if (lane === (pixel & 3) && (view.getUint16(at + Packed.masks + 2 * entry, true) >> sample) & 1)
        return valuesAt(at, view.getUint32(at + Packed.count, true)) + 4 * entry;
      entry++;
    }
  return undefined;
}
