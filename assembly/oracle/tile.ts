// The oracle, in immediate mode: what a tile's list means, without any of the ways of doing less. Tests hold the fast path (raster/tile.ts
// and what it calls) against it, bit by bit. Every triangle is taken when it comes, at every pixel of its box, at every sample; every
// covered quad runs the fragment program at once, alone, one sample at a time where the draw wants that; all planes lie sample by sample.
//
//   geometry.ts   triangles with edges
//   planes.ts     load or clear, resolve, store
//   depth.ts      stencil and depth of a sample
//   inputs.ts     what a fragment program reads
//   output.ts     colour of a sample
//
// Only the testing build has it. Nothing is counted.

import { CTX_BOUND_DRAW, CTX_REGISTERS, CTX_SAMPLE_COUNT, CTX_TILE_X, CTX_TILE_Y, CTX_WARP } from '../layout/context';
import {
  DRAW_FLAG_ALPHA_TO_COVERAGE, DRAW_FLAG_LATE_DEPTH, DRAW_FLAG_PER_SAMPLE, DRAW_FLAG_SURFACES, DRAW_FLAGS, DRAW_FRAG_DEPTH_REGISTER, DRAW_FRAGMENT_PROGRAM,
  DRAW_FRAGMENT_RESOURCES, DRAW_FRAGMENT_UNIFORMS, DRAW_SAMPLE_MASK, DRAW_SAMPLE_MASK_OUT_REGISTER, DRAW_TARGETS, TARGET_REGISTERS,
} from '../layout/draw';
import { REGISTER_BYTES, TILE_SHIFT, TILE_SIZE } from '../layout/limits';
import {
  BIN_BLOCK_COUNT, BIN_BLOCK_ENTRIES, BIN_BLOCK_NEXT, PASS_LIST_COUNT, PASS_TILES_X, PASS_TILE_STATES, TILE_FLAG_LAST,
} from '../layout/pass';
import {
  PROGRAM_FLAG_DERIVATIVES, PROGRAM_FLAGS, WARP_EXEC, WARP_KILLED, WARP_PROGRAM, WARP_QUAD_COUNT, WARP_REGISTERS, WARP_RESOURCES,
} from '../layout/program';
import { STATUS_DONE } from '../layout/status';
import {
  TRI_DRAW, TRI_EDGE_A, TRI_EDGE_B, TRI_EDGE_BYTES, TRI_EDGE_C, TRI_EDGES, TRI_MAX_X, TRI_MAX_Y, TRI_MIN_X, TRI_MIN_Y,
} from '../layout/triangle';
import { sampleX, sampleY } from '../simd/positions';
import { surfaceFlush } from '../surface/unit';
import { bindUniforms, runWarp } from '../warp/run';
import { headOf, nextList } from '../raster/bin';
import { testSamples } from './depth';
import { writeInputs } from './inputs';
import { writeSamples } from './output';
import { emptyPlanes, fillPlanes } from './planes';

/**
 * Runs one tile as tileRun (raster/tile.ts) does, with the same arguments and the same contract, but never yields, and after STATUS_NEEDS_MEMORY it cannot
 * go on.
 * Triangles must be full records, with edges.
 */
export function tileRunOracle(context: usize, pass: usize, tileIndex: i32, flags: i32): i32 {
  const state = load<usize>(pass + PASS_TILE_STATES) + <usize>tileIndex;
  const last = (flags & TILE_FLAG_LAST) != 0;
  const lists = load<u32>(pass + PASS_LIST_COUNT);
  let list = nextList(pass, 0, tileIndex);
  if (list == lists && !last) return STATUS_DONE;
  const tilesX = load<i32>(pass + PASS_TILES_X);
  store<i32>(context, (tileIndex % tilesX) << TILE_SHIFT, CTX_TILE_X);
  store<i32>(context, (tileIndex / tilesX) << TILE_SHIFT, CTX_TILE_Y);
  // The draws of the last tile may be gone.
  store<u32>(context, 0, CTX_BOUND_DRAW);
  fillPlanes(context, pass, tileIndex, load<u8>(state) == 0);
  for (; list < lists; list = nextList(pass, list + 1, tileIndex)) {
    const status = drawList(context, headOf(pass, list, tileIndex));
    if (status != STATUS_DONE) return status;
  }
  const written = surfaceFlush(context);
  if (written != STATUS_DONE) return written;
  const status = emptyPlanes(context, pass, tileIndex, last);
  if (status == STATUS_DONE) store<u8>(state, 1);
  return status;
}

