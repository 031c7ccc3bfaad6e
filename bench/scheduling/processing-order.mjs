// npm run bench processing-order
// Measures what out-of-order processing (`setProcessingOrder`) gains. The frames consist of 10 000 small sprites, one
// per draw call, with two alternating materials. Sprites are blended, or have holes and a depth test. Shaders are
// short, or have about two hundred instructions. Reports frame times and warps, in order and out of order.
//
// Also measures sprites with streamed textures: no page is resident at the start, or nine of ten pages are. And it
// measures stream output in any order: a geometry stage turns each of 200 000 points into up to eight vertices, usually
// two, in a buffer.
//
//   PIXELS   side of a sprite in pixels (8)
//   MS       milliseconds per side (3000)
//   THREADS  worker threads (0, which gives the most stable figures)
import { create, globals } from '../../build/index.js';
import { KINDS as LATE_KINDS, streamedSprites } from './streamed-sprites.mjs';
import { median } from '../support/machine.mjs';
import { compare } from '../support/pairs.mjs';
import { progress, say } from '../support/progress.mjs';

Object.assign(globalThis, globals);
const { THREADS = 0, MS = 3000, PIXELS: SIDE = 8 } = process.env;
const PIXELS = Number(SIDE);
const SIZE = [1280, 720];
const SPRITES = 10_000;

const GRAIN = 'q = fract(q * vec2f(1.37, 1.91) + q.yx * 0.73 + 0.11);';
const codeOf = (isLong) => `
  fn grain(at: vec2f) -> f32 {
    var q = at;
    ${isLong ? GRAIN.repeat(18) : ''}
    return q.x;
  }
  struct Sprite { @location(0) at: vec2f, @location(1) depth: f32, @location(2) color: vec3f }
  struct Out { @builtin(position) p: vec4f, @location(0) color: vec3f, @location(1) at: vec2f }
  @vertex fn vertex(@builtin(vertex_index) i: u32, s: Sprite) -> Out {
    let corner = vec2f(f32(i & 1), f32(i >> 1));
    let size = vec2f(${(2 * PIXELS) / SIZE[0]}, ${(2 * PIXELS) / SIZE[1]});
    return Out(vec4f(s.at + corner * size, s.depth, 1), s.color, corner);
  }
  fn fire(in: Out) -> vec4f {
    let d = distance(in.at, vec2f(0.5));
    return vec4f(in.color * exp2(-d * 3) * (0.97 + 0.03 * grain(in.at)), max(0, 1 - 2 * d));
  }
  fn smoke(in: Out) -> vec4f {
    let d = distance(in.at, vec2f(0.5));
    let a = sin(in.at.x * 9) * cos(in.at.y * 7);
    return vec4f(mix(in.color, vec3f(0.5), 0.5 + 0.5 * a) * (0.97 + 0.03 * grain(in.at)), 0.5 * max(0, 1 - 2 * d));
  }
  @fragment fn blendFire(in: Out) -> @location(0) vec4f { return fire(in); }
  @fragment fn blendSmoke(in: Out) -> @location(0) vec4f { return smoke(in); }
  @fragment fn holesFire(in: Out) -> @location(0) vec4f { let c = fire(in); if (c.a < 0.1) { discard; } return c; }
  @fragment fn holesSmoke(in: Out) -> @location(0) vec4f { let c = smoke(in); if (c.a < 0.1) { discard; } return c; }`;

const over = { srcFactor: 'src-alpha', dstFactor: 'one-minus-src-alpha' };
const BLENDED = { entries: ['blendFire', 'blendSmoke'], blend: { color: over, alpha: over }, depth: false };
const HOLES = { entries: ['holesFire', 'holesSmoke'], depth: true };
const KINDS = {
  blended: BLENDED,
  'with holes': HOLES,
  'blended, long': { ...BLENDED, isLong: true },
  'with holes, long': { ...HOLES, isLong: true },
};

/** Share of the pages that are non-resident; milliseconds per page load, and the number of concurrent loads. */
const SHARES = { 'nothing is there': 1, 'a tenth is late': 0.1 };
const PAGE_MS = 3;
const MAX_CONCURRENT_LOADS = 8;
const LATE = Object.entries(LATE_KINDS).flatMap(([name, kind]) =>
  Object.entries(SHARES).map(([what, share]) => ({ name: `${name}, ${what}`, kind, share }))
);

