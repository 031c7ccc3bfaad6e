// Codecs: how the bits of a texel decode to four words (f32 or 32-bit integers) and back. A codec combines, as type
// arguments, a kind of number (numbers.ts), a channel layout and a size (sizes.ts); formats.ts lists all formats.
// Members that take a v128 process four adjacent texels, one v128 per channel; members whose name ends in Bits are
// their scalar twins. Channels are numbered in the order of the texel's bits.

import { halvesOfFloats, highWords, interleaveHalves, lowWords } from '../simd/channels';
import { canonicalNaN, madd, max, min, splatFrom } from '../simd/lanes';
import { clamp01, Half, Unorm } from './numbers';
import { Bytes4 } from './sizes';

/** Channels as wide as T. */
@unmanaged export class Even<T extends number> {

  @inline channels(bytes: i32): i32 {
    return bytes / sizeof<T>();
  }


  @inline width(channel: i32): i32 {
    return 8 * sizeof<T>();
  }
  /** Position of the channel's lowest bit in the texel. */
  @inline offset(channel: i32): i32 {
    return channel * 8 * sizeof<T>();
  }
}
/** Channels of 10, 10, 10 and 2 bits. */
@unmanaged export class Ten {

  @inline channels(bytes: i32): i32 {
    return 4;
  }


  @inline width(channel: i32): i32 {
    return channel < 3 ? 10 : 2;
  }


  @inline offset(channel: i32): i32 {
    return channel * 10;
  }
}
/** Channels of 11, 11 and 10 bits. */
@unmanaged export class Eleven {

  @inline channels(bytes: i32): i32 {
    return 3;
  }


  @inline width(channel: i32): i32 {
    return channel < 2 ? 11 : 10;
  }


  @inline offset(channel: i32): i32 {
    return channel * 11;
  }
}

/**
 * Everything of a codec except encoding four texels. N: the numbers of the first three channels; A: of the fourth. L:
 * channel layout. Z: texel size.
 */
@unmanaged class Channels<N, L, Z, A> {

  @inline get size(): Z {
    return changetype<Z>(0);
  }


  @inline get bytes(): i32 {
    return changetype<Z>(0).bytes;
  }


  @inline get channels(): i32 {
    return changetype<L>(0).channels(this.bytes);
  }
  /** Value of a missing fourth channel; the type of N.one tells whether the words are integers. */
  get one(): u32 {
    return isFloat(changetype<N>(0).one) ? 0x3f800000 : 1;
  }


  @inline get isInteger(): bool {
    return !isFloat(changetype<N>(0).one);
  }
  /** Whether each channel has 32 bits. */
  @inline get hasWholeWords(): bool {
    return changetype<L>(0).width(0) == 32;
  }
  /** Whether a texel is four linear bytes. */
  @inline get isFourBytes(): bool {
    return this.channels == 4 && changetype<L>(0).width(0) == 8 && changetype<N>(0).isLinear;
  }

  /** Clamps a colour to the range of the render target, before blending. */
  @inline clamp(x: v128): v128 {
    return changetype<N>(0).clamp(x);
  }
  clampBits(x: u32): u32 {
    return changetype<N>(0).clampBits(x);
  }

  /** One channel of the four texels at `at`. */
  @inline load(at: usize, channel: i32): v128 {
    if (channel >= this.channels) return channel < 3 ? f32x4.splat(0) : f32x4.splat(1);
    return this.value(this.size.dword(at, changetype<L>(0).offset(channel) >> 5), channel);
  }
  /** As `load`, with the exact bits of loadBits: NaN is canonical. */
  @inline loadCanonical(at: usize, channel: i32): v128 {
    return changetype<N>(0).hasNaN ? canonicalNaN(this.load(at, channel)) : this.load(at, channel);
  }
  /** As loadCanonical, for a channel that the format has, of texels that are single dwords in `words`. */
  @inline valueOf(words: v128, channel: i32): v128 {
    return changetype<N>(0).hasNaN ? canonicalNaN(this.value(words, channel)) : this.value(words, channel);
  }
  /** One channel of four texels, from the dwords that contain it. */
  @inline private value(words: v128, channel: i32): v128 {
    const width = changetype<L>(0).width(channel);
    const shift = changetype<L>(0).offset(channel) & 31;
    return channel < 3 ? changetype<N>(0).value(words, shift, width) : changetype<A>(0).value(words, shift, width);
  }
  /** Decodes the format's channels of the four texels whose addresses are at `at`, one v128 per channel, to `out`. */
  @inline gather(at: usize, out: usize): void {
    const first = this.size.gather(at, 0);
    v128.store(out, this.value(first, 0));
    if (this.channels > 1) v128.store(out, this.value(this.gatherOf(at, first, 1), 1), 16);
    if (this.channels > 2) v128.store(out, this.value(this.gatherOf(at, first, 2), 2), 32);
    if (this.channels > 3) v128.store(out, this.value(this.gatherOf(at, first, 3), 3), 48);
  }


