// Filters the texels of one footprint to four words. Twin of filter.ts; see classes.ts for the arithmetic.
import { halfToFloat } from '../../surface/half';
import { srgbToLinear } from '../../surface/srgb';
import { channelsOf, CLASS_BYTES1, CLASS_HALF4, CLASS_SRGB, UNORM8_SCALE, WEIGHT_ONE } from './classes';

function lerp(a: f32, b: f32, t: f32): f32 {
  return a + (b - a) * t;
}

// Bytes become whole numbers scaled by 2^14, like the result of filtering four texels.
function decode(textureClass: i32, address: usize, channel: i32): f32 {
  if (textureClass == CLASS_HALF4) return halfToFloat(load<u16>(address + (channel << 1)));
  const byte = <i32>load<u8>(address + channel);
  if (textureClass != CLASS_SRGB) return <f32>(byte * WEIGHT_ONE);
  return channel == 3 ? <f32>byte * UNORM8_SCALE : srgbToLinear(byte);
}

/** Filters the texels of a footprint (Access.footprint), or decodes the first one, to four words at `out`. */
export function footprintTexelsScalar(textureClass: i32, footprint: usize, linear: bool, out: usize): void {
  const channels = channelsOf(textureClass);
  const a00 = load<u32>(footprint);
  const a10 = load<u32>(footprint, 4);
  const a01 = load<u32>(footprint, 8);
  const a11 = load<u32>(footprint, 12);
  const fx = load<f32>(footprint, 16);
  const fy = load<f32>(footprint, 20);
  // Adding 2^23 rounds to a whole number and leaves it in the low bits.
  const wx = reinterpret<i32>(fx * <f32>WEIGHT_ONE + <f32>8388608) - 0x4b000000;
  for (let c = 0; c < channels; c++) {
    let v: f32;
    if (!linear) v = decode(textureClass, a00, c);
    else if (textureClass <= CLASS_BYTES1) {
      const top = <f32>(load<u8>(a00 + c) * (WEIGHT_ONE - wx) + load<u8>(a10 + c) * wx);
      const bottom = <f32>(load<u8>(a01 + c) * (WEIGHT_ONE - wx) + load<u8>(a11 + c) * wx);
      v = lerp(top, bottom, fy);
    } else {
      const top = lerp(decode(textureClass, a00, c), decode(textureClass, a10, c), fx);
      v = lerp(top, lerp(decode(textureClass, a01, c), decode(textureClass, a11, c), fx), fy);
    }
    store<f32>(out + (c << 2), v);
  }
}

/** Filters four decoded texels (16 bytes each at `texels`) to four words at `out`. */
export function bilinearWordsScalar(texels: usize, fx: f32, fy: f32, out: usize): void {
  for (let c: usize = 0; c < 16; c += 4) {
    const top = lerp(load<f32>(texels + c), load<f32>(texels + c, 16), fx);
    const bottom = lerp(load<f32>(texels + c, 32), load<f32>(texels + c, 48), fx);
    store<f32>(out + c, lerp(top, bottom, fy));
  }
}

/** out += (other − out)·t, for four words. */
export function mixWordsScalar(out: usize, other: usize, t: f32): void {
  for (let c: usize = 0; c < 16; c += 4) store<f32>(out + c, lerp(load<f32>(out + c), load<f32>(other + c), t));
}
