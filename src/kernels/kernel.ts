// A kernel build, instantiated on a device's memory, with typed exports. There is one instance per thread.
import { STATUS_DONE } from '../../assembly/layout/status';

/** Exports of every kernel build. Addresses and sizes are in bytes of the device's memory; statuses are STATUS_*. */
export interface KernelExports extends Record<string, unknown> {
  /** First address after the kernel's constant tables. */
  heapBase(): number;
  geometryBytes(): number;
  geometryBegin(geometry: number, pass: number, draw: number): void;
  /** Used instead of geometryBegin for a SEGMENT of a draw call (layout/job/job.ts). */
  geometryPart(geometry: number, pass: number, segment: number): void;
  /** Outcodes of the vertices that a SEGMENT_SHADE has shaded. */
  geometryCodes(geometry: number): number;
  /** After STATUS_NEEDS_MEMORY: reduces the segment to its remaining part. */
  geometryResume(geometry: number, segment: number): void;
  geometryRun(geometry: number, batches: number): number;
  /** Writes the minimum and maximum of `count` > 0 indices of `bytes` (2 or 4) bytes to two u32 at `out`. */
  indexBounds(address: number, count: number, bytes: number, out: number): void;
  /**
   * The number of distinct indices, which must be in `first` … `first` + `range` − 1.
   * @param bitmap scratch of (range + 63) / 64 · 8 bytes
   */
  countDistinct(address: number, count: number, bytes: number, first: number, range: number, bitmap: number): number;
  /**
   * Closes the gaps between the vertices, `stride` bytes each, that a DRAW with Draw.sinkCounts has written to its
   * sink, and moves them to `to`, which must not be after the sink's start. Returns the number of primitives.
   */
  compactSink(draw: number, to: number): number;
  /** Bytes of the load/store unit of one worker, for surfaces of up to `pixelBytes` bytes per pixel. */
  unitBytes(pixelBytes: number, tiles: number): number;
  unitInit(unit: number, pixelBytes: number, tiles: number): void;
  /** Fills in the derived fields of a TARGET record (layout/pass/draw.ts). */
  prepareTarget(target: number): void;
  /** Completes a DESTINATION record for a target of the format. */
  prepareDestination(destination: number, format: number): void;
  /** Prepares a COMPUTE UNIT (layout/job/compute.ts) for its dispatch. */
  computeBegin(unit: number): void;
  /** Runs `count` workgroups, starting at number `first` of the job. */
  computeRun(unit: number, first: number, count: number): number;
  tileContextBytes(pass: number): number;
  /** `pool`: address of the WARP POOL. */
  tileContextInit(context: number, pass: number, pool: number): void;
  /** After STATUS_YIELD, call again with the same arguments. */
  tileRun(context: number, pass: number, tile: number, flags: number): number;
  /**
   * Shared tiles (assembly/layout/job/share.ts). tileOpen shares the tile of a context, between two calls of tileRun,
   * if that pays off (or if `always` is set); SHARE.users is then 1. Returns STATUS_*.
   */
  tileOpen(context: number, share: number, workers: number, always: number): number;
  /** Joins the shared tile with another context, which SHARE.users counts; tileLeave leaves it again. */
  tileJoin(context: number, share: number): void;
  tileLeave(context: number): void;
  /** STATUS_DONE: no work is left for this context. STATUS_YIELD or STATUS_WAITS (for other workers): call again. */
  tileShare(context: number, share: number, worker: number): number;
  /** Called when all others have left; tileRun then continues after the part for which the tile was shared. */
  tileClose(context: number, share: number): number;
  /**
   * Runs tileRun for the tiles from `first` up to `end` of a pass (or chunk) without lists; never returns STATUS_YIELD.
   */
  tilesRun(context: number, pass: number, first: number, end: number, flags: number): number;
  /**
   * Returns 1 if a PASS without draw calls is complete; 0 if its tiles must be run and markUniformSurfaces called
   * afterwards.
   */
  tryFinishIdlePass(pass: number): number;
  markUniformSurfaces(pass: number): void;
  /** Sets every sample of a SURFACE (layout/surface/surface.ts) to zero. */
  clearSurface(surface: number): void;
  /** Copies a SURFACE to another of the same shape: STATUS_DONE or STATUS_NEEDS_MEMORY. */
  copySurface(from: number, to: number): number;
  /** See assembly/blocks/decode.ts. */
  decodeBlocks(format: number, from: number, to: number, rowBytes: number, extent: number, scratch: number): void;
  /** Writes the numbers of tiles and of pixels in each SURFACE_* state: eight u32. */
  countStates(surface: number, to: number): void;
  /** Writes the SURFACE_* state of each pixel of a row, one byte each. */
  surfaceStates(surface: number, y: number, to: number): void;
  /**
   * Copies the constants into the block and computes the uniforms after them. `scratch`: a WARP record, then a register
   * file.
   */
  runPrologue(program: number, resources: number, uniformBlock: number, scratch: number): number;
  /** As runPrologue, for `count` PROLOGUE records. */
  runPrologues(list: number, count: number, scratch: number): number;
  /** Prepares a warp, whose program, registers and resources are set, for a draw call with this uniform block. */
  bindProgram(warp: number, uniformBlock: number): void;
  /** f32 functions by opcode; NaN results are canonical. */
  mathUnary(op: number, x: number): number;
  mathBinary(op: number, x: number, y: number): number;
}

export interface Kernel {
  readonly exports: KernelExports;
  /** The engine's own functions, for modules that import them; those of `exports` may be wrapped. */
  readonly functions: WebAssembly.ModuleImports;
  /** The function table through which the kernel calls. */
  readonly table: WebAssembly.Table;
}

/** What a kernel needs from its host: functions that do not depend on `this`. */
export interface KernelHost {
  /** Nonzero when the running call has used up its time. */
  readonly timeExpired: () => number;
  /** Milliseconds, monotonic; read only while the parts of a pass are timed. */
  readonly now: () => number;
}

/**
 * Instantiates a compiled build (src/kernels/source.ts) on `memory`, which must be of the kind (shared or not) that the
 * build imports.
 */
export function instantiateKernel(module: WebAssembly.Module, memory: WebAssembly.Memory, host: KernelHost): Kernel {
  const { exports } = new WebAssembly.Instance(module, {
    env: { memory },
    host: { timeExpired: host.timeExpired, now: host.now },
  });
  return {
    exports: exports as KernelExports,
    functions: exports as WebAssembly.ModuleImports,
    table: exports['table'] as WebAssembly.Table,
  };
}

/** Additional exports of the testing build: the oracle, with the same contracts. */
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
