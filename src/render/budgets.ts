// What bounds the memory that passes take beside their resources, and which worker does what. A budget is kept by doing
// less at a time: fewer workers run geometry, chunks are shorter, vertices are shaded again instead of kept. Pictures
// do not depend on it, and nothing waits for memory: what a pass takes is taken before it begins.
import { SLAB_PARTS } from '../../assembly/layout/job-codes';
import { MAX_VARYINGS, TILE_SIZE } from '../../assembly/layout/limits';
import { Bin, BinBlock, Triangle } from '../../build/layout';

/** Bytes, of all workers together. Null: as many as passes ask for. */
export interface Budgets {
  /** Triangles that are set up and not yet drawn, with the lists of tiles. */
  readonly arenaBytes: number | null;
  /** Vertices and primitives that wait for stages which emit, and for buffers, of tables (STAGE INPUT). */
  readonly stageInputBytes: number | null;
  /** Shaded vertices of indexed draws that several batches, or workers, use. */
  readonly vertexBytes: number | null;
  /** Decoded texels of compressed textures (decoded-blocks.ts). */
  readonly decodedBytes: number;
}
export const defaultBudgets: Budgets = {
  arenaBytes: null, stageInputBytes: null, vertexBytes: null, decodedBytes: 64 << 20,
};

/** What a worker takes: tasks of geometry, tiles, or both. */
export type WorkerKind = 'vertices' | 'pixels' | 'any';
export const workerKinds: readonly WorkerKind[] = ['vertices', 'pixels', 'any'];

/** Who works at a tile of a pass: the worker that has taken it, or also others that have none. */
export type Distribution = 'position' | 'any';
export const distributions: readonly Distribution[] = ['position', 'any'];

/** Bytes of device memory held for passes, by budget. */
export type PassMemory = { readonly [Budget in keyof Budgets]: number };

/** What a worker has done, in passes that workers did. */
export interface WorkerWork {
  /** What it takes (`create({ workerKinds })`). */
  readonly kind: WorkerKind;
  /** Parts of geometry. */
  readonly tasks: number;
  /** Tiles with something to draw. */
  readonly tiles: number;
}

/** A triangle with all varyings: value and two slopes of each. */
const LARGEST_TRIANGLE = Triangle.planes + MAX_VARYINGS * 12;
const SLAB_BYTES = 256 << 10;
/** Room for tasks that are not the oldest, beyond what the chunk has. */
const AHEAD_BYTES = 8 << 20;
/** Part of the arena that a task which is not the oldest may take. */
const SHARE = 16;
const aligned = (bytes: number): number => (bytes + 63) & ~63;

/** The arena of a pass, as the JOB record has it. */
export interface ArenaSizes {
  readonly bytes: number;
  readonly slabBytes: number;
  /** See Job.softBytes. */
  readonly softBytes: number;
  readonly hardBytes: number;
  readonly shareBytes: number;
  /** Workers for whose tasks it has room. */
  readonly holders: number;
}

/** Of a pass of so many tiles whose chunks end after `softBytes`. */
export function arenaSizes(tiles: number, softBytes: number, holders: number): ArenaSizes {
  const bins = tiles * Bin.bytes + 16, triangle = LARGEST_TRIANGLE + tiles * BinBlock.bytes;
  const slabBytes = aligned(
    Math.max(SLAB_PARTS * Math.max(bins, triangle), Math.min(SLAB_BYTES, softBytes / SHARE))
  );
  const shareBytes = Math.max(bins + triangle, Math.floor(softBytes / SHARE)), hardBytes = softBytes + shareBytes;
  const ahead = holders > 1 ? Math.min(softBytes, AHEAD_BYTES) : 0;
  const slabs = Math.ceil((((hardBytes * SLAB_PARTS) / (SLAB_PARTS - 1)) + ahead) / slabBytes) + 2 * holders;
  return { bytes: slabs * slabBytes, slabBytes, softBytes, hardBytes, shareBytes, holders };
}

const tilesOf = (width: number, height: number): number => Math.ceil(width / TILE_SIZE) * Math.ceil(height / TILE_SIZE);

/** Bytes without which no triangle of a pass of so many pixels can be drawn. */
export const leastArenaBytes = (width: number, height: number): number =>
  arenaSizes(tilesOf(width, height), 1, 1).bytes;

/**
 * The largest arena within a budget, up to chunks of `mostBytes` and `holders` workers: rather fewer workers than
 * chunks shorter than a quarter of the budget. Where there is too little for one triangle (`leastArenaBytes`), for one.
 */
export function fitArena(tiles: number, mostBytes: number, holders: number, budget: number | null): ArenaSizes {
  if (budget === null) return arenaSizes(tiles, mostBytes, holders);
  const fits = (softBytes: number, workers: number): boolean => arenaSizes(tiles, softBytes, workers).bytes <= budget;
  const least = Math.max(1, Math.min(mostBytes, Math.floor(budget / 4)));
  let workers = holders;
  while (workers > 1 && !fits(least, workers)) workers--;
  let low = 1;
  // Sizes in steps of slabs are not quite monotone; what is taken fits.
  for (let high = mostBytes; low < high;) {
    const middle = Math.ceil((low + high) / 2);
    if (fits(middle, workers)) low = middle;
    else high = middle - 1;
  }
  return arenaSizes(tiles, low, workers);
}

/** Workers whose inputs of stages that emit, `bytes` each, are within the budget: at least 1. */
export function inputHolders(bytes: number, workers: number, budget: number | null): number {
  return budget === null || bytes === 0 ? workers : Math.max(1, Math.min(workers, Math.floor(budget / bytes)));
}
