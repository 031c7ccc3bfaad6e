// Finds the samples of 8×8 blocks that three edges cover, for all blocks of some tiles.
import { TILE_SIZE } from '../../../assembly/layout/limits';
import { SamplePositions, Tile, TileEdge } from '../../../build/layout';
import { LoopKernel, numbers, type HotLoop } from './kit';

const TILES = 8;
const BLOCKS = TILES * 64;
const ALL_EDGES = 7;
const SAMPLE_X = Int32Array.of(6, 14, 2, 10);
const SAMPLE_Y = Int32Array.of(2, 6, 10, 14);

/**
 * Three edges that cross each tile: the value at its corner and the steps in x and y. `side`: side of a tile in steps.
 */
function edges(side: number): Int32Array {
  const next = numbers(side);
  const list = new Int32Array(TILES * 9);
  for (let at = 0; at < list.length; at += 3) {
    const a = Math.floor((next() - 0.5) * 4000);
    const b = Math.floor((next() - 0.5) * 4000);
    list.set([-Math.floor(a * next() * side + b * next() * side), a, b], at);
  }
  return list;
}

/** Evaluates the edges at the blocks' corners: three values with their steps for each block. */
function edgesOfBlocks(list: Int32Array, side: number): Int32Array {
  const blocks = new Int32Array(BLOCKS * 9);
  for (let at = 0; at < blocks.length; at += 3) {
    const block = Math.floor(at / 9);
    const from = (block >> 6) * 9 + (at % 9);
    const a = list[from + 1]!;
    const b = list[from + 2]!;
    blocks.set([list[from]! + (a * (block & 7) + b * ((block >> 3) & 7)) * (side / 8), a, b], at);
  }
  return blocks;
}

/** Creates tile contexts with their edges. */
function tiles(k: LoopKernel, list: Int32Array): number[] {
  return Array.from({ length: TILES }, (_, i) => {
    const tile = k.alloc(Tile.bytes);
    k.put(tile + Tile.cover, tile + Tile.work);
    k.put(tile + Tile.boxX1, TILE_SIZE);
    k.put(tile + Tile.boxY1, TILE_SIZE);
    for (let edge = 0; edge < 3; edge++) {
      const at = tile + Tile.edges + edge * TileEdge.bytes;
      const from = i * 9 + edge * 3;
      new BigInt64Array(k.memory.buffer, at + TileEdge.value, 1)[0] = BigInt(list[from]!);
      new Int32Array(k.memory.buffer, at + TileEdge.a, 1)[0] = list[from + 1]!;
      new Int32Array(k.memory.buffer, at + TileEdge.b, 1)[0] = list[from + 2]!;
    }
    const positions = tile + Tile.layerPositions;
    new Int32Array(k.memory.buffer, positions + SamplePositions.x16, 4).set(SAMPLE_X);
    new Int32Array(k.memory.buffer, positions + SamplePositions.y16, 4).set(SAMPLE_Y);
    return tile;
  });
}

function coverPixels(list: Int32Array, out: Uint32Array): void {
  for (let block = 0, at = 0; block < BLOCKS; block++, at += 9) {
    const e0 = list[at]!;
    const a0 = list[at + 1]!;
    const b0 = list[at + 2]!;
    const e1 = list[at + 3]!;
    const a1 = list[at + 4]!;
    const b1 = list[at + 5]!;
    const e2 = list[at + 6]!;
    const a2 = list[at + 7]!;
    const b2 = list[at + 8]!;
    let low = 0;
    let high = 0;
    for (let y = 0; y < 8; y++)
      for (let x = 0; x < 8; x++) {
        if (((e0 + a0 * x + b0 * y) | (e1 + a1 * x + b1 * y) | (e2 + a2 * x + b2 * y)) < 0) continue;
        const bit = ((y >> 1) * 4 + (x >> 1)) * 4 + (y & 1) * 2 + (x & 1);
        if (bit < 32) low |= 1 << bit;
        else high |= 1 << (bit - 32);
      }
    out[block * 2] = low;
    out[block * 2 + 1] = high;
  }
}

function coverSamples(list: Int32Array, out: Uint16Array): void {
  for (let block = 0, at = 0; block < BLOCKS; block++, at += 9) {
    const e0 = list[at]!;
    const a0 = list[at + 1]!;
    const b0 = list[at + 2]!;
    const e1 = list[at + 3]!;
    const a1 = list[at + 4]!;
    const b1 = list[at + 5]!;
    const e2 = list[at + 6]!;
    const a2 = list[at + 7]!;
    const b2 = list[at + 8]!;
    for (let quad = 0; quad < 16; quad++) {
      let mask = 0;
      for (let bit = 0; bit < 16; bit++) {
        const x = (quad & 3) * 32 + ((bit >> 2) & 1) * 16 + SAMPLE_X[bit & 3]!;
        const y = (quad >> 2) * 32 + (bit >> 3) * 16 + SAMPLE_Y[bit & 3]!;
        if (((e0 + a0 * x + b0 * y) | (e1 + a1 * x + b1 * y) | (e2 + a2 * x + b2 * y)) >= 0) mask |= 1 << bit;
      }
      out[block * 16 + quad] = mask;
    }
  }
}

export function coverage1(): HotLoop {
  const k = new LoopKernel();
  const list = edges(64);
  const ofBlocks = edgesOfBlocks(list, 64);
  const contexts = tiles(k, list);
  const corners = k.alloc(BLOCKS * 16);
  for (let i = 0; i < BLOCKS * 3; i++)
    new Int32Array(k.memory.buffer, corners + Math.floor(i / 3) * 16 + (i % 3) * 4, 1)[0] = ofBlocks[i * 3]!;
  const rows = Array.from({ length: BLOCKS }, (_, i) => [contexts[i >> 6]!, corners + i * 16, ALL_EDGES]);
  const out = new Uint32Array(BLOCKS * 2);
  const [simd, scalar] = (['coverBlock1Simd', 'coverBlock1Scalar'] as const).map((name) => {
    const { run, results } = k.calls(name, ['i32', 'i32', 'i32'], rows, 'i64');
    return { run, output: results.u32 };
  });
  return {
    name: 'coverage, 1 sample',
    group: 'raster',
    unit: 'pixel',
    count: BLOCKS * 64,
    tolerance: 0,
    simd: simd!,
    scalar: scalar!,
    plain: {
      run: () => {
        coverPixels(ofBlocks, out);
      },
      output: () => out,
    },
  };
}

export function coverage4(): HotLoop {
  const k = new LoopKernel();
  const list = edges(1024);
  const ofBlocks = edgesOfBlocks(list, 1024);
  const contexts = tiles(k, list);
  const out = new Uint16Array(BLOCKS * 16);
  const rows = Array.from({ length: BLOCKS }, (_, i) => [contexts[i >> 6]!, 0, i & 63, ALL_EDGES]);
  const side = (name: string): HotLoop['simd'] => ({
    run: k.calls(name, ['i32', 'i32', 'i32', 'i32'], rows, 'i32').run,
    // A tile holds the coverage of its last block.
    output: () => contexts.flatMap((tile) => [...k.u16(tile + Tile.work, 16)]),
  });
  return {
    name: 'coverage, 4 samples',
    group: 'raster',
    unit: 'pixel',
    count: BLOCKS * 64,
    tolerance: 0,
    simd: side('coverBlock4Simd'),
    scalar: side('coverBlock4Scalar'),
    plain: {
      run: () => {
        coverSamples(ofBlocks, out);
      },
      output: () => contexts.flatMap((_, i) => [...out.subarray(i * 1024 + 1008, i * 1024 + 1024)]),
    },
  };
}
