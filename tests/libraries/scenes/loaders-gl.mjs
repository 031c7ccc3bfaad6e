// loaders.gl: the triangles of a glTF file, by its glTF loader, in plain WebGPU.
export async function draw({ canvas, sample }) {
  process.browser = true;
  const { load } = await import('@loaders.gl/core');
  const { GLTFLoader, postProcessGLTF } = await import('@loaders.gl/gltf');
  const gltf = postProcessGLTF(await load(sample, GLTFLoader, { gltf: { loadImages: false } }));
  const adapter = await navigator.gpu.requestAdapter();
  const device = await adapter.requestDevice();
  const context = canvas.getContext('webgpu');
  context.configure({ device, format: 'rgba8unorm' });
  const module = device.createShaderModule({
    code: `
@group(0) @binding(0) var<uniform> node: array<vec4f, 3>; // translation, scale, color
struct Corner {
  @builtin(position) position: vec4f, @location(0) normal: vec3f, @location(1) @interpolate(flat) color: vec3f,
}
@vertex fn corner(@location(0) position: vec4f, @location(1) normal: vec4f) -> Corner {
  let at = position.xyz * node[1].xyz + node[0].xyz;
  let depth = 6 - at.z + 0.4 * at.y;
  let up = at.y * 0.9 - at.z * 0.4 - 0.6;
  return Corner(vec4f(at.x * 1.4, up * 2.2, depth * 0.1 * depth, depth), normal.xyz, node[2].rgb);
}
@fragment fn paint(in: Corner) -> @location(0) vec4f {
  return vec4f(in.color * (0.35 + 0.65 * max(0, dot(normalize(in.normal), vec3f(0.36, 0.8, 0.48)))), 1);
}`,
  });
  const pipeline = device.createRenderPipeline({
    layout: 'auto',
    vertex: {
      module,
      // The file interleaves quantized attributes.
      buffers: ['snorm16x4', 'snorm8x4'].map((format, shaderLocation) => ({
        arrayStride: 16,
        attributes: [{ shaderLocation, offset: 0, format }],
      })),
    },
    fragment: { module, targets: [{ format: 'rgba8unorm' }] },
    depthStencil: { format: 'depth24plus', depthWriteEnabled: true, depthCompare: 'less' },
  });
  const upload = (values, usage) => {
    const buffer = device.createBuffer({ size: (values.byteLength + 3) & ~3, usage, mappedAtCreation: true });
    new values.constructor(buffer.getMappedRange()).set(values);
    buffer.unmap();
    return buffer;
  };
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
  for (const { mesh, translation = [0, 0, 0], scale = [1, 1, 1] } of gltf.nodes)
    for (const { attributes, indices, material } of mesh?.primitives ?? []) {
      const color = material?.pbrMetallicRoughness?.baseColorFactor ?? [0.8, 0.8, 0.8, 1];
      const values = new Float32Array([...translation, 0, ...scale, 0, ...color]);
      const buffer = upload(values, GPUBufferUsage.UNIFORM);
      const layout = pipeline.getBindGroupLayout(0);
      pass.setBindGroup(0, device.createBindGroup({ layout, entries: [{ binding: 0, resource: { buffer } }] }));
      for (const [slot, { bufferView, byteOffset }] of [attributes.POSITION, attributes.NORMAL].entries())
        pass.setVertexBuffer(slot, upload(bytesOf(bufferView), GPUBufferUsage.VERTEX), byteOffset);
      pass.setIndexBuffer(upload(Uint32Array.from(indices.value), GPUBufferUsage.INDEX), 'uint32');
      pass.drawIndexed(indices.count);
    }
  pass.end();
  device.queue.submit([encoder.finish()]);
}

const bytesOf = ({ buffer, byteOffset = 0, byteLength }) =>
  new Uint8Array(buffer.arrayBuffer, (buffer.byteOffset ?? 0) + byteOffset, byteLength);
