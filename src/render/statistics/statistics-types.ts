// What a device reports about its streamed textures, about the time of its passes, and about its compiled shaders.
import type { StageKind, StageRate } from '../../mpipe';

/** Counted over all streamed textures of a device since its creation. */
export interface StreamStatistics {
  /** Pages that were requested from sources, that arrived, and that failed, with or without a fallback. */
  readonly pagesRequested: number;
  readonly pagesLoaded: number;
  readonly pagesFailed: number;
  /** Pages whose requests were cancelled because nothing needed them any more; loads that were repeated. */
  readonly pagesCancelled: number;
  readonly pagesRetried: number;
  /** Pages that were evicted to make room for others. */
  readonly pagesEvicted: number;
  /** Bytes of pages that are resident or being loaded. */
  readonly pageBytes: number;
  /**
   * How often tiles, or groups of workgroups that run together, stopped because pages were not resident; how often what
   * they had done was undone, so that they are replayed from their beginning; how often they were replayed or resumed;
   * how many wait now.
   */
  readonly parked: number;
  readonly undone: number;
  readonly replayed: number;
  readonly waiting: number;
  /** Tiles that were drawn in parts because the budget does not hold all pages that they read. */
  readonly divided: number;
  /**
   * How often a pass had nothing left to run until pages arrived, by cause: their `source`; other loads
   * (`maxConcurrentLoads`, limited by `TextureStream.maxConcurrentLoads`); or `room`, if pages of other waiting work
   * fill the budget.
   */
  readonly stalls: { readonly source: number; readonly loadLimit: number; readonly room: number };
}
/**
 * Milliseconds of kernel time by part of the work. One fragment warp in eight is timed and stands for the others.
 * `shade` and `blend` are therefore estimates, and so are `pack`, and `raster` where draw calls blend or discard. The
 * sum is exact.
 */
export interface KernelTimes {
  /** Fetching attributes, remapping indices, vertex shaders, projection. */
  readonly vertex: number;
  /** Culling, clipping, attribute planes, tile lists. */
  readonly setup: number;
  /** Coverage, depth, stencil, visible triangles. */
  readonly raster: number;
  /**
   * Gathering the visible fragments of a tile into warps, and looking up shading rates. Where draw calls blend or
   * discard, fragments join warps during `raster`.
   */
  readonly pack: number;
  /** Interpolation and fragment shaders. */
  readonly shade: number;
  /** From shader results to the tile: late tests, blending, writing. */
  readonly blend: number;
  /** Loading or clearing, resolving and storing tiles. */
  readonly resolve: number;
}
/** Kernel times, and the time of the calling thread while no worker runs a render pass. */
export interface PartTimes extends KernelTimes {
  /** Before the tasks of a render pass: records of draw calls, and their division into tasks. */
  readonly prepare: number;
  /** After its tiles. */
  readonly finish: number;
}
/** Milliseconds of compilation work for one shader, or for all. */
export interface StageTimes {
  /** Emitting WebAssembly. */
  readonly emit: number;
  /** Compiling it, partly on other threads. */
  readonly compile: number;
  /** Instantiating it. */
  readonly instantiate: number;
  /**
   * Running new shaders with all lanes masked off until the engine has compiled its best code
   * (createRenderPipelineAsync).
   */
  readonly warmUp: number;
}
/** A stage in use by pipelines of a device: a shader after linking. */
export interface StageStatistics {
  /** Name of the entry point. */
  readonly name: string;
  readonly kind: StageKind;
  /** What one invocation stands for. */
  readonly rate: StageRate;
  /** Number of pipelines that share it. */
  readonly pipelines: number;
  /** Number of draw calls or dispatches that used it. */
  readonly runs: number;
  /**
   * Warps of up to 64 vertices, primitives or fragments, in passes that are done. Geometry that starts over because a
   * chunk has ended counts again.
   */
  readonly warps: number;
  /** `interpreted`: permanently. `waiting`: interpreted until it is compiled. */
  readonly state: 'compiled' | 'waiting' | 'interpreted';
  /** Number of bytecode instructions per warp, and of those that run once per draw call. */
  readonly instructions: number;
  readonly prologue: number;
  /** Registers in a warp's register file. */
  readonly registers: number;
  /** Bytes of device memory for its module; 0 if there is none. */
  readonly moduleBytes: number;
  readonly times: StageTimes;
}
/**
 * How a device's pipelines run, counted since its creation. A pipeline counts as `compiled`, as `interpreted`, or is
 * still waiting to be compiled.
 */
export interface ProgramStatistics {
  /** `jit`: shaders are compiled. Until they are, and if they cannot be, they are interpreted. */
  readonly engine: 'jit' | 'interpreter';
  /** Number of pipelines whose stages all have compiled code. */
  readonly compiled: number;
  /**
   * Number of pipelines with a stage that stays interpreted: it is too large, memory is short, or the device does not
   * compile.
   */
  readonly interpreted: number;
  /** Number of WebAssembly modules that were emitted for this device, one per shader. */
  readonly emitted: number;
  /** Number of shaders whose module already existed, from another device of the process or from earlier. */
  readonly fromCache: number;
  /** Number of shaders whose module was found in the shader cache (`create({ shaderCache })`). */
  readonly fromStore: number;
  /** Number of stages that a new pipeline found on the device. */
  readonly shared: number;
  /** Modules that the process caches, whether in use or not; bytes of the modules and their keys. */
  readonly cachedModules: number;
  readonly keptBytes: number;
  /** Shaders and modules that were evicted from caches, least recently used first. */
  readonly dropped: number;
  /** Bytes of device memory that hold compiled shaders now. */
  readonly moduleBytes: number;
  /** Length of the function table, including the kernel's own functions. */
  readonly functionTableSlots: number;
  /** Total over all shaders. */
  readonly times: StageTimes;
  /** The stages that pipelines use now. */
  readonly stages: readonly StageStatistics[];
}
