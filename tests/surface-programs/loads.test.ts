// Loads of samples of sampled multisampled textures, in every stage and on every engine. Random contents of one to
// eight values per pixel, sizes, masks and coordinates. The results equal those that are computed here from the
// contents.
// RASTERLOOM_FUZZ=count runs more cases, RASTERLOOM_SEED=number others.
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { StatisticsDevice } from '../../src/index';
import type { CreateOptions } from '../support/options';
import { GPUBufferUsage, GPUMapMode } from '../support/flags';
import { firstDifference } from '../support/first-difference';
import { rounds } from '../support/rounds';
import { open, USAGE } from './kit';

const CASES = rounds(12);
const SEED = Number(process.env['RASTERLOOM_SEED'] ?? 57);
const engines: Readonly<Record<string, CreateOptions>> = {
  compiled: { engine: 'jit', threads: 0 },
  interpreted: { engine: 'interpreter', threads: 0 },
  scalar: { simd: false, threads: 0 },
  'compiled, by two': { engine: 'jit', threads: 2 },
  'without encoding': { engine: 'jit', threads: 0, surfaceEncoding: false },
};
const STAGES = ['compute', 'vertex', 'fragment', 'sample stage'] as const;
type Stage = (typeof STAGES)[number];

const bitsOf = (value: number): number => new Uint32Array(Float32Array.of(value).buffer)[0]!;
/** The values that a sample can hold are numbered; 0 is the clear value. */
interface Format {
  readonly type: string;
  /** WGSL of the value of number `v`, and the words that a load of it returns. */
  readonly value: string;
  readonly words: (v: number) => readonly number[];
}
const integers = (v: number): readonly number[] => [v, 3, v >> 1, 1];
const formats: Readonly<Record<string, Format>> = {
  rgba8unorm: {
    type: 'f32',
    value: 'vec4f(f32(v), 255 - f32(v), 0, 255) / 255',
    words: (v) => [v, 255 - v, 0, 255].map((byte) => bitsOf(byte / 255)),
  },
  rgba8uint: { type: 'u32', value: 'vec4u(v, 3, v >> 1, 1)', words: integers },
  rg16sint: { type: 'i32', value: 'vec4i(-i32(v), i32(v) * 7, 0, 1)', words: (v) => [-v >>> 0, v * 7, 0, 1] },
  rgba16float: {
    type: 'f32',
    value: 'vec4f(f32(v), -f32(v), f32(v) * 0.5, 1)',
    words: (v) => [v, 0 - v, v / 2, 1].map(bitsOf),
  },
  r8unorm: { type: 'f32', value: 'vec4f(f32(v) / 255)', words: (v) => [v / 255, 0, 0, 1].map(bitsOf) },
  rgba32float: { type: 'f32', value: 'vec4f(f32(v), 1, 2, 3)', words: (v) => [v, 1, 2, 3].map(bitsOf) },
  depth32float: { type: 'depth', value: 'f32(v) / 256', words: (v) => [v / 256, 0, 0, 0].map(bitsOf) },
  depth16unorm: { type: 'depth', value: 'f32(v) / 65535', words: (v) => [v / 65535, 0, 0, 0].map(bitsOf) },
};

interface Query {
  readonly x: number;
  readonly y: number;
  readonly mask: number;
  readonly sample: number;
}
interface Case {
  readonly format: string;
  readonly samples: number;
  readonly width: number;
  readonly height: number;
  /** The number of each sample's value, pixel by pixel. */
  readonly contents: Uint32Array<ArrayBuffer>;
  readonly queries: readonly Query[];
}

/** Words of a result: value, mask, state; mask of a single sample; first channel of textureLoad; rounds of a loop. */
const WORDS = 9;

