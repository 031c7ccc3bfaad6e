// Rasterloom devices for benchmarks, and the engine that runs their shaders.
import { create } from '../../build/index.js';

/**
 * Opens a device with a build's `create`. Validation errors end the process, because invalid frames must not be timed.
 */
export async function openDeviceOf(build, { options = {}, features = [], limits = {} } = {}) {
  const adapter = await build(options).requestAdapter();
  const device = await adapter.requestDevice({ requiredFeatures: features, requiredLimits: limits });
  device.onuncapturederror = ({ error }) => {
    throw new Error(error.message);
  };
  return device;
}

export const openDevice = (needs) => openDeviceOf(create, needs);

/** Returns the engine that `create(options)` selects on this platform: 'jit' or 'interpreter'. */
export async function engineOf(options = {}) {
  const device = await openDevice({ options, features: ['statistics'] });
  const { engine } = device.statistics().programs;
  device.destroy();
  return engine;
}
