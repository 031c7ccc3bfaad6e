import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ModularPipeline, ModularPipelineDescriptor, ModularPipelineCommands } from '../../../src/index';
import { open } from '../../threads/open';
import { GPUBufferUsage, GPUTextureUsage } from '../../support/flags';
import { CODE, type Device, buffer } from './modular.kit';

describe('modular pipelines', () => {
  let device: Device;
  let module: GPUShaderModule;
  beforeAll(async () => {
    device = (await open({ threads: 0 })) as unknown as Device;
    module = device.createShaderModule({ code: CODE });
  });
  afterAll(() => device.destroy());

  const stage = (entryPoint: string, enabled = true) => ({ kind: 'vertex' as const, module, entryPoint, enabled });
  const raster = (entryPoint: string) => ({
    raster: { fragment: { module, entryPoint, targets: [{ format: 'rgba8unorm' as const }] } },
  });
  const table = (
    stages: ModularPipelineDescriptor['stages'],
    more: Partial<ModularPipelineDescriptor> = {}
  ): ModularPipelineDescriptor => ({
    label: 'stack',
    layout: 'auto',
    input: { buffers: [buffer('float32x3')] },
    stages,
    sinks: [raster('fs')],
    ...more,
  });
  const stack = (): ModularPipelineDescriptor['stages'] => [stage('load'), null, stage('shift', false), stage('end')];
  async function errorOf(act: () => unknown): Promise<string | undefined> {
    device.pushErrorScope('validation');
    act();
    return (await device.popErrorScope())?.message;
  }
  const makes = (descriptor: unknown): Promise<string | undefined> =>
    errorOf(() => device.createModularPipeline(descriptor as ModularPipelineDescriptor));

  function drawn(draw: (pass: GPURenderPassEncoder & ModularPipelineCommands) => void): Promise<string | undefined> {
    return errorOf(() => {
      const view = device
        .createTexture({ size: [4, 4], format: 'rgba8unorm', usage: GPUTextureUsage.RENDER_ATTACHMENT })
        .createView();
      const encoder = device.createCommandEncoder();
      const pass = encoder.beginRenderPass({ colorAttachments: [{ view, loadOp: 'clear', storeOp: 'store' }] });
      draw(pass as GPURenderPassEncoder & ModularPipelineCommands);
      pass.end();
      device.queue.submit([encoder.finish()]);
    });
  }
  function set(pass: GPURenderPassEncoder, pipeline: ModularPipeline): void {
    pass.setPipeline(pipeline);
    pass.setVertexBuffer(0, device.createBuffer({ size: 64, usage: GPUBufferUsage.VERTEX }));
  }

  test('skip paths that lead to no sink, whatever their number', () => {
    const stages = [stage('load'), stage('end'), ...Array.from({ length: 30 }, () => stage('shift'))];
    const edges = Array.from(
      { length: 29 },
      (_, i) =>
        [
          [i + 2, i + 3],
          [i + 2, Math.min(i + 4, 31)],
        ] as const
    ).flat();
    const before = process.cpuUsage();
    const pipeline = device.createModularPipeline(
      table(stages, { edges: [[0, 1], [0, 2], ...edges], sinks: [{ from: 1, ...raster('fs') }] })
    );
    expect(pipeline.edges.map(({ from, to }) => [from, to])).toEqual([
      ['input', 0],
      [0, 1],
      [1, 'fragment'],
    ]);
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(1000);
  });

  test('continue in other tables', async () => {
    const behind = device.createModularPipeline(table([stage('shift', false), null, stage('end')]));
    const sinks = [
      { buffer: { arrayStride: 4, attributes: [{ shaderLocation: 2, offset: 0, format: 'float32' as const }] } },
      { pipeline: behind },
    ];
    const pipeline = device.createModularPipeline(table([stage('load')], { sinks }));
    expect(pipeline.stages.map((header) => header?.entryPoint ?? null)).toEqual(['load', 'shift', null, 'end']);
    expect(pipeline.edges.map(({ from, to, sink }) => [from, to, sink])).toEqual([
      ['input', 0, null],
      [0, 3, null],
      [3, 'fragment', 1],
      [0, 'buffer', 0],
    ]);
    const buffer = device.createBuffer({ size: 64, usage: GPUBufferUsage.STORAGE });
    expect(
      await drawn((pass) => {
        set(pass, pipeline);
        pass.setSinkBuffer(buffer);
        pass.setStageEnabled(1, true);
        pass.draw(3);
      })
    ).toBeUndefined();
    await device.queue.onSubmittedWorkDone();
    expect(pipeline.statistics().slots.map((counted) => counted?.verticesOut ?? null)).toEqual([3, 3, null, 3]);
    // An object of another device is invalid.
    const other = (await open({ threads: 0 })) as unknown as Device;
    const own = other.createShaderModule({ code: CODE });
    const foreign = other.createModularPipeline({
      ...table([
        { kind: 'vertex', module: own, entryPoint: 'load' },
        { kind: 'vertex', module: own, entryPoint: 'end' },
      ]),
      sinks: [{ raster: { fragment: { module: own, entryPoint: 'fs', targets: [{ format: 'rgba8unorm' }] } } }],
    });
    expect(await makes(table([stage('load')], { sinks: [{ pipeline: foreign }] }))).toContain('device');
    other.destroy();
  });

  test('stages that are replaced in a pipeline also run in those that end in it', async () => {
    const end = device.createModularPipeline(table([stage('shift'), null, stage('end')]));
    const sinks = [{ pipeline: end }];
    const middle = device.createModularPipeline(table([stage('load')], { label: 'middle', sinks }));
    // The end is reached twice.
    const both = device.createModularPipeline(
      table([stage('load'), stage('shift')], { label: 'both', sinks: [{ from: 0, ...sinks[0]! }, { pipeline: end }] })
    );
    const names = (pipeline: ModularPipeline): (string | null)[] =>
      pipeline.stages.map((header) => header?.entryPoint ?? null);
    await drawn((pass) => {
      set(pass, middle);
      pass.draw(3);
      end.replaceStage(0, stage('drift'));
      end.replaceStage(1, stage('shift'));
      pass.setPipeline(middle);
      pass.draw(3);
    });
    expect(names(end)).toEqual(['drift', 'shift', 'end']);
    expect(names(middle)).toEqual(['load', 'drift', 'shift', 'end']);
    expect(names(both)).toEqual(['load', 'shift', 'drift', 'shift', 'end', 'drift', 'shift', 'end']);
    await device.queue.onSubmittedWorkDone();
    expect(middle.statistics().slots.map((counted) => counted!.verticesIn)).toEqual([3, 3, 3, 3]);
    // A stage that one of them cannot take leaves all as they are.
    const tinted = device.createShaderModule({
      code: `enable modular_pipelines;
        @group(0) @binding(0) var<uniform> by: vec4f;
        struct V { @location(0) p: vec4f, @location(1) color: vec4f, @location(2) w: f32 }
        @vertex fn tint(v: V) -> V { return V(v.p, v.color * by, v.w); }`,
    });
    const layout = device.createPipelineLayout({
      bindGroupLayouts: [device.createBindGroupLayout({ entries: [{ binding: 0, visibility: 1, buffer: {} }] })],
    });
    const wide = device.createModularPipeline(table([stage('shift'), stage('end')], { layout }));
    const narrow = device.createModularPipeline(
      table([stage('load')], { label: 'narrow', sinks: [{ pipeline: wide }] })
    );
    expect(await errorOf(() => wide.replaceStage(0, { kind: 'vertex', module: tinted }))).toContain(
      '[ModularPipeline "narrow"], which ends in it, cannot take the stage: slot 1:'
    );
    expect([names(wide), names(narrow)]).toEqual([
      ['shift', 'end'],
      ['load', 'shift', 'end'],
    ]);
  });

  test('draw calls enable slots, and mismatches are errors', async () => {
    const pipeline = device.createModularPipeline(table(stack()));
    expect(
      await drawn((pass) => {
        set(pass, pipeline);
        pass.setStageEnabled(2, true);
        pass.draw(3);
      })
    ).toBeUndefined();
    expect(
      await drawn((pass) => {
        set(pass, pipeline);
        pass.setEntryStage(3);
        pass.draw(3);
      })
    ).toBeUndefined();
    expect(
      await drawn((pass) => {
        set(pass, pipeline);
        pass.setStageEnabled(3, false);
        pass.draw(3);
      })
    ).toContain('draw: slot 0 ("load") is the last enabled stage before setup');
    // Only what draw calls run has to match.
    expect(
      await drawn((pass) => {
        set(pass, pipeline);
        pass.setStageEnabled(3, false);
        pass.setStageEnabled(3, true);
        pass.draw(3);
      })
    ).toBeUndefined();
    expect(
      await drawn((pass) => {
        set(pass, pipeline);
        pass.setStageEnabled(1, true);
      })
    ).toContain('setStageEnabled: slot 1 of [ModularPipeline "stack"] is empty');
    expect(
      await drawn((pass) => {
        set(pass, pipeline);
        pass.setEntryStage(9);
      })
    ).toContain('has 4 slots, but no slot 9');
    expect(await drawn((pass) => pass.setStageEnabled(0, true))).toContain('no modular pipeline is set');
  });

  test('bundles enable slots independently', async () => {
    const pipeline = device.createModularPipeline(table(stack()));
    const encoder = device.createRenderBundleEncoder({ colorFormats: ['rgba8unorm'] }) as GPURenderBundleEncoder
      & ModularPipelineCommands;
    encoder.setPipeline(pipeline);
    encoder.setVertexBuffer(0, device.createBuffer({ size: 64, usage: GPUBufferUsage.VERTEX }));
    encoder.setStageEnabled(2, true);
    encoder.draw(3);
    const bundle = encoder.finish();
    expect(await drawn((pass) => pass.executeBundles([bundle]))).toBeUndefined();
  });

  test('a stage is replaced, or the table stays unchanged', async () => {
    const pipeline = device.createModularPipeline(table(stack()));
    expect(await errorOf(() => pipeline.replaceStage(0, stage('whole')))).toContain('slot 0 ("whole") reads');
    expect(await errorOf(() => pipeline.replaceStage(9, null))).toContain('there are 4 slots, but no slot 9');
    expect(pipeline.stages.map((header) => header?.entryPoint)).toEqual(['load', undefined, 'shift', 'end']);
    expect(
      await errorOf(() => {
        pipeline.replaceStage(1, stage('shift'));
        pipeline.replaceStage(2, null);
      })
    ).toBeUndefined();
    expect(pipeline.stages.map((header) => header?.entryPoint)).toEqual(['load', 'shift', undefined, 'end']);
    expect(
      await drawn((pass) => {
        set(pass, pipeline);
        pass.draw(3);
      })
    ).toBeUndefined();
  });

  test('draw calls after a replacement run the new stage, also in an open pass', async () => {
    const pipeline = device.createModularPipeline(table([stage('load'), stage('shift'), stage('end')]));
    await drawn((pass) => {
      set(pass, pipeline);
      pass.draw(3);
      pipeline.replaceStage(1, stage('drift'));
      pass.draw(3);
    });
    await device.queue.onSubmittedWorkDone();
    // Replacing a stage resets its pipeline's counts.
    expect(pipeline.statistics().slots.map((slot) => slot?.verticesIn)).toEqual([3, 3, 3]);
  });

  test.each([
    ['without constants', 'shift', undefined, undefined],
    ['with constants', 'drift', { by: 2, to: -0 }, { to: -0, by: 2 }],
  ] as const)('changes to one slot do not compile shaders of others: %s', async (_, name, first, other) => {
    const counting = device as unknown as { statistics(): { programs: { stages: readonly { name: string }[] } } };
    const of = (constants: Readonly<Record<string, number>> | undefined, enabled = true) => ({
      ...stage(name, enabled),
      constants,
    });
    const pipeline = await device.createModularPipelineAsync(
      table([stage('load'), of(first), of(other), of(other, false), stage('end')])
    );
    await drawn((pass) => {
      set(pass, pipeline);
      pass.draw(3);
    });
    const before = counting.statistics().programs.stages.length;
    const more = (): Promise<string | undefined> =>
      drawn((pass) => {
        set(pass, pipeline);
        pass.setStageEnabled(3, true);
        pass.draw(3);
      });
    expect(await more()).toBeUndefined();
    expect(counting.statistics().programs.stages.length).toBe(before);
    pipeline.replaceStage(3, of(first && { ...first, to: 0 }, false));
    await more();
    // 0 and −0 are different constants.
    expect(counting.statistics().programs.stages.length).toBe(before + (first ? 1 : 0));
  });
});