/** What the shaders must find, from the contents alone. */
function expected({ format, samples, width, height, contents, queries }: Case): Uint32Array {
  const { words, type } = formats[format]!;
  const out = new Uint32Array(queries.length * WORDS);
  queries.forEach(({ x, y, mask, sample }, i) => {
    const isInside = x >= 0 && y >= 0 && x < width && y < height;
    const held = isInside ? [...contents.subarray((y * width + x) * samples, (y * width + x + 1) * samples)] : [];
    const load = (asked: number): { value: readonly number[]; mask: number; state: number } => {
      const first = held.findIndex((_, s) => (asked >>> s) & 1);
      if (first < 0) return { value: [0, 0, 0, 0], mask: asked, state: 0 };
      const same = held.reduce((all, v, s) => (v === held[first] ? all | (1 << s) : all), 0);
      const count = new Set(held).size;
      const state = count === 1 ? (held[0] === 0 ? 0 : 1) : count === samples ? 3 : 2;
      return { value: words(held[first]!), mask: same, state };
    };
    const of = load(mask);
    let iterations = 0;
    for (let left = mask; left !== 0; iterations++) left = (left & ~load(left).mask) >>> 0;
    const texel = held[sample];
    out.set(
      [
        ...of.value.slice(0, type === 'depth' ? 1 : 4),
        ...(type === 'depth' ? [0, 0, 0] : []),
        of.mask,
        of.state,
        load(sample < 32 ? (1 << sample) >>> 0 : 0x80000000).mask,
        texel === undefined ? 0 : words(texel)[0]!,
        iterations,
      ],
      i * WORDS
    );
  });
  return out;
}

/** WGSL that answers query `i`. */
function probe({ type }: Format): string {
  const texture = type === 'depth' ? 'texture_depth_multisampled_2d' : `texture_multisampled_2d<${type}>`;
  const words = type === 'depth' ? 'vec4u(bitcast<u32>(got.value), 0, 0, 0)' : 'bitcast<vec4u>(got.value)';
  const first = type === 'depth' ? 'bitcast<u32>(texel)' : 'bitcast<u32>(texel.x)';
  return `enable multisample_storage_textures; enable fragment_stages;
    @group(0) @binding(0) var t: ${texture};
    @group(0) @binding(1) var<storage, read> queries: array<vec4u>;
    struct Found { value: vec4u, more: vec4u, rounds: u32 }
    fn probe(i: u32) -> Found {
      let query = queries[min(i, arrayLength(&queries) - 1)];
      let at = vec2i(query.xy);
      let got = textureLoadSamples(t, at, query.z);
      let one = textureLoadSample(t, at, query.w);
      let texel = textureLoad(t, at, i32(query.w));
      var left = query.z;
      var rounds = 0u;
      while (left != 0) {
        left &= ~textureLoadSamples(t, at, left).mask;
        rounds++;
      }
      return Found(${words}, vec4u(got.mask, got.state, one.mask, ${first}), rounds);
    }`;
}
const PUT = `
    @group(0) @binding(2) var<storage, read_write> out: array<u32>;
    fn put(i: u32, found: Found) {
      if (i >= arrayLength(&queries)) { return; }
      for (var k = 0u; k < 4; k++) {
        out[i * ${WORDS} + k] = found.value[k];
        out[i * ${WORDS} + 4 + k] = found.more[k];
      }
      out[i * ${WORDS} + 8] = found.rounds;
    }`;
