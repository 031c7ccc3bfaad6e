// Start and end of a tile's planes: load or clear, resolve, store. Single-sample surfaces are stored in rows (rows.ts).
// Multisampled surfaces are encoded (surface/encode.ts, decode.ts) through the context's STAGING.

import {
  Attachment,
  DEPTH_CLEAR,
  DEPTH_STORED,
  FORMAT_NONE,
  Plane,
  Staging,
  STATUS_DONE,
  STENCIL_STORED,
  Surface,
  Tile,
  TILE_BLOCKS,
  TILE_PIXELS,
  Triangle,
} from '../layout';
import { loadBlocks, loadTile } from '../surface/decode';
import { notePlane, slopes, storedPlane } from '../surface/depth-planes';
import { clearTile, fillTile, storeTile } from '../surface/encode';
import { mergeTile } from '../surface/merge';
import { allowPairs, clearColors, isAllClear, keepPairs, noteSamples, expandColors } from './colors';
import { beginDepthBlocks, expandDepth, isPlane, setPlane } from './depth-blocks';
import { loadDepthRows, storeDepthRows } from './depth-rows';
import { resolvePlane } from './resolve';
import { resolveStored } from './resolve-stored';
import {
  clearRows,
  clearTexel,
  fillPlane,
  isNarrow,
  Load,
  movePlane,
  moveRows,
  narrowDepths,
  repeat,
  Store,
  widenDepth16,
  widenDepths,
} from './rows';
import { beginStencilBlocks, setStencil, expandStencil, stencilOf } from './stencil-blocks';

const ALL_BLOCKS: u64 = 0xffffffffffffffff;

/**
 * Loads the planes of the context's tile, or marks their blocks as clear. `first` is true if the pass reaches the tile
 * for the first time. Colours of one sample and encoded ones are loaded by loadRest when something needs them.
 */
export function fillAttachments(tile: Tile, first: bool): void {
  tile.finished = 0;
  fillDepth(tile, tile.pass.depth, first);
  if (tile.stencil) fillStencil(tile, tile.pass.stencil, first);
  for (let i = 0; i < tile.pass.colorCount; i++) {
    const attachment = tile.pass.color(i);
    if (attachment.format == FORMAT_NONE) continue;
    const cleared = isCleared(attachment, first);
    keepPairs(tile, i, !cleared);
    if (cleared) {
      clearColors(tile, attachment, i);
    } else if (tile.isPart || (tile.samples > 1 && !tile.encodes)) {
      loadColor(tile, attachment, i);
    } else {
      if (tile.samples == 1) noteSamples(tile, i);
      tile.plane(i).unloaded = ALL_BLOCKS;
    }
  }
}

/**
 * Loads the blocks of colours that are not loaded yet. Opaque draw calls that cover whole blocks do without, so a tile
 * that they cover is never loaded.
 */
export function loadRest(tile: Tile): void {
  for (let i = 0; i < tile.pass.colorCount; i++) {
    const plane = tile.plane(i);
    const blocks = plane.unloaded;
    if (!blocks) continue;
    plane.unloaded = 0;
    if (tile.samples == 1) {
      loadRows(tile, tile.pass.color(i), plane, blocks);
      continue;
    }
    const surface = tile.pass.color(i).surface;
    if (blocks == ALL_BLOCKS) {
      loadTile(surface, tile.number, colorStaging(tile, i), false);
    } else {
      memory.copy(plane.clear, surface.tile(tile.number).clear, 16);
      loadBlocks(surface, tile.number, colorStaging(tile, i), blocks);
    }
  }
}

