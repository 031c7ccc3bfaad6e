// Virtual time around the built engine: devices opened while the clock stands, and canvases whose frames follow it.
import { expect, test } from 'vitest';
import { install } from '../../build/index.js';
import { virtualTime } from '../../build/virtual-time.js';

/** Draws a colour that depends on time and chance, in an animation loop that begins after its pipelines. */
async function scene(device: GPUDevice, canvas: HTMLCanvasElement): Promise<void> {
  const context = canvas.getContext('webgpu') as unknown as GPUCanvasContext;
  context.configure({ device, format: 'rgba8unorm' });
  const code = `@vertex fn v(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
      return vec4f(f32(i & 1u) * 4 - 1, f32(i >> 1u) * 4 - 1, 0, 1);
    }
    @group(0) @binding(0) var<uniform> colour: vec4f;
    @fragment fn f() -> @location(0) vec4f { return colour; }`;
  const module = device.createShaderModule({ code });
  const pipeline = await device.createRenderPipelineAsync({
    layout: 'auto',
    vertex: { module },
    fragment: { module, targets: [{ format: 'rgba8unorm' }] },
  });
  const buffer = device.createBuffer({ size: 16, usage: GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST });
  const group = device.createBindGroup({
    layout: pipeline.getBindGroupLayout(0),
    entries: [{ binding: 0, resource: { buffer } }],
  });
  const frame = (at: number): void => {
    requestAnimationFrame(frame);
    device.queue.writeBuffer(buffer, 0, new Float32Array([at / 1000, Math.random(), (Date.now() % 1000) / 1000, 1]));
    const encoder = device.createCommandEncoder();
    const view = context.getCurrentTexture().createView();
    const pass = encoder.beginRenderPass({ colorAttachments: [{ view, loadOp: 'clear', storeOp: 'store' }] });
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, group);
    pass.draw(3);
    pass.end();
    device.queue.submit([encoder.finish()]);
  };
  requestAnimationFrame(frame);
}

async function pixelAfter(frames: number, seed: number): Promise<number[]> {
  const uninstall = install({ threads: 0 });
  const time = virtualTime({ seed });
  try {
    const device = await (await navigator.gpu.requestAdapter())!.requestDevice();
    const canvas = document.createElement('canvas');
    canvas.width = canvas.height = 4;
    void scene(device, canvas);
    await time.advanceFrames(frames);
    const { data } = await (canvas as unknown as { getPixels(): Promise<{ data: Uint8Array }> }).getPixels();
    device.destroy();
    return [...data.subarray(0, 4)];
  } finally {
    time.restore();
    uninstall();
  }
}

test('a scene gives the same picture of each frame in every run', async () => {
  const first = await pixelAfter(30, 1);
  // At 500 ms.
  expect([first[0], first[2], first[3]]).toEqual([128, 128, 255]);
  expect(await pixelAfter(30, 1)).toEqual(first);
  expect((await pixelAfter(30, 2))[1]).not.toBe(first[1]);
  expect((await pixelAfter(15, 1))[0]).toBe(64);
});
