// The part of a frame that differs from the frame before. Only this part is stored.

/** Pixels of a rectangle. */
interface Area {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

interface FrameSize {
  readonly width: number;
  readonly height: number;
}

/** Words of RGBA pixels. */
const wordsOf = (pixels: Uint8Array): Uint32Array =>
  pixels.byteOffset % 4 === 0
    ? new Uint32Array(pixels.buffer, pixels.byteOffset, pixels.byteLength >> 2)
    : new Uint32Array(pixels.slice().buffer);

/**
 * Finds the smallest rectangle with all differences; one pixel if there are none.
 * @param before undefined: there was no frame before, and the area is the whole frame
 * @param step the left and top edges are multiples of this number
 */
export function changedArea(
  before: Uint8Array | undefined,
  after: Uint8Array,
  { width, height }: FrameSize,
  step = 1
): Area {
  if (before === undefined) return { x: 0, y: 0, width, height };
  const a = wordsOf(before);
  const b = wordsOf(after);
  let left = width;
  let right = -1;
  let top = height;
  let bottom = -1;
  for (let y = 0; y < height; y++) {
    const row = y * width;
    let first = 0;
    while (first < width && a[row + first] === b[row + first]) first++;
    if (first === width) continue;
    let last = width - 1;
    while (a[row + last] === b[row + last]) last--;
    left = Math.min(left, first);
    right = Math.max(right, last);
    if (bottom < 0) top = y;
    bottom = y;
  }
  if (bottom < 0) return { x: 0, y: 0, width: 1, height: 1 };
  const x = left - (left % step);
  const y = top - (top % step);
  return { x, y, width: right + 1 - x, height: bottom + 1 - y };
}

/** Copies an area of RGBA pixels, with 3 (without alpha) or 4 channels. */
export function cropped(pixels: Uint8Array, width: number, area: Area, channels: 3 | 4): Uint8Array {
  const out = new Uint8Array(area.width * area.height * channels);
  for (let row = 0, o = 0; row < area.height; row++) {
    const begin = ((area.y + row) * width + area.x) * 4;
    const end = begin + area.width * 4;
    if (channels === 4) {
      out.set(pixels.subarray(begin, end), o);
      o += area.width * 4;
    } else {
      for (let i = begin; i < end; i += 4, o += 3) {
        out[o] = pixels[i];
        out[o + 1] = pixels[i + 1];
        out[o + 2] = pixels[i + 2];
      }
    }
  }
  return out;
}
