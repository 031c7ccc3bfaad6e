// A second pass that reads the values of its pixels again, one loop iteration each. Pixels with one value and with
// several are packed into separate warps, and give the same bits as without packing.
import { afterEach, describe, expect, test } from 'vitest';
import type { StatisticsDevice } from '../../src/index';
import type { CreateOptions } from '../support/options';
import { open, SIZE, surface, USAGE, VERTEX, VERTICES, vertices, type Triangle } from './kit';
import { GPUBufferUsage, GPUMapMode } from '../support/flags';

const ALL = [-1, -1, 3, -1, -1, 3];
let device: StatisticsDevice | undefined;
afterEach(() => {
  device?.destroy();
});

/** Thin triangles around the middle, whose edges divide pixels. */
const FAN: readonly Triangle[] = Array.from({ length: 24 }, (_, i) => {
  const [a, b] = [i, i + 0.8].map((k) => (k * Math.PI) / 12);
  return {
    corners: [0.05, 0.1, 0.9 * Math.cos(a!), 0.9 * Math.sin(a!), 0.9 * Math.cos(b!), 0.9 * Math.sin(b!)],
    color: [i / 24, (i % 5) / 5, (i % 3) / 3, 1],
  };
});

function draw(
  pipeline: GPURenderPipeline,
  target: GPUTexture,
  corners: readonly Triangle[],
  group: GPUBindGroup | null
): void {
  const encoder = device!.createCommandEncoder();
  const pass = encoder.beginRenderPass({
    colorAttachments: [{ view: target.createView(), loadOp: 'clear', storeOp: 'store', clearValue: [0, 0.2, 0, 1] }],
  });
  pass.setPipeline(pipeline);
  if (group) pass.setBindGroup(0, group);
  pass.setVertexBuffer(0, vertices(device!, corners));
  pass.draw(corners.length * 3);
  pass.end();
  device!.queue.submit([encoder.finish()]);
}

/** A surface with triangles in it, of the colors that `body` returns. */
function painted(samples: number, triangles: readonly Triangle[], body = 'return c.color;'): GPUTexture {
  const texture = surface(device!, 'rgba8unorm', USAGE.STORAGE | USAGE.ATTACHMENT, samples);
  const code = `${VERTEX}
    @fragment fn fs(c: Corner, @builtin(sample_index) s: u32) -> @location(0) vec4f { ${body} }`;
  const module = device!.createShaderModule({ code });
  draw(
    device!.createRenderPipeline({
      layout: 'auto',
      vertex: { module, buffers: [VERTICES] },
      fragment: { module, targets: [{ format: 'rgba8unorm' }] },
      multisample: { count: samples },
    }),
    texture,
    triangles,
    null
  );
  return texture;
}

/** `where`: the place that is loaded from; `then`: the use of the average `sum`; iterations are long enough. */
const RESOLVE = (where: string, then = 'return sum;'): string => `enable multisample_storage_textures;
  @group(0) @binding(0) var t: texture_storage_multisampled_2d<rgba8unorm, read>;
  @group(0) @binding(1) var<uniform> zero: vec4f;
  ${VERTEX}
  @fragment fn fs(c: Corner) -> @location(0) vec4f {
    let at = ${where};
    let whole = (1u << textureNumSamples(t)) - 1u;
    var left = whole;
    var sum = zero;
    while (left != 0) {
      let known = textureLoadSamples(t, at, left);
      var lit = known.value;
      for (var i = 0u; i < 9; i++) { lit = pow(lit, vec4f(0.9)) * 0.9 + sqrt(lit) * 0.1 * c.color; }
      sum += lit * f32(countOneBits(known.mask)) + f32(known.state) / 256;
      left &= ~known.mask;
    }
    sum /= f32(countOneBits(whole));
    ${then}
  }`;
const OWN = 'vec2u(c.position.xy)';
const HIDDEN = 'vec2u(c.position.xy + zero.xy)';

interface Resolved {
  readonly texels: Uint8Array;
  readonly counters: Readonly<Record<string, number>>;
}

