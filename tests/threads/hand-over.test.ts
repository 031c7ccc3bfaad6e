// The calling thread begins a large pass alone while no workers are there. They start meanwhile, and take over its
// tiles; the picture has the same bits as that of the calling thread alone. Also with framebuffer fetch, shading rates
// and tile sharing.
import { expect, test } from 'vitest';
import type { CreateOptions } from '../support/options';
import { open } from './open';
import { GPUBufferUsage, GPUMapMode, GPUTextureUsage } from '../support/flags';

const SIZE = 768;
const ATTEMPTS = 4;
const TILES = (SIZE / 64) ** 2;
const CODE = `
  enable fragment_stages;
  struct Corner { @builtin(position) position: vec4f, @location(0) @interpolate(flat) layer: u32 }
  @vertex fn corner(@builtin(vertex_index) i: u32, @builtin(instance_index) layer: u32) -> Corner {
    return Corner(vec4f(f32(i & 1u) * 4 - 1, f32(i >> 1u) * 4 - 1 - f32(layer) * 0.01, 0, 1), layer);
  }
  fn costly(in: Corner) -> vec4f {
    var v = in.position.x * 0.01 + f32(in.layer);
    ${'v = sin(v) * cos(v + in.position.y) + exp2(v * 0.1);'.repeat(8)}
    return vec4f(fract(v), 1, 0, 0.25);
  }
  @fragment fn dear(in: Corner) -> @location(0) vec4f { return costly(in); }
  @fragment fn reading(in: Corner, @color(0) below: vec4f) -> @location(0) vec4f {
    let above = costly(in);
    return vec4f(abs(above.rgb - below.grb) * 0.75, fract(below.a + above.r));
  }`;

interface Drawing {
  readonly samples: number;
  readonly layers: number;
  /** Whether the shader reads the target. */
  readonly reads?: boolean;
  readonly rate?: '2x2' | '4x4';
}

/** Draws one pass on a new device. Returns the bytes of the picture, and the number of tiles that each worker ran. */
async function drawn(
  options: CreateOptions,
  { samples, layers, reads = false, rate }: Drawing
): Promise<[Uint8Array, number[]]> {
  const device = await open({ alwaysUseWorkers: false, ...options });
  try {
    const module = device.createShaderModule({ code: CODE });
    const format = 'rgba8unorm';
    const blend = { srcFactor: 'src-alpha', dstFactor: 'one-minus-src-alpha' } as const;
    const pipeline = device.createRenderPipeline({
      layout: 'auto',
      vertex: { module },
      fragment: reads
        ? { module, entryPoint: 'reading', targets: [{ format }] }
        : { module, entryPoint: 'dear', targets: [{ format, blend: { color: blend, alpha: blend } }] },
      multisample: { count: samples },
    });
    const size = [SIZE, SIZE];
    const usage = GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.COPY_SRC;
    const texture = device.createTexture({ size, format, usage });
    const wide =
      samples > 1
        ? device.createTexture({ size, format, usage: GPUTextureUsage.RENDER_ATTACHMENT, sampleCount: samples })
        : null;
    const out = device.createBuffer({
      size: SIZE * SIZE * 4,
      usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ,
    });
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginRenderPass({
      colorAttachments: [
        {
          view: (wide ?? texture).createView(),
          ...(wide && { resolveTarget: texture.createView() }),
          loadOp: 'clear',
          storeOp: wide ? 'discard' : 'store',
        },
      ],
    });
    pass.setPipeline(pipeline);
    if (rate) (pass as GPURenderPassEncoder & { setShadingRate(rate: string): void }).setShadingRate(rate);
    pass.draw(3, layers);
    pass.end();
    encoder.copyTextureToBuffer({ texture }, { buffer: out, bytesPerRow: SIZE * 4 }, size);
    device.queue.submit([encoder.finish()]);
    await out.mapAsync(GPUMapMode.READ);
    return [new Uint8Array(out.getMappedRange()).slice(), device.statistics().work.map(({ tiles }) => tiles)];
  } finally {
    device.destroy();
  }
}

test.each<[string, CreateOptions, Drawing]>([
  ['compiled, 1 sample', { engine: 'jit' }, { samples: 1, layers: 5 }],
  ['compiled, 4 samples', { engine: 'jit' }, { samples: 4, layers: 5 }],
  ['interpreted, 1 sample', { engine: 'interpreter' }, { samples: 1, layers: 3 }],
  ['framebuffer fetch, 4 samples', { engine: 'jit' }, { samples: 4, layers: 3, reads: true }],
  ['shading rates, tile sharing', { engine: 'jit', distribution: 'any' }, { samples: 1, layers: 20, rate: '2x2' }],
  [
    'framebuffer fetch, shading rates, tile sharing',
    { engine: 'jit', distribution: 'any' },
    { samples: 4, layers: 3, reads: true, rate: '4x4' },
  ],
])('workers take over: %s', async (_, options, drawing) => {
  const [alone] = await drawn({ ...options, threads: 0 }, drawing);
  // On a busy machine, the calling thread can be done before the workers are ready.
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const larger = { ...drawing, layers: drawing.layers << attempt };
    const [picture, tiles] = await drawn({ ...options, threads: 2 }, larger);
    if (attempt === 0) expect(Buffer.compare(picture, alone)).toBe(0);
    // The counters of the first worker include the tiles of the calling thread. Shared tiles count for each worker.
    const count = tiles[0]! + tiles[1]!;
    if ((options.distribution === 'any' ? count < TILES : count !== TILES) || tiles[1] === 0) continue;
    if (attempt > 0) expect(picture).toEqual((await drawn({ ...options, threads: 0 }, larger))[0]);
    return;
  }
  expect.fail(`workers have not taken over in ${ATTEMPTS} attempts`);
});
