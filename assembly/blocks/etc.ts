// ETC2 and EAC (Khronos Data Format §21). Numbers in a block are big-endian: bit 63 is the highest bit of the first
// byte.
import { clampByte, rgba, Sink } from './image';

/** Per table, the small and the large step; a texel's index selects which one is added or subtracted. */
const MODIFIERS: usize = memory.data<u8>([2, 8, 5, 17, 9, 29, 13, 42, 18, 60, 24, 80, 33, 106, 47, 183]);
/** Distances of the T and H modes. */
const DISTANCES: usize = memory.data<u8>([3, 6, 11, 16, 23, 32, 41, 64]);
/** EAC steps per table, for negative indices; the steps of indices 4 and up are one less, with positive sign. */
const STEPS: usize = memory.data<u8>([
  3, 6, 9, 15, 3, 7, 10, 13, 2, 5, 8, 13, 2, 4, 6, 13, 3, 6, 8, 12, 3, 7, 9, 11, 4, 7, 8, 11, 3, 5, 8, 11, 2, 6, 8, 10,
  2, 5, 8, 10, 2, 4, 8, 10, 2, 5, 7, 10, 3, 4, 7, 10, 1, 2, 3, 10, 4, 6, 8, 9, 3, 5, 7, 9,
]);

function wide4(x: i32): i32 {
  return x * 17;
}
function wide5(x: i32): i32 {
  return (x << 3) | (x >> 2);
}
function wide6(x: i32): i32 {
  return (x << 2) | (x >> 4);
}
function wide7(x: i32): i32 {
  return (x << 1) | (x >> 6);
}
/** Three bits in two's complement. */
function signed3(x: i32): i32 {
  return (x << 29) >> 29;
}

/** Adds `by` to red, green and blue of a colour. */
function shifted(colour: u32, by: i32): u32 {
  return rgba(
    clampByte(<i32>(colour & 255) + by),
    clampByte(<i32>((colour >> 8) & 255) + by),
    clampByte(<i32>((colour >> 16) & 255) + by),
    255
  );
}

/** The index of a texel, in column order: its two bits are in the two halves of the lower word. */
function indexOf(low: u32, x: i32, y: i32): i32 {
  const texel = (x << 2) + y;
  return <i32>(((low >> texel) & 1) | (((low >> (texel + 16)) & 1) << 1));
}

/** Decodes the colours of a block. With `punchThrough` and its opaque bit clear, texels of index 2 are transparent. */
export function etc2(block: usize, sink: Sink, scratch: usize, punchThrough: bool): void {
  const high = bswap<u32>(load<u32>(block));
  const low = bswap<u32>(load<u32>(block, 4));
  const opaque = !punchThrough || (high & 2) != 0;
  // In punch-through formats, the differential bit is the opaque bit.
  if (!punchThrough && !(high & 2)) return halves(high, low, sink, true, individual(high, 0), individual(high, 1));
  const r = <i32>(high >> 27);
  const g = <i32>((high >> 19) & 31);
  const b = <i32>((high >> 11) & 31);
  const r1 = r + signed3((high >> 24) & 7);
  const g1 = g + signed3((high >> 16) & 7);
  const b1 = b + signed3((high >> 8) & 7);
  if (<u32>r1 > 31) return modeT(high, low, sink, scratch, opaque);
  if (<u32>g1 > 31) return modeH(high, low, sink, scratch, opaque);
  if (<u32>b1 > 31) return planar(high, low, sink);
  halves(high, low, sink, opaque, rgba(wide5(r), wide5(g), wide5(b), 255), rgba(wide5(r1), wide5(g1), wide5(b1), 255));
}

/** One of two colours with four bits per channel. */
function individual(high: u32, half: i32): u32 {
  const shift = half ? 0 : 4;
  return rgba(
    wide4(<i32>((high >> (24 + shift)) & 15)),
    wide4(<i32>((high >> (16 + shift)) & 15)),
    wide4(<i32>((high >> (8 + shift)) & 15)),
    255
  );
}

/** Decodes two halves, each with its own base colour and table. */
function halves(high: u32, low: u32, sink: Sink, opaque: bool, first: u32, second: u32): void {
  const flipped = (high & 1) != 0;
  for (let y = 0; y < 4; y++) {
    for (let x = 0; x < 4; x++) {
      const isSecond = flipped ? y >= 2 : x >= 2;
      const table = MODIFIERS + ((<i32>((high >> (isSecond ? 2 : 5)) & 7)) << 1);
      const index = indexOf(low, x, y);
      if (!opaque && index == 2) {
        sink.put32(x, y, 0);
        continue;
      }
      // Transparent blocks have no small step.
      const step = index & 1 ? <i32>load<u8>(table, 1) : opaque ? <i32>load<u8>(table) : 0;
      sink.put32(x, y, shifted(isSecond ? second : first, index & 2 ? -step : step));
    }
  }
}

/** Writes the texels from four colours at `scratch`. */
function paint(low: u32, sink: Sink, scratch: usize, opaque: bool): void {
  for (let y = 0; y < 4; y++) {
    for (let x = 0; x < 4; x++) {
      const index = indexOf(low, x, y);
      sink.put32(x, y, !opaque && index == 2 ? 0 : load<u32>(scratch + (index << 2)));
    }
  }
}

