// Modular pipelines that tessellate: reflection, statistics and errors.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type {
  ModularPipelineDescriptor,
  ModularPipelineDevice,
  ModularStage,
  ModularPipelineCommands,
} from '../../../src/index';
import { open } from '../../threads/open';
import { GPUTextureUsage } from '../../support/flags';

const CODE = `enable modular_pipelines;
  struct P { @location(0) p: vec4f, @location(1) color: vec4f }
  struct C {
    @builtin(tess_outer) outer: vec4f, @builtin(tess_inner) inner: vec2f, @location(0) more: vec2f,
    @location(5) less: f32,
  }
  struct V { @builtin(position) position: vec4f, @location(0) color: vec4f }
  @vertex fn load(@builtin(vertex_index) i: u32) -> P { return P(vec4f(f32(i & 1), f32(i >> 1), 0, 1), vec4f(1)); }
  @vertex fn end(@location(0) p: vec4f, @location(1) color: vec4f) -> V { return V(p, color); }
  @tess_control fn cut(p: array<P, 4>) -> C { return C(vec4f(4), vec2f(4), vec2f(1), 1); }
  @tess_control fn three(p: array<P, 3>) -> C { return C(vec4f(4), vec2f(4), vec2f(1), 1); }
  @tess_evaluation fn place(p: array<P, 4>, @builtin(tess_coord) at: vec3f, @location(0) more: f32) -> P {
    return P(vec4f(mix(p[0].p.xy, p[3].p.xy, at.xy) * more, 0, 1), vec4f(at, 1));
  }
  @tess_evaluation fn whole(p: array<P, 4>, @location(0) more: vec2u) -> P { return p[more.x]; }
  struct Q { @location(0) p: vec4u }
  @tess_evaluation fn other(p: array<Q, 4>) -> V { return V(vec4f(p[0].p), vec4f()); }
  @geometry fn same(v: array<P, 3>) { for (var k = 0; k < 3; k++) { emitVertex(v[k]); } }
  @fragment fn fs(@location(0) color: vec4f) -> @location(0) vec4f { return color; }`;

