// Textures, samplers and ACCESS records in kernel memory, and the same textures as numbers for the oracle.
import {
  FORMAT_BGRA8UNORM,
  FORMAT_BGRA8UNORM_SRGB,
  FORMAT_DEPTH16UNORM,
  FORMAT_DEPTH32FLOAT,
  FORMAT_R16FLOAT,
  FORMAT_R32FLOAT,
  FORMAT_R8UNORM,
  FORMAT_RG16FLOAT,
  FORMAT_RG8UNORM,
  FORMAT_RGBA16FLOAT,
  FORMAT_RGBA32FLOAT,
  FORMAT_RGBA8SNORM,
  FORMAT_RGBA8UNORM,
  FORMAT_RGBA8UNORM_SRGB,
} from '../../assembly/layout/texture/formats';
import { REGISTER_BYTES } from '../../assembly/layout/limits';
import { DIMENSION_3D } from '../../assembly/layout/texture/texture-codes';
import { Access, Sampler, Texture, Warp } from '../../build/layout';
import { writeLevel } from '../../src/render/resources/level';
import { mulberry32 } from '../support/floats';

interface Room {
  readonly buffer: ArrayBufferLike;
  readonly base: number;
}
export interface TextureSpec {
  format: number;
  dimension: number;
  width: number;
  height: number;
  depth: number;
  layers: number;
  levels: number;
}
/** One level: texel(x, y, layer or slice) as four numbers. */
export interface Level {
  width: number;
  height: number;
  slices: number;
  texels: number[][];
}
export interface BuiltTexture {
  spec: TextureSpec;
  address: number;
  levels: Level[];
  end: number;
}

/** A small generator of reproducible numbers in [0, 1). */
export function generator(seed: number): () => number {
  const words = mulberry32(seed);
  return () => words() / 2 ** 32;
}

const srgb = (byte: number): number => {
  const c = byte / 255;
  return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
};
const half = (h: number): number => {
  const e = (h >> 10) & 31;
  const m = h & 1023;
  return (h & 0x8000 ? -1 : 1) * (e === 0 ? m * 2 ** -24 : (1 + m / 1024) * 2 ** (e - 15));
};

interface Codec {
  bytes: number;
  write(view: DataView, at: number, random: () => number): number[];
}
const byte = (random: () => number): number => Math.floor(random() * 256);
function bytes(count: number, decode: (b: number, c: number) => number, order = [0, 1, 2, 3]): Codec {
  return {
    bytes: count,
    write(view, at, random) {
      const out = [0, 0, 0, 1];
      for (let c = 0; c < count; c++) {
        const b = byte(random);
        view.setUint8(at + c, b);
        out[order[c]!] = decode(b, c);
      }
      return out;
    },
  };
}
const unorm = (b: number): number => b / 255;
const srgbWithAlpha = (b: number, c: number): number => (c === 3 ? b / 255 : srgb(b));
const snorm = (b: number): number => Math.max(-1, ((b << 24) >> 24) / 127);
const floats = (count: number): Codec => ({
  bytes: count * 4,
  write(view, at, random) {
    const out = [0, 0, 0, 1];
    for (let c = 0; c < count; c++) {
      const f = Math.fround(random() * 4 - 2);
      view.setFloat32(at + c * 4, f, true);
      out[c] = f;
    }
    return out;
  },
});
const halves = (count: number): Codec => ({
  bytes: count * 2,
  write(view, at, random) {
    const out = [0, 0, 0, 1];
    for (let c = 0; c < count; c++) {
      const h = Math.floor(random() * 0x4800) | (random() < 0.5 ? 0x8000 : 0);
      view.setUint16(at + c * 2, h, true);
      out[c] = half(h);
    }
    return out;
  },
});
const depth: Codec = {
  bytes: 4,
  write(view, at, random) {
    const f = Math.fround(random());
    view.setFloat32(at, f, true);
    return [f, 0, 0, 1];
  },
};
const depth16: Codec = {
  bytes: 2,
  write(view, at, random) {
    const u = Math.floor(random() * 65536);
    view.setUint16(at, u, true);
    return [u / 65535, 0, 0, 1];
  },
};

const CODECS: Record<number, Codec> = {
  [FORMAT_R8UNORM]: bytes(1, unorm),
  [FORMAT_RG8UNORM]: bytes(2, unorm),
  [FORMAT_RGBA8UNORM]: bytes(4, unorm),
  [FORMAT_BGRA8UNORM]: bytes(4, unorm, [2, 1, 0, 3]),
  [FORMAT_RGBA8UNORM_SRGB]: bytes(4, srgbWithAlpha),
  [FORMAT_BGRA8UNORM_SRGB]: bytes(4, srgbWithAlpha, [2, 1, 0, 3]),
  [FORMAT_RGBA8SNORM]: bytes(4, snorm),
  [FORMAT_R16FLOAT]: halves(1),
  [FORMAT_RG16FLOAT]: halves(2),
  [FORMAT_RGBA16FLOAT]: halves(4),
  [FORMAT_R32FLOAT]: floats(1),
  [FORMAT_RGBA32FLOAT]: floats(4),
  [FORMAT_DEPTH32FLOAT]: depth,
  [FORMAT_DEPTH16UNORM]: depth16,
};