function modeT(high: u32, low: u32, sink: Sink, scratch: usize, opaque: bool): void {
  const first = rgba(
    wide4(<i32>(((high >> 25) & 12) | ((high >> 24) & 3))),
    wide4(<i32>((high >> 20) & 15)),
    wide4(<i32>((high >> 16) & 15)),
    255
  );
  const second = rgba(
    wide4(<i32>((high >> 12) & 15)),
    wide4(<i32>((high >> 8) & 15)),
    wide4(<i32>((high >> 4) & 15)),
    255
  );
  const distance = <i32>load<u8>(DISTANCES + (((high >> 1) & 6) | (high & 1)));
  store<u32>(scratch, first);
  store<u32>(scratch, shifted(second, distance), 4);
  store<u32>(scratch, second, 8);
  store<u32>(scratch, shifted(second, -distance), 12);
  paint(low, sink, scratch, opaque);
}

function modeH(high: u32, low: u32, sink: Sink, scratch: usize, opaque: bool): void {
  const r1 = <i32>((high >> 27) & 15);
  const g1 = <i32>(((high >> 23) & 14) | ((high >> 20) & 1));
  const b1 = <i32>(((high >> 16) & 8) | ((high >> 15) & 7));
  const r2 = <i32>((high >> 11) & 15);
  const g2 = <i32>((high >> 7) & 15);
  const b2 = <i32>((high >> 3) & 15);
  // The lowest bit of the distance index is the order of the two colours.
  const order = u32(((r1 << 8) | (g1 << 4) | b1) >= ((r2 << 8) | (g2 << 4) | b2));
  const distance = <i32>load<u8>(DISTANCES + ((high & 4) | ((high & 1) << 1) | order));
  const first = rgba(wide4(r1), wide4(g1), wide4(b1), 255);
  const second = rgba(wide4(r2), wide4(g2), wide4(b2), 255);
  store<u32>(scratch, shifted(first, distance));
  store<u32>(scratch, shifted(first, -distance), 4);
  store<u32>(scratch, shifted(second, distance), 8);
  store<u32>(scratch, shifted(second, -distance), 12);
  paint(low, sink, scratch, opaque);
}

/** Planar mode: a plane through three colours. */
function planar(high: u32, low: u32, sink: Sink): void {
  const ro = wide6(<i32>((high >> 25) & 63));
  const go = wide7(<i32>(((high >> 18) & 64) | ((high >> 17) & 63)));
  const bo = wide6(<i32>(((high >> 11) & 32) | ((high >> 8) & 24) | ((high >> 7) & 7)));
  const rh = wide6(<i32>(((high >> 1) & 62) | (high & 1)));
  const gh = wide7(<i32>(low >> 25));
  const bh = wide6(<i32>((low >> 19) & 63));
  const rv = wide6(<i32>((low >> 13) & 63));
  const gv = wide7(<i32>((low >> 6) & 127));
  const bv = wide6(<i32>(low & 63));
  for (let y = 0; y < 4; y++) {
    for (let x = 0; x < 4; x++)
      sink.put32(x, y, rgba(onPlane(ro, rh, rv, x, y), onPlane(go, gh, gv, x, y), onPlane(bo, bh, bv, x, y), 255));
  }
}

function onPlane(origin: i32, right: i32, below: i32, x: i32, y: i32): i32 {
  return clampByte((x * (right - origin) + y * (below - origin) + 4 * origin + 2) >> 2);
}

/** The step of an EAC texel. */
function stepOf(indices: u64, table: i32, x: i32, y: i32): i32 {
  const index = (<i32>(indices >> (45 - 3 * ((x << 2) + y)))) & 7;
  const step = <i32>load<u8>(STEPS + (table << 2) + (index & 3));
  return index & 4 ? step - 1 : -step;
}

/** Decodes the alpha of an 8-byte block. */
export function eacAlpha(block: usize, sink: Sink): void {
  const base = <i32>load<u8>(block);
  const multiplier = (<i32>load<u8>(block, 1)) >> 4;
  const table = load<u8>(block, 1) & 15;
  const indices = bswap<u64>(load<u64>(block));
  for (let y = 0; y < 4; y++) {
    for (let x = 0; x < 4; x++) sink.put8(x, y, 3, clampByte(base + stepOf(indices, table, x, y) * multiplier));
  }
}

/** Decodes an 11-bit channel; the texels have `channels` channels. */
export function eacUnorm(block: usize, sink: Sink, channel: i32, channels: i32): void {
  const base = ((<i32>load<u8>(block)) << 3) + 4;
  const table = load<u8>(block, 1) & 15;
  const multiplier = (<i32>load<u8>(block, 1)) >> 4;
  const scale = multiplier ? multiplier << 3 : 1;
  const indices = bswap<u64>(load<u64>(block));
  for (let y = 0; y < 4; y++) {
    for (let x = 0; x < 4; x++) {
      const value = base + stepOf(indices, table, x, y) * scale;
      const whole = value < 0 ? 0 : value > 2047 ? 2047 : value;
      sink.put16(x, y, channel, channels, (<u32>whole * 65535 + 1023) / 2047);
    }
  }
}

export function eacSnorm(block: usize, sink: Sink, channel: i32, channels: i32): void {
  const base = max(<i32>load<i8>(block), -127) << 3;
  const table = load<u8>(block, 1) & 15;
  const multiplier = (<i32>load<u8>(block, 1)) >> 4;
  const scale = multiplier ? multiplier << 3 : 1;
  const indices = bswap<u64>(load<u64>(block));
  for (let y = 0; y < 4; y++) {
    for (let x = 0; x < 4; x++) {
      const value = base + stepOf(indices, table, x, y) * scale;
      const whole = min(max(value, -1023), 1023);
      const magnitude = ((whole < 0 ? -whole : whole) * 32767 + 511) / 1023;
      sink.put16(x, y, channel, channels, whole < 0 ? -magnitude : magnitude);
    }
  }
}
