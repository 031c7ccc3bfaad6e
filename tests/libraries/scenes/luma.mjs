// luma.gl: an image by its loader on a cube, whose turns a compute shader writes.
export async function draw({ canvas }) {
  const { Buffer, luma, Texture } = await import('@luma.gl/core');
  const { Computation, CubeGeometry, loadImageBitmap, Model } = await import('@luma.gl/engine');
  const { webgpuAdapter } = await import('@luma.gl/webgpu');
  const { Matrix4 } = await import('@math.gl/core');
  const device = await luma.createDevice({ type: 'webgpu', adapters: [webgpuAdapter], waitForPageLoad: false });
  const context = canvas.getContext('webgpu');
  const format = device.preferredColorFormat;
  const { width, height } = canvas;
  context.configure({ device: device.handle, format });

  const board = device.createTexture({ width: 64, height: 64, format: 'rgba8unorm' });
  board.copyExternalImage({ image: await loadImageBitmap(boardUrl()) });

  const turns = device.createBuffer({ usage: Buffer.STORAGE | Buffer.COPY_SRC, byteLength: 3 * 64 });
  const spin = new Computation(device, {
    source: `
@group(0) @binding(0) var<storage, read_write> turns: array<mat4x4f>;
@compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: vec3u) {
  let angle = 0.5 + 0.9 * f32(id.x);
  let turn = mat3x3f(cos(angle), 0, sin(angle), 0, 1, 0, -sin(angle), 0, cos(angle));
  let x = 2.8 * (f32(id.x) - 1);
  turns[id.x] = mat4x4f(vec4f(turn[0], 0), vec4f(turn[1], 0), vec4f(turn[2], 0), vec4f(x, 0, 0, 1));
}`,
    shaderLayout: { bindings: [{ name: 'turns', type: 'storage', group: 0, location: 0 }] },
    bindings: { turns },
  });
  const pass = device.beginComputePass({});
  spin.dispatch(pass, 3);
  pass.end();

  const view = new Matrix4()
    .translate([0, 0, 0.5])
    .scale([1, 1, 0.5])
    .perspective({ fovy: 0.6, aspect: width / height, near: 1, far: 30 })
    .multiplyRight(new Matrix4().lookAt({ eye: [1, 4, 9] }));
  const cubes = new Model(device, {
    source: `
@group(0) @binding(0) var<uniform> view: mat4x4f;
@group(0) @binding(1) var<storage, read> turns: array<mat4x4f>;
@group(0) @binding(2) var board: texture_2d<f32>;
@group(0) @binding(3) var boardSampler: sampler;
struct Corner { @builtin(position) position: vec4f, @location(0) normal: vec3f, @location(1) uv: vec2f }
@vertex fn vertexMain(
  @location(0) positions: vec3f, @location(1) normals: vec3f, @location(2) texCoords: vec2f,
  @builtin(instance_index) i: u32
) -> Corner {
  return Corner(view * turns[i] * vec4f(positions, 1), (turns[i] * vec4f(normals, 0)).xyz, texCoords);
}
@fragment fn fragmentMain(in: Corner) -> @location(0) vec4f {
  let light = 0.3 + 0.7 * max(0, dot(in.normal, normalize(vec3f(1, 3, 2))));
  return vec4f(textureSample(board, boardSampler, in.uv).rgb * light, 1);
}`,
    geometry: new CubeGeometry(),
    isInstanced: true,
    instanceCount: 3,
    bindings: { view: device.createBuffer({ usage: Buffer.UNIFORM, data: new Float32Array(view) }), turns, board },
    parameters: { depthWriteEnabled: true, depthCompare: 'less', cullMode: 'back', depthFormat: 'depth24plus' },
  });
  const shown = device.createTexture({
    handle: context.getCurrentTexture(),
    format,
    width,
    height,
    usage: Texture.RENDER,
  });
  const framebuffer = device.createFramebuffer({
    width,
    height,
    colorAttachments: [shown],
    depthStencilAttachment: 'depth24plus',
  });
  const drawing = device.beginRenderPass({ framebuffer, clearColor: [0.1, 0.13, 0.19, 1], clearDepth: 1 });
  cubes.draw(drawing);
  drawing.end();
  device.submit();
}

/** A picture of squares, as a PNG file in a URL. */
function boardUrl() {
  const canvas = document.createElement('canvas');
  Object.assign(canvas, { width: 64, height: 64 });
  const context = canvas.getContext('2d');
  const image = context.createImageData(64, 64);
  for (let i = 0; i < 64 * 64; i++)
    image.data.set(((i >> 4) ^ (i >> 10)) & 1 ? [240, 180, 90, 255] : [90, 60, 50, 255], i * 4);
  context.putImageData(image, 0, 0);
  return canvas.toDataURL();
}
