// k-buffers of rasterloom/blends compared with a computation per sample (k-buffer-reference.ts): up to k layers in any
// order of draw calls, and the handling of more.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { kBuffer, type KBufferLayers } from '../../src/blends';
import type { CreateOptions } from '../support/options';
import { builtPackage } from '../images/open';
import { engines } from '../storage-programs/kit';
import { mulberry32 } from '../support/floats';
import { POSITIONS, type SampleCount } from '../support/triangles';
import { layered, type Fragments, type Setting } from './k-buffer-reference';
import { someColors, type Color } from './kit';
import { GPUMapMode } from '../support/flags';
import { firstDifference } from '../support/first-difference';

const WIDTH = 40;
const HEIGHT = 30;
const SIZE = [WIDTH, HEIGHT];
const USAGE = { COPY_SRC: 1, SAMPLED: 4, ATTACHMENT: 16 } as const;
const BUFFER = { MAP_READ: 1, COPY_DST: 8, VERTEX: 32 } as const;
const BACKGROUND: Color = [0.25, 0.5, 0.125, 1];
const MAX_BYTES = 128;
const FEATURES: readonly string[] = ['fragment-stages', 'extended-sample-counts', 'multisample-32bit', 'statistics'];

async function open(options: CreateOptions): Promise<GPUDevice> {
  const { create } = await builtPackage();
  const adapter = (await create({ alwaysUseWorkers: true, ...options }).requestAdapter())!;
  return adapter.requestDevice({
    requiredFeatures: FEATURES as GPUFeatureName[],
    requiredLimits: { maxColorAttachmentBytesPerSample: MAX_BYTES },
  });
}

const places = (samples: SampleCount): string =>
  POSITIONS[samples].map((place) => `vec2f(${place.map((sixteenths) => sixteenths / 16)})`).join(', ');

/** The picture in target 0, followed by the layers. */
const codeOf = ({ layers, samples, color, depth, each }: Setting): string => `enable fragment_stages;
  ${kBuffer({ layers: layers as KBufferLayers, color, depth, firstTarget: 1, name: 'panes' }).wgsl}
  struct Seen {
    @builtin(position) position: vec4f, @location(0) @interpolate(flat) color: vec4f,
    @location(1) @interpolate(flat) plane: vec3f,
  }
  @vertex fn corner(@location(0) at: vec2f, @location(1) color: vec4f, @location(2) plane: vec3f) -> Seen {
    return Seen(vec4f(at, 0, 1), color, plane);
  }
  @vertex fn whole(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
    return vec4f(f32(i & 1) * 4 - 1, f32(i >> 1) * 4 - 1, 0, 1);
  }
  @fragment fn put(seen: Seen, held: panes_Held${each ? ', @builtin(sample_index) sample: u32' : ''}) -> panes_Stored {
    let p = floor(seen.position.xy) + ${each ? `array(${places(samples)})[sample]` : '0.5'};
    return panes_insert(held, seen.color, seen.plane.x + seen.plane.y * p.x + seen.plane.z * p.y);
  }
  @fragment fn lay(held: panes_Held, @color(0) below: vec4f) -> @location(0) vec4f {
    return panes_resolve(held, below);
  }`;

const READER = (samples: number): string => `
  @group(0) @binding(0) var picture: texture_${samples > 1 ? 'multisampled_' : ''}2d<f32>;
  @vertex fn whole(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
    return vec4f(f32(i & 1) * 4 - 1, f32(i >> 1) * 4 - 1, 0, 1);
  }
  @fragment fn sample(@builtin(position) p: vec4f) -> @location(0) vec4f {
    let at = vec2u(p.xy);
    return textureLoad(picture, vec2u(at.x / ${samples}, at.y), at.x % ${samples});
  }`;

/** Every sample of a texture, row by row. */
async function samplesOf(device: GPUDevice, picture: GPUTexture): Promise<Float32Array> {
  const columns = WIDTH * picture.sampleCount;
  const bytesPerRow = Math.ceil(columns / 16) * 256;
  const size = [columns, HEIGHT];
  const module = device.createShaderModule({ code: READER(picture.sampleCount) });
  const format = 'rgba32float';
  const pipeline = device.createRenderPipeline({
    layout: 'auto',
    vertex: { module },
    fragment: { module, targets: [{ format }] },
  });
  const texture = device.createTexture({ size, format, usage: USAGE.ATTACHMENT | USAGE.COPY_SRC });
  const buffer = device.createBuffer({ size: bytesPerRow * HEIGHT, usage: BUFFER.MAP_READ | BUFFER.COPY_DST });
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginRenderPass({ colorAttachments: [{ view: texture, loadOp: 'clear', storeOp: 'store' }] });
  pass.setPipeline(pipeline);
  pass.setBindGroup(
    0,
    device.createBindGroup({
      layout: pipeline.getBindGroupLayout(0),
      entries: [{ binding: 0, resource: picture.createView() }],
    })
  );
  pass.draw(3);
  pass.end();
  encoder.copyTextureToBuffer({ texture }, { buffer, bytesPerRow }, size);
  device.queue.submit([encoder.finish()]);
  await buffer.mapAsync(GPUMapMode.READ);
  const rows = new Float32Array(buffer.getMappedRange());
  const texels = new Float32Array(columns * HEIGHT * 4);
  for (let y = 0; y < HEIGHT; y++)
    texels.set(rows.subarray((y * bytesPerRow) / 4, (y * bytesPerRow) / 4 + columns * 4), y * columns * 4);
  for (const made of [texture, buffer]) made.destroy();
  return texels;
}

