import { afterAll, expect, test } from 'vitest';
import { GPUBufferUsage, GPUMapMode, GPUTextureUsage } from '../support/flags';
import { deviceOf, devices, names } from './swizzle.kit';

afterAll(async () => {
  for (const device of devices.values()) (await device).destroy();
});

test('depth is (depth, 0, 0, 1)', async () => {
  for (const name of names) {
    const device = await deviceOf(name);
    const texture = device.createTexture({
      size: [4, 4],
      format: 'depth32float',
      usage: GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.RENDER_ATTACHMENT,
    });
    const module = device.createShaderModule({
      code: `
      @group(0) @binding(0) var t: texture_2d<f32>;
      @group(0) @binding(1) var d: texture_depth_2d;
      @group(0) @binding(2) var c: sampler_comparison;
      @group(0) @binding(3) var<storage, read_write> out: array<vec4f, 2>;
      @compute @workgroup_size(1) fn main() {
        out[0] = textureLoad(t, vec2i(1), 0);
        out[1] = vec4f(textureSampleCompareLevel(d, c, vec2f(0.5), 0.5), textureLoad(d, vec2i(1), 0), 0, 0);
      }`,
    });
    const pipeline = device.createComputePipeline({ layout: 'auto', compute: { module } });
    const out = device.createBuffer({ size: 32, usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC });
    const copy = device.createBuffer({ size: 32, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
    const encoder = device.createCommandEncoder();
    encoder
      .beginRenderPass({
        colorAttachments: [],
        depthStencilAttachment: {
          view: texture.createView(),
          depthLoadOp: 'clear',
          depthStoreOp: 'store',
          depthClearValue: 0.25,
        },
      })
      .end();
    const pass = encoder.beginComputePass();
    pass.setPipeline(pipeline);
    pass.setBindGroup(
      0,
      device.createBindGroup({
        layout: pipeline.getBindGroupLayout(0),
        entries: [
          { binding: 0, resource: texture.createView({ swizzle: 'argb' }) },
          { binding: 1, resource: texture.createView({ swizzle: '1gba' }) },
          { binding: 2, resource: device.createSampler({ compare: 'greater' }) },
          { binding: 3, resource: { buffer: out } },
        ],
      })
    );
    pass.dispatchWorkgroups(1);
    pass.end();
    encoder.copyBufferToBuffer(out, 0, copy, 0, 32);
    device.queue.submit([encoder.finish()]);
    await copy.mapAsync(GPUMapMode.READ);
    expect([...new Float32Array(copy.getMappedRange().slice(0), 0, 6)], name).toEqual([1, 0.25, 0, 0, 1, 1]);
    for (const each of [texture, out, copy]) each.destroy();
  }
});

test('the result of a comparison is (result, 0, 0, 1)', async () => {
  for (const name of names) {
    const device = await deviceOf(name);
    const texture = device.createTexture({
      size: [4, 4],
      format: 'depth32float',
      usage: GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.RENDER_ATTACHMENT,
    });
    const target = device.createTexture({
      size: [1, 1],
      format: 'rgba8unorm',
      usage: GPUTextureUsage.RENDER_ATTACHMENT,
    });
    const module = device.createShaderModule({
      code: `
      @group(0) @binding(0) var d: texture_depth_2d;
      @group(0) @binding(1) var c: sampler_comparison;
      @group(0) @binding(2) var<storage, read_write> out: array<f32, 8>;
      @vertex fn vertex(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
        return vec4f(f32(i & 1) * 4 - 1, f32(i >> 1) * 4 - 1, 0.5, 1);
      }
      @fragment fn fragment(@builtin(position) p: vec4f) -> @location(0) vec4f {
        let uv = p.xy;
        out[0] = textureSampleCompare(d, c, uv, 0.125);
        out[1] = textureSampleCompare(d, c, uv, 0.5);
        out[2] = textureSampleCompareLevel(d, c, uv, 0.125);
        out[3] = textureSampleCompareLevel(d, c, uv, 0.5);
        let passed = textureGatherCompare(d, c, uv, 0.125);
        let failed = textureGatherCompare(d, c, uv, 0.5);
        out[4] = passed.x; out[5] = failed.x; out[6] = passed.w; out[7] = failed.w;
        return vec4f();
      }`,
    });
    const pipeline = device.createRenderPipeline({
      layout: 'auto',
      vertex: { module },
      fragment: { module, targets: [{ format: 'rgba8unorm' }] },
    });
    const out = device.createBuffer({ size: 32, usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC });
    const copy = device.createBuffer({ size: 32, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
    for (const red of 'rgba01') {
      const encoder = device.createCommandEncoder();
      encoder
        .beginRenderPass({
          colorAttachments: [],
          depthStencilAttachment: {
            view: texture.createView(),
            depthLoadOp: 'clear',
            depthStoreOp: 'store',
            depthClearValue: 0.25,
          },
        })
        .end();
      const pass = encoder.beginRenderPass({
        colorAttachments: [{ view: target.createView(), loadOp: 'clear', storeOp: 'store' }],
      });
      pass.setPipeline(pipeline);
      pass.setBindGroup(
        0,
        device.createBindGroup({
          layout: pipeline.getBindGroupLayout(0),
          entries: [
            { binding: 0, resource: texture.createView({ swizzle: `${red}r01` }) },
            { binding: 1, resource: device.createSampler({ compare: 'less' }) },
            { binding: 2, resource: { buffer: out } },
          ],
        })
      );
      pass.draw(3);
      pass.end();
      encoder.copyBufferToBuffer(out, 0, copy, 0, 32);
      device.queue.submit([encoder.finish()]);
      await copy.mapAsync(GPUMapMode.READ);
      const want = red === 'r' ? [1, 0, 1, 0, 1, 0, 1, 0] : new Array(8).fill(red === 'a' || red === '1' ? 1 : 0);
      expect([...new Float32Array(copy.getMappedRange().slice(0))], `${name} ${red}`).toEqual(want);
      copy.unmap();
    }
    for (const each of [texture, target, out, copy]) each.destroy();
  }
});
