// Codecs (codecs.ts) as functions on a quad's four adjacent texels. The format is resolved when a tile enters the
// cache, not at every access. Results have the bits of loadTexel and storeTexel (formats.ts). Builds with SIMD only.

import { SurfaceAccess } from '../layout';
import { isInteger, visitRenderable, visitIntegers } from './formats';

/** Function table slot of (texels, SURFACE ACCESS) → void: decodes to the channels; inactive lanes read zero. */
export function decodeSlot(format: i32): u32 {
  return isInteger(format) ? visitIntegers<Decoding>(format, 0, 0, 0) : visitRenderable<Decoding>(format, 0, 0, 0);
}

/** Function table slot of (SURFACE ACCESS, texels) → void: encodes the channels. */
export function encodeSlot(format: i32): u32 {
  return isInteger(format) ? visitIntegers<Encoding>(format, 0, 0, 0) : visitRenderable<Encoding>(format, 0, 0, 0);
}

/** encodeSlot of the format of a storage texture in the upper 24 bits, and the bytes of its texels below. */
export function storageSlot(format: i32): u32 {
  const slot = visitRenderable<EncodingOfBytes>(format, 0, 0, 0);
  return slot ? slot : visitIntegers<EncodingOfBytes>(format, 0, 0, 0);
}


@unmanaged class Decoding {
  of<C>(a: usize, b: usize, c: usize): usize {
    return ((texels: usize, access: SurfaceAccess): void => {
      const lanes = v128.load(access.lanes);
      const out = access.texel;
      v128.store(out, v128.and(lanes, channelOf<C>(texels, 0)));
      v128.store(out, v128.and(lanes, channelOf<C>(texels, 1)), 16);
      v128.store(out, v128.and(lanes, channelOf<C>(texels, 2)), 32);
      v128.store(out, v128.and(lanes, channelOf<C>(texels, 3)), 48);
    }).index;
  }
}


@unmanaged class Encoding {
  of<C>(a: usize, b: usize, c: usize): usize {
    return ((access: SurfaceAccess, to: usize): void => {
      const words = access.texel;
      const texels = changetype<C>(0).encode(
        to,
        v128.load(words),
        v128.load(words, 16),
        v128.load(words, 32),
        v128.load(words, 48)
      );
      changetype<C>(0).size.put(to, texels, to);
    }).index;
  }
}


@unmanaged class EncodingOfBytes {
  of<C>(a: usize, b: usize, c: usize): usize {
    return (changetype<Encoding>(0).of<C>(0, 0, 0) << 8) | changetype<C>(0).bytes;
  }
}

// @ts-ignore: decorator
@inline
function channelOf<C>(texels: usize, channel: i32): v128 {
  if (channel < changetype<C>(0).channels) return changetype<C>(0).loadCanonical(texels, channel);
  return i32x4.splat(channel < 3 ? 0 : changetype<C>(0).one);
}
