// Devices with features of formats.
import { pathToFileURL } from 'node:url';
import { create } from '../../../src/index';
import { forCreate, type CreateOptions } from '../../support/options';

const KERNELS = pathToFileURL('build/');
export const USAGE = { COPY_SRC: 1, COPY_DST: 2, SAMPLED: 4, STORAGE: 8, ATTACHMENT: 16 } as const;
export async function open(options: CreateOptions, features: readonly string[]): Promise<GPUDevice> {
  const adapter = await create(forCreate({ ...options, kernelUrl: KERNELS })).requestAdapter();
  return adapter!.requestDevice({ requiredFeatures: features as GPUFeatureName[] });
}
export const VERTEX = `@vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
  return vec4f(f32(i & 1) * 4 - 1, 1 - f32(i >> 1) * 4, 0.25, 1);
}`;
