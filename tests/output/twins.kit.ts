// Runs the SIMD and the scalar output stage on the same warps, and compares the results.
import { expect } from 'vitest';
import {
  FORMAT_R8SNORM,
  FORMAT_R8UNORM,
  FORMAT_RG11B10UFLOAT,
  FORMAT_RG8SNORM,
  FORMAT_RGBA8SNORM,
} from '../../assembly/layout/texture/formats';
import {
  COLOR_CLEAR,
  COLOR_STORED,
  PACKER_BLOCK,
  PACKER_PIXELS,
  PACKER_UNIFORM_BLOCK,
} from '../../assembly/layout/tile/tile-codes';
import { TILE_PIXELS } from '../../assembly/layout/surface/tile-order';
import * as F from '../../assembly/layout/texture/formats';
import { Draw, Entry, Packer, Plane, Program, Stage, Target, Tile, Warp as WarpRecord } from '../../build/layout';
import { PixelKernel, random } from '../raster/kit';
import { putPacked, type Further } from '../support/packed-lists';

export const k = new PixelKernel('testing');
export const context = k.alloc(Tile.bytes);
export const registers = k.alloc(4 * 256);
const draw = k.alloc(Draw.bytes);
export const target = draw + Draw.targets;
const program = k.alloc(Program.bytes);
export const packer = context + Tile.packers;
/** Texels of a layer, two blocks of which are used. */
const LAYER = TILE_PIXELS * 4;
export const plane = k.alloc(4 * LAYER * 16);
const pixelPlane = k.alloc(TILE_PIXELS * 16);
const warp = k.alloc(WarpRecord.bytes);
k.i32(context + Tile.warp, warp);
k.i32(context + Tile.registers, registers);
k.i32(packer + Packer.draw, draw);
k.i32(draw + Draw.fragment + Stage.program, program);
k.i32(program + Program.outputs, 4);

export const FORMATS: number[] = [];
for (let format = FORMAT_R8UNORM; format < FORMAT_RG11B10UFLOAT; format++) {
  if (format !== FORMAT_R8SNORM && format !== FORMAT_RG8SNORM && format !== FORMAT_RGBA8SNORM) FORMATS.push(format);
}
export const INTEGERS = Object.entries(F)
  .filter(([name]) => /INT$/.test(name))
  .map(([, id]) => id as number);

const SPECIAL = [
  NaN,
  Infinity,
  -Infinity,
  0,
  -0,
  1,
  -1,
  2,
  65504,
  65519.996,
  65520,
  1e-7,
  5.96e-8,
  2.98e-8,
  6.1e-5,
  6.097e-5,
  1e-40,
  -1e-42,
  1e38,
  3.4e38,
  0.5 / 255,
  1.5 / 255,
  254.5 / 255,
  0.25,
];

function value(next: () => number): number {
  const kind = next();
  return kind < 0.25 ? SPECIAL[Math.floor(next() * SPECIAL.length)] : kind < 0.8 ? next() : (next() - 0.5) * 4;
}

export type Blend = readonly [
  op: number,
  src: number,
  dst: number,
  alphaOp: number,
  alphaSrc: number,
  alphaDst: number,
];
type Samples = 1 | 2 | 4 | 8 | 16;
interface Warp {
  kind: number;
  blend?: Blend;
  writeMask?: number;
  seed: number;
}
export interface Case {
  format: number;
  samples: Samples;
  seed: number;
  warps: readonly Warp[];
}
/** Which kernels run, and whether pixels with equal samples may hold one texel. */
interface Way {
  prepare: 'prepareTarget' | 'prepareTargetScalar';
  encodes: boolean;
}
export const WAYS: readonly Way[] = [
  { prepare: 'prepareTarget', encodes: true },
  { prepare: 'prepareTargetScalar', encodes: true },
  { prepare: 'prepareTarget', encodes: false },
  { prepare: 'prepareTargetScalar', encodes: false },
];

/** Two samples are stored as four, the last two equal to the first two. */
const held = (samples: Samples): number => (samples === 2 ? 4 : samples);
const sampleAt = (pixel: number, sample: number, samples: Samples): number =>
  samples === 1 ? pixel : (sample >> 2) * LAYER + pixel * 4 + (sample & 3);
/** Second texels and their masks, for pixels with two texels. */
const furtherPlane = k.alloc(TILE_PIXELS * 16);
const masks = k.alloc(TILE_PIXELS * 2);
/** The PACKED records of the lists of two blocks. */
const recordBytes = (samples: Samples): number => 1024 * Math.max(1, samples >> 2);
const records = k.alloc(2 * recordBytes(16));
const bytesOf = (format: number): number => k.call.texelBytes(format);

