// Reads of a quad from textures of four half floats, filtered. The numbers are those of sample.ts.
import { Site, SiteTaps, SiteTexture, sizeOf, TextureLevel } from '../layout';
import { anyTrue, highHalves, leftOfRows, splat0, splatFrom } from '../simd/lanes';
import { turnedTexel, wholeInts } from './axis';
import { MINUS_HALF, NUMBERS } from './constants';
import { lerp } from './filter';
import { filterHalves, filterInside, filterWindow, storePixels } from './halves';
import { outside } from './site-bytes';

/** What readWindow did. */
export const WINDOW_READ = 0;
export const WINDOW_INSIDE = 1;
export const WINDOW_OUTSIDE = 2;

/** Columns and rows of a quad's pixels. */
const PIXELS: usize = memory.data<u32>([0, 1, 0, 1, 0, 0, 1, 1]);

/**
 * Reads the textures of the part in one level where the quad's texels are a window (halves.ts): it lies along the
 * texture's axes, and a pixel is as large as a texel, or smaller. Else writes the taps of tapsInside, and says whether
 * all pixels are inside. (Wider quads along the axes as well, by rows: the bench's frame in half floats took 3 %
 * longer.)
 */
// @ts-ignore: decorator
@inline export function readWindow(site: Site, level: usize, u: v128, v: v128, address: i32): i32 {
  const record = changetype<TextureLevel>(changetype<usize>(site.access.texture) + level);
  const center = splatFrom(NUMBERS, MINUS_HALF);
  const x = turnedTexel(u, i32x4.splat(record.width), address, center, false);
  const y = turnedTexel(v, i32x4.splat(record.height), address, center, false);
  const wholeX = f32x4.floor(x);
  const wholeY = f32x4.floor(y);
  const i = wholeInts(wholeX);
  const j = wholeInts(wholeY);
  const fx = f32x4.sub(x, wholeX);
  const fy = f32x4.sub(y, wholeY);
  const column = i32x4.extract_lane(i, 0);
  const line = i32x4.extract_lane(j, 0);
  const row = record.rowBytes;
  const places = v128.or(
    v128.xor(i, i32x4.add(splat0(i), v128.load(PIXELS))), v128.xor(j, i32x4.add(splat0(j), v128.load(PIXELS, 16)))
  );
  const fractions = v128.or(v128.xor(fx, highHalves(fx, fx)), v128.xor(fy, leftOfRows(fy)));
  // The right and the lower pixels are inside as well.
  const ends = column | record.innerX - 1 - column | line | record.innerY - 1 - line;
  if (ends >= 0 && !anyTrue(v128.or(places, fractions))) {
    const offset = line * row + (column << 3);
    const end = site.part.end;
    for (let at = site.part.first; at < end; at += sizeOf<SiteTexture>()) {
      const entry = changetype<SiteTexture>(at);
      filterWindow(entry.level(level).address + offset, row, fx, fy, entry.results(site));
    }
    return WINDOW_READ;
  }
  const taps = site.taps;
  v128.store(taps.offsets00, i32x4.add(i32x4.mul(j, i32x4.splat(row)), i32x4.shl(i, 3)));
  v128.store(taps.fx, fx);
  v128.store(taps.fy, fy);
  return i32x4.bitmask(v128.or(outside(i, record.innerX), outside(j, record.innerY))) ? WINDOW_OUTSIDE : WINDOW_INSIDE;
}

// Half floats of the quad in one level, filtered, a pixel at a time.
function filterLevel(taps: SiteTaps, record: TextureLevel, inside: bool, pixels: usize): void {
  if (inside) filterInside(taps.offsets00, record.address, record.rowBytes, taps.fx, pixels);
  else filterHalves(taps.offsets00, record.address, taps.fx, pixels);
}

/**
 * Half floats, filtered, of the quad's level and, if `two`, of the next, mixed by `fraction`: one texture. `inside`:
 * the taps are tapsInside's.
 */
export function readHalves(
  two: bool, site: Site, entry: SiteTexture, level: usize, inside: bool, fraction: f32
): void {
  const pixels = site.texels;
  const record = entry.level(level);
  filterLevel(site.taps, record, inside, pixels);
  if (two) {
    filterLevel(site.nextTaps, record.next(), inside, pixels + 64);
    const fractions = f32x4.splat(fraction);
    for (let at = pixels; at < pixels + 64; at += 16)
      v128.store(at, lerp(v128.load(at), v128.load(at, 64), fractions));
  }
  storePixels(entry.results(site), pixels);
}

