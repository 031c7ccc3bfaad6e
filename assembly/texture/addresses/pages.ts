// Texel addresses in streamed textures (layout/texture/texture-stream.ts). If a texel's page is not resident, the miss
// is recorded and the read gets a zero texel or the texel of a smaller level. Four texels are located together.
// site-pages.ts handles quads that are in one page per level, as most are.
import {
  Access,
  DIMENSION_3D,
  Misses,
  MAX_MISSES,
  PAGE_CHUNK_SHIFT,
  PageEntry,
  QuadRead,
  SPARSE_ENTRY,
  Texture,
  TextureLevel,
  TextureStream,
} from '../../layout';
import { isSplat } from '../../simd/lanes';
import { decodePage, noteLook } from './block-pages';

/** The number of the entry of a page, given by its column and row, in the page table of the worker that reads it. */
// @ts-ignore: decorator
@inline function numberOf(
  stream: TextureStream,
  record: TextureLevel,
  column: i32,
  row: i32,
  z: i32,
  read: QuadRead
): usize {
  const line = record.address + row * record.rowBytes + z * record.layerBytes + read.worker * stream.tableBytes;
  return line + column * offsetof<PageEntry>();
}

/** The entry with a number. In a sparse table, the number's low bits are the offset in its chunk. */
// @ts-ignore: decorator
@inline function entryAt(stream: TextureStream, number: usize): PageEntry {
  const directory = stream.directory;
  if (!directory) return changetype<PageEntry>(number);
  const chunk = load<usize>(directory + ((number >>> PAGE_CHUNK_SHIFT) << 2));
  return changetype<PageEntry>(chunk + (number & (((1 << PAGE_CHUNK_SHIFT) - 1) ^ SPARSE_ENTRY)));
}

/** The entry of a texel's page. */
// @ts-ignore: decorator
@inline export function entryOf(
  stream: TextureStream,
  record: TextureLevel,
  x: i32,
  y: i32,
  z: i32,
  read: QuadRead
): PageEntry {
  const shift = stream.pageShift;
  return entryAt(stream, numberOf(stream, record, x >>> shift, y >>> shift, z, read));
}

/** Records that a page was read. */
// @ts-ignore: decorator
@inline export function noteUse(stream: TextureStream, entry: PageEntry, read: QuadRead): void {
  if (stream.blocks) {
    noteLook(read.decoded, entry);
    return;
  }
  const now = stream.now;
  // Written once per pass; all workers write the same value.
  if (entry.used != now) entry.used = now;
}

function placeIn(stream: TextureStream, entry: PageEntry, x: i32, y: i32, read: QuadRead): usize {
  noteUse(stream, entry, read);
  const shift = stream.pageShift;
  const last = (1 << shift) - 1;
  return entry.page + ((((y & last) << shift) | (x & last)) << stream.texelShift);
}

function noteMiss(misses: Misses, number: usize): void {
  misses.anyMiss = 1;
  const count = misses.count;
  if (count == misses.limit) return;
  const entries = misses.entries;
  const end = entries + (count << 2);
  const last = count > <u32>MAX_MISSES ? end - (MAX_MISSES << 2) : entries;
  for (let at = last; at < end; at += 4) if (load<usize>(at) == number) return;
  store<usize>(end, number);
  misses.count = count + 1;
}