const ROW = 32;
/** The shaders of each stage. Draws have a pixel for each query, ROW of them in each row. */
const SHADERS = `${PUT}
    fn numberAt(p: vec4f) -> u32 { return u32(p.y) * ${ROW} + u32(p.x); }
    @compute @workgroup_size(64) fn compute_main(@builtin(global_invocation_id) id: vec3u) { put(id.x, probe(id.x)); }
    @vertex fn cover(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
      return vec4f(f32(i & 1) * 4 - 1, f32(i >> 1) * 4 - 1, 0.5, 1);
    }
    @fragment fn fragment_main(@builtin(position) p: vec4f) { put(numberAt(p), probe(numberAt(p))); }
    struct Answer { @builtin(position) position: vec4f, @location(0) @interpolate(flat) value: vec4u,
      @location(1) @interpolate(flat) more: vec4u, @location(2) @interpolate(flat) rest: vec2u }
    @vertex fn answer(@builtin(vertex_index) i: u32) -> Answer {
      let rows = (arrayLength(&queries) + ${ROW - 1}) / ${ROW};
      let at = (vec2f(f32(i % ${ROW}), f32(i / ${ROW})) + 0.5) / vec2f(${ROW}, f32(rows));
      let found = probe(i);
      return Answer(vec4f(at.x * 2 - 1, 1 - at.y * 2, 0.5, 1), found.value, found.more, vec2u(found.rounds, i));
    }
    @fragment fn keep(answer: Answer) { put(answer.rest.y, Found(answer.value, answer.more, answer.rest.x)); }
    struct Linked { @link(0) mask: u32 }
    @fragment fn before(@builtin(position) p: vec4f) -> Linked { return Linked(probe(numberAt(p)).more.x); }
    @fragment fn after(@builtin(position) p: vec4f, @builtin(sample_index) s: u32,
      @link(0) mask: u32) -> @location(0) vec4f {
      var found = probe(numberAt(p));
      found.more.x &= mask;
      put(numberAt(p), found);
      return vec4f(f32(s));
    }`;

function fill(device: GPUDevice, { format, samples, width, height, contents }: Case): GPUTexture {
  const { type, value } = formats[format]!;
  const isDepth = type === 'depth';
  const module = device.createShaderModule({
    code: `@group(0) @binding(0) var<storage, read> contents: array<u32>;
      @vertex fn cover(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
        return vec4f(f32(i & 1) * 4 - 1, f32(i >> 1) * 4 - 1, 0.5, 1);
      }
      @fragment fn put(@builtin(position) p: vec4f, @builtin(sample_index) s: u32) ->
        ${isDepth ? '@builtin(frag_depth) f32' : `@location(0) vec4<${type}>`} {
        let v = contents[(u32(p.y) * ${width} + u32(p.x)) * ${samples} + s];
        if (v == 0) { discard; }
        return ${value};
      }`,
  });
  const pipeline = device.createRenderPipeline({
    layout: 'auto',
    vertex: { module },
    fragment: { module, targets: isDepth ? [] : [{ format: format as GPUTextureFormat }] },
    multisample: { count: samples },
    ...(isDepth && {
      depthStencil: { format: format as GPUTextureFormat, depthCompare: 'always', depthWriteEnabled: true },
    }),
  });
  const texture = device.createTexture({
    size: [width, height],
    format: format as GPUTextureFormat,
    sampleCount: samples,
    usage: USAGE.ATTACHMENT | USAGE.SAMPLED,
  });
  const buffer = upload(device, contents);
  const encoder = device.createCommandEncoder();
  const [r, g, b, a] = clearOf(format);
  const operations = { loadOp: 'clear', storeOp: 'store' } as const;
  const pass = encoder.beginRenderPass(
    isDepth
      ? {
          colorAttachments: [],
          depthStencilAttachment: { view: texture, depthLoadOp: 'clear', depthStoreOp: 'store', depthClearValue: 0 },
        }
      : { colorAttachments: [{ view: texture, ...operations, clearValue: [r!, g!, b!, a!] }] }
  );
  pass.setPipeline(pipeline);
  pass.setBindGroup(0, group(device, pipeline.getBindGroupLayout(0), [{ buffer }]));
  pass.draw(3);
  pass.end();
  device.queue.submit([encoder.finish()]);
  buffer.destroy();
  return texture;
}

/** The value of number 0 as a clear value. */
function clearOf(format: string): readonly number[] {
  const { type, words } = formats[format]!;
  const all = words(0);
  return type === 'f32' ? [...new Float32Array(Uint32Array.from(all).buffer)] : all;
}

function upload(device: GPUDevice, data: Uint32Array<ArrayBuffer>): GPUBuffer {
  const buffer = device.createBuffer({
    size: data.byteLength,
    usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST,
  });
  device.queue.writeBuffer(buffer, 0, data);
  return buffer;
}
const group = (device: GPUDevice, layout: GPUBindGroupLayout, resources: readonly GPUBindingResource[]): GPUBindGroup =>
  device.createBindGroup({ layout, entries: resources.map((resource, binding) => ({ binding, resource })) });

