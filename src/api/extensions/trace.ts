// The feature "trace": an additional member of the device.
import type { RenderDevice } from '../../render/types';
import type { TraceFile } from '../../schedule';
import type { Device } from '../idl/declared';

export type { TraceEvent, TraceFile } from '../../schedule';

/** A device with the feature "trace". */
export interface TraceDevice extends Device {
  /**
   * Returns a trace of all threads of the device since its creation or the last call. The object can be saved as JSON
   * for Chrome's about:tracing or https://ui.perfetto.dev.
   *
   * - The calling thread has a row with the queue's writes, compilations and steps.
   * - Each worker has a row with geometry tasks, tiles, blocks of workgroups, and waits for other workers. Geometry
   *   tasks contain the vertices and triangles of their draw calls. Tiles contain the position of their first pixel,
   *   and the times to load, raster, shade, resolve and store them.
   * - Passes, page loads and waits for pages are shown as separate intervals.
   *
   * A worker's events are available when its job has finished. The trace keeps the last 16 384 intervals of each
   * worker's job, and half a million events in all; `otherData.lost` counts the dropped ones. Tracing slows down
   * rendering by a few per cent.
   */
  takeTrace(): TraceFile;
}

export function installTrace(device: object, render: RenderDevice): void {
  const trace = render.startTrace();
  Object.defineProperty(device, 'takeTrace', { value: () => trace.take(), enumerable: false, configurable: true });
}