/** Draws each fragment in a draw call, and then the layers over the background. */
async function drawn(device: GPUDevice, fragments: readonly Fragments[], setting: Setting): Promise<Float32Array> {
  const { samples } = setting;
  const module = device.createShaderModule({ code: codeOf(setting) });
  const { formats } = kBuffer({ ...setting, layers: setting.layers as KBufferLayers });
  device.pushErrorScope('validation');
  const pipeline = (
    vertex: GPUVertexState,
    entryPoint: 'put' | 'lay',
    picture: GPUColorTargetState,
    writeMask: number
  ): GPURenderPipeline =>
    device.createRenderPipeline({
      layout: 'auto',
      vertex,
      multisample: { count: samples },
      fragment: { module, entryPoint, targets: [picture, ...formats.map((format) => ({ format, writeMask }))] },
    });
  const put = pipeline(
    {
      module,
      entryPoint: 'corner',
      buffers: [
        {
          arrayStride: 36,
          attributes: [
            { shaderLocation: 0, offset: 0, format: 'float32x2' },
            { shaderLocation: 1, offset: 8, format: 'float32x4' },
            { shaderLocation: 2, offset: 24, format: 'float32x3' },
          ],
        },
      ],
    },
    'put',
    { format: 'rgba32float', writeMask: 0 },
    15
  );
  const lay = pipeline({ module, entryPoint: 'whole' }, 'lay', { format: 'rgba32float' }, 0);
  const numbers = new Float32Array(
    fragments.flatMap(({ corners, color, plane }) =>
      [0, 2, 4].flatMap((k) => [(2 * corners[k]!) / WIDTH - 1, 1 - (2 * corners[k + 1]!) / HEIGHT, ...color, ...plane])
    )
  );
  const vertices = device.createBuffer({ size: numbers.byteLength, usage: BUFFER.VERTEX | BUFFER.COPY_DST });
  device.queue.writeBuffer(vertices, 0, numbers);
  const target = (format: GPUTextureFormat, usage: number = USAGE.ATTACHMENT): GPUTexture =>
    device.createTexture({ size: SIZE, format, sampleCount: samples, usage });
  const picture = target('rgba32float', USAGE.ATTACHMENT | USAGE.SAMPLED);
  const layers = formats.map((each) => target(each));
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginRenderPass({
    colorAttachments: [
      { view: picture, loadOp: 'clear', storeOp: 'store', clearValue: [...BACKGROUND] },
      ...layers.map((view): GPURenderPassColorAttachment => ({ view, loadOp: 'clear', storeOp: 'discard' })),
    ],
  });
  pass.setVertexBuffer(0, vertices);
  pass.setPipeline(put);
  fragments.forEach((_, i) => pass.draw(3, 1, i * 3));
  pass.setPipeline(lay);
  pass.draw(3);
  pass.end();
  device.queue.submit([encoder.finish()]);
  const texels = await samplesOf(device, picture);
  const error = await device.popErrorScope();
  if (error) throw new Error(error.message);
  for (const made of [vertices, picture, ...layers]) made.destroy();
  return texels;
}

/** Triangles, some of equal depth, and many that intersect others. */
function someFragments(seed: number, count: number): Fragments[] {
  const next = mulberry32(seed);
  const upTo = (most: number): number => next() % (most + 1);
  return someColors(next, count).map((color, i) => ({
    // Multiples of 1/16; edges through samples belong to those to the right and below.
    corners:
      i % 5 === 0
        ? [-2, -2, 2 * WIDTH + 4, -2, -2, 2 * HEIGHT + 4]
        : Array.from({ length: 6 }, (_, k) => upTo((k % 2 ? HEIGHT : WIDTH) * 16) / 16),
    color,
    plane: [upTo(8) / 4, (upTo(8) - 4) / 64, i % 3 ? 0 : (upTo(8) - 4) / 64],
  }));
}
const shuffled = <T>(list: readonly T[], next: () => number): T[] =>
  list
    .map((each): [number, T] => [next(), each])
    .sort(([a], [b]) => a - b)
    .map(([, each]) => each);

