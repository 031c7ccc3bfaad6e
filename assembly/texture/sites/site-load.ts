// textureLoad at a site, four texels at once, for 2D textures, arrays and volumes in the formats that are loaded most.
// Results equal those of load.ts: decoded as by surface/formats.ts, zeros outside the texture.
import {
  FORMAT_BGRA8UNORM,
  FORMAT_DEPTH24PLUS,
  FORMAT_DEPTH24PLUS_STENCIL8,
  FORMAT_DEPTH32FLOAT,
  FORMAT_R32FLOAT,
  FORMAT_R32SINT,
  FORMAT_R32UINT,
  FORMAT_RGBA16FLOAT,
  FORMAT_RGBA32FLOAT,
  FORMAT_RGBA32SINT,
  FORMAT_RGBA32UINT,
  FORMAT_RGBA8UNORM,
  Site,
  SITE_BLUE_FIRST,
  SITE_OPERAND_LEVEL,
  SITE_OPERAND_V,
  SiteTexture,
  sizeOf,
  Texture,
  VECTOR_BYTES,
} from '../../layout';
import {
  evenLanes,
  isSplat,
  oddLanes,
  splat0,
  splatFrom,
  transposeColumn0,
  transposeColumn1,
  transposeColumn2,
  transposeColumn3,
} from '../../simd/lanes';
import { gatherTexels } from '../../simd/texels';
import { BITS, BYTE_DIVISOR, LOW_BYTE, NUMBERS } from '../texels/constants';
import { areFinite, highFinite, lowFinite } from '../texels/halves';
import { placeSamples } from '../load';
import { rowOfTwo } from './site-bytes';
import { generalLoad } from './site-general';
import { highHalves, lowHalves } from './site-texels';

// Offsets of channels at SiteTexture.results.
// @ts-ignore: decorator
@inline const GREEN = VECTOR_BYTES;
// @ts-ignore: decorator
@inline const BLUE = 2 * VECTOR_BYTES;
// @ts-ignore: decorator
@inline const ALPHA = 3 * VECTOR_BYTES;

/** rgba8unorm, bgra8unorm. */
export const LOAD_BYTES = 0;
/** rgba16float. */
export const LOAD_HALVES = 1;
/** One 32-bit channel. */
export const LOAD_WORD = 2;
/** Four 32-bit channels. */
export const LOAD_WORDS = 3;
export const LOAD_GENERAL = 4;

/** LOAD_* of a format. */
export function loadKind(format: i32): i32 {
  switch (format) {
    case FORMAT_RGBA8UNORM:
    case FORMAT_BGRA8UNORM:
      return LOAD_BYTES;
    case FORMAT_RGBA16FLOAT:
      return LOAD_HALVES;
    case FORMAT_R32FLOAT:
    case FORMAT_DEPTH32FLOAT:
    case FORMAT_DEPTH24PLUS:
    case FORMAT_DEPTH24PLUS_STENCIL8:
    case FORMAT_R32UINT:
    case FORMAT_R32SINT:
      return LOAD_WORD;
    case FORMAT_RGBA32FLOAT:
    case FORMAT_RGBA32UINT:
    case FORMAT_RGBA32SINT:
      return LOAD_WORDS;
    default:
      return LOAD_GENERAL;
  }
}

function putByte(result: usize, bytes: v128, inside: v128): void {
  v128.store(result, v128.and(inside, f32x4.div(f32x4.convert_i32x4_s(bytes), splatFrom(NUMBERS, BYTE_DIVISOR))));
}

function loadBytes(words: v128, result: usize, flags: u32, inside: v128): void {
  const low = splatFrom(BITS, LOW_BYTE);
  const blue = flags & SITE_BLUE_FIRST;
  if (flags & 1) putByte(result + blue, v128.and(words, low), inside);
  if (flags & 2) putByte(result + GREEN, v128.and(i32x4.shr_u(words, 8), low), inside);
  if (flags & 4) putByte(result + (blue ^ BLUE), v128.and(i32x4.shr_u(words, 16), low), inside);
  if (flags & 8) putByte(result + ALPHA, i32x4.shr_u(words, 24), inside);
}

// Two channels. Normal numbers and zero take a quarter of the operations.
// @ts-ignore: decorator
@inline function loadHalves(words: v128, result: usize, inside: v128): void {
  if (areFinite(words)) {
    v128.store(result, v128.and(inside, lowFinite(words)));
    v128.store(result, v128.and(inside, highFinite(words)), GREEN);
  } else loadSpecials(words, result, inside);
}

function loadSpecials(words: v128, result: usize, inside: v128): void {
  v128.store(result, v128.and(inside, lowHalves(words)));
  v128.store(result, v128.and(inside, highHalves(words)), GREEN);
}

function loadWord(words: v128, result: usize, format: i32, inside: v128): void {
  v128.store(result, v128.and(inside, words));
  const zero = i32x4.splat(0);
  v128.store(result, zero, GREEN);
  v128.store(result, zero, BLUE);
  const integer = format == FORMAT_R32UINT || format == FORMAT_R32SINT;
  v128.store(result, v128.and(inside, integer ? i32x4.splat(1) : f32x4.splat(1)), ALPHA);
}

function loadWords(base: usize, offsets: usize, result: usize, inside: v128): void {
  const a = v128.load(base + load<u32>(offsets));
  const b = v128.load(base + load<u32>(offsets, sizeof<u32>()));
  const c = v128.load(base + load<u32>(offsets, 2 * sizeof<u32>()));
  const d = v128.load(base + load<u32>(offsets, 3 * sizeof<u32>()));
  v128.store(result, v128.and(inside, transposeColumn0(a, b, c, d)));
  v128.store(result, v128.and(inside, transposeColumn1(a, b, c, d)), GREEN);
  v128.store(result, v128.and(inside, transposeColumn2(a, b, c, d)), BLUE);
  v128.store(result, v128.and(inside, transposeColumn3(a, b, c, d)), ALPHA);
}

