// Planes of the oracle: load or clear, resolve and store, texel by texel. No block has a state but "in the plane".

import { CTX_COLORS, CTX_DEPTH, CTX_LAYERS, CTX_STENCIL, CTX_TEXELS, CTX_TILE_X, CTX_TILE_Y, DEPTH_STORED } from '../layout/context';
import { FORMAT_BGRA8UNORM, FORMAT_DEPTH16UNORM, FORMAT_NONE, FORMAT_RGBA8UNORM } from '../layout/formats';
import { TILE_BLOCKS, TILE_SIZE } from '../layout/limits';
import {
  ATTACHMENT_ADDRESS, ATTACHMENT_BYTES, ATTACHMENT_CLEAR, ATTACHMENT_CLEAR_VALUE, ATTACHMENT_FORMAT, ATTACHMENT_READ_ONLY,
  ATTACHMENT_RESOLVE_ADDRESS, ATTACHMENT_RESOLVE_ROW_BYTES, ATTACHMENT_ROW_BYTES, ATTACHMENT_STORE, ATTACHMENT_SURFACE, PASS_COLOR0, PASS_COLOR_COUNT, PASS_DEPTH,
  PASS_HEIGHT, PASS_SAMPLES, PASS_STENCIL, PASS_WIDTH,
} from '../layout/pass';
import { STATUS_DONE } from '../layout/status';
import { STAGE_OWN_SEVERAL, STAGE_OWN_STATES } from '../layout/surface';
import { TILE_PIXELS } from '../layout/tile';
import { beginDepthBlocks } from '../output/depth-blocks';
import { noteSamples } from '../surface/color-blocks';
import { loadTile } from '../surface/decode';
import { storeTile } from '../surface/encode';
import { loadTexel, quantise, storeTexel, texelBytes } from '../surface/texel';
import { narrowDepths, widenDepths } from '../surface/tile';
import { ownStage } from '../raster/attachments';
import { sampleIndex } from './output';

const LOAD = 0;
const CLEAR = 1;
const STORE = 2;

/** Loads or clears all planes; `first`: the pass has not come to this tile before. */
export function fillPlanes(context: usize, pass: usize, tile: i32, first: bool): void {
  beginDepthBlocks(context, DEPTH_STORED, 0);
  for (let index = 0; index < load<i32>(pass + PASS_COLOR_COUNT); index++) {
    noteSamples(context, index);
    const attachment = pass + PASS_COLOR0 + <usize>(index * ATTACHMENT_BYTES);
    movePlane(context, pass, attachment, load<usize>(context + CTX_COLORS + (<usize>index << 2)), tile, clears(attachment, first) ? CLEAR : LOAD);
  }
  const depth = pass + PASS_DEPTH;
  const stencil = pass + PASS_STENCIL;
  movePlane(context, pass, depth, load<usize>(context + CTX_DEPTH), tile, clears(depth, first) ? CLEAR : LOAD);
  movePlane(context, pass, stencil, load<usize>(context + CTX_STENCIL), tile, clears(stencil, first) ? CLEAR : LOAD);
}

/** Resolves, at the pass's end, and stores what is to be stored: before the end all that may be written. STATUS_DONE or STATUS_NEEDS_MEMORY. */
export function emptyPlanes(context: usize, pass: usize, tile: i32, last: bool): i32 {
  let status = STATUS_DONE;
  for (let index = 0; index < load<i32>(pass + PASS_COLOR_COUNT); index++) {
    const attachment = pass + PASS_COLOR0 + <usize>(index * ATTACHMENT_BYTES);
    const plane: usize = load<usize>(context + CTX_COLORS + (<usize>index << 2));
    if (last && load<usize>(attachment + ATTACHMENT_RESOLVE_ADDRESS)) resolvePlane(context, pass, attachment, plane);
    if (stores(attachment, last)) status |= movePlane(context, pass, attachment, plane, tile, STORE);
  }
  const depth = pass + PASS_DEPTH;
  const stencil = pass + PASS_STENCIL;
  if (stores(depth, last)) status |= movePlane(context, pass, depth, load<usize>(context + CTX_DEPTH), tile, STORE);
  if (stores(stencil, last)) status |= movePlane(context, pass, stencil, load<usize>(context + CTX_STENCIL), tile, STORE);
  return status;
}

