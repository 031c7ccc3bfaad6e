// Texels of one footprint, filtered to four words. Twin of filter.ts; see classes.ts for the arithmetic.
import { halfToFloat } from '../surface/half';
import { srgbToLinear } from '../surface/srgb';
import { CLASS_BYTES1, CLASS_BYTES2, CLASS_HALF4, CLASS_SRGB, UNORM8_SCALE, WEIGHT_ONE } from './classes';

function lerp(a: f32, b: f32, t: f32): f32 { return a + (b - a) * t; }

// Bytes become whole numbers scaled by 2^14, so that one texel and four filtered ones are finished alike.
function decode(textureClass: i32, address: usize, channel: i32): f32 {
  if (textureClass == CLASS_HALF4) return halfToFloat(load<u16>(address + (channel << 1)));
  const byte = <i32>load<u8>(address + channel);
  if (textureClass != CLASS_SRGB) return <f32>(byte * WEIGHT_ONE);
  return channel == 3 ? <f32>byte * UNORM8_SCALE : srgbToLinear(byte);
}

function channelsOf(textureClass: i32): i32 {
  return textureClass == CLASS_BYTES1 ? 1 : textureClass == CLASS_BYTES2 ? 2 : 4;
}

/** One texel as four words at `out`. */
export function nearestTexelScalar(textureClass: i32, address: usize, out: usize): void {
  const channels = channelsOf(textureClass);
  for (let c = 0; c < channels; c++) store<f32>(out + (c << 2), decode(textureClass, address, c));
}

/** Four texels as four words at `out`. */
export function bilinearTexelsScalar(
  textureClass: i32, a00: usize, a10: usize, a01: usize, a11: usize, fx: f32, fy: f32, out: usize
): void {
  const channels = channelsOf(textureClass);
  if (textureClass <= CLASS_BYTES1) {
    // Adding 2^23 rounds to a whole number and leaves it in the low bits.
    const wx = reinterpret<i32>(fx * <f32>WEIGHT_ONE + <f32>8388608) - 0x4b000000;
    for (let c: usize = 0; c < <usize>channels; c++) {
      const top = <f32>(load<u8>(a00 + c) * (WEIGHT_ONE - wx) + load<u8>(a10 + c) * wx);
      const bottom = <f32>(load<u8>(a01 + c) * (WEIGHT_ONE - wx) + load<u8>(a11 + c) * wx);
      store<f32>(out + (c << 2), lerp(top, bottom, fy));
    }
    return;
  }
  for (let c = 0; c < 4; c++) {
    const top = lerp(decode(textureClass, a00, c), decode(textureClass, a10, c), fx);
    const bottom = lerp(decode(textureClass, a01, c), decode(textureClass, a11, c), fx);
    store<f32>(out + (c << 2), lerp(top, bottom, fy));
  }
}

/** Four decoded texels (16 bytes each at `texels`) as four words at `out`. */
export function bilinearWordsScalar(texels: usize, fx: f32, fy: f32, out: usize): void {
  for (let c: usize = 0; c < 16; c += 4) {
    const top = lerp(load<f32>(texels + c), load<f32>(texels + c, 16), fx);
    const bottom = lerp(load<f32>(texels + c, 32), load<f32>(texels + c, 48), fx);
    store<f32>(out + c, lerp(top, bottom, fy));
  }
}

/** out += (other − out)·t, four words. */
export function mixWordsScalar(out: usize, other: usize, t: f32): void {
  for (let c: usize = 0; c < 16; c += 4) store<f32>(out + c, lerp(load<f32>(out + c), load<f32>(other + c), t));
}