const PARTS = Object.keys(KINDS).length + LATE.length + 1;

const adapter = await create({ threads: Number(THREADS) }).requestAdapter();
const device = await adapter.requestDevice({
  requiredFeatures: ['statistics', 'processing-order', 'modular-pipelines', 'streamed-textures'],
});
device.onuncapturederror = ({ error }) => {
  throw new Error(error.message);
};
let seed = 1;
const random = () => (seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0) / 2 ** 32;
const sprites = new Float32Array(
  Array.from({ length: SPRITES }, () => [
    random() * 2 - 1,
    random() * 2 - 1,
    random(),
    random(),
    random(),
    random(),
  ]).flat()
);
const vertices = device.createBuffer({ size: sprites.byteLength, usage: 32 | 8 });
device.queue.writeBuffer(vertices, 0, sprites);
const target = device.createTexture({ size: SIZE, format: 'rgba8unorm', usage: 16 });
const depth = device.createTexture({ size: SIZE, format: 'depth32float', usage: 16 });

for (const [index, [name, { entries, blend, depth: tests, isLong }]] of Object.entries(KINDS).entries()) {
  const module = device.createShaderModule({ code: codeOf(isLong) });
  const pipelines = await Promise.all(
    entries.map((entryPoint) =>
      device.createRenderPipelineAsync({
        layout: 'auto',
        primitive: { topology: 'triangle-strip' },
        vertex: {
          module,
          buffers: [
            {
              arrayStride: 24,
              stepMode: 'instance',
              attributes: [
                { shaderLocation: 0, offset: 0, format: 'float32x2' },
                { shaderLocation: 1, offset: 8, format: 'float32' },
                { shaderLocation: 2, offset: 12, format: 'float32x3' },
              ],
            },
          ],
        },
        fragment: { module, entryPoint, targets: [{ format: 'rgba8unorm', ...(blend ? { blend } : {}) }] },
        depthStencil: { format: 'depth32float', depthCompare: tests ? 'less' : 'always', depthWriteEnabled: tests },
      })
    )
  );
  const frame = async (order) => {
    const began = performance.now();
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginRenderPass({
      colorAttachments: [{ view: target.createView(), loadOp: 'clear', storeOp: 'store' }],
      depthStencilAttachment: {
        view: depth.createView(),
        depthLoadOp: 'clear',
        depthStoreOp: 'discard',
        depthClearValue: 1,
      },
    });
    pass.setVertexBuffer(0, vertices);
    pass.setProcessingOrder('pixel', order);
    for (let i = 0; i < SPRITES; i++) {
      pass.setPipeline(pipelines[i % 2]);
      pass.draw(4, 1, 0, i);
    }
    pass.end();
    device.queue.submit([encoder.finish()]);
    await device.queue.onSubmittedWorkDone();
    return performance.now() - began;
  };
  const warpsOf = async (order) => {
    const before = device.statistics().counters.fragmentWarps;
    await frame(order);
    return device.statistics().counters.fragmentWarps - before;
  };
  const warps = { received: await warpsOf('received'), independent: await warpsOf('independent') };
  const sides = { independent: () => frame('independent'), received: () => frame('received') };
  const {
    pairs,
    ms,
    ratios: {
      independent: [ratio, low, high],
    },
  } = await compare(sides, {
    forMs: Number(MS),
    warmMs: 500,
    onPair: (n) => progress(index, PARTS, `${name}, ${n} pairs`),
  });
  say(
    `${name.padEnd(16)} ${ms.independent} ms without order, ${ms.received} ms in order: ${ratio} (${low} … ${high}), `
      + `${pairs} pairs; ${warps.independent} warps, ${warps.received} in order`
  );
}

