// The built package, opened as a user would, for tests that draw.
import { fileURLToPath } from 'node:url';
import { openDevice } from './scenes';

type Package = typeof import('../../src/index');

/** A new device of build/index.js. */
export async function openBuilt(options: Parameters<Package['create']>[0] = {}): Promise<GPUDevice> {
  const path = fileURLToPath(new URL('../../build/index.js', import.meta.url));
  const { create } = (await import(/* @vite-ignore */ path)) as Package;
  return openDevice(create(options));
}
