import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type {
  ModularPipelineDescriptor,
  ModularStage,
  ModularPipelineCommands,
  ViewportCommands,
} from '../../../src/index';
import { open } from '../../threads/open';
import { GPUTextureUsage } from '../../support/flags';
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
  test.each([
    [
      'types that do not fit',
      () => table([stage('load'), stage('whole'), stage('end')]),
      'slot 0 ("load") writes @location(0) result.p as vec4f, but slot 1 ("whole") after it reads p as vec4u',
    ],
    [
      'attributes that do not fit',
      () => table([stage('load'), stage('end')], { input: { buffers: [buffer('uint32x4')] } }),
      'slot 0 ("load") reads @location(0) p as vec3f, but the attribute\'s format uint32x4 gives u32',
    ],
    [
      'no position at the end',
      () => table([stage('load'), stage('shift'), stage('end', false)]),
      'slot 1 ("shift") is the last enabled stage before setup, but writes no @builtin(position)',
    ],
    ['no stage that is enabled', () => table([null, stage('end', false)]), 'no enabled stage'],
    [
      'another interpolation',
      () => table(stack(), { sinks: [raster('flatly')] }),
      'slot 3 ("end") writes @location(0) result.color @interpolate(perspective, center), but',
    ],
    [
      'too many slots',
      () => table([...Array.from({ length: 32 }, () => stage('load')), stage('end')]),
      '33 stages; a modular pipeline has at most 32 slots',
    ],
    [
      'an entry point of no such name',
      () => table([stage('first'), stage('end')]),
      'stages[0]: vertex: [ShaderModule (unlabeled)] has no entry point "first"',
    ],
    [
      'a geometry stage without its most vertices',
      () => table([stage('load'), emitting('hairs'), stage('end')]),
      'slot 1 ("hairs") needs maxVertices, the maximum number of vertices that it emits for a primitive, from 1 to 256',
    ],
    [
      'too many vertices',
      () => table([stage('load'), emitting('hairs', 257), stage('end')]),
      'slot 1 ("hairs"): maxVertices 257 must be from 1 to 256',
    ],
    [
      'too many scalars',
      () => table([stage('load'), emitting('hairs', 200), stage('end')]),
      'slot 1 ("hairs") may emit 200 vertices of 9 scalars, which exceeds 1024 scalars in total',
    ],
    [
      'primitives that do not fit',
      () =>
        table([stage('load'), emitting('hairs', 4), stage('end')], {
          input: { buffers: [buffer('float32x3')], topology: 'line-list' },
        }),
      'slot 1 ("hairs") takes 3 vertices per primitive, but the input provides "line-list", 2 per primitive',
    ],
    [
      'emitted primitives that do not fit',
      () => table([stage('load'), emitting('hairs', 4, 'line-strip'), emitting('hairs', 4), stage('end')]),
      'slot 2 ("hairs") takes 3 vertices per primitive, but slot 1 ("hairs") provides "line-strip", 2 per primitive',
    ],
    [
      'a topology that setup cannot take',
      () =>
        table([stage('load'), stage('end')], {
          input: { buffers: [buffer('float32x3')], topology: 'triangle-list-adjacency' },
        }),
      'the input provides "triangle-list-adjacency", which the raster sink cannot draw: '
        + 'enable a stage of kind "geometry"',
    ],
    [
      'an emitted topology that setup cannot take',
      () => table([stage('load'), null, emitting('hairs', 4, 'line-strip-adjacency'), stage('end')]),
      'slot 2 ("hairs") provides "line-strip-adjacency", which the raster sink cannot draw: '
        + 'enable a stage of kind "geometry" after it',
    ],
    [
      'emitted primitives with adjacency that do not fit',
      () =>
        table([stage('load'), emitting('hairs', 4, 'triangle-strip-adjacency'), emitting('hairs', 4), stage('end')]),
      'slot 2 ("hairs") takes 3 vertices per primitive, but slot 1 ("hairs") provides '
        + '"triangle-strip-adjacency", 6 per primitive',
    ],
    [
      'vertices of a vertex stage',
      () => table([{ ...stage('load'), maxVertices: 3 }, stage('end')]),
      'slot 0 ("load") is a vertex stage, which does not emit vertices: leave maxVertices out',
    ],
    [
      'vertices of a primitive stage',
      () => table([stage('load'), looking('cull', { maxVertices: 3 }), stage('end')]),
      'slot 1 ("cull") is a primitive stage, which does not emit vertices: leave maxVertices out',
    ],
    [
      'primitives that a primitive stage does not take',
      () =>
        table([stage('load'), null, looking('cull'), stage('end')], {
          input: { buffers: [buffer('float32x3')], topology: 'line-list' },
        }),
      'slot 2 ("cull") takes 3 vertices per primitive, but the input provides "line-list", 2 per primitive',
    ],
    [
      'emitted primitives that a primitive stage does not take',
      () => table([stage('load'), emitting('hairs', 4, 'line-strip'), looking('cull'), stage('end')]),
      'slot 2 ("cull") takes 3 vertices per primitive, but slot 1 ("hairs") provides "line-strip", 2 per primitive',
    ],
    [
      'types that do not fit a primitive stage',
      () => table([stage('load'), looking('cull'), looking('wrong'), stage('end')]),
      'slot 0 ("load") writes @location(1) result.color as vec4f, but slot 2 ("wrong") after it reads v.x as vec2u',
    ],
    [
      'types that do not fit behind a primitive stage',
      () => table([stage('load'), looking('cull'), stage('whole'), stage('end')]),
      'slot 0 ("load") writes @location(0) result.p as vec4f, but slot 2 ("whole") after it reads p as vec4u',
    ],
    [
      'no position before a primitive stage',
      () => table([stage('load'), looking('cull')]),
      'slot 0 ("load") is the last enabled stage before setup, but writes no @builtin(position)',
    ],
    ['primitive stages alone', () => table([looking('cull')]), 'no enabled stage outputs vertices to sinks[0]'],
    [
      'a topology that passes a primitive stage',
      () => table([stage('load'), emitting('hairs', 4, 'line-strip-adjacency'), stage('end')]),
      'slot 1 ("hairs") provides "line-strip-adjacency", which the raster sink cannot draw',
    ],
    [
      'an entry point of another kind',
      () => table([{ ...stage('load'), kind: 'geometry' }, stage('end')]),
      'entry point "load" is @vertex, not @geometry',
    ],
    [
      'a wrong sink',
      () =>
        table(stack(), {
          sinks: [{ raster: { fragment: { module, entryPoint: 'fs', targets: [{ format: 'r8snorm' }] } } }],
        }),
      'sinks[0].raster: ',
    ],
    ['no sink', () => table(stack(), { sinks: [] }), 'sinks is empty'],
    [
      'sinks of two kinds',
      () => table(stack(), { sinks: [{ ...raster('fs'), buffer: { arrayStride: 4, attributes: [] } }] }),
      'sinks[0] must have exactly one of raster, buffer and pipeline; it has 2',
    ],
    [
      'edges that go round',
      () =>
        table(stack(), {
          edges: [
            [0, 2],
            [2, 3],
            [3, 0],
          ],
        }),
      'edges form a cycle: slots 0 → 2 → 3 → 0',
    ],
    ['an edge to itself', () => table(stack(), { edges: [[2, 2]] }), 'edges form a cycle: slots 2 → 2'],
    [
      'edges to nowhere',
      () => table(stack(), { edges: [[0, 7]] }),
      'edges[0] refers to slot 7, but there are only 4 slots',
    ],
    [
      'edges of four',
      () => table(stack(), { edges: [[0, 2, 3, 1] as never] }),
      'edges[0] must have two slot numbers, from and to, and may have a stream; it has 4 numbers',
    ],
    [
      'an edge of a fifth stream',
      () => table(stack(), { edges: [[0, 2, 4]] }),
      'edges[0]: stream 4 must be less than 4',
    ],
    [
      'a sink of a fifth stream',
      () => table(stack(), { sinks: [{ stream: 4, ...raster('fs') }] }),
      'sinks[0]: stream 4 must be less than 4',
    ],
    [
      'topologies of five streams',
      () =>
        table([stage('load'), { ...emitting('hairs', 4), topology: Array.from({ length: 5 }, () => 'point-list') }]),
      'topology has 5 entries, one for each stream; there are up to 4 streams',
    ],
    [
      'a sink from nowhere',
      () => table(stack(), { sinks: [{ ...raster('fs'), from: 9 }] }),
      'sinks[0].from refers to slot 9',
    ],
    [
      'what does not fit behind a fork',
      () =>
        table([stage('load'), stage('end'), stage('whole')], {
          edges: [
            [0, 1],
            [0, 2],
          ],
          sinks: [
            { ...raster('fs'), from: 1 },
            { ...raster('fs'), from: 2 },
          ],
        }),
      'slot 0 ("load") writes @location(0) result.p as vec4f, but slot 2 ("whole") after it reads p as vec4u',
    ],
    [
      'a sink behind a fork without a position',
      () =>
        table([stage('load'), stage('end'), stage('shift')], {
          edges: [
            [0, 1],
            [0, 2],
          ],
          sinks: [raster('fs')],
        }),
      'slot 2 ("shift") is the last enabled stage before setup',
    ],
    [
      'targets that differ',
      () =>
        table([stage('load'), stage('end')], {
          sinks: [
            raster('fs'),
            { raster: { fragment: { module, entryPoint: 'fs', targets: [{ format: 'r8unorm' }] } } },
          ],
        }),
      'sinks[1] draws to r8unorm, no depth, 1 sample(s), but sinks[0] draws to rgba8unorm',
    ],
    [
      'a buffer of two topologies',
      () =>
        table([stage('load'), emitting('hairs', 4, 'line-strip')], {
          sinks: [
            {
              from: [0, 1],
              buffer: { arrayStride: 16, attributes: [{ shaderLocation: 0, offset: 0, format: 'float32x4' }] },
            },
          ],
        }),
      'sinks[0] is a buffer, but gets "line-strip" from slot 1 ("hairs") and "triangle-list" from the input',
    ],
    [
      'paths without end',
      () =>
        table(Array.from({ length: 16 }, () => stage('shift')).concat(stage('end')), {
          edges: Array.from(
            { length: 14 },
            (_, i) =>
              [
                [i, i + 1],
                [i, i + 2],
              ] as const
          )
            .flat()
            .concat([[15, 16]] as never),
        }),
      'more than 64 paths lead through its slots to its sinks',
    ],
  ] as const)('name %s in errors', async (_, descriptor, message) => {
    const said = await makes(descriptor());
    expect(said).toContain('[ModularPipeline "stack"] createModularPipeline: ');
    expect(said).toContain(message);
  });

  test('a render pipeline rejects a stage without a position', async () => {
    expect(
      await errorOf(() =>
        device.createRenderPipeline({
          layout: 'auto',
          vertex: { module, entryPoint: 'load', buffers: [buffer('float32x3')] },
          fragment: { module, entryPoint: 'fs', targets: [{ format: 'rgba8unorm' }] },
        })
      )
    ).toContain('entry point "load" writes no @builtin(position)');
  });

  test('viewports are validated individually', async () => {
    const one = { x: 0, y: 0, width: 4, height: 4 };
    const set = (viewports: readonly unknown[]): Promise<string | undefined> =>
      drawn((pass) => (pass as unknown as ViewportCommands).setViewports(viewports as never));
    expect(await set(Array.from({ length: 16 }, () => one))).toBeUndefined();
    expect(await set([])).toContain('setViewports: there must be 1 to 16 viewports, not 0');
    expect(await set(Array.from({ length: 17 }, () => one))).toContain('1 to 16 viewports, not 17');
    expect(await set([one, { ...one, width: -1 }])).toContain('setViewports: viewports[1]: size -1×4 must be from 0');
    expect(await set([{ ...one, x: 1e6 }])).toContain('viewports[0]: 1000000, 0 with size 4×4 is outside');
    expect(await set([one, one, { ...one, minDepth: 0.5, maxDepth: 0.25 }])).toContain('viewports[2]: minDepth 0.5');
    expect(await set([{ ...one, maxDepth: 2 }])).toContain('maxDepth 2 must be from 0 to 1');
    await expect(set([{ x: 0, y: 0, width: 4 }])).rejects.toThrow(/setViewports: viewports\[0\] lacks 'height'/);
    expect('setViewports' in device.createRenderBundleEncoder({ colorFormats: ['rgba8unorm'] })).toBe(false);
  });
});
