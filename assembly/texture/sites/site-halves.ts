// Filtered reads of a quad from textures of four half floats. Results equal those of sample.ts.
import { Site, SiteTaps, SiteTexture, sizeOf, TextureLevel } from '../../layout';
import { anyTrue, edgesOfQuad, highHalves, leftOfRows, lowHalves, splatFrom } from '../../simd/lanes';
import { turnedTexel, turnNumbers, wholeInts } from '../addresses/axis';
import { MINUS_HALF, NUMBERS } from '../texels/constants';
import { lerp } from '../texels/filter';
import { filterHalves, filterInside, filterWindow, storePixels } from '../texels/halves';

/** Steps from the first column and row of texels to those of a window's pixels, in the order of edgesOfQuad. */
const NEXT: usize = memory.data<u32>([0, 0, 1, 1]);

/**
 * Reads the textures of the part in one level if the quad's texels form a window (halves.ts): the quad is aligned with
 * the texture's axes, and pixels are at most as large as texels. Returns false otherwise. Tried: reading wider aligned
 * quads by rows as well; the benchmark frame in half floats took 3 % longer.
 */
// @ts-ignore: decorator
@inline export function readWindow(site: Site, level: usize, u: v128, v: v128, address: i32): bool {
  const record = changetype<TextureLevel>(changetype<usize>(site.access.texture) + level);
  const turned = v128.or(v128.xor(u, highHalves(u, u)), v128.xor(v, leftOfRows(v)));
  const sizes = v128.load64_splat(changetype<usize>(record) + offsetof<TextureLevel>('width'));
  const places = turnedTexel(
    turnNumbers(edgesOfQuad(u, v), address),
    sizes,
    address,
    splatFrom(NUMBERS, MINUS_HALF),
    false
  );
  const whole = f32x4.floor(places);
  const i = wholeInts(whole);
  const f = f32x4.sub(places, whole);
  const column = i32x4.extract_lane(i, 0);
  const line = i32x4.extract_lane(i, 1);
  const steps = v128.xor(i, i32x4.add(lowHalves(i, i), v128.load(NEXT)));
  // The right and the lower pixels must be inside as well.
  const ends = column | (record.innerX - 1 - column) | line | (record.innerY - 1 - line);
  if (ends < 0 || anyTrue(v128.or(turned, steps))) return false;
  const row = record.rowBytes;
  const offset = line * row + (column << 3);
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
