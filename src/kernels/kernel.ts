// A kernel build, instantiated on a device's memory, with typed exports. One instance per thread.
import { instantiateSync } from '@assemblyscript/loader';
import { STATUS_DONE } from '../../assembly/layout/status';

/** What every kernel build exports. Addresses and sizes are bytes in the device's memory; statuses are STATUS_*. */
export interface KernelExports extends Record<string, unknown> {
  /** First address after the kernel's constant tables. */
  heapBase(): number;
  geometryBytes(): number;
  geometryBegin(geometry: number, pass: number, draw: number): void;
  /** In place of geometryBegin: a SEGMENT of a draw (layout/job.ts). */
  geometryPart(geometry: number, pass: number, segment: number): void;
  /** Outcodes of the vertices that a SEGMENT_SHADE has shaded. */
  geometryCodes(geometry: number): number;
  /** After STATUS_NEEDS_MEMORY: changes the segment into what is left of it. */
  geometryResume(geometry: number, segment: number): void;
  geometryRun(geometry: number, batches: number): number;
  /** Writes the least and the greatest of `count` > 0 indices of `bytes` (2 or 4) to two u32 at `out`. */
  indexBounds(address: number, count: number, bytes: number, out: number): void;
  /**
   * How many different ones they are, all within `first` … `first` + `range` − 1; `bitmap`: (range + 63) / 64 · 8 bytes
   * of scratch.
   */
  countDistinct(address: number, count: number, bytes: number, first: number, range: number, bitmap: number): number;
  /**
   * Closes the gaps between what a DRAW with Draw.sinkCounts has written to its sink, vertices of `stride` bytes, and
   * moves it to `to`, which lies not behind it; gives the primitives.
   */
  compactSink(draw: number, stride: number, to: number): number;
  /** Of the load/store unit of one worker, for surfaces of up to so many bytes a pixel. */
  unitBytes(pixelBytes: number): number;
  unitInit(unit: number, pixelBytes: number): void;
  /** Fills the fields of a TARGET record (layout/draw.ts) that are made of its others. */
  prepareTarget(target: number): void;
  /** Completes a DESTINATION record for a target of the format. */
  prepareDestination(destination: number, format: number): void;
  /** Readies a COMPUTE UNIT (layout/compute.ts) for its dispatch. */
  computeBegin(unit: number): void;
  /** Runs `count` workgroups from number `first` of the job on. */
  computeRun(unit: number, first: number, count: number): number;
  tileContextBytes(pass: number): number;
  /** `pool`: WARP POOL. */
  tileContextInit(context: number, pass: number, pool: number): void;
  /** STATUS_YIELD: call again with the same arguments. */
  tileRun(context: number, pass: number, tile: number, flags: number): number;
  /**
   * A tile at which several workers are (assembly/layout/share.ts). Opens that of a context, between two calls of
   * tileRun, if it pays (or `always`): SHARE.users is 1 then. STATUS_*.
   */
  tileOpen(context: number, share: number, workers: number, always: number): number;
  /** In another context, of which SHARE.users knows; and afterwards. */
  tileJoin(context: number, share: number): void;
  tileLeave(context: number): void;
  /** STATUS_DONE: nothing is left for it; STATUS_YIELD, STATUS_WAITS (for other workers): call again. */
  tileShare(context: number, share: number, worker: number): number;
  /** Then, when all others have left: tileRun goes on behind what the tile was opened for. */
  tileClose(context: number, share: number): number;
  /** tileRun of the tiles from `first` up to `end`, of a pass (or chunk) without lists; never STATUS_YIELD. */
  tilesRun(context: number, pass: number, first: number, end: number, flags: number): number;
  /** Every sample of a SURFACE (layout/surface.ts) becomes zero. */
  /** 1: a PASS in which nothing is drawn is done. 0: its tiles are to be run, and noteIdle called then. */
  settleIdle(pass: number): number;
  noteIdle(pass: number): void;
  clearSurface(surface: number): void;
  /** Copies a SURFACE to another of the same shape: STATUS_DONE or STATUS_NEEDS_MEMORY. */
  copySurface(from: number, to: number): number;
  /** assembly/blocks/decode.ts. */
  decodeBlocks(format: number, from: number, to: number, rowBytes: number, extent: number, scratch: number): void;
  /** Writes how many tiles and how many pixels are in each state, SURFACE_*: eight u32. */
  countStates(surface: number, to: number): void;
  /** Writes the state of each pixel of a row, SURFACE_*, a byte each. */
  surfaceStates(surface: number, y: number, to: number): void;
  /**
   * Copies the constants into the block and computes the uniforms behind them. `scratch`: a WARP record, then a
   * register file.
   */
  runPrologue(program: number, resources: number, uniformBlock: number, scratch: number): number;
  /** The same of `count` PROLOGUE records. */
  runPrologues(list: number, count: number, scratch: number): number;
  /** Readies a warp, whose program, registers and resources are set, for a draw with this uniform block. */
  bindProgram(warp: number, uniformBlock: number): void;
  /** f32 functions by opcode, NaN canonical. */
  mathUnary(op: number, x: number): number;
  mathBinary(op: number, x: number, y: number): number;
}

export interface Kernel {
  readonly exports: KernelExports;
  /** As the engine has them, for modules that import them: those of `exports` may be wrapped. */
  readonly functions: WebAssembly.ModuleImports;
  /** Through which the kernel calls. */
  readonly table: WebAssembly.Table;
}

/** What a kernel asks of its host: functions that need no `this`. */
export interface KernelHost {
  /** Nonzero when the running call has used up its time. */
  readonly timeExpired: () => number;
  /** Milliseconds, never less than before: read only while a pass is timed by part. */
  readonly now: () => number;
}

/**
 * Instantiates a compiled build (src/kernels/source.ts) on `memory`, which must be of the kind (shared or not) that the
 * build imports.
 */
export function instantiateKernel(module: WebAssembly.Module, memory: WebAssembly.Memory, host: KernelHost): Kernel {
  const { exports, instance } = instantiateSync<KernelExports>(module, {
    env: { memory }, host: { timeExpired: host.timeExpired, now: host.now },
  });
  return {
    exports, functions: instance.exports as WebAssembly.ModuleImports,
    table: instance.exports['table'] as WebAssembly.Table,
  };
}

/** What the testing build exports besides: the oracle, of the same contracts. */
interface OracleExports {
  geometryRunOracle: KernelExports['geometryRun'];
  tileRunOracle: KernelExports['tileRun'];
}

/** The testing build's oracle under the names of its kernels. */
export function oracleKernel({ exports, ...rest }: Kernel): Kernel {
  const { geometryRunOracle, tileRunOracle } = exports as KernelExports & OracleExports;
  const tilesRun: KernelExports['tilesRun'] = (context, pass, first, end, flags) => {
    let status = STATUS_DONE;
    for (let tile = first; tile < end && status === STATUS_DONE; tile++)
      status = tileRunOracle(context, pass, tile, flags);
    return status;
  };
  return { ...rest, exports: { ...exports, geometryRun: geometryRunOracle, tileRun: tileRunOracle, tilesRun } };
}
