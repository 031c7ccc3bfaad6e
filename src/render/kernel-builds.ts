// Loads the build of the kernel that the options of a device ask for.
import { chooseBuild, type KernelSource } from '../kernels';
import type { RenderDeviceOptions } from './device-options';

/** Rejects if the build cannot be loaded. `shared`: whether the device's memory is shared between threads. */
export async function loadKernel(options: RenderDeviceOptions, shared: boolean): Promise<WebAssembly.Module> {
  const forTests = options.immediate
    ? 'immediate'
    : options.forcedParking
      ? 'overtaking'
      : options.shuffle
        ? 'shuffle'
        : null;
  return forTests
    ? testingBuild(options.kernelSource, forTests)
    : options.kernelSource(chooseBuild(shared, options.simd));
}

async function testingBuild(source: KernelSource, option: string): Promise<WebAssembly.Module> {
  try {
    return await source('testing');
  } catch (cause) {
    throw new Error(
      `create({ ${option} }) is for Rasterloom's own tests: it needs the testing build, `
        + 'which the package does not contain',
      { cause }
    );
  }
}
