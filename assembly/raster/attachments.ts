// A tile's planes at its beginning and end: loaded or cleared, resolved, stored. Surfaces of one sample lie in rows (surface/tile.ts); those of several
// are encoded (surface/encode.ts, decode.ts) and go through the context's STAGE.

import {
  CTX_CLEAR_TEXELS, CTX_COLORS, CTX_DEPTH, CTX_DEPTH_BLOCKS, CTX_IDS, CTX_LAYERS, CTX_SAMPLES, CTX_STAGE,
  CTX_STENCIL, CTX_TILE_X, CTX_TILE_Y, DEPTH_BLOCK_HIGH, DEPTH_BLOCK_LOW, DEPTH_BLOCK_SHIFT, DEPTH_BLOCK_SOURCE, DEPTH_CLEAR, DEPTH_STORED,
} from '../layout/context';
import { FORMAT_DEPTH16UNORM, FORMAT_NONE } from '../layout/formats';
import { MAX_COLOR_TARGETS, TILE_BLOCKS } from '../layout/limits';
import {
  ATTACHMENT_BYTES, ATTACHMENT_CLEAR, ATTACHMENT_FORMAT, ATTACHMENT_READ_ONLY, ATTACHMENT_RESOLVE_ADDRESS, ATTACHMENT_RESOLVE_ROW_BYTES, ATTACHMENT_STORE,
  ATTACHMENT_SURFACE, PASS_COLOR0, PASS_COLOR_COUNT, PASS_DEPTH, PASS_ENCODES, PASS_HEIGHT, PASS_SAMPLES, PASS_STENCIL, PASS_WIDTH,
} from '../layout/pass';
import { STATUS_DONE } from '../layout/status';
import {
  STAGE_CLEAR, STAGE_OWN_CLEAR, STAGE_OWN_SEVERAL, STAGE_OWN_STATES, STAGE_PIXELS, STAGE_SAMPLES, STAGE_SEVERAL, STAGE_STATES, SURFACE_BYTES_TEXEL, SURFACE_ENCODES,
  SURFACE_THRESHOLD, SURFACE_TILE_CLEAR,
} from '../layout/surface';
import { TILE_PIXELS } from '../layout/tile';
import { beginDepthBlocks, spreadDepth, spreadDepths } from '../output/depth-blocks';
import { clearColors, colorStates, noteSamples, pixelPlane, samplePlane, severalPixels, spreadColors } from '../surface/color-blocks';
import { loadTile } from '../surface/decode';
import { clearTile, fillTile, storeTile } from '../surface/encode';
import { mergeTile } from '../surface/merge';
import { resolvePlane } from '../surface/resolve';
import { resolveStored } from '../surface/resolve-stored';
import { tileAt } from '../surface/stored';
import { texelBytes } from '../surface/texel';
import {
  clearPlane, clearRows, clearTexel, loadPlane, narrowDepths, PLANE_COLOR, PLANE_DEPTH, PLANE_STENCIL, repeat, storeClearRows, storePlane, widenDepth16, widenDepths, within,
} from '../surface/tile';

/** Loads the planes of the context's tile, or notes that their blocks are clear; `first`: the pass has not come to the tile before. */
export function fillAttachments(context: usize, pass: usize, tile: i32, first: bool): void {
  fillDepth(context, pass, tile, first);
  fillStencil(context, pass, tile, first);
  for (let i = 0; i < colorCount(pass); i++) fillColor(context, pass, i, tile, first);
}

/**
 * Resolves, at the pass's end (`last`), and stores what the context holds: before the end all that may be written. STATUS_NEEDS_MEMORY when there is
 * no page for a tile: what was stored by then stays so, and the call can be made again.
 */
