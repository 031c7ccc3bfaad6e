// Blocks of depth that one triangle covers are stored as its plane: fewer bytes, and the same bits as without encoding,
// whether a later pass loads them or a shader reads them.
import * as fc from 'fast-check';
import { afterEach, expect, test } from 'vitest';
import type { StatisticsDevice } from '../../src/index';
import { openBuiltWith } from '../images/open';
import { GPUBufferUsage, GPUMapMode, GPUTextureUsage } from '../support/flags';
import type { CreateOptions } from '../support/options';

const SIZE: [number, number] = [150, 72];
const FEATURES = [
  'statistics',
  'extended-sample-counts',
  'multisample-storage-textures',
  'depth32float-stencil8',
] as const;
const DRAW = `
  @group(0) @binding(0) var<storage> corners: array<vec4f>;
  @vertex fn vertex(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f { return corners[i]; }`;
/** Writes the bits of all samples of a pixel, and masks of equal ones. */
const READ = `
  @group(0) @binding(0) var depth: texture_depth_multisampled_2d;
  @group(0) @binding(1) var<storage, read_write> out: array<u32>;
  @compute @workgroup_size(8, 8) fn read(@builtin(global_invocation_id) id: vec3u) {
    if (id.x >= ${SIZE[0]} || id.y >= ${SIZE[1]}) { return; }
    let samples = textureNumSamples(depth);
    let at = (id.y * ${SIZE[0]} + id.x) * samples * 2;
    for (var s = 0u; s < samples; s++) {
      out[at + s] = bitcast<u32>(textureLoad(depth, id.xy, s));
      out[at + samples + s] = MASK;
    }
  }`;

const devices: StatisticsDevice[] = [];
afterEach(() => {
  for (const device of devices.splice(0)) device.destroy();
});

async function open(options: CreateOptions): Promise<StatisticsDevice> {
  const device = (await openBuiltWith(FEATURES, { threads: 0, ...options })) as StatisticsDevice;
  devices.push(device);
  return device;
}

interface Plan {
  readonly format: GPUTextureFormat;
  readonly samples: number;
  readonly threshold: number;
  /** Triangles of each pass, in clip space. */
  readonly passes: readonly (readonly number[])[];
}

interface Result {
  readonly words: Uint32Array;
  readonly bytesHeld: number;
  readonly states: ReadonlySet<number>;
}

/** Draws the passes one after the other and reads all samples. */
async function draw(device: StatisticsDevice, { format, samples, threshold, passes }: Plan): Promise<Result> {
  const texture = device.createTexture({
    size: SIZE,
    format,
    sampleCount: samples,
    usage: GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.TEXTURE_BINDING,
    depthMergeThreshold: threshold,
  } as GPUTextureDescriptor);
  const module = device.createShaderModule({ code: DRAW });
  const pipeline = device.createRenderPipeline({
    layout: 'auto',
    vertex: { module },
    multisample: { count: samples },
    depthStencil: { format, depthCompare: 'less', depthWriteEnabled: true },
  });
  for (const [index, corners] of passes.entries()) {
    const buffer = device.createBuffer({
      size: corners.length * 4,
      usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST,
    });
    device.queue.writeBuffer(buffer, 0, new Float32Array(corners));
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginRenderPass({
      colorAttachments: [],
      depthStencilAttachment: {
        view: texture,
        depthLoadOp: index ? 'load' : 'clear',
        depthStoreOp: 'store',
        depthClearValue: 1,
        ...(format.includes('stencil') ? { stencilLoadOp: 'clear', stencilStoreOp: 'discard' } : {}),
      },
    });
    pass.setPipeline(pipeline);
    const entries = [{ binding: 0, resource: { buffer } }];
    pass.setBindGroup(0, device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries }));
    pass.draw(corners.length / 4);
    pass.end();
    device.queue.submit([encoder.finish()]);
  }
  const words = await read(device, texture);
  const states = new Set(await device.encodingStates(texture));
  const bytesHeld = device.statistics().surfaces[0]!.bytesHeld;
  texture.destroy();
  return { words, bytesHeld, states };
}

