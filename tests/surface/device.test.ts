// Multisampled textures on a device: what they use of the memory budget and free again, and what the statistics report.
import { describe, expect, it } from 'vitest';
import type { StatisticsDevice, SurfaceStatistics } from '../../src/index';
import { GPUBufferUsage } from '../support/flags';
import { openBuiltWith } from '../images/open';

const { RENDER_ATTACHMENT, TEXTURE_BINDING, COPY_SRC, COPY_DST } = {
  RENDER_ATTACHMENT: 16,
  TEXTURE_BINDING: 4,
  COPY_SRC: 1,
  COPY_DST: 2,
};
const USAGE = RENDER_ATTACHMENT | TEXTURE_BINDING | COPY_SRC | COPY_DST;
const WIDTH = 150;
const HEIGHT = 100;
/** A triangle over about half of the target, with a distinct color per sample. */
const SHADER = `
@vertex fn half(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
  return vec4f(f32(i & 1u) * 2 - 1, f32(i >> 1u) * 2 - 1, 0.5, 1);
}
@vertex fn all(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
  return vec4f(f32(i & 1u) * 4 - 1, f32(i >> 1u) * 4 - 1, 0.25, 1);
}
@fragment fn flat() -> @location(0) vec4f { return vec4f(1, 0.5, 0.25, 1); }
@fragment fn noise(@builtin(position) p: vec4f, @builtin(sample_index) s: u32) -> @location(0) vec4f {
  return vec4f(p.x / 256, p.y / 256, f32(s) / 16, 1);
}`;

class Scene {
  private readonly pipelines = new Map<string, GPURenderPipeline>();
  constructor(readonly device: StatisticsDevice) {}
  static async open(options: Parameters<typeof openBuiltWith>[1] = {}): Promise<Scene> {
    return new Scene((await openBuiltWith(['statistics', 'extended-sample-counts'], options)) as StatisticsDevice);
  }
  texture(format: GPUTextureFormat, samples = 4, more: object = {}): GPUTexture {
    return this.device.createTexture({
      label: 'picture',
      size: [WIDTH, HEIGHT],
      format,
      usage: format.startsWith('depth') ? USAGE & ~3 : USAGE,
      sampleCount: samples,
      ...more,
    } as GPUTextureDescriptor);
  }
  async draw(
    color: GPUTexture,
    {
      vertex = 'half',
      fragment = 'flat',
      store = 'store' as GPUStoreOp,
      depth = null as GPUTexture | null,
      load = false,
    } = {}
  ): Promise<void> {
    const { device } = this;
    const pipeline = this.pipeline(color, vertex, fragment, depth);
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginRenderPass({
      colorAttachments: [
        { view: color.createView(), loadOp: load ? 'load' : 'clear', clearValue: [0.1, 0.2, 0.3, 1], storeOp: store },
      ],
      ...(depth
        ? {
            depthStencilAttachment: {
              view: depth.createView(),
              depthClearValue: 1,
              depthLoadOp: 'clear' as const,
              depthStoreOp: store,
            },
          }
        : {}),
    });
    pass.setPipeline(pipeline);
    pass.draw(3);
    pass.end();
    device.queue.submit([encoder.finish()]);
    await device.queue.onSubmittedWorkDone();
  }
  /** Cached, so that memory compared by a test does not include pipelines. */
  private pipeline(color: GPUTexture, vertex: string, fragment: string, depth: GPUTexture | null): GPURenderPipeline {
    const { device } = this;
    const key = `${vertex} ${fragment} ${color.format} ${color.sampleCount} ${depth?.format}`;
    const known = this.pipelines.get(key);
    if (known) return known;
    const module = device.createShaderModule({ code: SHADER });
    const made = device.createRenderPipeline({
      layout: 'auto',
      vertex: { module, entryPoint: vertex },
      fragment: { module, entryPoint: fragment, targets: [{ format: color.format }] },
      multisample: { count: color.sampleCount },
      ...(depth
        ? { depthStencil: { format: depth.format, depthWriteEnabled: true, depthCompare: 'less' as const } }
        : {}),
    });
    this.pipelines.set(key, made);
    return made;
  }
  get surfaces(): readonly SurfaceStatistics[] {
    return this.device.statistics().surfaces;
  }
  get used(): number {
    return this.device.statistics().memory.bytesUsed;
  }
  async failure(act: () => void, filter: GPUErrorFilter): Promise<string> {
    this.device.pushErrorScope(filter);
    act();
    return (await this.device.popErrorScope())?.message ?? 'no error';
  }
}

