// Texture functions with offsets, and gathers, compared with their definitions on every engine. The texels are numbers
// that encode their positions.
import { describe, expect, it } from 'vitest';
import { bits, deviceOf, engines, read, storage } from '../kit';

const SIZE = [5, 4, 3] as const;
/** Red channel of the texel, a byte. */
const texel = (x: number, y: number, z: number): number => x + 10 * y + 50 * z;
const green = (x: number, y: number, z: number): number => 200 - texel(x, y, z);

interface Case {
  readonly type: string;
  readonly view: GPUTextureViewDimension;
  readonly format: GPUTextureFormat;
  readonly sampler: GPUSamplerDescriptor;
  readonly size?: readonly [number, number, number];
  /** An expression of type vec4f or vec4i, with `p` from the list. */
  readonly code: string;
  readonly points: readonly (readonly [number, number, number])[];
  readonly expected: (p: readonly [number, number, number]) => readonly number[];
}

const bytesOf = (format: GPUTextureFormat): number => (format.startsWith('rg') && !format.startsWith('rgba') ? 2 : 4);

async function run(device: GPUDevice, test: Case): Promise<Float32Array> {
  const { format, size: [width, height, layers] = SIZE, points } = test;
  const isVolume = test.view === '3d';
  const isDepth = format.startsWith('depth');
  const texture = device.createTexture({
    size: [width, height, layers],
    format,
    dimension: isVolume ? '3d' : '2d',
    usage: isDepth ? 0x14 : 0x6,
  });
  const bytes = bytesOf(format);
  const data = new DataView(new ArrayBuffer(width * height * layers * bytes));
  let at = 0;
  for (let z = 0; z < layers; z++)
    for (let y = 0; y < height; y++)
      for (let x = 0; x < width; x++, at += bytes) {
        if (format === 'r32sint') data.setInt32(at, -1 - texel(x, y, z), true);
        else if (format === 'bgra8unorm')
          [3, green(x, y, z), texel(x, y, z), 9].forEach((b, k) => data.setUint8(at + k, b));
        else [texel(x, y, z), green(x, y, z), 3, 9].slice(0, bytes).forEach((b, k) => data.setUint8(at + k, b));
      }
  if (isDepth) clearLayers(device, texture, layers);
  else
    device.queue.writeTexture({ texture }, data, { bytesPerRow: width * bytes, rowsPerImage: height }, [
      width,
      height,
      layers,
    ]);
  const module = device.createShaderModule({
    code: `
    @group(0) @binding(0) var<storage, read> points: array<vec4f>;
    @group(0) @binding(1) var<storage, read_write> out: array<vec4f>;
    @group(0) @binding(2) var t: ${test.type};
    @group(0) @binding(3) var s: ${test.sampler.compare ? 'sampler_comparison' : 'sampler'};
    @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) {
      let p = points[min(i, arrayLength(&points) - 1)];
      out[i] = vec4f(${test.code});
    }`,
  });
  const pipeline = device.createComputePipeline({ layout: 'auto', compute: { module } });
  const input = storage(device, new Float32Array(points.flatMap((p) => [...p, 0])));
  const output = storage(device, new Float32Array(256));
  const group = device.createBindGroup({
    layout: pipeline.getBindGroupLayout(0),
    entries: [
      { binding: 0, resource: { buffer: input } },
      { binding: 1, resource: { buffer: output } },
      { binding: 2, resource: texture.createView({ dimension: test.view }) },
      { binding: 3, resource: device.createSampler(test.sampler) },
    ],
  });
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  pass.setPipeline(pipeline);
  pass.setBindGroup(0, group);
  pass.dispatchWorkgroups(1);
  pass.end();
  device.queue.submit([encoder.finish()]);
  const words = await read(device, output);
  for (const each of [input, output, texture]) each.destroy();
  return new Float32Array(words.buffer);
}