export function finishAttachments(context: usize, pass: usize, tile: i32, last: bool): i32 {
  const depth = pass + PASS_DEPTH;
  const stencil = pass + PASS_STENCIL;
  if (load<usize>(context + CTX_DEPTH) && isStored(depth, last)) {
    const status = storeDepth(context, pass, tile, last);
    if (status != STATUS_DONE) return status;
  }
  if (load<usize>(context + CTX_STENCIL) && isStored(stencil, last)) {
    const status = storeStencil(context, pass, tile);
    if (status != STATUS_DONE) return status;
  }
  for (let i = 0; i < colorCount(pass); i++) {
    if (!load<usize>(context + CTX_COLORS + (<usize>i << 2))) continue;
    const attachment = colorAttachment(pass, i);
    if (last && load<usize>(attachment + ATTACHMENT_RESOLVE_ADDRESS)) {
      const x = load<i32>(context + CTX_TILE_X);
      const y = load<i32>(context + CTX_TILE_Y);
      resolvePlane(context, attachment, i, x, y, within(x, load<i32>(pass + PASS_WIDTH)), within(y, load<i32>(pass + PASS_HEIGHT)));
    }
    if (!isStored(attachment, last)) continue;
    const status = storeColor(context, pass, i, tile, last);
    if (status != STATUS_DONE) return status;
  }
  return STATUS_DONE;
}

/** The end of the pass for a tile whose list is empty; `touched`: an earlier chunk has stored it. As finishAttachments. */
export function finishIdle(context: usize, pass: usize, tile: i32, x: i32, y: i32, touched: bool): i32 {
  store<i32>(context, x, CTX_TILE_X);
  store<i32>(context, y, CTX_TILE_Y);
  let status = finishIdlePlane(context, pass, pass + PASS_DEPTH, PLANE_DEPTH, -1, tile, touched);
  if (status == STATUS_DONE) status = finishIdlePlane(context, pass, pass + PASS_STENCIL, PLANE_STENCIL, -1, tile, touched);
  for (let i = 0; i < colorCount(pass) && status == STATUS_DONE; i++) {
    status = finishIdlePlane(context, pass, colorAttachment(pass, i), PLANE_COLOR, i, tile, touched);
  }
  return status;
}

/** `index`: of a colour target. */
function finishIdlePlane(context: usize, pass: usize, attachment: usize, plane: i32, index: i32, tile: i32, touched: bool): i32 {
  if (load<i32>(attachment + ATTACHMENT_FORMAT) == FORMAT_NONE) return STATUS_DONE;
  const x = load<i32>(context + CTX_TILE_X);
  const y = load<i32>(context + CTX_TILE_Y);
  const width = within(x, load<i32>(pass + PASS_WIDTH));
  const height = within(y, load<i32>(pass + PASS_HEIGHT));
  const resolve: usize = load<usize>(attachment + ATTACHMENT_RESOLVE_ADDRESS);
  if (isCleared(attachment, !touched)) {
    // All samples are clear, and so is their mean.
    if (resolve) clearRows(attachment, plane, resolve, load<u32>(attachment + ATTACHMENT_RESOLVE_ROW_BYTES), x, y, width, height);
    if (load<u32>(attachment + ATTACHMENT_STORE)) return storeClear(context, pass, attachment, plane, tile);
  } else if (resolve && !resolveStored(load<usize>(attachment + ATTACHMENT_SURFACE), tile, attachment, x, y, width, height)) {
    loadColor(context, pass, index, tile);
    resolvePlane(context, attachment, index, x, y, width, height);
  }
  return STATUS_DONE;
}

/** Stores a tile that holds the clear value and nothing else. */
function storeClear(context: usize, pass: usize, attachment: usize, plane: i32, tile: i32): i32 {
  const x = load<i32>(context + CTX_TILE_X);
  const y = load<i32>(context + CTX_TILE_Y);
  if (load<i32>(pass + PASS_SAMPLES) == 1) {
    storeClearRows(attachment, plane, x, y, within(x, load<i32>(pass + PASS_WIDTH)), within(y, load<i32>(pass + PASS_HEIGHT)));
    return STATUS_DONE;
  }
  const surface: usize = load<usize>(attachment + ATTACHMENT_SURFACE);
  // No pixel is written: any plane will do.
  const stage = ownStage(context, load<usize>(context + CTX_IDS));
  noteClear(attachment, plane, surface, tile, stage);
  if (load<i32>(pass + PASS_ENCODES)) {
    clearTile(surface, tile, stage + STAGE_OWN_CLEAR);
    return STATUS_DONE;
  }
  return fillTile(surface, tile, stage);
}

