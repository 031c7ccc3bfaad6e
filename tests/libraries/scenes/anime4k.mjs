// Anime4K: a network in compute passes enlarges a drawing.
export async function draw({ canvas }) {
  const {
    default: { CNNx2M },
  } = await import('anime4k-webgpu');
  const adapter = await navigator.gpu.requestAdapter();
  const device = await adapter.requestDevice();
  const context = canvas.getContext('webgpu');
  const format = 'rgba8unorm';
  context.configure({ device, format });
  const [width, height] = [canvas.width / 2, canvas.height / 2];
  const pixels = new Uint8Array(width * height * 4);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const far = Math.sqrt((x - 50) ** 2 + (y - 40) ** 2);
      const stripe = Math.abs(((x + 2 * y) % 40) - 20) < 3;
      const color = far < 24 ? [250, 214, 90] : far < 27 ? [24, 20, 32] : stripe ? [60, 110, 160] : [176, 216, 240];
      pixels.set([...color, 255], (y * width + x) * 4);
    }
  const { TEXTURE_BINDING, COPY_DST, RENDER_ATTACHMENT } = GPUTextureUsage;
  const drawing = device.createTexture({
    size: [width, height],
    format,
    usage: TEXTURE_BINDING | COPY_DST | RENDER_ATTACHMENT,
  });
  device.queue.writeTexture({ texture: drawing }, pixels, { bytesPerRow: width * 4 }, [width, height]);
  const network = new CNNx2M({ device, inputTexture: drawing });
  const module = device.createShaderModule({
    code: `
@group(0) @binding(0) var picture: texture_2d<f32>;
@vertex fn corner(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
  return vec4f(f32(i & 1) * 4 - 1, f32(i >> 1) * 4 - 1, 0, 1);
}
@fragment fn show(@builtin(position) at: vec4f) -> @location(0) vec4f {
  return vec4f(textureLoad(picture, vec2u(at.xy), 0).rgb, 1);
}`,
  });
  const pipeline = device.createRenderPipeline({
    layout: 'auto',
    vertex: { module },
    fragment: { module, targets: [{ format }] },
  });
  const encoder = device.createCommandEncoder();
  network.pass(encoder);
  const pass = encoder.beginRenderPass({
    colorAttachments: [{ view: context.getCurrentTexture().createView(), loadOp: 'clear', storeOp: 'store' }],
  });
  pass.setPipeline(pipeline);
  const layout = pipeline.getBindGroupLayout(0);
  const entries = [{ binding: 0, resource: network.getOutputTexture().createView() }];
  pass.setBindGroup(0, device.createBindGroup({ layout, entries }));
  pass.draw(3);
  pass.end();
  device.queue.submit([encoder.finish()]);
}
