// Texel addresses in streamed textures (layout/texture/texture-stream.ts). If a texel's page is not resident, the miss
// is recorded and the read gets a zero texel or the texel of a smaller level. Four texels are located together: they
// are in one page, or in up to four at an edge. site-pages.ts handles whole footprints; most are in one page.
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
import { greatest, isSplat } from '../../simd/lanes';
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

// The page in a column and row of pages; 0 if it is not resident.
// @ts-ignore: decorator
@inline function pageAt(
  stream: TextureStream,
  record: TextureLevel,
  column: i32,
  row: i32,
  z: i32,
  read: QuadRead
): usize {
  const entry = entryAt(stream, numberOf(stream, record, column, row, z, read));
  const page = entry.page;
  if (page) noteUse(stream, entry, read);
  return page;
}

/**
 * Addresses of four texels of one level and layer. They must span at most two columns and two rows of pages, all
 * resident; otherwise all lanes are zero.
 */
// @ts-ignore: decorator
@inline function residentTexels(
  stream: TextureStream,
  record: TextureLevel,
  x: v128,
  y: v128,
  z: i32,
  read: QuadRead
): v128 {
  const shift = stream.pageShift;
  const last = i32x4.splat((1 << shift) - 1);
  const columns = i32x4.shr_u(x, shift);
  const rows = i32x4.shr_u(y, shift);
  const column = i32x4.extract_lane(columns, 0);
  const row = i32x4.extract_lane(rows, 0);
  const isRight = i32x4.ne(columns, i32x4.splat(column));
  const isLow = i32x4.ne(rows, i32x4.splat(row));
  const page = pageAt(stream, record, column, row, z, read);
  let pages = i32x4.splat(page);
  let none = page == 0;
  if (v128.any_true(v128.or(isRight, isLow))) {
    const otherColumn = greatest(v128.and(columns, isRight));
    const otherRow = greatest(v128.and(rows, isLow));
    const third = v128.or(
      v128.and(isRight, i32x4.ne(columns, i32x4.splat(otherColumn))),
      v128.and(isLow, i32x4.ne(rows, i32x4.splat(otherRow)))
    );
    if (v128.any_true(third)) return i32x4.splat(0);
    const right = v128.andnot(isRight, isLow);
    const low = v128.andnot(isLow, isRight);
    const both = v128.and(isRight, isLow);
    if (v128.any_true(right)) {
      const other = pageAt(stream, record, otherColumn, row, z, read);
      none = none || other == 0;
      pages = v128.bitselect(i32x4.splat(other), pages, right);
    }
    if (v128.any_true(low)) {
      const other = pageAt(stream, record, column, otherRow, z, read);
      none = none || other == 0;
      pages = v128.bitselect(i32x4.splat(other), pages, low);
    }
    if (v128.any_true(both)) {
      const other = pageAt(stream, record, otherColumn, otherRow, z, read);
      none = none || other == 0;
      pages = v128.bitselect(i32x4.splat(other), pages, both);
    }
  }
  if (none) return i32x4.splat(0);
  const texels = i32x4.add(i32x4.shl(v128.and(y, last), shift), v128.and(x, last));
  return i32x4.add(pages, i32x4.shl(texels, stream.texelShift));
}

/**
 * Addresses of four texels, each with its own level; lanes with a level below 0 get the zero texel. `z` holds their
 * layers.
 */
export function pageTexels(access: Access, read: QuadRead, levels: v128, z: v128, x: v128, y: v128): v128 {
  const texture = access.texture;
  const level = i32x4.extract_lane(levels, 0);
  if (level >= 0 && isSplat(levels) && isSplat(z)) {
    const found = residentTexels(texture.stream, texture.level(level), x, y, i32x4.extract_lane(z, 0), read);
    if (v128.any_true(found)) return found;
  }
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
