// The options of a device, and their defaults.
import { MAX_WORKERS } from '../../assembly/layout/job/share-codes';
import { defaultShaderLimits, type ShaderLimits } from '../base/shader-limits';
import type { KernelSource } from '../kernels';
import type { SpawnWorker } from '../schedule';
import { defaultBudgets, type Budgets, type Distribution, type WorkerKind } from './budgets';
import type { Engine } from './shaders/engine';
import type { Overtaking, Scheduler } from './workspace/workspace-types';

export interface RenderDeviceOptions {
  readonly kernelSource: KernelSource;
  /** False selects the scalar kernel. */
  readonly simd: boolean;
  /** Maximum bytes of device memory for resources. */
  readonly memoryBudget: number;
  /** Milliseconds that one call of a kernel may run before the device is lost. */
  readonly timeoutMs: number;
  /** Bytes of triangles after which a chunk ends. */
  readonly arenaBytes: number;
  /** For tests: whether a chunk ends after every draw call. The output must not change. */
  readonly chunkEveryDraw: boolean;
  /** Whether multisampled surfaces are encoded by content. Otherwise every sample has a texel. */
  readonly surfaceEncoding: boolean;
  /** Whether the device draws with the oracle of the testing build, with which tests compare the other kernels. */
  readonly immediate: boolean;
  /** The testing build parks warps. The output must not change (tests). */
  readonly forcedParking: Overtaking | null;
  /** Seed with which the testing build shuffles the schedule of unordered draw calls; 0: no shuffling (tests). */
  readonly shuffle: number;
  /** Number of tiles that a worker processes at a time. The output must not change (tests). */
  readonly tileContexts: number;
  /** Which workers run a tile: its owner alone, or idle workers as well. */
  readonly distribution: Distribution;
  /** For tests, with distribution 'any': whether every tile is opened for sharing as soon as it begins. */
  readonly alwaysShareTiles: boolean;
  /** Whether workers are used even when the calling thread would finish earlier. */
  readonly alwaysUseWorkers: boolean;
  /** How passes that read streamed textures are scheduled. */
  readonly scheduler: Scheduler;
  readonly engine: Engine;
  /** Whether workgroups run in ascending order if their order could be observed. */
  readonly deterministic: boolean;
  readonly shaderLimits: ShaderLimits;
  /** Limits for the memory of passes, by purpose. */
  readonly budgets: Budgets;
  /** The kind of work that each worker takes. If empty, the calling thread renders. */
  readonly workers: readonly WorkerKind[];
  /** Null on platforms without threads. */
  readonly spawnWorker: SpawnWorker | null;
}
export const defaultScheduler: Scheduler = {
  slots: 16,
  warps: 64,
  timeoutMs: 20,
  budgets: { vertex: MAX_WORKERS, pixel: MAX_WORKERS },
  priority: 'pixel',
  lockstepQuads: true,
};
export const defaultRenderOptions = {
  engine: 'auto' as Engine,
  deterministic: false,
  simd: true,
  memoryBudget: 0xf0000000,
  timeoutMs: 10_000,
  arenaBytes: 48 << 20,
  chunkEveryDraw: false,
  surfaceEncoding: true,
  immediate: false,
  forcedParking: null,
  shuffle: 0,
  tileContexts: 1,
  distribution: 'position' as Distribution,
  alwaysShareTiles: false,
  alwaysUseWorkers: false,
  scheduler: defaultScheduler,
  budgets: defaultBudgets,
  shaderLimits: defaultShaderLimits,
  workers: [],
  spawnWorker: null,
} as const satisfies Partial<RenderDeviceOptions>;
