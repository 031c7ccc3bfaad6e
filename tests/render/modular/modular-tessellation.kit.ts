// Domains and spacings of tessellation.
import type { ModularPipelineDevice } from '../../../src/index';
import { type Spacing } from './tessellation.kit';

export const SPACINGS: readonly Spacing[] = ['equal', 'fractional-odd', 'fractional-even'];
export const USAGE = { MAP_READ: 1, COPY_SRC: 4, COPY_DST: 8, STORAGE: 128 } as const;

export type Device = GPUDevice & ModularPipelineDevice;
