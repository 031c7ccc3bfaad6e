// Scalar twins of coverage.ts. They serve the other build too: for quads at one sample, and for edges so steep that a
// block of four samples does not fit i32.

import { SamplePositions, Tile, TileEdge } from '../layout';
import { quadX, quadY } from '../simd/positions';
import { Four, One, positionsOf, samplesOf } from '../tile/layers';

/** Edge values are cut to this: beyond it no step within a block or quad changes the sign. */
const EDGE_LIMIT: i64 = 1 << 30;

/** An edge's value at a position (pixels within the tile), cut to i32. */
export function edgeAt<S>(edge: TileEdge, x: i32, y: i32): i32 {
  const shift = samplesOf<S>() == 1 ? 0 : 4;
  const value = edge.value + <i64>edge.a * (x << shift) + <i64>edge.b * (y << shift);
  return <i32>(value > EDGE_LIMIT ? EDGE_LIMIT : value < -EDGE_LIMIT ? -EDGE_LIMIT : value);
}

/** Pixels of a quad outside an edge, from its value at the first. */
function outside1(edge: TileEdge, first: i32): i32 {
  const second = first + edge.a;
  const down = edge.b;
  return (first >>> 31) | (second >>> 31 << 1) | ((first + down) >>> 31 << 2) | ((second + down) >>> 31 << 3);
}

function outsideAt(edge: TileEdge, x: i32, y: i32): i32 { return outside1(edge, edgeAt<One>(edge, x, y)); }

/** Samples of the quad at (x, y) outside an edge. */
function outside4(edge: TileEdge, positions: SamplePositions, x: i32, y: i32): i32 {
  const corner = edgeAt<Four>(edge, x, y);
  let outside = 0;
  for (let bit = 0; bit < 16; bit++) {
    const at = (bit & 3) << 2;
    const right = ((bit & 4) << 2) + load<i32>(positions.x16 + at);
    const down = ((bit & 8) << 1) + load<i32>(positions.y16 + at);
    outside |= (corner + edge.a * right + edge.b * down) >>> 31 << bit;
  }
  return outside;
}

export function coverQuad1(tile: Tile, x: i32, y: i32): i32 {
  return 15 & ~(outsideAt(tile.edge(0), x, y) | outsideAt(tile.edge(1), x, y) | outsideAt(tile.edge(2), x, y));
}

export function coverQuad4Scalar(tile: Tile, layer: i32, x: i32, y: i32): i32 {
  const positions = positionsOf(tile, layer);
  let outside = 0;
  for (let i: usize = 0; i < 3; i++) outside |= outside4(tile.edge(i), positions, x, y);
  return ~outside & 0xffff;
}

export function coverBlock1Scalar(tile: Tile, corner: usize, side: i32): u64 {
  let outside: u64 = 0;
  for (let rest = side; rest; rest &= rest - 1) {
    const edge = tile.edge(ctz(rest));
    const value = load<i32>(corner + (ctz(rest) << 2));
    for (let quad = 0; quad < 16; quad++)
      outside |= <u64>outside1(edge, value + edge.a * quadX(quad) + edge.b * quadY(quad)) << (quad << 2);
  }
  return ~outside;
}

export function coverBlock4Scalar(tile: Tile, layer: i32, block: i32, side: i32): i32 {
  const positions = positionsOf(tile, layer);
  let quads = 0;
  for (let i = 0; i < 16; i++) {
    const quad = (block << 4) + i;
    let outside = 0;
    for (let rest = side; rest; rest &= rest - 1)
      outside |= outside4(tile.edge(ctz(rest)), positions, quadX(quad), quadY(quad));
    store<u16>(tile.coverOf(layer) + (i << 1), ~outside);
    quads |= i32(outside != 0xffff) << i;
  }
  return quads;
}
