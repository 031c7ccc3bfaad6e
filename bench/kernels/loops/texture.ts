// Texture reads of whole warps, as in the interpreter: an rgba8 texture with all its mip levels, repeated, sampled at
// every pixel of a square.
import { FORMAT_RGBA8UNORM } from '../../../assembly/layout/texture/formats';
import {
  ADDRESS_REPEAT,
  DIMENSION_2D,
  FILTER_LINEAR,
  FILTER_NEAREST,
  MODE_IMPLICIT,
} from '../../../assembly/layout/texture/texture-codes';
import { Access, Sampler, Texture as TextureRecord, Warp } from '../../../build/layout';
import { writeLevel } from '../../../src/render/resources/level';
import { mulberry32 } from '../../../tests/support/floats';
import { writeAccess, writeSampler } from '../../../tests/texture/harness';
import { LANES, LoopKernel, numbers, WARP_QUADS, type HotLoop, type Side } from './kit';

const TEXELS = 512;
const LEVELS = 10;
const WARPS = 64;

interface Texture {
  readonly levels: readonly Uint8Array[];
}

function makeTexture(k: LoopKernel): Texture & { readonly record: number } {
  const record = k.alloc(TextureRecord.bytes);
  const words = mulberry32(2);
  const levels: Uint8Array[] = [];
  const fields = [
    [TextureRecord.format, FORMAT_RGBA8UNORM],
    [TextureRecord.dimension, DIMENSION_2D],
    [TextureRecord.width, TEXELS],
    [TextureRecord.height, TEXELS],
    [TextureRecord.depth, 1],
    [TextureRecord.layers, 1],
    [TextureRecord.samples, 1],
    [TextureRecord.levelCount, LEVELS],
  ] as const;
  for (const [field, value] of fields) k.put(record + field, value);
  for (let level = 0; level < LEVELS; level++) {
    const size = TEXELS >> level;
    const at = k.alloc(size * size * 4 + 16);
    k.u32(at, size * size).set(Uint32Array.from({ length: size * size }, words));
    writeLevel(
      new DataView(k.memory.buffer, record),
      level,
      { width: size, height: size, layers: 1, rowBytes: size * 4, layerBytes: size * size * 4 },
      at
    );
    levels.push(k.u8(at, size * size * 4).slice());
  }
  return { record, levels };
}

function nearest(texels: Uint8Array, size: number, u: number, v: number, out: Float64Array): void {
  const at = ((Math.floor(v * size) & (size - 1)) * size + (Math.floor(u * size) & (size - 1))) * 4;
  for (let c = 0; c < 4; c++) out[c] = texels[at + c]! / 255;
}

function bilinear(texels: Uint8Array, size: number, u: number, v: number, out: Float64Array): void {
  const x = u * size - 0.5;
  const y = v * size - 0.5;
  const left = Math.floor(x);
  const top = Math.floor(y);
  const fx = x - left;
  const fy = y - top;
  const x0 = left & (size - 1);
  const x1 = (left + 1) & (size - 1);
  const row0 = (top & (size - 1)) * size;
  const row1 = ((top + 1) & (size - 1)) * size;
  const a = (row0 + x0) * 4;
  const b = (row0 + x1) * 4;
  const d = (row1 + x0) * 4;
  const e = (row1 + x1) * 4;
  for (let c = 0; c < 4; c++) {
    const upper = texels[a + c]! + (texels[b + c]! - texels[a + c]!) * fx;
    const lower = texels[d + c]! + (texels[e + c]! - texels[d + c]!) * fx;
    out[c] = (upper + (lower - upper) * fy) / 255;
  }
}

type Filter = 'nearest' | 'bilinear' | 'trilinear';

/**
 * Samples quad by quad, with the mip level from the quad's differences. `us`, `vs`: one warp after another; `out`: four
 * channels per warp.
 */