async function read(device: StatisticsDevice, texture: GPUTexture): Promise<Uint32Array> {
  const masks = 'textureLoadSamples(depth, vec2i(id.xy), 1u << s).mask';
  const code = `enable multisample_storage_textures;\n${READ.replace('MASK', masks)}`;
  const pipeline = device.createComputePipeline({
    layout: 'auto',
    compute: { module: device.createShaderModule({ code }) },
  });
  const size = SIZE[0] * SIZE[1] * texture.sampleCount * 8;
  const out = device.createBuffer({ size, usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC });
  const mapped = device.createBuffer({ size, usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ });
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  pass.setPipeline(pipeline);
  const view = texture.createView({ aspect: 'depth-only' });
  pass.setBindGroup(
    0,
    device.createBindGroup({
      layout: pipeline.getBindGroupLayout(0),
      entries: [
        { binding: 0, resource: view },
        { binding: 1, resource: { buffer: out } },
      ],
    })
  );
  pass.dispatchWorkgroups(Math.ceil(SIZE[0] / 8), Math.ceil(SIZE[1] / 8));
  pass.end();
  encoder.copyBufferToBuffer(out, 0, mapped, 0, size);
  device.queue.submit([encoder.finish()]);
  await mapped.mapAsync(GPUMapMode.READ);
  const words = new Uint32Array(mapped.getMappedRange()).slice();
  mapped.unmap();
  return words;
}

const COVERING = [-1, -1, 0.2, 1, 3, -1, 0.9, 1, -1, 3, 0.4, 1];

test('a plane takes 32 bytes for a block, and counts as one value per sample', async () => {
  const device = await open({});
  const plan = { format: 'depth32float' as const, samples: 8, threshold: 0, passes: [COVERING] };
  const { bytesHeld, states } = await draw(device, plan);
  // Blocks that are partly outside are stored with all samples.
  expect(bytesHeld).toBeLessThan((SIZE[0] * SIZE[1] * 8 * 4) / 8);
  expect(states).toEqual(new Set([3]));
  const level = COVERING.map((value, i) => (i % 4 === 2 ? 0.5 : value));
  // Of level depth, only tiles at the edge hold a page.
  expect((await draw(device, { ...plan, passes: [level] })).bytesHeld).toBe(4 * 4096);
  // A pass that draws nothing keeps planes.
  const beside = [2, 2, 0, 1, 3, 2, 0, 1, 2, 3, 0, 1];
  expect((await draw(device, { ...plan, passes: [COVERING, beside] })).bytesHeld).toBe(bytesHeld);
});

const corner = fc.tuple(
  fc.integer({ min: -40, max: 40 }).map((n) => n / 20),
  fc.integer({ min: -40, max: 40 }).map((n) => n / 20),
  fc.integer({ min: 0, max: 100 }).map((n) => n / 100),
  fc.constant(1)
);
const triangle = fc.oneof(
  fc.tuple(corner, corner, corner).map((corners) => corners.flat()),
  // A covering one with depths of its own, some of them beyond the range.
  fc
    .tuple(...[0, 1, 2].map(() => fc.integer({ min: -20, max: 130 })))
    .map((depths) => COVERING.map((value, i) => (i % 4 === 2 ? depths[i >> 2]! / 100 : value)))
);
const plan: fc.Arbitrary<Plan> = fc.record({
  format: fc.constantFrom('depth32float', 'depth24plus', 'depth16unorm', 'depth32float-stencil8'),
  samples: fc.constantFrom(2, 4, 8, 16),
  threshold: fc.constant(0),
  passes: fc.array(
    fc.array(triangle, { minLength: 1, maxLength: 4 }).map((triangles) => triangles.flat()),
    { minLength: 1, maxLength: 3 }
  ),
});

test.each([
  ['with SIMD', {}],
  ['by the scalar kernel', { simd: false }],
  ['with two workers', { threads: 2 }],
] as const)('planes have the bits of depths that are stored, %s', { timeout: 120_000 }, async (_, options) => {
  const encoded = await open(options);
  const plain = await open({ surfaceEncoding: false });
  await fc.assert(
    fc.asyncProperty(plan, async (each) => {
      const got = await draw(encoded, each);
      const want = await draw(plain, each);
      const wrong = got.words.findIndex((word, i) => word !== want.words[i]);
      expect(wrong, 'index of the first different word').toBe(-1);
      expect(got.bytesHeld).toBeLessThanOrEqual(want.bytesHeld);
    }),
    { seed: 3, numRuns: 60 }
  );
});

test('a threshold moves no depth by more than itself, beside planes', { timeout: 120_000 }, async () => {
  const device = await open({});
  await fc.assert(
    fc.asyncProperty(plan, async (each) => {
      const threshold = 0.01;
      const exact = new Float32Array((await draw(device, each)).words.buffer);
      const near = new Float32Array((await draw(device, { ...each, threshold })).words.buffer);
      const { samples } = each;
      const most = threshold + (each.format === 'depth16unorm' ? 1 / 65535 : 1e-6);
      // Masks follow the depths of each pixel.
      const wrong = exact.findIndex((z, i) => i % (2 * samples) < samples && !(Math.abs(near[i]! - z) <= most));
      expect(wrong, 'index of a depth that is too far from the exact one').toBe(-1);
    }),
    { seed: 5, numRuns: 20 }
  );
});
