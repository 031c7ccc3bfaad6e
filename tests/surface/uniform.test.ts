// Surfaces with a single value: cleared again to the same and to another value, resolved, copied, read and drawn to.
// Also multisampled attachments with 32 bits per channel, and the memory that small surfaces reserve. Results are the
// same with and without encoding.
import { afterEach, describe, expect, it } from 'vitest';
import { globals, type StatisticsDevice } from '../../src/index';
import type { CreateOptions } from '../support/options';
import { openBuiltWith } from '../images/open';

const { GPUBufferUsage, GPUMapMode, GPUTextureUsage } = globals as unknown as {
  GPUBufferUsage: typeof globalThis.GPUBufferUsage;
  GPUMapMode: typeof globalThis.GPUMapMode;
  GPUTextureUsage: typeof globalThis.GPUTextureUsage;
};
const SIZE = [80, 72];
const FEATURES = ['statistics', 'extended-sample-counts', 'multisample-32bit'];
const CODE = `
  @vertex fn half(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
    return vec4f(array(vec2f(-1, -1), vec2f(0.3, -1), vec2f(-1, 0.4))[i], 0, 1); }
  @vertex fn all(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
    return vec4f(f32(i & 1) * 4 - 1, f32(i >> 1) * 4 - 1, 0, 1); }
  @fragment fn flat() -> @location(0) vec4f { return vec4f(0.25, 1e6, -3, 0.5); }
  @fragment fn noise(@builtin(position) p: vec4f, @builtin(sample_index) s: u32) -> @location(0) vec4f {
    return vec4f(p.xy, f32(s), 1); }
  @group(0) @binding(0) var t: texture_multisampled_2d<f32>;
  @fragment fn read(@builtin(position) p: vec4f) -> @location(0) vec4f {
    let count = textureNumSamples(t);
    return textureLoad(t, vec2u(u32(p.x) / count, u32(p.y)), u32(p.x) % count); }`;
let device: StatisticsDevice;
afterEach(() => {
  device.destroy();
});

class Scene {
  readonly module = device.createShaderModule({ code: CODE });
  texture(format: GPUTextureFormat, samples: number, size: number[] = SIZE): GPUTexture {
    return device.createTexture({
      size,
      format,
      sampleCount: samples,
      usage:
        GPUTextureUsage.RENDER_ATTACHMENT
        | GPUTextureUsage.COPY_SRC
        | GPUTextureUsage.TEXTURE_BINDING
        | (samples > 1 ? GPUTextureUsage.COPY_DST : 0),
    });
  }
  pass(
    texture: GPUTexture,
    {
      clear,
      vertex = 'half',
      draw,
      resolveTarget,
      storeOp = 'store',
    }: { clear?: number[]; vertex?: string; draw?: string; resolveTarget?: GPUTexture; storeOp?: GPUStoreOp }
  ): void {
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginRenderPass({
      colorAttachments: [
        {
          view: texture.createView(),
          storeOp,
          loadOp: clear ? 'clear' : 'load',
          clearValue: clear ?? [0, 0, 0, 0],
          ...(resolveTarget ? { resolveTarget: resolveTarget.createView() } : {}),
        },
      ],
    });
    if (draw) {
      pass.setPipeline(this.pipeline(texture, vertex, draw));
      pass.draw(3);
    }
    pass.end();
    device.queue.submit([encoder.finish()]);
  }
  private pipeline(texture: GPUTexture, vertex: string, draw: string): GPURenderPipeline {
    const { module } = this;
    return device.createRenderPipeline({
      layout: 'auto',
      vertex: { module, entryPoint: vertex },
      fragment: { module, entryPoint: draw, targets: [{ format: texture.format }] },
      multisample: { count: texture.sampleCount },
    });
  }
  copy(from: GPUTexture, to: GPUTexture): void {
    const encoder = device.createCommandEncoder();
    encoder.copyTextureToTexture({ texture: from }, { texture: to }, SIZE);
    device.queue.submit([encoder.finish()]);
  }
  /** Texels of a single-sampled texture, or all samples of a multisampled one, as floats or bytes. */
  async texels(texture: GPUTexture): Promise<Float32Array | Uint8Array> {
    let source = texture;
    let { width } = texture;
    if (texture.sampleCount > 1) {
      width *= texture.sampleCount;
      source = this.texture(texture.format, 1, [width, texture.height]);
      const pipeline = this.pipeline(source, 'all', 'read');
      const encoder = device.createCommandEncoder();
      const pass = encoder.beginRenderPass({
        colorAttachments: [{ view: source.createView(), loadOp: 'clear', storeOp: 'store' }],
      });
      pass.setPipeline(pipeline);
      pass.setBindGroup(
        0,
        device.createBindGroup({
          layout: pipeline.getBindGroupLayout(0),
          entries: [{ binding: 0, resource: texture.createView() }],
        })
      );
      pass.draw(3);
      pass.end();
      device.queue.submit([encoder.finish()]);
    }
    const bytes = texture.format.startsWith('rgba32') ? 16 : 4;
    const bytesPerRow = Math.ceil((width * bytes) / 256) * 256;
    const buffer = device.createBuffer({
      size: bytesPerRow * texture.height,
      usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ,
    });
    const encoder = device.createCommandEncoder();
    encoder.copyTextureToBuffer({ texture: source }, { buffer, bytesPerRow }, [width, texture.height]);
    device.queue.submit([encoder.finish()]);
    await buffer.mapAsync(GPUMapMode.READ);
    const all = new Uint8Array(buffer.getMappedRange());
    const rows = new Uint8Array(width * texture.height * bytes);
    for (let y = 0; y < texture.height; y++)
      rows.set(all.subarray(y * bytesPerRow, y * bytesPerRow + width * bytes), y * width * bytes);
    return bytes === 16 ? new Float32Array(rows.buffer) : rows;
  }
}

