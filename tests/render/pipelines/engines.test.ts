// Which engine runs shaders: the option, platforms that forbid compilation, and the switch of a pipeline between
// engines, which does not change the picture.
import { afterEach, describe, expect, test, vi } from 'vitest';
import { create } from '../../../src/index';
import { StageProgram } from '../../../src/render/shaders/stage-program';
import { compiled, descriptor, drawInto, frame, moduleOf, open, read, target } from './engines.kit';
import { GPUBufferUsage } from '../../support/flags';

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

const reference = await (async (): Promise<string> => {
  const device = await open({ engine: 'interpreter' });
  const pixels = await frame(device, [device.createRenderPipeline(descriptor(moduleOf(device)))]);
  expect(device.statistics().programs).toMatchObject({
    engine: 'interpreter',
    compiled: 0,
    interpreted: 1,
    moduleBytes: 0,
    times: { emit: 0, compile: 0 },
  });
  device.destroy();
  return pixels;
})();

describe('the engine option', () => {
  test('accepts three names', () => {
    for (const engine of ['auto', 'jit', 'interpreter'] as const) expect(create({ engine })).toBeDefined();
    expect(() => create({ engine: 'fast' as 'jit' })).toThrow(
      new TypeError('create: engine must be "auto", "jit", "interpreter", not "fast"')
    );
    expect(() => create({ engine: null as unknown as 'jit' })).toThrow(TypeError);
  });

  test("'jit' compiles a pipeline when it is created", async () => {
    const device = await open({ engine: 'jit' });
    const pipeline = device.createRenderPipeline(descriptor(moduleOf(device)));
    expect(device.statistics().programs).toMatchObject({ engine: 'jit', compiled: 1, interpreted: 0 });
    expect(await frame(device, [pipeline])).toEqual(reference);
    device.destroy();
  });

  test("with the scalar kernel, 'auto' interprets silently and 'jit' is an error with advice", async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    const device = await open({ engine: 'auto', simd: false });
    expect(device.statistics().programs.engine).toBe('interpreter');
    expect(await frame(device, [device.createRenderPipeline(descriptor(moduleOf(device)))])).toEqual(reference);
    expect(warn).not.toHaveBeenCalled();
    await expect(open({ engine: 'jit', simd: false })).rejects.toThrow(
      "create({ engine: 'jit' }): the scalar kernel does not support compiled shaders: leave out simd: false, "
        + "or use engine: 'auto', which falls back to the interpreter"
    );
    await expect(open({ engine: 'jit', immediate: true })).rejects.toThrow(/the oracle is always interpreted/);
    device.destroy();
  });
});

describe('switching from the interpreter to compiled code', () => {
  test('between frames: the pictures are the same', async () => {
    const device = await open({ engine: 'auto' });
    const pipeline = device.createRenderPipeline(descriptor(moduleOf(device)));
    expect(device.statistics().programs.compiled).toBe(0);
    expect(await frame(device, [pipeline])).toEqual(reference);
    await compiled(device, 1);
    expect(await frame(device, [pipeline])).toEqual(reference);
    device.destroy();
  });

  test('within a pass, between chunks', async () => {
    const options = { engine: 'auto', chunkEveryDraw: true } as const;
    const LAYERS = 40;
    const still = await open({ ...options, engine: 'interpreter' });
    const one = still.createRenderPipeline(descriptor(moduleOf(still, 1)));
    const expected = await frame(still, new Array<GPURenderPipeline>(LAYERS).fill(one));
    still.destroy();
    const device = await open(options);
    // Skips the opportunities before its first chunks.
    const original = StageProgram.prototype.switchToCompiled;
    const results: boolean[] = [];
    vi.spyOn(StageProgram.prototype, 'switchToCompiled').mockImplementation(function (
      this: StageProgram,
      registers: number
    ) {
      const result = results.length >= LAYERS && original.call(this, registers);
      results.push(result);
      return result;
    });
    const pipeline = await device.createRenderPipelineAsync(descriptor(moduleOf(device, 1)));
    expect(await frame(device, new Array<GPURenderPipeline>(LAYERS).fill(pipeline))).toEqual(expected);
    // For each of its two stages.
    expect(results.indexOf(true)).toBe(LAYERS);
    expect(results.filter(Boolean)).toHaveLength(2);
    device.destroy();
  });

  test('many pipelines while they are being compiled', async () => {
    const SEEDS = Array.from({ length: 12 }, (_, i) => 100 + i);
    const pictures = async (device: GPUDevice): Promise<string[]> => {
      const pipelines = SEEDS.map((seed) => device.createRenderPipeline(descriptor(moduleOf(device, seed))));
      const textures = [...pipelines, ...pipelines].map((pipeline) => {
        const texture = target(device);
        drawInto(device, texture, [pipelines[0]!, pipeline, pipelines[3]!, pipeline]);
        return texture;
      });
      return Promise.all(textures.map((texture) => read(device, texture)));
    };
    const [still, device] = [await open({ engine: 'interpreter' }), await open({ engine: 'auto' })];
    expect(await pictures(device)).toEqual(await pictures(still));
    expect(await compiled(device, SEEDS.length)).toMatchObject({ compiled: SEEDS.length, interpreted: 0 });
    still.destroy();
    device.destroy();
  });
});

