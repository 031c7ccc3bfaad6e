// Devices of ours for measuring, and which engine runs their programs.
import { create } from '../build/index.js';

/** Errors of validation end the process: a wrong frame is not worth timing. */
export async function openDevice({ options = {}, features = [] } = {}) {
  const adapter = await create(options).requestAdapter(), device = await adapter.requestDevice({ requiredFeatures: features });
  device.onuncapturederror = ({ error }) => { throw new Error(error.message); };
  return device;
}

/** 'jit' or 'interpreter': what `create(options)` comes to on this platform. */
export async function engineOf(options = {}) {
  const device = await openDevice({ options, features: ['statistics'] });
  const { engine } = device.statistics().programs;
  device.destroy();
  return engine;
}
