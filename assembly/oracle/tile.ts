// The oracle, an immediate-mode renderer: it executes a tile's list without any optimization. Tests compare the fast
// path (loop/tile.ts and what it calls) with it bit by bit. Triangles are processed one after the other, at every
// pixel and sample of their boxes. Every covered quad runs the fragment shader immediately and alone, one sample at a
// time if the draw call requires it. All planes are stored per sample.
//
//   geometry.ts   triangles with edges
//   planes.ts     load or clear, resolve, store
//   depth.ts      stencil and depth of a sample
//   inputs.ts     fragment inputs
//   output.ts     colour of a sample
//
// Only the testing build contains it. It counts no statistics.

import {
  BinBlock,
  Draw,
  DRAW_FLAG_ALPHA_TO_COVERAGE,
  DRAW_FLAG_EARLY,
  DRAW_FLAG_LATE_DEPTH,
  DRAW_FLAG_ACCESSES,
  Pass,
  PROGRAM_FLAG_DERIVATIVES,
  RATE_SAMPLE,
  REGISTER_BYTES,
  sizeOf,
  STATUS_DONE,
  Target,
  Tile,
  TILE_FLAG_LAST,
  TILE_SHIFT,
  TILE_SIZE,
  Triangle,
  TriangleEdge,
} from '../layout';
import { headOf, nextList } from '../raster/bin';
import { sampleX, sampleY } from '../simd/positions';
import { surfaceFlush } from '../surface/unit';
import { beginWarps, unbindWarps } from '../tile/warps';
import { bindUniforms, runWarp } from '../warp/run';
import { testSamples } from './depth';
import { writeInputs, writeSampleMask } from './inputs';
import { writeSamples } from './output';
import { emptyPlanes, fillPlanes } from './planes';

/**
 * Runs one tile like tileRun (loop/tile.ts), with the same arguments and contract, except that it never yields and
 * cannot resume after STATUS_NEEDS_MEMORY. Triangles must be full records with edges.
 */
export function tileRunOracle(tile: Tile, pass: Pass, tileIndex: i32, flags: i32): i32 {
  beginWarps(tile);
  return runTile(tile, pass, tileIndex, flags);
}

function runTile(tile: Tile, pass: Pass, tileIndex: i32, flags: i32): i32 {
  const state = pass.tileStates + tileIndex;
  const last = (flags & TILE_FLAG_LAST) != 0;
  const lists = pass.listCount;
  let list = nextList(pass, 0, tileIndex);
  if (list == lists && !last) return STATUS_DONE;
  const tilesX = pass.tilesX;
  tile.number = tileIndex;
  tile.x = (tileIndex % tilesX) << TILE_SHIFT;
  tile.y = (tileIndex / tilesX) << TILE_SHIFT;
  // The draw calls of the previous tile may no longer exist.
  unbindWarps(tile);
  fillPlanes(tile, load<u8>(state) == 0);
  for (; list < lists; list = nextList(pass, list + 1, tileIndex)) {
    const status = drawList(tile, headOf(pass, list, tileIndex));
    if (status != STATUS_DONE) return status;
  }
  const written = surfaceFlush(tile.loadStoreUnit);
  if (written != STATUS_DONE) return written;
  const status = emptyPlanes(tile, last);
  if (status == STATUS_DONE) store<u8>(state, 1);
  return status;
}

function drawList(tile: Tile, head: usize): i32 {
  for (let block = changetype<BinBlock>(head); block; block = block.next) {
    const count = block.count;
    for (let entry: u32 = 0; entry < count; entry++) {
      const status = drawTriangle(tile, changetype<Triangle>(load<usize>(block.entries + (entry << 2))));
      if (status != STATUS_DONE) return status;
    }
  }
  return STATUS_DONE;
}

