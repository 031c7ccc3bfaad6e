// The engines that run compute shaders.
import { pathToFileURL } from 'node:url';
import { create } from '../../src/index';
import { forCreate, type CreateOptions } from '../support/options';
import { openDevice } from '../images/scenes';

export const KERNELS = pathToFileURL('build/');
const WORKER = pathToFileURL('build/worker.mjs');

export const open = (options: CreateOptions): Promise<GPUDevice> =>
  openDevice(create(forCreate({ alwaysUseWorkers: true, ...options, kernelUrl: KERNELS, workerUrl: WORKER })));

/** All of them give the same bits. */
export const engines: Readonly<Record<string, CreateOptions>> = {
  compiled: { engine: 'jit', threads: 0 },
  'compiled, one worker': { engine: 'jit', threads: 1 },
  'compiled, two workers': { engine: 'jit', threads: 2 },
  'compiled, four workers': { engine: 'jit', threads: 4 },
  interpreted: { engine: 'interpreter', threads: 0 },
  'interpreted, three workers': { engine: 'interpreter', threads: 3 },
  'interpreted, four workers': { engine: 'interpreter', threads: 4 },
  scalar: { simd: false, threads: 0 },
};
