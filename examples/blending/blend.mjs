// node examples/blending/blend.mjs [blend.png]
// Programmable blending in a render pass without attachments: three discs of light are mixed like paint. The shader
// blends each sample set once. Needs `npm run build`.
import { writeFileSync } from 'node:fs';
import { encode } from 'fast-png';
import { create, globals } from 'rasterloom';

const { GPUBufferUsage, GPUMapMode, GPUTextureUsage } = globals;
const [file = 'blend.png'] = process.argv.slice(2);
const width = 512;
const height = 512;
const size = [width, height];
const samples = 4;
const format = 'rgba8unorm';

const adapter = await create().requestAdapter();
const device = await adapter.requestDevice({ requiredFeatures: ['multisample-storage-textures'] });
device.addEventListener('uncapturederror', ({ error }) => {
  console.error(error.message);
  process.exitCode = 1;
});

const module = device.createShaderModule({
  code: `
  enable multisample_storage_textures;
  @group(0) @binding(0) var paper: texture_storage_multisampled_2d<${format}, read_write>;

  struct Corner { @builtin(position) position: vec4f, @location(0) @interpolate(flat) pigment: vec3f }
  // Fans of 96 triangles around three centres, before them a sheet of paper.
  @vertex fn disc(@builtin(vertex_index) i: u32, @builtin(instance_index) k: u32) -> Corner {
    let centres = array(vec2f(0, 0.3), vec2f(-0.28, -0.2), vec2f(0.28, -0.2));
    let pigments = array(vec3f(0.1, 0.7, 0.9), vec3f(0.9, 0.2, 0.5), vec3f(0.95, 0.85, 0.15));
    let turn = f32(i / 3 + i % 3 - 1) * 6.2831853 / 96;
    return Corner(vec4f(centres[k] + select(vec2f(cos(turn), sin(turn)) * 0.55, vec2f(), i % 3 == 0), 0, 1),
      pigments[k]);
  }
  @vertex fn sheet(@builtin(vertex_index) i: u32) -> Corner {
    return Corner(vec4f(f32(i & 1) * 4 - 1, f32(i >> 1) * 4 - 1, 0, 1), vec3f(1));
  }

  @fragment fn fill(corner: Corner, @builtin(sample_mask) coverage: u32) {
    textureStoreSamples(paper, vec2u(corner.position.xy), coverage, vec4f(corner.pigment, 1));
  }
  // Samples that are alike are loaded, mixed and stored at once: inside a disc the loop runs once a pixel, at edges
  // that cross once for each colour there.
  @fragment fn mix(corner: Corner, @builtin(sample_mask) coverage: u32) {
    let pixel = vec2u(corner.position.xy);
    var left = coverage;
    while (left != 0) {
      let before = textureLoadSamples(paper, pixel, left);
      textureStoreSamples(paper, pixel, before.mask & left, vec4f(before.value.rgb * corner.pigment, 1));
      left &= ~before.mask;
    }
  }

  @group(0) @binding(0) var drawn: texture_multisampled_2d<f32>;
  @fragment fn show(corner: Corner) -> @location(0) vec4f {
    var sum = vec4f();
    for (var i = 0; i < ${samples}; i++) { sum += textureLoad(drawn, vec2u(corner.position.xy), i); }
    return sum / ${samples};
  }`,
});
const pipeline = (vertex, fragment, targets, count) =>
  device.createRenderPipeline({
    layout: 'auto',
    vertex: { module, entryPoint: vertex },
    fragment: { module, entryPoint: fragment, targets },
    multisample: { count },
  });
const fill = pipeline('sheet', 'fill', [], samples);
const mix = pipeline('disc', 'mix', [], samples);
const show = pipeline('sheet', 'show', [{ format }], 1);

const { RENDER_ATTACHMENT, STORAGE_BINDING, TEXTURE_BINDING, COPY_SRC } = GPUTextureUsage;
const paper = device.createTexture({
  label: 'paper',
  size,
  format,
  sampleCount: samples,
  usage: STORAGE_BINDING | TEXTURE_BINDING,
});
const picture = device.createTexture({ size, format, usage: RENDER_ATTACHMENT | COPY_SRC });
const buffer = device.createBuffer({
  size: width * height * 4,
  usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ,
});
const draw = (pass, pipeline, vertices, instances) => {
  pass.setPipeline(pipeline);
  pass.setBindGroup(
    0,
    device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries: [{ binding: 0, resource: paper }] })
  );
  pass.draw(vertices, instances);
};

const encoder = device.createCommandEncoder();
const painting = encoder.beginRenderPass({ label: 'painting', colorAttachments: [], size, sampleCount: samples });
draw(painting, fill, 3, 1);
draw(painting, mix, 3 * 96, 3);
painting.end();
const showing = encoder.beginRenderPass({ colorAttachments: [{ view: picture, loadOp: 'clear', storeOp: 'store' }] });
draw(showing, show, 3, 1);
showing.end();
// bytesPerRow must be a multiple of 256
encoder.copyTextureToBuffer({ texture: picture }, { buffer, bytesPerRow: width * 4 }, size);
device.queue.submit([encoder.finish()]);

await buffer.mapAsync(GPUMapMode.READ);
writeFileSync(file, encode({ width, height, channels: 4, data: new Uint8Array(buffer.getMappedRange()) }));
console.log(`Wrote ${file}.`);
device.destroy();
