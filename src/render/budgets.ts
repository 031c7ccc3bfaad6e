// Limits for the memory that passes take in addition to their resources, and the roles of workers. A budget is met by
// doing less at a time: fewer workers run geometry, chunks are shorter, or vertices are shaded again instead of stored.
// The output does not depend on budgets. No work waits for memory, because a pass allocates everything before it
// begins.
import { alignUp } from '../base/bits';
import { SLAB_PARTS } from '../../assembly/layout/job/job-codes';
import { MAX_VARYINGS, TILE_SIZE } from '../../assembly/layout/limits';
import { Bin, BinBlock, Triangle } from '../../build/layout';

/** Budgets in bytes, for all workers together. Null means no limit. */
export interface Budgets {
  /** Triangles that are set up but not drawn yet, and the triangle lists of tiles. */
  readonly arenaBytes: number | null;
  /**
   * Vertices and primitives that wait as inputs of emitting stages, or for stream output, in modular pipelines (STAGE
   * INPUT).
   */
  readonly stageInputBytes: number | null;
  /** Shaded vertices of indexed draw calls that several batches or workers use. */
  readonly vertexBytes: number | null;
  /** Decoded texels of compressed textures (decoded-blocks.ts). */
  readonly decodedBytes: number;
}
export const defaultBudgets: Budgets = {
  arenaBytes: null,
  stageInputBytes: null,
  vertexBytes: null,
  decodedBytes: 64 << 20,
};

/** Which work a worker takes: geometry tasks, tiles, or both. */
export type WorkerKind = 'vertices' | 'pixels' | 'any';
export const workerKinds: readonly WorkerKind[] = ['vertices', 'pixels', 'any'];

/** Which workers run a tile: only the worker that has claimed it (`position`), or idle workers as well (`any`). */
export type Distribution = 'position' | 'any';
export const distributions: readonly Distribution[] = ['position', 'any'];

/** Bytes of device memory held for passes, by budget. */
export type PassMemory = { readonly [Budget in keyof Budgets]: number };

/** The work that a worker has done in passes that ran on workers. */
export interface WorkerStatistics {
  /** The kind of work that it takes (`create({ workerKinds })`). */
  readonly kind: WorkerKind;
  /** Number of geometry tasks. */
  readonly tasks: number;
  /** Number of tiles that had something to draw. */
  readonly tiles: number;
}

/** Bytes of a triangle with the maximum number of varyings: a value and two slopes each. */
const LARGEST_TRIANGLE = Triangle.planes + MAX_VARYINGS * 12;
const SLAB_BYTES = 256 << 10;
/** Bytes of arena for tasks that are not the oldest, in addition to those of the chunk. */
const AHEAD_BYTES = 8 << 20;
/** A task that is not the oldest may take one part in this many of the chunk's bytes. */
const SHARE = 16;

/** The arena sizes of a pass, as they are written to the JOB record. */
export interface ArenaSizes {
  readonly bytes: number;
  readonly slabBytes: number;
  /** See Job.softBytes, Job.hardBytes and Job.shareBytes. */
  readonly softBytes: number;
  readonly hardBytes: number;
  readonly shareBytes: number;
  /** Number of workers whose tasks fit. */
  readonly holders: number;
}

/** Arena sizes for a pass with `tiles` tiles whose chunks end after `softBytes`. */
export function arenaSizes(tiles: number, softBytes: number, holders: number): ArenaSizes {
  const bins = tiles * Bin.bytes + 16;
  const triangle = LARGEST_TRIANGLE + tiles * BinBlock.bytes;
  const slabBytes = alignUp(
    Math.max(SLAB_PARTS * Math.max(bins, triangle), Math.min(SLAB_BYTES, softBytes / SHARE)),
    64
  );
  const shareBytes = Math.max(bins + triangle, Math.floor(softBytes / SHARE));
  const hardBytes = softBytes + shareBytes;
  const ahead = holders > 1 ? Math.min(softBytes, AHEAD_BYTES) : 0;
  const slabs = Math.ceil(((hardBytes * SLAB_PARTS) / (SLAB_PARTS - 1) + ahead) / slabBytes) + 2 * holders;
  return { bytes: slabs * slabBytes, slabBytes, softBytes, hardBytes, shareBytes, holders };
}

const tilesOf = (width: number, height: number): number => Math.ceil(width / TILE_SIZE) * Math.ceil(height / TILE_SIZE);

/** Minimum bytes of arena for a pass of this size, in pixels: less could not hold a single triangle. */
export const minArenaBytes = (width: number, height: number): number => arenaSizes(tilesOf(width, height), 1, 1).bytes;

/**
 * The largest arena within a budget, for chunks of at most `maxBytes` and at most `holders` workers. Reduces the
 * number of workers before it makes chunks shorter than a quarter of the budget. If the budget is below
 * `minArenaBytes`, the arena holds one triangle.
 */
export function fitArena(tiles: number, maxBytes: number, holders: number, budget: number | null): ArenaSizes {
  if (budget === null) return arenaSizes(tiles, maxBytes, holders);
  const fits = (softBytes: number, workers: number): boolean => arenaSizes(tiles, softBytes, workers).bytes <= budget;
  const least = Math.max(1, Math.min(maxBytes, Math.floor(budget / 4)));
  let workers = holders;
  while (workers > 1 && !fits(least, workers)) workers--;
  let low = 1;
  // Sizes are not quite monotonic because of slab granularity, but every accepted size fits.
  for (let high = maxBytes; low < high;) {
    const middle = Math.ceil((low + high) / 2);
    if (fits(middle, workers)) low = middle;
    else high = middle - 1;
  }
  return arenaSizes(tiles, low, workers);
}

/**
 * The number of workers, at least 1, whose inputs of emitting stages fit in the budget. Each worker's inputs take
 * `bytes`.
 */
export function maxInputWorkers(bytes: number, workers: number, budget: number | null): number {
  return budget === null || bytes === 0 ? workers : Math.max(1, Math.min(workers, Math.floor(budget / bytes)));
}