/** Random texels at `room.base`: record first, then levels with some bytes between rows. */
export function buildTexture(room: Room, spec: TextureSpec, random: () => number): BuiltTexture {
  const view = new DataView(room.buffer);
  const codec = CODECS[spec.format]!;
  const address = room.base;
  const set = (at: number, value: number): void => view.setInt32(address + at, value, true);
  set(Texture.format, spec.format);
  set(Texture.dimension, spec.dimension);
  set(Texture.width, spec.width);
  set(Texture.height, spec.height);
  set(Texture.depth, spec.depth);
  set(Texture.layers, spec.layers);
  set(Texture.levelCount, spec.levels);
  set(Texture.samples, 1);
  set(Texture.stream, 0);
  set(Texture.swizzle, 0);
  let at = address + Texture.bytes;
  const levels: Level[] = [];
  for (let l = 0; l < spec.levels; l++) {
    const width = Math.max(1, spec.width >> l);
    const height = Math.max(1, spec.height >> l);
    const slices = spec.dimension === DIMENSION_3D ? Math.max(1, spec.depth >> l) : spec.layers;
    const rowBytes = width * codec.bytes + 4;
    const layerBytes = rowBytes * height + 8;
    writeLevel(new DataView(room.buffer, address), l, { width, height, layers: slices, rowBytes, layerBytes }, at);
    const texels: number[][] = [];
    for (let z = 0; z < slices; z++)
      for (let y = 0; y < height; y++)
        for (let x = 0; x < width; x++) {
          texels.push(codec.write(view, at + z * layerBytes + y * rowBytes + x * codec.bytes, random));
        }
    levels.push({ width, height, slices, texels });
    at += (layerBytes * slices + 19) & ~15;
  }
  return { spec, address, levels, end: at };
}

export interface SamplerSpec {
  mag: number;
  min: number;
  mip: number;
  u: number;
  v: number;
  w: number;
  lodMin: number;
  lodMax: number;
  compare: number;
}
export function writeSampler(room: Room, s: SamplerSpec): void {
  const view = new DataView(room.buffer);
  [s.mag, s.min, s.mip, s.u, s.v, s.w].forEach((value, i) => view.setInt32(room.base + i * 4, value, true));
  view.setFloat32(room.base + Sampler.lodMin, s.lodMin, true);
  view.setFloat32(room.base + Sampler.lodMax, s.lodMax, true);
  view.setInt32(room.base + Sampler.compare, s.compare, true);
  view.setFloat32(room.base + Sampler.anisotropy, 1, true);
}

/** Operands by ACCESS_* field: 64 lane values each. */
export type Operands = Map<number, Float32Array | Int32Array>;
interface AccessSpec {
  texture: number;
  sampler: number;
  mode: number;
  /** In x and y, and in z for volumes. */
  offset: readonly [number, number, number?];
  operands: Operands;
}

const RESULTS = 12;
/** Writes an ACCESS record and its registers; returns where the four results will be. */
export function writeAccess(room: Room, spec: AccessSpec, quads = 16): { access: number; results: number[] } {
  const access = room.base;
  const bytesOfAccess = Warp.bytes - Warp.access;
  const view = new DataView(room.buffer);
  for (let i = 0; i < Access.scratch; i += 4) view.setInt32(access + i, 0, true);
  view.setInt32(access + Access.texture, spec.texture, true);
  view.setInt32(access + Access.sampler, spec.sampler, true);
  view.setInt32(access + Access.quads, quads, true);
  view.setInt32(access + Access.mode, spec.mode, true);
  view.setInt32(access + Access.offsetX, spec.offset[0], true);
  view.setInt32(access + Access.offsetY, spec.offset[1], true);
  view.setInt32(access + Access.offsetZ, spec.offset[2] ?? 0, true);
  let register = access + bytesOfAccess;
  for (const [field, values] of spec.operands) {
    view.setInt32(access + field, register, true);
    new Uint32Array(room.buffer, register, 64).set(new Uint32Array(values.buffer, values.byteOffset, 64));
    register += REGISTER_BYTES;
  }
  const results: number[] = [];
  for (let c = 0; c < 4; c++) {
    const at = access + bytesOfAccess + (RESULTS + c) * REGISTER_BYTES;
    view.setInt32(access + Access.result + c * 4, at, true);
    new Uint32Array(room.buffer, at, 64).fill(0xdeadbeef);
    results.push(at);
  }
  return { access, results };
}
