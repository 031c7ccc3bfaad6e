// The built package, opened as a user would, for tests that draw.
import { fileURLToPath } from 'node:url';
import { openDevice } from './scenes';

type Package = typeof import('../../src/index');

/** The module build/index.js. */
export async function builtPackage(): Promise<Package> {
  const path = fileURLToPath(new URL('../../build/index.js', import.meta.url));
  return (await import(/* @vite-ignore */ path)) as Package;
}

/** A device of build/index.js with features. */
export async function openBuiltWith(
  requiredFeatures: readonly string[], options: Parameters<Package['create']>[0] = {}
): Promise<GPUDevice> {
  const { create } = await builtPackage();
  const adapter = await create({ alwaysEmploys: true, ...options }).requestAdapter();
  // Our own features are not in @webgpu/types.
  return adapter!.requestDevice({ requiredFeatures: requiredFeatures as GPUFeatureName[] });
}

/** A new device of build/index.js. */
export async function openBuilt(options: Parameters<Package['create']>[0] = {}): Promise<GPUDevice> {
  const { create } = await builtPackage();
  return openDevice(create({ alwaysEmploys: true, ...options }));
}
