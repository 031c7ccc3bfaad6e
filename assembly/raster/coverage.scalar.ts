// Scalar twins of coverage.ts. The SIMD build also uses them, for quads at one sample and for edges so steep that a
// block of four samples does not fit i32.

import { Tile, TileEdge } from '../layout';
import { quadX, quadY } from '../simd/positions';
import { Four, One, positionsOf, samplesOf } from '../tile/layers';
import { boxOfBlock, spread } from './box';

/** Edge values are clamped to this magnitude: beyond it, no step within a block or quad changes the sign. */
const EDGE_LIMIT: i64 = 1 << 30;

/** An edge's value at a position (pixels within the tile), clamped to i32. */
export function edgeAt<S>(edge: TileEdge, x: i32, y: i32): i32 {
  const shift = samplesOf<S>() == 1 ? 0 : 4;
  const value = edge.value + <i64>edge.a * (x << shift) + <i64>edge.b * (y << shift);
  return <i32>(value > EDGE_LIMIT ? EDGE_LIMIT : value < -EDGE_LIMIT ? -EDGE_LIMIT : value);
}

// Values and steps of the edges in `side`. Other edges count as 0, which is inside everywhere.

function valueAt<S>(tile: Tile, index: i32, side: i32, x: i32, y: i32): i32 {
  return (side >> index) & 1 ? edgeAt<S>(tile.edge(index), x, y) : 0;
}
function valueOf(corner: usize, index: i32, side: i32): i32 {
  return (side >> index) & 1 ? load<i32>(corner + (index << 2)) : 0;
}
function stepX(tile: Tile, index: i32, side: i32): i32 {
  return (side >> index) & 1 ? tile.edge(index).a : 0;
}
function stepY(tile: Tile, index: i32, side: i32): i32 {
  return (side >> index) & 1 ? tile.edge(index).b : 0;
}

const ALL_EDGES = 7;

/** Coverage of the quad at (x, y) at one sample, as four bits. */
export function coverQuad1(tile: Tile, x: i32, y: i32): i32 {
  const e0 = edgeAt<One>(tile.edge(0), x, y);
  const e1 = edgeAt<One>(tile.edge(1), x, y);
  const e2 = edgeAt<One>(tile.edge(2), x, y);
  const a0 = tile.edge(0).a;
  const a1 = tile.edge(1).a;
  const a2 = tile.edge(2).a;
  const b0 = tile.edge(0).b;
  const b1 = tile.edge(1).b;
  const b2 = tile.edge(2).b;
  return (
    i32((e0 | e1 | e2) >= 0)
    | (i32(((e0 + a0) | (e1 + a1) | (e2 + a2)) >= 0) << 1)
    | (i32(((e0 + b0) | (e1 + b1) | (e2 + b2)) >= 0) << 2)
    | (i32(((e0 + a0 + b0) | (e1 + a1 + b1) | (e2 + a2 + b2)) >= 0) << 3)
  );
}

export function coverBlock1Scalar(tile: Tile, corner: usize, side: i32): u64 {
  const e0 = valueOf(corner, 0, side);
  const e1 = valueOf(corner, 1, side);
  const e2 = valueOf(corner, 2, side);
  const a0 = stepX(tile, 0, side);
  const a1 = stepX(tile, 1, side);
  const a2 = stepX(tile, 2, side);
  const b0 = stepY(tile, 0, side);
  const b1 = stepY(tile, 1, side);
  const b2 = stepY(tile, 2, side);
  let mask: u64 = 0;
  for (let quad = 0; quad < 16; quad++) {
    const x = quadX(quad);
    const y = quadY(quad);
    const f0 = e0 + a0 * x + b0 * y;
    const f1 = e1 + a1 * x + b1 * y;
    const f2 = e2 + a2 * x + b2 * y;
    const bits =
      i32((f0 | f1 | f2) >= 0)
      | (i32(((f0 + a0) | (f1 + a1) | (f2 + a2)) >= 0) << 1)
      | (i32(((f0 + b0) | (f1 + b1) | (f2 + b2)) >= 0) << 2)
      | (i32(((f0 + a0 + b0) | (f1 + a1 + b1) | (f2 + a2 + b2)) >= 0) << 3);
    mask |= (<u64>bits) << (quad << 2);
  }
  return mask;
}

export function coverQuad4Scalar(tile: Tile, layer: i32, x: i32, y: i32): i32 {
  return coverQuadOf(tile, layer, x, y, ALL_EDGES);
}

function coverQuadOf(tile: Tile, layer: i32, x: i32, y: i32, side: i32): i32 {
  const positions = positionsOf(tile, layer);
  const e0 = valueAt<Four>(tile, 0, side, x, y);
  const e1 = valueAt<Four>(tile, 1, side, x, y);
  const e2 = valueAt<Four>(tile, 2, side, x, y);
  const a0 = stepX(tile, 0, side);
  const a1 = stepX(tile, 1, side);
  const a2 = stepX(tile, 2, side);
  const b0 = stepY(tile, 0, side);
  const b1 = stepY(tile, 1, side);
  const b2 = stepY(tile, 2, side);
  let mask = 0;
  for (let bit = 0; bit < 16; bit++) {
    const at = (bit & 3) << 2;
    const right = ((bit & 4) << 2) + load<i32>(positions.x16 + at);
    const down = ((bit & 8) << 1) + load<i32>(positions.y16 + at);
    const inside = ((e0 + a0 * right + b0 * down) | (e1 + a1 * right + b1 * down) | (e2 + a2 * right + b2 * down)) >= 0;
    mask |= (<i32>inside) << bit;
  }
  return mask;
}

export function coverBlock4Scalar(tile: Tile, layer: i32, block: i32, side: i32): i32 {
  const box = boxOfBlock(tile, (block & 7) << 3, block & ~7);
  let quads = 0;
  for (let i = 0; i < 16; i++) {
    const quad = (block << 4) + i;
    const pixels = (<i32>(box >> (<u64>(i << 2)))) & 15;
    const mask = pixels ? coverQuadOf(tile, layer, quadX(quad), quadY(quad), side) & spread(pixels) : 0;
    store<u16>(tile.coverOf(layer) + (i << 1), mask);
    quads |= i32(mask != 0) << i;
  }
  return quads;
}
