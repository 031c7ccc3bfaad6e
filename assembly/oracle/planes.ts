// Planes of the oracle: loads or clears, resolves and stores them texel by texel. Every block is stored in the plane.

import {
  Attachment,
  DEPTH_STORED,
  FORMAT_BGRA8UNORM,
  FORMAT_DEPTH16UNORM,
  FORMAT_NONE,
  FORMAT_RGBA8UNORM,
  Pass,
  STATUS_DONE,
  Tile,
  TILE_BLOCKS,
  TILE_PIXELS,
  TILE_SIZE,
} from '../layout';
import { loadTile } from '../surface/decode';
import { storeTile } from '../surface/encode';
import { loadTexel, storeTexel, texelBytes } from '../surface/formats';
import { quantise } from '../surface/numbers';
import { ownStaging } from '../tile/attachments';
import { noteSamples } from '../tile/colors';
import { beginDepthBlocks } from '../tile/depth-blocks';
import { narrowDepths, widenDepths } from '../tile/rows';
import { sampleIndex } from './output';

const LOAD = 0;
const CLEAR = 1;
const STORE = 2;

/** Loads or clears all planes; `first` tells that the pass has not visited this tile before. */
export function fillPlanes(tile: Tile, first: bool): void {
  const pass = tile.pass;
  beginDepthBlocks(tile, DEPTH_STORED, 0);
  for (let index = 0; index < pass.colorCount; index++) {
    noteSamples(tile, index);
    const attachment = pass.color(index);
    movePlane(tile, attachment, tile.plane(index).samples, clears(attachment, first) ? CLEAR : LOAD);
  }
  movePlane(tile, pass.depth, tile.depth, clears(pass.depth, first) ? CLEAR : LOAD);
  movePlane(tile, pass.stencil, tile.stencil, clears(pass.stencil, first) ? CLEAR : LOAD);
}

/**
 * Resolves, if this is the end of the pass, and stores the planes: at the end those that the pass stores, before the
 * end all that may be written. Returns STATUS_DONE or STATUS_NEEDS_MEMORY.
 */
export function emptyPlanes(tile: Tile, last: bool): i32 {
  const pass = tile.pass;
  let status = STATUS_DONE;
  for (let index = 0; index < pass.colorCount; index++) {
    const attachment = pass.color(index);
    const plane: usize = tile.plane(index).samples;
    if (last && attachment.resolveAddress) resolvePlane(tile, attachment, plane);
    if (stores(attachment, last)) status |= movePlane(tile, attachment, plane, STORE);
  }
  if (stores(pass.depth, last)) status |= movePlane(tile, pass.depth, tile.depth, STORE);
  if (stores(pass.stencil, last)) status |= movePlane(tile, pass.stencil, tile.stencil, STORE);
  return status;
}

function clears(attachment: Attachment, first: bool): bool {
  return first && attachment.clear != 0 && !attachment.readOnly;
}

function stores(attachment: Attachment, last: bool): bool {
  return (!last || attachment.store != 0) && !attachment.readOnly;
}

/** Index of a pixel in a tile context (layout/surface/tile-order.ts). */
function pixelAt(x: i32, y: i32): i32 {
  const block = (y >> 3) * 8 + (x >> 3);
  const quad = ((y >> 1) & 3) * 4 + ((x >> 1) & 3);
  return (block * 16 + quad) * 4 + (y & 1) * 2 + (x & 1);
}

/** Size of the part of the tile that is within the pass, in one dimension. */
function extent(corner: i32, size: i32): i32 {
  return min<i32>(size - corner, TILE_SIZE);
}

/** Loads, clears or stores every sample of a plane; does nothing for a missing attachment. Returns STATUS_*. */
function movePlane(tile: Tile, attachment: Attachment, plane: usize, what: i32): i32 {
  if (attachment.format == FORMAT_NONE) return STATUS_DONE;
  const pass = tile.pass;
  const samples = pass.samples;
  if (samples > 1 && what != CLEAR) return moveSamples(tile, attachment, plane, what == LOAD);
  const left = tile.x;
  const top = tile.y;
  const bytes = texelBytes(attachment.format);
  const held = attachment == pass.depth ? 4 : bytes;
  for (let y = 0; y < extent(top, pass.height); y++) {
    for (let x = 0; x < extent(left, pass.width); x++) {
      for (let sample = 0; sample < samples; sample++) {
        const texel = attachment.address + (top + y) * attachment.rowBytes + (left + x) * bytes;
        const at = plane + sampleIndex(pixelAt(x, y), sample, samples) * held;
        if (what == CLEAR) clearSample(pass, attachment, at);
        else moveSample(pass, attachment, texel, at, bytes, what == LOAD);
        if (samples == 2 && what != STORE) memory.copy(at + 2 * held, at, held);
      }
    }
  }
  return STATUS_DONE;
}