/** Loads some blocks of a target's rows. */
function loadRows(tile: Tile, attachment: Attachment, plane: Plane, blocks: u64): void {
  if (blocks == ALL_BLOCKS) {
    movePlane<Load>(tile, attachment, plane.samples);
    return;
  }
  const bytes = plane.texelBytes;
  const rowBytes = attachment.rowBytes;
  for (let rest = blocks; rest; rest &= rest - 1) {
    const block = <i32>ctz(rest);
    const x = (block & 7) << 3;
    const y = block & ~7;
    const width = min<i32>(8, tile.width - x);
    const height = min<i32>(8, tile.height - y);
    if (width <= 0 || height <= 0) continue;
    const corner = attachment.address + (tile.y + y) * rowBytes + (tile.x + x) * bytes;
    moveRows<Load>(corner, rowBytes, plane.texel(block << 6), bytes, width, height);
  }
}

/**
 * Stores what the context holds. Before the pass's end, this is everything that may be written; at its end (`last`),
 * targets are also resolved. Returns STATUS_NEEDS_MEMORY when there is no page for a tile: what is already stored stays
 * valid, and the call can be repeated.
 */
export function finishAttachments(tile: Tile, last: bool): i32 {
  const pass = tile.pass;
  let status: i32 = STATUS_DONE;
  if (tile.depth && isStored(pass.depth, last)) status = storeDepth(tile, pass.depth, last);
  if (status == STATUS_DONE && tile.stencil && isStored(pass.stencil, last)) status = storeStencil(tile, pass.stencil);
  for (let i = tile.finished; i < pass.colorCount && status == STATUS_DONE; i++) {
    if (!tile.plane(i).samples) continue;
    const attachment = pass.color(i);
    if (isStored(attachment, last)) status = storeColor(tile, attachment, i, last);
    if (status != STATUS_DONE) break;
    tile.plane(i).unloaded = 0;
    // The resolve overwrites the first texels with means.
    if (last && attachment.resolveAddress) resolvePlane(tile, attachment, i);
    tile.finished = i + 1;
  }
  return status;
}

/**
 * Finishes the pass for a tile whose list is empty. `touched` is true if an earlier chunk has stored the tile. Returns
 * STATUS_*, as finishAttachments.
 */
export function finishIdle(tile: Tile, touched: bool): i32 {
  const pass = tile.pass;
  let status = finishIdlePlane(tile, pass.depth, -1, touched);
  if (status == STATUS_DONE) status = finishIdlePlane(tile, pass.stencil, -1, touched);
  for (let i = 0; i < pass.colorCount && status == STATUS_DONE; i++)
    status = finishIdlePlane(tile, pass.color(i), i, touched);
  return status;
}

/** Finishes one attachment of an idle tile. `index` is that of a colour target. */
function finishIdlePlane(tile: Tile, attachment: Attachment, index: i32, touched: bool): i32 {
  if (attachment.format == FORMAT_NONE) return STATUS_DONE;
  const resolve: usize = attachment.resolveAddress;
  if (isCleared(attachment, !touched)) {
    // All samples are clear, so their mean is clear too.
    if (resolve) clearRows(tile, attachment, resolve, attachment.resolveRowBytes);
    if (attachment.store) return storeClear(tile, attachment);
  } else if (resolve && !resolveStored(tile, attachment, tile.plane(index))) {
    keepPairs(tile, index, true);
    loadColor(tile, attachment, index);
    resolvePlane(tile, attachment, index);
  }
  return STATUS_DONE;
}

/** Stores a tile that only holds the clear value. */
function storeClear(tile: Tile, attachment: Attachment): i32 {
  if (tile.samples == 1) {
    clearRows(tile, attachment, attachment.address, attachment.rowBytes);
    return STATUS_DONE;
  }
  const surface = attachment.surface;
  // No pixel is written, so any plane can be passed.
  const staging = ownStaging(tile, tile.ids, surface.texelBytes);
  noteClear(tile, attachment);
  if (!tile.encodes) return fillTile(surface, tile.number, staging);
  clearTile(surface, tile.number, staging.ownClear);
  return STATUS_DONE;
}

/** Whether a tile of the attachment starts with the clear value. */
function isCleared(attachment: Attachment, first: bool): bool {
  return first && attachment.clear != 0 && attachment.readOnly == 0;
}