export function setSamples(samples: Samples, encodes: boolean, format: number): void {
  k.i32(context + Tile.samples, samples);
  k.i32(context + Tile.layerSamples, samples === 1 ? 1 : 4);
  k.i32(context + Tile.layers, Math.max(1, samples >> 2));
  k.i32(context + Tile.encodes, encodes ? 1 : 0);
  const record = context + Tile.planes;
  k.i32(record + Plane.samples, plane);
  k.i32(record + Plane.pixels, samples === 1 ? plane : pixelPlane);
  k.i32(record + Plane.states, context + Tile.colorBlocks);
  k.i32(record + Plane.perSample, context + Tile.perSample);
  k.i32(record + Plane.paired, context + Tile.paired);
  k.i32(record + Plane.listed, context + Tile.listed);
  k.i32(record + Plane.secondTexels, samples > 2 && encodes ? furtherPlane : 0);
  k.i32(record + Plane.masks, masks);
  k.i32(record + Plane.records, records);
  k.i32(record + Plane.clear, context + Tile.clearTexels);
  k.i32(record + Plane.texelBytes, bytesOf(format));
  k.i32(record + Plane.layers, Math.max(1, samples >> 2));
}

/** Random masks of a list: no sample is in two, and sample 0 is in none. */
function listFor(samples: Samples, next: () => number): number[] {
  const masks = Array<number>(1 + Math.floor(next() * (samples === 4 ? 2 : samples === 8 ? 4 : 6))).fill(0);
  for (let s = 1; s < samples; s++) {
    const i = Math.floor(next() * (masks.length + 1));
    if (i < masks.length) masks[i]! |= 1 << s;
  }
  return masks;
}

/** Two blocks, cleared or with random texels; single-texel pixels, where permitted, and others. */
function fillBlocks({ format, samples, seed }: Case, encodes: boolean): void {
  const next = random(seed);
  next();
  const bytes = bytesOf(format);
  const integer = INTEGERS.includes(format);
  const texel = (at: number): void => {
    const words = context + Tile.texels;
    for (let c = 0; c < 4; c++) {
      if (integer) k.i32(words + 4 * c, Math.floor(next() * 300) - 20);
      else k.f32(words + 4 * c, next() < 0.1 ? value(next) : next());
    }
    k.call.storeTexel(format, at, words);
  };
  const clear = k.bytes(context + Tile.clearTexels, 16);
  texel(context + Tile.clearTexels);
  for (let i = bytes; i < 16; i += bytes) clear.copyWithin(i, 0, bytes);
  const all = k.bytes(plane, 4 * LAYER * 16);
  const pixels = k.bytes(pixelPlane, TILE_PIXELS * 16);
  const states = k.bytes(context + Tile.colorBlocks, 64).fill(COLOR_STORED);
  const mixed = k.bytes(context + Tile.perSample, 512).fill(0);
  const distinct = next() < 0.5 ? 1 : 0.05;
  const alone = [0, 0.5, 1][Math.floor(next() * 3)];
  // The bit is meaningless for single-texel pixels.
  const paired = k.bytes(context + Tile.paired, 512).fill(samples > 2 && encodes ? 0xff : 0);
  const listed = k.bytes(context + Tile.listed, 512).fill(samples > 2 && encodes ? 0xff : 0);
  const further = k.bytes(furtherPlane, TILE_PIXELS * 16);
  for (let block = 0; block < 2; block++) {
    const cleared = next() < 0.35;
    const lists = new Map<number, readonly Further[]>();
    if (cleared && (encodes || samples === 1)) states[block] = COLOR_CLEAR;
    for (let pixel = 64 * block; pixel < 64 * block + 64; pixel++) {
      const single = samples === 1 || next() < alone;
      const at = sampleAt(pixel, 0, samples) * bytes;
      texel(plane + at);
      for (let s = 1; s < held(samples); s++) {
        const to = sampleAt(pixel, s, samples) * bytes;
        if (samples === 2 && s > 1)
          all.copyWithin(to, sampleAt(pixel, s - 2, samples) * bytes, sampleAt(pixel, s - 1, samples) * bytes);
        else if (single || next() > distinct) all.copyWithin(to, at, at + bytes);
        else texel(plane + to);
      }
      // With two texels, the second one applies where the mask has the sample.
      const pair = samples > 2 && !single && next() < 0.4;
      const mask = 2 + 2 * Math.floor(next() * (2 ** (samples - 1) - 1));
      if (pair) {
        texel(furtherPlane + pixel * bytes);
        pixels.set(all.subarray(at, at + bytes), pixel * bytes);
        for (let s = 0; s < samples; s++) {
          const from = ((mask >> s) & 1 ? further : pixels).subarray(pixel * bytes, (pixel + 1) * bytes);
          all.set(from, sampleAt(pixel, s, samples) * bytes);
        }
      }
      const list = samples > 2 && bytes === 4 && !single && !pair && next() < 0.5 ? listFor(samples, next) : undefined;
      if (list) {
        const values = all.slice(at, at + 4 * list.length + 4);
        const first = values.slice(0, 4);
        for (let i = 0; i < list.length; i++) {
          texel(furtherPlane + pixel * bytes);
          values.set(further.subarray(pixel * bytes, (pixel + 1) * bytes), 4 * i + 4);
        }
        for (let s = 0; s < samples; s++) {
          const i = list.findIndex((bits) => (bits >> s) & 1) + 1;
          all.set(values.subarray(4 * i, 4 * i + 4), sampleAt(pixel, s, samples) * bytes);
        }
        const bits = new DataView(values.buffer);
        if (encodes && !cleared) {
          lists.set(
            pixel & 63,
            list.map((mask, i) => [bits.getUint32(4 * i + 4, true), mask] as const)
          );
          pixels.set(first, pixel * 4);
          for (let s = 0; s < samples; s++) k.bytes(plane + sampleAt(pixel, s, samples) * 4, 4).fill(0xa5);
        }
      }
      if (cleared)
        for (let s = 0; s < held(samples); s++) all.set(clear.subarray(0, bytes), sampleAt(pixel, s, samples) * bytes);
      if (samples === 1) continue;
      // The samples of single-texel pixels are arbitrary, and the other way round.
      if (encodes && (single || cleared)) {
        pixels.set(all.subarray(at, at + bytes), pixel * bytes);
        for (let s = 0; s < held(samples); s++)
          all.fill(0xa5, sampleAt(pixel, s, samples) * bytes, (sampleAt(pixel, s, samples) + 1) * bytes);
      } else {
        mixed[pixel >> 3] |= 1 << (pixel & 7);
        if (pair && encodes) {
          k.bytes(masks + 2 * pixel, 2).set([mask & 255, mask >> 8]);
          listed[pixel >> 3]! &= ~(1 << (pixel & 7));
          for (let s = 0; s < samples; s++)
            all.fill(0xa5, sampleAt(pixel, s, samples) * bytes, (sampleAt(pixel, s, samples) + 1) * bytes);
        } else {
          if (encodes) paired[pixel >> 3] &= ~(1 << (pixel & 7));
          if (encodes && list) continue;
          pixels.fill(0x5a, pixel * bytes, (pixel + 1) * bytes);
          if (encodes) listed[pixel >> 3] &= ~(1 << (pixel & 7));
        }
      }
    }
    putPacked(k.memory.buffer, records + block * recordBytes(samples), lists);
  }
  if (samples > 1 && !encodes) mixed.fill(255);
}

