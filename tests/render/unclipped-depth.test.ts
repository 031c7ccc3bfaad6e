// Unclipped depth: a fragment sees the depth of its primitive's plane, also outside of the viewport's depth range.
// Depth that is tested and written is clamped to that range, also `frag_depth`. All engines give the same bits.
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { create } from '../../src/index';
import { forCreate, type CreateOptions } from '../support/options';
import { openDevice } from '../images/scenes';
import { engines, KERNELS } from '../storage-programs/kit';
import { GPUBufferUsage, GPUMapMode, GPUTextureUsage } from '../support/flags';

const options: Readonly<Record<string, CreateOptions>> = { ...engines, oracle: { immediate: true, threads: 0 } };
const names = ['compiled', 'interpreted', 'scalar', 'oracle'] as const;
const devices = new Map<string, Promise<GPUDevice>>();
const deviceOf = (name: string): Promise<GPUDevice> => {
  const device =
    devices.get(name)
    ?? openDevice(create(forCreate({ ...options[name], kernelUrl: KERNELS })), {}, ['depth-clip-control']);
  devices.set(name, device);
  return device;
};
afterAll(async () => {
  for (const device of devices.values()) (await device).destroy();
});

/** One tile with a whole block, and some pixels of others. */
const WIDTH = 12;
const HEIGHT = 9;
const CODE = `
  struct In { @location(0) depths: vec3f }
  @vertex fn vs(@builtin(vertex_index) i: u32, in: In) -> @builtin(position) vec4f {
    return vec4f(f32(i & 1u) * 4 - 1, 1 - f32(i >> 1u) * 4, in.depths[i], 1);
  }
  @fragment fn seen(@builtin(position) p: vec4f) -> @location(0) vec4f { return vec4f(p.z, 1, 0, 1); }
  struct Out { @location(0) color: vec4f, @builtin(frag_depth) depth: f32 }
  @fragment fn written(@builtin(position) p: vec4f) -> Out { return Out(vec4f(p.z, 1, 0, 1), 2 * p.z - 0.5); }
  // Blocks are not whole.
  @fragment fn some(@builtin(position) p: vec4f) -> @location(0) vec4f {
    if ((u32(p.x) + u32(p.y) * 3) % 5 == 0) { discard; }
    return vec4f(p.z, 1, 0, 1);
  }`;

interface Case {
  /** At the corners (0, 0), (2 · WIDTH, 0), (0, 2 · HEIGHT). */
  readonly depths: readonly [number, number, number];
  readonly range: readonly [number, number];
  readonly entryPoint: 'seen' | 'written' | 'some';
  readonly clips: boolean;
}

/** Returns the depth that fragments see (−9 where there is none) and the contents of the depth texture. */
async function draw(
  name: string,
  { depths, range, entryPoint, clips }: Case
): Promise<{ readonly seen: Float32Array; readonly held: Float32Array }> {
  const device = await deviceOf(name);
  const module = device.createShaderModule({ code: CODE });
  const pipeline = device.createRenderPipeline({
    layout: 'auto',
    primitive: { unclippedDepth: !clips },
    fragment: { module, entryPoint, targets: [{ format: 'rgba32float' }] },
    vertex: {
      module,
      buffers: [
        { arrayStride: 12, stepMode: 'instance', attributes: [{ shaderLocation: 0, offset: 0, format: 'float32x3' }] },
      ],
    },
    depthStencil: { format: 'depth32float', depthWriteEnabled: true, depthCompare: 'always' },
  });
  const vertices = device.createBuffer({ size: 12, usage: GPUBufferUsage.VERTEX | GPUBufferUsage.COPY_DST });
  device.queue.writeBuffer(vertices, 0, Float32Array.from(depths));
  const size = [WIDTH, HEIGHT];
  const color = device.createTexture({
    size,
    format: 'rgba32float',
    usage: GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.COPY_SRC,
  });
  const depth = device.createTexture({
    size,
    format: 'depth32float',
    usage: GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.COPY_SRC,
  });
  const read = (): GPUBuffer =>
    device.createBuffer({ size: 256 * HEIGHT, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
  const colors = read();
  const held = read();
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginRenderPass({
    colorAttachments: [{ view: color.createView(), clearValue: [-9, 0, 0, 0], loadOp: 'clear', storeOp: 'store' }],
    depthStencilAttachment: {
      view: depth.createView(),
      depthClearValue: 1,
      depthLoadOp: 'clear',
      depthStoreOp: 'store',
    },
  });
  pass.setPipeline(pipeline);
  pass.setVertexBuffer(0, vertices);
  pass.setViewport(0, 0, WIDTH, HEIGHT, ...range);
  pass.draw(3);
  pass.end();
  encoder.copyTextureToBuffer({ texture: color }, { buffer: colors, bytesPerRow: 256 }, size);
  encoder.copyTextureToBuffer({ texture: depth }, { buffer: held, bytesPerRow: 256 }, size);
  device.queue.submit([encoder.finish()]);
  await Promise.all([colors.mapAsync(GPUMapMode.READ), held.mapAsync(GPUMapMode.READ)]);
  const rows = (buffer: GPUBuffer, words: number): Float32Array => {
    const all = new Float32Array(buffer.getMappedRange());
    return Float32Array.from(
      { length: WIDTH * HEIGHT },
      (_, i) => all[Math.floor(i / WIDTH) * 64 + (i % WIDTH) * words]!
    );
  };
  return { seen: rows(colors, 4), held: rows(held, 1) };
}

const planeAt = ({ depths: [a, b, c], range: [near, far] }: Case, i: number): number => {
  const x = ((i % WIDTH) + 0.5) / (2 * WIDTH);
  const y = (Math.floor(i / WIDTH) + 0.5) / (2 * HEIGHT);
  return near + (a + (b - a) * x + (c - a) * y) * (far - near);
};

describe('unclipped depth', () => {
  const depth = fc.integer({ min: -64, max: 128 }).map((n) => n / 64);
  const cases = fc.record({
    depths: fc.tuple(depth, depth, depth),
    range: fc.constantFrom([0, 1] as const, [0.25, 0.75] as const, [0.5, 0.5] as const),
    entryPoint: fc.constantFrom('seen', 'written', 'some'),
    clips: fc.boolean(),
  });
  test('fragments see the unclamped depth; tests and writes clamp it', async () => {
    await fc.assert(
      fc.asyncProperty(cases, async (each) => {
        const drawn = await draw('compiled', each);
        const [near, far] = each.range;
        drawn.seen.forEach((seen, i) => {
          if (seen === -9) return;
          const z = planeAt(each, i);
          const own = each.entryPoint === 'written' ? 2 * seen - 0.5 : seen;
          // Vertices made by clipping are at multiples of 1/256 pixel.
          expect(Math.abs(seen - z)).toBeLessThan(each.clips ? 1e-3 : 1e-5);
          expect(drawn.held[i]).toBe(Math.min(Math.max(Math.fround(own), near), far));
        });
        if (!each.clips && each.entryPoint !== 'some') expect(drawn.seen.includes(-9)).toBe(false);
        for (const name of names.slice(1)) expect(await draw(name, each), name).toEqual(drawn);
      }),
      { numRuns: 25 }
    );
  }, 60_000);

  test('one beyond the range is 1.25, not 0.75', async () => {
    const each: Case = { depths: [2, 2, 2], range: [0.25, 0.75], entryPoint: 'seen', clips: false };
    for (const name of names) {
      const { seen, held } = await draw(name, each);
      expect([...new Set(seen)]).toEqual([1.25]);
      expect([...new Set(held)]).toEqual([0.75]);
    }
  });
});