/** Draws every quad of the triangle's box that is within the tile. */
function drawTriangle(tile: Tile, triangle: Triangle): i32 {
  const tileX = tile.x;
  const tileY = tile.y;
  const left = max<i32>(triangle.minX, tileX);
  const top = max<i32>(triangle.minY, tileY);
  const right = min<i32>(triangle.maxX, tileX + TILE_SIZE);
  const bottom = min<i32>(triangle.maxY, tileY + TILE_SIZE);
  const draw = triangle.draw;
  const count = tile.samples;
  for (let y = top & ~1; y < bottom; y += 2) {
    for (let x = left & ~1; x < right; x += 2) {
      let covered: u64 = 0;
      for (let pixel = 0; pixel < 4; pixel++) {
        const px = x + (pixel & 1);
        const py = y + (pixel >> 1);
        if (px < left || px >= right || py < top || py >= bottom) continue;
        for (let sample = 0; sample < count; sample++) {
          const inMask = (draw.sampleMask >> sample) & 1;
          if (inMask && isCovered(triangle, px, py, sample, count)) covered |= (<u64>1) << u64(pixel * count + sample);
        }
      }
      if (!covered) continue;
      const status = drawQuad(tile, draw, triangle, quadAt(x - tileX, y - tileY), covered);
      if (status != STATUS_DONE) return status;
    }
  }
  return STATUS_DONE;
}

/** The quad (block·16 + quad) at a position within the tile. */
function quadAt(x: i32, y: i32): i32 {
  return (((y >> 3) << 3) + (x >> 3)) * 16 + ((y >> 1) & 3) * 4 + ((x >> 1) & 3);
}

/** Whether a sample of the pixel (x, y) is inside all three edges; their constants include the top-left rule. */
function isCovered(triangle: Triangle, x: i32, y: i32, sample: i32, count: i32): bool {
  const sampleAtX = <i64>((x << 8) + (sampleX(count, sample) << 4));
  const sampleAtY = <i64>((y << 8) + (sampleY(count, sample) << 4));
  for (let edge = triangle.edges; edge < changetype<usize>(triangle.edge(3)); edge += sizeOf<TriangleEdge>()) {
    const a = <i64>changetype<TriangleEdge>(edge).a;
    const b = <i64>changetype<TriangleEdge>(edge).b;
    if (a * sampleAtX + b * sampleAtY + changetype<TriangleEdge>(edge).c < 0) return false;
  }
  return true;
}

/**
 * Draws one quad of one triangle. `covered` has bit pixel·samples + sample for every sample that the triangle covers
 * and the pipeline's sample mask includes.
 */
function drawQuad(tile: Tile, draw: Draw, triangle: Triangle, quad: i32, covered: u64): i32 {
  const flags = draw.flags;
  const count = tile.samples;
  const early = (flags & DRAW_FLAG_EARLY) != 0;
  const late = (flags & DRAW_FLAG_LATE_DEPTH) != 0 && !early;
  const visible = late ? covered : testSamples(tile, draw, triangle, quad, covered, 0);
  if (visible && draw.query && !late) store<u32>(draw.query, 1);
  if (!visible || !draw.fragment.program) return STATUS_DONE;
  if (count == 1 || draw.fragment.rate != RATE_SAMPLE) return shadeQuad(tile, triangle, quad, covered, visible, -1);
  for (let sample = 0; sample < count; sample++) {
    let ofSample: u64 = 0;
    for (let pixel = 0; pixel < 4; pixel++) ofSample |= (<u64>1) << u64(pixel * count + sample);
    if (!(visible & ofSample)) continue;
    const status = shadeQuad(tile, triangle, quad, covered & ofSample, visible & ofSample, sample);
    if (status != STATUS_DONE) return status;
  }
  return STATUS_DONE;
}

/**
 * Runs the fragment shader on one quad and writes the results. `sample` is the shaded sample if there is one invocation
 * per sample, else −1.
 */