/** Address of a texel or of its replacement. `record` is its level; `z` is its layer or slice. */
export function pageTexel(texture: Texture, record: TextureLevel, x: i32, y: i32, z: i32, read: QuadRead): usize {
  const stream = texture.stream;
  const shift = stream.pageShift;
  const number = numberOf(stream, record, x >>> shift, y >>> shift, z, read);
  const entry = entryAt(stream, number);
  if (!entry.page && stream.blocks) decodePage(stream, entry, read);
  if (entry.page) return placeIn(stream, entry, x, y, read);
  const misses = read.misses;
  // The value read here is never used.
  if (!misses) return stream.zeros;
  noteMiss(misses, number);
  if (!stream.waits) {
    const end = texture.levels + texture.levelCount * offsetof<TextureLevel>();
    let width = <i32>f32FieldOf(record, offsetof<TextureLevel>('width'));
    let height = <i32>f32FieldOf(record, offsetof<TextureLevel>('height'));
    let slices = <i32>f32FieldOf(record, offsetof<TextureLevel>('slices'));
    for (let next = record.next(); changetype<usize>(next) < end; next = next.next()) {
      // In an odd size, the last texel has no counterpart in the smaller level.
      width = max<i32>(1, width >> 1);
      height = max<i32>(1, height >> 1);
      x = min<i32>(x >> 1, width - 1);
      y = min<i32>(y >> 1, height - 1);
      if (texture.dimension == DIMENSION_3D) {
        slices = max<i32>(1, slices >> 1);
        z = min<i32>(z >> 1, slices - 1);
      }
      const smaller = entryOf(stream, next, x, y, z, read);
      if (smaller.page) return placeIn(stream, smaller, x, y, read);
    }
  }
  misses.waits = 1;
  misses.awaited = entry;
  return stream.zeros;
}

function f32FieldOf(record: TextureLevel, field: usize): f32 {
  return load<f32>(changetype<usize>(record) + field);
}

// The texel address of a lane that has a level; the zero texel for lanes without.
function ofLane(texture: Texture, read: QuadRead, level: i32, x: i32, y: i32, z: i32): usize {
  return level < 0 ? texture.stream.zeros : pageTexel(texture, texture.level(level), x, y, z, read);
}

/**
 * Addresses of four texels of one level; all zero if the page of one is not resident. Texels of one page, which is the
 * usual case, need one look-up.
 */
function residentTexels(stream: TextureStream, record: TextureLevel, x: v128, y: v128, z: v128, read: QuadRead): v128 {
  const shift = stream.pageShift;
  const rows = i32x4.mul(i32x4.shr_u(y, shift), i32x4.splat(record.rowBytes));
  const layers = i32x4.mul(z, i32x4.splat(record.layerBytes));
  const columns = i32x4.shl(i32x4.shr_u(x, shift), <i32>ctz(offsetof<PageEntry>()));
  const places = i32x4.add(i32x4.add(rows, layers), columns);
  const base = record.address + read.worker * stream.tableBytes;
  const first = entryAt(stream, base + i32x4.extract_lane(places, 0));
  let pages = v128.load32_splat(changetype<usize>(first) + offsetof<PageEntry>('page'));
  if (!isSplat(places)) {
    const second = entryAt(stream, base + i32x4.extract_lane(places, 1));
    const third = entryAt(stream, base + i32x4.extract_lane(places, 2));
    const fourth = entryAt(stream, base + i32x4.extract_lane(places, 3));
    pages = v128.load32_lane(changetype<usize>(second) + offsetof<PageEntry>('page'), pages, 1);
    pages = v128.load32_lane(changetype<usize>(third) + offsetof<PageEntry>('page'), pages, 2);
    pages = v128.load32_lane(changetype<usize>(fourth) + offsetof<PageEntry>('page'), pages, 3);
    if (!i32x4.all_true(pages)) return i32x4.splat(0);
    noteUse(stream, second, read);
    noteUse(stream, third, read);
    noteUse(stream, fourth, read);
  } else if (!first.page) return i32x4.splat(0);
  noteUse(stream, first, read);
  const last = i32x4.splat((1 << shift) - 1);
  const texels = i32x4.add(i32x4.shl(v128.and(y, last), shift), v128.and(x, last));
  return i32x4.add(pages, i32x4.shl(texels, stream.texelShift));
}

/** residentTexels for lanes with their own levels: all zero if these differ, or are below 0. */
// @ts-ignore: decorator
@inline
function residentOf(texture: Texture, read: QuadRead, levels: v128, x: v128, y: v128, z: v128): v128 {
  const level = i32x4.extract_lane(levels, 0);
  if (level < 0 || !isSplat(levels)) return i32x4.splat(0);
  return residentTexels(texture.stream, texture.level(level), x, y, z, read);
}