const WAYS: [string, CreateOptions][] = [
  ['no threads', { threads: 0 }],
  ['two threads', { threads: 2 }],
  ['without encoding', { threads: 0, surfaceEncoding: false }],
];

describe.each(WAYS)('%s', (name, options) => {
  const every = (texels: Float32Array | Uint8Array, want: readonly number[]): boolean =>
    texels.every((x, i) => x === want[i & 3]);

  it('a surface with a single value is cleared again, resolved, copied and drawn to', async () => {
    device = (await openBuiltWith(FEATURES, options)) as StatisticsDevice;
    const scene = new Scene();
    const t = scene.texture('rgba8unorm', 8);
    const other = scene.texture('rgba8unorm', 8);
    const resolved = scene.texture('rgba8unorm', 1);
    const a = [51, 102, 153, 255];
    const b = [255, 0, 51, 204];
    const of = (bytes: number[]): number[] => bytes.map((x) => x / 255);
    expect(every(await scene.texels(t), [0, 0, 0, 0])).toBe(true);
    scene.pass(t, { clear: of(a) });
    scene.pass(t, { clear: of(a), resolveTarget: resolved });
    expect(every(await scene.texels(resolved), a)).toBe(true);
    expect(every(await scene.texels(t), a)).toBe(true);
    scene.copy(t, other);
    expect(every(await scene.texels(other), a)).toBe(true);
    scene.pass(t, { clear: of(b) });
    scene.pass(t, { resolveTarget: resolved });
    expect(every(await scene.texels(resolved), b)).toBe(true);
    // Not stored: the clear value is resolved, and the surface is zero afterwards.
    scene.pass(other, { clear: of(b), resolveTarget: resolved, storeOp: 'discard' });
    expect(every(await scene.texels(resolved), b)).toBe(true);
    expect(every(await scene.texels(other), [0, 0, 0, 0])).toBe(true);
    // After drawing it holds more than one value; after a clear it holds one again.
    scene.pass(t, { draw: 'flat' });
    scene.pass(t, { resolveTarget: resolved });
    const drawn = await scene.texels(resolved);
    expect([...drawn.slice(0, 4)]).toEqual(b);
    expect([...drawn.slice(71 * 80 * 4, 71 * 80 * 4 + 4)]).toEqual([64, 255, 0, 128]);
    scene.copy(t, other);
    expect(await scene.texels(other)).toEqual(await scene.texels(t));
    scene.pass(t, { clear: of(a) });
    expect(every(await scene.texels(t), a)).toBe(true);
    const [held] = device.statistics().surfaces;
    if (name !== 'without encoding') {
      expect(held).toMatchObject({ bytesHeld: 0, tiles: { clear: 4 }, pixels: { clear: 80 * 72 } });
      expect([...(await device.encodingStates(t))].every((state) => state === 0)).toBe(true);
    }
  });

  it.each([4, 16])('attachments of four floats per sample, %i samples', async (samples) => {
    device = (await openBuiltWith(FEATURES, options)) as StatisticsDevice;
    const scene = new Scene();
    const t = scene.texture('rgba32float', samples);
    scene.pass(t, { clear: [1e-3, 2, 3, 4], draw: 'flat' });
    const held = await scene.texels(t);
    const counts = new Map<string, number>();
    for (let i = 0; i < held.length; i += 4) {
      const texel = [...held.subarray(i, i + 4)].join();
      counts.set(texel, (counts.get(texel) ?? 0) + 1);
    }
    expect([...counts.keys()].sort()).toEqual([`${Math.fround(1e-3)},2,3,4`, '0.25,1000000,-3,0.5'].sort());
    // Approximately the triangle's share of the samples.
    const share = counts.get('0.25,1000000,-3,0.5')! / (80 * 72 * samples);
    expect(share).toBeGreaterThan((0.65 * 0.7) / 2 - 0.01);
    expect(share).toBeLessThan((0.65 * 0.7) / 2 + 0.01);
    scene.pass(t, { draw: 'noise', vertex: 'all' });
    const noise = await scene.texels(t);
    for (const [x, y, s] of [
      [0, 0, 0],
      [79, 71, 3],
      [64, 8, 2],
      [7, 65, 1],
    ] as const) {
      const at = ((y * 80 + x) * samples + s) * 4;
      const [px, py, sample, one] = noise.subarray(at, at + 4);
      // One invocation per sample, at the sample's position.
      expect([Math.floor(px!), Math.floor(py!), sample, one]).toEqual([x, y, s, 1]);
    }
  });
});

it('small surfaces reserve only the blocks that they have', async () => {
  device = (await openBuiltWith(FEATURES, { threads: 0 })) as StatisticsDevice;
  const before = device.statistics().memory.bytesUsed;
  const scene = new Scene();
  const small = scene.texture('rgba8unorm', 4, [16, 12]);
  // 2 × 2 blocks of 64 pixels of 16 bytes: a page. A tile would be 16 of them.
  expect(device.statistics().memory.bytesUsed - before).toBeLessThan(2 * 4096);
  scene.pass(small, { draw: 'noise', vertex: 'all' });
  await device.queue.onSubmittedWorkDone();
  expect(device.statistics().surfaces[0]).toMatchObject({ bytesHeld: 4096 });
});
