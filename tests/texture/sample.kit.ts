// Samples textures with the SIMD kernel and its scalar twin, and compares the results.
import { expect } from 'vitest';
import {
  FORMAT_BGRA8UNORM,
  FORMAT_BGRA8UNORM_SRGB,
  FORMAT_R32FLOAT,
  FORMAT_R8UNORM,
  FORMAT_RG8UNORM,
  FORMAT_RGBA16FLOAT,
  FORMAT_RGBA32FLOAT,
  FORMAT_RGBA8SNORM,
  FORMAT_RGBA8UNORM,
  FORMAT_RGBA8UNORM_SRGB,
} from '../../assembly/layout/texture/formats';
import { REGISTER_BYTES } from '../../assembly/layout/limits';
import { ADDRESS_REPEAT, FILTER_NEAREST } from '../../assembly/layout/texture/texture-codes';
import { Sampler, Warp } from '../../build/layout';
import { TestKernel } from '../support/kernel';
import {
  buildTexture,
  generator,
  writeAccess,
  writeSampler,
  type BuiltTexture,
  type Operands,
  type SamplerSpec,
  type TextureSpec,
} from './harness';
import { sample, type Vector } from './oracle';

export const kernel = new TestKernel();
export const { buffer } = kernel.memory;
export const ACCESS = kernel.alloc(Warp.bytes - Warp.access + 16 * REGISTER_BYTES);
export const SAMPLER = kernel.alloc(Sampler.bytes);
export const TEXTURE = kernel.alloc(1 << 20);

export const SAMPLER_DEFAULT: SamplerSpec = {
  mag: 1,
  min: 1,
  mip: 1,
  u: ADDRESS_REPEAT,
  v: ADDRESS_REPEAT,
  w: ADDRESS_REPEAT,
  lodMin: 0,
  lodMax: 32,
  compare: 0,
};
export function texture(format: number, dimension: number, part: Partial<TextureSpec>, seed: number): BuiltTexture {
  return buildTexture(
    { buffer, base: TEXTURE },
    { format, dimension, width: 16, height: 8, depth: 1, layers: 1, levels: 4, ...part },
    generator(seed)
  );
}

/**
 * Runs both twins on the same record, requires equal bits (NaNs count as equal), and returns the SIMD kernel's numbers.
 */
export function runBoth(
  s: SamplerSpec,
  mode: number,
  operands: Operands,
  offset: [number, number] = [0, 0]
): Float32Array[] {
  writeSampler({ buffer, base: SAMPLER }, s);
  const spec = { texture: TEXTURE, sampler: SAMPLER, mode, offset, operands };
  const read = (run: (access: number) => void): Float32Array[] => {
    const { access, results } = writeAccess({ buffer, base: ACCESS }, spec);
    run(access);
    return results.map((at) => new Float32Array(buffer, at, 64).slice());
  };
  const simd = read((a) => {
    kernel.call.sampleWarp!(a);
  });
  const scalar = read((a) => {
    kernel.call.sampleWarpScalar!(a);
  });
  for (let c = 0; c < 4; c++) expect(scalar[c]).toEqual(simd[c]);
  return simd;
}

export const lanes = (f: (lane: number) => number): Float32Array => Float32Array.from({ length: 64 }, (_, i) => f(i));
/** Multiples of a fraction such that f32 products with small sizes are exact, so that "nearest" has one answer. */
export const grid = (random: () => number, span: number): Float32Array =>
  lanes(() => (Math.floor(random() * 512 * span) - 256 * span + 0.5) / 256);

export function check(
  t: BuiltTexture,
  s: SamplerSpec,
  got: Float32Array[],
  coordinates: Float32Array[],
  lod: (lane: number) => number,
  {
    tolerance,
    ...extra
  }: { tolerance: number; layer?: Int32Array; offset?: [number, number]; reference?: Float32Array }
): void {
  let compared = 0;
  for (let i = 0; i < 64; i++) {
    const level = lod(i);
    // Where rounding decides between two levels, either is correct.
    if (s.mip === FILTER_NEAREST && Math.abs(level - Math.floor(level) - 0.5) < 1e-4) continue;
    if (s.mag !== s.min && Math.abs(level) < 1e-4) continue;
    const uvw = [0, 1, 2].map((c) => coordinates[c]?.[i] ?? 0) as Vector;
    const want = sample(t, s, uvw, {
      lod: level,
      layer: extra.layer?.[i] ?? 0,
      offset: extra.offset ?? [0, 0],
      reference: extra.reference?.[i] ?? null,
    });
    for (let c = 0; c < (extra.reference ? 1 : 4); c++) {
      const error = Math.abs(got[c]![i]! - want[c]!);
      if (!(error <= tolerance))
        throw new Error(
          `lane ${i} channel ${c}: ${got[c]![i]} instead of ${want[c]} at ${uvw.join(', ')}, level ${level}`
        );
    }
    compared++;
  }
  expect(compared).toBeGreaterThan(48);
}

export const FORMATS: [string, number, number][] = [
  ['rgba8unorm', FORMAT_RGBA8UNORM, 1e-4],
  ['bgra8unorm', FORMAT_BGRA8UNORM, 1e-4],
  ['rg8unorm', FORMAT_RG8UNORM, 1e-4],
  ['r8unorm', FORMAT_R8UNORM, 1e-4],
  ['rgba8unorm-srgb', FORMAT_RGBA8UNORM_SRGB, 2e-6],
  ['bgra8unorm-srgb', FORMAT_BGRA8UNORM_SRGB, 2e-6],
  ['rgba16float', FORMAT_RGBA16FLOAT, 2e-5],
  ['rgba8snorm', FORMAT_RGBA8SNORM, 2e-6],
  ['rgba32float', FORMAT_RGBA32FLOAT, 2e-6],
  ['r32float', FORMAT_R32FLOAT, 2e-6],
];
