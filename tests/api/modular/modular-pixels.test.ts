// Fragment slots of modular pipelines: validation, descriptions, statistics and bundles.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type {
  ModularPipeline,
  ModularPipelineCommands,
  ModularPipelineDescriptor,
  ModularPipelineDevice,
  ModularStage,
  StatisticsDevice,
} from '../../../src/index';
import { open } from '../../threads/open';
import { GPUBufferUsage, GPUTextureUsage } from '../../support/flags';
import { apiDevice } from '../fake';

type Device = GPUDevice & ModularPipelineDevice & StatisticsDevice;
type Pass = GPURenderPassEncoder & ModularPipelineCommands;

const CODE = `enable modular_pipelines; enable fragment_stages;
  struct V { @builtin(position) p: vec4f, @location(0) uv: vec2f }
  struct Lit { @link(0) color: vec4f, @link(1) light: f32 }
  override k: f32 = 0.25;
  @vertex fn corner(@builtin(vertex_index) i: u32) -> V {
    let at = array(vec2f(-1, -1), vec2f(3, -1), vec2f(-1, 3))[i];
    return V(vec4f(at, 0, 1), at);
  }
  @vertex fn shift(@location(0) uv: vec2f) -> V { return V(vec4f(uv, 0, 1), uv); }
  @fragment fn base(@location(0) uv: vec2f) -> Lit { return Lit(vec4f(uv, 0.25, 1), 0.5); }
  @fragment fn light(@link(1) light: f32) -> @link(1) f32 { return light * k; }
  @fragment fn shown(@link(0) color: vec4f, @link(1) light: f32) -> @location(0) vec4f { return color * light; }
  @fragment fn glow(@link(0) color: vec4f) -> @location(1) vec4f { return color; }
  @fragment fn count(@link(1) n: u32) -> @location(0) vec4f { return vec4f(f32(n)); }
  @fragment fn depth() -> @builtin(frag_depth) f32 { return 0.5; }
  @fragment fn stored(@color(0) below: vec4f) -> @location(0) vec4f { return below; }
  @fragment fn varied(@location(0) uv: vec3f) -> @location(0) vec4f { return vec4f(uv, 1); }
  @fragment fn whole(@location(0) uv: vec2f) -> @location(0) vec4f { return vec4f(uv, 0, 1); }`;

