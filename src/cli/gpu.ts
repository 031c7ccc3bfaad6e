// The device of one rendering, and its errors as exceptions.
/// <reference types="@webgpu/types" />
import type { DeviceStatistics, StatisticsDevice, TraceDevice, TraceFile } from '../index';
import { messageOf } from '../gltf/errors';
import { CommandError } from './errors';

export const TRACE = 'trace';

export interface Gpu {
  device: GPUDevice;
  /** What the renderer did, where the GPU has the feature "statistics". */
  statistics(): DeviceStatistics | null;
  /** What it did and when; null where nobody asked for the feature "trace", or the GPU has it not. */
  takeTrace(): TraceFile | null;
  /**
   * Runs GPU work; any error that it causes, at once or later, becomes an exception. `noMemory` is what is said where
   * there is too little for it.
   */
  run<T>(what: string, work: () => T | Promise<T>, noMemory?: string): Promise<T>;
}

/**
 * Opens a device with the largest textures and buffers that the adapter offers, counted where it can be, and with those
 * of the features `wanted` that it has.
 */
export async function openGpu(create: () => GPU, wanted: readonly string[]): Promise<Gpu> {
  const adapter = await create().requestAdapter();
  if (!adapter) throw new CommandError('There is no GPU adapter.');
  const { maxTextureDimension2D, maxBufferSize } = adapter.limits;
  const counted = adapter.features.has('statistics');
  // Our own features: @webgpu/types lists the specification's names only.
  const requiredFeatures = [
    'statistics', 'extended-sample-counts', ...wanted,
  ].filter((name) => adapter.features.has(name)) as unknown as GPUFeatureName[];
  const device = await adapter.requestDevice({
    requiredFeatures, requiredLimits: { maxTextureDimension2D, maxBufferSize },
  }).catch((error: unknown) => {
    if ((error as Error).name !== 'UnavailableError') throw error;
    throw new CommandError(`There is no GPU: ${messageOf(error)}.`, { cause: error });
  });
  let failure: string | undefined;
  device.onuncapturederror = ({ error }) => { failure ??= error.message; };
  void device.lost.then((info) => {
    if (info.reason !== 'destroyed') failure ??= `the device was lost: ${info.message}`;
  });
  const check = (what: string, message: string | undefined): void => {
    if (message !== undefined) throw new CommandError(`${what} failed: ${message}`);
  };
  const run = async <T>(what: string, work: () => T | Promise<T>, noMemory?: string): Promise<T> => {
    // The last one is popped first: what cannot be made for want of memory is invalid wherever it is used.
    const filters = ['validation', 'internal', 'out-of-memory'] as const;
    for (const filter of filters) device.pushErrorScope(filter);
    let result: T | undefined;
    let thrown: { error: unknown } | undefined;
    try {
      result = await work();
    } catch (error) {
      thrown = { error };
    }
    // What an operation throws (a map that fails) is mostly the echo of an error in a scope, which says more.
    for (const filter of [...filters].reverse()) {
      const error = await device.popErrorScope();
      if (!error) continue;
      const known = filter === 'out-of-memory' ? noMemory : undefined;
      failure ??= known ?? (error.message || error.constructor.name);
    }
    // A pipeline that cannot be made tells it to whoever asked for it, and to no scope.
    if (thrown && isPipelineError(thrown.error)) failure ??= thrown.error.message;
    check(what, failure);
    if (thrown) throw thrown.error;
    return result as T;
  };
  const statistics = (): DeviceStatistics | null => (counted ? (device as StatisticsDevice).statistics() : null);
  const isTraced = requiredFeatures.includes(TRACE as GPUFeatureName);
  const takeTrace = (): TraceFile | null => (isTraced ? (device as unknown as TraceDevice).takeTrace() : null);
  return { device, statistics, takeTrace, run };
}

const isPipelineError = (error: unknown): error is GPUPipelineError => error instanceof DOMException
  && error.name === 'GPUPipelineError';