  @inline private gatherOf(at: usize, first: v128, channel: i32): v128 {
    const index = changetype<L>(0).offset(channel) >> 5;
    return index ? this.size.gather(at, index) : first;
  }

  loadBits(at: usize, channel: i32): u32 {
    if (channel >= this.channels) return channel < 3 ? 0 : this.one;
    const width = changetype<L>(0).width(channel);
    const offset = changetype<L>(0).offset(channel);
    const word = (this.size.dwordBits(at, offset >> 5) >> (offset & 31)) & this.mask(width);
    return channel < 3 ? changetype<N>(0).valueBits(word, width) : changetype<A>(0).valueBits(word, width);
  }
  /** Encodes the words at `words`, which lie `stride` bytes apart. */
  storeBits(to: usize, words: usize, stride: usize): void {
    let texel: u64 = 0;
    for (let channel = 0; channel < this.channels; channel++) {
      const x = load<u32>(words + channel * stride);
      const width = changetype<L>(0).width(channel);
      const word = channel < 3 ? changetype<N>(0).wordBits(x, width) : changetype<A>(0).wordBits(x, width);
      texel = this.putWord(to, texel, word & this.mask(width), channel);
    }
  }
  /** Writes a texel in which all bits of the channels set in `channels` are 1 and the others 0. */
  maskBits(to: usize, channels: i32): void {
    let texel: u64 = 0;
    for (let channel = 0; channel < this.channels; channel++) {
      const word = (channels >> channel) & 1 ? this.mask(changetype<L>(0).width(channel)) : 0;
      texel = this.putWord(to, texel, word, channel);
    }
  }
  private mask(width: i32): u32 {
    return 0xffffffff >> (32 - width);
  }
  /** Adds a channel to a partly assembled texel and stores the result; a 16-byte texel is stored in halves. */
  private putWord(to: usize, before: u64, word: u32, channel: i32): u64 {
    const offset: u64 = changetype<L>(0).offset(channel) & 63;
    const texel = before | ((<u64>word) << offset);
    if (this.bytes < 16) {
      this.size.putBits(to, texel);
      return texel;
    }
    store<u64>(to + ((channel & 2) << 2), texel);
    return channel & 1 ? 0 : texel;
  }
}


@unmanaged export class Codec<N, L, Z> extends Channels<N, L, Z, N> {
  /** Encodes four texels. The result is returned, or stored at `to` if texels exceed four bytes (sizes.ts). */
  @inline encode(to: usize, r: v128, g: v128, b: v128, a: v128): v128 {
    const first = this.word(r, 0);
    if (this.channels == 1) return this.size.join(to, first, first, first, first);
    const second = this.word(g, 1);
    if (this.channels == 2 && this.bytes == 8) return this.size.join(to, first, second, second, second);
    if (this.bytes == 16) return this.size.join(to, first, second, this.word(b, 2), this.word(a, 3));
    const low = v128.or(first, second);
    if (this.channels == 2) return this.size.join(to, low, low, low, low);
    const high = this.channels == 3 ? this.word(b, 2) : v128.or(this.word(b, 2), this.word(a, 3));
    if (this.bytes == 8) return this.size.join(to, low, high, high, high);
    const all = v128.or(low, high);
    return this.size.join(to, all, all, all, all);
  }


