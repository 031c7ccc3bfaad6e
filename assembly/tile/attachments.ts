// A tile's planes at its beginning and end: loaded or cleared, resolved, stored. Surfaces of one sample lie in rows (surface/tile.ts); those of several
// are encoded (surface/encode.ts, decode.ts) and go through the context's STAGE.

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

/** Loads the planes of the context's tile, or notes that their blocks are clear; `first`: the pass has not come to the tile before. */
export function fillAttachments(context: Tile, pass: Pass, tile: i32, first: bool): void {
  fillDepth(context, pass, tile, first);
  fillStencil(context, pass, tile, first);
  for (let i = 0; i < colorCount(pass); i++) fillColor(context, pass, i, tile, first);
}

/**
 * Resolves, at the pass's end (`last`), and stores what the context holds: before the end all that may be written. STATUS_NEEDS_MEMORY when there is
 * no page for a tile: what was stored by then stays so, and the call can be made again.
 */
export function finishAttachments(context: Tile, pass: Pass, tile: i32, last: bool): i32 {
  const depth = pass.depth;
  const stencil = pass.stencil;
  if (context.depth && isStored(depth, last)) {
    const status = storeDepth(context, pass, tile, last);
    if (status != STATUS_DONE) return status;
  }
  if (context.stencil && isStored(stencil, last)) {
    const status = storeStencil(context, pass, tile);
    if (status != STATUS_DONE) return status;
  }
  for (let i = 0; i < colorCount(pass); i++) {
    if (!context.plane(<usize>i).samples) continue;
    const attachment = colorAttachment(pass, i);
    if (last && attachment.resolveAddress) resolvePlane(context, attachment, i);
    if (!isStored(attachment, last)) continue;
    const status = storeColor(context, pass, i, tile, last);
    if (status != STATUS_DONE) return status;
  }
  return STATUS_DONE;
}

/** The end of the pass for a tile whose list is empty; `touched`: an earlier chunk has stored it. As finishAttachments. */
export function finishIdle(context: Tile, pass: Pass, tile: i32, touched: bool): i32 {
  let status = finishIdlePlane(context, pass, pass.depth, PLANE_DEPTH, -1, tile, touched);
  if (status == STATUS_DONE) status = finishIdlePlane(context, pass, pass.stencil, PLANE_STENCIL, -1, tile, touched);
  for (let i = 0; i < colorCount(pass) && status == STATUS_DONE; i++) {
    status = finishIdlePlane(context, pass, colorAttachment(pass, i), PLANE_COLOR, i, tile, touched);
  }
  return status;
}

/** `index`: of a colour target. */
function finishIdlePlane(context: Tile, pass: Pass, attachment: Attachment, plane: i32, index: i32, tile: i32, touched: bool): i32 {
  if (attachment.format == FORMAT_NONE) return STATUS_DONE;
  const resolve: usize = attachment.resolveAddress;
  if (isCleared(attachment, !touched)) {
    // All samples are clear, and so is their mean.
    if (resolve) clearRows(context, attachment, plane, resolve, attachment.resolveRowBytes);
    if (attachment.store) return storeClear(context, pass, attachment, plane, tile);
  } else if (resolve && !resolveStored(context, attachment, tile)) {
    loadColor(context, pass, index, tile);
    resolvePlane(context, attachment, index);
  }
  return STATUS_DONE;
}

/** Stores a tile that holds the clear value and nothing else. */
function storeClear(context: Tile, pass: Pass, attachment: Attachment, plane: i32, tile: i32): i32 {
  if (pass.samples == 1) {
    clearRows(context, attachment, plane, attachment.address, attachment.rowBytes);
    return STATUS_DONE;
  }
  const surface = attachment.surface;
  // No pixel is written: any plane will do.
  const stage = ownStage(context, context.ids, surface.texelBytes);
  noteClear(attachment, plane, surface, tile, stage);
  if (pass.encodes) {
    clearTile(surface, tile, stage.ownClear);
    return STATUS_DONE;
  }
  return fillTile(surface, tile, stage);
}

