// The configurations that draw mixed frames, as devices of the built package. FUZZ_BUILD names another folder than
// build/, so that what one build draws can be held against what another does.
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { StatisticsDevice } from '../../../src/index';
import type { CreateOptions } from '../../support/options';
import { builtPackage, packageAt, type Package } from '../../images/open';

const PATIENCE_MS = 20_000;
const AT_EVERY_TILE = { distribution: 'any', opensTiles: true } as const satisfies CreateOptions;

/** By name. The first one is what others are compared with. */
export const CONFIGURATIONS: Readonly<Record<string, CreateOptions>> = {
  'interpreted': { engine: 'interpreter', threads: 0, deterministic: true },
  'compiled': { engine: 'jit', threads: 0 },
  'the scalar kernel': { simd: false, threads: 0, deterministic: true },
  'compiled, two at every tile': { ...AT_EVERY_TILE, engine: 'jit', threads: 2, deterministic: true },
  'interpreted, three at every tile': { ...AT_EVERY_TILE, engine: 'interpreter', threads: 3 },
  'by default, one worker, a small arena': { threads: 1, arenaBytes: 4096 },
  'compiled by four, a chunk after every draw': { engine: 'jit', threads: 4, chunkEveryDraw: true, deterministic: true },
};
/** The testing build's immediate mode. It runs storage accesses of a pixel in the order of samples. */
export const ORACLE: CreateOptions = { immediate: true, threads: 0, deterministic: true };

export const FEATURES: readonly string[] = [
  'statistics', 'extended-sample-counts', 'multisample-32bit', 'multisample-storage-textures', 'fragment-stages',
  'modular-pipelines', 'shading-rate', 'processing-order', 'streamed-textures', 'subgroups', 'clip-distances',
  'depth-clip-control', 'indirect-first-instance', 'texture-formats-tier2',
];

export interface Opened {
  readonly name: string;
  readonly options: CreateOptions;
  readonly device: StatisticsDevice;
  /** Messages of errors that no scope took, and of the device's loss. */
  readonly errors: string[];
}

const folder = process.env['FUZZ_BUILD'];
const chosenPackage = (): Promise<Package> =>
  (folder === undefined ? builtPackage() : packageAt(pathToFileURL(resolve(folder, 'index.js')).href));

/** A device on which workers render from the first frame on. */
export async function open(name: string, options: CreateOptions): Promise<Opened> {
  const { create } = await chosenPackage(), errors: string[] = [];
  const adapter = await create({ alwaysEmploys: true, ...options }).requestAdapter();
  const device = await adapter!.requestDevice({ requiredFeatures: FEATURES as GPUFeatureName[] }) as StatisticsDevice;
  device.onuncapturederror = (event) => {
    event.preventDefault();
    errors.push(event.error.message);
  };
  void device.lost.then(({ reason, message }) => { if (reason !== 'destroyed') errors.push(`lost: ${message}`); });
  const until = performance.now() + PATIENCE_MS;
  while (device.statistics().workers < (options.threads ?? 0)) {
    if (performance.now() > until) throw new Error(`${name}: workers are not up after ${PATIENCE_MS / 1000} s`);
    await new Promise((turn) => setTimeout(turn, 1));
  }
  return { name, options, device, errors };
}
