// BC1 to BC5 (Khronos Data Format §18 "S3TC", §19 "RGTC"). Interpolated colours are the format's results rounded to the
// nearest of 255 steps; channels of BC4 and BC5 to the nearest of 65535 or 32767 steps.
import { rgba, Sink } from './image';

/** Computes the block's palette: four colours, u32 each. */
function palette(block: usize, out: usize, threeColours: bool): void {
  const first = <i32>load<u16>(block);
  const second = <i32>load<u16>(block, 2);
  store<u32>(out, mixed(first, second, 1, 0));
  store<u32>(out, mixed(first, second, 0, 1), 4);
  if (threeColours && first <= second) {
    store<u32>(out, mixed(first, second, 1, 1), 8);
    store<u32>(out, 0, 12);
    return;
  }
  store<u32>(out, mixed(first, second, 2, 1), 8);
  store<u32>(out, mixed(first, second, 1, 2), 12);
}

/** (c0·p + c1·q) / (p + q) of two opaque 5-6-5 colours. */
function mixed(c0: i32, c1: i32, p: i32, q: i32): u32 {
  const five = 31 * (p + q);
  const six = 63 * (p + q);
  return rgba(
    nearest((c0 >> 11) * p + (c1 >> 11) * q, 255, five),
    nearest(((c0 >> 5) & 63) * p + ((c1 >> 5) & 63) * q, 255, six),
    nearest((c0 & 31) * p + (c1 & 31) * q, 255, five),
    255
  );
}

/** x·scale/divisor, rounded to nearest. */
function nearest(x: i32, scale: i32, divisor: i32): i32 {
  return (2 * x * scale + divisor) / (2 * divisor);
}

/** Decodes the colours of a block; `threeColours` allows BC1's mode with three colours and transparent texels. */
export function bc1(block: usize, sink: Sink, scratch: usize, threeColours: bool): void {
  palette(block, scratch, threeColours);
  let indices = load<u32>(block, 4);
  for (let y = 0; y < 4; y++) {
    for (let x = 0; x < 4; x++) {
      sink.put32(x, y, load<u32>(scratch + ((indices & 3) << 2)));
      indices >>= 2;
    }
  }
}

export function bc2(block: usize, sink: Sink, scratch: usize): void {
  bc1(block + 8, sink, scratch, false);
  const alphas = load<u64>(block);
  for (let i = 0; i < 16; i++) sink.put8(i & 3, i >> 2, 3, <u32>((alphas >> (i << 2)) & 15) * 17);
}

export function bc3(block: usize, sink: Sink, scratch: usize): void {
  bc1(block + 8, sink, scratch, false);
  const a0 = <i32>load<u8>(block);
  const a1 = <i32>load<u8>(block, 1);
  ramp(scratch, a0, a1, a0 > a1, ALPHA);
  for (let i = 0; i < 16; i++) sink.put8(i & 3, i >> 2, 3, load<i32>(scratch + (index3(block, i) << 2)));
}

/** The kinds of ramps, which determine the ranges of input and output. */
const ALPHA = 0;
const UNORM = 1;
const SNORM = 2;

/**
 * Computes eight values, i32 each: two endpoints, the values between them and, in 6-value mode, minimum and maximum.
 */
function ramp(out: usize, v0: i32, v1: i32, isEight: bool, kind: i32): void {
  const steps = isEight ? 7 : 5;
  const unit = kind == SNORM ? 127 : 255;
  const scale = kind == ALPHA ? 255 : kind == UNORM ? 65535 : 32767;
  store<i32>(out, rounded(v0, scale, unit));
  store<i32>(out, rounded(v1, scale, unit), 4);
  for (let i = 1; i < steps; i++)
    store<i32>(out + ((i + 1) << 2), rounded(v0 * (steps - i) + v1 * i, scale, unit * steps));
  if (isEight) return;
  store<i32>(out, kind == SNORM ? -scale : 0, 24);
  store<i32>(out, scale, 28);
}

/** x·scale/unit, rounded to nearest, halves away from zero. */
function rounded(x: i32, scale: i32, unit: i32): i32 {
  const magnitude = nearestWide(x < 0 ? -x : x, scale, unit);
  return x < 0 ? -magnitude : magnitude;
}
function nearestWide(x: i32, scale: i32, divisor: i32): i32 {
  return <i32>((2 * <i64>x * scale + divisor) / (2 * divisor));
}

/** The 3-bit index of a texel, from the 48 bits after the two endpoints. */
function index3(block: usize, i: i32): i32 {
  return (<i32>(load<u64>(block) >> (16 + 3 * i))) & 7;
}

/** Decodes a BC4 or BC5 channel; the texels have `channels` channels. */
export function bcUnorm(block: usize, sink: Sink, scratch: usize, channel: i32, channels: i32): void {
  const v0 = <i32>load<u8>(block);
  const v1 = <i32>load<u8>(block, 1);
  ramp(scratch, v0, v1, v0 > v1, UNORM);
  putRamp(block, sink, scratch, channel, channels);
}

export function bcSnorm(block: usize, sink: Sink, scratch: usize, channel: i32, channels: i32): void {
  const v0 = <i32>load<i8>(block);
  const v1 = <i32>load<i8>(block, 1);
  // The most negative number also means −1.
  ramp(scratch, max(v0, -127), max(v1, -127), v0 > v1, SNORM);
  putRamp(block, sink, scratch, channel, channels);
}

function putRamp(block: usize, sink: Sink, scratch: usize, channel: i32, channels: i32): void {
  for (let i = 0; i < 16; i++)
    sink.put16(i & 3, i >> 2, channel, channels, load<u32>(scratch + (index3(block, i) << 2)));
}
