// The API of modular pipelines: availability with the feature only, headers, edges, and errors that name slots.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type {
  ModularPipeline,
  ModularPipelineDescriptor,
  ModularStage,
  ModularPipelineCommands,
} from '../../../src/index';
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
  const emitting = (entryPoint: string, maxVertices?: number, topology?: string) =>
    ({ kind: 'geometry', module, entryPoint, maxVertices, topology }) as ModularStage;
  const looking = (entryPoint: string, more: object = {}) =>
    ({ kind: 'primitive', module, entryPoint, ...more }) as ModularStage;
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

  test('require the feature', async () => {
    const plain = await (
      await (await import('../../images/open')).builtPackage()
    )
      .create({ threads: 0 })
      .requestAdapter();
    const other = await plain!.requestDevice();
    expect('createModularPipeline' in other).toBe(false);
    other.pushErrorScope('validation');
    other.createShaderModule({ code: CODE });
    expect((await other.popErrorScope())!.message).toContain('modular-pipelines');
    other.destroy();
  });

  test('report the headers of their stages', () => {
    const pipeline = device.createModularPipeline(table(stack()));
    expect(pipeline.label).toBe('stack');
    const [load, none, move, end] = pipeline.stages;
    expect([none, load!.enabled, move!.enabled, move!.registers]).toEqual([null, true, false, null]);
    expect(load).toMatchObject({
      kind: 'vertex',
      entryPoint: 'load',
      inputs: [{ location: 0, name: 'p', type: 'vec3f' }],
      outputScalars: 9,
      writesPosition: false,
      topology: 'kept',
    });
    expect(end).toMatchObject({ writesPosition: true, inputScalars: 8, outputScalars: 4 });
    expect(load!.registers).toBeGreaterThan(0);
  });

  test('report the variables on their edges', () => {
    const pipeline = device.createModularPipeline(table([...stack().slice(0, 3), stage('odd'), stage('end')]));
    expect(pipeline.edges.map(({ sink, ...edge }) => (sink === null ? edge : { ...edge, sink }))).toEqual([
      {
        from: 'input',
        to: 0,
        live: [{ location: 0, components: 'xy' }],
        dropped: [],
        defaulted: [],
        bytesPerVertex: 8,
      },
      {
        from: 0,
        to: 3,
        live: [{ location: 0, components: 'xy' }],
        defaulted: [],
        bytesPerVertex: 8,
        dropped: [
          { location: 0, components: 'zw' },
          { location: 1, components: 'xyzw' },
          { location: 2, components: 'x' },
        ],
      },
      {
        from: 3,
        to: 4,
        live: [{ location: 1, components: 'xy' }],
        dropped: [],
        bytesPerVertex: 8,
        defaulted: [
          { location: 0, components: 'xyzw' },
          { location: 1, components: 'zw' },
        ],
      },
      {
        from: 4,
        to: 'fragment',
        live: [{ location: 0, components: 'xyzw' }],
        dropped: [],
        defaulted: [],
        bytesPerVertex: 16,
        sink: 0,
      },
    ]);
  });

  test('can fork, and report the variables on each edge', () => {
    const pipeline = device.createModularPipeline(
      table([stage('load'), stage('odd'), stage('shift'), stage('end')], {
        edges: [
          [0, 1],
          [0, 2],
          [2, 3],
        ],
        sinks: [
          { from: 3, ...raster('fs') },
          { from: 1, buffer: { arrayStride: 8, attributes: [{ shaderLocation: 1, offset: 0, format: 'float32x2' }] } },
        ],
      })
    );
    // `odd` and `shift` read parts of the same packet of `load`: p.xy, and p and w.
    expect(pipeline.edges).toMatchObject([
      { from: 'input', to: 0, sink: null },
      { from: 0, to: 1, live: [{ location: 0, components: 'xy' }], bytesPerVertex: 36, dropped: [] },
      { from: 1, to: 'buffer', sink: 1, live: [{ location: 1, components: 'xy' }] },
      { from: 0, to: 2, live: [{ location: 0 }, { location: 1 }, { location: 2 }], bytesPerVertex: 36, dropped: [] },
      { from: 2, to: 3 },
      { from: 3, to: 'fragment', sink: 0 },
    ]);
  });

  test('stages that emit report headers, and limit the number of vertices', async () => {
    const pipeline = device.createModularPipeline(table([stage('load'), emitting('every', 2, 'point-list')]));
    expect(pipeline.stages[1]).toMatchObject({
      kind: 'geometry',
      entryPoint: 'every',
      topology: 'point-list',
      maxVertices: 2,
      writesPosition: true,
    });
    const fits = device.createModularPipeline(table([stage('load'), emitting('every', 3, 'point-list')]));
    const errors: string[] = [];
    const listen = (event: GPUUncapturedErrorEvent): void => {
      event.preventDefault();
      errors.push(event.error.message);
    };
    device.addEventListener('uncapturederror', listen);
    for (const each of [pipeline, fits]) {
      await drawn((pass) => {
        set(pass, each);
        pass.draw(3);
      });
      await device.queue.onSubmittedWorkDone();
    }
    device.removeEventListener('uncapturederror', listen as (event: Event) => void);
    expect(errors).toEqual([
      'render pass (unlabeled): entry point "every" of pipeline "stack" emitted 1 vertices more than its '
        + 'maxVertices 2 allows; they were dropped',
    ]);
  });

  test('a stage writes only locations below the limit', async () => {
    expect(await makes(table([stage('load'), stage('last')]))).toBeUndefined();
    expect(await makes(table([stage('load'), stage('far')]))).toContain(
      'slot 1 ("far") writes @location(16) result.x; locations must be less than maxInterStageShaderVariables 16'
    );
  });

  test('emitting stages can take adjacency', async () => {
    const wide = device.createShaderModule({
      code: `enable modular_pipelines;
      struct P { @builtin(position) p: vec4f, @location(0) c: vec4f }
      @vertex fn load(@location(0) p: vec3f) -> @location(0) vec3f { return p; }
      struct V { @location(0) p: vec3f }
      @geometry fn middle(v: array<V, 6>) {
        for (var k = 0; k < 6; k += 2) { emitVertex(P(vec4f(v[k].p, 1), vec4f(1))); }
      }`,
    });
    const pipeline = device.createModularPipeline({
      layout: 'auto',
      input: { buffers: [buffer('float32x3')], topology: 'triangle-list-adjacency' },
      stages: [
        { kind: 'vertex', module: wide, entryPoint: 'load' },
        { kind: 'geometry', module: wide, entryPoint: 'middle', maxVertices: 3 },
      ],
      sinks: [raster('fs')],
    });
    expect(pipeline.edges[1]).toMatchObject({ from: 0, to: 1, bytesPerVertex: 12 });
    expect(
      await drawn((pass) => {
        pass.setPipeline(pipeline);
        pass.setVertexBuffer(0, device.createBuffer({ size: 96, usage: GPUBufferUsage.VERTEX }));
        pass.draw(6);
      })
    ).toBeUndefined();
  });

  test('statistics count input and output of each slot', async () => {
    const pipeline = device.createModularPipeline(
      table([stage('load'), null, emitting('hairs', 6, 'line-strip'), stage('shift'), stage('end')])
    );
    await drawn((pass) => {
      set(pass, pipeline);
      pass.draw(3);
      pass.setStageEnabled(3, false);
      pass.draw(3);
    });
    await device.queue.onSubmittedWorkDone();
    const kept = { verticesIn: 12, verticesOut: 12, primitivesIn: 0, primitivesOut: 0, verticesDropped: 0 };
    expect(pipeline.statistics()).toMatchObject({
      slots: [
        { runs: 2, verticesIn: 6, verticesOut: 6 },
        null,
        { runs: 2, verticesIn: 6, verticesOut: 12, primitivesIn: 2, primitivesOut: 6, verticesDropped: 0 },
        { ...kept, runs: 6, verticesIn: 6, verticesOut: 6 },
        { ...kept, runs: 12 },
      ],
      // With `shift`: p, color and w of three vertices; without it p and color.
      bytesCopied: 3 * 36 + 3 * 32,
      choicesLinked: 2,
    });
    const { slots, bytesHeld, bytesCompacted, programsCompiled } = pipeline.statistics();
    expect(slots.map((slot) => slot?.bytesHeld)).toEqual([0, undefined, bytesHeld, 0, 0]);
    // Nine scalars of up to 1 024 vertices, and the data of primitives and lanes.
    expect(bytesHeld).toBe(31_232 + 9 * 4096);
    expect([bytesCompacted, programsCompiled <= 7]).toEqual([0, true]);
  });

  test('primitive stages pass on the primitives that they keep, and count them', async () => {
    const pipeline = device.createModularPipeline(
      table([stage('load'), looking('cull'), stage('shift'), looking('cull', { enabled: false }), stage('end')])
    );
    expect(pipeline.stages[1]).toMatchObject({
      kind: 'primitive',
      entryPoint: 'cull',
      inputScalars: 9,
      outputs: [],
      outputScalars: 0,
      writesPosition: false,
      topology: 'kept',
      maxVertices: 1,
    });
    const p = { location: 0, components: 'xyzw' };
    const color = { location: 1, components: 'xyzw' };
    const w = { location: 2, components: 'x' };
    expect(pipeline.edges).toMatchObject([
      { from: 'input', to: 0 },
      // What the stage reads, and what later stages read.
      { from: 0, to: 1, live: [p, color, w], dropped: [], bytesPerVertex: 36 },
      { from: 1, to: 2, live: [p, color, w], dropped: [], bytesPerVertex: 36 },
      { from: 2, to: 4, live: [p, color], dropped: [w], bytesPerVertex: 32 },
      { from: 4, to: 'fragment' },
    ]);
    await drawn((pass) => {
      pass.setPipeline(pipeline);
      pass.setVertexBuffer(0, device.createBuffer({ size: 64 * 5, usage: GPUBufferUsage.VERTEX }));
      pass.draw(18);
    });
    await device.queue.onSubmittedWorkDone();
    // w is 3, so primitives 4 and 5 are dropped.
    expect(pipeline.statistics()).toMatchObject({
      slots: [
        { verticesIn: 18, verticesOut: 18 },
        { runs: 1, verticesIn: 18, verticesOut: 18, primitivesIn: 6, primitivesOut: 4 },
        { runs: 1, verticesIn: 18 },
        { runs: 0, primitivesIn: 0 },
        { runs: 1 },
      ],
      // Packets are stored before the stage, and again with their positions before viewports are chosen.
      bytesCopied: 18 * 36 + 18 * 32,
    });
  });
});
