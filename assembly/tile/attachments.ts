// A tile's planes at its beginning and end: loaded or cleared, resolved, stored. Surfaces of one sample lie in rows
// (surface/tile.ts); multisampled ones are encoded (surface/encode.ts, decode.ts) and go through the context's STAGE.

import {
  Attachment, DEPTH_CLEAR, DEPTH_STORED, DepthBlock, FORMAT_DEPTH16UNORM, FORMAT_NONE, MAX_COLOR_TARGETS, Pass, Stage,
  STATUS_DONE, Surface, SurfaceTile, Tile, TILE_BLOCKS, TILE_PIXELS,
} from '../layout';
import { loadTile } from '../surface/decode';
import { clearTile, fillTile, storeTile } from '../surface/encode';
import { mergeTile } from '../surface/merge';
import { tileAt } from '../surface/stored';
import { clearColors, noteSamples, spreadColors } from './colors';
import { beginDepthBlocks, spreadDepth, spreadDepths } from './depth-blocks';
import { resolvePlane } from './resolve';
import { resolveStored } from './resolve-stored';
import {
  clearPlane, clearRows, clearTexel, loadPlane, narrowDepths, PLANE_COLOR, PLANE_DEPTH, PLANE_STENCIL, repeat,
  storePlane, widenDepth16, widenDepths,
} from './rows';

/**
 * Loads the planes of the context's tile, or notes that their blocks are clear; `first`: the pass has not come to the
 * tile before.
 */
export function fillAttachments(tile: Tile, first: bool): void {
  fillDepth(tile, first);
  fillStencil(tile, first);
  for (let i = 0; i < colorCount(tile.pass); i++) fillColor(tile, i, first);
}

/**
 * Resolves, at the pass's end (`last`), and stores what the context holds: before the end all that may be written.
 * STATUS_NEEDS_MEMORY when there is no page for a tile: what was stored by then stays so, and the call can be made
 * again.
 */
export function finishAttachments(tile: Tile, last: bool): i32 {
  const depth = tile.pass.depth;
  const stencil = tile.pass.stencil;
  if (tile.depth && isStored(depth, last)) {
    const status = storeDepth(tile, last);
    if (status != STATUS_DONE) return status;
  }
  if (tile.stencil && isStored(stencil, last)) {
    const status = storeStencil(tile);
    if (status != STATUS_DONE) return status;
  }
  for (let i = 0; i < colorCount(tile.pass); i++) {
    if (!tile.plane(i).samples) continue;
    const attachment = colorAttachment(tile.pass, i);
    if (last && attachment.resolveAddress) resolvePlane(tile, attachment, i);
    if (!isStored(attachment, last)) continue;
    const status = storeColor(tile, i, last);
    if (status != STATUS_DONE) return status;
  }
  return STATUS_DONE;
}

/**
 * The end of the pass for a tile whose list is empty; `touched`: an earlier chunk has stored it. As finishAttachments.
 */
export function finishIdle(tile: Tile, touched: bool): i32 {
  let status = finishIdlePlane(tile, tile.pass.depth, PLANE_DEPTH, -1, touched);
  if (status == STATUS_DONE) status = finishIdlePlane(tile, tile.pass.stencil, PLANE_STENCIL, -1, touched);
  for (let i = 0; i < colorCount(tile.pass) && status == STATUS_DONE; i++) {
    status = finishIdlePlane(tile, colorAttachment(tile.pass, i), PLANE_COLOR, i, touched);
  }
  return status;
}

/** `index`: of a colour target. */
function finishIdlePlane(tile: Tile, attachment: Attachment, plane: i32, index: i32, touched: bool): i32 {
  if (attachment.format == FORMAT_NONE) return STATUS_DONE;
  const resolve: usize = attachment.resolveAddress;
  if (isCleared(attachment, !touched)) {
    // All samples are clear, and so is their mean.
    if (resolve) clearRows(tile, attachment, plane, resolve, attachment.resolveRowBytes);
    if (attachment.store) return storeClear(tile, attachment, plane);
  } else if (resolve && !resolveStored(tile, attachment)) {
    loadColor(tile, index);
    resolvePlane(tile, attachment, index);
  }
  return STATUS_DONE;
}

