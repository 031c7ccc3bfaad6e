// Devices of each engine that read swizzled textures.
import { create } from '../../src/index';
import { forCreate } from '../support/options';
import { openDevice } from '../images/scenes';
import { engines, KERNELS } from '../storage-programs/kit';

export const names = ['compiled', 'compiled, on this thread', 'interpreted', 'scalar', 'overtaking'] as const;
export type Name = (typeof names)[number];
export const devices = new Map<string, Promise<GPUDevice>>();
export const deviceOf = (name: Name): Promise<GPUDevice> => {
  const device =
    devices.get(name)
    ?? openDevice(create(forCreate({ ...engines[name], kernelUrl: KERNELS })), {}, [
      'texture-component-swizzle',
      'float32-filterable',
    ]);
  devices.set(name, device);
  return device;
};