/**
 * Whether a plane is written to its surface. Read-only planes never are. Others are written after each chunk of the
 * pass, but after the last one only if the attachment is to be stored.
 */
function isStored(attachment: Attachment, last: bool): bool {
  return (!last || attachment.store != 0) && attachment.readOnly == 0;
}

/** The STAGING for a plane that stores all samples separately and has no block states, with `bytes` per texel. */
export function ownStaging(tile: Tile, samples: usize, bytes: i32): Staging {
  const staging = tile.staging;
  const plane = staging.own;
  plane.samples = samples;
  plane.pixels = 0;
  plane.states = staging.ownStates;
  plane.perSample = staging.ownPerSample;
  plane.secondTexels = 0;
  plane.clear = staging.ownClear;
  plane.texelBytes = bytes;
  plane.layers = tile.layers;
  memory.fill(staging.ownStates, 0, TILE_BLOCKS);
  memory.fill(staging.ownPerSample, 0xff, TILE_BLOCKS << 3);
  staging.plane = plane;
  staging.planeBlocks = 0;
  return staging;
}

/**
 * Writes the plane's clear value to a staging from ownStaging: the pass's value, or the one that the tile was last
 * cleared to.
 */
function noteClear(tile: Tile, attachment: Attachment): void {
  const texel = tile.staging.ownClear;
  if (!isCleared(attachment, true)) {
    memory.copy(texel, attachment.surface.tile(tile.number).clear, 16);
    return;
  }
  clearTexel(tile.pass, attachment, texel, false);
  repeat(texel, attachment.surface.texelBytes, 16);
}

function fillDepth(tile: Tile, attachment: Attachment, first: bool): void {
  const plane: usize = tile.depth;
  tile.flatDepths = 0;
  if (plane && isCleared(attachment, first)) {
    clearTexel(tile.pass, attachment, plane, true);
    beginDepthBlocks(tile, DEPTH_CLEAR, load<f32>(plane));
    return;
  }
  beginDepthBlocks(tile, DEPTH_STORED, 0);
  if (!plane) return;
  if (tile.samples == 1) loadDepthRows(tile, attachment);
  else loadDepth(tile, attachment, plane);
}

/** Loads multisampled depth. Clear blocks stay clear, and planes stay planes. */
function loadDepth(tile: Tile, attachment: Attachment, plane: usize): void {
  const staging = ownStaging(tile, plane, attachment.surface.texelBytes);
  const narrow = isNarrow(tile, attachment);
  loadTile(attachment.surface, tile.number, staging, false);
  if (narrow) widenDepths(plane, contextTexels(tile));
  const clear = clearDepth(staging, narrow);
  for (let block = 0; block < TILE_BLOCKS; block++) {
    if (!staging.own.isClear(block)) continue;
    const record = tile.depthBlock(block);
    record.low = clear;
    record.high = clear;
    record.source = DEPTH_CLEAR;
  }
  for (let rest = staging.planeBlocks; rest; rest &= rest - 1) {
    const block = <i32>ctz(rest);
    setPlane(tile, storedPlane(staging.depthPlane(block)), block);
  }
}

function clearDepth(staging: Staging, narrow: bool): f32 {
  return narrow ? widenDepth16(load<u16>(staging.ownClear)) : load<f32>(staging.ownClear);
}

/** Number of texels of a plane in the tile, in all layers. */
function contextTexels(tile: Tile): i32 {
  return TILE_PIXELS * tile.layerSamples * tile.layers;
}

