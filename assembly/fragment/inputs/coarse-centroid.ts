// Centroids of coarse pixels, for varyings with centroid sampling. The centroid is the covered sample nearest to the
// mean of all covered samples, as rasterised, or the coarse pixel's centre if all are covered. Of samples at equal
// distance, the first wins, pixel by pixel in rows. The SIMD and scalar builds share this code.

import { Entry, Tile, Triangle } from '../../layout';
import { pixelAt, pixelX, pixelY, quadX, quadY, sampleX, sampleY } from '../../simd/positions';
import { pixelSamples } from '../../tile/layers';
import { heightOf, widthOf } from './coarse-shapes';
import { coveredOf } from './covered';

/** Used in place of a sample index: varyings are evaluated at Coarse.centroids. */
export const AT_CENTROIDS = -2;

/**
 * Writes the centroids of a coarse quad's four lanes to Coarse.centroids, including lanes that are not wanted.
 * Visibility does not affect them.
 */
export function coarseCentroids(tile: Tile, entry: Entry): void {
  const x = quadX(entry.quad);
  const y = quadY(entry.quad);
  for (let lane = 0; lane < 4; lane++) {
    const right = (lane & 1) << widthOf(tile.rate);
    const down = (lane >> 1) << heightOf(tile.rate);
    putCentroid(tile, entry.triangle, x + right, y + down, lane);
  }
}

/** Writes the centroid of an entry that is a single coarse pixel. */
export function coarsePixelCentroid(tile: Tile, entry: Entry, lane: i32): void {
  putCentroid(tile, entry.triangle, pixelX(entry.pixel), pixelY(entry.pixel), lane);
}

/** Writes the centroid of the coarse pixel that begins at (x, y) of the tile. */
function putCentroid(tile: Tile, triangle: Triangle, x: i32, y: i32, lane: i32): void {
  const width = widthOf(tile.rate);
  const height = heightOf(tile.rate);
  const pixels = 1 << (width + height);
  // In sixteenths of a pixel from the coarse pixel's corner.
  let atX = 8 << width;
  let atY = 8 << height;
  let sumX = 0;
  let sumY = 0;
  let covered = 0;
  for (let i = 0; i < pixels; i++) {
    const px = i & ((1 << width) - 1);
    const py = i >> width;
    for (let rest = samplesAt(tile, triangle, x + px, y + py); rest; rest &= rest - 1) {
      sumX += (px << 4) + sampleX(tile.samples, ctz(rest));
      sumY += (py << 4) + sampleY(tile.samples, ctz(rest));
      covered++;
    }
  }
  let least = covered == pixels * tile.samples ? 0 : i32.MAX_VALUE;
  for (let i = 0; least && i < pixels; i++) {
    const px = i & ((1 << width) - 1);
    const py = i >> width;
    for (let rest = samplesAt(tile, triangle, x + px, y + py); rest; rest &= rest - 1) {
      const sx = (px << 4) + sampleX(tile.samples, ctz(rest));
      const sy = (py << 4) + sampleY(tile.samples, ctz(rest));
      const distance = square(sx * covered - sumX) + square(sy * covered - sumY);
      if (distance >= least) continue;
      least = distance;
      atX = sx;
      atY = sy;
    }
  }
  const out = tile.coarse.centroids + (lane << 2);
  store<f32>(out, <f32>(tile.x + x) + <f32>atX * 0.0625);
  store<f32>(out, <f32>(tile.y + y) + <f32>atY * 0.0625, 16);
}

function square(x: i32): i32 {
  return x * x;
}

/** The samples of a pixel of the tile that a triangle covers, one bit per sample. */
function samplesAt(tile: Tile, triangle: Triangle, x: i32, y: i32): i32 {
  const pixel = pixelAt(x, y);
  return pixelSamples(coveredOf(tile, triangle, pixel >> 2, -1), pixel & 3, tile.samples);
}