for (const [index, { name, kind, share }] of LATE.entries()) {
  const frame = await streamedSprites(device, SIZE, kind);
  const late = { share, pageMs: PAGE_MS, maxConcurrentLoads: MAX_CONCURRENT_LOADS };
  const counts = { received: [], independent: [] };
  const sides = Object.fromEntries(
    ['independent', 'received'].map((order) => [
      order,
      () =>
        frame({
          ...late,
          order,
          around: async (draw) => {
            const before = device.statistics().counters;
            const ms = await draw();
            const { counters } = device.statistics();
            counts[order].push(['warpsParked', 'tilesReplayed'].map((counter) => counters[counter] - before[counter]));
            return ms;
          },
        }),
    ])
  );
  const {
    pairs,
    ms,
    ratios: {
      independent: [ratio, low, high],
    },
  } = await compare(sides, {
    forMs: Number(MS),
    onPair: (n) => progress(Object.keys(KINDS).length + index, PARTS, `${name}, ${n} pairs`),
  });
  const [aside, again] = [0, 1].map((counter) =>
    Object.fromEntries(Object.entries(counts).map(([order, all]) => [order, median(all.map((each) => each[counter]))]))
  );
  say(
    `${name.padEnd(28)} ${ms.independent} ms without order, ${ms.received} ms in order: ${ratio} (${low} … ${high}), `
      + `${pairs} pairs; warps that waited ${aside.independent}, ${aside.received} in order, tiles run again `
      + `${again.independent}, ${again.received} in order`
  );
}

const POINTS = 200_000;
const MOST = 8;
const POINT_BYTES = 16;
const points = device.createShaderModule({
  code: `enable modular_pipelines;
  struct Point { @location(0) at: vec3f, @location(1) size: f32 }
  @vertex fn load(@builtin(vertex_index) i: u32) -> Point {
    let h = i * 747796405u + 2891336453u;
    return Point(vec3f(f32(h >> 22), f32((h >> 12) & 1023), f32((h >> 2) & 1023)) / 1024, f32((h >> 7) & 255) / 256);
  }
  @geometry fn scatter(p: array<Point, 1>) {
    let many = u32(p[0].size * 5);
    for (var k = 0u; k < many; k++) {
      emitVertex(Point(p[0].at + vec3f(cos(f32(k)), sin(f32(k)), 0.1) * p[0].size, p[0].size / 2));
    }
  }`,
});
const table = await device.createModularPipelineAsync({
  layout: 'auto',
  input: { topology: 'point-list' },
  stages: [
    { kind: 'vertex', module: points },
    { kind: 'geometry', module: points, maxVertices: MOST, topology: 'point-list' },
  ],
  sinks: [
    {
      buffer: {
        arrayStride: POINT_BYTES,
        attributes: [
          { shaderLocation: 0, offset: 0, format: 'float32x3' },
          { shaderLocation: 1, offset: 12, format: 'float32' },
        ],
      },
    },
  ],
});
const baked = device.createBuffer({ size: POINTS * MOST * POINT_BYTES, usage: GPUBufferUsage.STORAGE });
const bake = async (order) => {
  const began = performance.now();
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginRenderPass({ colorAttachments: [], size: [1, 1], sampleCount: 1 });
  pass.setPipeline(table);
  pass.setSinkBuffer(baked);
  pass.setProcessingOrder('primitive', order);
  pass.draw(POINTS);
  pass.end();
  device.queue.submit([encoder.finish()]);
  await device.queue.onSubmittedWorkDone();
  return performance.now() - began;
};
const movedBy = async (order) => {
  const before = table.statistics().bytesCompacted;
  await bake(order);
  return table.statistics().bytesCompacted - before;
};
const moved = { received: await movedBy('received'), independent: await movedBy('independent') };
const {
  pairs,
  ms,
  ratios: {
    independent: [ratio, low, high],
  },
} = await compare(
  { independent: () => bake('independent'), received: () => bake('received') },
  { forMs: Number(MS), warmMs: 500, onPair: (n) => progress(PARTS - 1, PARTS, `stored points, ${n} pairs`) }
);
say(
  `${'stored points'.padEnd(16)} ${ms.independent} ms without order, ${ms.received} ms in order: `
    + `${ratio} (${low} … ${high}), `
    + `${pairs} pairs; ${moved.independent} bytes moved, ${moved.received} in order`
);
device.destroy();
