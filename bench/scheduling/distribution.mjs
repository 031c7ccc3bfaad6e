// npm run bench distribution
// Measures what tile sharing gains (`create({ distribution: 'any' })`). The pictures have one or three tiles and many
// layers that blend or have holes, with short and long shaders and large and small shapes. One reads a streamed texture
// with non-resident pages. Also measures what tile sharing costs for frames of many tiles, with the benchmarks' own
// scenes; arguments select some of them.
//
//   MS       milliseconds per side (2000)
//   THREADS  worker threads (2)
import { setTimeout as wait } from 'node:timers/promises';
import { create, globals } from '../../build/index.js';
import { compare, frameOf } from '../support/pairs.mjs';
import { progress, say } from '../support/progress.mjs';
import { scenes } from '../scenes/index.mjs';

Object.assign(globalThis, globals);
const { THREADS = 2, MS = 2000 } = process.env;
const words = process.argv.slice(2);
const TILE = 64;

/** The streamed texture: side of a page in texels, side of the texture in pages, and milliseconds per page load. */
const PAGE = 32;
const SIDE = 8;
const PAGE_MS = 2;

const code = ({ turns, late }) => `
  struct Out { @builtin(position) p: vec4f, @location(0) color: vec3f, @location(1) at: vec2f }
  @vertex fn vertex(@builtin(vertex_index) i: u32, @builtin(instance_index) layer: u32) -> Out {
    let h = layer * 747796405u + 2891336453u;
    let random = vec3f(f32(h >> 22), f32((h >> 12) & 1023), f32((h >> 2) & 1023)) / 1023;
    let corner = vec2f(f32(i & 1), f32(i >> 1));
    let lower = (random.xy * 2 - 1) * (1 - SIZE) - SIZE;
    return Out(vec4f(lower + corner * 2 * SIZE, 1 - f32(layer) / 8192, 1), random, corner);
  }
  override SIZE = 1.0;
  ${
    late
      ? `
  @group(0) @binding(0) var map: texture_2d<f32>;
  // A layer reads one page.
  fn late(in: Out) -> vec2f {
    let page = vec2u(in.color.xy * ${SIDE - 0.01});
    return textureLoad(map, page * ${PAGE} + vec2u(in.at * ${PAGE - 1}), 0).xy;
  }`
      : ''
  }
  fn color(in: Out) -> vec4f {
    var q = in.at${late ? ' + late(in)' : ''};
    for (var k = 0; k < ${turns}; k++) { q = fract(q * vec2f(1.37, 1.91) + q.yx * 0.73 + 0.11); }
    return vec4f(mix(in.color, vec3f(q, 0.5), 0.25), 0.3);
  }
  @fragment fn blend(in: Out) -> @location(0) vec4f { return color(in); }
  @fragment fn holes(in: Out) -> @location(0) vec4f {
    let c = color(in);
    if (distance(in.at, vec2f(0.5)) < 0.2) { discard; }
    return c;
  }`;
const over = { srcFactor: 'src-alpha', dstFactor: 'one-minus-src-alpha' };
const BLEND = { entryPoint: 'blend', blend: { color: over, alpha: over } };
/** `layers` of one size; `size`: side of the picture; `tiles`: tiles in a row. */
const FRAMES = {
  'blended, short': { ...BLEND, turns: 2, layers: 1500 },
  'blended, long': { ...BLEND, turns: 40, layers: 400 },
  'blended, at 2x2': { ...BLEND, turns: 40, layers: 1500, rate: '2x2' },
  'blended, 4 samples': { ...BLEND, turns: 8, layers: 400, sampleCount: 4 },
  'blended, half a tile': { ...BLEND, turns: 8, layers: 1500, size: 0.5 },
  'blended, a quarter': { ...BLEND, turns: 8, layers: 3000, size: 0.25 },
  'blended, an eighth': { ...BLEND, turns: 8, layers: 6000, size: 0.125 },
  'with holes': { entryPoint: 'holes', depth: true, turns: 20, layers: 400 },
  'opaque, nearest last': { entryPoint: 'blend', depth: true, turns: 40, layers: 2000 },
  'blended, three tiles': { ...BLEND, turns: 8, layers: 300, tiles: 3 },
  'late, short': { ...BLEND, turns: 2, layers: 1500, late: 4 },
  'late, long': { ...BLEND, turns: 40, layers: 400, late: 4 },
  'late, long, most pages': { ...BLEND, turns: 40, layers: 400, late: 48 },
  'late, a quarter': { ...BLEND, turns: 8, layers: 3000, size: 0.25, late: 4 },
  'late, three tiles': { ...BLEND, turns: 8, layers: 300, tiles: 3, late: 4 },
  'late, many tiles': { ...BLEND, turns: 8, layers: 12, tiles: 12, rows: 8, late: 16 },
  'late, many small': { ...BLEND, turns: 8, layers: 4000, size: 0.05, tiles: 12, rows: 8, late: 16 },
};

async function open(distribution) {
  const adapter = await create({ threads: Number(THREADS), distribution }).requestAdapter();
  const device = await adapter.requestDevice({
    requiredFeatures: ['statistics', 'processing-order', 'shading-rate', 'streamed-textures'],
    requiredLimits: { maxTextureDimension2D: adapter.limits.maxTextureDimension2D },
  });
  device.onuncapturederror = ({ error }) => {
    throw new Error(error.message);
  };
  return device;
}

