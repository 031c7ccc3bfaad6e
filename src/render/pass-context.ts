// What the passes of one device share: its memory, its kernel, and callbacks to the device.
import type { Kernel } from '../kernels';
import type { Allocator } from '../memory';
import type { Executor } from '../schedule';
import type { RateFallback } from '../shading-rate';
import type { Surfaces } from '../surface';
import type { CommandMemory } from './memory/command-memory';
import type { DecodedBlocks } from './decoded-blocks';
import type { IndexRanges } from './resources/index-ranges';
import type { Pipeline } from './pipeline/pipeline';
import type { WaitCounts } from '../late';
import type { Workspace } from './workspace/workspace';

/** What the passes of one device share. */
export interface PassContext {
  readonly kernel: Kernel;
  readonly memory: WebAssembly.Memory;
  readonly allocator: Allocator;
  readonly commands: CommandMemory;
  readonly workspace: Workspace;
  readonly ranges: IndexRanges;
  readonly surfaces: Surfaces;
  readonly decoded: DecodedBlocks;
  /** For tests: whether a chunk ends after every draw call. */
  readonly chunkEveryDraw: boolean;
  /** For tests: whether the oracle is used, which does not support index ranges. */
  readonly oracle: boolean;
  /** Whether tiles run in order if their order could be observed. */
  readonly deterministic: boolean;
  /** Whether shaders are never compiled. */
  readonly interprets: boolean;
  /** Runs jobs on the calling thread. */
  readonly executor: Executor;
  /** Whether the stages of all pipelines count their warps, not only those of modular pipelines. */
  countsStages(): boolean;
  /**
   * Gives the job that the workspace describes to workers. `ended` is called in a separate macro-task. Returns false if
   * there are no workers, or none yet. `starts`: they start at once if there are none yet.
   */
  employ(starts: boolean, ended: () => void): boolean;
  areWorkersReady(): boolean;
  /**
   * Called when the calling thread has run `ms` milliseconds of a job alone that workers could run, and may need `left`
   * more. Workers start if that is worth it.
   */
  onAlone(ms: number, left: number): void;
  /**
   * Returns whether workers are starting. If so, `go` is called in a macro-task once they are ready or turn out to be
   * unavailable, or inside a call that waits for the pass.
   */
  awaitWorkers(go: () => void): boolean;
  /** Whether workers are used even when the calling thread would finish earlier. */
  readonly alwaysUseWorkers: boolean;
  /** Reports that the pass cannot be finished. The device continues. */
  failed(message: string): void;
  /** Sets a function that handles waiting tiles while workers run a job; null to stop. */
  onTilesWaiting(look: (() => void) | null): void;
  /** Continues the pass, which has waited for pages. Called in a macro-task. */
  wake(): void;
  /** A number that grows with each pass that reads streamed textures. */
  nextStreamPass(): number;
  readonly late: WaitCounts;
  /** Counts that the geometry of a chunk runs while tiles of the chunk before it wait. */
  onGeometryPrefetched(): void;
  /** Counts tiles that were abandoned, to be replayed. */
  onTilesDiscarded(count: number): void;
  /** An error message if the workers cannot continue, else null. */
  lost(): string | null;
  /** Compiles a waiting pipeline, if that is possible at once. */
  tryCompileSync(pipeline: Pipeline): void;
  /** Publishes newly compiled modules. Called before a chunk. */
  publishModules(): void;
  /** Starts the time limit of one kernel call. */
  startClock(): void;
  readonly timeoutMs: number;
  onChunkDone(): void;
  /** Reports `faults` ignored accesses to surfaces, described by `message`. */
  onFaults(faults: number, message: string): void;
  /** Counts a draw call that requests shading rates, but whose shader runs at 1×1. */
  onRateFallback(cause: RateFallback): void;
  /** Counts draw calls that may run out of order, and how many of them the renderer found itself. */
  onUnorderedDraws(independent: number, found: number): void;
  /** Notes the time since `began` (clockMs()) that the calling thread spent on a render pass itself, by part. */
  onSerial(part: 'prepare' | 'finish', began: number): void;
  onPassDone(): void;
}