/** Runs one random warp. */
function runWarp(
  { format, samples }: Case,
  { kind, blend, writeMask = 15, seed }: Warp,
  prepare: Way['prepare']
): void {
  const next = random(seed);
  next();
  const integer = INTEGERS.includes(format);
  for (let i = 0; i < 256; i++) {
    if (integer)
      k.i32(registers + 4 * i, next() < 0.7 ? Math.floor(next() * 300) - 20 : Math.floor((next() - 0.5) * 2 ** 32));
    else k.f32(registers + 4 * i, next() < 0.05 ? 0 : value(next));
  }
  // For a block with one result, the kernel finds only the first quad's; the oracle has all of them.
  const same = kind === PACKER_UNIFORM_BLOCK;
  const block = same || kind === PACKER_BLOCK;
  const first = same && prepare === 'prepareTarget';
  if (same) {
    const results = new Int32Array(k.bytes(registers, 1024).slice().buffer);
    results.forEach((_, i) => k.i32(registers + 4 * i, first && i % 64 >= 4 ? 0x7f7f7f7f : results[i & ~63]));
  }
  k.i32(target + Target.format, format);
  k.i32(target + Target.writeMask, writeMask);
  k.i32(target + Target.blend, blend ? 1 : 0);
  blend?.forEach((x, i) => k.i32(target + Target.colorOp + 4 * i, x));
  for (let c = 0; c < 4; c++) {
    k.i32(target + Target.registers + 4 * c, next() < 0.08 ? -1 : Math.floor(next() * 4));
    k.f32(draw + Draw.blendConstant + 4 * c, value(next));
  }
  k.call[prepare](target);
  const count = first ? 1 : block ? 16 : 1 + Math.floor(next() * 16);
  k.i32(packer + Packer.kind, same && !first ? PACKER_BLOCK : kind);
  k.i32(packer + Packer.count, count);
  for (let i = 0; i < count; i++) {
    const entry = packer + Packer.entries + i * Entry.bytes;
    const single = kind === PACKER_PIXELS;
    k.i32(entry + Entry.index, block ? 16 + i : Math.floor(next() * (single ? 128 : 32)));
    // Whole pixels of a quad, any samples, or everything.
    const how = next() < 0.5 || block ? 2 : next() < 0.3 ? 1 : 0;
    const bit = (): number => (how === 2 || next() < 0.5 ? 1 : 0);
    const masks = [0, 0, 0, 0];
    for (let pixel = 0; pixel < (single ? 1 : 4); pixel++) {
      const whole = how === 1 ? bit() : undefined;
      for (let s = 0; s < samples; s++) {
        const covered = whole ?? bit();
        const slot = samples === 1 ? pixel : pixel * 4 + (s & 3);
        masks[s >> 2] |= (covered * (samples === 2 ? 5 : 1)) << slot;
      }
    }
    if (single) k.i32(entry + Entry.mask, masks[0] | (masks[1] << 4) | (masks[2] << 8) | (masks[3] << 12));
    else k.i32(entry + Entry.mask, masks[0] | (masks[1] << 16));
    k.i32(entry + Entry.mask + 4, single ? 0 : masks[2] | (masks[3] << 16));
  }
  k.call.writeTarget(context, packer, target, 0);
}