/** Runs the queries of a case in a stage. */
async function run(
  device: GPUDevice,
  texture: GPUTexture,
  { format, queries }: Case,
  stage: Stage
): Promise<Uint32Array> {
  const module = device.createShaderModule({ code: probe(formats[format]!) + SHADERS });
  const data = Uint32Array.from(queries.flatMap(({ x, y, mask, sample }) => [x, y, mask, sample]));
  const asked = upload(device, data);
  const size = queries.length * WORDS * 4;
  const out = device.createBuffer({ size, usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC });
  const read = device.createBuffer({ size, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
  const encoder = device.createCommandEncoder();
  const resources = [texture.createView(), { buffer: asked }, { buffer: out }];
  if (stage === 'compute') {
    const pipeline = device.createComputePipeline({ layout: 'auto', compute: { module } });
    const pass = encoder.beginComputePass();
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, group(device, pipeline.getBindGroupLayout(0), resources));
    pass.dispatchWorkgroups(Math.ceil(queries.length / 64));
    pass.end();
  } else {
    const isStaged = stage === 'sample stage';
    const target = device.createTexture({
      size: [ROW, Math.ceil(queries.length / ROW)],
      format: 'r8unorm',
      sampleCount: isStaged ? 4 : 1,
      usage: USAGE.ATTACHMENT,
    });
    const stages = [
      { entryPoint: 'before', rate: 'pixel' },
      { entryPoint: 'after', rate: 'sample' },
    ];
    const targets = [{ format: 'r8unorm', ...(!isStaged && { writeMask: 0 }) }];
    const pipeline = device.createRenderPipeline({
      layout: 'auto',
      vertex: { module, entryPoint: stage === 'vertex' ? 'answer' : 'cover' },
      primitive: { topology: stage === 'vertex' ? 'point-list' : 'triangle-list' },
      fragment: {
        module,
        targets,
        ...(isStaged ? { stages } : { entryPoint: stage === 'vertex' ? 'keep' : 'fragment_main' }),
      },
      multisample: { count: isStaged ? 4 : 1 },
    } as GPURenderPipelineDescriptor);
    const pass = encoder.beginRenderPass({ colorAttachments: [{ view: target, loadOp: 'clear', storeOp: 'store' }] });
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, group(device, pipeline.getBindGroupLayout(0), resources));
    pass.draw(stage === 'vertex' ? queries.length : 3);
    pass.end();
  }
  encoder.copyBufferToBuffer(out, 0, read, 0, size);
  device.queue.submit([encoder.finish()]);
  await read.mapAsync(GPUMapMode.READ);
  const found = new Uint32Array(read.getMappedRange()).slice();
  for (const buffer of [asked, out, read]) buffer.destroy();
  return found;
}

/** What a case is made from. */
interface Plan {
  readonly format: string;
  readonly samples: number;
  readonly size: readonly [width: number, height: number];
  /** Up to so many values in each pixel of a block; 0: the clear value, and a few others. */
  readonly most: readonly number[];
  readonly seed: number;
}
const plans: fc.Arbitrary<Plan> = fc.record({
  format: fc.constantFrom(...Object.keys(formats)),
  samples: fc.constantFrom(2, 4, 8, 16),
  size: fc.constantFrom<Plan['size']>([70, 66], [13, 9], [1, 1], [129, 3], [8, 72]),
  most: fc.array(fc.integer({ min: 0, max: 8 }), { minLength: 8, maxLength: 8 }),
  seed: fc.integer({ min: 0, max: 2 ** 31 }),
});

