// Opens devices of the built package with a number of workers.
import type { StatisticsDevice } from '../../src/index';
import type { CreateOptions } from '../support/options';
import { builtPackage } from '../images/open';

/** Time in which workers must start. */
const PATIENCE_MS = 20_000;

/** Requests all features that the tests of this folder use. Throws the errors of `create`. */
export async function open(options: CreateOptions): Promise<StatisticsDevice> {
  const { create } = await builtPackage();
  const adapter = await create({ alwaysUseWorkers: true, ...options }).requestAdapter();
  const features: readonly string[] = [
    'statistics',
    'depth-clip-control',
    'extended-sample-counts',
    'multisample-storage-textures',
    'modular-pipelines',
    'fragment-stages',
    'shading-rate',
    'processing-order',
  ];
  return (await adapter!.requestDevice({
    requiredFeatures: features as GPUFeatureName[],
    requiredLimits: { maxStorageBuffersInVertexStage: 8 },
  })) as StatisticsDevice;
}

/** Opens a device whose workers render from the first frame on. */
export async function openReady(options: CreateOptions & { readonly threads: number }): Promise<StatisticsDevice> {
  const device = await open(options);
  const until = performance.now() + PATIENCE_MS;
  while (device.statistics().workers !== options.threads) {
    if (performance.now() > until)
      throw new Error(
        `${device.statistics().workers} of ${options.threads} workers are up after ${PATIENCE_MS / 1000} s`
      );
    await new Promise((turn) => setTimeout(turn, 1));
  }
  return device;
}