describe('createRenderPipelineAsync', () => {
  test('resolves with compiled shaders', async () => {
    const device = await open({ engine: 'auto' });
    const pipeline = await device.createRenderPipelineAsync(descriptor(moduleOf(device, 2)));
    const { compiled: count, times, moduleBytes } = device.statistics().programs;
    expect(count).toBe(1);
    expect(moduleBytes).toBeGreaterThan(0);
    for (const step of ['emit', 'compile', 'instantiate', 'warmUp'] as const) expect(times[step]).toBeGreaterThan(0);
    await frame(device, [pipeline]);
    device.destroy();
  });

  test('warms up the code of a shader once, for all devices', async () => {
    const [one, two] = [await open({ engine: 'auto' }), await open({ engine: 'auto' })];
    for (const device of [one, two]) await device.createRenderPipelineAsync(descriptor(moduleOf(device, 4)));
    expect(one.statistics().programs.times.warmUp).toBeGreaterThan(0);
    expect(two.statistics().programs).toMatchObject({ compiled: 1, emitted: 0, fromCache: 2, times: { warmUp: 0 } });
    one.destroy();
    two.destroy();
  });

  test('frees the memory used for warming up', async () => {
    const device = await open({ engine: 'jit' });
    await device.createRenderPipelineAsync(descriptor(moduleOf(device, 5)));
    const { memory } = device.statistics();
    device.createRenderPipeline(descriptor(moduleOf(device, 5)));
    const now = device.createRenderPipeline(descriptor(moduleOf(device, 5)));
    const each = device.statistics().memory.bytesUsed - memory.bytesUsed;
    // Pipelines with the same stages share bytecode and functions.
    expect([now.label, each]).toEqual(['', 0]);
    const other = await open({ engine: 'jit' });
    other.createRenderPipeline(descriptor(moduleOf(other, 5)));
    expect(other.statistics().memory.bytesUsed).toBe(memory.bytesUsed);
    device.destroy();
    other.destroy();
  });

  /** A vertex shader that covers the target, and a fragment shader with `body`. */
  const covering = (device: GPUDevice, declarations: string, body: string): GPURenderPipelineDescriptor => {
    const module = device.createShaderModule({
      code: `${declarations}
      @vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
        return vec4f(f32(i & 1u) * 4 - 1, f32(i >> 1u) * 4 - 1, 0, 1);
      }
      @fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4f { ${body} }`,
    });
    return { layout: 'auto', vertex: { module }, fragment: { module, targets: [{ format: 'rgba8unorm' }] } };
  };

  test('a shader that never ends on zeros does not delay it', async () => {
    const device = await open({ engine: 'auto' });
    const began = performance.now();
    const pipeline = await device.createRenderPipelineAsync(
      covering(
        device,
        '@group(0) @binding(0) var<uniform> limit: vec4u;',
        `
          var n = 0u; loop { n++; if (limit.x > 0u && n > limit.x) { break; } }
          return vec4f(f32(n) / 255.0, p.x / 64.0, 0, 1);
        `
      )
    );
    expect(performance.now() - began).toBeLessThan(5000);
    expect(device.statistics().programs.compiled).toBe(1);
    const limit = device.createBuffer({ size: 16, usage: GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST });
    device.queue.writeBuffer(limit, 0, Uint32Array.of(100, 0, 0, 0));
    const texture = target(device);
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginRenderPass({
      colorAttachments: [{ view: texture.createView(), loadOp: 'clear', storeOp: 'store' }],
    });
    pass.setPipeline(pipeline);
    pass.setBindGroup(
      0,
      device.createBindGroup({
        layout: pipeline.getBindGroupLayout(0),
        entries: [{ binding: 0, resource: { buffer: limit } }],
      })
    );
    pass.draw(3);
    pass.end();
    device.queue.submit([encoder.finish()]);
    await read(device, texture);
    device.destroy();
  });

  test('shaders with every kind of resource', async () => {
    const device = await open({ engine: 'auto' });
    const lost = vi.fn();
    void device.lost.then(lost);
    const kinds: [string, string][] = [
      ['texture_1d<f32>', 'textureSampleLevel(t, s, p.x, 0)'],
      ['texture_2d<f32>', 'textureSample(t, s, p.xy)'],
      ['texture_2d<i32>', 'vec4f(textureLoad(t, vec2i(p.xy), 0))'],
      ['texture_2d_array<u32>', 'vec4f(textureLoad(t, vec2i(p.xy), i32(p.x), 0))'],
      ['texture_3d<f32>', 'textureSampleGrad(t, s, p.xyz, dpdx(p.xyz), dpdy(p.xyz))'],
      ['texture_cube<f32>', 'textureSampleBias(t, s, p.xyz, 1)'],
      ['texture_cube_array<f32>', 'textureSample(t, s, p.xyz, 3)'],
      ['texture_depth_2d', 'vec4f(textureSample(t, s, p.xy))'],
      ['texture_multisampled_2d<f32>', 'textureLoad(t, vec2i(p.xy), 3)'],
      ['texture_depth_multisampled_2d', 'vec4f(textureLoad(t, vec2i(p.xy), 1))'],
    ];
    for (const [type, value] of kinds) {
      await device.createRenderPipelineAsync(
        covering(
          device,
          `@group(0) @binding(0) var t: ${type}; @group(0) @binding(1) var s: sampler;`,
          `return ${value};`
        )
      );
    }
    await device.createRenderPipelineAsync(
      covering(
        device,
        '@group(0) @binding(0) var t: texture_depth_2d; @group(0) @binding(1) var s: sampler_comparison;',
        'return vec4f(textureSampleCompare(t, s, p.xy, 0.5));'
      )
    );
    await device.createRenderPipelineAsync(
      covering(
        device,
        '@group(0) @binding(0) var<storage, read> b: array<vec4f>;',
        'return b[u32(p.x * 1e9)] + b[arrayLength(&b) - 1u];'
      )
    );
    expect(device.statistics().programs).toMatchObject({ compiled: kinds.length + 2, interpreted: 0 });
    await device.queue.onSubmittedWorkDone();
    expect(lost).not.toHaveBeenCalled();
    device.destroy();
  });

  test.each([0, 2])('does not delay draw calls that follow, with %i workers', async (threads) => {
    const device = await open({ engine: 'auto', threads });
    const pipeline = await device.createRenderPipelineAsync(descriptor(moduleOf(device, 6)));
    const lines = Array.from({ length: 600 }, (_, i) => `v = sin(v * ${i}.5) + v.yzwx * ${i}.25;`);
    const module = device.createShaderModule({
      code: `
        @vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f { return vec4f(f32(i)); }
        @fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4f {
          var v = p;
          ${lines.join('\n')}
          return v;
        }`,
    });
    const order: string[] = [];
    const making = device.createRenderPipelineAsync(descriptor(module)).then(() => order.push('pipeline'));
    const drawing = frame(device, [pipeline]).then(() => order.push('picture'));
    await Promise.all([making, drawing]);
    expect(order).toEqual(['picture', 'pipeline']);
    device.destroy();
  });

  test('resolves when the device is lost meanwhile', async () => {
    const device = await open({ engine: 'auto' });
    const making = device.createRenderPipelineAsync(descriptor(moduleOf(device, 3)));
    device.destroy();
    await expect(making).resolves.toBeDefined();
  });
});
