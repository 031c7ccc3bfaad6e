// A frame of 10 000 small sprites in batches of ten, with two alternating materials. Each material has a streamed
// texture with the images of its sprites, and only some of its pages are resident when the frame starts. Sprites are
// blended, or have holes and a depth test.
import { setTimeout as wait } from 'node:timers/promises';

/** Pages on a side of a texture. Sprites have a side of 8 pixels and read 8 texels on a side. */
const PAGE = 32;
const SIDE = 20;
const IMAGE = 8;
const SPRITES = 10_000;
const BATCH = 10;
const PAGES = SIDE * SIDE;

const CODE = `
  @group(0) @binding(0) var sheet: texture_2d<f32>;
  @group(0) @binding(1) var linear: sampler;
  struct Sprite { @location(0) at: vec2f, @location(1) depth: f32, @location(2) image: vec2f }
  struct Out { @builtin(position) p: vec4f, @location(0) color: vec3f, @location(1) at: vec2f, @location(2) uv: vec2f }
  override width: f32;
  override height: f32;
  @vertex fn vertex(@builtin(vertex_index) i: u32, s: Sprite) -> Out {
    let corner = vec2f(f32(i & 1), f32(i >> 1));
    let at = s.at + corner * 2 * ${IMAGE} / vec2f(width, height);
    let uv = s.image + corner * ${IMAGE / (SIDE * PAGE)};
    return Out(vec4f(at, s.depth, 1), vec3f(s.depth, 1 - s.depth, 0.5), corner, uv);
  }
  fn fire(in: Out) -> vec4f {
    let d = distance(in.at, vec2f(0.5));
    return vec4f(in.color * exp2(-d * 3), max(0, 1 - 2 * d)) * textureSampleLevel(sheet, linear, in.uv, 0);
  }
  fn smoke(in: Out) -> vec4f {
    let d = distance(in.at, vec2f(0.5));
    let a = sin(in.at.x * 9) * cos(in.at.y * 7);
    let texel = textureSampleLevel(sheet, linear, in.uv, 0);
    return vec4f(mix(in.color, texel.xyz, 0.5 + 0.5 * a), max(0, 1 - 2 * d) * texel.w);
  }
  @fragment fn blendFire(in: Out) -> @location(0) vec4f { return fire(in); }
  @fragment fn blendSmoke(in: Out) -> @location(0) vec4f { return smoke(in); }
  @fragment fn holesFire(in: Out) -> @location(0) vec4f { let c = fire(in); if (c.a < 0.1) { discard; } return c; }
  @fragment fn holesSmoke(in: Out) -> @location(0) vec4f { let c = smoke(in); if (c.a < 0.1) { discard; } return c; }`;

const over = { srcFactor: 'src-alpha', dstFactor: 'one-minus-src-alpha' };
export const KINDS = {
  blended: { entries: ['blendFire', 'blendSmoke'], blend: { color: over, alpha: over }, depth: false },
  'with holes': { entries: ['holesFire', 'holesSmoke'], depth: true },
};

/** Pseudo-random numbers from 0 to 1, the same on each run. */
function numbers() {
  let seed = 1;
  return () => (seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0) / 2 ** 32;
}

/**
 * `frame({ order, share, pageMs, outstanding })` draws with textures and returns the milliseconds. A fraction `share`
 * of their pages is not resident.
 */
