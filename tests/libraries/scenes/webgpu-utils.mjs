// webgpu-utils: vertices of its shapes, uniforms by the names in WGSL, and a texture with mip levels from a picture.
export async function draw({ canvas }) {
  const utils = await import('webgpu-utils');
  const adapter = await navigator.gpu.requestAdapter();
  const device = await adapter.requestDevice();
  const context = canvas.getContext('webgpu');
  context.configure({ device, format: 'rgba8unorm' });
  const code = `
struct Scene { turn: mat4x4f, light: vec3f, scale: f32 }
@group(0) @binding(0) var<uniform> scene: Scene;
@group(0) @binding(1) var label: texture_2d<f32>;
@group(0) @binding(2) var smooth_: sampler;
struct Corner { @builtin(position) position: vec4f, @location(0) normal: vec3f, @location(1) uv: vec2f }
@vertex fn corner(@location(0) at: vec4f, @location(1) normal: vec3f, @location(2) uv: vec2f) -> Corner {
  let turned = scene.turn * at;
  let place = vec4f(turned.xy * vec2f(0.625, 1) * scene.scale, 0.5 - 0.2 * turned.z, 1);
  return Corner(place, (scene.turn * vec4f(normal, 0)).xyz, uv);
}
@fragment fn paint(in: Corner) -> @location(0) vec4f {
  let light = 0.3 + 0.7 * max(0, dot(normalize(in.normal), scene.light));
  return vec4f(textureSample(label, smooth_, in.uv * vec2f(4, 2)).rgb * light, 1);
}`;
  const defs = utils.makeShaderDataDefinitions(code);
  const view = utils.makeStructuredView(defs.uniforms.scene);
  const [c, s] = [0.8, 0.6];
  view.set({ turn: [1, 0, 0, 0, 0, c, s, 0, 0, -s, c, 0, 0, 0, 0, 1], light: [0.48, 0.6, 0.64], scale: 0.85 });
  const uniforms = device.createBuffer({
    size: view.arrayBuffer.byteLength,
    usage: GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST,
  });
  device.queue.writeBuffer(uniforms, 0, view.arrayBuffer);
  const { buffers, bufferLayouts, indexBuffer, indexFormat, numElements } = utils.createBuffersAndAttributesFromArrays(
    device,
    utils.primitives.createTorusVertices({ radius: 0.7, thickness: 0.28, radialSubdivisions: 48, bodySubdivisions: 24 })
  );
  const label = document.createElement('canvas');
  Object.assign(label, { width: 64, height: 64 });
  const drawing = label.getContext('2d');
  drawing.fillStyle = '#f0c850';
  drawing.fillRect(0, 0, 64, 64);
  drawing.fillStyle = '#304060';
  drawing.font = 'bold 30px Lato';
  drawing.fillText('wgpu', 0, 40, 64);
  const texture = utils.createTextureFromSource(device, label, { mips: true });
  const sampler = device.createSampler({
    addressModeU: 'repeat',
    addressModeV: 'repeat',
    minFilter: 'linear',
    magFilter: 'linear',
    mipmapFilter: 'linear',
  });
  const module = device.createShaderModule({ code });
  const pipeline = device.createRenderPipeline({
    layout: 'auto',
    vertex: { module, buffers: bufferLayouts },
    fragment: { module, targets: [{ format: 'rgba8unorm' }] },
    primitive: { cullMode: 'back' },
    depthStencil: { format: 'depth24plus', depthWriteEnabled: true, depthCompare: 'less' },
  });
  const depth = device.createTexture({
    size: [canvas.width, canvas.height],
    format: 'depth24plus',
    usage: GPUTextureUsage.RENDER_ATTACHMENT,
  });
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginRenderPass({
    colorAttachments: [
      {
        view: context.getCurrentTexture().createView(),
        loadOp: 'clear',
        storeOp: 'store',
        clearValue: [0.1, 0.13, 0.2, 1],
      },
    ],
    depthStencilAttachment: {
      view: depth.createView(),
      depthLoadOp: 'clear',
      depthStoreOp: 'discard',
      depthClearValue: 1,
    },
  });
  pass.setPipeline(pipeline);
  pass.setBindGroup(
    0,
    device.createBindGroup({
      layout: pipeline.getBindGroupLayout(0),
      entries: [{ buffer: uniforms }, texture.createView(), sampler].map((resource, binding) => ({
        binding,
        resource,
      })),
    })
  );
  for (const [slot, buffer] of buffers.entries()) pass.setVertexBuffer(slot, buffer);
  pass.setIndexBuffer(indexBuffer, indexFormat);
  pass.drawIndexed(numElements);
  pass.end();
  device.queue.submit([encoder.finish()]);
}
