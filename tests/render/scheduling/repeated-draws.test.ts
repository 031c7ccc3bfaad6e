// Bundles with long runs of draw calls that only differ in where their vertices and instances begin. They draw the same
// bits as a pass in which each draw call is planned by itself.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openBuiltWith } from '../../images/open';
import type { CreateOptions } from '../../support/options';
import { GPUBufferUsage, GPUMapMode, GPUTextureUsage } from '../../support/flags';
import { rounds } from '../../support/rounds';

/** More pixels than a small pass has, which adds up the cost of each draw call. */
const WIDTH = 320;
const HEIGHT = 256;
const MAX_INDICES = 96;
const CODE = `
  struct Out { @builtin(position) p: vec4f, @location(0) @interpolate(flat) id: u32 }
  @vertex fn vs(@builtin(vertex_index) v: u32, @builtin(instance_index) i: u32) -> Out {
    let id = v / 3 * 31 + i * 7;
    let at = vec2f(f32(id % 61) / 30.5 - 1, f32(id % 47) / 23.5 - 1);
    return Out(vec4f(at + vec2f(f32((v % 3) & 1), f32((v % 3) >> 1)) * 0.12, 0, 1), id + 1);
  }
  @fragment fn fs(v: Out) -> @location(0) u32 { return v.id; }`;

interface Run {
  readonly indexed: boolean;
  readonly length: number;
  readonly count: number;
  readonly instances: number;
  /** How much the first vertex or baseVertex, and the first instance, grow from one draw call to the next. */
  readonly steps: readonly [number, number];
  readonly firstIndex: number;
}

const run: fc.Arbitrary<Run> = fc.record({
  indexed: fc.boolean(),
  length: fc.oneof(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 5, max: 1300 })),
  // Draw calls of two vertices draw nothing.
  count: fc.constantFrom(3, 3, 3, 6, 27, 2),
  instances: fc.constantFrom(1, 1, 2),
  steps: fc.tuple(fc.constantFrom(0, 3, 9), fc.constantFrom(0, 1, 5)),
  firstIndex: fc.nat(20),
});

function encode(encoder: GPURenderPassEncoder | GPURenderBundleEncoder, runs: readonly Run[]): void {
  for (const { indexed, length, count, instances, steps, firstIndex } of runs)
    for (let i = 0; i < length; i++)
      if (indexed) encoder.drawIndexed(count, instances, firstIndex, i * steps[0], i * steps[1]);
      else encoder.draw(count, instances, firstIndex + i * steps[0], i * steps[1]);
}

/** Returns a function that draws in one pass. */
async function painter(
  options: CreateOptions
): Promise<{ device: GPUDevice; paint: (runs: readonly Run[], isBundle: boolean) => Promise<Uint32Array> }> {
  const device = await openBuiltWith([], options);
  const module = device.createShaderModule({ code: CODE });
  const format = 'r32uint';
  const pipeline = device.createRenderPipeline({
    layout: 'auto',
    vertex: { module },
    fragment: { module, targets: [{ format }] },
  });
  const usage = GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.COPY_SRC;
  const target = device.createTexture({ size: [WIDTH, HEIGHT], format, usage });
  const indices = device.createBuffer({ size: MAX_INDICES * 2, usage: GPUBufferUsage.INDEX | GPUBufferUsage.COPY_DST });
  device.queue.writeBuffer(
    indices,
    0,
    Uint16Array.from({ length: MAX_INDICES }, (_, i) => (i * 5) % 64)
  );
  const bytes = WIDTH * HEIGHT * 4;
  const copy = device.createBuffer({ size: bytes, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
  const paint = async (runs: readonly Run[], isBundle: boolean): Promise<Uint32Array> => {
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginRenderPass({
      colorAttachments: [{ view: target.createView(), loadOp: 'clear', storeOp: 'store' }],
    });
    const draws = isBundle ? device.createRenderBundleEncoder({ colorFormats: [format] }) : pass;
    draws.setPipeline(pipeline);
    draws.setIndexBuffer(indices, 'uint16');
    encode(draws, runs);
    if ('finish' in draws) pass.executeBundles([draws.finish()]);
    pass.end();
    encoder.copyTextureToBuffer({ texture: target }, { buffer: copy, bytesPerRow: WIDTH * 4 }, [WIDTH, HEIGHT]);
    device.queue.submit([encoder.finish()]);
    await copy.mapAsync(GPUMapMode.READ);
    const words = new Uint32Array(copy.getMappedRange().slice(0));
    copy.unmap();
    return words;
  };
  return { device, paint };
}

test.each([
  { engine: 'jit', threads: 0 },
  { engine: 'jit', threads: 2, distribution: 'any' },
] as const)(
  'repeated draw calls of a bundle draw the same as one at a time with %o',
  async (options) => {
    const together = await painter(options);
    const apart = await painter({ ...options, chunkEveryDraw: true });
    let pictures = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(run, { minLength: 1, maxLength: 5 }), async (runs) => {
        const picture = await together.paint(runs, true);
        if (picture.some((word) => word !== 0)) pictures++;
        expect(picture).toEqual(await apart.paint(runs, false));
      }),
      { numRuns: rounds(10), seed: 57 }
    );
    expect(pictures).toBeGreaterThan(rounds(10) / 2);
    for (const { device } of [together, apart]) device.destroy();
  },
  120_000
);