/** Stores a tile that holds the clear value and nothing else. */
function storeClear(tile: Tile, attachment: Attachment, plane: i32): i32 {
  if (tile.pass.samples == 1) {
    clearRows(tile, attachment, plane, attachment.address, attachment.rowBytes);
    return STATUS_DONE;
  }
  const surface = attachment.surface;
  // No pixel is written: any plane will do.
  const stage = ownStage(tile, tile.ids, surface.texelBytes);
  noteClear(tile, attachment, plane);
  if (tile.pass.encodes) {
    clearTile(surface, tile.number, stage.ownClear);
    return STATUS_DONE;
  }
  return fillTile(surface, tile.number, stage);
}

/** Whether a tile of the attachment starts with the clear value. */
function isCleared(attachment: Attachment, first: bool): bool {
  return first && attachment.clear != 0 && attachment.readOnly == 0;
}

/** Whether a plane goes to its surface: at the pass's end if it is to be stored, before it always. */
function isStored(attachment: Attachment, last: bool): bool {
  return (!last || attachment.store != 0) && attachment.readOnly == 0;
}

/** The STAGE of a plane that has all its samples, of `bytes` a texel, and no states of its own. */
export function ownStage(tile: Tile, samples: usize, bytes: i32): Stage {
  const stage = tile.stage;
  const plane = stage.own;
  plane.samples = samples;
  plane.pixels = 0;
  plane.states = stage.ownStates;
  plane.perSample = stage.ownPerSample;
  plane.clear = stage.ownClear;
  plane.texelBytes = bytes;
  plane.layers = tile.layers;
  stage.plane = plane;
  return stage;
}

/** Puts the clear value of the plane into an own stage: the pass's, or what the tile was last cleared to. */
function noteClear(tile: Tile, attachment: Attachment, plane: i32): void {
  const texel = tile.stage.ownClear;
  if (!isCleared(attachment, true)) {
    memory.copy(
      texel, tileAt(attachment.surface, tile.number) + changetype<usize>(changetype<SurfaceTile>(0).clear), 16
    );
    return;
  }
  clearTexel(attachment, plane, texel, false);
  repeat(texel, attachment.surface.texelBytes, 16);
}

function fillDepth(tile: Tile, first: bool): void {
  const attachment = tile.pass.depth;
  const plane: usize = tile.depth;
  if (plane && isCleared(attachment, first)) {
    clearTexel(attachment, PLANE_DEPTH, plane, true);
    beginDepthBlocks(tile, DEPTH_CLEAR, load<f32>(plane));
    return;
  }
  beginDepthBlocks(tile, DEPTH_STORED, 0);
  if (!plane) return;
  if (tile.pass.samples == 1) loadPlane(tile, attachment, PLANE_DEPTH, plane);
  else loadDepth(tile, attachment, plane);
}

function isNarrow(attachment: Attachment): bool {
  return attachment.format == FORMAT_DEPTH16UNORM;
}

/** Multisampled depths; clear blocks keep that state. */
function loadDepth(tile: Tile, attachment: Attachment, plane: usize): void {
  const stage = ownStage(tile, plane, attachment.surface.texelBytes);
  loadTile(attachment.surface, tile.number, stage, false);
  if (isNarrow(attachment)) widenDepths(plane, contextTexels(tile));
  const clear: f32 = isNarrow(attachment) ? widenDepth16(load<u16>(stage.ownClear)) : load<f32>(stage.ownClear);
  for (let block = 0; block < TILE_BLOCKS; block++) {
    if (!load<u8>(stage.ownStates + block)) continue;
    const record = tile.depthBlock(block);
    record.low = clear;
    record.high = clear;
    record.source = DEPTH_CLEAR;
  }
}

/** Texels of a plane in the tile, all layers. */
function contextTexels(tile: Tile): i32 {
  return TILE_PIXELS * tile.layerSamples * tile.layers;
}

