// Devices with a shader cache in a temporary folder.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach } from 'vitest';
import { ShaderProgram } from '../../../src/engine/front-end';
import { create, type CreateOptions, type DeviceStatistics, type StatisticsDevice } from '../../../src/index';
import { scenes } from '../../images/scenes';
import { openDevice, render } from '../../images/scenes/kit';

const folders: string[] = [];
const devices: GPUDevice[] = [];
afterEach(() => {
  for (const device of devices.splice(0)) device.destroy();
  writeRecords();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'shader-cache-'));
  folders.push(folder);
  return folder;
}

export async function open(options: CreateOptions = {}): Promise<GPUDevice> {
  const gpu = create({ threads: 0, extensions: ['statistics'], ...options });
  const device = await openDevice(gpu, {}, ['statistics']);
  devices.push(device);
  return device;
}

/** Writes the records that wait, as at the end of a process. */
export function writeRecords(): void {
  for (const listener of process.listeners('exit'))
    if (listener.name === 'atEnd') {
      process.off('exit', listener);
      listener.call(process, 0);
    }
}

export const programsOf = (device: GPUDevice): DeviceStatistics['programs'] =>
  (device as unknown as StatisticsDevice).statistics().programs;

/** The number of modules that `run` parses and checks. */
export async function modulesChecked(run: () => Promise<unknown>): Promise<number> {
  const before = ShaderProgram.modulesChecked;
  await run();
  return ShaderProgram.modulesChecked - before;
}

/** Draws an image scene. */
export const draw = (device: GPUDevice, name: string, samples = 1): Promise<Uint8Array> =>
  render(device, scenes[name]!, samples);
