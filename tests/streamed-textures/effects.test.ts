// Render passes whose fragment shaders read streamed textures and write to buffers and storage textures. Pictures and
// writes are bit-identical to those with resident textures, in whichever order pages are loaded and evicted.
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import type { StatisticsDevice } from '../../src/index';
import {
  immediateSource,
  counted,
  open,
  pageOf,
  pages,
  picture,
  SETTINGS,
  settling,
  streamed,
  streaming,
  whole,
  type Open,
  type Texels,
} from './kit';
import { GPUBufferUsage, GPUMapMode, GPUShaderStage, GPUTextureUsage } from '../support/flags';
import { rounds } from '../support/rounds';

const TEXELS: Texels = { format: 'rgba8unorm', texelBytes: 4, width: 200, height: 150, layers: 1, levels: 8 };
const PAGE = 16;
const SIZE = 96;
const WORDS = 256;
const IMAGE = 160;
const ROW_BYTES = 768;

/** What a fragment does. */
interface Body {
  /**
   * WGSL that runs at pixel `at` with the linear index `id`. `sums` has 256 words, `seen` has one, and `image` has a
   * texel per pixel.
   */
  readonly text: string;
  /** The written values depend on the order of pixels, which only devices created with `deterministic` keep. */
  readonly isOrdered?: true;
  readonly runs?: number;
}
const BODIES: Readonly<Record<string, Body>> = {
  // Effects after all reads: the value read selects the word to increment.
  histogram: {
    text: `color = textureLoad(map, vec2i(at * 7u % vec2u(200, 150)), 0);
    atomicAdd(&sums[u32(color.x * 255) % 256u], 1u);`,
  },
  // A pixel writes in the order of its triangles.
  seen: {
    text: `color = textureSample(map, linear, corner.uv * 1.3);
    seen[id] = seen[id] * 3u + u32(color.y * 255);
    atomicMax(&sums[u32(color.x * 255)], id);`,
  },
  // Helper invocations only take part in reads; discarded invocations write nothing.
  discard: {
    text: `color = textureSample(map, linear, corner.uv * 0.7);
    if (color.x > 0.6) { discard; }
    color += textureSampleBias(map, linear, corner.uv.yx, -1) * 0.25;
    seen[id] = seen[id] * 5u + u32(color.y * 200);
    atomicAdd(&sums[id % 256u], 1u);`,
  },
  // A loop that reads, followed by one that writes.
  blur: {
    text: `for (var i = 0; i < 5; i++) { color += textureLoad(map, vec2i(at) + vec2i(i * 7, -i), i & 1) * 0.2; }
    for (var i = 0u; i < 1u + id % 3u; i++) { atomicAdd(&sums[(u32(color.x * 255) + i) % 256u], i + 1u); }`,
  },
  // Some invocations read and write, others only write, and some reads go unused.
  branches: {
    text: `if (id % 5u == 0u) {
      color = textureSampleLevel(map, linear, corner.uv, 1);
      if (color.x > 0.3) { seen[id] = seen[id] + u32(color.x * 255) * 7u; }
    } else if (id % 5u < 3u) { atomicAdd(&sums[id % 256u], 3u); }
    else { color = vec4f(textureLoad(map, at, 0).xy, 0, 1); }`,
  },
  // Each pixel stores to its own texel.
  image: {
    text: `let old = textureLoad(image, at);
    color = textureSampleLevel(map, linear, vec2f(f32(old.x % 61u) / 61, corner.uv.y), 0);
    textureStore(image, at, vec4u(old.x * 3u + u32(color.x * 255), 0, 0, 0));`,
  },
  // An effect before a read.
  before: {
    text: `atomicAdd(&sums[id % 128u], 3u);
    color = textureSampleLevel(map, linear, corner.uv * 1.3, corner.uv.x * 2);
    atomicMax(&sums[128u + id % 128u], u32(color.y * 255));`,
  },
  // Effects between reads, each of which needs the previous result; helper invocations and derivatives.
  between: {
    text: `color = textureSample(map, linear, corner.uv);
    seen[id] = seen[id] * 3u + u32(color.x * 255);
    let next = textureSample(map, linear, corner.uv.yx + color.xy * 0.2);
    if (next.x > 0.7) { discard; }
    seen[id] = seen[id] * 5u + u32(next.y * 255);
    let last = textureLoad(map, at + vec2u(seen[id] % 37u, 0), 0);
    atomicAdd(&sums[u32(last.x * 255)], 1u);
    color = next + abs(dpdx(last)) * 0.5;`,
  },
  // Independent reads: all are pending at once.
  together: {
    text: `atomicAdd(&sums[id % 200u], 1u);
    let a = textureSampleLevel(map, linear, corner.uv, 0);
    let b = textureSampleLevel(map, linear, corner.uv + 0.4, 1);
    var c = vec4f();
    if (id % 3u == 1u) { c = textureLoad(map, at, 0); seen[id] += 1u; }
    atomicAdd(&sums[200u + id % 50u], 1u);
    color = a + b * 0.5 - c * 0.25;
    seen[id] = seen[id] * 7u + u32(abs(color.x) * 100);`,
  },
  // The result of an effect decides what is read.
  order: {
    isOrdered: true,
    text: `let before = atomicAdd(&sums[id % 7u], 1u);
    color = textureLoad(map, vec2u(before * 37u % 200u, before * 11u % 150u), 0);
    atomicXor(&sums[before % 256u], u32(color.z * 255));`,
  },
  // The contents of a texel that pixels of several tiles share.
  shared: {
    isOrdered: true,
    text: `let old = textureLoad(image, at % 64u);
    color = textureSampleLevel(map, linear, vec2f(f32(old.x % 61u) / 61, corner.uv.y), 0);
    textureStore(image, at % 64u, vec4u(old.x * 3u + u32(color.x * 255), 0, 0, 0));`,
  },
  // A loop whose end depends on the value read: on zeros it never ends.
  loop: {
    runs: 2,
    text: `var left = 1 + i32(id % 5u);
    while (left > 0) {
      color = textureLoad(map, vec2i(left * 17, i32(id % 150u)), 0);
      left -= select(0, 1 + i32(color.x * 2), color.w + color.x + color.y + color.z > 0);
      atomicAdd(&sums[u32(left + 40) % 256u], 1u);
    }`,
  },
};