function storeDepth(tile: Tile, last: bool): i32 {
  const attachment = tile.pass.depth;
  const plane: usize = tile.depth;
  if (tile.pass.samples == 1) {
    spreadDepths(tile);
    storePlane(tile, attachment, PLANE_DEPTH, plane);
    return STATUS_DONE;
  }
  const surface = attachment.surface;
  const stage = ownStage(tile, plane, surface.texelBytes);
  const narrow = isNarrow(attachment);
  noteClear(tile, attachment, PLANE_DEPTH);
  const clear: f32 = narrow ? widenDepth16(load<u16>(stage.ownClear)) : load<f32>(stage.ownClear);
  for (let block = 0; block < TILE_BLOCKS; block++) {
    const record = tile.depthBlock(block);
    const isClear = record.source == DEPTH_CLEAR
      && reinterpret<u32>(clear) == load<u32>(changetype<usize>(record) + offsetof<DepthBlock>('low'))
      && tile.pass.encodes != 0;
    if (!isClear) spreadDepth(tile, block);
    store<u8>(stage.ownStates + block, isClear ? 1 : 0);
  }
  memory.fill(stage.ownPerSample, 0xff, TILE_BLOCKS << 3);
  if (narrow) narrowDepths(plane, contextTexels(tile));
  const status = storeMerged(tile, surface, stage, last);
  if (narrow && status != STATUS_DONE) widenDepths(plane, contextTexels(tile));
  return status;
}

function fillStencil(tile: Tile, first: bool): void {
  const attachment = tile.pass.stencil;
  const plane: usize = tile.stencil;
  if (!plane) return;
  if (isCleared(attachment, first)) clearPlane(attachment, PLANE_STENCIL, plane, contextTexels(tile));
  else if (tile.pass.samples == 1) loadPlane(tile, attachment, PLANE_STENCIL, plane);
  else loadTile(attachment.surface, tile.number, ownStage(tile, plane, 1), true);
}

function storeStencil(tile: Tile): i32 {
  const attachment = tile.pass.stencil;
  const plane: usize = tile.stencil;
  if (tile.pass.samples == 1) {
    storePlane(tile, attachment, PLANE_STENCIL, plane);
    return STATUS_DONE;
  }
  const surface = attachment.surface;
  const stage = ownStage(tile, plane, surface.texelBytes);
  noteClear(tile, attachment, PLANE_STENCIL);
  memory.fill(stage.ownStates, 0, TILE_BLOCKS);
  memory.fill(stage.ownPerSample, 0xff, TILE_BLOCKS << 3);
  return storeTile(surface, tile.number, stage);
}

function fillColor(tile: Tile, index: i32, first: bool): void {
  const attachment = colorAttachment(tile.pass, index);
  if (attachment.format == FORMAT_NONE) return;
  if (isCleared(attachment, first)) clearColors(tile, attachment, index);
  else loadColor(tile, index);
}

function loadColor(tile: Tile, index: i32): void {
  const attachment = colorAttachment(tile.pass, index);
  if (tile.pass.samples == 1) {
    noteSamples(tile, index);
    loadPlane(tile, attachment, PLANE_COLOR, tile.plane(index).samples);
    return;
  }
  loadTile(attachment.surface, tile.number, colorStage(tile, index), !tile.pass.encodes);
}

function storeColor(tile: Tile, index: i32, last: bool): i32 {
  const attachment = colorAttachment(tile.pass, index);
  if (tile.pass.samples == 1) {
    spreadColors(tile, index);
    storePlane(tile, attachment, PLANE_COLOR, tile.plane(index).samples);
    return STATUS_DONE;
  }
  return storeMerged(tile, attachment.surface, colorStage(tile, index), last);
}

/** Samples that are near enough become one at the pass's end, not before: what the pass itself reads is exact. */
function storeMerged(tile: Tile, surface: Surface, stage: Stage, last: bool): i32 {
  if (last && surface.threshold > 0 && surface.encodes != 0) mergeTile(surface, tile.number, stage);
  return storeTile(surface, tile.number, stage);
}

function colorStage(tile: Tile, index: i32): Stage {
  tile.stage.plane = tile.plane(index);
  return tile.stage;
}

export function colorAttachment(pass: Pass, index: i32): Attachment {
  return pass.color(index);
}

export function colorCount(pass: Pass): i32 {
  const count = pass.colorCount;
  return count < MAX_COLOR_TARGETS ? count : MAX_COLOR_TARGETS;
}