/** The first difference of two pictures, as a pixel and its values; nothing if they have the same bits. */
function difference(a: Float32Array, b: Float32Array, samples: number): object | null {
  const at = firstDifference(a, b);
  const first = at - (at % 4);
  const pixel = Math.floor(first / 4 / samples);
  return at < 0
    ? null
    : {
        x: pixel % WIDTH,
        y: Math.floor(pixel / WIDTH),
        sample: (first / 4) % samples,
        found: [...a.slice(first, first + 4)],
        wanted: [...b.slice(first, first + 4)],
      };
}

const settingsOf = (layers: number): Setting[] =>
  ([1, 4] as const).flatMap((samples: SampleCount): Setting[] => [
    { layers, samples, color: 'rgba8unorm', depth: 'float32', each: false },
    { layers, samples, color: 'rgba8unorm', depth: 'float16', each: samples > 1 },
    { layers, samples, color: 'rgba16float', depth: 'float32', each: samples > 1 },
    { layers, samples, color: 'rgba16float', depth: 'float16', each: false },
  ]);
const name = ({ layers, samples, color, depth, each }: Setting): string =>
  `${layers} layers, ${color}, ${depth}, ${samples} samples${each ? ', each for itself' : ''}`;

let device: GPUDevice;
beforeAll(async () => {
  device = await open(engines['compiled, on this thread']!);
});
afterAll(() => device.destroy());

describe.each([2, 3, 4, 8].flatMap(settingsOf).map((setting) => [name(setting), setting] as const))(
  '%s',
  (_, setting) => {
    const { layers, samples } = setting;
    test('as many triangles as layers: the same bits in every order, equal to the reference', async () => {
      const fragments = someFragments(layers * 10 + samples, layers);
      const next = mulberry32(layers);
      const wanted = layered(fragments, setting, BACKGROUND, SIZE);
      for (const some of [fragments, fragments.toReversed(), shuffled(fragments, next)])
        expect(difference(await drawn(device, some, setting), wanted, samples)).toBeNull();
    });

    test('more triangles: the farthest two are merged, in the order of draw calls', async () => {
      const fragments = someFragments(layers * 100 + samples, layers * 4);
      const wanted = layered(fragments, setting, BACKGROUND, SIZE);
      expect(difference(await drawn(device, fragments, setting), wanted, samples)).toBeNull();
    });
  }
);

describe.each(Object.entries(engines))('%s', (_, options) => {
  test('four layers have the same bits', async () => {
    const own = await open(options);
    try {
      for (const setting of settingsOf(4)) {
        const fragments = someFragments(7, 20);
        const wanted = layered(fragments, setting, BACKGROUND, SIZE);
        expect([name(setting), difference(await drawn(own, fragments, setting), wanted, setting.samples)]).toEqual([
          name(setting),
          null,
        ]);
      }
    } finally {
      own.destroy();
    }
  });
});

test('its targets, and their bytes per sample', () => {
  const shapes = ([2, 3, 4, 8] as const).map((layers) => {
    const { formats, bytesPerSample } = kBuffer({ layers, depth: 'float16' });
    return [layers, formats.join(' '), bytesPerSample];
  });
  expect(shapes).toEqual([
    [2, 'rgba32uint', 16],
    [3, 'rgba32uint r32uint', 20],
    [4, 'rgba32uint rg32uint', 24],
    [8, 'rgba32uint rgba32uint rgba32uint', 48],
  ]);
  // The largest: four targets of sixteen bytes hold eight layers.
  expect(kBuffer({ layers: 8 })).toMatchObject({ bytesPerSample: 64 });
  // WebGPU guarantees 32 bytes, 8 of which are the picture's.
  expect(kBuffer({ layers: 3 }).bytesPerSample).toBe(24);
});

test('negative and NaN depths are nearest, and transparent colors take no layer', async () => {
  const whole = [-2, -2, 2 * WIDTH + 4, -2, -2, 2 * HEIGHT + 4];
  const setting = settingsOf(2)[0]!;
  const layer = (color: Color, depth: number): Fragments => ({ corners: whole, color, plane: [depth, 0, 0] });
  const near: Color = [0.5, 0, 0, 0.5];
  const far: Color = [0, 0.5, 0, 0.5];
  const first = (texels: Float32Array): number[] => [...texels.slice(0, 4)];
  const wanted = first(await drawn(device, [layer(far, 2), layer(near, 0)], setting));
  for (const depth of [-1, NaN, -0, -Infinity])
    expect(first(await drawn(device, [layer(near, depth), layer([0, 0, 0, 0], 1), layer(far, 2)], setting))).toEqual(
      wanted
    );
});