/** Passes the first and second columns, then the first and second rows of four texels to pageFootprints, at `to`. */
// @ts-ignore: decorator
@inline
export function putFootprints(to: usize, left: v128, right: v128, upper: v128, lower: v128): void {
  v128.store(to, left);
  v128.store(to, right, 16);
  v128.store(to, upper, 32);
  v128.store(to, lower, 48);
}

/**
 * Replaces columns and rows at `to` by the addresses of the texels (0,0) (1,0) (0,1) (1,1). Returns whether the four
 * texels of each pixel are adjacent in a resident page.
 */
export function pageFootprints(access: Access, read: QuadRead, levels: v128, z: v128, to: usize): bool {
  const texture = access.texture;
  const stream = texture.stream;
  const left = v128.load(to);
  const right = v128.load(to, 16);
  const upper = v128.load(to, 32);
  const lower = v128.load(to, 48);
  const one = i32x4.splat(1);
  const last = i32x4.splat((1 << stream.pageShift) - 1);
  const adjacent = v128.and(i32x4.eq(right, i32x4.add(left, one)), i32x4.eq(lower, i32x4.add(upper, one)));
  // A neighbour in the page is not the first texel of a page.
  const inside = i32x4.min_u(v128.and(right, last), v128.and(lower, last));
  if (i32x4.all_true(v128.and(adjacent, i32x4.ne(inside, i32x4.splat(0))))) {
    const first = residentOf(texture, read, levels, left, upper, z);
    if (v128.any_true(first)) {
      const shift = stream.texelShift;
      const texel = i32x4.splat(1 << shift);
      const below = i32x4.add(first, i32x4.splat((1 << stream.pageShift) << shift));
      v128.store(to, first);
      v128.store(to, i32x4.add(first, texel), 16);
      v128.store(to, below, 32);
      v128.store(to, i32x4.add(below, texel), 48);
      return true;
    }
  }
  v128.store(to, pageTexels(access, read, levels, z, left, upper));
  v128.store(to, pageTexels(access, read, levels, z, right, upper), 16);
  v128.store(to, pageTexels(access, read, levels, z, left, lower), 32);
  v128.store(to, pageTexels(access, read, levels, z, right, lower), 48);
  return false;
}

/**
 * Addresses of four texels, each with its own level; lanes with a level below 0 get the zero texel. `z` holds their
 * layers.
 */
export function pageTexels(access: Access, read: QuadRead, levels: v128, z: v128, x: v128, y: v128): v128 {
  const texture = access.texture;
  const found = residentOf(texture, read, levels, x, y, z);
  if (v128.any_true(found)) return found;
  const a = ofLane(
    texture,
    read,
    i32x4.extract_lane(levels, 0),
    i32x4.extract_lane(x, 0),
    i32x4.extract_lane(y, 0),
    i32x4.extract_lane(z, 0)
  );
  const b = ofLane(
    texture,
    read,
    i32x4.extract_lane(levels, 1),
    i32x4.extract_lane(x, 1),
    i32x4.extract_lane(y, 1),
    i32x4.extract_lane(z, 1)
  );
  const c = ofLane(
    texture,
    read,
    i32x4.extract_lane(levels, 2),
    i32x4.extract_lane(x, 2),
    i32x4.extract_lane(y, 2),
    i32x4.extract_lane(z, 2)
  );
  const d = ofLane(
    texture,
    read,
    i32x4.extract_lane(levels, 3),
    i32x4.extract_lane(x, 3),
    i32x4.extract_lane(y, 3),
    i32x4.extract_lane(z, 3)
  );
  return i32x4.replace_lane(i32x4.replace_lane(i32x4.replace_lane(i32x4.splat(a), 1, b), 2, c), 3, d);
}
