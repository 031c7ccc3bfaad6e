// What a workspace is made with: the scheduler's options, properties of chunks, and options for tests.
import type { KernelExports } from '../../kernels';
import type { Allocator } from '../../memory';
import type { Budgets, WorkerKind } from '../budgets';
import type { WorkerSet } from '../pipeline/pipeline-types';

/** What a workspace needs of its device. */
export interface WorkspaceParts {
  readonly allocator: Allocator;
  readonly memory: WebAssembly.Memory;
  readonly exports: KernelExports;
  /** The workers, at least one, with the work that each takes. */
  readonly kinds: readonly WorkerKind[];
  /** Bytes of triangles after which a chunk ends. A budget may reduce them. */
  readonly arenaBytes: number;
  readonly budgets: Budgets;
  readonly timeoutMs: number;
  /** For tests: which additional warps are parked; null for only those that have to be. */
  readonly forcedParking: Overtaking | null;
  /** For tests: seed for shuffling the schedule of unordered draw calls; 0: no shuffling. */
  readonly shuffle: number;
  /** Number of tiles that a worker processes at a time, at least 1. */
  readonly tileContexts: number;
  /** Whether idle workers may join the tiles of others. */
  readonly sharesTiles: boolean;
  /** For tests: whether every tile is opened for sharing as soon as it begins. */
  readonly alwaysShareTiles: boolean;
  readonly scheduler: Scheduler;
  /** Bytes that pages of streamed textures may still take. Memory that only saves time leaves most of them free. */
  readonly promisedBytes: () => number;
}

/** How passes that read streamed textures are scheduled. */
export interface Scheduler {
  /**
   * Number of tiles that a worker processes at a time. All but one of them may wait for pages. With 1, no tile is
   * parked.
   */
  readonly slots: number;
  /** Maximum number of waiting warps per tile. */
  readonly warps: number;
  /** Milliseconds after which a tile that is ready to resume is preferred to tiles that no worker has begun. */
  readonly timeoutMs: number;
  /**
   * Maximum numbers of workers that run geometry of the next chunk, and tiles of this one, while tiles of this chunk
   * wait. With 0 for vertices, the next chunk begins when this one is done.
   */
  readonly budgets: { readonly vertex: number; readonly pixel: number };
  /** Which of these two kinds of work comes first if both exist. */
  readonly priority: Priority;
  /**
   * For passes that wait for pages, and interpreted shaders whose order of quads can be observed: whether their quads
   * run together, instruction by instruction. Otherwise, such quads run one by one.
   */
  readonly lockstepQuads: boolean;
}
type Priority = 'pixel' | 'vertex';
export const priorities: readonly Priority[] = ['pixel', 'vertex'];

/**
 * Properties of a chunk. `last`: it is the last one of its pass. `serial`: its tiles run one after the other. `shares`:
 * several workers may share a tile. `isPrefetched`: its geometry has already run (beginPrefetch). `workers`: those that
 * take part.
 */
export interface ChunkKind {
  readonly last: boolean;
  readonly serial: boolean;
  readonly shares: boolean;
  readonly isPrefetched: boolean;
  readonly workers: WorkerSet;
}

/**
 * The testing build parks every `every`-th warp of a worker until `during` later warps have run. `warps`: maximum
 * number of parked warps per tile.
 */
export interface Overtaking {
  readonly every: number;
  readonly during: number;
  readonly warps: number;
}

/**
 * Addresses of a pass's LATE WORKs, and of the MISSES of each worker's vertices (empty if vertex shaders read no
 * streamed textures). `kept`: bytes of registers that a quad of a stopped warp saves, if tiles keep their work
 * (Misses.keepsProgress); null if tiles can be replayed.
 */
export interface StreamedRecords {
  readonly tiles: number;
  readonly geometry: readonly number[];
  readonly kept: number | null;
}