function drawList(context: usize, head: usize): i32 {
  for (let block = head; block; block = load<usize>(block + BIN_BLOCK_NEXT)) {
    const count = load<u32>(block + BIN_BLOCK_COUNT);
    for (let entry: u32 = 0; entry < count; entry++) {
      const status = drawTriangle(context, load<usize>(block + BIN_BLOCK_ENTRIES + (<usize>entry << 2)));
      if (status != STATUS_DONE) return status;
    }
  }
  return STATUS_DONE;
}

/** Every quad of the triangle's box that lies in the tile. */
function drawTriangle(context: usize, triangle: usize): i32 {
  const tileX = load<i32>(context + CTX_TILE_X);
  const tileY = load<i32>(context + CTX_TILE_Y);
  const left = max<i32>(load<i32>(triangle + TRI_MIN_X), tileX);
  const top = max<i32>(load<i32>(triangle + TRI_MIN_Y), tileY);
  const right = min<i32>(load<i32>(triangle + TRI_MAX_X), tileX + TILE_SIZE);
  const bottom = min<i32>(load<i32>(triangle + TRI_MAX_Y), tileY + TILE_SIZE);
  const draw: usize = load<usize>(triangle + TRI_DRAW);
  const count = load<i32>(context, CTX_SAMPLE_COUNT);
  for (let y = top & ~1; y < bottom; y += 2) {
    for (let x = left & ~1; x < right; x += 2) {
      let covered: u64 = 0;
      for (let pixel = 0; pixel < 4; pixel++) {
        const px = x + (pixel & 1);
        const py = y + (pixel >> 1);
        if (px < left || px >= right || py < top || py >= bottom) continue;
        for (let sample = 0; sample < count; sample++) {
          const inMask = (load<i32>(draw + DRAW_SAMPLE_MASK) >> sample) & 1;
          if (inMask && isCovered(triangle, px, py, sample, count)) covered |= <u64>1 << <u64>(pixel * count + sample);
        }
      }
      if (!covered) continue;
      const status = drawQuad(context, draw, triangle, quadAt(x - tileX, y - tileY), covered);
      if (status != STATUS_DONE) return status;
    }
  }
  return STATUS_DONE;
}

/** Number (block·16 + quad) of the quad at a position within the tile. */
function quadAt(x: i32, y: i32): i32 {
  return (((y >> 3) << 3) + (x >> 3)) * 16 + ((y >> 1) & 3) * 4 + ((x >> 1) & 3);
}

/** Whether a sample of the pixel (x, y) lies inside all three edges; the top-left rule is in their constants. */
function isCovered(triangle: usize, x: i32, y: i32, sample: i32, count: i32): bool {
  const sampleAtX = <i64>((x << 8) + (sampleX(count, sample) << 4));
  const sampleAtY = <i64>((y << 8) + (sampleY(count, sample) << 4));
  for (let edge = triangle + TRI_EDGES; edge < triangle + TRI_EDGES + 3 * TRI_EDGE_BYTES; edge += TRI_EDGE_BYTES) {
    const a = <i64>load<i32>(edge + TRI_EDGE_A);
    const b = <i64>load<i32>(edge + TRI_EDGE_B);
    if (a * sampleAtX + b * sampleAtY + load<i64>(edge + TRI_EDGE_C) < 0) return false;
  }
  return true;
}

/** One quad of one triangle, with bit pixel·samples + sample for every sample that it covers (and the pipeline's mask lets through). */
function drawQuad(context: usize, draw: usize, triangle: usize, quad: i32, covered: u64): i32 {
  const flags = load<u32>(draw + DRAW_FLAGS);
  const count = load<i32>(context, CTX_SAMPLE_COUNT);
  const visible = flags & DRAW_FLAG_LATE_DEPTH ? covered : testSamples(context, draw, triangle, quad, covered, 0);
  if (!visible || !load<usize>(draw + DRAW_FRAGMENT_PROGRAM)) return STATUS_DONE;
  if (count == 1 || !(flags & DRAW_FLAG_PER_SAMPLE)) return shadeQuad(context, draw, triangle, quad, covered, visible, -1);
  for (let sample = 0; sample < count; sample++) {
    let ofSample: u64 = 0;
    for (let pixel = 0; pixel < 4; pixel++) ofSample |= <u64>1 << <u64>(pixel * count + sample);
    if (!(visible & ofSample)) continue;
    const status = shadeQuad(context, draw, triangle, quad, covered & ofSample, visible & ofSample, sample);
    if (status != STATUS_DONE) return status;
  }
  return STATUS_DONE;
}

