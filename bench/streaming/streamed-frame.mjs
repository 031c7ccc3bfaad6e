// A frame that reads a fully resident streamed texture: eight different trilinear reads per pixel.
const SIDE = 1024;
const LEVELS = 11;
const PAGE = 128;

/** Bytes of a page; a texel always has the same bytes. */
function texelsOf(level, x, y) {
  const side = Math.min(PAGE, SIDE >> level);
  const texels = new Uint8Array(side * side * 4);
  for (let at = 0; at < texels.length; at++) texels[at] = ((at * 37) ^ (x * 91) ^ (y * 53)) + level * 11;
  return texels;
}

export async function streamedFrame(device, { width, height, samples }) {
  const map = device.createTexture({
    format: 'rgba8unorm',
    size: [SIDE, SIDE],
    mipLevelCount: LEVELS,
    usage: GPUTextureUsage.TEXTURE_BINDING,
    stream: { pageSize: PAGE, maxConcurrentLoads: 64, loadPage: texelsOf },
  });
  const module = device.createShaderModule({
    code: `
    @group(0) @binding(0) var map: texture_2d<f32>;
    @group(0) @binding(1) var linear: sampler;
    struct Seen { @builtin(position) position: vec4f, @location(0) uv: vec2f }
    @vertex fn vertex(@builtin(vertex_index) i: u32) -> Seen {
      let corner = vec2f(f32(i & 1u), f32(i >> 1u)) * 2;
      return Seen(vec4f(corner.x * 2 - 1, 1 - corner.y * 2, 0, 1), corner);
    }
    @fragment fn fragment(seen: Seen) -> @location(0) vec4f {
      var sum = vec4f();
      for (var i = 0; i < 8; i++) {
        let f = f32(i);
        sum += textureSample(map, linear, seen.uv * (0.7 + 0.25 * f) + vec2f(0.013, 0.027) * f);
      }
      return sum * 0.125;
    }`,
  });
  const format = 'rgba8unorm';
  const pipeline = await device.createRenderPipelineAsync({
    layout: 'auto',
    vertex: { module },
    fragment: { module, targets: [{ format }] },
    multisample: { count: samples },
  });
  const color = device.createTexture({
    format,
    size: [width, height],
    usage: GPUTextureUsage.RENDER_ATTACHMENT,
    sampleCount: samples,
  });
  const filters = ['magFilter', 'minFilter', 'mipmapFilter'].map((name) => [name, 'linear']);
  const bound = device.createBindGroup({
    layout: pipeline.getBindGroupLayout(0),
    entries: [
      { binding: 0, resource: map.createView() },
      {
        binding: 1,
        resource: device.createSampler({
          ...Object.fromEntries(filters),
          addressModeU: 'repeat',
          addressModeV: 'repeat',
        }),
      },
    ],
  });
  const view = color.createView();
  return {
    color,
    render() {
      const encoder = device.createCommandEncoder();
      const pass = encoder.beginRenderPass({ colorAttachments: [{ view, loadOp: 'clear', storeOp: 'store' }] });
      pass.setPipeline(pipeline);
      pass.setBindGroup(0, bound);
      pass.draw(3);
      pass.end();
      device.queue.submit([encoder.finish()]);
    },
  };
}
