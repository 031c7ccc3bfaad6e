// Panoramas of light: images with an equirectangular projection (width 360°, height 180°) and linear colours.

/** Linear light; row 0 is the top, and the middle column shows the direction +X. */
export interface Panorama {
  width: number;
  height: number;
  /** Red, green and blue of each texel, as linear sRGB; finite and not negative. */
  rgb: Float32Array;
}

/** Greatest size of a panorama after reading. Light needs no more. */
const MAX_WIDTH = 1024;

/** Averages squares of texels until the width is at most `most`. */
export function shrink(image: Panorama, most = MAX_WIDTH): Panorama {
  const step = Math.max(Math.ceil(image.width / most), Math.ceil(image.height / (most / 2)));
  if (step <= 1) return image;
  const width = Math.max(1, Math.floor(image.width / step));
  const height = Math.max(1, Math.floor(image.height / step));
  const rgb = new Float32Array(width * height * 3);
  // Edges of cells between texels, so that the last column and row are not lost.
  const edge = (i: number, from: number, to: number): number => Math.floor((i * from) / to);
  for (let y = 0, o = 0; y < height; y++) {
    const [top, bottom] = [edge(y, image.height, height), edge(y + 1, image.height, height)];
    for (let x = 0; x < width; x++, o += 3) {
      const [left, right] = [edge(x, image.width, width), edge(x + 1, image.width, width)];
      let [r, g, b] = [0, 0, 0];
      for (let v = top; v < bottom; v++)
        for (let i = (v * image.width + left) * 3; i < (v * image.width + right) * 3; i += 3) {
          r += image.rgb[i];
          g += image.rgb[i + 1];
          b += image.rgb[i + 2];
        }
      const count = (bottom - top) * (right - left);
      rgb[o] = r / count;
      rgb[o + 1] = g / count;
      rgb[o + 2] = b / count;
    }
  }
  return { width, height, rgb };
}