/** Whether a tile of the attachment starts with the clear value. */
// @ts-ignore: decorator
@inline
function isCleared(attachment: usize, first: bool): bool {
  return first && load<u32>(attachment + ATTACHMENT_CLEAR) != 0 && load<u32>(attachment + ATTACHMENT_READ_ONLY) == 0;
}

/** Whether a plane goes to its surface: at the pass's end if it is to be stored, before it always. */
// @ts-ignore: decorator
@inline
function isStored(attachment: usize, last: bool): bool {
  return (!last || load<u32>(attachment + ATTACHMENT_STORE) != 0) && load<u32>(attachment + ATTACHMENT_READ_ONLY) == 0;
}

/** The STAGE of a plane that has all its samples and no states of its own. */
export function ownStage(context: usize, plane: usize): usize {
  const stage: usize = load<usize>(context + CTX_STAGE);
  return prepareStage(stage, plane, 0, stage + STAGE_OWN_STATES, stage + STAGE_OWN_SEVERAL, stage + STAGE_OWN_CLEAR);
}

function prepareStage(stage: usize, samples: usize, pixels: usize, states: usize, several: usize, clear: usize): usize {
  store<u32>(stage, <u32>samples, STAGE_SAMPLES);
  store<u32>(stage, <u32>pixels, STAGE_PIXELS);
  store<u32>(stage, <u32>states, STAGE_STATES);
  store<u32>(stage, <u32>several, STAGE_SEVERAL);
  store<u32>(stage, <u32>clear, STAGE_CLEAR);
  return stage;
}

/** Puts the clear value of the plane into an own stage: the pass's, or what the tile was last cleared to. */
function noteClear(attachment: usize, plane: i32, surface: usize, tile: i32, stage: usize): void {
  const texel = stage + STAGE_OWN_CLEAR;
  if (!isCleared(attachment, true)) {
    memory.copy(texel, tileAt(surface, tile) + SURFACE_TILE_CLEAR, 16);
    return;
  }
  clearTexel(attachment, plane, texel, false);
  repeat(texel, load<i32>(surface, SURFACE_BYTES_TEXEL), 16);
}

function fillDepth(context: usize, pass: usize, tile: i32, first: bool): void {
  const attachment = pass + PASS_DEPTH;
  const plane: usize = load<usize>(context + CTX_DEPTH);
  if (plane && isCleared(attachment, first)) {
    clearTexel(attachment, PLANE_DEPTH, plane, true);
    beginDepthBlocks(context, DEPTH_CLEAR, load<f32>(plane));
    return;
  }
  beginDepthBlocks(context, DEPTH_STORED, 0);
  if (!plane) return;
  if (load<i32>(pass + PASS_SAMPLES) == 1) loadRows(context, pass, attachment, PLANE_DEPTH, plane);
  else loadDepth(context, attachment, plane, tile);
}

// @ts-ignore: decorator
@inline
function isNarrow(attachment: usize): bool {
  return load<i32>(attachment + ATTACHMENT_FORMAT) == FORMAT_DEPTH16UNORM;
}

