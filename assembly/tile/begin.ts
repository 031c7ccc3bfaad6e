// Initialises a tile context for a pass: its fields, the addresses of its planes, and the position of its tile in the
// pass.

import {
  Coarse,
  FORMAT_NONE,
  GATHER_BLOCKS,
  packedBytes,
  Packer,
  ParkedWarps,
  Pass,
  POSITION_SHIFT,
  RATE_1X1,
  SamplePositions,
  sizeOf,
  Staging,
  Tile,
  TILE_BLOCKS,
  TILE_PIXELS,
  TILE_SHIFT,
  TILE_SIZE,
  WarpPool,
} from '../layout';
import { layersOf, quadX, quadY, samplesOfLayer, sampleX, sampleY } from '../simd/positions';
import { texelBytes } from '../surface/formats';
import { beginPlane } from './colors';
import { resetPool } from './warps';
import { beginWork } from './work';

/** Size in bytes of a tile context for the pass's formats and samples. */
export function tileContextBytes(pass: Pass): i32 {
  return planesEnd(changetype<Tile>(0), pass, false);
}

/**
 * Prepares a tile context (16-byte aligned, tileContextBytes(pass) bytes) for a pass. `pool` is the worker's WARP POOL
 * (64-byte aligned), with register files large enough for every fragment shader of the pass; all its warps become free.
 * Must be called again when the pass or its formats change, and after STATUS_TIMEOUT.
 */
export function tileContextInit(tile: Tile, pass: Pass, pool: WarpPool): void {
  memory.fill(changetype<usize>(tile), 0, sizeOf<Tile>());
  tile.pass = pass;
  tile.pool = pool;
  resetPool(pool);
  const samples = pass.samples;
  tile.samples = samples;
  tile.partX1 = TILE_SIZE;
  tile.partY1 = TILE_SIZE;
  tile.layerSamples = samplesOfLayer(samples);
  tile.layers = layersOf(samples);
  tile.encodes = pass.encodes;
  tile.loadStoreUnit = pass.loadStoreUnit;
  noteSamplePositions(tile, samples);
  tile.packerLast = changetype<Packer>(tile.packers);
  tile.orderedPacker = tile.inOrderPacker;
  beginWork(tile);
  planesEnd(tile, pass, true);
  notePositions(tile);
  memory.fill(tile.ids, 0, TILE_PIXELS * samplesOfLayer(samples) * layersOf(samples) * 4);
}

function noteSamplePositions(tile: Tile, samples: i32): void {
  for (let sample = 0; sample < layersOf(samples) * samplesOfLayer(samples); sample++) {
    const at = changetype<SamplePositions>(changetype<usize>(tile.positionsOf(sample >> 2)) + ((sample & 3) << 2));
    const x = sampleX(samples, sample);
    const y = sampleY(samples, sample);
    store<f32>(changetype<usize>(at), <f32>x * 0.0625);
    store<f32>(at.y, <f32>y * 0.0625);
    store<i32>(at.x16, x);
    store<i32>(at.y16, y);
  }
}

function notePositions(tile: Tile): void {
  for (let quad = 0; quad < TILE_PIXELS >> 2; quad++) {
    const at = tile.quadPositions + (quad << POSITION_SHIFT);
    store<f32>(at, <f32>quadX(quad));
    store<f32>(at, <f32>quadY(quad), 4);
  }
}

/** Lays out the planes after the context's fields and, with `note`, stores their addresses. Returns the end. */
function planesEnd(tile: Tile, pass: Pass, note: bool): usize {
  const samples = pass.samples;
  const texels = TILE_PIXELS * samplesOfLayer(samples) * layersOf(samples);
  let at = changetype<usize>(tile) + sizeOf<Tile>();
  if (note) tile.ids = at;
  at += texels * 4;
  if (pass.depth.format != FORMAT_NONE) {
    if (note) tile.depth = at;
    at += texels * 4;
  }
  if (pass.stencil.format != FORMAT_NONE) {
    if (note) tile.stencil = at;
    at += texels;
  }
  for (let i = 0; i < pass.colorCount; i++) {
    const format = pass.color(i).format;
    if (format == FORMAT_NONE) continue;
    const planes = at;
    if (samples > 1) at += texels * texelBytes(format);
    if (note) beginPlane(tile, i, planes, at, texelBytes(format));
    at += TILE_PIXELS * texelBytes(format);
    // Second texels of pixels and their masks.
    if (samples > 2) at += TILE_PIXELS * (texelBytes(format) + 2);
    if (ASC_FEATURE_SIMD) if (hasLists(pass, texelBytes(format))) at += TILE_BLOCKS * packedBytes(layersOf(samples));
  }
  if (samples > 1) {
    if (note) tile.staging = changetype<Staging>(at);
    at += sizeOf<Staging>();
  }
  if (pass.hasRates) {
    at = (at + 15) & ~15;
    if (note) beginCoarse(tile, changetype<Coarse>(at));
    at += sizeOf<Coarse>();
  }
  if (pass.parkedBytes) {
    at = (at + 15) & ~15;
    if (note) beginParked(tile, changetype<ParkedWarps>(at), pass.parkedBytes);
    at += pass.parkedBytes;
  }
  return at;
}

/** Whether pixels of a target with texels of `bytes` bytes may hold lists of values. */
function hasLists(pass: Pass, bytes: i32): bool {
  return pass.samples > 2 && pass.encodes != 0 && bytes == 4;
}

/** Points the context to its planes again, after it used those of another context (share.ts). */
export function keepPlanes(tile: Tile): void {
  planesEnd(tile, tile.pass, true);
}

function beginParked(tile: Tile, parked: ParkedWarps, bytes: u32): void {
  memory.fill(changetype<usize>(parked), 0, sizeOf<ParkedWarps>());
  parked.room = bytes - <u32>sizeOf<ParkedWarps>();
  parked.minRoom = tile.pass.parkedMinRoom;
  parked.quadsInLockstep = tile.pass.quadsInLockstep;
  tile.parked = parked;
}

/** Initialises the coarse record: no quads are gathered, and all packers are empty. */
function beginCoarse(tile: Tile, coarse: Coarse): void {
  memory.fill(changetype<usize>(coarse), 0, sizeOf<Coarse>());
  memory.fill(coarse.blocks, 0xff, GATHER_BLOCKS * 4);
  tile.coarse = coarse;
}

/**
 * Moves the context to another tile of its pass: its number, its position, and the part of it that is inside the pass.
 */
export function moveTo(tile: Tile, number: i32): void {
  const pass = tile.pass;
  tile.number = number;
  tile.x = (number % pass.tilesX) << TILE_SHIFT;
  tile.y = (number / pass.tilesX) << TILE_SHIFT;
  tile.width = min<i32>(TILE_SIZE, pass.width - tile.x);
  tile.height = min<i32>(TILE_SIZE, pass.height - tile.y);
  setCentres(tile, RATE_1X1);
}

/** Sets the centres for the next warp, whose lanes stand for (coarse) pixels of a rate. */
export function setCentres(tile: Tile, rate: i32): void {
  tile.rate = rate;
  const width = <f32>(1 << (rate >> 2));
  const height = <f32>(1 << (rate & 3));
  for (let lane: usize = 0; lane < 4; lane++) {
    store<f32>(tile.centresX + (lane << 2), <f32>tile.x + width * (<f32>(lane & 1) + 0.5));
    store<f32>(tile.centresY + (lane << 2), <f32>tile.y + height * (<f32>(lane >> 1) + 0.5));
  }
}
