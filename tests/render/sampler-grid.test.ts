// Reads every texture that a stage can have through every sampler that it can have: 4096 reads in one shader.
import { expect, test } from 'vitest';
import { open } from '../robustness/kit';
import { GPUBufferUsage, GPUMapMode, GPUTextureUsage } from '../support/flags';

const MOST = 64;

/**
 * Texture t is two texels wide, with the values t and t + 64. A read at 1.25 gives the left texel if the sampler
 * repeats, and the right one if it clamps, as every second one does.
 */
const CODE = `
${Array.from(
  { length: MOST },
  (_, k) => `@group(0) @binding(${k}) var texture_${k}: texture_2d<f32>;
@group(0) @binding(${MOST + k}) var sampler_${k}: sampler;`
).join('\n')}
@group(1) @binding(0) var<storage, read_write> out: array<u32>;
fn read(t: texture_2d<f32>, s: sampler, wanted: u32, pair: u32, before: vec4f) -> vec4f {
  let width = f32(textureDimensions(t, 0).x);
  return select(before, textureSampleLevel(t, s, vec2f(2.5 / width, 0.5), 0), pair == wanted);
}
@compute @workgroup_size(64) fn cs(@builtin(global_invocation_id) id: vec3u) {
  let wanted = id.x * 65u;
  var value: vec4f;
  ${Array.from(
    { length: MOST * MOST },
    (_, pair) => `value = read(texture_${pair >> 6}, sampler_${pair % MOST}, wanted, ${pair}u, value);`
  ).join('\n  ')}
  out[id.x] = u32(round(value.x * 255));
}`;

test('64 textures with 64 samplers work in one shader', async () => {
  const { device, uncaptured } = await open(
    {},
    { maxSampledTexturesPerShaderStage: MOST, maxSamplersPerShaderStage: MOST }
  );
  const textures = Array.from({ length: MOST }, (_, k) => {
    const texture = device.createTexture({
      size: [2, 1],
      format: 'rgba8unorm',
      usage: GPUTextureUsage.COPY_DST | GPUTextureUsage.TEXTURE_BINDING,
    });
    device.queue.writeTexture({ texture }, Uint8Array.of(k, 0, 0, 0, k + MOST, 0, 0, 0), {}, [2, 1]);
    return texture.createView();
  });
  const samplers = Array.from({ length: MOST }, (_, k) =>
    device.createSampler({ addressModeU: k % 2 === 0 ? 'repeat' : 'clamp-to-edge' })
  );
  const pipeline = await device.createComputePipelineAsync({
    layout: 'auto',
    compute: { module: device.createShaderModule({ code: CODE }) },
  });
  const size = MOST * 4;
  const out = device.createBuffer({ size, usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC });
  const copy = device.createBuffer({ size, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  pass.setPipeline(pipeline);
  pass.setBindGroup(
    0,
    device.createBindGroup({
      layout: pipeline.getBindGroupLayout(0),
      entries: [...textures, ...samplers].map((resource, binding) => ({ binding, resource })),
    })
  );
  pass.setBindGroup(
    1,
    device.createBindGroup({
      layout: pipeline.getBindGroupLayout(1),
      entries: [{ binding: 0, resource: { buffer: out } }],
    })
  );
  pass.dispatchWorkgroups(1);
  pass.end();
  encoder.copyBufferToBuffer(out, 0, copy, 0, size);
  device.queue.submit([encoder.finish()]);
  await copy.mapAsync(GPUMapMode.READ);
  // Invocation k uses pair 65 k: texture k, sampler k.
  expect([...new Uint32Array(copy.getMappedRange())]).toEqual(
    Array.from({ length: MOST }, (_, k) => (k % 2 === 0 ? k : k + MOST))
  );
  expect(uncaptured).toEqual([]);
  device.destroy();
});
