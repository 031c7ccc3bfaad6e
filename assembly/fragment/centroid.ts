// Where a pixel's centroid lies.

import { Entry, Tile } from '../layout';
import { coveredSamples } from './covered';

/**
 * Sample at whose position the centroid of a pixel of the tile lies, -1 for the centre: the first covered one of a
 * pixel that is covered in part.
 */
export function centroidSample(tile: Tile, entry: Entry, pixel: i32): i32 {
  const count = tile.samples;
  if (count == 1) return -1;
  const covered = coveredSamples(tile, entry, pixel);
  return covered == 0 || covered == (1 << count) - 1 ? -1 : ctz(covered);
}
