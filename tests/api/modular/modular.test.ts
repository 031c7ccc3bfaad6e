// The API of modular pipelines: availability with the feature only, headers, edges, and errors that name slots.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type {
  ModularPipeline,
  ModularPipelineDescriptor,
  ModularPipelineDevice,
  ModularStage,
  ModularPipelineCommands,
  ViewportCommands,
} from '../../../src/index';
import { builtPackage } from '../../images/open';
import { open } from '../../threads/open';
import { GPUBufferUsage, GPUMapMode, GPUTextureUsage } from '../../support/flags';

type Device = GPUDevice & ModularPipelineDevice;

const CODE = `enable modular_pipelines;
  struct V { @location(0) p: vec4f, @location(1) color: vec4f, @location(2) w: f32 }
  struct End { @builtin(position) position: vec4f, @location(0) color: vec4f }
  @vertex fn load(@location(0) p: vec3f) -> V { return V(vec4f(p, 1), vec4f(0.5), 3); }
  override by: f32 = 1;
  override to: f32 = 1;
  @vertex fn drift(v: V) -> V { return V(v.p + by + f32(bitcast<u32>(to) >> 31), v.color, v.w); }
  @vertex fn shift(v: V) -> V { return V(v.p + v.w, v.color, v.w); }
  @vertex fn whole(@location(0) p: vec4<u32>) -> V { return V(vec4f(p), vec4f(1), 1); }
  @vertex fn end(@location(0) p: vec4f, @location(1) color: vec4f) -> End { return End(p, color); }
  @geometry fn hairs(v: array<V, 3>) {
    for (var k = 0; k < 3; k++) { emitVertex(v[k]); emitVertex(V(v[k].p + 1, v[k].color, v[k].w)); endStrip(); }
  }
  struct Last { @builtin(position) position: vec4f, @location(0) color: vec4f, @location(15) x: f32 }
  @vertex fn last(v: V) -> Last { return Last(v.p, v.color, 1); }
  struct Far { @builtin(position) position: vec4f, @location(0) color: vec4f, @location(16) x: f32 }
  @vertex fn far(v: V) -> Far { return Far(v.p, v.color, 1); }
  @vertex fn odd(@location(0) p: vec4f) -> @location(1) vec2f { return p.xy; }
  @geometry fn every(v: array<V, 3>) { for (var k = 0; k < 3; k++) { emitVertex(End(v[k].p, v[k].color)); } }
  struct Seen { @builtin(cull_primitive) isHidden: bool, @builtin(viewport_index) viewport: u32 }
  @primitive fn cull(v: array<V, 3>, @builtin(primitive_index) i: u32) -> Seen { return Seen(v[1].w < f32(i), i); }
  struct X { @location(1) x: vec2u }
  @primitive fn wrong(v: array<X, 3>) -> @builtin(cull_primitive) bool { return v[0].x.y == 1; }
  @fragment fn fs(@location(0) color: vec4f) -> @location(0) vec4f { return color; }
  @fragment fn flatly(@location(0) @interpolate(flat) color: vec4f) -> @location(0) vec4f { return color; }`;

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
  const buffer = (format: GPUVertexFormat): GPUVertexBufferLayout => ({
    arrayStride: 16,
    attributes: [{ shaderLocation: 0, offset: 0, format }],
  });
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
    ['edges of three', () => table(stack(), { edges: [[0, 2, 3] as never] }), 'edges[0] must have two slot numbers'],
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

  test('require each of several sink buffers to be set', async () => {
    const pipeline = device.createModularPipeline(
      table([stage('load')], {
        sinks: [0, 1].map(() => ({
          buffer: { arrayStride: 4, attributes: [{ shaderLocation: 2, offset: 0, format: 'float32' as const }] },
        })),
      })
    );
    const buffer = (): GPUBuffer => device.createBuffer({ size: 64, usage: GPUBufferUsage.STORAGE });
    const said = await drawn((pass) => {
      set(pass, pipeline);
      pass.setSinkBuffer(buffer());
      pass.draw(3);
    });
    expect(said).toContain('has a buffer sink; call setSinkBuffer() for sinks[1] first');
    expect(
      await drawn((pass) => {
        pass.setSinkBuffer(buffer(), 0, 64, null, 0, 32);
      })
    ).toContain('sink 32: a modular pipeline has at most 32 sinks');
  });

  test('reject overlapping sink buffers and counts', async () => {
    const pipeline = device.createModularPipeline(
      table([stage('load')], {
        sinks: [0, 1].map(() => ({
          buffer: { arrayStride: 4, attributes: [{ shaderLocation: 2, offset: 0, format: 'float32' as const }] },
        })),
      })
    );
    const [one, other] = [0, 1].map((i) =>
      device.createBuffer({ label: `b${i}`, size: 64, usage: GPUBufferUsage.STORAGE })
    ) as [GPUBuffer, GPUBuffer];
    type Part = readonly [offset: number, size: number, counts: GPUBuffer | null, at: number];
    const drawnTo = (a: Part, b: Part, second = one): Promise<string | undefined> =>
      drawn((pass) => {
        set(pass, pipeline);
        pass.setSinkBuffer(one, ...a, 0);
        pass.setSinkBuffer(second, ...b, 1);
        pass.draw(3);
      });
    const first =
      'sinks[0] and sinks[1] are overlapping parts of [Buffer "b0"]; give setSinkBuffer() parts that do not overlap';
    expect(await drawnTo([0, 32, null, 0], [0, 32, null, 0])).toContain(first);
    expect(await drawnTo([0, 32, null, 0], [28, 32, null, 0])).toContain(first);
    expect(await drawnTo([0, 32, null, 0], [32, 32, null, 0])).toBeUndefined();
    expect(await drawnTo([0, 64, null, 0], [0, 64, null, 0], other)).toBeUndefined();
    expect(await drawnTo([0, 32, one, 16], [32, 32, null, 0])).toContain(
      'sinks[0] and the counts of sinks[0] are overlapping'
    );
    expect(await drawnTo([0, 64, other, 0], [0, 16, other, 16], other)).toContain(
      'the counts of sinks[0] and sinks[1] are'
    );
    expect(await drawnTo([0, 16, one, 32], [16, 16, one, 44])).toContain(
      'the counts of sinks[0] and the counts of sinks[1] are'
    );
    expect(await drawnTo([0, 16, one, 32], [16, 16, one, 48])).toBeUndefined();
    // A sink that the pipeline does not have is not written.
    expect(
      await drawn((pass) => {
        pass.setSinkBuffer(one, 0, 32, null, 0, 5);
        set(pass, pipeline);
        pass.setSinkBuffer(one, 0, 32, null, 0, 0);
        pass.setSinkBuffer(one, 32, 32, null, 0, 1);
        pass.draw(3);
      })
    ).toBeUndefined();
  });

  test('reject draw calls that write to sinks of earlier ones, unless they continue after them', async () => {
    const pipeline = device.createModularPipeline(
      table([stage('load')], {
        sinks: [
          { buffer: { arrayStride: 4, attributes: [{ shaderLocation: 2, offset: 0, format: 'float32' as const }] } },
        ],
      })
    );
    const sink = device.createBuffer({ label: 'b', size: 64, usage: GPUBufferUsage.STORAGE });
    type Draws = readonly (readonly [offset: number, size: number] | null)[];
    const record = (pass: ModularPipelineCommands & GPURenderPassEncoder, draws: Draws): void => {
      set(pass, pipeline);
      for (const part of draws) {
        if (part) pass.setSinkBuffer(sink, ...part);
        pass.draw(3);
      }
    };
    const said = 'sinks[0] of an earlier draw and sinks[0] are overlapping parts of [Buffer "b"]';
    expect(
      await drawn((pass) => {
        record(pass, [
          [0, 32],
          [0, 32],
        ]);
      })
    ).toContain(said);
    expect(
      await drawn((pass) => {
        record(pass, [
          [0, 12],
          [16, 12],
          [8, 12],
        ]);
      })
    ).toContain(said);
    expect(
      await drawn((pass) => {
        record(pass, [[0, 32], null, [32, 32], null]);
      })
    ).toBeUndefined();
    expect(
      await drawn((pass) => {
        pass.setSinkBuffer(sink, 0, 64);
        record(pass, [[0, 64]]);
      })
    ).toBeUndefined();
  });

  test('bundles of passes without attachments can set sinks', async () => {
    const pipeline = device.createModularPipeline(
      table([stage('load')], {
        sinks: [
          { buffer: { arrayStride: 4, attributes: [{ shaderLocation: 2, offset: 0, format: 'float32' as const }] } },
        ],
      })
    );
    const counts = device.createBuffer({ size: 16, usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC });
    const read = device.createBuffer({ size: 16, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
    const vertices = device.createBuffer({ size: 64, usage: GPUBufferUsage.VERTEX });
    expect(
      await errorOf(() => {
        const bundler = device.createRenderBundleEncoder({ colorFormats: [] }) as GPURenderBundleEncoder
          & ModularPipelineCommands;
        bundler.setPipeline(pipeline);
        bundler.setVertexBuffer(0, vertices);
        bundler.setSinkBuffer(device.createBuffer({ size: 64, usage: GPUBufferUsage.STORAGE }), 0, 64, counts);
        bundler.draw(3);
        const bundle = bundler.finish();
        const encoder = device.createCommandEncoder();
        const pass = encoder.beginRenderPass({
          colorAttachments: [],
          size: [1, 1],
          sampleCount: 1,
        } as unknown as GPURenderPassDescriptor);
        pass.executeBundles([bundle, bundle]);
        pass.end();
        encoder.copyBufferToBuffer(counts, 0, read, 0, 16);
        device.queue.submit([encoder.finish()]);
      })
    ).toBeUndefined();
    await read.mapAsync(GPUMapMode.READ);
    expect([...new Uint32Array(read.getMappedRange())]).toEqual([6, 1, 0, 0]);
    const bare = (): GPURenderBundle => device.createRenderBundleEncoder({ colorFormats: [] }).finish();
    expect(await drawn((pass) => pass.executeBundles([bare()]))).toContain(
      'renders to colour formats [], but the pass has [rgba8unorm]'
    );
    const adapter = await (await builtPackage()).create({ threads: 0 }).requestAdapter();
    const plain = await adapter!.requestDevice();
    plain.pushErrorScope('validation');
    plain.createRenderBundleEncoder({ colorFormats: [] });
    expect((await plain.popErrorScope())?.message).toContain(
      'the bundle has no attachment: add a colour format or a depthStencilFormat'
    );
    plain.destroy();
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
    expect([bytesCompacted, programsCompiled <= 6]).toEqual([0, true]);
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
