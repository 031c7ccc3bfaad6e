// Opens the built package like a user would, for tests that draw.
import { fileURLToPath } from 'node:url';
import { forCreate, type CreateOptions } from '../support/options';
import { openDevice } from './scenes';

type Published = typeof import('../../src/index');
export type Package = Omit<Published, 'create'> & {
  readonly create: (options?: CreateOptions | readonly string[]) => GPU;
};

const takesTestOptions = (options: CreateOptions | readonly string[] | undefined): options is CreateOptions =>
  typeof options === 'object' && !Array.isArray(options);

/** A build's index.js, whose `create` also takes the options that only tests use. */
export async function packageAt(path: string): Promise<Package> {
  const built = (await import(/* @vite-ignore */ path)) as Published;
  return { ...built, create: (options) => built.create(takesTestOptions(options) ? forCreate(options) : options) };
}

/** The module build/index.js. */
export const builtPackage = (): Promise<Package> =>
  packageAt(fileURLToPath(new URL('../../build/index.js', import.meta.url)));

/** A device of build/index.js with features. */
export async function openBuiltWith(
  requiredFeatures: readonly string[],
  options: Parameters<Package['create']>[0] = {}
): Promise<GPUDevice> {
  const { create } = await builtPackage();
  const adapter = await create({ alwaysUseWorkers: true, ...options }).requestAdapter();
  // Our own features are not in @webgpu/types.
  return adapter!.requestDevice({ requiredFeatures: requiredFeatures as GPUFeatureName[] });
}

/** A new device of build/index.js. */
export async function openBuilt(options: Parameters<Package['create']>[0] = {}): Promise<GPUDevice> {
  const { create } = await builtPackage();
  return openDevice(create({ alwaysUseWorkers: true, ...options }));
}
