// The configurations that draw mixed frames, as devices of the built package. FUZZ_BUILD names a folder to use instead
// of build/, so that two builds can be compared.
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { StatisticsDevice } from '../../../src/index';
import type { CreateOptions } from '../../support/options';
import { builtPackage, packageAt, type Package } from '../../images/open';

const PATIENCE_MS = 20_000;
const SHARED_TILES = { distribution: 'any', alwaysShareTiles: true } as const satisfies CreateOptions;

/** By name. The others are compared with the first one. */
export const CONFIGURATIONS: Readonly<Record<string, CreateOptions>> = {
  interpreted: { engine: 'interpreter', threads: 0, deterministic: true },
  compiled: { engine: 'jit', threads: 0 },
  'the scalar kernel': { simd: false, threads: 0, deterministic: true },
  'compiled, two at every tile': { ...SHARED_TILES, engine: 'jit', threads: 2, deterministic: true },
  'interpreted, three at every tile': { ...SHARED_TILES, engine: 'interpreter', threads: 3 },
  'by default, one worker, a small arena': { threads: 1, arenaBytes: 4096 },
  'compiled by four, a chunk after every draw': {
    engine: 'jit',
    threads: 4,
    chunkEveryDraw: true,
    deterministic: true,
  },
};
/** The immediate mode of the testing build. It executes a pixel's storage accesses in the order of samples. */
export const ORACLE: CreateOptions = { immediate: true, threads: 0, deterministic: true };

const FEATURES: readonly string[] = [
  'statistics',
  'extended-sample-counts',
  'multisample-32bit',
  'multisample-storage-textures',
  'fragment-stages',
  'modular-pipelines',
  'shading-rate',
  'processing-order',
  'streamed-textures',
  'subgroups',
  'clip-distances',
  'depth-clip-control',
  'indirect-first-instance',
  'texture-formats-tier2',
];

export interface Opened {
  readonly name: string;
  readonly options: CreateOptions;
  readonly device: StatisticsDevice;
  /** Messages of uncaptured errors, and of a lost device. */
  readonly errors: string[];
}

const folder = process.env['FUZZ_BUILD'];
const chosenPackage = (): Promise<Package> =>
  folder === undefined ? builtPackage() : packageAt(pathToFileURL(resolve(folder, 'index.js')).href);

/** Opens a device whose workers render from the first frame on. */
export async function open(name: string, options: CreateOptions): Promise<Opened> {
  const { create } = await chosenPackage();
  const errors: string[] = [];
  const adapter = await create({ alwaysUseWorkers: true, ...options }).requestAdapter();
  const device = (await adapter!.requestDevice({ requiredFeatures: FEATURES as GPUFeatureName[] })) as StatisticsDevice;
  device.onuncapturederror = (event) => {
    event.preventDefault();
    errors.push(event.error.message);
  };
  void device.lost.then(({ reason, message }) => {
    if (reason !== 'destroyed') errors.push(`lost: ${message}`);
  });
  const until = performance.now() + PATIENCE_MS;
  while (device.statistics().workers < (options.threads ?? 0)) {
    if (performance.now() > until) throw new Error(`${name}: workers are not up after ${PATIENCE_MS / 1000} s`);
    await new Promise((turn) => setTimeout(turn, 1));
  }
  return { name, options, device, errors };
}