/** Whole quads in order, then single pixels anywhere, some of them outside. */
function caseOf({ format, samples, size: [width, height], most, seed }: Plan): Case {
  let state = seed;
  const random = (end: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * end);
  };
  const contents = new Uint32Array(width * height * samples);
  for (let pixel = 0; pixel < width * height; pixel++) {
    const block = ((pixel % width) >> 3) + 3 * Math.floor(pixel / width / 8);
    const values = most[block % most.length]!;
    const base = random(4) ? 1 + (block % 50) : random(100);
    for (let s = 0; s < samples; s++)
      contents[pixel * samples + s] = values === 0 ? Number(random(200) === 0) : base + random(values);
  }
  const mask = (): number => (random(8) ? random(2 ** samples) : random(2 ** 32));
  const outside = [-1, width, height, 65536, 65537, -0x80000000, 0x7fffffff];
  const coordinate = (end: number): number => (random(20) ? random(end) : outside[random(outside.length)]!);
  const all = 2 ** samples - 1;
  const queries = Array.from({ length: ROW * Math.min(height, 10) }, (_, i) => ({
    x: i % ROW,
    y: Math.floor(i / ROW),
    mask: random(2) ? all : mask(),
    sample: i % samples,
  }));
  for (let i = 0; i < 200; i++)
    queries.push({
      x: coordinate(width),
      y: coordinate(height),
      mask: mask(),
      sample: random(20) ? random(samples) : [samples, 31, 32, 100][random(4)]!,
    });
  return { format, samples, width, height, contents, queries };
}

describe('loads of samples', () => {
  let devices: [string, StatisticsDevice][];
  beforeAll(async () => {
    devices = await Promise.all(
      Object.entries(engines).map(async ([name, options]): Promise<[string, StatisticsDevice]> => [
        name,
        await open(options),
      ])
    );
  });
  afterAll(() => devices.forEach(([, device]) => device.destroy()));

  test.each(STAGES)(
    'find what the texture holds, in a %s',
    async (stage) => {
      await fc.assert(
        fc.asyncProperty(plans, async (plan) => {
          const each = caseOf(plan);
          const wanted = expected(each);
          for (const [name, device] of devices) {
            const texture = fill(device, each);
            const found = await run(device, texture, each, stage);
            texture.destroy();
            const at = firstDifference(found, wanted);
            const query = each.queries[Math.floor(at / WORDS)];
            expect({
              name,
              at,
              query,
              found: found.slice(at - (at % WORDS), at - (at % WORDS) + WORDS),
              wanted: wanted.slice(at - (at % WORDS), at - (at % WORDS) + WORDS),
            }).toMatchObject({ at: -1 });
          }
        }),
        { numRuns: CASES, seed: SEED }
      );
    },
    120_000
  );

  test.each(['compiled', 'interpreted', 'scalar'])(
    'move one texel of a pixel with one value, and not one for each sample, %s',
    async (name) => {
      const device = devices.find(([each]) => each === name)![1];
      const [width, height, samples] = [64, 32, 8];
      const contents = Uint32Array.from({ length: width * height * samples }, (_, i) => 1 + ((i / samples) % 200));
      const one: Case = { format: 'rgba8unorm', samples, width, height, contents, queries: [] };
      const texture = fill(device, one);
      const asked = Array.from({ length: width * height }, (_, i) => ({
        x: i % width,
        y: Math.floor(i / width),
        mask: 255,
        sample: i % samples,
      }));
      const moved = (): readonly [number, number] => {
        const { bytesMoved, bytesMovedUncompressed } = device.statistics().surfaces.at(-1)!;
        return [bytesMoved, bytesMovedUncompressed];
      };
      await device.queue.onSubmittedWorkDone();
      const [before, fullBefore] = moved();
      const found = await run(device, texture, { ...one, queries: asked }, 'compute');
      const [after, fullAfter] = moved();
      texture.destroy();
      expect(firstDifference(found, expected({ ...one, queries: asked }))).toBe(-1);
      expect(after - before).toBe(width * height * 4);
      // Three loads by mask, which would read all samples, and one of a sample.
      expect(fullAfter - fullBefore).toBe(width * height * 4 * (3 * samples + 1));
    }
  );
});