/** The page that a layer reads, computed as in the shader. */
function pageOf(layer) {
  const h = (Math.imul(layer, 747796405) + 2891336453) >>> 0;
  const at = (bits) => Math.floor((bits / 1023) * (SIDE - 0.01));
  return at(h >>> 22) + at((h >>> 12) & 1023) * SIDE;
}

/** Creates a texture whose pages load with a delay while `isLate` returns true. */
function streamedMap(device, isLate) {
  const texels = new Uint8Array(PAGE * PAGE * 4).fill(99);
  return device.createTexture({
    size: [SIDE * PAGE, SIDE * PAGE],
    format: 'rgba8unorm',
    usage: 4,
    stream: {
      pageSize: PAGE,
      maxConcurrentLoads: 8,
      loadPage: () => (isLate() ? wait(PAGE_MS).then(() => texels) : texels),
    },
  });
}

async function layers(device, kind, order) {
  const { entryPoint, blend, depth: tests = false, layers: count, rate, late } = kind;
  const { size = 1, tiles = 1, rows = 1, sampleCount = 1 } = kind;
  const module = device.createShaderModule({ code: code(kind) });
  const extent = [TILE * tiles, TILE * rows];
  const pipeline = await device.createRenderPipelineAsync({
    layout: 'auto',
    primitive: { topology: 'triangle-strip' },
    multisample: { count: sampleCount },
    vertex: { module, constants: { SIZE: size } },
    fragment: { module, entryPoint, targets: [{ format: 'rgba8unorm', ...(blend ? { blend } : {}) }] },
    depthStencil: { format: 'depth32float', depthCompare: tests ? 'less' : 'always', depthWriteEnabled: tests },
  });
  const target = device.createTexture({ size: extent, format: 'rgba8unorm', usage: 16, sampleCount });
  const depth = device.createTexture({ size: extent, format: 'depth32float', usage: 16, sampleCount });
  const render = (map = null, draws = [[0, count]]) => {
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
    pass.setProcessingOrder('pixel', order);
    if (rate) pass.setShadingRate(rate);
    pass.setPipeline(pipeline);
    if (map)
      pass.setBindGroup(
        0,
        device.createBindGroup({
          layout: pipeline.getBindGroupLayout(0),
          entries: [{ binding: 0, resource: map.createView() }],
        })
      );
    for (const [first, instances] of draws) pass.draw(4, instances, 0, first);
    pass.end();
    device.queue.submit([encoder.finish()]);
  };
  if (!late) return frameOf(device, { render });
  // `late` of the pages, evenly distributed, are non-resident when the frame starts. One layer of each other page is
  // drawn before, which loads it.
  const pages = SIDE * SIDE;
  const isMissing = (page) => (page * late) % pages < late;
  const readers = new Map(Array.from({ length: count }, (_, layer) => [pageOf(layer), layer]));
  const before = [...readers].filter(([page]) => !isMissing(page)).map(([, layer]) => [layer, 1]);
  return async () => {
    let isLate = false;
    const map = streamedMap(device, () => isLate);
    render(map, before);
    await device.queue.onSubmittedWorkDone();
    isLate = true;
    const ms = await frameOf(device, { render: () => render(map) })();
    map.destroy();
    return ms;
  };
}

const wanted = (name) => words.length === 0 || words.some((word) => name.includes(word));
const devices = { any: await open('any'), position: await open('position') };
const kinds = Object.entries(FRAMES).filter(([name]) => wanted(name));
const own = Object.entries(scenes).filter(([name]) => wanted(name));
const all = kinds.length + own.length;
let done = 0;

for (const [name, kind] of kinds) {
  const sides = {
    free: await layers(devices.any, kind, 'independent'),
    any: await layers(devices.any, kind, 'received'),
    position: await layers(devices.position, kind, 'received'),
  };
  const before = devices.any.statistics().counters;
  const { pairs, ms, ratios } = await compare(sides, {
    forMs: Number(MS) / 2,
    warmMs: 300,
    onPair: (n) => progress(done, all, `${name}, ${n} pairs`),
  });
  const { counters } = devices.any.statistics();
  const since = (of) => counters[of] - before[of];
  const said = ([ratio, low, high]) => `${ratio} (${low} … ${high})`;
  say(
    `${name.padEnd(22)} ${ms.position} ms by position; any: ${ms.any} ms, ${said(ratios.any)}; without order `
      + `${ms.free} ms, ${said(ratios.free)}; ${pairs} pairs, ${since('tilesShared')} tiles shared, `
      + `${since('blockWaits')} waits`
  );
  done++;
}
for (const [name, make] of own) {
  const side = async (device) => frameOf(device, await make(device, { width: 1280, height: 720, samples: 1 }));
  const sides = { any: await side(devices.any), position: await side(devices.position) };
  const before = devices.any.statistics().counters.tilesShared;
  const {
    pairs,
    ms,
    ratios: {
      any: [ratio, low, high],
    },
  } = await compare(sides, {
    forMs: Number(MS),
    warmMs: 500,
    onPair: (n) => progress(done, all, `${name}, ${n} pairs`),
  });
  say(
    `${name.padEnd(22)} ${ms.position} ms by position; any: ${ms.any} ms, ${ratio} (${low} … ${high}), `
      + `${pairs} pairs, ${devices.any.statistics().counters.tilesShared - before} tiles shared`
  );
  done++;
}
for (const device of Object.values(devices)) device.destroy();
