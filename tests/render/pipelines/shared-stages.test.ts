// Pipelines with the same shaders share everything that is made from them, and the statistics show it.
import { afterEach, expect, test, vi } from 'vitest';
import { StageProgram } from '../../../src/render/shaders/stage-program';
import { compiled, descriptor, frame, moduleOf, open, read, target } from './engines.kit';

afterEach(() => void vi.restoreAllMocks());

const HEAD = 'struct V { @builtin(position) p: vec4f, @location(0) a: vec2f, @location(1) b: f32 }';
const vertexCode = (k: number): string => `${HEAD}
  @vertex fn vs(@builtin(vertex_index) i: u32) -> V {
    let at = vec2f(f32(i & 1u) * 4 - 1, f32(i >> 1u) * 4 - 1);
    return V(vec4f(at, 0.5, 1), at ${'* at + 0.5 '.repeat(k + 1)}, at.x ${'* at.y'.repeat(k)});
  }`;
const fragmentCode = (k: number): string => `${HEAD}
  @fragment fn fs(v: V) -> @location(0) vec4f { return fract(vec4f(v.a, v.b, 1) ${'* 1.5 + 0.25'.repeat(k + 1)}); }`;

test.each(['auto', 'jit'] as const)('100 pipelines of ten by ten shaders are twenty stages: %s', async (engine) => {
  const device = await open({ engine });
  const modules = (make: (k: number) => string): GPUShaderModule[] =>
    Array.from({ length: 10 }, (_, k) => device.createShaderModule({ code: make(k) }));
  const vertices = modules(vertexCode);
  const fragments = modules(fragmentCode);
  const pipelines = vertices.flatMap((vertex) =>
    fragments.map((fragment) =>
      device.createRenderPipeline({
        layout: 'auto',
        vertex: { module: vertex },
        fragment: { module: fragment, targets: [{ format: 'rgba8unorm' }] },
      })
    )
  );
  expect(await compiled(device, 100)).toMatchObject({ compiled: 100, interpreted: 0, shared: 180 });
  const { programs } = device.statistics();
  expect(programs.emitted + programs.fromCache).toBe(20);
  for (const kind of ['vertex', 'fragment']) {
    const stages = programs.stages.filter((stage) => stage.kind === kind);
    expect(stages).toHaveLength(10);
    for (const stage of stages) {
      expect(stage).toMatchObject({
        rate: kind === 'vertex' ? 'vertex' : 'pixel',
        pipelines: 10,
        runs: 0,
        state: 'compiled',
      });
      expect(stage.instructions).toBeGreaterThan(5);
      expect(stage.moduleBytes).toBeGreaterThan(100);
    }
  }
  expect(programs.stages.reduce((sum, stage) => sum + stage.moduleBytes, 0)).toBe(programs.moduleBytes);
  // Each pair draws the same as on a separate device.
  const still = await open({ engine: 'interpreter' });
  for (const [v, f] of [
    [0, 0],
    [3, 7],
    [9, 2],
  ] as const) {
    const alone = still.createRenderPipeline({
      layout: 'auto',
      vertex: { module: still.createShaderModule({ code: vertexCode(v) }) },
      fragment: { module: still.createShaderModule({ code: fragmentCode(f) }), targets: [{ format: 'rgba8unorm' }] },
    });
    expect(await frame(device, [pipelines[v * 10 + f]!])).toBe(await frame(still, [alone]));
  }
  still.destroy();
  device.destroy();
});

test('a large draw call is compiled before it begins', async () => {
  const device = await open({ engine: 'auto' });
  const results: boolean[] = [];
  const original = StageProgram.prototype.switchToCompiled;
  vi.spyOn(StageProgram.prototype, 'switchToCompiled').mockImplementation(function (
    this: StageProgram,
    registers: number
  ) {
    const result = original.call(this, registers);
    results.push(result);
    return result;
  });
  const pipeline = device.createRenderPipeline(descriptor(moduleOf(device, 7001)));
  const texture = target(device);
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginRenderPass({
    colorAttachments: [{ view: texture.createView(), loadOp: 'clear', storeOp: 'store' }],
  });
  pass.setPipeline(pipeline);
  pass.draw(3, 4000);
  pass.end();
  device.queue.submit([encoder.finish()]);
  await read(device, texture);
  // Its two stages, at the first opportunity.
  expect(results.slice(0, 2)).toEqual([true, true]);
  const { programs } = device.statistics();
  expect(programs).toMatchObject({ compiled: 1, interpreted: 0 });
  expect(programs.stages.map(({ kind, runs }) => [kind, runs])).toEqual([
    ['vertex', 1],
    ['fragment', 1],
  ]);
  device.destroy();
});
