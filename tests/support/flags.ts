// WebGPU's flag constants by their standard names. Tests do not install them as globals.
export {
  BufferUsage as GPUBufferUsage,
  MapMode as GPUMapMode,
  ShaderStage as GPUShaderStage,
  TextureUsage as GPUTextureUsage,
} from '../../src/api/idl/constants';