/** `moves`: vertices read the texture. `plain`: a fragment shader that writes nothing. */
const code = ({ text }: Body, moves: boolean): string => `
  @group(0) @binding(0) var map: texture_2d<f32>;
  @group(0) @binding(1) var linear: sampler;
  @group(0) @binding(2) var<storage, read_write> sums: array<atomic<u32>, ${WORDS}>;
  @group(0) @binding(3) var image: texture_storage_2d<r32uint, read_write>;
  @group(0) @binding(4) var<storage, read_write> seen: array<u32, ${SIZE * SIZE}>;
  struct Corner { @builtin(position) position: vec4f, @location(0) uv: vec2f }
  @vertex fn vs(@builtin(vertex_index) i: u32) -> Corner {
    let quad = f32(i / 3u);
    let corner = vec2f(f32((i % 3u) & 1u), f32((i % 3u) >> 1u));
    let depth = fract(quad * 0.37) * 0.8 + corner.x * 0.1;
    let shift = quad * 0.05${moves ? ' + textureLoad(map, vec2u(i * 31u % 200u, i * 17u % 150u), 0).x * 0.2' : ''};
    return Corner(vec4f(corner * 2.2 - 0.9 + shift, depth, 1), corner);
  }
  @fragment fn fs(corner: Corner) -> @location(0) vec4f {
    let at = vec2u(corner.position.xy);
    let id = at.y * ${SIZE}u + at.x;
    var color = vec4f();
    ${text}
    return color;
  }
  @fragment fn plain(corner: Corner) -> @location(0) vec4f {
    return textureSampleLevel(map, linear, corner.uv.yx, 0) * vec4f(1, 1, 1, 0.5);
  }`;

interface Draws {
  readonly triangles: number;
  readonly samples: 1 | 4;
  /** Whether only nearer fragments pass, with depth writes. */
  readonly tests: boolean;
  readonly moves?: boolean;
}

