// Devices and objects of multisampled storage textures.
import { globals, makeGpu } from '../../../src/api';
import { opened } from '../../support/engine';
import { fakeDevice } from '../fake';
import { type GPUShaderStage } from '../../support/flags';

export const { GPUTextureUsage: usage, GPUShaderStage: stage } = globals as unknown as {
  GPUTextureUsage: typeof GPUTextureUsage;
  GPUShaderStage: typeof GPUShaderStage;
};

export async function deviceWith(features: readonly string[]): Promise<GPUDevice> {
  const fake = fakeDevice();
  const adapter = await makeGpu(() => opened(fake)).requestAdapter();
  return adapter!.requestDevice({ requiredFeatures: features as GPUFeatureName[] });
}

export const CODE = `enable multisample_storage_textures;
  @group(0) @binding(0) var s: texture_storage_multisampled_2d<rgba8unorm, read_write>;
  @group(1) @binding(0) var t: texture_multisampled_2d<f32>;
  @group(1) @binding(1) var r: texture_storage_multisampled_2d<rgba8unorm, read>;
  @vertex fn vs() -> @builtin(position) vec4f { return vec4f(); }
  @fragment fn store(@builtin(position) p: vec4f) { textureStoreSamples(s, vec2u(p.xy), 1, vec4f(1)); }
  @fragment fn load() -> @location(0) vec4f { return textureLoadSample(r, vec2u(), 0).value; }
  @fragment fn sample() -> @location(0) vec4f { return textureLoad(t, vec2u(), 0); }
  @fragment fn nothing() { }`;

export const EMPTY = { size: [16, 16], sampleCount: 4 };