function clears(attachment: usize, first: bool): bool {
  return first && load<i32>(attachment + ATTACHMENT_CLEAR) != 0 && !load<i32>(attachment + ATTACHMENT_READ_ONLY);
}

function stores(attachment: usize, last: bool): bool {
  return (!last || load<i32>(attachment + ATTACHMENT_STORE) != 0) && !load<i32>(attachment + ATTACHMENT_READ_ONLY);
}

/** Number of a pixel in a tile context (layout/tile.ts). */
function pixelAt(x: i32, y: i32): i32 {
  const block = (y >> 3) * 8 + (x >> 3);
  const quad = ((y >> 1) & 3) * 4 + ((x >> 1) & 3);
  return (block * 16 + quad) * 4 + (y & 1) * 2 + (x & 1);
}

/** Pixels of the tile that the pass has, in one direction. */
function extent(corner: i32, size: i32): i32 {
  return min<i32>(size - corner, TILE_SIZE);
}

/** Loads, clears or stores every sample of a plane; nothing to do for an attachment that is not there. Returns STATUS_*. */
function movePlane(context: usize, pass: usize, attachment: usize, plane: usize, tile: i32, what: i32): i32 {
  if (load<i32>(attachment + ATTACHMENT_FORMAT) == FORMAT_NONE) return STATUS_DONE;
  const samples = load<i32>(pass + PASS_SAMPLES);
  if (samples > 1 && what != CLEAR) return moveSamples(context, pass, attachment, plane, tile, what == LOAD);
  const left = load<i32>(context + CTX_TILE_X);
  const top = load<i32>(context + CTX_TILE_Y);
  const bytes = texelBytes(load<i32>(attachment + ATTACHMENT_FORMAT));
  const held = attachment == pass + PASS_DEPTH ? 4 : bytes;
  const surface: usize = load<usize>(attachment + ATTACHMENT_ADDRESS);
  for (let y = 0; y < extent(top, load<i32>(pass + PASS_HEIGHT)); y++) {
    for (let x = 0; x < extent(left, load<i32>(pass + PASS_WIDTH)); x++) {
      for (let sample = 0; sample < samples; sample++) {
        const index = sampleIndex(pixelAt(x, y), sample, samples);
        const texel = surface + <usize>(top + y) * load<u32>(attachment + ATTACHMENT_ROW_BYTES) + <usize>((left + x) * bytes);
        const at = plane + <usize>(index * held);
        if (what == CLEAR) clearSample(pass, attachment, at);
        else moveSample(pass, attachment, texel, at, bytes, what == LOAD);
        if (samples == 2 && what != STORE) memory.copy(at + <usize>(2 * held), at, held);
      }
    }
  }
  return STATUS_DONE;
}

/** A plane of several samples: each has its texel here, whatever the surface makes of them. */
function moveSamples(context: usize, pass: usize, attachment: usize, plane: usize, tile: i32, loads: bool): i32 {
  const surface: usize = load<usize>(attachment + ATTACHMENT_SURFACE);
  const stage = ownStage(context, plane);
  const narrow = attachment == pass + PASS_DEPTH && load<i32>(attachment + ATTACHMENT_FORMAT) == FORMAT_DEPTH16UNORM;
  if (loads) {
    loadTile(surface, tile, stage, true);
  } else {
    memory.fill(stage + STAGE_OWN_STATES, 0, TILE_BLOCKS);
    memory.fill(stage + STAGE_OWN_SEVERAL, 0xff, TILE_BLOCKS * 8);
    if (narrow) narrowDepths(plane, TILE_PIXELS * 4 * load<i32>(context + CTX_LAYERS));
    const status = storeTile(surface, tile, stage);
    if (status != STATUS_DONE) return status;
  }
  if (narrow) widenDepths(plane, TILE_PIXELS * 4 * load<i32>(context + CTX_LAYERS));
  return STATUS_DONE;
}