describe('fragment slots', () => {
  let device: Device;
  let module: GPUShaderModule;
  beforeAll(async () => {
    device = (await open({ threads: 0 })) as unknown as Device;
    module = device.createShaderModule({ code: CODE });
  });
  afterAll(() => device.destroy());

  const stage = (kind: ModularStage['kind'], entryPoint: string, more: Partial<ModularStage> = {}): ModularStage => ({
    kind,
    module,
    entryPoint,
    ...more,
  });
  const pixel = (entryPoint: string, enabled = true): ModularStage => stage('pixel', entryPoint, { enabled });
  const target = { format: 'rgba8unorm' } as const;
  const table = (
    stages: readonly (ModularStage | null)[],
    more: Partial<ModularPipelineDescriptor> = {}
  ): ModularPipelineDescriptor => ({
    label: 'material',
    layout: 'auto',
    input: {},
    stages: [stage('vertex', 'corner'), ...stages],
    sinks: [{ raster: { fragment: { targets: [target] } } }],
    ...more,
  });
  async function errorOf(act: () => unknown): Promise<string | undefined> {
    device.pushErrorScope('validation');
    act();
    return (await device.popErrorScope())?.message;
  }
  const makes = (...of: Parameters<typeof table>): Promise<string | undefined> =>
    errorOf(() => device.createModularPipeline(table(...of)));
  const drawn = (pipeline: ModularPipeline, prepare: (pass: Pass) => void): Promise<string | undefined> =>
    errorOf(() => {
      const view = device
        .createTexture({ size: [4, 4], format: 'rgba8unorm', usage: GPUTextureUsage.RENDER_ATTACHMENT })
        .createView();
      const encoder = device.createCommandEncoder();
      const pass = encoder.beginRenderPass({ colorAttachments: [{ view, loadOp: 'clear', storeOp: 'store' }] });
      pass.setPipeline(pipeline);
      prepare(pass as unknown as Pass);
      pass.draw(3);
      pass.end();
      device.queue.submit([encoder.finish()]);
    });

  test('mistakes name the slots', async () => {
    expect(await makes([pixel('base'), pixel('shown')])).toBeUndefined();
    expect(await makes([pixel('base')])).toContain(
      '[ModularPipeline "material"] createModularPipeline: sinks[0].raster: fragment.targets[0] (rgba8unorm) is '
        + 'written, but no enabled slot outputs @location(0): enable one that does, or set writeMask: 0'
    );
    expect(await makes([pixel('base'), pixel('shown', false)])).toContain('fragment.targets[0]');
    expect(await makes([stage('sample', 'base'), pixel('shown')])).toContain(
      'slot 2 ("shown") of rate "pixel" follows slot 1 ("base") of rate "sample"; the order is coarse, pixel, sample'
    );
    expect(await makes([pixel('base'), pixel('shown'), pixel('shown')])).toContain(
      'slot 3 ("shown") outputs @location(0), and so does slot 2 ("shown")'
    );
    expect(await makes([pixel('base'), pixel('count')])).toContain(
      'slot 1 ("base") outputs @link(1) as f32, but slot 2 ("count") after it reads n as u32'
    );
    expect(await makes([pixel('stored')])).toContain('slot 1 ("stored") of rate "pixel" reads @color(0) below');
    expect(await makes([stage('sample', 'stored')])).toBeUndefined();
    expect(await makes([pixel('varied')])).toBeUndefined();
    expect(await makes([pixel('shown'), pixel('depth')])).toContain(
      'sinks[0].raster: entry point "shown + depth" writes @builtin(frag_depth)'
    );
    expect(await makes([pixel('shown'), stage('vertex', 'shift')])).toContain(
      'slot 2 ("shift") of kind "vertex" follows slot 1 ("shown") of kind "pixel": '
        + 'stages of kinds "coarse", "pixel" and "sample" come last'
    );
    expect(await makes([pixel('shift')])).toContain('entry point "shift" is @vertex, not @fragment');
    expect(await makes([stage('pixel', 'shown', { maxVertices: 3 })])).toContain('leave maxVertices out');
  });

  test('sinks say where their shader comes from', async () => {
    const fixed = { raster: { fragment: { module, entryPoint: 'whole', targets: [target] } } };
    expect(await makes([], { sinks: [fixed] })).toBeUndefined();
    expect(await makes([pixel('shown')], { sinks: [fixed] })).toContain(
      'slot 1 ("shown") of kind "pixel" leads to sinks[0], whose raster.fragment has a shader: '
        + 'leave out its module, entryPoint, constants and stages'
    );
    const depthStencil = { format: 'depth32float', depthWriteEnabled: true, depthCompare: 'less' } as const;
    expect(await makes([pixel('shown')], { sinks: [{ raster: { depthStencil } }] })).toContain(
      'whose raster has no fragment: add fragment: { targets }'
    );
    const buffer = { arrayStride: 8, attributes: [{ shaderLocation: 0, offset: 0, format: 'float32x2' as const }] };
    expect(await makes([pixel('shown')], { sinks: [{ buffer }] })).toContain(
      'slot 1 ("shown") of kind "pixel" leads to sinks[0], which is a buffer'
    );
    // Without enabled fragment slots, only depth is written.
    const hidden = [{ ...target, writeMask: 0 }];
    expect(
      await makes([pixel('shown', false)], { sinks: [{ raster: { depthStencil, fragment: { targets: hidden } } }] })
    ).toBeUndefined();
    const named = { entryPoint: 'shown', targets: [target] };
    expect(() =>
      device.createModularPipeline(
        table([], { sinks: [{ raster: { fragment: named } }] } as unknown as Partial<ModularPipelineDescriptor>)
      )
    ).toThrow("lacks 'module'");
  });

  test('they need the feature "fragment-stages"', async () => {
    const { device: other } = await apiDevice({ requiredFeatures: ['modular-pipelines' as GPUFeatureName] });
    other.pushErrorScope('validation');
    const own = other.createShaderModule({
      code: '@vertex fn v() -> @builtin(position) vec4f { return vec4f(); } @fragment fn f() {}',
    });
    (other as unknown as ModularPipelineDevice).createModularPipeline({
      layout: 'auto',
      input: {},
      stages: [
        { kind: 'vertex', module: own },
        { kind: 'pixel', module: own },
      ],
      sinks: [{ raster: { fragment: { targets: [target] } } }],
    });
    expect((await other.popErrorScope())?.message).toContain(
      'slot 1 ("f"): stages of kind "pixel" need the feature "fragment-stages"'
    );
  });

  test('draw calls enable, enter and replace them', async () => {
    const pipeline = device.createModularPipeline(
      table([pixel('base'), pixel('light', false), null, pixel('light', false), pixel('shown')])
    );
    expect(
      await drawn(pipeline, (pass) => {
        pass.setStageEnabled(2, true);
        pass.draw(3);
        pass.setEntryStage(4);
        pass.draw(3);
        pass.setStageEnabled(5, false);
        pass.setStageEnabled(5, true);
      })
    ).toBeUndefined();
    expect(await drawn(pipeline, (pass) => pass.setStageEnabled(5, false))).toContain(
      'draw: sinks[0].raster: fragment.targets[0] (rgba8unorm) is written, but no enabled slot outputs @location(0)'
    );
    expect(await errorOf(() => pipeline.replaceStage(5, null))).toContain('fragment.targets[0]');
    expect(await errorOf(() => pipeline.replaceStage(3, pixel('count')))).toContain('@link(1)');
    expect(pipeline.stages[3]).toBeNull();
    expect(await errorOf(() => pipeline.replaceStage(3, pixel('light')))).toBeUndefined();
    expect(await drawn(pipeline, () => undefined)).toBeUndefined();
    await device.queue.onSubmittedWorkDone();
    expect(pipeline.statistics().slots.map((counted) => counted!.runs > 0)).toEqual([
      false,
      true,
      false,
      true,
      false,
      true,
    ]);
  });

  test('bundles enable slots independently', async () => {
    const pipeline = device.createModularPipeline(table([pixel('base'), pixel('light', false), pixel('shown')]));
    const encoder = device.createRenderBundleEncoder({ colorFormats: ['rgba8unorm'] }) as GPURenderBundleEncoder
      & ModularPipelineCommands;
    encoder.setPipeline(pipeline);
    encoder.setStageEnabled(2, true);
    encoder.draw(3);
    const bundle = encoder.finish();
    expect(
      await drawn(pipeline, (pass) => {
        pass.executeBundles([bundle]);
        pass.setPipeline(pipeline);
      })
    ).toBeUndefined();
    await device.queue.onSubmittedWorkDone();
    expect(pipeline.statistics().choicesLinked).toBe(2);
  });

  test('descriptions list links, and edges what passes along them', () => {
    const pipeline = device.createModularPipeline(
      table([pixel('base'), pixel('light', false), pixel('light'), pixel('shown')])
    );
    expect(pipeline.stages[1]).toMatchObject({
      kind: 'pixel',
      inputs: [{ location: 0, name: 'uv', type: 'vec2f' }],
      linksIn: [],
      linksOut: [
        { location: 0, name: 'color', type: 'vec4f' },
        { location: 1, name: 'light', type: 'f32' },
      ],
      registers: null,
    });
    const all = { location: 0, components: 'xyzw' };
    const light = { location: 1, components: 'x' };
    expect(pipeline.edges.map(({ bytesPerVertex: _, ...edge }) => edge)).toEqual([
      { from: 'input', to: 0, sink: null, live: [], dropped: [], defaulted: [] },
      { from: 0, to: 1, sink: null, live: [{ location: 0, components: 'xy' }], dropped: [], defaulted: [] },
      { from: 1, to: 3, sink: null, live: [all, light], dropped: [], defaulted: [] },
      { from: 3, to: 4, sink: null, live: [all, light], dropped: [], defaulted: [] },
      { from: 4, to: 'targets', sink: 0, live: [], dropped: [], defaulted: [] },
    ]);
    const without = device.createModularPipeline(table([pixel('base', false), pixel('light'), pixel('shown')]));
    expect(without.edges.map(({ from, to, live, defaulted }) => [from, to, live, defaulted]).slice(1)).toEqual([
      [0, 2, [], []],
      [2, 3, [light], [all]],
      [3, 'targets', [], []],
    ]);
  });

  test('forks lead to several shaders', async () => {
    const raster = (writeMask: number) => ({ fragment: { targets: [{ ...target, writeMask }] } });
    const pipeline = device.createModularPipeline(
      table([pixel('base'), pixel('shown'), pixel('light'), pixel('shown')], {
        edges: [
          [0, 1],
          [1, 2],
          [1, 3],
          [3, 4],
        ],
        sinks: [
          { from: 2, raster: raster(1) },
          { from: 4, raster: raster(2) },
        ],
      })
    );
    expect(await drawn(pipeline, () => undefined)).toBeUndefined();
    // Only the path through the entry runs.
    expect(await drawn(pipeline, (pass) => pass.setEntryStage(3))).toBeUndefined();
    await device.queue.onSubmittedWorkDone();
    const runs = pipeline.statistics().slots.map((counted) => counted!.runs);
    expect(runs).toEqual([1, 2, 1, 2, 2]);
    const to = pipeline.edges.map(({ to: end }) => end);
    expect(to).toEqual([0, 1, 2, 'targets', 1, 3, 4, 'targets']);
  });

  test('switching slots compiles no entry point again', async () => {
    const counted = (): number => device.statistics().programs.stages.length;
    const pipeline = device.createModularPipeline(table([pixel('base'), pixel('light', false), pixel('shown')]));
    await drawn(pipeline, (pass) => pass.setStageEnabled(2, true));
    const before = counted();
    // Pipelines with equal slots share their shaders.
    const again = device.createModularPipeline(table([pixel('base'), pixel('light'), pixel('shown')]));
    await drawn(again, (pass) => pass.setStageEnabled(2, false));
    await drawn(pipeline, () => undefined);
    expect(counted()).toBe(before);
    expect(pipeline.statistics().choicesLinked).toBe(2);
  });

  test('the layout contains what any slot uses', async () => {
    const tinted = device.createShaderModule({
      code: `enable modular_pipelines; enable fragment_stages;
        @group(0) @binding(3) var<uniform> tint: vec4f;
        @fragment fn tinted(@link(0) color: vec4f) -> @link(0) vec4f { return color * tint; }`,
    });
    const pipeline = device.createModularPipeline(
      table([pixel('base'), { kind: 'pixel', module: tinted, enabled: false }, pixel('shown')])
    );
    const buffer = device.createBuffer({ size: 16, usage: GPUBufferUsage.UNIFORM });
    const group = device.createBindGroup({
      layout: pipeline.getBindGroupLayout(0),
      entries: [{ binding: 3, resource: { buffer } }],
    });
    expect(
      await drawn(pipeline, (pass) => {
        pass.setBindGroup(0, group);
        pass.setStageEnabled(2, true);
      })
    ).toBeUndefined();
  });
});
