// Framebuffer fetch: the values in every format, how often shaders run, and in which order.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { StatisticsDevice } from '../../src/index';
import { formatInfo } from '../../src/surface/formats';
import { open } from './kit';
import { GPUMapMode } from '../support/flags';

const USAGE = { COPY_SRC: 1, COPY_DST: 2, SAMPLED: 4, ATTACHMENT: 16 } as const;
const BUFFER = { MAP_READ: 1, COPY_DST: 8 } as const;
const SIZE = 16;

/** A triangle over everything, or over everything to the left of a line. */
const VERTEX = `
  override right: f32 = 3;
  @vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
    let corner = array(vec2f(right, 40), vec2f(-60, 0), vec2f(right, -40));
    return vec4f(corner[i], 0, 1);
  }`;

async function texelsOf(device: GPUDevice, texture: GPUTexture, bytes: number): Promise<Uint8Array> {
  const bytesPerRow = Math.ceil((texture.width * bytes) / 256) * 256;
  const { height } = texture;
  const buffer = device.createBuffer({ size: bytesPerRow * height, usage: BUFFER.MAP_READ | BUFFER.COPY_DST });
  const encoder = device.createCommandEncoder();
  encoder.copyTextureToBuffer({ texture }, { buffer, bytesPerRow }, [texture.width, height]);
  device.queue.submit([encoder.finish()]);
  await buffer.mapAsync(GPUMapMode.READ);
  const rows = new Uint8Array(buffer.getMappedRange().slice(0));
  buffer.destroy();
  return rows;
}

/** All renderable formats. */
const FORMATS = [
  'r8unorm',
  'r8uint',
  'r8sint',
  'rg8unorm',
  'rg8uint',
  'rg8sint',
  'rgba8unorm',
  'rgba8unorm-srgb',
  'rgba8uint',
  'rgba8sint',
  'bgra8unorm',
  'bgra8unorm-srgb',
  'r16uint',
  'r16sint',
  'r16float',
  'rg16uint',
  'rg16sint',
  'rg16float',
  'rgba16uint',
  'rgba16sint',
  'rgba16float',
  'r32uint',
  'r32sint',
  'r32float',
  'rg32uint',
  'rg32sint',
  'rg32float',
  'rgba32uint',
  'rgba32sint',
  'rgba32float',
  'rgb10a2uint',
  'rgb10a2unorm',
] as const;

interface Layer {
  readonly code: string;
  readonly blend?: GPUBlendState;
  readonly right?: number;
}

function draw(
  device: GPUDevice,
  pass: GPURenderPassEncoder,
  targets: readonly GPUTexture[],
  { code, blend, right = 3 }: Layer,
  count = 1,
  writes: readonly number[] = targets.map(() => 0xf)
): void {
  const module = device.createShaderModule({
    code: code.includes('@color') ? `enable fragment_stages;${VERTEX}${code}` : VERTEX + code,
  });
  pass.setPipeline(
    device.createRenderPipeline({
      layout: 'auto',
      vertex: { module, constants: { right } },
      fragment: {
        module,
        targets: targets.map(({ format }, i) => ({ format, writeMask: writes[i]!, ...(blend && { blend }) })),
      },
      multisample: { count: targets[0]!.sampleCount },
    })
  );
  pass.draw(3, count);
}

const engines = {
  compiled: { engine: 'jit', threads: 0 },
  interpreted: { engine: 'interpreter', threads: 0 },
  scalar: { simd: false, threads: 0 },
  'four workers': { threads: 4 },
} as const;