const total = (counts: SurfaceStatistics['pixels']): number =>
  counts.clear + counts.onePerPixel + counts.subset + counts.full;

describe.each([0, 2])('with %i threads', (threads) => {
  it('statistics report the bytes that the pixels of a surface occupy', async () => {
    const scene = await Scene.open({ threads });
    const [color, depth] = [scene.texture('rgba8unorm', 8), scene.texture('depth32float', 8)];
    expect(scene.surfaces).toMatchObject([
      {
        label: '[Texture "picture"]',
        format: 'rgba8unorm',
        sampleCount: 8,
        bytesHeld: 0,
        bytesUncompressed: 6 * 4096 * 32,
        tiles: { clear: 6 },
      },
      { format: 'depth32float', bytesHeld: 0 },
    ]);
    await scene.draw(color, { depth });
    const [held, depths] = scene.surfaces;
    expect(total(held!.pixels)).toBe(WIDTH * HEIGHT);
    expect(total(depths!.pixels)).toBe(WIDTH * HEIGHT);
    for (const pixels of [held!.pixels, depths!.pixels]) expect(pixels.clear).toBeGreaterThan((WIDTH * HEIGHT) / 4);
    expect(held!.pixels.onePerPixel).toBeGreaterThan((WIDTH * HEIGHT) / 4);
    expect(held!.pixels.subset).toBeGreaterThan(100);
    expect(held!.pixels.full).toBe(0);
    expect(held!.bytesHeld).toBeGreaterThan(0);
    expect(held!.bytesHeld).toBeLessThan(held!.bytesUncompressed / 4);
    expect(held!.bytesMoved).toBeLessThanOrEqual(held!.bytesHeld);
    expect(held!.bytesMovedUncompressed).toBeLessThanOrEqual(held!.bytesUncompressed);
    const states = await scene.device.encodingStates(color);
    const count = (state: number): number => states.filter((s) => s === state).length;
    expect([0, 1, 2, 3].map(count)).toEqual([
      held!.pixels.clear,
      held!.pixels.onePerPixel,
      held!.pixels.subset,
      held!.pixels.full,
    ]);
    // One triangle over everything again gives one value per pixel; what a pass discards takes no memory.
    await scene.draw(color, { vertex: 'all', load: true });
    expect(scene.surfaces[0]!.pixels).toEqual({ clear: 0, onePerPixel: WIDTH * HEIGHT, subset: 0, full: 0 });
    await scene.draw(color, { vertex: 'all', store: 'discard' });
    expect(scene.surfaces[0]).toMatchObject({ bytesHeld: 0, tiles: { clear: 6 } });
    scene.device.destroy();
  });

  it('without encoding, every stored tile holds all its samples', async () => {
    const scene = await Scene.open({ threads, surfaceEncoding: false });
    const color = scene.texture('rgba8unorm', 4);
    await scene.draw(color);
    const [held] = scene.surfaces;
    expect(held!.bytesHeld).toBe(held!.bytesUncompressed);
    expect(held!.tiles).toEqual({ clear: 0, onePerPixel: 0, subset: 0, full: 6 });
    scene.device.destroy();
  });

  it('the worst content takes at most a texel per sample, and destroying frees everything', async () => {
    // Background compilation would take memory, too.
    const scene = await Scene.open({ threads, engine: 'interpreter' });
    await scene.draw(scene.device.createTexture({ size: [8, 8], format: 'rgba8unorm', usage: USAGE }));
    const size = { size: [192, 128] };
    const color = scene.texture('rgba8unorm', 4, size);
    await scene.draw(color, { vertex: 'all', fragment: 'noise' });
    expect(scene.surfaces[0]).toMatchObject({ bytesHeld: 6 * 65536, bytesUncompressed: 6 * 65536 });
    color.destroy();
    await scene.device.queue.onSubmittedWorkDone();
    const before = scene.used;
    for (let i = 0; i < 3; i++) {
      const again = scene.texture('rgba8unorm', 4, size);
      expect(scene.used - before).toBeGreaterThan(6 * 65536 - 4096);
      expect(scene.used - before).toBeLessThan(6 * 65536 * 1.05);
      await scene.draw(again, { vertex: 'all', fragment: 'noise' });
      again.destroy();
      await scene.device.queue.onSubmittedWorkDone();
      // Less, if other garbage of the test was collected meanwhile.
      expect(scene.used).toBeLessThanOrEqual(before);
    }
    expect(scene.surfaces).toEqual([]);
    scene.device.destroy();
  });

  it('a texture with overcommit reserves nothing, and loses the device if its content does not fit', async () => {
    const scene = await Scene.open({ threads, memoryBudget: 4 << 20, arenaBytes: 65536 });
    // 6 MiB of samples.
    const size = { size: [512, 384] };
    expect(await scene.failure(() => scene.texture('rgba16float', 4, size), 'out-of-memory')).toMatch(
      /^\[Texture "picture"\] needs 6291456 bytes/
    );
    const color = scene.texture('rgba16float', 4, { ...size, overcommit: true });
    await scene.draw(color);
    const { bytesHeld, bytesUncompressed } = scene.surfaces[0]!;
    expect(bytesUncompressed).toBe(6 << 20);
    expect(bytesHeld).toBeGreaterThan(0);
    void scene.draw(color, { vertex: 'all', fragment: 'noise' }).catch(() => undefined);
    const lost = await scene.device.lost;
    expect(lost.message).toMatch(
      /\[Texture "picture"\] was created with overcommit, and its contents do not fit in memory/
    );
  });

  it('pages that a pass leaves over are used by other resources before memory grows', async () => {
    const scene = await Scene.open({ threads, arenaBytes: 65536 });
    const memory = (): { bytesUsed: number; bytesReserved: number } => scene.device.statistics().memory;
    const before = memory().bytesUsed;
    // 24 MiB of samples.
    const color = scene.texture('rgba16float', 4, { size: [1024, 768], overcommit: true });
    await scene.draw(color);
    await scene.draw(color);
    const { bytesUsed, bytesReserved } = memory();
    expect(bytesUsed - before).toBeLessThan(6 << 20);
    const buffer = scene.device.createBuffer({ size: 16 << 20, usage: GPUBufferUsage.COPY_DST });
    expect(memory().bytesReserved).toBe(bytesReserved);
    expect(memory().bytesUsed - bytesUsed).toBe(buffer.size);
    await scene.draw(color);
    scene.device.destroy();
  });

  it('a texture with overcommit takes no memory reserved by others', async () => {
    // 6 MiB of samples would fit, if the other texture had not reserved 3 MiB that it does not use yet.
    const scene = await Scene.open({ threads, memoryBudget: 9 << 20, arenaBytes: 65536 });
    const size = { size: [512, 384] };
    const promised = scene.texture('rgba8unorm', 4, size);
    await scene.draw(promised, { vertex: 'all', fragment: 'noise' });
    await scene.draw(promised);
    const color = scene.texture('rgba16float', 4, { ...size, overcommit: true });
    await scene.draw(color);
    await scene.draw(promised, { vertex: 'all', fragment: 'noise' });
    expect(scene.surfaces.map(({ bytesHeld, bytesUncompressed }) => bytesHeld === bytesUncompressed)).toEqual([
      true,
      false,
    ]);
    await scene.draw(promised);
    void scene.draw(color, { vertex: 'all', fragment: 'noise' }).catch(() => undefined);
    expect((await scene.device.lost).message).toContain('was created with overcommit');
  });
});