function shadeQuad(tile: Tile, triangle: Triangle, quad: i32, covered: u64, visible: u64, sample: i32): i32 {
  const draw = triangle.draw;
  const program = draw.fragment.program;
  const warp = tile.warp;
  const registers: usize = warp.registers;
  if (warp.bound != changetype<usize>(draw)) {
    bindUniforms(program, draw.fragment.uniforms, registers);
    warp.bound = changetype<usize>(draw);
  }
  warp.program = program;
  warp.resources = draw.fragment.resources;
  warp.quadCount = 1;
  const count = tile.samples;
  const flags = draw.flags;
  const helpers = (program.flags & PROGRAM_FLAG_DERIVATIVES) != 0;
  for (let pixel = 0; pixel < 4; pixel++) {
    const runs = helpers || ofPixel(visible, pixel, count) != 0;
    store<i32>(warp.exec + (pixel << 2), runs ? -1 : 0);
    // Helper invocations access no surface.
    const stands = !(flags & DRAW_FLAG_ACCESSES) || ofPixel(visible, pixel, count) != 0;
    store<i32>(warp.killed + (pixel << 2), stands ? 0 : -1);
    writeInputs(tile, triangle, quad, pixel, ofPixel(covered, pixel, count), sample);
    // Early tests take samples from the mask, but not from what the triangle covers, which decides the centroid.
    const mask = ofPixel(flags & DRAW_FLAG_EARLY ? visible : covered, pixel, count);
    writeSampleMask(triangle, registers + (pixel << 2), mask);
  }
  const status = runWarp(warp);
  if (status != STATUS_DONE) return status;
  let written: u64 = visible;
  if (draw.flags & DRAW_FLAG_LATE_DEPTH) {
    written = 0;
    for (let pixel = 0; pixel < 4; pixel++) {
      written |= (<u64>(ofPixel(visible, pixel, count) & shaderMask(tile, draw, pixel))) << u64(pixel * count);
    }
    if (!(flags & DRAW_FLAG_EARLY)) {
      const exported = draw.fragDepthRegister;
      written = testSamples(
        tile,
        draw,
        triangle,
        quad,
        written,
        exported < 0 ? 0 : registers + exported * REGISTER_BYTES
      );
      if (written && draw.query) store<u32>(draw.query, 1);
    }
  }
  writeSamples(tile, draw, quad, written);
  return STATUS_DONE;
}

/** The samples of one pixel in a quad's mask. */
function ofPixel(mask: u64, pixel: i32, count: i32): i32 {
  return (<i32>(mask >> (<u64>(pixel * count)))) & ((1 << count) - 1);
}

/**
 * Samples that alpha-to-coverage keeps: alpha times their number, rounded; with one sample, an alpha of 1/8 suffices.
 * The order is implementation-defined: with four samples 0, 3, 1, 2; otherwise from the first.
 */
function alphaSamples(alpha: f32, count: i32): i32 {
  if (!(alpha > 0)) return 0;
  let samples = 0;
  while (samples < count && alpha * <f32>count >= <f32>samples + 0.5) samples++;
  if (count == 1) return alpha >= 0.125;
  if (count == 4) return samples == 4 ? 15 : samples == 3 ? 1 | 8 | 2 : samples == 2 ? 1 | 8 : samples;
  return (1 << samples) - 1;
}

/**
 * Samples of a pixel that remain after the shader (WebGPU §23.2.11): none if it was discarded, otherwise those of its
 * sample mask and its alpha.
 */
function shaderMask(tile: Tile, draw: Draw, pixel: i32): i32 {
  const lane = pixel << 2;
  if (load<i32>(tile.warp.killed + lane)) return 0;
  const registers = tile.warp.registers + lane;
  const maskRegister = draw.sampleMaskOutRegister;
  const alphaRegister = load<i32>(draw.targets + changetype<usize>(changetype<Target>(0).registers) + 12);
  const count = tile.samples;
  let mask = (1 << count) - 1;
  if (maskRegister >= 0) mask &= load<i32>(registers + maskRegister * REGISTER_BYTES);
  if (draw.flags & DRAW_FLAG_ALPHA_TO_COVERAGE && alphaRegister >= 0) {
    mask &= alphaSamples(load<f32>(registers + alphaRegister * REGISTER_BYTES), count);
  }
  return mask;
}
