// Textures, samplers and ACCESS records in kernel memory, and the same textures as numbers for the oracle.
import * as F from '../../assembly/layout/formats';
import { REGISTER_BYTES } from '../../assembly/layout/limits';
import * as P from '../../assembly/layout/program';
import * as T from '../../assembly/layout/texture';
import { writeLevel } from '../../src/render/level';
import { mulberry32 } from '../support/floats';

export interface Room { readonly buffer: ArrayBufferLike; readonly base: number }
export interface TextureSpec { format: number; dimension: number; width: number; height: number; depth: number; layers: number; levels: number }
/** One level: texel(x, y, layer or slice) as four numbers. */
export interface Level { width: number; height: number; slices: number; texels: number[][] }
export interface BuiltTexture { spec: TextureSpec; address: number; levels: Level[]; end: number }

/** A small generator of repeatable numbers in [0, 1). */
export function generator(seed: number): () => number {
  const words = mulberry32(seed);
  return () => words() / 2 ** 32;
}

const srgb = (byte: number): number => { const c = byte / 255; return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4; };
const half = (h: number): number => {
  const e = (h >> 10) & 31;
  const m = h & 1023;
  return (h & 0x8000 ? -1 : 1) * (e === 0 ? m * 2 ** -24 : (1 + m / 1024) * 2 ** (e - 15));
};

interface Codec { bytes: number; write(view: DataView, at: number, random: () => number): number[] }
const byte = (random: () => number): number => Math.floor(random() * 256);
function bytes(count: number, decode: (b: number, c: number) => number, order = [0, 1, 2, 3]): Codec {
  return {
    bytes: count,
    write(view, at, random) {
      const out = [0, 0, 0, 1];
      for (let c = 0; c < count; c++) { const b = byte(random); view.setUint8(at + c, b); out[order[c]!] = decode(b, c); }
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
    for (let c = 0; c < count; c++) { const f = Math.fround(random() * 4 - 2); view.setFloat32(at + c * 4, f, true); out[c] = f; }
    return out;
  },
});
const halves: Codec = {
  bytes: 8,
  write(view, at, random) {
    const out = [0, 0, 0, 0];
    for (let c = 0; c < 4; c++) { const h = Math.floor(random() * 0x4800) | (random() < 0.5 ? 0x8000 : 0); view.setUint16(at + c * 2, h, true); out[c] = half(h); }
    return out;
  },
};
const depth: Codec = { bytes: 4, write(view, at, random) { const f = Math.fround(random()); view.setFloat32(at, f, true); return [f, 0, 0, 1]; } };
const depth16: Codec = { bytes: 2, write(view, at, random) { const u = Math.floor(random() * 65536); view.setUint16(at, u, true); return [u / 65535, 0, 0, 1]; } };

export const CODECS: Record<number, Codec> = {
  [F.FORMAT_R8UNORM]: bytes(1, unorm),
  [F.FORMAT_RG8UNORM]: bytes(2, unorm),
  [F.FORMAT_RGBA8UNORM]: bytes(4, unorm),
  [F.FORMAT_BGRA8UNORM]: bytes(4, unorm, [2, 1, 0, 3]),
  [F.FORMAT_RGBA8UNORM_SRGB]: bytes(4, srgbWithAlpha),
  [F.FORMAT_BGRA8UNORM_SRGB]: bytes(4, srgbWithAlpha, [2, 1, 0, 3]),
  [F.FORMAT_RGBA8SNORM]: bytes(4, snorm),
  [F.FORMAT_RGBA16FLOAT]: halves,
  [F.FORMAT_R32FLOAT]: floats(1),
  [F.FORMAT_RGBA32FLOAT]: floats(4),
  [F.FORMAT_DEPTH32FLOAT]: depth,
  [F.FORMAT_DEPTH16UNORM]: depth16,
};