/** Addresses and lengths of what fillBlocks() writes. */
function filledRanges({ format, samples }: Case): readonly (readonly [address: number, length: number])[] {
  const bytes = bytesOf(format);
  const texels = samples === 1 ? 128 : 512;
  return [
    ...Array.from(
      { length: Math.max(1, samples >> 2) },
      (_, i) => [plane + i * LAYER * bytes, texels * bytes] as const
    ),
    [pixelPlane, 128 * bytes],
    [furtherPlane, 128 * bytes],
    [masks, 256],
    [records, 2 * recordBytes(samples)],
    [context + Tile.clearTexels, 16],
    [context + Tile.colorBlocks, 64],
    [context + Tile.perSample, 512],
    [context + Tile.paired, 512],
    [context + Tile.listed, 512],
  ];
}

/** Filled blocks by whether they are encoded: filling them takes longer than a warp. */
type FilledBlocks = Map<boolean, readonly Uint8Array[]>;

function fillOnce(test: Case, encodes: boolean, filled: FilledBlocks): void {
  const ranges = filledRanges(test);
  const known = filled.get(encodes);
  if (known) ranges.forEach(([address, length], i) => k.bytes(address, length).set(known[i]));
  else {
    fillBlocks(test, encodes);
    filled.set(
      encodes,
      ranges.map(([address, length]) => Uint8Array.from(k.bytes(address, length)))
    );
  }
}

/** The texels of two blocks, per sample, after the warps. */
function outcome(test: Case, { prepare, encodes }: Way, filled: FilledBlocks): Uint8Array {
  const { samples, format } = test;
  const bytes = bytesOf(format);
  setSamples(samples, encodes, format);
  fillOnce(test, encodes, filled);
  for (const warp of test.warps) runWarp(test, warp, prepare);
  const mixed = k.bytes(context + Tile.perSample, 16);
  if (samples === 1 && mixed.some((b) => b !== 0)) expect([...mixed]).toEqual(Array(16).fill(0));
  if (samples > 1 && !encodes && mixed.some((b) => b !== 255)) expect([...mixed]).toEqual(Array(16).fill(255));
  k.call.expandColors(context, 0);
  const length = samples === 1 ? 128 : 512;
  const layers = Math.max(1, samples >> 2);
  const result = new Uint8Array(layers * length * bytes);
  for (let layer = 0; layer < layers; layer++)
    result.set(k.bytes(plane + layer * LAYER * bytes, length * bytes), layer * length * bytes);
  return result;
}

export function compareWarps(
  test: Case,
  ways: readonly Way[] = test.samples === 1 ? WAYS.slice(0, 2) : WAYS.slice(0, 3)
): Uint8Array {
  const filled: FilledBlocks = new Map();
  const first = outcome(test, ways[0], filled);
  for (const way of ways.slice(1)) {
    const other = outcome(test, way, filled);
    if (Buffer.compare(first, other)) {
      const at = first.findIndex((b, i) => b !== other[i]);
      expect.fail(`${JSON.stringify(test)}: byte ${at} is ${first[at]}, ${other[at]} by ${JSON.stringify(way)}`);
    }
  }
  return first;
}

export function compare({ format, samples, ...warp }: Warp & { format: number; samples: Samples }): Uint8Array {
  return compareWarps({ format, samples, seed: warp.seed, warps: [warp] });
}