/** Whether a tile of the attachment starts with the clear value. */
// @ts-ignore: decorator
@inline
function isCleared(attachment: Attachment, first: bool): bool {
  return first && <u32>attachment.clear != 0 && <u32>attachment.readOnly == 0;
}

/** Whether a plane goes to its surface: at the pass's end if it is to be stored, before it always. */
// @ts-ignore: decorator
@inline
function isStored(attachment: Attachment, last: bool): bool {
  return (!last || attachment.store != 0) && <u32>attachment.readOnly == 0;
}

/** The STAGE of a plane that has all its samples, of `bytes` a texel, and no states of its own. */
export function ownStage(context: Tile, samples: usize, bytes: i32): Stage {
  const stage = context.stage;
  const plane = stage.own;
  plane.samples = samples;
  plane.pixels = 0;
  plane.states = stage.ownStates;
  plane.perSample = stage.ownPerSample;
  plane.clear = stage.ownClear;
  plane.texelBytes = bytes;
  plane.layers = context.layers;
  stage.plane = plane;
  return stage;
}

/** Puts the clear value of the plane into an own stage: the pass's, or what the tile was last cleared to. */
function noteClear(attachment: Attachment, plane: i32, surface: Surface, tile: i32, stage: Stage): void {
  const texel = stage.ownClear;
  if (!isCleared(attachment, true)) {
    memory.copy(texel, tileAt(surface, tile) + changetype<usize>(changetype<SurfaceTile>(0).clear), 16);
    return;
  }
  clearTexel(attachment, plane, texel, false);
  repeat(texel, surface.texelBytes, 16);
}

function fillDepth(context: Tile, pass: Pass, tile: i32, first: bool): void {
  const attachment = pass.depth;
  const plane: usize = context.depth;
  if (plane && isCleared(attachment, first)) {
    clearTexel(attachment, PLANE_DEPTH, plane, true);
    beginDepthBlocks(context, DEPTH_CLEAR, load<f32>(plane));
    return;
  }
  beginDepthBlocks(context, DEPTH_STORED, 0);
  if (!plane) return;
  if (pass.samples == 1) loadPlane(context, attachment, PLANE_DEPTH, plane);
  else loadDepth(context, attachment, plane, tile);
}

// @ts-ignore: decorator
@inline
function isNarrow(attachment: Attachment): bool {
  return attachment.format == FORMAT_DEPTH16UNORM;
}

/** Depths of several samples; clear blocks keep that state. */
function loadDepth(context: Tile, attachment: Attachment, plane: usize, tile: i32): void {
  const stage = ownStage(context, plane, attachment.surface.texelBytes);
  loadTile(attachment.surface, tile, stage, false);
  if (isNarrow(attachment)) widenDepths(plane, contextTexels(context));
  const clear: f32 = isNarrow(attachment) ? widenDepth16(load<u16>(stage.ownClear)) : load<f32>(stage.ownClear);
  for (let block = 0; block < TILE_BLOCKS; block++) {
    if (!load<u8>(stage.ownStates + <usize>block)) continue;
    const record = context.depthBlock(<usize>block);
    record.low = clear;
    record.high = clear;
    record.source = DEPTH_CLEAR;
  }
}

/** Texels of a plane in the context, all layers. */
// @ts-ignore: decorator
@inline
function contextTexels(context: Tile): i32 {
  return TILE_PIXELS * context.layerSamples * context.layers;
}