describe('a multisampled texture', () => {
  it('is copied exactly', async () => {
    const scene = await Scene.open({ threads: 0 });
    const [from, to] = [scene.texture('rgba8unorm'), scene.texture('rgba8unorm')];
    await scene.draw(from);
    const encoder = scene.device.createCommandEncoder();
    encoder.copyTextureToTexture({ texture: from }, { texture: to }, [WIDTH, HEIGHT]);
    scene.device.queue.submit([encoder.finish()]);
    expect(await scene.device.encodingStates(to)).toEqual(await scene.device.encodingStates(from));
    const [a, b] = scene.surfaces;
    expect(b!.bytesHeld).toBe(a!.bytesHeld);
    scene.device.destroy();
  });

  it('holds no bytes for tiles of one value, which count as one value per pixel', async () => {
    const scene = await Scene.open({ threads: 0 });
    const color = scene.texture('rgba8unorm', 4, { size: [128, 128] });
    await scene.draw(color, { vertex: 'all' });
    expect(scene.surfaces[0]).toMatchObject({ bytesHeld: 0, tiles: { onePerPixel: 4 } });
    expect(new Set(await scene.device.encodingStates(color))).toEqual(new Set([1]));
    scene.device.destroy();
  });

  it('is not read by a draw call that covers it', async () => {
    const scene = await Scene.open({ threads: 0 });
    const color = scene.texture('rgba8unorm', 8, { size: [128, 128] });
    const moved = async (more: object): Promise<number> => {
      const before = scene.surfaces[0]!.bytesMoved;
      await scene.draw(color, { load: true, ...more });
      return scene.surfaces[0]!.bytesMoved - before;
    };
    await scene.draw(color, { vertex: 'all', fragment: 'noise' });
    const full = 128 * 128 * 32;
    expect(await moved({ fragment: 'flat' })).toBeGreaterThan(full / 2);
    await scene.draw(color, { vertex: 'all', fragment: 'noise' });
    // Each tile then holds one value, for which nothing is written.
    expect(await moved({ vertex: 'all', fragment: 'flat' })).toBe(0);
    scene.device.destroy();
  });

  it('has its thresholds and overcommit validated', async () => {
    const scene = await Scene.open({ threads: 0 });
    const refused = (format: GPUTextureFormat, samples: number, more: object): Promise<string> =>
      scene.failure(() => scene.texture(format, samples, more), 'validation');
    expect(await refused('rgba8unorm', 4, { colorMergeThreshold: -0.1 })).toMatch(
      /colorMergeThreshold must be finite and at least 0, not -0.1/
    );
    expect(await refused('rgba8unorm', 4, { colorMergeThreshold: NaN })).toMatch(
      /colorMergeThreshold must be finite and at least 0, not NaN/
    );
    expect(await refused('depth32float', 4, { depthMergeThreshold: Infinity })).toMatch(
      /depthMergeThreshold must be finite and at least 0, not Infinity/
    );
    expect(await refused('rgba8unorm', 1, { colorMergeThreshold: 0.1 })).toMatch(
      /colorMergeThreshold is only for multisampled textures/
    );
    expect(await refused('rgba8uint', 4, { colorMergeThreshold: 0.1 })).toMatch(
      /colorMergeThreshold is only for float and normalized colour formats, not rgba8uint/
    );
    expect(await refused('rgba8unorm', 4, { depthMergeThreshold: 0.1 })).toMatch(
      /depthMergeThreshold is only for formats with depth, not rgba8unorm/
    );
    expect(await refused('rgba8unorm', 1, { overcommit: true })).toMatch(
      /overcommit is only for multisampled textures/
    );
    expect(await refused('rgba8unorm', 4, { colorMergeThreshold: 0.1, overcommit: true })).toBe('no error');
    expect(await refused('depth24plus-stencil8', 4, { depthMergeThreshold: 0 })).toBe('no error');
    await expect(scene.device.encodingStates(scene.texture('rgba8unorm', 1))).rejects.toThrow(/it has one sample/);
    scene.device.destroy();
  });

  it('has no pixel states if it or its device is destroyed before they are read', async () => {
    const scene = await Scene.open({ threads: 0 });
    const [first, second] = [scene.texture('rgba8unorm'), scene.texture('rgba8unorm')];
    const destroyed = scene.device.encodingStates(first);
    first.destroy();
    await expect(destroyed).rejects.toThrow(/encodingStates: it was destroyed/);
    const lost = scene.device.encodingStates(second);
    scene.device.destroy();
    await expect(lost).rejects.toThrow('[Texture "picture"] encodingStates: the device is lost');
  });

  it('stores similar samples as one with a threshold', async () => {
    const scene = await Scene.open({ threads: 0 });
    const textures = [{}, { colorMergeThreshold: 0.2 }].map((more) =>
      scene.texture('rgba8unorm', 4, { size: [192, 128], ...more })
    );
    for (const color of textures) await scene.draw(color, { vertex: 'all', fragment: 'noise' });
    const [a, b] = scene.surfaces;
    expect(a!.pixels.full).toBe(192 * 128);
    expect(b!.pixels.onePerPixel).toBe(192 * 128);
    scene.device.destroy();
  });
});