/** Layer n of a depth texture becomes (n + 1) / 8. */
function clearLayers(device: GPUDevice, texture: GPUTexture, layers: number): void {
  const encoder = device.createCommandEncoder();
  for (let layer = 0; layer < layers; layer++)
    encoder
      .beginRenderPass({
        colorAttachments: [],
        depthStencilAttachment: {
          view: texture.createView({ dimension: '2d', baseArrayLayer: layer, arrayLayerCount: 1 }),
          depthClearValue: (layer + 1) / 8,
          depthLoadOp: 'clear',
          depthStoreOp: 'store',
        },
      })
      .end();
  device.queue.submit([encoder.finish()]);
}

const NEAREST = { minFilter: 'nearest', magFilter: 'nearest' } as const;
const modulo = (i: number, n: number): number => ((i % n) + n) % n;
const clamped = (i: number, n: number): number => Math.max(0, Math.min(n - 1, i));
const mirrored = (i: number, n: number): number => {
  const m = modulo(i, 2 * n);
  return m < n ? m : 2 * n - 1 - m;
};
const WRAPS = { 'clamp-to-edge': clamped, repeat: modulo, 'mirror-repeat': mirrored } as const;
/** Around the texture, away from rounding boundaries; the last component is a layer. */
const points = Array.from({ length: 64 }, (_, k): [number, number, number] => [
  (((k * 7) % 32) - 8) / 16 + 0.013,
  (((k * 11) % 32) - 8) / 16 + 0.017,
  (k % 5) - 1,
]);
const volume = Array.from({ length: 64 }, (_, k): [number, number, number] => [
  (((k * 7) % 32) - 8) / 16 + 0.013,
  (((k * 11) % 32) - 8) / 16 + 0.017,
  (((k * 5) % 32) - 8) / 16 + 0.011,
]);

/** The four texels in gather order: counter-clockwise from the lower left. */
function gathered(
  [u, v, layer]: readonly [number, number, number],
  wrap: (i: number, n: number) => number,
  [dx, dy]: readonly number[],
  value: (x: number, y: number, z: number) => number
): number[] {
  const [width, height, layers] = SIZE;
  const i = Math.floor(u * width - 0.5) + dx!;
  const j = Math.floor(v * height - 0.5) + dy!;
  const z = clamped(layer, layers);
  return [
    [0, 1],
    [1, 1],
    [1, 0],
    [0, 0],
  ].map(([a, b]) => value(wrap(i + a!, width), wrap(j + b!, height), z));
}

