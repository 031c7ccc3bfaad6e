// Texels in the memory layouts of copies, and as pixels: RGBA, 8 bits each, row by row from the top.
import { decode } from 'fast-png';

const half = (bits) => {
  const exponent = (bits >> 10) & 31;
  const mantissa = bits & 1023;
  const size = exponent === 0 ? mantissa * 2 ** -24 : (1 + mantissa / 1024) * 2 ** (exponent - 15);
  return bits & 0x8000 ? -size : size;
};

/** Pixels of rows that were copied from a texture of rgba8unorm, bgra8unorm or rgba16float. */
export function clearOfPadding(rows, bytesPerRow, { width, height, format }) {
  const pixels = new Uint8ClampedArray(width * height * 4);
  for (let y = 0; y < height; y++) {
    if (format === 'rgba16float') {
      const row = new Uint16Array(rows, y * bytesPerRow, width * 4);
      for (let i = 0; i < row.length; i++) pixels[y * width * 4 + i] = half(row[i]) * 255;
    } else pixels.set(new Uint8Array(rows, y * bytesPerRow, width * 4), y * width * 4);
  }
  if (format.startsWith('bgra'))
    for (let i = 0; i < pixels.length; i += 4) [pixels[i], pixels[i + 2]] = [pixels[i + 2], pixels[i]];
  return pixels;
}

/** Divides by alpha, or makes the pixels opaque. */
export function straight(pixels, isOpaque) {
  for (let i = 0; i < pixels.length; i += 4) {
    const alpha = pixels[i + 3];
    if (isOpaque) pixels[i + 3] = 255;
    else if (alpha > 0 && alpha < 255) for (let c = 0; c < 3; c++) pixels[i + c] = (pixels[i + c] * 255) / alpha;
  }
  return pixels;
}

/** A rectangle of an image, in the order in which a texture stores it. */
export function cropped(image, { x, y, width, height }, { flipY, premultipliedAlpha, isBgra }) {
  const data = new Uint8ClampedArray(width * height * 4);
  for (let row = 0; row < height; row++) {
    const from = ((y + row) * image.width + x) * 4;
    data.set(image.data.subarray(from, from + width * 4), (flipY ? height - 1 - row : row) * width * 4);
  }
  for (let i = 0; premultipliedAlpha && i < data.length; i += 4)
    for (let c = 0; c < 3; c++) data[i + c] = (data[i + c] * data[i + 3]) / 255;
  for (let i = 0; isBgra && i < data.length; i += 4) [data[i], data[i + 2]] = [data[i + 2], data[i]];
  return data;
}

/** Reads a PNG file, whose pixels can be opaque or grey. @returns `data` (RGBA), `width` and `height` */
export function readPicture(file) {
  const { data, width, height, channels } = decode(file);
  const pixels = new Uint8ClampedArray(width * height * 4).fill(255);
  for (let i = 0; i < width * height; i++) {
    const at = i * channels;
    for (let c = 0; c < 3; c++) pixels[i * 4 + c] = data[at + (channels < 3 ? 0 : c)];
    if (channels % 2 === 0) pixels[i * 4 + 3] = data[at + channels - 1];
  }
  return { data: pixels, width, height };
}

/** The largest difference that counts as equal. */
const WITHIN = 8;

/** Share of the pixels that differ, over black; 1 if the sizes differ. */
export function difference(a, b) {
  if (a.width !== b.width || a.height !== b.height) return 1;
  let differing = 0;
  for (let i = 0; i < a.data.length; i += 4) {
    const over = (pixels, c) => (pixels[i + c] * pixels[i + 3]) / 255;
    if ([0, 1, 2].some((c) => Math.abs(over(a.data, c) - over(b.data, c)) > WITHIN)) differing++;
  }
  return (differing * 4) / a.data.length;
}