/** Steps from the first pixel's coordinates to those of the quad's pixels, in x, then in y. */
const STEPS: usize = memory.data<u32>([0, 1, 0, 1, 0, 0, 1, 1]);

/** Whether a quad loads two by two texels, as in full-screen passes, all of them `inside`. */
function isSquare(x: v128, y: v128, inside: v128): bool {
  const columns = v128.xor(x, i32x4.add(splat0(x), v128.load(STEPS)));
  const rows = v128.xor(y, i32x4.add(splat0(y), v128.load(STEPS, VECTOR_BYTES)));
  return !v128.any_true(v128.or(v128.or(columns, rows), v128.not(inside)));
}

/** Loads the textures of the part for a square of texels, by rows; `offset` is that of the first one. */
// @ts-ignore: decorator
@inline function loadSquare(site: Site, kind: i32, level: usize, offset: usize, inside: v128): void {
  const end = site.part.end;
  for (let at = site.part.first; at < end; at += sizeOf<SiteTexture>()) {
    const entry = changetype<SiteTexture>(at);
    const record = entry.level(level);
    const upper = record.address + offset;
    const lower = upper + record.rowBytes;
    const result = entry.results(site);
    const flags = entry.flags;
    if (kind == LOAD_HALVES) {
      const a = v128.load(upper);
      const b = v128.load(lower);
      if (flags & 3) loadHalves(evenLanes(a, b), result, inside);
      if (flags & 12) loadHalves(oddLanes(a, b), result + BLUE, inside);
    } else {
      const words = rowOfTwo(upper, lower);
      if (kind == LOAD_BYTES) loadBytes(words, result, flags, inside);
      else loadWord(words, result, entry.texture.format, inside);
    }
  }
}

/** Loads a quad's texels; `kind` is LOAD_* of the part's textures. */
// @ts-ignore: decorator
@inline export function loadQuad(site: Site, kind: i32): void {
  let number: u32 = 0;
  if (site.access.level) {
    if (!isSplat(v128.load(site.operands + SITE_OPERAND_LEVEL))) {
      generalLoad(site);
      return;
    }
    number = load<u32>(site.operands + SITE_OPERAND_LEVEL);
  }
  const texture = site.access.texture;
  const exists = number < <u32>texture.levelCount;
  // A missing level reads as zeros, from the taps of the first level.
  const index = exists ? number : 0;
  const level = changetype<usize>(changetype<Texture>(0).level(index));
  const width = max<i32>(1, texture.width >> index);
  const height = max<i32>(1, texture.height >> index);
  const x = v128.load(site.operands);
  const y = v128.load(site.operands + SITE_OPERAND_V);
  let inside = v128.and(
    v128.and(i32x4.lt_u(x, i32x4.splat(width)), i32x4.lt_u(y, i32x4.splat(height))),
    i32x4.splat(exists ? -1 : 0)
  );
  const slices = site.access.layer | site.access.w;
  if (kind != LOAD_WORDS && !slices && isSquare(x, y, inside)) {
    const columns = load<u32>(site.operands) << (kind == LOAD_HALVES ? 3 : 2);
    loadSquare(
      site,
      kind,
      level,
      load<u32>(site.operands + SITE_OPERAND_V) * texture.level(index).rowBytes + columns,
      inside
    );
    return;
  }
  let row = i32x4.mul(y, i32x4.splat(texture.level(index).rowBytes));
  if (slices) {
    const z = v128.load(slices);
    const count = site.access.layer ? texture.layers : max<i32>(1, texture.depth >> index);
    inside = v128.and(inside, i32x4.lt_u(z, i32x4.splat(count)));
    row = i32x4.add(row, i32x4.mul(z, i32x4.splat(texture.level(index).layerBytes)));
  }
  const offsets = site.taps.offsets00;
  v128.store(
    offsets,
    v128.and(inside, i32x4.add(row, i32x4.shl(x, kind == LOAD_WORDS ? 4 : kind == LOAD_HALVES ? 3 : 2)))
  );
  const end = site.part.end;
  for (let at = site.part.first; at < end; at += sizeOf<SiteTexture>()) {
    const entry = changetype<SiteTexture>(at);
    decode(entry, kind, entry.level(level).address, offsets, entry.results(site), inside);
  }
}

/** Loads one sample of each of a quad's pixels. No other texture shares the site. */
// @ts-ignore: decorator
@inline export function loadSample(site: Site, kind: i32): void {
  const read = site.warp.access.quadRead;
  const inside = placeSamples(site.access, read, 0);
  const entry = changetype<SiteTexture>(site.part.first);
  decode(entry, kind, 0, read.addresses, entry.results(site), inside);
}

/** Decodes the wanted channels of four texels at `base` and `offsets`. */
// @ts-ignore: decorator
@inline function decode(entry: SiteTexture, kind: i32, base: usize, offsets: usize, result: usize, inside: v128): void {
  const flags = entry.flags;
  if (kind == LOAD_BYTES) loadBytes(gatherTexels<u32>(base, offsets), result, flags, inside);
  else if (kind == LOAD_HALVES) {
    if (flags & 3) loadHalves(gatherTexels<u32>(base, offsets), result, inside);
    if (flags & 12) loadHalves(gatherTexels<u32>(base + sizeof<u32>(), offsets), result + BLUE, inside);
  } else if (kind == LOAD_WORD) loadWord(gatherTexels<u32>(base, offsets), result, entry.texture.format, inside);
  else loadWords(base, offsets, result, inside);
}