describe.each(Object.entries(engines))('%s', (_, options) => {
  let device: StatisticsDevice;
  beforeAll(async () => {
    device = await open(options);
    device.addEventListener('uncapturederror', ({ error }) => {
      throw new Error(error.message);
    });
  });
  afterAll(() => device.destroy());

  test.each(FORMATS)('%s: framebuffer fetch equals textureLoad', async (format) => {
    const f = formatInfo(format)!;
    const scalar = { uint: 'u32', sint: 'i32' }[f.sampleType as string] ?? 'f32';
    const held = device.createTexture({
      size: [SIZE, SIZE],
      format,
      usage: USAGE.ATTACHMENT | USAGE.COPY_DST | USAGE.SAMPLED,
    });
    const bytes = Uint8Array.from({ length: SIZE * SIZE * f.bytes }, (_, i) => (((i * 7919) >> 3) + i) & 255);
    device.queue.writeTexture({ texture: held }, bytes, { bytesPerRow: SIZE * f.bytes }, [SIZE, SIZE]);
    const seen = ['read', 'loaded'].map(() =>
      device.createTexture({ size: [SIZE, SIZE], format: 'rgba32uint', usage: USAGE.ATTACHMENT | USAGE.COPY_SRC })
    );
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginRenderPass({
      colorAttachments: [
        { view: held, loadOp: 'load', storeOp: 'store' },
        { view: seen[0]!, loadOp: 'clear', storeOp: 'store' },
      ],
    });
    draw(
      device,
      pass,
      [held, seen[0]!],
      {
        code: `
      @fragment fn fs(@color(0) held: vec4<${scalar}>) -> @location(1) vec4u { return bitcast<vec4u>(held); }`,
      },
      1,
      [0, 0xf]
    );
    pass.end();
    const module = device.createShaderModule({
      code: `${VERTEX}
      @group(0) @binding(0) var held: texture_2d<${scalar}>;
      @fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4u {
        return bitcast<vec4u>(textureLoad(held, vec2u(p.xy), 0));
      }`,
    });
    const pipeline = device.createRenderPipeline({
      layout: 'auto',
      vertex: { module },
      fragment: { module, targets: [{ format: 'rgba32uint' }] },
    });
    const loads = encoder.beginRenderPass({
      colorAttachments: [{ view: seen[1]!, loadOp: 'clear', storeOp: 'store' }],
    });
    loads.setPipeline(pipeline);
    loads.setBindGroup(
      0,
      device.createBindGroup({
        layout: pipeline.getBindGroupLayout(0),
        entries: [{ binding: 0, resource: held.createView() }],
      })
    );
    loads.draw(3);
    loads.end();
    device.queue.submit([encoder.finish()]);
    const [read, loaded] = await Promise.all(seen.map((texture) => texelsOf(device, texture, 16)));
    expect(Buffer.compare(read!, loaded!)).toBe(0);
    expect(new Set(new Uint32Array(read!.buffer)).size).toBeGreaterThan(3);
  });

  test('a run per set of equal samples of a pixel', async () => {
    const target = device.createTexture({
      size: [SIZE, SIZE],
      sampleCount: 4,
      format: 'rgba8unorm',
      usage: USAGE.ATTACHMENT,
    });
    const runs = async (layers: readonly Layer[]): Promise<number> => {
      const before = device.statistics().counters['lanesShaded']!;
      const encoder = device.createCommandEncoder();
      const pass = encoder.beginRenderPass({
        colorAttachments: [{ view: target, loadOp: 'clear', storeOp: 'discard' }],
      });
      for (const layer of layers) draw(device, pass, [target], layer);
      pass.end();
      device.queue.submit([encoder.finish()]);
      await device.queue.onSubmittedWorkDone();
      return device.statistics().counters['lanesShaded']! - before;
    };
    const reads = { code: '@fragment fn fs(@color(0) held: vec4f) -> @location(0) vec4f { return held * 0.5; }' };
    const fill = { code: '@fragment fn fs() -> @location(0) vec4f { return vec4f(1); }' };
    const pixels = SIZE * SIZE;
    // To the left of x = 8.5: two samples of a column.
    const left = 17 / SIZE - 1;
    const half = 9 * SIZE;
    expect(await runs([reads])).toBe(pixels);
    expect(await runs([{ ...reads, right: left }])).toBe(half);
    expect(await runs([fill, reads])).toBe(2 * pixels);
    expect(await runs([{ ...fill, right: left }, reads])).toBe(half + pixels + SIZE);
    // Fragments occluded by an opaque layer never run.
    expect(await runs([{ ...fill, right: left }, fill, reads])).toBe(2 * pixels);
    const each = {
      code: `@fragment fn fs(@color(0) held: vec4f, @builtin(sample_index) i: u32) -> @location(0) vec4f {
      return held + f32(i);
    }`,
    };
    expect(await runs([each])).toBe(4 * pixels);
    target.destroy();
  });

  test('1 000 layers, each on top of the previous ones', async () => {
    for (const sampleCount of [1, 4]) {
      const size = [70, 70];
      const usage = USAGE.ATTACHMENT | USAGE.SAMPLED | USAGE.COPY_SRC;
      const target = device.createTexture({
        size,
        sampleCount,
        format: 'r32uint',
        usage: USAGE.ATTACHMENT | USAGE.SAMPLED,
      });
      const single = sampleCount === 1 ? target : null;
      const seen = device.createTexture({ size, format: 'r32uint', usage });
      const encoder = device.createCommandEncoder();
      const pass = encoder.beginRenderPass({ colorAttachments: [{ view: target, loadOp: 'clear', storeOp: 'store' }] });
      draw(
        device,
        pass,
        [target],
        {
          code: `
        @fragment fn fs(@color(0) held: u32, @builtin(position) p: vec4f) -> @location(0) u32 {
          return (held * 31 + u32(p.x) + 7) % 65521;
        }`,
        },
        1000
      );
      pass.end();
      const module = device.createShaderModule({
        code: `${VERTEX}
        @group(0) @binding(0) var held: texture_${single ? '' : 'multisampled_'}2d<u32>;
        @fragment fn fs(@builtin(position) p: vec4f) -> @location(0) u32 {
          return textureLoad(held, vec2u(p.xy), ${sampleCount - 1}).x;
        }`,
      });
      const pipeline = device.createRenderPipeline({
        layout: 'auto',
        vertex: { module },
        fragment: { module, targets: [{ format: 'r32uint' }] },
      });
      const loads = encoder.beginRenderPass({ colorAttachments: [{ view: seen, loadOp: 'clear', storeOp: 'store' }] });
      loads.setPipeline(pipeline);
      loads.setBindGroup(
        0,
        device.createBindGroup({
          layout: pipeline.getBindGroupLayout(0),
          entries: [{ binding: 0, resource: target.createView() }],
        })
      );
      loads.draw(3);
      loads.end();
      device.queue.submit([encoder.finish()]);
      const texels = new Uint32Array((await texelsOf(device, seen, 4)).buffer);
      const row = 512 / 4;
      for (let x = 0; x < 70; x++) {
        let wanted = 0;
        for (let layer = 0; layer < 1000; layer++) wanted = (wanted * 31 + x + 7) % 65521;
        for (const y of [0, 5, 63, 64, 69]) expect(texels[y * row + x]).toBe(wanted);
      }
    }
  });

  test.each(['rgba16float', 'rgba8unorm', 'rgba8unorm-srgb'] as const)(
    '%s: source-over equals fixed-function blending',
    async (format) => {
      const bytes = format === 'rgba16float' ? 8 : 4;
      const source = `vec4f(fract(p.x * 0.37), fract(p.y * 0.19), 0.25, 0.5)`;
      const over = { operation: 'add', srcFactor: 'one', dstFactor: 'one-minus-src-alpha' } as const;
      const [fixed, programmed] = await Promise.all(
        [
          {
            code: `@fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4f { return ${source}; }`,
            blend: { color: over, alpha: over },
          },
          {
            code: `@fragment fn fs(@builtin(position) p: vec4f, @color(0) below: vec4f) -> @location(0) vec4f {
        let source = ${source};
        return source + below * (1 - source.a);
      }`,
          },
        ].map(async (layer) => {
          const target = device.createTexture({ size: [SIZE, SIZE], format, usage: USAGE.ATTACHMENT | USAGE.COPY_SRC });
          const encoder = device.createCommandEncoder();
          const pass = encoder.beginRenderPass({
            colorAttachments: [{ view: target, loadOp: 'clear', storeOp: 'store', clearValue: [0.3, 0.6, 0.9, 1] }],
          });
          draw(device, pass, [target], layer);
          pass.end();
          device.queue.submit([encoder.finish()]);
          return texelsOf(device, target, bytes);
        })
      );
      const off = fixed!.map((byte, i) => Math.abs(byte - programmed![i]!));
      // Linear bytes are blended in fixed point.
      expect(Math.max(...off)).toBeLessThanOrEqual(format === 'rgba8unorm' ? 1 : 0);
      expect(new Set(fixed).size).toBeGreaterThan(20);
    }
  );
});