  @inline private word(x: v128, channel: i32): v128 {
    const width = changetype<L>(0).width(channel);
    const shift = changetype<L>(0).offset(channel) & 31;
    const word = changetype<N>(0).word(x, width);
    return shift ? i32x4.shl(word, shift) : word;
  }
}

/** Half-float formats, which convert eight values at a time. */
@unmanaged export class Halves<Z> extends Channels<Half, Even<u16>, Z, Half> {

  @inline encode(to: usize, r: v128, g: v128, b: v128, a: v128): v128 {
    if (this.channels == 1) return halvesOfFloats(r, r);
    const first = halvesOfFloats(r, g);
    if (this.channels == 2) return interleaveHalves(first);
    const second = halvesOfFloats(b, a);
    const even = lowWords(first, second);
    const odd = highWords(first, second);
    const texels = lowWords(even, odd);
    v128.store(to, texels);
    v128.store(to, highWords(even, odd), 16);
    return texels;
  }
}

/**
 * As f32: 255, 1/2, 2^23, 256 and 2^23 + 256·255; as integers: 0xffff and 0xff; as f32: 1/256 and 1/255 − 1/256. The
 * constants are data because V8 would rebuild constants in code at every use.
 */
const PACK: usize = memory.data<u32>([
  0x437f0000, 0x3f000000, 0x4b000000, 0x43800000, 0x4b00ff00, 0xffff, 0xff, 0x3b800000, 0x37808081,
]);

/**
 * Four bytes; the fourth is linear. Two channels combine into the float c0 + 256·c1 + 2^23, whose low mantissa
 * bits are the packed integer.
 */
@unmanaged class FourBytes<N> extends Channels<N, Even<u8>, Bytes4, Unorm> {

  @inline protected color(x: v128): v128 {
    return this.byte(changetype<N>(0).curve(clamp01(x)));
  }
  /** floor(x·255 + 0.5), as a float. */
  @inline protected byte(x: v128): v128 {
    return this.byteBy(x, this.most, this.half);
  }


  @inline protected pair(c0: v128, c1: v128): v128 {
    return this.pairBy(c0, c1, this.second, this.whole);
  }


  @inline protected join(low: v128, high: v128): v128 {
    return this.joinBy(low, high, this.lowWords);
  }

  // Constants for the methods below, which a loop keeps in locals.
  @inline get most(): v128 {
    return splatFrom(PACK, 0);
  }


  @inline get half(): v128 {
    return splatFrom(PACK, 1);
  }


  @inline get whole(): v128 {
    return splatFrom(PACK, 2);
  }
  /** As `whole`, with 255 as the second byte. */
  @inline get opaque(): v128 {
    return splatFrom(PACK, 4);
  }


  @inline get second(): v128 {
    return splatFrom(PACK, 3);
  }


  @inline get lowWords(): v128 {
    return splatFrom(PACK, 5);
  }


  @inline get lowBytes(): v128 {
    return splatFrom(PACK, 6);
  }


  @inline byteBy(x: v128, most: v128, half: v128): v128 {
    return f32x4.floor(madd(x, most, half));
  }


  @inline pairBy(c0: v128, c1: v128, second: v128, whole: v128): v128 {
    return f32x4.add(madd(c1, second, c0), whole);
  }

  /** byteBy of a channel that is not clamped yet. Clamping the product gives the same bits. */
  @inline clampedByteBy(x: v128, most: v128, half: v128): v128 {
    return f32x4.floor(f32x4.add(min(f32x4.mul(max(f32x4.splat(0), x), most), most), half));
  }
  /** pairBy of two channels that are not clamped yet. */
  @inline clampedPairBy(c0: v128, c1: v128, most: v128, half: v128, second: v128, whole: v128): v128 {
    return this.pairBy(this.clampedByteBy(c0, most, half), this.clampedByteBy(c1, most, half), second, whole);
  }


  @inline joinBy(low: v128, high: v128, lowWords: v128): v128 {
    return v128.or(i32x4.shl(high, 16), v128.and(low, lowWords));
  }


  @inline get step(): v128 {
    return splatFrom(PACK, 7);
  }