function clearSample(pass: usize, attachment: usize, at: usize): void {
  const format = load<i32>(attachment + ATTACHMENT_FORMAT);
  const value = attachment + ATTACHMENT_CLEAR_VALUE;
  if (attachment == pass + PASS_STENCIL) store<u8>(at, <u8>load<u32>(value));
  else if (attachment != pass + PASS_DEPTH) storeTexel(format, at, value);
  else store<f32>(at, format == FORMAT_DEPTH16UNORM ? <f32>quantise(load<f32>(value), 65535) / 65535 : load<f32>(value));
}

/** Between surface and plane: depth is f32 in the plane, all else the surface's own bytes. */
function moveSample(pass: usize, attachment: usize, texel: usize, at: usize, bytes: i32, loads: bool): void {
  if (attachment == pass + PASS_DEPTH && load<i32>(attachment + ATTACHMENT_FORMAT) == FORMAT_DEPTH16UNORM) {
    if (loads) store<f32>(at, <f32>load<u16>(texel) / 65535);
    else store<u16>(texel, quantise(load<f32>(at), 65535));
  } else {
    memory.copy(loads ? at : texel, loads ? texel : at, bytes);
  }
}

/** Every pixel becomes the mean of its samples. */
function resolvePlane(context: usize, pass: usize, attachment: usize, plane: usize): void {
  const format = load<i32>(attachment + ATTACHMENT_FORMAT);
  const bytes = texelBytes(format);
  const left = load<i32>(context + CTX_TILE_X);
  const top = load<i32>(context + CTX_TILE_Y);
  for (let y = 0; y < extent(top, load<i32>(pass + PASS_HEIGHT)); y++) {
    for (let x = 0; x < extent(left, load<i32>(pass + PASS_WIDTH)); x++) {
      const row = load<usize>(attachment + ATTACHMENT_RESOLVE_ADDRESS) + <usize>(top + y) * load<u32>(attachment + ATTACHMENT_RESOLVE_ROW_BYTES);
      resolvePixel(context, format, bytes, plane, pixelAt(x, y), row + <usize>((left + x) * bytes), load<i32>(pass + PASS_SAMPLES));
    }
  }
}

/**
 * Equal samples are their mean. Four linear bytes are averaged as integers, rounded to nearest; everything else in float, in the order of
 * the samples (sRGB in linear light).
 */
function resolvePixel(context: usize, format: i32, bytes: i32, plane: usize, pixel: i32, to: usize, samples: i32): void {
  const first = plane + <usize>(pixel * 4 * bytes);
  let equal = true;
  for (let sample = 1; sample < samples; sample++) if (memory.compare(first, plane + <usize>(sampleIndex(pixel, sample, samples) * bytes), bytes)) equal = false;
  if (equal) {
    memory.copy(to, first, bytes);
  } else if (format == FORMAT_RGBA8UNORM || format == FORMAT_BGRA8UNORM) {
    for (let channel: usize = 0; channel < 4; channel++) {
      let sum = samples / 2;
      for (let sample = 0; sample < samples; sample++) sum += <i32>load<u8>(plane + <usize>(sampleIndex(pixel, sample, samples) * 4) + channel);
      store<u8>(to + channel, sum / samples);
    }
  } else {
    const one = context + CTX_TEXELS;
    const mean = one + 16;
    memory.fill(mean, 0, 16);
    for (let sample = 0; sample < samples; sample++) {
      loadTexel(format, plane + <usize>(sampleIndex(pixel, sample, samples) * bytes), one);
      for (let channel: usize = 0; channel < 16; channel += 4) store<f32>(mean + channel, load<f32>(mean + channel) + load<f32>(one + channel));
    }
    for (let channel: usize = 0; channel < 16; channel += 4) store<f32>(mean + channel, load<f32>(mean + channel) / <f32>samples);
    storeTexel(format, to, mean);
  }
}
