// Devices of ours for measuring, and which engine runs their programs.
import { create } from '../build/index.js';

/** A device of a build's `create`. Errors of validation end the process: a wrong frame is not worth timing. */
export async function openDeviceOf(build, { options = {}, features = [] } = {}) {
  const adapter = await build(options).requestAdapter(),
    device = await adapter.requestDevice({ requiredFeatures: features });
  device.onuncapturederror = ({ error }) => { throw new Error(error.message); };
  return device;
}

export const openDevice = (needs) => openDeviceOf(create, needs);

/** 'jit' or 'interpreter': what `create(options)` comes to on this platform. */
export async function engineOf(options = {}) {
  const device = await openDevice({ options, features: ['statistics'] });
  const { engine } = device.statistics().programs;
  device.destroy();
  return engine;
}