/** Moves a multisampled plane. Here each sample has its own texel, whatever the surface's encoding. */
function moveSamples(tile: Tile, attachment: Attachment, plane: usize, loads: bool): i32 {
  const surface = attachment.surface;
  const staging = ownStaging(tile, plane, surface.texelBytes);
  const narrow = attachment == tile.pass.depth && attachment.format == FORMAT_DEPTH16UNORM;
  if (loads) {
    loadTile(surface, tile.number, staging, true);
  } else {
    // An earlier plane may have left a longer texel here; this plane would compare only its first bytes.
    memory.fill(staging.ownClear, 0, 16);
    // Blocks outside the pass hold what another tile left, and surfaces have no memory for them; they count as clear.
    for (let block = 0; block < TILE_BLOCKS; block++) {
      const isInside = tile.x + ((block & 7) << 3) < tile.pass.width && tile.y + (block & ~7) < tile.pass.height;
      if (!isInside) store<u8>(staging.ownStates + block, 1);
    }
    if (narrow) narrowDepths(plane, TILE_PIXELS * 4 * tile.layers);
    const status = storeTile(surface, tile.number, staging);
    if (status != STATUS_DONE) return status;
  }
  if (narrow) widenDepths(plane, TILE_PIXELS * 4 * tile.layers);
  return STATUS_DONE;
}

function clearSample(pass: Pass, attachment: Attachment, at: usize): void {
  const format = attachment.format;
  const value = attachment.clearValue;
  if (attachment == pass.stencil) store<u8>(at, <u8>load<u32>(value));
  else if (attachment != pass.depth) storeTexel(format, at, value);
  else
    store<f32>(at, format == FORMAT_DEPTH16UNORM ? <f32>quantise(load<f32>(value), 65535) / 65535 : load<f32>(value));
}

/** Moves a sample between surface and plane. Depth is f32 in the plane; all other planes use the surface's bytes. */
function moveSample(pass: Pass, attachment: Attachment, texel: usize, at: usize, bytes: i32, loads: bool): void {
  if (attachment == pass.depth && attachment.format == FORMAT_DEPTH16UNORM) {
    if (loads) store<f32>(at, <f32>load<u16>(texel) / 65535);
    else store<u16>(texel, quantise(load<f32>(at), 65535));
  } else {
    memory.copy(loads ? at : texel, loads ? texel : at, bytes);
  }
}

/** Sets every pixel to the mean of its samples. */
function resolvePlane(tile: Tile, attachment: Attachment, plane: usize): void {
  const bytes = texelBytes(attachment.format);
  const left = tile.x;
  const top = tile.y;
  for (let y = 0; y < extent(top, tile.pass.height); y++) {
    for (let x = 0; x < extent(left, tile.pass.width); x++) {
      const row = attachment.resolveAddress + (top + y) * attachment.resolveRowBytes;
      resolvePixel(tile, attachment.format, plane, pixelAt(x, y), row + (left + x) * bytes);
    }
  }
}

/**
 * Equal samples resolve to themselves. Four linear bytes are averaged as integers, rounded to nearest. Everything else
 * is averaged in float, in sample order (sRGB in linear light).
 */
function resolvePixel(tile: Tile, format: i32, plane: usize, pixel: i32, to: usize): void {
  const samples = tile.samples;
  const bytes = texelBytes(format);
  const first = plane + pixel * 4 * bytes;
  let equal = true;
  for (let sample = 1; sample < samples; sample++)
    if (memory.compare(first, plane + sampleIndex(pixel, sample, samples) * bytes, bytes)) equal = false;
  if (equal) {
    memory.copy(to, first, bytes);
  } else if (format == FORMAT_RGBA8UNORM || format == FORMAT_BGRA8UNORM) {
    for (let channel: usize = 0; channel < 4; channel++) {
      let sum = samples / 2;
      for (let sample = 0; sample < samples; sample++)
        sum += load<u8>(plane + sampleIndex(pixel, sample, samples) * 4 + channel);
      store<u8>(to + channel, sum / samples);
    }
  } else {
    const one = tile.texels;
    const mean = one + 16;
    memory.fill(mean, 0, 16);
    for (let sample = 0; sample < samples; sample++) {
      loadTexel(format, plane + sampleIndex(pixel, sample, samples) * bytes, one);
      for (let channel: usize = 0; channel < 16; channel += 4)
        store<f32>(mean + channel, load<f32>(mean + channel) + load<f32>(one + channel));
    }
    for (let channel: usize = 0; channel < 16; channel += 4)
      store<f32>(mean + channel, load<f32>(mean + channel) / <f32>samples);
    storeTexel(format, to, mean);
  }
}