/** Depths of several samples; clear blocks keep that state. */
function loadDepth(context: usize, attachment: usize, plane: usize, tile: i32): void {
  const stage = ownStage(context, plane);
  loadTile(load<usize>(attachment + ATTACHMENT_SURFACE), tile, stage, false);
  if (isNarrow(attachment)) widenDepths(plane, contextTexels(context));
  const clear: f32 = isNarrow(attachment) ? widenDepth16(load<u16>(stage, STAGE_OWN_CLEAR)) : load<f32>(stage, STAGE_OWN_CLEAR);
  for (let block = 0; block < TILE_BLOCKS; block++) {
    if (!load<u8>(stage + <usize>block, STAGE_OWN_STATES)) continue;
    const record = context + CTX_DEPTH_BLOCKS + (<usize>block << DEPTH_BLOCK_SHIFT);
    store<f32>(record, clear, DEPTH_BLOCK_LOW);
    store<f32>(record, clear, DEPTH_BLOCK_HIGH);
    store<u32>(record, DEPTH_CLEAR, DEPTH_BLOCK_SOURCE);
  }
}

/** Texels of a plane in the context, all layers. */
// @ts-ignore: decorator
@inline
function contextTexels(context: usize): i32 {
  return TILE_PIXELS * load<i32>(context + CTX_SAMPLES) * load<i32>(context + CTX_LAYERS);
}

function storeDepth(context: usize, pass: usize, tile: i32, last: bool): i32 {
  const attachment = pass + PASS_DEPTH;
  const plane: usize = load<usize>(context + CTX_DEPTH);
  if (load<i32>(pass + PASS_SAMPLES) == 1) {
    spreadDepths(context);
    storeRows(context, pass, attachment, PLANE_DEPTH, plane);
    return STATUS_DONE;
  }
  const surface: usize = load<usize>(attachment + ATTACHMENT_SURFACE);
  const stage = ownStage(context, plane);
  const narrow = isNarrow(attachment);
  noteClear(attachment, PLANE_DEPTH, surface, tile, stage);
  const clear: f32 = narrow ? widenDepth16(load<u16>(stage, STAGE_OWN_CLEAR)) : load<f32>(stage, STAGE_OWN_CLEAR);
  for (let block = 0; block < TILE_BLOCKS; block++) {
    const record = context + CTX_DEPTH_BLOCKS + (<usize>block << DEPTH_BLOCK_SHIFT);
    const isClear = load<u32>(record, DEPTH_BLOCK_SOURCE) == DEPTH_CLEAR && reinterpret<u32>(clear) == load<u32>(record, DEPTH_BLOCK_LOW) && load<i32>(pass + PASS_ENCODES) != 0;
    if (!isClear) spreadDepth(context, block);
    store<u8>(stage + <usize>block, isClear ? 1 : 0, STAGE_OWN_STATES);
  }
  memory.fill(stage + STAGE_OWN_SEVERAL, 0xff, TILE_BLOCKS << 3);
  if (narrow) narrowDepths(plane, contextTexels(context));
  const status = storeMerged(surface, tile, stage, last);
  if (narrow && status != STATUS_DONE) widenDepths(plane, contextTexels(context));
  return status;
}

function fillStencil(context: usize, pass: usize, tile: i32, first: bool): void {
  const attachment = pass + PASS_STENCIL;
  const plane: usize = load<usize>(context + CTX_STENCIL);
  if (!plane) return;
  if (isCleared(attachment, first)) clearPlane(attachment, PLANE_STENCIL, plane, contextTexels(context));
  else if (load<i32>(pass + PASS_SAMPLES) == 1) loadRows(context, pass, attachment, PLANE_STENCIL, plane);
  else loadTile(load<usize>(attachment + ATTACHMENT_SURFACE), tile, ownStage(context, plane), true);
}

function storeStencil(context: usize, pass: usize, tile: i32): i32 {
  const attachment = pass + PASS_STENCIL;
  const plane: usize = load<usize>(context + CTX_STENCIL);
  if (load<i32>(pass + PASS_SAMPLES) == 1) {
    storeRows(context, pass, attachment, PLANE_STENCIL, plane);
    return STATUS_DONE;
  }
  const surface: usize = load<usize>(attachment + ATTACHMENT_SURFACE);
  const stage = ownStage(context, plane);
  noteClear(attachment, PLANE_STENCIL, surface, tile, stage);
  memory.fill(stage + STAGE_OWN_STATES, 0, TILE_BLOCKS);
  memory.fill(stage + STAGE_OWN_SEVERAL, 0xff, TILE_BLOCKS << 3);
  return storeTile(surface, tile, stage);
}

