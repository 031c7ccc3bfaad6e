// Single-sampled storage textures that fragment shaders write and read: formats, dimensions, coordinates, order.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, open, oracle } from './kit';
import { GPUBufferUsage, GPUMapMode } from '../support/flags';
import { FORMATS, READ_WRITE, VALUE, bytesOf, scalarOf } from './images.formats';

const SIDE = 70;
const USAGE = { COPY_SRC: 1, COPY_DST: 2, BINDING: 4, STORAGE: 8, ATTACHMENT: 16 } as const;
const VERTEX = `@vertex fn vertex(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
  return vec4f(f32(i & 1) * 4 - 1, 1 - f32(i >> 1) * 4, 0.5, 1);
}`;

interface Made {
  readonly texture: GPUTexture;
  readonly bytes: () => Promise<Uint8Array>;
}

describe('storage textures', () => {
  let devices: (readonly [string, GPUDevice])[];
  beforeAll(async () => {
    devices = await Promise.all(
      Object.entries({ ...engines, oracle }).map(async ([name, options]) => {
        const device = await open(options);
        return [name, device] as const;
      })
    );
  });
  afterAll(() => devices.forEach(([, device]) => device.destroy()));

  function image(
    device: GPUDevice,
    format: GPUTextureFormat,
    size: readonly number[] = [SIDE, SIDE],
    dimension: GPUTextureDimension = '2d',
    usage: number = USAGE.STORAGE
  ): Made {
    const texture = device.createTexture({
      size: [...size],
      format,
      dimension,
      usage: usage | USAGE.COPY_SRC | USAGE.BINDING | USAGE.COPY_DST,
    });
    return {
      texture,
      bytes: async () => {
        const [width = 1, height = 1, layers = 1] = size;
        const row = Math.ceil((width * bytesOf(format)) / 256) * 256;
        const buffer = device.createBuffer({
          size: row * height * layers,
          usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST,
        });
        const encoder = device.createCommandEncoder();
        encoder.copyTextureToBuffer({ texture }, { buffer, bytesPerRow: row, rowsPerImage: height }, [...size]);
        device.queue.submit([encoder.finish()]);
        await buffer.mapAsync(GPUMapMode.READ);
        const all = new Uint8Array(buffer.getMappedRange());
        const bytes = width * bytesOf(format);
        const texels = new Uint8Array(bytes * height * layers);
        for (let y = 0; y < height * layers; y++) texels.set(all.subarray(y * row, y * row + bytes), y * bytes);
        return texels;
      },
    };
  }

  /** Draws `triangles` times over a target of SIDE². */
  async function draw(
    device: GPUDevice,
    wgsl: string,
    entries: readonly GPUBindingResource[],
    format: GPUTextureFormat = 'rgba8unorm',
    triangles = 1
  ): Promise<Uint8Array> {
    device.pushErrorScope('validation');
    const module = device.createShaderModule({ code: VERTEX + wgsl });
    const pipeline = device.createRenderPipeline({
      layout: 'auto',
      vertex: { module },
      fragment: { module, targets: [{ format }] },
    });
    const target = image(device, format, [SIDE, SIDE], '2d', USAGE.ATTACHMENT);
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginRenderPass({
      colorAttachments: [{ view: target.texture.createView(), loadOp: 'clear', storeOp: 'store' }],
    });
    pass.setPipeline(pipeline);
    if (entries.length > 0)
      pass.setBindGroup(
        0,
        device.createBindGroup({
          layout: pipeline.getBindGroupLayout(0),
          entries: entries.map((resource, binding) => ({ binding, resource })),
        })
      );
    pass.draw(3, triangles);
    pass.end();
    device.queue.submit([encoder.finish()]);
    const error = await device.popErrorScope();
    if (error) throw new Error(error.message);
    return target.bytes();
  }

  async function byAll(run: (device: GPUDevice) => Promise<Uint8Array>): Promise<Uint8Array> {
    const [first, ...others] = await Promise.all(devices.map(([, device]) => run(device)));
    const different = others.flatMap((other, i) => (Buffer.compare(other, first!) ? [devices[i + 1]![0]] : []));
    expect(different).toEqual([]);
    return first!;
  }
  const colour = (format: GPUTextureFormat): string => `let x = u32(position.x); let y = u32(position.y);
    let value = ${VALUE[scalarOf(format)]};`;

  test.each(FORMATS)('%s holds the same as a render target of the format', async (format) => {
    const type = `vec4<${scalarOf(format)}>`;
    const [rendered, stored] = await Promise.all([
      byAll((device) =>
        draw(
          device,
          `@fragment fn main(@builtin(position) position: vec4f) -> @location(0) ${type} {
          ${colour(format)} return value;
        }`,
          [],
          format
        )
      ),
      byAll(async (device) => {
        const made = image(device, format);
        await draw(
          device,
          `@group(0) @binding(0) var out: texture_storage_2d<${format}, write>;
            @fragment fn main(@builtin(position) position: vec4f) -> @location(0) vec4f {
              ${colour(format)} textureStore(out, vec2u(position.xy), value); return vec4f();
            }`,
          [made.texture.createView()]
        );
        return made.bytes();
      }),
    ]);
    expect(Buffer.compare(stored, rendered)).toBe(0);
  });

  test('rgba8snorm: −1 … 1, rounded', async () => {
    const found = new Int8Array(
      (
        await byAll(async (device) => {
          const made = image(device, 'rgba8snorm');
          await draw(
            device,
            `@group(0) @binding(0) var out: texture_storage_2d<rgba8snorm, write>;
        @fragment fn main(@builtin(position) position: vec4f) -> @location(0) vec4f {
          textureStore(out, vec2i(position.xy), vec4f(floor(position.x) / 127, -2, 2, -floor(position.y) / 127));
          return vec4f();
        }`,
            [made.texture.createView()]
          );
          return made.bytes();
        })
      ).buffer
    );
    for (const [x, y] of [
      [0, 0],
      [5, 60],
      [69, 69],
    ] as const) {
      const at = (y * SIDE + x) * 4;
      expect([...found.subarray(at, at + 4)].map((v) => v + 0)).toEqual([x, -127, 127, -y + 0]);
    }
  });

  test('read_write: each triangle reads what the previous one has written', async () => {
    const found = await byAll(async (device) => {
      const made = image(device, 'r32uint');
      await draw(
        device,
        `@group(0) @binding(0) var out: texture_storage_2d<r32uint, read_write>;
        @fragment fn main(@builtin(position) position: vec4f) -> @location(0) vec4f {
          let at = vec2u(position.xy);
          textureStore(out, at, textureLoad(out, at) * 3 + 1 + at.x);
          return vec4f();
        }`,
        [made.texture.createView()],
        'rgba8unorm',
        3
      );
      return made.bytes();
    });
    const words = new Uint32Array(found.buffer);
    for (const x of [0, 1, 69]) expect(words[SIDE * 8 + x]).toBe(((1 + x) * 3 + 1 + x) * 3 + 1 + x);
  });

  test.each(READ_WRITE)('read_write of %s: each triangle adds to what the previous one has written', async (format) => {
    const scalar = scalarOf(format);
    const step = scalar === 'f32' ? '0.25' : '3';
    const add = (times: number): Promise<Uint8Array> =>
      byAll(async (device) => {
        const made = image(device, format);
        await draw(
          device,
          `@group(0) @binding(0) var out: texture_storage_2d<${format}, read_write>;
        @fragment fn main(@builtin(position) position: vec4f) -> @location(0) vec4f {
          let at = vec2u(position.xy);
          textureStore(out, at, textureLoad(out, at) + ${times} * ${step});
          return vec4f();
        }`,
          [made.texture.createView()],
          'rgba8unorm',
          3
        );
        return made.bytes();
      });
    const once = await byAll(async (device) => {
      const made = image(device, format);
      await draw(
        device,
        `@group(0) @binding(0) var out: texture_storage_2d<${format}, write>;
        @fragment fn main(@builtin(position) position: vec4f) -> @location(0) vec4f {
          textureStore(out, vec2u(position.xy), vec4<${scalar}>(3 * ${step}));
          return vec4f();
        }`,
        [made.texture.createView()]
      );
      return made.bytes();
    });
    // Steps of bytes differ from those of their sum by up to one.
    const found = await add(1);
    if (format.endsWith('8unorm'))
      expect(found.reduce((most, byte, i) => Math.max(most, Math.abs(byte - once[i]!)), 0)).toBeLessThanOrEqual(1);
    if (!format.endsWith('8unorm')) expect(Buffer.compare(found, once)).toBe(0);
    expect(found.some((byte) => byte !== 0)).toBe(true);
  });

  test('coordinates of other pixels, and out of bounds', async () => {
    const found = await byAll(async (device) => {
      const made = image(device, 'r32uint');
      await draw(
        device,
        `@group(0) @binding(0) var out: texture_storage_2d<r32uint, read_write>;
        @fragment fn main(@builtin(position) position: vec4f) -> @location(0) vec4f {
          let at = vec2i(position.xy);
          textureStore(out, ${SIDE - 1} - at, vec4u(u32(at.y * ${SIDE} + at.x)));
          textureStore(out, at + ${SIDE}, vec4u(9999));
          textureStore(out, at - ${SIDE}, vec4u(9999));
          return vec4f(f32(textureLoad(out, vec2i(-1, at.y)).x));
        }`,
        [made.texture.createView()]
      );
      return made.bytes();
    });
    expect([...new Uint32Array(found.buffer)]).toEqual(
      Array.from({ length: SIDE * SIDE }, (_, i) => SIDE * SIDE - 1 - i)
    );
  });

  test('values that pixels leave for others depend only on the order of the engines', async () => {
    await byAllButOracle(async (device) => {
      const made = image(device, 'r32uint', [8, 8]);
      await draw(
        device,
        `@group(0) @binding(0) var out: texture_storage_2d<r32uint, read_write>;
        @fragment fn main(@builtin(position) position: vec4f) -> @location(0) vec4f {
          let at = vec2u(position.xy);
          let before = textureLoad(out, at % 8).x;
          textureStore(out, (at + before) % 8, vec4u(before * 5 + at.x * 64 + at.y));
          return vec4f();
        }`,
        [made.texture.createView()],
        'rgba8unorm',
        2
      );
      return made.bytes();
    });
  });
  async function byAllButOracle(run: (device: GPUDevice) => Promise<Uint8Array>): Promise<void> {
    const all = devices;
    devices = all.filter(([name]) => name !== 'oracle');
    try {
      await byAll(run);
    } finally {
      devices = all;
    }
  }

  test.each([
    ['1d', [SIDE], 'texture_storage_1d<r32uint, write>', 'x', 'if (y == 3) { textureStore(out, x, vec4u(x * 7)); }'],
    [
      '2d',
      [SIDE, 3, 4],
      'texture_storage_2d_array<r32uint, write>',
      'x + 70 * (y + 3 * z)',
      `
        if (y < 3) {
          for (var z = 0u; z < 5; z++) { textureStore(out, vec2u(x, y), z, vec4u((x + 70 * (y + 3 * z)) * 7)); }
        }
      `,
    ],
    [
      '3d',
      [SIDE, 3, 4],
      'texture_storage_3d<r32uint, write>',
      'x + 70 * (y + 3 * z)',
      `
        if (y < 3) {
          for (var z = 0u; z < 5; z++) { textureStore(out, vec3u(x, y, z), vec4u((x + 70 * (y + 3 * z)) * 7)); }
        }
      `,
    ],
  ] as const)('of dimension %s', async (dimension, size, type, _what, body) => {
    const found = await byAll(async (device) => {
      const made = image(device, 'r32uint', size, dimension);
      await draw(
        device,
        `@group(0) @binding(0) var out: ${type};
        @fragment fn main(@builtin(position) position: vec4f) -> @location(0) vec4f {
          let x = u32(position.x); let y = u32(position.y); ${body} return vec4f();
        }`,
        [made.texture.createView(dimension === '2d' ? { dimension: '2d-array' } : {})]
      );
      return made.bytes();
    });
    const texels = (size as readonly number[]).reduce((product, n) => product * n, 1);
    expect([...new Uint32Array(found.buffer)]).toEqual(Array.from({ length: texels }, (_, i) => i * 7));
  });

  test('read-only: a mip level and a layer of a larger texture, and its sizes', async () => {
    const found = await byAll(async (device) => {
      const texture = device.createTexture({
        size: [40, 20, 3],
        mipLevelCount: 2,
        format: 'rgba8unorm',
        usage: USAGE.STORAGE | USAGE.COPY_DST,
      });
      device.queue.writeTexture(
        { texture, mipLevel: 1, origin: [0, 0, 1] },
        Uint8Array.from({ length: 20 * 10 * 8 }, (_, i) => i % 251),
        { bytesPerRow: 80, rowsPerImage: 10 },
        [20, 10, 2]
      );
      return draw(
        device,
        `@group(0) @binding(0) var t: texture_storage_2d_array<rgba8unorm, read>;
        @fragment fn main(@builtin(position) position: vec4f) -> @location(0) vec4f {
          let at = vec2i(position.xy);
          if (at.y > 60) { return vec4f(vec2f(textureDimensions(t)), f32(textureNumLayers(t)), 0) / 255; }
          return textureLoad(t, at, 1);
        }`,
        [texture.createView({ baseMipLevel: 1, mipLevelCount: 1, baseArrayLayer: 1, arrayLayerCount: 2 })]
      );
    });
    expect([...found.subarray(0, 8)]).toEqual(Array.from({ length: 8 }, (_, i) => (800 + i) % 251));
    expect([...found.subarray(65 * SIDE * 4, 65 * SIDE * 4 + 4)]).toEqual([20, 10, 2, 0]);
    expect([...found.subarray(21 * 4, 22 * 4)]).toEqual([0, 0, 0, 0]);
  });
});