  @inline get stepRest(): v128 {
    return splatFrom(PACK, 8);
  }
  /**
   * Converts a byte in each lane to a float (Unorm.value). x/256 + x·(1/255 − 1/256) gives exactly the bits of x/255
   * for all 256 inputs. Divisions do not overlap: they took 40 % of the time that framebuffer fetch spent loading
   * render targets.
   */
  @inline valueBy(bytes: v128, step: v128, rest: v128): v128 {
    const whole = f32x4.convert_i32x4_s(bytes);
    return madd(whole, step, f32x4.mul(whole, rest));
  }
}


@unmanaged export class Bytes<N> extends FourBytes<N> {

  @inline get isOpaque(): bool {
    return false;
  }


  @inline encode(to: usize, r: v128, g: v128, b: v128, a: v128): v128 {
    return this.join(this.pair(this.color(r), this.color(g)), this.pair(this.color(b), this.byte(clamp01(a))));
  }
}
/** FourBytes for shaders whose alpha is always 1; fills take a sixth less time. */
@unmanaged export class OpaqueBytes<N> extends FourBytes<N> {

  @inline get isOpaque(): bool {
    return true;
  }


  @inline encode(to: usize, r: v128, g: v128, b: v128, a: v128): v128 {
    return this.join(this.pair(this.color(r), this.color(g)), f32x4.add(this.color(b), this.opaque));
  }
}

/**
 * rgb9e5ufloat: one shared exponent for three 9-bit mantissas. WGSL has no such packing function; the encoding follows
 * Vulkan 1.3, "Shared Exponent to RGB". The format is not renderable.
 */
@unmanaged export class SharedExponent {

  @inline get bytes(): i32 {
    return 4;
  }


  @inline get isInteger(): bool {
    return false;
  }


  @inline get channels(): i32 {
    return 3;
  }
  clampBits(x: u32): u32 {
    return x;
  }
  /** See Channels.gather. */
  @inline gather(at: usize, out: usize): void {
    const bits = changetype<Bytes4>(0).gather(at, 0);
    const scale = i32x4.shl(i32x4.add(i32x4.shr_u(bits, 27), i32x4.splat(103)), 23);
    v128.store(out, this.mantissa(bits, scale));
    v128.store(out, this.mantissa(i32x4.shr_u(bits, 9), scale), 16);
    v128.store(out, this.mantissa(i32x4.shr_u(bits, 18), scale), 32);
  }


  @inline private mantissa(word: v128, scale: v128): v128 {
    return f32x4.mul(f32x4.convert_i32x4_s(v128.and(word, i32x4.splat(511))), scale);
  }
  /** mantissa · 2^(exponent − 15 − 9); the scale lies within the normal range of f32. */
  loadBits(at: usize, channel: i32): u32 {
    if (channel == 3) return 0x3f800000;
    const bits = load<u32>(at);
    const scale = reinterpret<f32>(((bits >> 27) + 103) << 23);
    return reinterpret<u32>(<f32>((bits >> (9 * channel)) & 511) * scale);
  }
  storeBits(to: usize, words: usize, stride: usize): void {
    const red = this.limited(load<f32>(words));
    const green = this.limited(load<f32>(words + stride));
    const blue = this.limited(load<f32>(words + 2 * stride));
    let largest = red > green ? red : green;
    if (blue > largest) largest = blue;
    let exponent = <i32>(reinterpret<u32>(largest) >> 23) - 127;
    exponent = (exponent < -16 ? -16 : exponent) + 16;
    if (<u32>floor<f32>(largest * this.power(24 - exponent) + 0.5) == 512) exponent++;
    const scale = this.power(24 - exponent);
    store<u32>(
      to,
      (<u32>floor<f32>(red * scale + 0.5))
        | ((<u32>floor<f32>(green * scale + 0.5)) << 9)
        | ((<u32>floor<f32>(blue * scale + 0.5)) << 18)
        | (exponent << 27)
    );
  }
  private limited(x: f32): f32 {
    const low: f32 = 0 < x ? x : 0;
    return low < 65408 ? low : 65408;
  }
  /** 2^n, for n within the normal range of f32. */
  private power(n: i32): f32 {
    return reinterpret<f32>((n + 127) << 23);
  }
}