function fillColor(context: usize, pass: usize, index: i32, tile: i32, first: bool): void {
  const attachment = colorAttachment(pass, index);
  if (load<i32>(attachment + ATTACHMENT_FORMAT) == FORMAT_NONE) return;
  if (isCleared(attachment, first)) clearColors(context, attachment, index, texelBytes(load<i32>(attachment + ATTACHMENT_FORMAT)));
  else loadColor(context, pass, index, tile);
}

function loadColor(context: usize, pass: usize, index: i32, tile: i32): void {
  const attachment = colorAttachment(pass, index);
  if (load<i32>(pass + PASS_SAMPLES) == 1) {
    noteSamples(context, index);
    loadRows(context, pass, attachment, PLANE_COLOR, load<usize>(context + CTX_COLORS + (<usize>index << 2)));
    return;
  }
  loadTile(load<usize>(attachment + ATTACHMENT_SURFACE), tile, colorStage(context, index), !load<i32>(pass + PASS_ENCODES));
}

function storeColor(context: usize, pass: usize, index: i32, tile: i32, last: bool): i32 {
  const attachment = colorAttachment(pass, index);
  if (load<i32>(pass + PASS_SAMPLES) == 1) {
    spreadColors(context, index, texelBytes(load<i32>(attachment + ATTACHMENT_FORMAT)));
    storeRows(context, pass, attachment, PLANE_COLOR, load<usize>(context + CTX_COLORS + (<usize>index << 2)));
    return STATUS_DONE;
  }
  return storeMerged(load<usize>(attachment + ATTACHMENT_SURFACE), tile, colorStage(context, index), last);
}

/** Samples that are near enough become one at the pass's end, not before: what the pass itself reads is exact. */
function storeMerged(surface: usize, tile: i32, stage: usize, last: bool): i32 {
  if (last && load<f32>(surface, SURFACE_THRESHOLD) > 0 && load<u32>(surface, SURFACE_ENCODES) != 0) mergeTile(surface, tile, stage);
  return storeTile(surface, tile, stage);
}

function colorStage(context: usize, index: i32): usize {
  return prepareStage(
    load<usize>(context + CTX_STAGE), samplePlane(context, index), pixelPlane(context, index), colorStates(context, index), severalPixels(context, index),
    context + CTX_CLEAR_TEXELS + (<usize>index << 4),
  );
}

function loadRows(context: usize, pass: usize, attachment: usize, plane: i32, to: usize): void {
  const x = load<i32>(context + CTX_TILE_X);
  const y = load<i32>(context + CTX_TILE_Y);
  loadPlane(attachment, plane, to, x, y, within(x, load<i32>(pass + PASS_WIDTH)), within(y, load<i32>(pass + PASS_HEIGHT)));
}

function storeRows(context: usize, pass: usize, attachment: usize, plane: i32, from: usize): void {
  const x = load<i32>(context + CTX_TILE_X);
  const y = load<i32>(context + CTX_TILE_Y);
  storePlane(attachment, plane, from, x, y, within(x, load<i32>(pass + PASS_WIDTH)), within(y, load<i32>(pass + PASS_HEIGHT)));
}

// @ts-ignore: decorator
@inline
export function colorAttachment(pass: usize, index: i32): usize {
  return pass + PASS_COLOR0 + <usize>index * ATTACHMENT_BYTES;
}

// @ts-ignore: decorator
@inline
export function colorCount(pass: usize): i32 {
  const count = load<i32>(pass + PASS_COLOR_COUNT);
  return count < MAX_COLOR_TARGETS ? count : MAX_COLOR_TARGETS;
}