/** Returns the picture, followed by the contents of the buffers and the image. */
async function draw(
  device: StatisticsDevice,
  map: GPUTexture,
  body: Body,
  { triangles, samples, tests, moves = false }: Draws
): Promise<Uint8Array> {
  const module = device.createShaderModule({ code: code(body, moves) });
  const format = 'rgba8unorm';
  const layout = device.createBindGroupLayout({
    entries: [
      { binding: 0, visibility: GPUShaderStage.VERTEX | GPUShaderStage.FRAGMENT, texture: {} },
      { binding: 1, visibility: GPUShaderStage.FRAGMENT, sampler: {} },
      { binding: 2, visibility: GPUShaderStage.FRAGMENT, buffer: { type: 'storage' } },
      { binding: 3, visibility: GPUShaderStage.FRAGMENT, storageTexture: { format: 'r32uint', access: 'read-write' } },
      { binding: 4, visibility: GPUShaderStage.FRAGMENT, buffer: { type: 'storage' } },
    ],
  });
  const [marks, plain] = ['fs', 'plain'].map((entryPoint) =>
    device.createRenderPipeline({
      label: entryPoint,
      layout: device.createPipelineLayout({ bindGroupLayouts: [layout] }),
      vertex: { module },
      fragment: {
        module,
        entryPoint,
        targets: [{ format, blend: { color: { srcFactor: 'one', dstFactor: 'src-alpha' }, alpha: {} } }],
      },
      depthStencil: { format: 'depth24plus', depthWriteEnabled: tests, depthCompare: tests ? 'less' : 'always' },
      multisample: { count: samples },
    })
  ) as [GPURenderPipeline, GPURenderPipeline];
  const sums = device.createBuffer({ size: WORDS * 4, usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC });
  const seen = device.createBuffer({ size: SIZE * SIZE * 4, usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC });
  const image = device.createTexture({
    size: [IMAGE, IMAGE],
    format: 'r32uint',
    usage: GPUTextureUsage.STORAGE_BINDING | GPUTextureUsage.COPY_SRC,
  });
  const group = device.createBindGroup({
    layout,
    entries: [
      { binding: 0, resource: map.createView() },
      {
        binding: 1,
        resource: device.createSampler({ minFilter: 'linear', magFilter: 'linear', mipmapFilter: 'linear' }),
      },
      { binding: 2, resource: { buffer: sums } },
      { binding: 3, resource: image.createView() },
      { binding: 4, resource: { buffer: seen } },
    ],
  });
  const drawn = await picture(
    device,
    SIZE,
    (pass) => {
      pass.setBindGroup(0, group);
      pass.setPipeline(marks);
      pass.draw(3 * triangles);
      pass.setPipeline(plain);
      pass.draw(3, 1, 3);
      pass.setPipeline(marks);
      pass.draw(3);
    },
    samples
  );
  const size = WORDS * 4 + SIZE * SIZE * 4;
  const from = Math.ceil(size / 256) * 256;
  const read = device.createBuffer({
    size: from + IMAGE * ROW_BYTES,
    usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST,
  });
  const encoder = device.createCommandEncoder();
  encoder.copyBufferToBuffer(sums, 0, read, 0, WORDS * 4);
  encoder.copyBufferToBuffer(seen, 0, read, WORDS * 4, SIZE * SIZE * 4);
  encoder.copyTextureToBuffer({ texture: image }, { buffer: read, offset: from, bytesPerRow: ROW_BYTES }, [
    IMAGE,
    IMAGE,
  ]);
  device.queue.submit([encoder.finish()]);
  await read.mapAsync(GPUMapMode.READ);
  const written = new Uint8Array(read.getMappedRange()).slice();
  for (const resource of [sums, seen, image, read]) resource.destroy();
  return Buffer.concat([drawn, written]);
}

const draws: fc.Arbitrary<Draws> = fc.record({
  triangles: fc.integer({ min: 1, max: 4 }),
  samples: fc.constantFrom(1, 4),
  tests: fc.boolean(),
  moves: fc.boolean(),
});