test('other writes happen in the order of quads', async () => {
  const log = async (options: Parameters<typeof open>[0]): Promise<Uint32Array> => {
    const device = await open(options);
    const size = [SIZE, SIZE];
    const bytes = (SIZE * SIZE * 4 + 1) * 4;
    const STORAGE = 128;
    const target = device.createTexture({ size, format: 'r32uint', usage: USAGE.ATTACHMENT });
    const written = device.createBuffer({ size: bytes, usage: STORAGE | 4 });
    const read = device.createBuffer({ size: bytes, usage: BUFFER.MAP_READ | BUFFER.COPY_DST });
    const module = device.createShaderModule({
      code: `enable fragment_stages;${VERTEX}
      struct Log { count: atomic<u32>, entries: array<u32> }
      @group(0) @binding(0) var<storage, read_write> log: Log;
      @fragment fn fs(@builtin(position) p: vec4f, @color(0) held: u32) -> @location(0) u32 {
        let pixel = u32(p.y) * ${SIZE} + u32(p.x) + held * 1000;
        log.entries[atomicAdd(&log.count, 1)] = pixel;
        log.entries[atomicAdd(&log.count, 1)] = pixel + 500000;
        return held + 1;
      }`,
    });
    const pipeline = device.createRenderPipeline({
      layout: 'auto',
      vertex: { module },
      fragment: { module, targets: [{ format: 'r32uint' }] },
    });
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginRenderPass({ colorAttachments: [{ view: target, loadOp: 'clear', storeOp: 'discard' }] });
    pass.setPipeline(pipeline);
    pass.setBindGroup(
      0,
      device.createBindGroup({
        layout: pipeline.getBindGroupLayout(0),
        entries: [{ binding: 0, resource: { buffer: written } }],
      })
    );
    pass.draw(3, 2);
    pass.end();
    encoder.copyBufferToBuffer(written, 0, read, 0, bytes);
    device.queue.submit([encoder.finish()]);
    await read.mapAsync(GPUMapMode.READ);
    const words = new Uint32Array(read.getMappedRange().slice(0));
    device.destroy();
    return words;
  };
  const [compiled, interpreted] = [await log(engines.compiled), await log(engines.interpreted)];
  expect(compiled[0]).toBe(SIZE * SIZE * 4);
  expect(interpreted).toEqual(compiled);
});
