// Kernel times by part. The phases of batches and tiles are measured directly; the times of warps are extrapolated from
// those that were timed.
import {
  PART_RASTER,
  PART_RESOLVE,
  PART_SETUP,
  PART_SHADE,
  PART_VERTEX,
} from '../../../assembly/layout/pass/pass-codes';
import { Statistics, WarpTimes } from '../../../build/layout';
import { clockMs } from '../../base/clock';
import type { Trace } from '../../schedule';
import type { KernelTimes, PartTimes } from '../types';

type SerialPart = Exclude<keyof PartTimes, keyof KernelTimes>;

/** Times of the calling thread for render passes while no worker runs them. */
export class SerialTimes {
  readonly times: Record<SerialPart, number> = { prepare: 0, finish: 0 };

  /** Adds the time since `began`. */
  add(part: SerialPart, began: number, trace: Trace | null): void {
    this.times[part] += clockMs() - began;
    trace?.did(`${part} a render pass`, 'pass', began);
  }
}

interface WarpsTimes {
  readonly program: number;
  readonly output: number;
}

/** Sums the times of STATISTICS records. */
export function readKernelTimes(memory: WebAssembly.Memory, statistics: readonly number[]): KernelTimes {
  const sum: Record<keyof KernelTimes, number> = {
    vertex: 0,
    setup: 0,
    raster: 0,
    pack: 0,
    shade: 0,
    blend: 0,
    resolve: 0,
  };
  for (const address of statistics) {
    const times = timesOf(memory, address);
    for (const part of Object.keys(sum) as (keyof KernelTimes)[]) sum[part] += times[part];
  }
  return sum;
}

/** No part is negative, and the parts add up to the measured time. */
function timesOf(memory: WebAssembly.Memory, statistics: number): KernelTimes {
  const f64 = new Float64Array(memory.buffer, statistics, Statistics.bytes / 8);
  const phase = (part: number): number => f64[Statistics.times / 8 + part]!;
  const walk = phase(PART_RASTER);
  const flush = phase(PART_SHADE);
  const ordered = warpsOf(f64, 0, walk);
  const visible = warpsOf(f64, 1, flush);
  return {
    vertex: phase(PART_VERTEX),
    setup: phase(PART_SETUP),
    raster: beyond(walk, ordered),
    pack: beyond(flush, visible),
    shade: ordered.program + visible.program,
    blend: ordered.output + visible.output,
    resolve: phase(PART_RESOLVE),
  };
}

/** Time of a phase without its warps. The difference is clamped, because rounding could make it negative. */
const beyond = (phase: number, { program, output }: WarpsTimes): number => Math.max(0, phase - (program + output));

/** Estimated time of all warps of a phase, at most `phase` in total. */
function warpsOf(f64: Float64Array, which: number, phase: number): WarpsTimes {
  const at = (Statistics.warpTimes + which * WarpTimes.bytes) / 8;
  const field = (offset: number): number => f64[at + offset / 8]!;
  const timed = field(WarpTimes.timed);
  if (timed === 0) return { program: 0, output: 0 };
  const each = field(WarpTimes.run) / timed;
  const program = field(WarpTimes.program) * each;
  const output = field(WarpTimes.output) * each;
  // In a page the clock is coarse, so all of these may be 0.
  const fit = program + output > phase ? phase / (program + output) : 1;
  return { program: program * fit, output: output * fit };
}