const cases: [string, Case][] = [];
for (const [mode, wrap] of Object.entries(WRAPS)) {
  const address = mode as GPUAddressMode;
  const sampler = { addressModeU: address, addressModeV: address, addressModeW: address, ...NEAREST };
  for (const offset of [
    [0, 0, 0],
    [3, -2, 1],
    [-8, 7, -5],
  ] as const) {
    const at = ([u, v, w]: readonly number[]): [number, number, number] => [
      wrap(Math.floor(u! * 5) + offset[0], 5),
      wrap(Math.floor(v! * 4) + offset[1], 4),
      wrap(Math.floor(w! * 3) + offset[2], 3),
    ];
    cases.push(
      [
        `3d, nearest, ${mode}, offset ${offset.join()}`,
        {
          type: 'texture_3d<f32>',
          view: '3d',
          format: 'rgba8unorm',
          sampler,
          points: volume,
          code: `textureSampleLevel(t, s, p.xyz, 0, vec3i(${offset.join()})) * 255`,
          expected: (p) => [texel(...at(p)), green(...at(p)), 3, 9],
        },
      ],
      [
        `3d, gradients, ${mode}, offset ${offset.join()}`,
        {
          type: 'texture_3d<f32>',
          view: '3d',
          format: 'rg8unorm',
          sampler,
          points: volume,
          code: `textureSampleGrad(t, s, p.xyz, vec3f(), vec3f(), vec3i(${offset.join()})) * 255`,
          expected: (p) => [texel(...at(p)), green(...at(p)), 0, 255],
        },
      ]
    );
    const [x, y] = offset;
    for (const [component, value] of [
      [0, texel],
      [1, green],
      [2, () => 3],
      [3, () => 9],
    ] as const)
      for (const format of ['rgba8unorm', 'bgra8unorm'] as const) {
        if (component > 1 && offset[0] !== 3) continue;
        cases.push([
          `gather ${component}, ${format}, array, ${mode}, offset ${x},${y}`,
          {
            type: 'texture_2d_array<f32>',
            view: '2d-array',
            format,
            sampler,
            points,
            code: `textureGather(${component}, t, s, p.xy, i32(p.z), vec2i(${x}, ${y})) * 255`,
            expected: (p) => gathered(p, wrap, offset, value),
          },
        ]);
      }
    cases.push([
      `gather of integers, ${mode}, offset ${x},${y}`,
      {
        type: 'texture_2d<i32>',
        view: '2d',
        format: 'r32sint',
        sampler,
        size: [5, 4, 1],
        points,
        code: `textureGather(0, t, s, p.xy, vec2i(${x}, ${y}))`,
        expected: ([u, v]) => gathered([u, v, 0], wrap, offset, (a, b) => -1 - texel(a, b, 0)),
      },
    ]);
  }
}
cases.push(
  [
    'gather of a channel that the format lacks',
    {
      type: 'texture_2d<f32>',
      view: '2d',
      format: 'rg8unorm',
      sampler: NEAREST,
      size: [5, 4, 1],
      points,
      code: 'vec4f(textureGather(2, t, s, p.xy).xy, textureGather(3u, t, s, p.xy).zw)',
      expected: () => [0, 0, 1, 1],
    },
  ],
  [
    'gather and comparison of depth, by layer',
    {
      type: 'texture_depth_2d_array',
      view: '2d-array',
      format: 'depth32float',
      points,
      sampler: { compare: 'less' },
      code: 'textureGatherCompare(t, s, p.xy, u32(max(p.z, 0)), 0.2, vec2i(-1, 2))',
      expected: ([, , layer]) => Array<number>(4).fill(0.2 < (clamped(layer, 3) + 1) / 8 ? 1 : 0),
    },
  ],
  [
    'gather of depth',
    {
      type: 'texture_depth_2d_array',
      view: '2d-array',
      format: 'depth32float',
      points,
      sampler: NEAREST,
      code: 'textureGather(t, s, p.xy, i32(p.z))',
      expected: ([, , layer]) => Array<number>(4).fill((clamped(layer, 3) + 1) / 8),
    },
  ],
  [
    'gather of cubes, by face',
    {
      type: 'texture_cube<f32>',
      view: 'cube',
      format: 'rgba8unorm',
      size: [4, 4, 6],
      sampler: NEAREST,
      points: [
        [1, 0, 0],
        [-1, 0, 0],
        [0, 1, 0],
        [0, -1, 0],
        [0, 0, 1],
        [0, 0, -1],
      ],
      code: 'textureGather(0, t, s, p.xyz + 0.01) * 255',
      // Near the middle of a face; its coordinates follow the table of WebGPU.
      expected: (p) => cubeMiddle(p.map((x) => x + 0.01) as [number, number, number]),
    },
  ]
);

function cubeMiddle([x, y, z]: readonly [number, number, number]): number[] {
  const face = [x > 0.5, x < -0.5, y > 0.5, y < -0.5, z > 0.5, z < -0.5].indexOf(true);
  const [s, t] = [
    [-z, -y],
    [z, -y],
    [x, z],
    [x, -z],
    [x, -y],
    [-x, -y],
  ][face]!;
  expect(Math.abs(s!) + Math.abs(t!)).toBeLessThan(0.1);
  // Near the middle, between texels 1 and 2 in each direction.
  return [
    [0, 1],
    [1, 1],
    [1, 0],
    [0, 0],
  ].map(([a, b]) => texel(1 + a!, 1 + b!, face) & 255);
}

describe.each(['compiled', 'interpreted', 'scalar'])('%s', (engine) => {
  it.each(cases)('%s', async (_, test) => {
    const device = await deviceOf(engine);
    expect(engines[engine]).toBeDefined();
    const got = await run(device, test);
    const want = Array.from({ length: 64 }, (_, k) => test.expected(test.points[Math.min(k, test.points.length - 1)]!));
    const rounded = [...got].map((x) => Math.round(x * 64) / 64);
    expect(bits(rounded)).toEqual(bits(want.flat()));
  });
});
