// Filtered reads of a quad from textures of four half floats. Results equal those of sample.ts.
import { Site, SiteTaps, SiteTexture, sizeOf, TextureLevel } from '../../layout';
import { wholeInts } from '../addresses/axis';
import { lerp } from '../texels/filter';
import { filterHalves, filterInside, filterWindow, storePixels } from '../texels/halves';
import { edgePositions, isWindow } from './windows';

/**
 * Reads the textures of the part in one level if the quad reads a window (windows.ts). Returns false otherwise. Tried:
 * reading wider aligned quads by rows as well; the benchmark frame in half floats took 3 % longer.
 */
// @ts-ignore: decorator
@inline export function readWindow(site: Site, level: usize, u: v128, v: v128, address: i32): bool {
  const record = changetype<TextureLevel>(changetype<usize>(site.access.texture) + level);
  const places = edgePositions(record, u, v, address);
  const whole = f32x4.floor(places);
  const i = wholeInts(whole);
  if (!isWindow(record, u, v, i)) return false;
  const f = f32x4.sub(places, whole);
  const row = record.rowBytes;
  const offset = i32x4.extract_lane(i, 1) * row + (i32x4.extract_lane(i, 0) << 3);
  const end = site.part.end;
  for (let at = site.part.first; at < end; at += sizeOf<SiteTexture>()) {
    const entry = changetype<SiteTexture>(at);
    filterWindow(entry.level(level).address + offset, row, f, entry.results(site));
  }
  return true;
}

// Filters half floats of the quad in one level, one pixel at a time.
function filterLevel(taps: SiteTaps, record: TextureLevel, inside: bool, pixels: usize): void {
  if (inside) filterInside(taps.offsets00, record.address, record.rowBytes, taps.fx, pixels);
  else filterHalves(taps.offsets00, record.address, taps.fx, pixels);
}

/**
 * Filters half floats of one texture in the quad's level and, if `two`, in the next, mixed by `fraction`. `inside`
 * tells that the taps come from tapsInside.
 */
export function readHalves(two: bool, site: Site, entry: SiteTexture, level: usize, inside: bool, fraction: f32): void {
  const pixels = site.texels;
  const record = entry.level(level);
  filterLevel(site.taps, record, inside, pixels);
  if (two) {
    filterLevel(site.nextTaps, record.next(), inside, pixels + 64);
    const fractions = f32x4.splat(fraction);
    for (let at = pixels; at < pixels + 64; at += 16) v128.store(at, lerp(v128.load(at), v128.load(at, 64), fractions));
  }
  storePixels(entry.results(site), pixels);
}