/** Almost no tile can be retained, and almost no warps of each: warp contexts and room for warps are scarce. */
const SHORT = { slots: 2, warps: 1 };
const CASES = {
  ...SETTINGS,
  'two contexts': { threads: 2, scheduler: SHORT },
  'two, interpreted': { threads: 0, engine: 'interpreter', scheduler: SHORT },
  'each by itself': { threads: 1, engine: 'interpreter', scheduler: { lockstepQuads: false } },
} as const;

describe.each(Object.entries(CASES))('with %s', (_, options) => {
  const opened = new Map<boolean, Open>();
  const device = async (deterministic: boolean): Promise<Open> => {
    const known = opened.get(deterministic) ?? (await open({ ...options, deterministic }));
    opened.set(deterministic, known);
    return known;
  };
  afterAll(() => {
    for (const each of opened.values()) each.device.destroy();
  });

  test.each(Object.entries(BODIES))(
    'what "%s" draws and writes does not depend on residency',
    async (_, body) => {
      const on = await device(body.isOrdered ?? false);
      const all = whole(on.device, TEXELS);
      await fc.assert(
        fc.asyncProperty(
          fc.record({ drawn: draws, isBest: fc.boolean(), from: pages() }),
          async ({ drawn, isBest, from }) => {
            const find = isBest ? settling : streaming;
            const expected = await draw(on.device, all, body, drawn);
            const found = await find(on, TEXELS, PAGE, from, (map) => draw(on.device, map, body, drawn));
            expect(Buffer.compare(found, expected)).toBe(0);
          }
        ),
        { numRuns: body.runs ?? rounds(1) }
      );
      all.destroy();
    },
    120_000
  );
});

test.each([
  ['interpreted', { threads: 2, engine: 'interpreter' }],
  ['interpreted alone', { threads: 0, engine: 'interpreter' }],
  ['scalar', { threads: 1, simd: false }],
  ['compiled', { threads: 2, engine: 'jit' }],
] as const)('in any order, each effect happens once: %s', async (name, options) => {
  const { device, errors } = await open(options);
  const texels: Texels = { ...TEXELS, format: 'r32uint' };
  const map = streamed(device, texels, {
    pageSize: PAGE,
    maxConcurrentLoads: 3,
    loadPage: immediateSource(texels, PAGE),
  });
  const code = `
    @group(0) @binding(0) var map: texture_2d<u32>;
    @group(0) @binding(1) var<storage, read_write> tickets: array<atomic<u32>, 8>;
    @group(0) @binding(2) var<storage, read_write> seen: array<vec2u, ${SIZE * SIZE}>;
    @vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
      return vec4f(f32(i & 1u) * 4 - 1, f32(i >> 1u) * 4 - 1, 0, 1);
    }
    @fragment fn fs(@builtin(position) position: vec4f) -> @location(0) vec4f {
      let at = vec2u(position.xy);
      let id = at.y * ${SIZE}u + at.x;
      let ticket = atomicAdd(&tickets[id % 7u], 1u);
      let read = textureLoad(map, vec2u(ticket * 37u % 200u, ticket * 11u % 150u), 0).x;
      seen[id] = vec2u(ticket, read);
      atomicAdd(&tickets[7], 1u);
      return vec4f(1);
    }`;
  const module = device.createShaderModule({ code });
  const usage = 128 | 4;
  const pipeline = device.createRenderPipeline({
    layout: 'auto',
    vertex: { module },
    fragment: { module, targets: [{ format: 'rgba8unorm' }] },
    depthStencil: { format: 'depth24plus', depthWriteEnabled: false, depthCompare: 'always' },
  });
  const tickets = device.createBuffer({ size: 32, usage });
  const seen = device.createBuffer({ size: SIZE * SIZE * 8, usage });
  const group = device.createBindGroup({
    layout: pipeline.getBindGroupLayout(0),
    entries: [
      { binding: 0, resource: map.createView() },
      { binding: 1, resource: { buffer: tickets } },
      { binding: 2, resource: { buffer: seen } },
    ],
  });
  const counts = await counted(device, () =>
    picture(device, SIZE, (pass) => {
      pass.setPipeline(pipeline);
      pass.setBindGroup(0, group);
      pass.draw(3);
    })
  );
  const read = device.createBuffer({
    size: 32 + SIZE * SIZE * 8,
    usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST,
  });
  const encoder = device.createCommandEncoder();
  encoder.copyBufferToBuffer(tickets, 0, read, 0, 32);
  encoder.copyBufferToBuffer(seen, 0, read, 32, SIZE * SIZE * 8);
  device.queue.submit([encoder.finish()]);
  await read.mapAsync(GPUMapMode.READ);
  const words = new Uint32Array(read.getMappedRange());
  const taken = Array.from({ length: 7 }, () => new Set<number>());
  const rows = new Uint32Array(pageOf(texels, 256, 0, 0, 0, 0).buffer);
  for (let id = 0; id < SIZE * SIZE; id++) {
    const [ticket, value] = words.subarray(8 + id * 2) as unknown as [number, number];
    taken[id % 7]!.add(ticket);
    expect(value).toBe(rows[((ticket * 11) % 150) * 200 + ((ticket * 37) % 200)]);
  }
  taken.forEach((set, i) => {
    expect(set.size).toBe(words[i]);
    expect(Math.max(...set)).toBe(words[i]! - 1);
  });
  expect(words[7]).toBe(SIZE * SIZE);
  if (name === 'compiled') expect(counts['warpsStopped']).toBe(0);
  else expect(counts['warpsStopped']).toBeGreaterThan(0);
  expect(errors).toEqual([]);
  device.destroy();
});

