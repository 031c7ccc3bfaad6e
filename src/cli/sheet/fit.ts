// Makes a picture smaller. Each pixel is the mean of the area that it covers, as linear light weighted by alpha.
import { LINEAR16, SRGB8 } from '../../gltf/images/colour';

/** RGBA in rows from the top. */
export interface Pixels {
  readonly width: number;
  readonly height: number;
  readonly pixels: Uint8Array;
}

/** Makes a picture fit into a cell with its proportions; one that fits is returned as it is. */
export function fitInto(picture: Pixels, cell: { readonly width: number; readonly height: number }): Pixels {
  const { width, height } = picture;
  const scale = Math.min(1, cell.width / width, cell.height / height);
  if (scale === 1) return picture;
  const size = { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
  const columns = sharesOf(width, size.width);
  const rows = sharesOf(height, size.height);
  const pixels = new Uint8Array(size.width * size.height * 4);
  for (let y = 0, o = 0; y < size.height; y++)
    for (let x = 0; x < size.width; x++, o += 4) putMean(picture, columns[x], rows[y], pixels, o);
  return { ...size, pixels };
}

/** Samples of the source that a sample of the result covers, with the share of each. */
interface Shares {
  readonly first: number;
  readonly weights: readonly number[];
}

function sharesOf(from: number, to: number): Shares[] {
  return Array.from({ length: to }, (_, i) => {
    const begin = (i * from) / to;
    const end = ((i + 1) * from) / to;
    const first = Math.floor(begin);
    const last = Math.min(from, Math.ceil(end));
    return {
      first,
      weights: Array.from(
        { length: last - first },
        (_unused, k) => Math.min(end, first + k + 1) - Math.max(begin, first + k)
      ),
    };
  });
}

function putMean({ width, pixels }: Pixels, columns: Shares, rows: Shares, out: Uint8Array, o: number): void {
  let [red, green, blue, alpha, total] = [0, 0, 0, 0, 0];
  for (let y = 0; y < rows.weights.length; y++) {
    let i = ((rows.first + y) * width + columns.first) * 4;
    for (let x = 0; x < columns.weights.length; x++, i += 4) {
      const weight = rows.weights[y] * columns.weights[x];
      const covered = weight * pixels[i + 3];
      total += weight;
      alpha += covered;
      red += covered * LINEAR16[pixels[i]];
      green += covered * LINEAR16[pixels[i + 1]];
      blue += covered * LINEAR16[pixels[i + 2]];
    }
  }
  if (alpha === 0) return;
  out[o] = SRGB8[Math.min(65535, Math.round(red / alpha))];
  out[o + 1] = SRGB8[Math.min(65535, Math.round(green / alpha))];
  out[o + 2] = SRGB8[Math.min(65535, Math.round(blue / alpha))];
  out[o + 3] = Math.round(alpha / total);
}