/** The second pass over the vertices `corners`, in a target with this many samples, resolved. */
async function resolve(source: GPUTexture, code: string, corners: readonly Triangle[], count = 1): Promise<Resolved> {
  const module = device!.createShaderModule({ code });
  const pipeline = device!.createRenderPipeline({
    layout: 'auto',
    vertex: { module, buffers: [VERTICES] },
    fragment: { module, targets: [{ format: 'rgba8unorm' }] },
    multisample: { count },
  });
  const target = device!.createTexture({
    size: [SIZE, SIZE],
    format: 'rgba8unorm',
    usage: USAGE.ATTACHMENT | USAGE.COPY_SRC,
    sampleCount: 1,
  });
  const entries: GPUBindGroupEntry[] = [{ binding: 0, resource: source.createView() }];
  const zero = device!.createBuffer({ size: 16, usage: GPUBufferUsage.UNIFORM });
  entries.push({ binding: 1, resource: { buffer: zero } });
  const group = device!.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries });
  await device!.queue.onSubmittedWorkDone();
  const before = { ...device!.statistics().counters };
  if (count === 1) {
    draw(pipeline, target, corners, group);
  } else {
    const samples = surface(device!, 'rgba8unorm', USAGE.ATTACHMENT, count);
    draw(pipeline, samples, corners, group);
    const encoder = device!.createCommandEncoder();
    encoder
      .beginRenderPass({
        colorAttachments: [
          { view: samples.createView(), resolveTarget: target.createView(), loadOp: 'load', storeOp: 'discard' },
        ],
      })
      .end();
    device!.queue.submit([encoder.finish()]);
  }
  const bytesPerRow = 512;
  const buffer = device!.createBuffer({
    size: bytesPerRow * SIZE,
    usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST,
  });
  const encoder = device!.createCommandEncoder();
  encoder.copyTextureToBuffer({ texture: target }, { buffer, bytesPerRow }, [SIZE, SIZE]);
  device!.queue.submit([encoder.finish()]);
  await buffer.mapAsync(GPUMapMode.READ);
  const rows = new Uint8Array(buffer.getMappedRange());
  const texels = new Uint8Array(SIZE * SIZE * 4);
  for (let y = 0; y < SIZE; y++) texels.set(rows.subarray(y * bytesPerRow, y * bytesPerRow + SIZE * 4), y * SIZE * 4);
  const { counters } = device!.statistics();
  const during = Object.entries(counters).map(([name, value]) => [name, value - before[name]!]);
  return { texels, counters: Object.fromEntries(during) };
}
const full: readonly Triangle[] = [{ corners: ALL, color: [1, 0.5, 0.75, 1] }];
/** Two layers that pass: the lower one does not run at all, and edges cross quads. */
const layers: readonly Triangle[] = [
  ...full,
  { corners: [-0.7, -0.9, 0.8, -0.3, -0.1, 0.9], color: [0.5, 1, 0.25, 1] },
];

const WAYS: Record<string, CreateOptions> = {
  jit: { threads: 0 },
  interpreter: { threads: 0, engine: 'interpreter' },
  'two workers': { threads: 2 },
  'the scalar kernel': { threads: 0, simd: false },
  'without encoding': { threads: 0, surfaceEncoding: false },
};
const CASES = [
  [2, full, 1],
  [4, full, 1],
  [8, full, 1],
  [16, full, 1],
  [4, layers, 1],
  [8, layers, 1],
  [4, layers, 4],
  [8, full, 2],
  [4, layers, 8],
] as const;

describe('the same bits, however pixels are packed', () => {
  const pictures = new Map<number, string>();
  test.each(Object.entries(WAYS))('%s', async (name, options) => {
    device = await open(options);
    for (const [index, [samples, corners, count]] of CASES.entries()) {
      const source = painted(samples, FAN);
      const own = await resolve(source, RESOLVE(OWN), corners, count);
      const hidden = await resolve(source, RESOLVE(HIDDEN), corners, count);
      expect(own.texels).toEqual(hidden.texels);
      expect(hidden.counters['dividedWarps']).toBe(0);
      expect(own.counters['lanesShaded']).toBe(hidden.counters['lanesShaded']);
      if (name !== 'without encoding') expect(own.counters['dividedWarps']).toBeGreaterThan(0);
      const picture = Buffer.from(own.texels).toString('base64');
      pictures.set(index, pictures.get(index) ?? picture);
      expect(picture).toBe(pictures.get(index));
    }
  });
});

test('pixels of several values fill as few warps as possible', async () => {
  device = await open({ threads: 0 });
  // A line through one pixel of every row of quads of the first tile: one quad of 16 in a block is divided.
  const line: Triangle = { corners: [-0.998, -1, -0.998, 1, -0.99, 1], color: [1, 1, 1, 1] };
  const { counters } = await resolve(painted(4, [line]), RESOLVE(OWN), full);
  // Two rows of tiles of 64 and 16 rows: at most 64 and 16 pixels with several values, one warp each.
  expect(counters['dividedWarps']).toBe(2);
  expect(counters['lanesShaded']).toBe(SIZE * SIZE);
});

test('whole blocks of several values are not packed, nor are shaders that do not support it', async () => {
  device = await open({ threads: 0 });
  const noise = painted(4, full, 'return c.color * f32(s) / 4;');
  const all = await resolve(noise, RESOLVE(OWN), full);
  expect(all.counters).toMatchObject({ dividedWarps: (SIZE * SIZE) / 64, fragmentWarps: (SIZE * SIZE) / 64 });
  const source = painted(4, FAN);
  // Derivatives need whole quads.
  const derived = await resolve(source, RESOLVE(OWN, 'return sum + fwidth(sum) / 16;'), full);
  expect(derived.counters['dividedWarps']).toBe(0);
  // Without a loop.
  const once = `enable multisample_storage_textures;
    @group(0) @binding(0) var t: texture_storage_multisampled_2d<rgba8unorm, read>;
    @group(0) @binding(1) var<uniform> zero: vec4f;
    ${VERTEX}
    @fragment fn fs(c: Corner) -> @location(0) vec4f {
      return textureLoadSamples(t, vec2u(c.position.xy), 1u).value + zero; }`;
  expect((await resolve(source, once, full)).counters['dividedWarps']).toBe(0);
});