function storeDepth(tile: Tile, attachment: Attachment, last: bool): i32 {
  const plane: usize = tile.depth;
  if (tile.samples == 1) {
    storeDepthRows(tile, attachment);
    return STATUS_DONE;
  }
  const surface = attachment.surface;
  const staging = ownStaging(tile, plane, surface.texelBytes);
  const narrow = isNarrow(tile, attachment);
  noteClear(tile, attachment);
  const clear = reinterpret<u32>(clearDepth(staging, narrow));
  const keeps = tile.encodes != 0 && !narrow;
  for (let block = 0; block < TILE_BLOCKS; block++) {
    const record = tile.depthBlock(block);
    const isClear = record.source == DEPTH_CLEAR && clear == reinterpret<u32>(record.low) && tile.encodes != 0;
    if (keeps && isPlane(tile, block) && slopes(changetype<Triangle>(record.source)))
      notePlane(staging, block, changetype<Triangle>(record.source));
    else if (!isClear) expandDepth(tile, block);
    store<u8>(staging.ownStates + block, isClear);
  }
  if (narrow) narrowDepths(plane, contextTexels(tile));
  const status = storeMerged(tile, surface, staging, last);
  if (narrow && status != STATUS_DONE) widenDepths(plane, contextTexels(tile));
  return status;
}

function fillStencil(tile: Tile, attachment: Attachment, first: bool): void {
  const plane: usize = tile.stencil;
  const cleared = isCleared(attachment, first);
  beginStencilBlocks(tile, cleared ? load<u32>(attachment.clearValue) & 255 : STENCIL_STORED);
  if (cleared) return;
  if (tile.samples == 1) {
    movePlane<Load>(tile, attachment, plane);
    return;
  }
  const staging = ownStaging(tile, plane, 1);
  loadTile(attachment.surface, tile.number, staging, false);
  const clear = load<u8>(staging.ownClear);
  for (let block = 0; block < TILE_BLOCKS; block++) if (staging.own.isClear(block)) setStencil(tile, block, clear);
}

function storeStencil(tile: Tile, attachment: Attachment): i32 {
  if (tile.samples == 1) {
    for (let block = 0; block < TILE_BLOCKS; block++) expandStencil(tile, block);
    movePlane<Store>(tile, attachment, tile.stencil);
    return STATUS_DONE;
  }
  const staging = ownStaging(tile, tile.stencil, 1);
  noteClear(tile, attachment);
  const clear: i32 = tile.encodes ? load<u8>(staging.ownClear) : STENCIL_STORED;
  for (let block = 0; block < TILE_BLOCKS; block++) {
    const isClear = stencilOf(tile, block) == clear && clear != STENCIL_STORED;
    if (!isClear) expandStencil(tile, block);
    store<u8>(staging.ownStates + block, isClear);
  }
  return storeTile(attachment.surface, tile.number, staging);
}

function loadColor(tile: Tile, attachment: Attachment, index: i32): void {
  if (tile.samples == 1) {
    noteSamples(tile, index);
    movePlane<Load>(tile, attachment, tile.plane(index).samples);
    return;
  }
  loadTile(attachment.surface, tile.number, colorStaging(tile, index), !tile.encodes);
}

function storeColor(tile: Tile, attachment: Attachment, index: i32, last: bool): i32 {
  if (tile.samples == 1) {
    const plane = tile.plane(index);
    if (plane.unloaded == ALL_BLOCKS) return STATUS_DONE;
    if (isAllClear(plane)) {
      fillPlane(tile, attachment, plane.clear);
      return STATUS_DONE;
    }
    if (plane.unloaded) loadRows(tile, attachment, plane, plane.unloaded);
    expandColors(tile, index);
    movePlane<Store>(tile, attachment, plane.samples);
    return STATUS_DONE;
  }
  allowPairs(tile, index);
  return storeMerged(tile, attachment.surface, colorStaging(tile, index), last);
}

/**
 * Stores a tile. At the pass's end, samples within the surface's threshold are merged first; not before, so that what
 * the pass itself reads is exact.
 */
function storeMerged(tile: Tile, surface: Surface, staging: Staging, last: bool): i32 {
  if (last && surface.threshold > 0 && surface.encodes != 0) mergeTile(surface, tile.number, staging);
  return storeTile(surface, tile.number, staging);
}

function colorStaging(tile: Tile, index: i32): Staging {
  const staging = tile.staging;
  staging.plane = tile.plane(index);
  staging.planeBlocks = 0;
  return staging;
}