export async function streamedSprites(device, [width, height], { entries, blend, depth: tests }) {
  const format = 'rgba8unorm';
  const usage = GPUTextureUsage.RENDER_ATTACHMENT;
  const size = [width, height];
  const module = device.createShaderModule({ code: CODE });
  const random = numbers();
  const pipelines = await Promise.all(
    entries.map((entryPoint) =>
      device.createRenderPipelineAsync({
        layout: 'auto',
        primitive: { topology: 'triangle-strip' },
        vertex: {
          module,
          constants: { width, height },
          buffers: [
            {
              arrayStride: 20,
              stepMode: 'instance',
              attributes: [
                { shaderLocation: 0, offset: 0, format: 'float32x2' },
                { shaderLocation: 1, offset: 8, format: 'float32' },
                { shaderLocation: 2, offset: 12, format: 'float32x2' },
              ],
            },
          ],
        },
        fragment: { module, entryPoint, targets: [{ format, ...(blend ? { blend } : {}) }] },
        depthStencil: { format: 'depth32float', depthCompare: tests ? 'less' : 'always', depthWriteEnabled: tests },
      })
    )
  );
  // An image is inside a page, away from its edges.
  const within = (count) => Math.floor(random() * count);
  const place = () => (within(SIDE) * PAGE + 1 + within(PAGE - IMAGE - 2)) / (SIDE * PAGE);
  const sprites = Array.from({ length: SPRITES }, () => [
    random() * 2 - 1,
    random() * 2 - 1,
    random(),
    place(),
    place(),
  ]);
  const vertices = device.createBuffer({ size: SPRITES * 20, usage: GPUBufferUsage.VERTEX | GPUBufferUsage.COPY_DST });
  device.queue.writeBuffer(vertices, 0, new Float32Array(sprites.flat()));
  const materialOf = (sprite) => Math.floor(sprite / BATCH) % 2;
  const pageOf = (sprite) => Math.floor(sprites[sprite][4] * SIDE) * SIDE + Math.floor(sprites[sprite][3] * SIDE);
  const all = Array.from({ length: SPRITES / BATCH }, (_, i) => ({ first: i * BATCH, count: BATCH }));
  // One sprite for each page of each texture.
  const readers = [...new Map(sprites.map((_, i) => [materialOf(i) * PAGES + pageOf(i), i])).values()];
  const color = device.createTexture({ size, format, usage }).createView();
  const depth = device.createTexture({ size, format: 'depth32float', usage }).createView();
  const sampler = device.createSampler({ magFilter: 'linear', minFilter: 'linear' });
  const texels = Uint8Array.from({ length: PAGE * PAGE * 4 }, (_, i) => 128 + ((i * 7) % 128));
  const draw = async (sheets, order, batches) => {
    const groups = sheets.map((sheet, i) =>
      device.createBindGroup({
        layout: pipelines[i].getBindGroupLayout(0),
        entries: [
          { binding: 0, resource: sheet.createView() },
          { binding: 1, resource: sampler },
        ],
      })
    );
    const began = performance.now();
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginRenderPass({
      colorAttachments: [{ view: color, loadOp: 'clear', storeOp: 'store' }],
      depthStencilAttachment: { view: depth, depthLoadOp: 'clear', depthStoreOp: 'discard', depthClearValue: 1 },
    });
    pass.setVertexBuffer(0, vertices);
    pass.setProcessingOrder('pixel', order);
    for (const { first, count } of batches) {
      pass.setPipeline(pipelines[materialOf(first)]);
      pass.setBindGroup(0, groups[materialOf(first)]);
      pass.draw(4, count, 0, first);
    }
    pass.end();
    device.queue.submit([encoder.finish()]);
    await device.queue.onSubmittedWorkDone();
    return performance.now() - began;
  };
  return async ({ order, share, pageMs, maxConcurrentLoads, around = (frame) => frame() }) => {
    let isBefore = true;
    const sheets = entries.map(() =>
      device.createTexture({
        format,
        size: [SIDE * PAGE, SIDE * PAGE],
        usage: GPUTextureUsage.TEXTURE_BINDING,
        stream: {
          pageSize: PAGE,
          maxConcurrentLoads,
          loadPage: async () => {
            if (!isBefore) await wait(pageMs);
            return texels;
          },
        },
      })
    );
    // A fraction `share` of the pages is missing. The others are read beforehand.
    const isMissing = (page) => Math.floor((page + 1) * share) > Math.floor(page * share);
    const there = readers.filter((sprite) => !isMissing(pageOf(sprite)));
    if (there.length > 0)
      await draw(
        sheets,
        'received',
        there.map((first) => ({ first, count: 1 }))
      );
    isBefore = false;
    const ms = await around(() => draw(sheets, order, all));
    for (const sheet of sheets) sheet.destroy();
    return ms;
  };
}