/** Random texels at `room.base`: record first, then levels with some bytes between rows. */
export function buildTexture(room: Room, spec: TextureSpec, random: () => number): BuiltTexture {
  const view = new DataView(room.buffer);
  const codec = CODECS[spec.format]!;
  const address = room.base;
  const set = (at: number, value: number): void => view.setInt32(address + at, value, true);
  set(T.TEXTURE_FORMAT, spec.format);
  set(T.TEXTURE_DIMENSION, spec.dimension);
  set(T.TEXTURE_WIDTH, spec.width);
  set(T.TEXTURE_HEIGHT, spec.height);
  set(T.TEXTURE_DEPTH, spec.depth);
  set(T.TEXTURE_LAYERS, spec.layers);
  set(T.TEXTURE_LEVELS, spec.levels);
  set(T.TEXTURE_SAMPLES, 1);
  let at = address + T.TEXTURE_BYTES;
  const levels: Level[] = [];
  for (let l = 0; l < spec.levels; l++) {
    const width = Math.max(1, spec.width >> l);
    const height = Math.max(1, spec.height >> l);
    const slices = spec.dimension === T.DIMENSION_3D ? Math.max(1, spec.depth >> l) : spec.layers;
    const rowBytes = width * codec.bytes + 4;
    const layerBytes = rowBytes * height + 8;
    writeLevel(new DataView(room.buffer, address), l, { width, height, rowBytes, layerBytes }, at);
    const texels: number[][] = [];
    for (let z = 0; z < slices; z++) for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) {
      texels.push(codec.write(view, at + z * layerBytes + y * rowBytes + x * codec.bytes, random));
    }
    levels.push({ width, height, slices, texels });
    at += (layerBytes * slices + 19) & ~15;
  }
  return { spec, address, levels, end: at };
}

export interface SamplerSpec { mag: number; min: number; mip: number; u: number; v: number; w: number; lodMin: number; lodMax: number; compare: number }
export function writeSampler(room: Room, s: SamplerSpec): void {
  const view = new DataView(room.buffer);
  [s.mag, s.min, s.mip, s.u, s.v, s.w].forEach((value, i) => view.setInt32(room.base + i * 4, value, true));
  view.setFloat32(room.base + T.SAMPLER_LOD_MIN, s.lodMin, true);
  view.setFloat32(room.base + T.SAMPLER_LOD_MAX, s.lodMax, true);
  view.setInt32(room.base + T.SAMPLER_COMPARE, s.compare, true);
}

/** Operands by ACCESS_* field: 64 lane values each. */
export type Operands = Map<number, Float32Array | Int32Array>;
export interface AccessSpec { texture: number; sampler: number; mode: number; offset: [number, number]; operands: Operands }

const RESULTS = 12;
/** Writes an ACCESS record and its registers; answers where the four results will be. */
export function writeAccess(room: Room, spec: AccessSpec, quads = 16): { access: number; results: number[] } {
  const access = room.base;
  const bytesOfAccess = P.WARP_BYTES - P.WARP_ACCESS;
  const view = new DataView(room.buffer);
  for (let i = 0; i < P.ACCESS_SCRATCH; i += 4) view.setInt32(access + i, 0, true);
  view.setInt32(access + P.ACCESS_TEXTURE, spec.texture, true);
  view.setInt32(access + P.ACCESS_SAMPLER, spec.sampler, true);
  view.setInt32(access + P.ACCESS_QUADS, quads, true);
  view.setInt32(access + P.ACCESS_MODE, spec.mode, true);
  view.setInt32(access + P.ACCESS_OFFSET_X, spec.offset[0], true);
  view.setInt32(access + P.ACCESS_OFFSET_Y, spec.offset[1], true);
  let register = access + bytesOfAccess;
  for (const [field, values] of spec.operands) {
    view.setInt32(access + field, register, true);
    new Uint32Array(room.buffer, register, 64).set(new Uint32Array(values.buffer, values.byteOffset, 64));
    register += REGISTER_BYTES;
  }
  const results: number[] = [];
  for (let c = 0; c < 4; c++) {
    const at = access + bytesOfAccess + (RESULTS + c) * REGISTER_BYTES;
    view.setInt32(access + P.ACCESS_RESULT + c * 4, at, true);
    new Uint32Array(room.buffer, at, 64).fill(0xdeadbeef);
    results.push(at);
  }
  return { access, results };
}
