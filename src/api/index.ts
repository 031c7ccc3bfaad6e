// The face to the user: `makeGpu` and `globals`. https://www.w3.org/TR/webgpu/

import { BufferUsage, ColorWrite, MapMode, ShaderStage, TextureUsage } from './constants';
import { interfaces } from './interface';

export { makeGpu, type MakeRenderDevice } from './adapter';
export { createWith, type CreateOptions } from './options';
export type { DeviceStatistics, StatisticsDevice } from './statistics';

interface Globals {
  readonly GPUBufferUsage: typeof BufferUsage;
  readonly GPUTextureUsage: typeof TextureUsage;
  readonly GPUShaderStage: typeof ShaderStage;
  readonly GPUMapMode: typeof MapMode;
  readonly GPUColorWrite: typeof ColorWrite;
  /** The interfaces, to be put on `globalThis` for `instanceof`. */
  readonly [name: string]: unknown;
}

/** Everything that WebGPU puts on the global object: the constants, and every GPU* interface. */
export const globals: Globals = Object.freeze({
  ...interfaces, GPUBufferUsage: BufferUsage, GPUTextureUsage: TextureUsage, GPUShaderStage: ShaderStage, GPUMapMode: MapMode, GPUColorWrite: ColorWrite,
});
