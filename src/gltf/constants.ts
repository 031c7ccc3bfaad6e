// The constants of WebGPU. The entry points have them in `globals`, but the files that Node and pages share
// (gltf-library.js) cannot import an entry point, which is another one in pages.
import { BufferUsage, MapMode, ShaderStage, TextureUsage } from '../api/idl/constants';

export const globals = {
  GPUBufferUsage: BufferUsage,
  GPUMapMode: MapMode,
  GPUShaderStage: ShaderStage,
  GPUTextureUsage: TextureUsage,
};