/** Runs the fragment program on one quad and writes what comes of it. `sample`: where there is one invocation a sample; else -1. */
function shadeQuad(context: usize, draw: usize, triangle: usize, quad: i32, covered: u64, visible: u64, sample: i32): i32 {
  const program: usize = load<usize>(draw + DRAW_FRAGMENT_PROGRAM);
  const registers: usize = load<usize>(context + CTX_REGISTERS);
  if (load<usize>(context + CTX_BOUND_DRAW) != draw) {
    bindUniforms(program, load<usize>(draw + DRAW_FRAGMENT_UNIFORMS), registers);
    store<u32>(context, <u32>draw, CTX_BOUND_DRAW);
  }
  const warp = context + CTX_WARP;
  store<u32>(warp, <u32>program, WARP_PROGRAM);
  store<u32>(warp, <u32>registers, WARP_REGISTERS);
  store<u32>(warp, load<usize>(draw + DRAW_FRAGMENT_RESOURCES), WARP_RESOURCES);
  store<i32>(warp, 1, WARP_QUAD_COUNT);
  const count = load<i32>(context, CTX_SAMPLE_COUNT);
  const flags = load<u32>(draw + DRAW_FLAGS);
  const helpers = (load<u32>(program + PROGRAM_FLAGS) & PROGRAM_FLAG_DERIVATIVES) != 0;
  for (let pixel = 0; pixel < 4; pixel++) {
    const runs = helpers || ofPixel(visible, pixel, count) != 0;
    store<i32>(warp + (<usize>pixel << 2), runs ? -1 : 0, WARP_EXEC);
    // Helpers access no surface.
    const stands = !(flags & DRAW_FLAG_SURFACES) || ofPixel(visible, pixel, count) != 0;
    store<i32>(warp + (<usize>pixel << 2), stands ? 0 : -1, WARP_KILLED);
    writeInputs(context, draw, triangle, quad, pixel, ofPixel(covered, pixel, count), sample);
  }
  const status = runWarp(warp);
  if (status != STATUS_DONE) return status;
  let written: u64 = visible;
  if (load<u32>(draw + DRAW_FLAGS) & DRAW_FLAG_LATE_DEPTH) {
    written = 0;
    for (let pixel = 0; pixel < 4; pixel++) {
      written |= <u64>(ofPixel(visible, pixel, count) & programMask(context, draw, pixel)) << <u64>(pixel * count);
    }
    const exported = load<i32>(draw + DRAW_FRAG_DEPTH_REGISTER);
    written = testSamples(context, draw, triangle, quad, written, exported < 0 ? 0 : registers + <usize>exported * REGISTER_BYTES);
  }
  writeSamples(context, draw, quad, written);
  return STATUS_DONE;
}

/** The samples of one pixel of a quad's mask. */
function ofPixel(mask: u64, pixel: i32, count: i32): i32 {
  return <i32>(mask >> <u64>(pixel * count)) & ((1 << count) - 1);
}

/**
 * Samples that alpha lets through: alpha times their number, rounded; at 1 sample alpha 1/8 is enough. Which they are is ours to choose: of four 0,
 * then 3, 1, 2, else the first.
 */
function alphaSamples(alpha: f32, count: i32): i32 {
  if (!(alpha > 0)) return 0;
  let samples = 0;
  while (samples < count && alpha * <f32>count >= <f32>samples + 0.5) samples++;
  if (count == 1) return <i32>(alpha >= 0.125);
  if (count == 4) return samples == 4 ? 15 : samples == 3 ? 1 | 8 | 2 : samples == 2 ? 1 | 8 : samples;
  return (1 << samples) - 1;
}

/** Samples that the program leaves of a pixel (WebGPU §23.2.11): none if it was discarded, else its sample mask and its alpha. */
function programMask(context: usize, draw: usize, pixel: i32): i32 {
  const lane = <usize>pixel << 2;
  if (load<i32>(context + CTX_WARP + WARP_KILLED + lane)) return 0;
  const registers = load<usize>(context + CTX_REGISTERS) + lane;
  const maskRegister = load<i32>(draw + DRAW_SAMPLE_MASK_OUT_REGISTER);
  const alphaRegister = load<i32>(draw + DRAW_TARGETS + TARGET_REGISTERS + 12);
  const count = load<i32>(context, CTX_SAMPLE_COUNT);
  let mask = (1 << count) - 1;
  if (maskRegister >= 0) mask &= load<i32>(registers + <usize>maskRegister * REGISTER_BYTES);
  if (load<u32>(draw + DRAW_FLAGS) & DRAW_FLAG_ALPHA_TO_COVERAGE && alphaRegister >= 0) {
    mask &= alphaSamples(load<f32>(registers + <usize>alphaRegister * REGISTER_BYTES), count);
  }
  return mask;
}