test('a texture whose pages are all resident gives the same picture and writes', async () => {
  const texels: Texels = { ...TEXELS, width: 20, height: 20, levels: 2 };
  const { device, errors } = await open({ threads: 2 });
  const drawn: Draws = { triangles: 3, samples: 1, tests: false };
  const body = BODIES['histogram']!;
  const expected = await draw(device, whole(device, texels), body, drawn);
  const map = streamed(device, texels, { pageSize: PAGE, loadPage: immediateSource(texels, PAGE) });
  for (let frame = 0; frame < 3; frame++)
    expect(Buffer.compare(await draw(device, map, body, drawn), expected)).toBe(0);
  expect(device.statistics().streams.pagesLoaded).toBe(5);
  expect(errors).toEqual([]);
  device.destroy();
});

const ABOUT_WAITING = [
  'warpsStopped',
  'warpsParked',
  'warpsOvertaken',
  'warpsReplayed',
  'tilesParked',
  'tilesOverdue',
  'tilesReplayed',
];
/** Quads form the same warps as with resident textures. */
const ALONE = { scheduler: { lockstepQuads: false } };
test.each([
  // All quads of the warp miss their pages.
  ['shared', { threads: 2, engine: 'interpreter', deterministic: true }, true],
  // Some quads of a warp miss their pages.
  ['seen', { threads: 2, engine: 'jit' }, false],
  ['seen', { threads: 0, engine: 'interpreter', ...ALONE }, false],
  // The warp stops in the middle of the shader.
  ['between', { threads: 2, engine: 'interpreter', ...ALONE }, false],
  ['histogram', { threads: 2, engine: 'interpreter' }, false],
] as const)('discarded work of "%s" is not counted', async (name, options, isDry) => {
  const { device, errors } = await open(options);
  const body = BODIES[name]!;
  const drawn: Draws = { triangles: 3, samples: 1, tests: false };
  const count = (map: GPUTexture): ReturnType<typeof counted> => counted(device, () => draw(device, map, body, drawn));
  await count(whole(device, TEXELS));
  const expected = await count(whole(device, TEXELS));
  expect(expected['lanesShaded']).toBeGreaterThan(SIZE * SIZE);
  const found = await count(streamed(device, TEXELS, { pageSize: PAGE, loadPage: immediateSource(TEXELS, PAGE) }));
  if (isDry) expect(found).toMatchObject({ tilesParked: 0, warpsParked: 0 });
  else expect(found['tilesReplayed']).toBe(0);
  expect(found[isDry ? 'tilesReplayed' : 'warpsParked']).toBeGreaterThan(0);
  const others = (counts: Readonly<Record<string, number>>): Readonly<Record<string, number>> =>
    Object.fromEntries(Object.entries(counts).filter(([counter]) => !ABOUT_WAITING.includes(counter)));
  expect(others(found)).toEqual(others(expected));
  expect(errors).toEqual([]);
  device.destroy();
});
