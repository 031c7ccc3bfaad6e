// The face to the user: `makeGpu` and `globals`. https://www.w3.org/TR/webgpu/

import { BufferUsage, ColorWrite, MapMode, ShaderStage, TextureUsage } from './constants';
import { interfaces } from './interface';

export { makeGpu, type MakeRenderDevice } from './adapter';
export { createWith, type CreateOptions } from './options';

interface Globals {
  readonly GPUBufferUsage: GPUBufferUsage;
  readonly GPUTextureUsage: GPUTextureUsage;
  readonly GPUShaderStage: GPUShaderStage;
  readonly GPUMapMode: GPUMapMode;
  readonly GPUColorWrite: GPUColorWrite;
  /** The interfaces, to be put on `globalThis` for `instanceof`. */
  readonly [name: string]: unknown;
}

/** Everything that WebGPU puts on the global object: the constants, and every GPU* interface. */
export const globals: Globals = Object.freeze({
  ...interfaces, GPUBufferUsage: BufferUsage, GPUTextureUsage: TextureUsage, GPUShaderStage: ShaderStage, GPUMapMode: MapMode, GPUColorWrite: ColorWrite,
});
