// The optional feature "trace" (design §9): a member of the device that WebGPU does not have.
import type { RenderDevice } from '../render/types';
import type { TraceFile } from '../schedule';
import type { Device } from './declared';

export type { TraceEvent, TraceFile } from '../schedule';

/** What requestDevice({ requiredFeatures: ['trace'] }) gives. */
export interface TraceDevice extends Device {
  /**
   * What every thread of the device has done, and when, since the device was created or this was last called: an object
   * to be written as JSON, for Chrome's about:tracing or https://ui.perfetto.dev. A row for the calling thread, with
   * what the queue writes, compiles and steps through, and one for each worker: tasks of geometry with the vertices
   * and triangles of their draws, tiles with the position of their first pixel and their parts (load, raster, shade,
   * resolve and store), blocks of workgroups, waits for other workers. Beside them, from begin to end, passes, loads of
   * pages and waits for them. What a worker does is there when its job is done: its last 16 384 intervals of each job,
   * and half a million events in all; `otherData.lost` counts others.
   *
   * Measuring it slows rendering by a few per cent.
   */
  takeTrace(): TraceFile;
}

export function installTrace(device: object, render: RenderDevice): void {
  const trace = render.startTrace();
  Object.defineProperty(device, 'takeTrace', { value: () => trace.take(), enumerable: false, configurable: true });
}
