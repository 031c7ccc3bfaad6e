// npm run bench compressed
// Compares sampling of compressed textures with uncompressed textures of the same size, by format and filter. Sides
// alternate. (a) measures a texture that is held decoded, and (b) one that is too large and is decoded page by page.
// The limit of both ratios is 1.25. (c) measures the memory of ten volume textures. The exit code is 1 if a limit is
// missed.
//
//   MS  milliseconds per side of (a) and (b) (4000)
import { create, globals } from '../../build/index.js';
import { createLimitChecker } from '../support/limits.mjs';
import { keep } from '../support/machine.mjs';
import { compare } from '../support/pairs.mjs';
import { progress } from '../support/progress.mjs';

const { GPUTextureUsage, GPUBufferUsage } = globals;
const forMs = Number(process.env.MS ?? 4000);
const LIMIT = 1.25;
/** MiB that ten volumes may take in addition to their blocks: decoded texels, plus the memory of passes. */
const MAX_OTHERS = 64 + 80;
const FEATURES = [
  'texture-compression-bc',
  'texture-compression-bc-sliced-3d',
  'texture-compression-astc',
  'statistics',
];
const { checkLimit, missed } = createLimitChecker();
const open = async (options) => (await create(options).requestAdapter()).requestDevice({ requiredFeatures: FEATURES });

function noise(bytes) {
  let state = 5;
  return new Uint8Array(bytes).map(() => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) >>> 24);
}

const USAGE = GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.COPY_DST;
/** Creates a noise texture with all its mip levels. */
function textureOf(device, format, side, blockSide, blockBytes) {
  const levels = Math.log2(side) + 1 - Math.log2(blockSide);
  const texture = device.createTexture({ format, size: [side, side], mipLevelCount: levels, usage: USAGE });
  for (let level = 0; level < levels; level++) {
    const size = side >> level;
    const columns = size / blockSide;
    device.queue.writeTexture(
      { texture, mipLevel: level },
      noise(columns * columns * blockBytes),
      { bytesPerRow: columns * blockBytes },
      [size, size]
    );
  }
  return texture;
}

/** Creates a frame of 512×512 pixels that reads a texture four times, slightly minified. */
function frameOf(device, map, filter, part) {
  const module = device.createShaderModule({
    code: `
    @group(0) @binding(0) var map: texture_2d<f32>;
    @group(0) @binding(1) var linear: sampler;
    struct Seen { @builtin(position) position: vec4f, @location(0) uv: vec2f }
    @vertex fn vs(@builtin(vertex_index) i: u32) -> Seen {
      let corner = vec2f(f32(i & 1u), f32(i >> 1u)) * 2;
      return Seen(vec4f(corner.x * 2 - 1, 1 - corner.y * 2, 0, 1), corner);
    }
    @fragment fn fs(seen: Seen) -> @location(0) vec4f {
      let uv = seen.uv * ${part};
      return textureSample(map, linear, uv) + textureSample(map, linear, uv.yx)
        + textureSample(map, linear, uv * 0.7) + textureSample(map, linear, 0.9 - uv.yx * 0.6);
    }`,
  });
  const pipeline = device.createRenderPipeline({
    layout: 'auto',
    vertex: { module },
    fragment: { module, targets: [{ format: 'rgba8unorm' }] },
  });
  const view = device
    .createTexture({ format: 'rgba8unorm', size: [512, 512], usage: GPUTextureUsage.RENDER_ATTACHMENT })
    .createView();
  const sampler = device.createSampler({
    magFilter: filter,
    minFilter: filter,
    mipmapFilter: filter,
    addressModeU: 'repeat',
    addressModeV: 'repeat',
  });
  const bound = device.createBindGroup({
    layout: pipeline.getBindGroupLayout(0),
    entries: [
      { binding: 0, resource: map.createView() },
      { binding: 1, resource: sampler },
    ],
  });
  return async () => {
    const began = performance.now();
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginRenderPass({ colorAttachments: [{ view, loadOp: 'clear', storeOp: 'store' }] });
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, bound);
    pass.draw(3);
    pass.end();
    device.queue.submit([encoder.finish()]);
    await device.queue.onSubmittedWorkDone();
    return performance.now() - began;
  };
}

