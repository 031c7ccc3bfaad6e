// The device of one rendering. Its errors become exceptions.
/// <reference types="@webgpu/types" />
import type { DeviceStatistics, StatisticsDevice, TraceDevice, TraceFile } from '../index';
import { messageOf } from '../gltf/errors';
import { DeviceError, MemoryError } from './errors';

export const TRACE = 'trace';

export interface Gpu {
  device: GPUDevice;
  /** Statistics of the renderer; null if the GPU lacks the feature "statistics". */
  statistics(): DeviceStatistics | null;
  /** Trace of the renderer; null if the feature "trace" was not requested or is missing. */
  takeTrace(): TraceFile | null;
  /** Whether the device is lost, so that another one must be opened. */
  isLost(): boolean;
  /**
   * Runs GPU work. Errors that it causes, immediately or later, become exceptions. `noMemory` is the message if there
   * is not enough memory.
   */
  run<T>(what: string, work: () => T | Promise<T>, noMemory?: string): Promise<T>;
}

/**
 * Opens a device with the adapter's limits for textures and buffers, with statistics if available, and with the
 * available ones of the features `wanted`.
 */
export async function openGpu(create: () => GPU | Promise<GPU>, wanted: readonly string[]): Promise<Gpu> {
  const adapter = await (await create()).requestAdapter();
  if (!adapter) throw new DeviceError('No GPU adapter is available.');
  const { maxTextureDimension2D, maxBufferSize } = adapter.limits;
  const counted = adapter.features.has('statistics');
  // Rasterloom's own features: @webgpu/types only knows those of the specification.
  const requiredFeatures = ['statistics', 'extended-sample-counts', ...wanted].filter((name) =>
    adapter.features.has(name)
  ) as unknown as GPUFeatureName[];
  const device = await adapter
    .requestDevice({ requiredFeatures, requiredLimits: { maxTextureDimension2D, maxBufferSize } })
    .catch((error: unknown) => {
      if ((error as Error).name !== 'UnavailableError') throw error;
      throw new DeviceError(`No GPU is available: ${messageOf(error)}.`, { cause: error });
    });
  let failure: string | undefined;
  let isLost = false;
  device.onuncapturederror = ({ error }) => {
    failure ??= error.message;
  };
  void device.lost.then((info) => {
    isLost = true;
    if (info.reason !== 'destroyed') failure ??= `the device was lost: ${info.message}`;
  });
  const run = async <T>(what: string, work: () => T | Promise<T>, noMemory?: string): Promise<T> => {
    // Scopes are popped in reverse order, so that a lack of memory is reported before the validation errors that it
    // causes.
    const filters = ['validation', 'internal', 'out-of-memory'] as const;
    for (const filter of filters) device.pushErrorScope(filter);
    let result: T | undefined;
    let thrown: { error: unknown } | undefined;
    let Kind: typeof DeviceError = DeviceError;
    try {
      result = await work();
    } catch (error) {
      thrown = { error };
    }
    // An exception of an operation (for example a failed map) usually follows from an error in a scope, which says
    // more.
    for (const filter of [...filters].reverse()) {
      const error = await device.popErrorScope();
      if (!error) continue;
      const known = filter === 'out-of-memory' ? noMemory : undefined;
      if (failure === undefined && filter === 'out-of-memory') Kind = MemoryError;
      failure ??= known ?? (error.message || error.constructor.name);
    }
    // A failed pipeline creation rejects its promise; no scope gets the error.
    if (thrown && isPipelineError(thrown.error)) failure ??= thrown.error.message;
    const message = failure;
    // The error belongs to this work; the next one begins without it.
    if (!isLost) failure = undefined;
    if (message !== undefined) throw new Kind(`${what} failed: ${message}`);
    if (thrown) throw thrown.error;
    return result as T;
  };
  const statistics = (): DeviceStatistics | null => (counted ? (device as StatisticsDevice).statistics() : null);
  const isTraced = requiredFeatures.includes(TRACE as GPUFeatureName);
  const takeTrace = (): TraceFile | null => (isTraced ? (device as unknown as TraceDevice).takeTrace() : null);
  return { device, statistics, takeTrace, isLost: () => isLost, run };
}

const isPipelineError = (error: unknown): error is GPUPipelineError =>
  error instanceof DOMException && error.name === 'GPUPipelineError';
