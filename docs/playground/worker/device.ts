// Devices of the playground: with limits on time and memory, since shaders may come from a link.
import { create, type ModularPipelineDevice, type StatisticsDevice, type TraceDevice } from 'rasterloom';
import type { Settings } from '../protocol';

/** A device with all features that the playground uses. */
export type PlaygroundDevice = GPUDevice & StatisticsDevice & ModularPipelineDevice & TraceDevice;

const FEATURES = [
  'extended-sample-counts',
  'fragment-stages',
  'modular-pipelines',
  'multisample-storage-textures',
  'processing-order',
  'shading-rate',
  'statistics',
] as const;
const LIMITS = {
  /** Of one step of a shader. */
  timeoutMs: 2000,
  memoryBudget: 768 * 2 ** 20,
  shaderLimits: { characters: 200_000, instructions: 20_000 },
};

/** What a device depends on. */
export const deviceKey = (settings: Settings): string => {
  const { engine, kernel, threads } = settings;
  return [engine, kernel, threads, needsTrace(settings)].join();
};
/** The trace says which worker has drawn a tile. It takes time, so that it is there only where it is shown. */
const needsTrace = ({ overlay, pass }: Settings): boolean => overlay === 'tiles' || pass === 'tiles';

export async function openDevice(settings: Settings): Promise<PlaygroundDevice> {
  const { engine, kernel, threads } = settings;
  const gpu = create({
    ...LIMITS,
    // The scalar kernel interprets all shaders.
    engine: engine === 'compiled' && kernel === 'simd' ? 'jit' : 'interpreter',
    simd: kernel === 'simd',
    threads,
  }) as GPU;
  const adapter = await gpu.requestAdapter();
  if (!adapter) throw new Error('Rasterloom has no adapter');
  const requiredFeatures = [...FEATURES, ...(needsTrace(settings) ? (['trace'] as const) : [])];
  return (await adapter.requestDevice({ requiredFeatures })) as unknown as PlaygroundDevice;
}