const FORMATS = {
  'bc1-rgba-unorm': [4, 8, 'rgba8unorm', 4],
  'bc7-rgba-unorm-srgb': [4, 16, 'rgba8unorm-srgb', 4],
  'bc6h-rgb-ufloat': [4, 16, 'rgba16float', 8],
  'astc-8x8-unorm': [8, 16, 'rgba8unorm', 4],
};

async function samples(rows, name, size) {
  const device = await open({ engine: 'jit', threads: 1 });
  for (const [format, [side, bytes, plain, texelBytes]] of Object.entries(FORMATS))
    for (const filter of ['linear', 'nearest']) {
      const what = `${format}, ${filter}: ${name} over ${plain}`;
      const maps = [textureOf(device, format, size, side, bytes), textureOf(device, plain, size, 1, texelBytes)];
      const [compressed, texels] = maps.map((map) => frameOf(device, map, filter, 1024 / size));
      const { ms, pairs, ratios } = await compare(
        { compressed, texels },
        { forMs, warmMs: 300, onPair: (n) => progress(n, 0, what) }
      );
      rows.push(checkLimit(what, ratios.compressed, { limit: LIMIT, ms, pairs }));
      for (const map of maps) map.destroy();
    }
  device.destroy();
}

/** Reads ten volumes, each of 8 MiB of blocks, in one frame after another. */
async function volumes(rows) {
  const device = await open({});
  const size = [256, 256, 256];
  const data = noise((256 * 256 * 256) / 2);
  const module = device.createShaderModule({
    code: `
    @group(0) @binding(0) var map: texture_3d<f32>;
    @group(0) @binding(1) var<storage, read_write> out: array<vec4f>;
    @compute @workgroup_size(64) fn sum(@builtin(global_invocation_id) id: vec3u) {
      var sum = vec4f();
      for (var z = 0u; z < 256; z++) { sum += textureLoad(map, vec3u(id.xy % 256, z), 0); }
      out[id.x + 64 * id.y] = sum;
    }`,
  });
  const pipeline = device.createComputePipeline({ layout: 'auto', compute: { module } });
  const buffer = device.createBuffer({ size: 64 * 256 * 16, usage: GPUBufferUsage.STORAGE });
  const textures = [];
  let held = 0;
  for (let i = 0; i < 10; i++) {
    const texture = device.createTexture({ format: 'bc1-rgba-unorm', dimension: '3d', size, usage: USAGE });
    textures.push(texture);
    device.queue.writeTexture({ texture }, data, { bytesPerRow: 512, rowsPerImage: 64 }, size);
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    pass.setPipeline(pipeline);
    pass.setBindGroup(
      0,
      device.createBindGroup({
        layout: pipeline.getBindGroupLayout(0),
        entries: [
          { binding: 0, resource: texture.createView() },
          { binding: 1, resource: { buffer } },
        ],
      })
    );
    pass.dispatchWorkgroups(1, 256);
    pass.end();
    device.queue.submit([encoder.finish()]);
    await device.queue.onSubmittedWorkDone();
    held = Math.max(held, device.statistics().memory.passes.decodedBytes);
  }
  const { bytesUsed } = device.statistics().memory;
  for (const texture of textures) texture.destroy();
  device.destroy();
  const MIB = 1 << 20;
  const blocks = (10 * data.length) / MIB;
  rows.push(
    checkLimit('MiB in use by ten volumes of 8 MiB of blocks each', [Math.round(bytesUsed / MIB)], {
      limit: blocks + MAX_OTHERS,
      decoded: Math.round(held / MIB),
    })
  );
}

const results = { decoded: [], pages: [], memory: [] };
await samples(results.decoded, 'held decoded', 1024);
await samples(results.pages, 'by pages', 4096);
await volumes(results.memory);
keep('compressed', { results });
console.log(missed.length ? `\nnot reached: ${missed.join('; ')}` : '\nall limits are reached');
process.exit(missed.length ? 1 : 0);
