// The optional feature "statistics" (design §9): a member of the device that plain WebGPU does not have.
// A program that does not ask for it in requestDevice sees a plain GPUDevice.
import type { RenderDevice } from '../render/types';

/** Counted since the device was created. */
export interface DeviceStatistics {
  /** Bytes of device memory: in use by resources, reserved from the engine, and the most that resources may take. */
  readonly memory: { readonly bytesUsed: number; readonly bytesReserved: number; readonly bytesBudget: number };
  /** Render passes, tiles and chunks run; vertices used and shaded; triangles by fate; quads, lanes and warps shaded. */
  readonly counters: Readonly<Record<string, number>>;
}
/** What requestDevice({ requiredFeatures: ['statistics'] }) gives. */
export interface StatisticsDevice extends GPUDevice {
  statistics(): DeviceStatistics;
}

export function installStatistics(device: object, render: RenderDevice): void {
  const statistics = (): DeviceStatistics => ({ memory: render.memoryStatistics(), counters: render.statistics() });
  Object.defineProperty(device, 'statistics', { value: statistics, enumerable: false, configurable: true });
}