function storeDepth(context: Tile, pass: Pass, tile: i32, last: bool): i32 {
  const attachment = pass.depth;
  const plane: usize = context.depth;
  if (pass.samples == 1) {
    spreadDepths(context);
    storePlane(context, attachment, PLANE_DEPTH, plane);
    return STATUS_DONE;
  }
  const surface = attachment.surface;
  const stage = ownStage(context, plane, surface.texelBytes);
  const narrow = isNarrow(attachment);
  noteClear(attachment, PLANE_DEPTH, surface, tile, stage);
  const clear: f32 = narrow ? widenDepth16(load<u16>(stage.ownClear)) : load<f32>(stage.ownClear);
  for (let block = 0; block < TILE_BLOCKS; block++) {
    const record = context.depthBlock(<usize>block);
    const isClear = record.source == DEPTH_CLEAR && reinterpret<u32>(clear) == load<u32>(changetype<usize>(record) + offsetof<DepthBlock>('low')) && pass.encodes != 0;
    if (!isClear) spreadDepth(context, block);
    store<u8>(stage.ownStates + <usize>block, isClear ? 1 : 0);
  }
  memory.fill(stage.ownPerSample, 0xff, TILE_BLOCKS << 3);
  if (narrow) narrowDepths(plane, contextTexels(context));
  const status = storeMerged(surface, tile, stage, last);
  if (narrow && status != STATUS_DONE) widenDepths(plane, contextTexels(context));
  return status;
}

function fillStencil(context: Tile, pass: Pass, tile: i32, first: bool): void {
  const attachment = pass.stencil;
  const plane: usize = context.stencil;
  if (!plane) return;
  if (isCleared(attachment, first)) clearPlane(attachment, PLANE_STENCIL, plane, contextTexels(context));
  else if (pass.samples == 1) loadPlane(context, attachment, PLANE_STENCIL, plane);
  else loadTile(attachment.surface, tile, ownStage(context, plane, 1), true);
}

function storeStencil(context: Tile, pass: Pass, tile: i32): i32 {
  const attachment = pass.stencil;
  const plane: usize = context.stencil;
  if (pass.samples == 1) {
    storePlane(context, attachment, PLANE_STENCIL, plane);
    return STATUS_DONE;
  }
  const surface = attachment.surface;
  const stage = ownStage(context, plane, surface.texelBytes);
  noteClear(attachment, PLANE_STENCIL, surface, tile, stage);
  memory.fill(stage.ownStates, 0, TILE_BLOCKS);
  memory.fill(stage.ownPerSample, 0xff, TILE_BLOCKS << 3);
  return storeTile(surface, tile, stage);
}

function fillColor(context: Tile, pass: Pass, index: i32, tile: i32, first: bool): void {
  const attachment = colorAttachment(pass, index);
  if (attachment.format == FORMAT_NONE) return;
  if (isCleared(attachment, first)) clearColors(context, attachment, index);
  else loadColor(context, pass, index, tile);
}

function loadColor(context: Tile, pass: Pass, index: i32, tile: i32): void {
  const attachment = colorAttachment(pass, index);
  if (pass.samples == 1) {
    noteSamples(context, index);
    loadPlane(context, attachment, PLANE_COLOR, context.plane(<usize>index).samples);
    return;
  }
  loadTile(attachment.surface, tile, colorStage(context, index), !pass.encodes);
}

function storeColor(context: Tile, pass: Pass, index: i32, tile: i32, last: bool): i32 {
  const attachment = colorAttachment(pass, index);
  if (pass.samples == 1) {
    spreadColors(context, index);
    storePlane(context, attachment, PLANE_COLOR, context.plane(<usize>index).samples);
    return STATUS_DONE;
  }
  return storeMerged(attachment.surface, tile, colorStage(context, index), last);
}

/** Samples that are near enough become one at the pass's end, not before: what the pass itself reads is exact. */
function storeMerged(surface: Surface, tile: i32, stage: Stage, last: bool): i32 {
  if (last && surface.threshold > 0 && surface.encodes != 0) mergeTile(surface, tile, stage);
  return storeTile(surface, tile, stage);
}

function colorStage(context: Tile, index: i32): Stage {
  context.stage.plane = context.plane(<usize>index);
  return context.stage;
}

// @ts-ignore: decorator
@inline
export function colorAttachment(pass: Pass, index: i32): Attachment {
  return pass.color(<usize>index);
}

// @ts-ignore: decorator
@inline
export function colorCount(pass: Pass): i32 {
  const count = pass.colorCount;
  return count < MAX_COLOR_TARGETS ? count : MAX_COLOR_TARGETS;
}
