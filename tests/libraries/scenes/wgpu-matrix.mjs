// wgpu-matrix: matrices of a perspective view, in plain WebGPU.
export async function draw({ canvas }) {
  const { mat4, vec3 } = await import('wgpu-matrix');
  const adapter = await navigator.gpu.requestAdapter();
  const device = await adapter.requestDevice();
  const context = canvas.getContext('webgpu');
  context.configure({ device, format: 'rgba8unorm' });
  const COUNT = 24;
  const view = mat4.lookAt([3, 4, 9], [0, 0, 0], [0, 1, 0]);
  const projection = mat4.perspective(0.7, canvas.width / canvas.height, 1, 30);
  const turns = Array.from({ length: COUNT }, (_, i) => {
    const axis = vec3.normalize([1, i % 3, 2]);
    const place = mat4.translation([(i % 6) - 2.5, Math.floor(i / 6) - 1.5, (i % 4) - 2]);
    return mat4.multiply(place, mat4.scale(mat4.axisRotation(axis, i / 4), [0.35, 0.35, 0.35]));
  });
  const matrices = device.createBuffer({
    size: 64 * (COUNT + 1),
    usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST,
  });
  device.queue.writeBuffer(matrices, 0, mat4.multiply(projection, view));
  for (const [i, turn] of turns.entries()) device.queue.writeBuffer(matrices, 64 * (i + 1), turn);
  const module = device.createShaderModule({
    code: `
@group(0) @binding(0) var<storage, read> matrices: array<mat4x4f>;
struct Corner { @builtin(position) position: vec4f, @location(0) @interpolate(flat) color: vec3f }
@vertex fn corner(@builtin(vertex_index) v: u32, @builtin(instance_index) i: u32) -> Corner {
  let side = v / 6;
  let flip = select(-1.0, 1.0, side % 2 == 1);
  let k = array(0u, 1, 2, 2, 1, 3)[v % 6];
  let at = vec3f(flip, select(-flip, flip, k % 2 == 1), select(-1.0, 1.0, k > 1));
  let turned = array(at, at.zxy, at.yzx)[side / 2];
  let axis = array(vec3f(1, 0.8, 0.2), vec3f(0.3, 0.8, 0.6), vec3f(0.9, 0.4, 0.3))[side / 2];
  return Corner(matrices[0] * matrices[i + 1] * vec4f(turned, 1), axis * (0.8 + 0.2 * flip));
}
@fragment fn paint(in: Corner) -> @location(0) vec4f { return vec4f(in.color, 1); }`,
  });
  const pipeline = device.createRenderPipeline({
    layout: 'auto',
    vertex: { module },
    fragment: { module, targets: [{ format: 'rgba8unorm' }] },
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
      entries: [{ binding: 0, resource: { buffer: matrices } }],
    })
  );
  pass.draw(36, COUNT);
  pass.end();
  device.queue.submit([encoder.finish()]);
}