function samplePlain({ levels }: Texture, filter: Filter, us: Float32Array, vs: Float32Array, out: Float32Array): void {
  const color = new Float64Array(4);
  const next = new Float64Array(4);
  for (let quad = 0; quad < us.length; quad += 4) {
    const xu = (us[quad + 1]! - us[quad]!) * TEXELS;
    const xv = (vs[quad + 1]! - vs[quad]!) * TEXELS;
    const yu = (us[quad + 2]! - us[quad]!) * TEXELS;
    const yv = (vs[quad + 2]! - vs[quad]!) * TEXELS;
    const lod = Math.min(Math.max(0.5 * Math.log2(Math.max(xu * xu + xv * xv, yu * yu + yv * yv)), 0), LEVELS - 1);
    const level = filter === 'trilinear' ? Math.floor(lod) : Math.round(lod);
    const fraction = filter === 'trilinear' ? lod - level : 0;
    for (let lane = quad; lane < quad + 4; lane++) {
      if (filter === 'nearest') nearest(levels[level]!, TEXELS >> level, us[lane]!, vs[lane]!, color);
      else bilinear(levels[level]!, TEXELS >> level, us[lane]!, vs[lane]!, color);
      if (fraction > 0) {
        bilinear(levels[level + 1]!, TEXELS >> (level + 1), us[lane]!, vs[lane]!, next);
        for (let c = 0; c < 4; c++) color[c]! += (next[c]! - color[c]!) * fraction;
      }
      const at = Math.floor(lane / LANES) * 4 * LANES + (lane % LANES);
      for (let c = 0; c < 4; c++) out[at + c * LANES] = color[c]!;
    }
  }
}

/**
 * Neighbouring pixels are one texel apart, or √2 texels, which is half-way between two mip levels. The square is
 * slightly rotated, so that its rows do not follow the texture's.
 */
export function textureLoop(filter: Filter): HotLoop {
  const k = new LoopKernel({ pages: 128 });
  const texture = makeTexture(k);
  const sampler = k.alloc(Sampler.bytes);
  const linear = filter === 'nearest' ? FILTER_NEAREST : FILTER_LINEAR;
  writeSampler(
    { buffer: k.memory.buffer, base: sampler },
    {
      mag: linear,
      min: linear,
      mip: filter === 'trilinear' ? FILTER_LINEAR : FILTER_NEAREST,
      u: ADDRESS_REPEAT,
      v: ADDRESS_REPEAT,
      w: ADDRESS_REPEAT,
      lodMin: 0,
      lodMax: 32,
      compare: 0,
    }
  );
  const apart = (filter === 'trilinear' ? Math.SQRT2 : 1) / TEXELS;
  const [cos, sin] = [0.96, 0.28];
  const next = numbers(7);
  const shift = [next(), next()];
  const us = new Float32Array(WARPS * LANES);
  const vs = new Float32Array(WARPS * LANES);
  const accesses: number[] = [];
  const results: number[] = [];
  for (let warp = 0; warp < WARPS; warp++) {
    for (let i = 0; i < LANES; i++) {
      const x = (warp & 7) * 8 + ((i >> 2) & 3) * 2 + (i & 1);
      const y = (warp >> 3) * 8 + (i >> 4) * 2 + ((i >> 1) & 1);
      us[warp * LANES + i] = shift[0]! + (x * cos - y * sin) * apart;
      vs[warp * LANES + i] = shift[1]! + (x * sin + y * cos) * apart;
    }
    const base = k.alloc(Warp.bytes - Warp.access + 16 * 256);
    const built = writeAccess(
      { buffer: k.memory.buffer, base },
      {
        texture: texture.record,
        sampler,
        mode: MODE_IMPLICIT,
        offset: [0, 0],
        operands: new Map([
          [Access.u, us.slice(warp * LANES, (warp + 1) * LANES)],
          [Access.v, vs.slice(warp * LANES, (warp + 1) * LANES)],
        ]),
      },
      WARP_QUADS
    );
    accesses.push(built.access);
    results.push(...built.results);
  }
  // A read with the coordinates and the sampler of the previous one reuses its footprint. Here, no read can.
  const fresh = (): void => {
    k.f32(sampler + Sampler.lodMax, 1)[0]! = k.f32(sampler + Sampler.lodMax, 1)[0] === 32 ? 31 : 32;
  };
  const side = (name: string): Side => {
    const { run } = k.calls(
      name,
      ['i32'],
      accesses.map((access) => [access])
    );
    return {
      run: () => {
        fresh();
        run();
      },
      output: () => results.flatMap((at) => [...k.f32(at, LANES)]),
    };
  };
  const out = new Float32Array(WARPS * LANES * 4);
  return {
    name: `${filter} rgba8unorm`,
    group: 'texture',
    unit: 'pixel',
    count: WARPS * LANES,
    tolerance: 0.01,
    simd: side('sampleWarp'),
    scalar: side('sampleWarpScalar'),
    plain: {
      run: () => {
        samplePlain(texture, filter, us, vs, out);
      },
      output: () => out,
    },
  };
}
