// textureLoad at a site, of flat textures with one sample a texel and the formats that are read back most: four texels
// at once. The numbers are those of load.ts: decoded as by surface/formats.ts, zeros outside the texture.
import {
  FORMAT_BGRA8UNORM, FORMAT_DEPTH32FLOAT, FORMAT_R32FLOAT, FORMAT_R32SINT, FORMAT_R32UINT, FORMAT_RGBA16FLOAT,
  FORMAT_RGBA32FLOAT, FORMAT_RGBA32SINT, FORMAT_RGBA32UINT, FORMAT_RGBA8UNORM, Site, SITE_BLUE_FIRST,
  SITE_TEXTURE_BYTES, sizeOf, Texture, TextureLevel,
} from '../layout';
import { floatsOfHalfWords, interleaveHighWords, interleaveLowWords } from '../simd/channels';
import {
  isSplat, splatFrom, transposeColumn0, transposeColumn1, transposeColumn2, transposeColumn3,
} from '../simd/lanes';
import { BITS, BYTE_DIVISOR, LOW_BYTE, NUMBERS } from './constants';
import { generalLoad } from './site-general';

/** rgba8unorm, bgra8unorm. */
export const LOAD_BYTES = 0;
/** rgba16float. */
export const LOAD_HALVES = 1;
/** One channel of 32 bits. */
export const LOAD_WORD = 2;
/** Four channels of 32 bits. */
export const LOAD_WORDS = 3;
export const LOAD_GENERAL = 4;

/** LOAD_* of a format. */
export function loadKind(format: i32): i32 {
  switch (format) {
    case FORMAT_RGBA8UNORM: case FORMAT_BGRA8UNORM: return LOAD_BYTES;
    case FORMAT_RGBA16FLOAT: return LOAD_HALVES;
    case FORMAT_R32FLOAT: case FORMAT_DEPTH32FLOAT: case FORMAT_R32UINT: case FORMAT_R32SINT: return LOAD_WORD;
    case FORMAT_RGBA32FLOAT: case FORMAT_RGBA32UINT: case FORMAT_RGBA32SINT: return LOAD_WORDS;
    default: return LOAD_GENERAL;
  }
}

function texel(site: Site, base: usize, lane: usize): usize { return base + load<u32>(site.offsets00 + (lane << 2)); }

function words(site: Site, base: usize): v128 {
  let v = v128.load32_zero(texel(site, base, 0));
  v = v128.load32_lane(texel(site, base, 1), v, 1);
  v = v128.load32_lane(texel(site, base, 2), v, 2);
  return v128.load32_lane(texel(site, base, 3), v, 3);
}

function putByte(result: usize, bytes: v128, inside: v128): void {
  v128.store(result, v128.and(inside, f32x4.div(f32x4.convert_i32x4_s(bytes), splatFrom(NUMBERS, BYTE_DIVISOR))));
}

function loadBytes(site: Site, base: usize, result: usize, flags: u32, inside: v128): void {
  const v = words(site, base);
  const low = splatFrom(BITS, LOW_BYTE);
  const blue = flags & SITE_BLUE_FIRST;
  if (flags & 1) putByte(result + blue, v128.and(v, low), inside);
  if (flags & 2) putByte(result + 16, v128.and(i32x4.shr_u(v, 8), low), inside);
  if (flags & 4) putByte(result + (blue ^ 32), v128.and(i32x4.shr_u(v, 16), low), inside);
  if (flags & 8) putByte(result + 48, i32x4.shr_u(v, 24), inside);
}

function loadHalves(site: Site, base: usize, result: usize, flags: u32, inside: v128): void {
  const ac = interleaveLowWords(v128.load64_zero(texel(site, base, 0)), v128.load64_zero(texel(site, base, 2)));
  const bd = interleaveLowWords(v128.load64_zero(texel(site, base, 1)), v128.load64_zero(texel(site, base, 3)));
  const rg = interleaveLowWords(ac, bd);
  const ba = interleaveHighWords(ac, bd);
  if (flags & 1) v128.store(result, v128.and(inside, floatsOfHalfWords(i32x4.extend_low_i16x8_u(rg))));
  if (flags & 2) v128.store(result, v128.and(inside, floatsOfHalfWords(i32x4.extend_high_i16x8_u(rg))), 16);
  if (flags & 4) v128.store(result, v128.and(inside, floatsOfHalfWords(i32x4.extend_low_i16x8_u(ba))), 32);
  if (flags & 8) v128.store(result, v128.and(inside, floatsOfHalfWords(i32x4.extend_high_i16x8_u(ba))), 48);
}

function loadWord(site: Site, base: usize, result: usize, format: i32, inside: v128): void {
  v128.store(result, v128.and(inside, words(site, base)));
  const zero = i32x4.splat(0);
  v128.store(result, zero, 16);
  v128.store(result, zero, 32);
  const integer = format == FORMAT_R32UINT || format == FORMAT_R32SINT;
  v128.store(result, v128.and(inside, integer ? i32x4.splat(1) : f32x4.splat(1)), 48);
}

function loadWords(site: Site, base: usize, result: usize, inside: v128): void {
  const a = v128.load(texel(site, base, 0));
  const b = v128.load(texel(site, base, 1));
  const c = v128.load(texel(site, base, 2));
  const d = v128.load(texel(site, base, 3));
  v128.store(result, v128.and(inside, transposeColumn0(a, b, c, d)));
  v128.store(result, v128.and(inside, transposeColumn1(a, b, c, d)), 16);
  v128.store(result, v128.and(inside, transposeColumn2(a, b, c, d)), 32);
  v128.store(result, v128.and(inside, transposeColumn3(a, b, c, d)), 48);
}

/** Loads a quad's texels; `kind`: LOAD_* of the textures of the part. */
// @ts-ignore: decorator
@inline export function loadQuad(site: Site, kind: i32): void {
  let level: u32 = 0;
  if (site.access.level) {
    if (!isSplat(v128.load(site.operands + 64))) {
      generalLoad(site);
      return;
    }
    level = load<u32>(site.operands + 64);
  }
  const texture = site.access.texture;
  const exists = level < <u32>texture.levelCount;
  // A level that is not there reads as zeros from the first one's taps.
  const index = exists ? level : 0;
  const width = max<i32>(1, texture.width >> index);
  const height = max<i32>(1, texture.height >> index);
  const x = v128.load(site.operands);
  const y = v128.load(site.operands + 16);
  const inside = v128.and(
    v128.and(i32x4.lt_u(x, i32x4.splat(width)), i32x4.lt_u(y, i32x4.splat(height))), i32x4.splat(exists ? -1 : 0)
  );
  const record = index * sizeOf<TextureLevel>();
  const row = i32x4.mul(y, i32x4.splat(changetype<TextureLevel>(texture.levels + record).rowBytes));
  v128.store(
    site.offsets00, v128.and(inside, i32x4.add(row, i32x4.shl(x, kind == LOAD_WORDS ? 4 : kind == LOAD_HALVES ? 3 : 2)))
  );
  const end = site.end;
  for (let entry = site.first; entry < end; entry += SITE_TEXTURE_BYTES) {
    const own = load<u32>(entry);
    const base = load<u32>(changetype<Texture>(own + record).levels);
    const flags = load<u32>(entry, 4);
    const result = site.results + (flags >> 16);
    if (kind == LOAD_BYTES) loadBytes(site, base, result, flags, inside);
    else if (kind == LOAD_HALVES) loadHalves(site, base, result, flags, inside);
    else if (kind == LOAD_WORD) loadWord(site, base, result, changetype<Texture>(own).format, inside);
    else loadWords(site, base, result, inside);
  }
}
