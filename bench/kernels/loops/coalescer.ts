// The coalescer's compare: which samples of pixels that came sample by sample are equal, by the bytes of a texel.
import { Gathered } from '../../../build/layout';
import { FORMATS, type PlainFormat } from './formats';
import { LoopKernel, numbers, type HotLoop, type Side } from './kit';

const BLOCKS = 16;
const BLOCK_PIXELS = 64;

/** Texels by word of their size, so that one comparison is one of words (of two for 16 bytes). */
function plainSame(texels: Uint8Array | Uint16Array | Uint32Array, words: number, a: number, b: number): boolean {
  for (let w = 0; w < words; w++) if (texels[a * words + w] !== texels[b * words + w]) return false;
  return true;
}

/** Places and masks of a pixel's entries, for all samples of all pixels. */
function analysePlain(
  texels: Uint8Array | Uint16Array | Uint32Array, words: number, samples: number, places: Uint16Array,
  masks: Uint16Array
): void {
  for (let pixel = 0; pixel < BLOCKS * BLOCK_PIXELS; pixel++) {
    const first = pixel * samples;
    let found = 0;
    for (let left = 2 ** samples - 1; left;) {
      const place = 31 - Math.clz32(left & -left);
      let same = 0;
      for (let other = place; other < samples; other++)
        if ((left >> other) & 1 && plainSame(texels, words, first + place, first + other)) same |= 1 << other;
      masks[pixel * 16 + place] = same;
      found |= 1 << place;
      left &= ~same;
    }
    places[pixel] = found;
  }
}

/** Half of the pixels hold one value, a quarter two, a quarter a value each sample. */
function fill(bytes: number, samples: number): Uint8Array {
  const next = numbers(bytes * samples), texels = new Uint8Array(BLOCKS * BLOCK_PIXELS * samples * bytes);
  for (let pixel = 0; pixel < BLOCKS * BLOCK_PIXELS; pixel++) {
    const kind = next(), split = 1 + Math.floor(next() * (samples - 1)), base = Math.floor(next() * 200);
    for (let s = 0; s < samples; s++)
      texels.fill(
        base + (kind < 0.5 ? 0 : kind < 0.75 ? Number(s >= split) : s), (pixel * samples + s) * bytes,
        (pixel * samples + s + 1) * bytes
      );
  }
  return texels;
}

function analysis({ name, bytes }: PlainFormat, samples: number): HotLoop {
  const k = new LoopKernel(), texels = fill(bytes, samples), pixelBytes = samples * bytes;
  const blocks = Array.from({ length: BLOCKS }, (_, b) => {
    const record = k.alloc(Gathered.values + BLOCK_PIXELS * pixelBytes);
    k.u8(record + Gathered.values, BLOCK_PIXELS * pixelBytes)
      .set(texels.subarray(b * BLOCK_PIXELS * pixelBytes, (b + 1) * BLOCK_PIXELS * pixelBytes));
    return record;
  });
  const rows = blocks.flatMap((record) => Array.from(
    { length: BLOCK_PIXELS },
    (_, pixel) => [record, pixel, record + Gathered.values + pixel * pixelBytes, samples, bytes, 2 ** samples - 1]
  ));
  /** The places of each pixel, and the masks there. */
  const entries = (
    places: (pixel: number) => number, mask: (pixel: number, place: number) => number
  ): number[] => Array.from({ length: BLOCKS * BLOCK_PIXELS }, (_, pixel) => pixel)
    .flatMap((pixel) => [
      places(pixel), ...Array.from({ length: samples }, (_, s) => ((places(pixel) >> s) & 1 ? mask(pixel, s) : 0)),
    ]);
  const word = (
    pixel: number, field: number, index: number
  ): number => k.u16(blocks[Math.floor(pixel / BLOCK_PIXELS)]! + field, 1024)[index]!;
  const output = (): number[] => entries((pixel) => word(
    pixel, Gathered.slots, pixel % BLOCK_PIXELS
  ), (pixel, place) => word(pixel, Gathered.masks, (pixel % BLOCK_PIXELS) * 16 + place));
  const side = (kernel: string): Side => ({
    run: k.calls(kernel, ['i32', 'i32', 'i32', 'i32', 'i32', 'i32'], rows, 'i32').run, output,
  });
  const places = new Uint16Array(BLOCKS * BLOCK_PIXELS);
  const masks = new Uint16Array(BLOCKS * BLOCK_PIXELS * 16);
  const words = Math.max(1, bytes / 4);
  const plain = bytes === 1 ? texels : bytes === 2 ? new Uint16Array(texels.buffer) : new Uint32Array(texels.buffer);
  return {
    name: `compare samples, ${name}, ${samples}`, group: 'coalescer', unit: 'pixel', count: BLOCKS * BLOCK_PIXELS,
    tolerance: 0, simd: side('analysePixel'), scalar: side('analysePixelScalar'),
    plain: { run: () => {
      analysePlain(plain, words, samples, places, masks);
    }, output: () => entries((pixel) => places[pixel]!, (pixel, place) => masks[pixel * 16 + place]!) },
  };
}

const named = (name: string): PlainFormat => FORMATS.find((format) => format.name === name)!;

/** A format of each size of texel at eight samples, and the one used most at the other counts. */
export const analyses: readonly (() => HotLoop)[] = [
  ...['r8unorm', 'rg8unorm', 'rgba8unorm', 'rgba16float', 'rgba32float'].map((name) => () => analysis(named(name), 8)),
  ...[4, 16].map((samples) => () => analysis(named('rgba8unorm'), samples)),
];
