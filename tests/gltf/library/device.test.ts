// Work on a device for the library call: what it leaves on the device, and how it reports that the device was lost.
/// <reference types="@webgpu/types" />
import { expect, test, vi } from 'vitest';
import { runOn } from '../../../src/gltf/library/device';
import { create } from '../../../src/index';

const open = async (): Promise<GPUDevice> => (await create({ threads: 0 }).requestAdapter())!.requestDevice();

test('many pictures leave one callback on the promise of the end of the device', async () => {
  const device = await open();
  const then = vi.spyOn(device.lost, 'then');
  for (let i = 0; i < 5; i++) expect(await runOn(device, 'Drawing', () => Promise.resolve(i))).toBe(i);
  expect(then).toHaveBeenCalledTimes(1);
  device.destroy();
});

test('work on a device that is lost meanwhile, or was lost before, fails', async () => {
  const device = await open();
  const failure = { name: 'GltfError', code: 'device', message: 'Drawing failed: the device was lost.' };
  const work = async (): Promise<void> => {
    device.destroy();
    await device.lost;
  };
  await expect(runOn(device, 'Drawing', work)).rejects.toMatchObject(failure);
  await expect(runOn(device, 'Drawing', () => Promise.resolve())).rejects.toMatchObject(failure);
  const lost = await open();
  lost.destroy();
  await expect(runOn(lost, 'Drawing', () => Promise.resolve())).rejects.toMatchObject(failure);
});
