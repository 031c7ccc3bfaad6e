// The header of AVIF images: boxes of ISO/IEC 14496-12, with the sizes of items in ISO/IEC 23008-12 §6.5.3.
import { DAMAGED_IMAGE_ADVICE } from './codecs';
import { ModelError } from '../errors';

/** Boxes on the way to the sizes, and the bytes before their contents: version and flags. */
const WAY: readonly (readonly [name: string, before: number])[] = [
  ['meta', 4],
  ['iprp', 0],
  ['ipco', 0],
];

const BRANDS = ['avif', 'avis'];

interface Box {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

const nameAt = (view: DataView, at: number): string =>
  String.fromCharCode(...[0, 1, 2, 3].map((i) => view.getUint8(at + i)));

function* boxesOf(view: DataView, from: number, to: number): Generator<Box> {
  for (let at = from; at + 8 <= to;) {
    const size = view.getUint32(at);
    // 0: up to the end. Boxes above 4 GiB have a size of 1, and no image has them.
    const end = size === 0 ? to : at + size;
    if (end > to || (size !== 0 && size < 8)) return;
    yield { name: nameAt(view, at + 4), start: at + 8, end };
    at = end;
  }
}

/** Whether a file names one of AVIF's brands. */
export function isAvif(view: DataView): boolean {
  if (view.byteLength < 16 || nameAt(view, 4) !== 'ftyp') return false;
  const end = Math.min(view.getUint32(0), view.byteLength - 3);
  // The major brand, and after its version the compatible ones.
  for (let at = 8; at < end; at += at === 8 ? 8 : 4) if (BRANDS.includes(nameAt(view, at))) return true;
  return false;
}

/** The size of the largest item, which is the image; others are its tiles or its alpha. @throws ModelError */
export function avifSize(view: DataView, name: string): { width: number; height: number } {
  let [from, to] = [0, view.byteLength];
  for (const [box, before] of WAY) {
    const found = [...boxesOf(view, from, to)].find((each) => each.name === box);
    if (!found) return damaged(name);
    [from, to] = [found.start + before, found.end];
  }
  const sizes = [...boxesOf(view, from, to)]
    .filter((box) => box.name === 'ispe' && box.end - box.start >= 12)
    .map(({ start }) => ({ width: view.getUint32(start + 4), height: view.getUint32(start + 8) }));
  return sizes.length === 0
    ? damaged(name)
    : sizes.reduce((a, b) => (a.width * a.height >= b.width * b.height ? a : b));
}

function damaged(name: string): never {
  throw new ModelError(`${name} is an AVIF image whose header is damaged; ${DAMAGED_IMAGE_ADVICE}.`);
}