describe('modular pipelines that tessellate', () => {
  let device: GPUDevice & ModularPipelineDevice;
  let module: GPUShaderModule;
  beforeAll(async () => {
    device = (await open({ threads: 0 })) as unknown as GPUDevice & ModularPipelineDevice;
    module = device.createShaderModule({ code: CODE });
  });
  afterAll(() => device.destroy());

  const stage = (
    entryPoint: string,
    kind: ModularStage['kind'] = 'vertex',
    more: Partial<ModularStage> = {}
  ): ModularStage => ({ kind, module, entryPoint, ...more });
  const cut = (more: Partial<ModularStage> = {}) => stage('cut', 'tess_control', more);
  const place = (more: Partial<ModularStage> = {}) => stage('place', 'tess_evaluation', { domain: 'quads', ...more });
  const table = (
    stages: ModularPipelineDescriptor['stages'],
    input: object = { topology: 'patch-list', patchVertices: 4 }
  ): ModularPipelineDescriptor => ({
    label: 'cut up',
    layout: 'auto',
    input,
    stages,
    sinks: [{ raster: { fragment: { module, targets: [{ format: 'rgba8unorm' }] } } }],
  });
  async function errorOf(act: () => unknown): Promise<string | undefined> {
    device.pushErrorScope('validation');
    act();
    return (await device.popErrorScope())?.message;
  }
  function draw(
    pipeline: GPURenderPipeline,
    record: (pass: GPURenderPassEncoder & ModularPipelineCommands) => void
  ): void {
    const view = device
      .createTexture({ size: [4, 4], format: 'rgba8unorm', usage: GPUTextureUsage.RENDER_ATTACHMENT })
      .createView();
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginRenderPass({ colorAttachments: [{ view, loadOp: 'clear', storeOp: 'store' }] });
    pass.setPipeline(pipeline);
    record(pass as GPURenderPassEncoder & ModularPipelineCommands);
    pass.end();
    device.queue.submit([encoder.finish()]);
  }

  test('report headers, edges and statistics', async () => {
    const pipeline = device.createModularPipeline(
      table([stage('load'), cut(), place({ spacing: 'fractional-even', winding: 'cw', maxLevel: 9 }), stage('end')])
    );
    const [, control, evaluation] = pipeline.stages;
    expect(control).toMatchObject({
      kind: 'tess_control',
      entryPoint: 'cut',
      topology: 'kept',
      patchVertices: 4,
      tessellation: null,
      maxVertices: 1,
      outputs: [
        { location: 0, name: 'more', type: 'vec2f' },
        { location: 5, name: 'less', type: 'f32' },
      ],
    });
    expect(evaluation).toMatchObject({
      kind: 'tess_evaluation',
      topology: 'triangle-list',
      patchVertices: 4,
      tessellation: { domain: 'quads', spacing: 'fractional-even', winding: 'cw', maxLevel: 9 },
    });
    // Control points bypass the first stage of the pair; one of the patch's values is read.
    expect(pipeline.edges.slice(1, 4)).toEqual([
      {
        from: 0,
        to: 1,
        live: [{ location: 0, components: 'xy' }],
        defaulted: [],
        bytesPerVertex: 8,
        sink: null,
        dropped: [
          { location: 0, components: 'zw' },
          { location: 1, components: 'xyzw' },
        ],
      },
      {
        from: 1,
        to: 2,
        live: [{ location: 0, components: 'x' }],
        defaulted: [],
        bytesPerVertex: 4,
        sink: null,
        dropped: [
          { location: 0, components: 'y' },
          { location: 5, components: 'x' },
        ],
      },
      {
        from: 2,
        to: 3,
        live: [
          { location: 0, components: 'xyzw' },
          { location: 1, components: 'xyzw' },
        ],
        defaulted: [],
        dropped: [],
        bytesPerVertex: 32,
        sink: null,
      },
    ]);
    draw(pipeline, (pass) => pass.draw(12));
    await device.queue.onSubmittedWorkDone();
    const { slots, bytesCopied, bytesHeld } = pipeline.statistics();
    expect(slots).toMatchObject([
      { verticesIn: 12, verticesOut: 12 },
      { runs: 1, verticesIn: 12, verticesOut: 12, primitivesIn: 3, primitivesOut: 3 },
      { runs: 2, primitivesIn: 3, primitivesOut: 96, verticesOut: 75 },
      { runs: 2, verticesIn: 75, verticesOut: 75 },
    ]);
    expect(bytesCopied).toBe(12 * 8);
    expect(bytesHeld).toBeGreaterThan(0);
  });

  test.each([
    [
      'an evaluation stage that is off',
      () => table([stage('load'), cut(), null, place({ enabled: false }), stage('end')]),
      'slot 1 ("cut") is enabled, but slot 3 ("place"), the tess_evaluation stage after it, is not: '
        + 'enable or disable both',
    ],
    [
      'a control stage that is off',
      () => table([stage('load'), cut({ enabled: false }), place(), stage('end')]),
      'slot 2 ("place") is enabled, but slot 1 ("cut"), the tess_control stage before it, is not: '
        + 'enable or disable both',
    ],
    [
      'something in between',
      () => table([stage('load'), cut(), stage('load'), place(), stage('end')]),
      'slot 1 ("cut") needs a stage of kind "tess_evaluation" right after it; '
        + 'there is slot 2 ("load") of kind "vertex"',
    ],
    [
      'no control stage',
      () => table([place(), stage('end')]),
      'slot 0 ("place") needs a stage of kind "tess_control" right before it; there is none',
    ],
    [
      'patches of different sizes',
      () => table([stage('load'), stage('three', 'tess_control'), place(), stage('end')]),
      'slot 1 ("three") takes patches of 3, but slot 2 ("place") takes patches of 4',
    ],
    [
      'other primitives',
      () => table([stage('load'), cut(), place(), stage('end')], { topology: 'triangle-list' }),
      'slot 1 ("cut") takes patches of 4, but the input provides "triangle-list", 3 per primitive',
    ],
    [
      'patches of another size',
      () => table([stage('load'), cut(), place()], { topology: 'patch-list', patchVertices: 5 }),
      'slot 1 ("cut") takes patches of 4, but the input provides "patch-list of 5", 5 per primitive',
    ],
    [
      'a geometry stage that takes others',
      () =>
        table([
          stage('load'),
          cut(),
          place({ topology: 'point-list' }),
          stage('same', 'geometry', { maxVertices: 3 }),
          stage('end'),
        ]),
      'slot 3 ("same") takes 3 vertices per primitive, but slot 2 ("place") provides "point-list", 1 per primitive',
    ],
    [
      'patches that are drawn',
      () => table([stage('load'), stage('end')]),
      '"patch-list of 4", which the raster sink cannot draw: enable '
        + 'stages of kinds "tess_control" and "tess_evaluation"',
    ],
    [
      'patches of no size',
      () => table([stage('load'), cut(), place()], { topology: 'patch-list' }),
      'input: topology "patch-list" needs patchVertices, from 1 to 32',
    ],
    [
      'a size of no patches',
      () => table([stage('load'), stage('end')], { patchVertices: 4 }),
      'input.patchVertices is only for topology "patch-list", not "triangle-list"',
    ],
    [
      'values of another type',
      () => table([stage('load'), cut(), stage('whole', 'tess_evaluation'), stage('end')]),
      'slot 1 ("cut") writes @location(0) result.more as vec2f, but slot 2 ("whole") after it reads more as vec2u',
    ],
    [
      'control points of another type',
      () => table([stage('load'), cut(), stage('other', 'tess_evaluation')]),
      'slot 0 ("load") writes @location(0) result.p as vec4f, but slot 2 ("other") after it reads p.p as vec4u',
    ],
    [
      'too high a level',
      () => table([stage('load'), cut(), place({ maxLevel: 65 }), stage('end')]),
      'slot 2 ("place"): maxLevel 65 must be from 1 to 64 for spacing "equal"',
    ],
    [
      'too low a level',
      () => table([stage('load'), cut(), place({ maxLevel: 1, spacing: 'fractional-even' }), stage('end')]),
      'slot 2 ("place"): maxLevel 1 must be from 2 to 64 for spacing "fractional-even"',
    ],
    [
      'strips',
      () => table([stage('load'), cut(), place({ topology: 'triangle-strip' }), stage('end')]),
      'slot 2 ("place"): topology must be "triangle-list" or "point-list" for domain "quads", not "triangle-strip"',
    ],
    [
      'a domain of another stage',
      () => table([stage('load', 'vertex', { domain: 'quads' }), stage('end')]),
      'slot 0 ("load"): domain is only for stages of kind "tess_evaluation": leave it out',
    ],
    [
      'a number of vertices',
      () => table([stage('load'), cut(), place({ maxVertices: 4 }), stage('end')]),
      'slot 2 ("place") is a tess_evaluation stage, whose output is limited by maxLevel of the tess_evaluation '
        + 'stage: leave maxVertices out',
    ],
  ])('reject %s', async (_, make, message) => {
    expect(await errorOf(() => device.createModularPipeline(make()))).toContain(message);
  });

  test('reject draw calls with half a pair, and accept them with both disabled', async () => {
    const pipeline = device.createModularPipeline(
      table([stage('load'), cut(), place(), stage('end')], { topology: 'patch-list', patchVertices: 4 })
    );
    const half = (record: Parameters<typeof draw>[1]): Promise<string | undefined> =>
      errorOf(() => {
        draw(pipeline, (pass) => {
          record(pass);
          pass.draw(4);
        });
      });
    expect(await half((pass) => pass.setStageEnabled(2, false))).toContain(
      'slot 1 ("cut") is enabled, but slot 2 ("place")'
    );
    expect(await half((pass) => pass.setEntryStage(2))).toContain('slot 2 ("place") is enabled, but slot 1 ("cut")');
    expect(await half((pass) => pass.setEntryStage(1))).toBeUndefined();
    expect(
      await half((pass) => {
        pass.setStageEnabled(1, false);
        pass.setStageEnabled(2, false);
      })
    ).toContain('"patch-list of 4", which the raster sink cannot draw');
  });
});
