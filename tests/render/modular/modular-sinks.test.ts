// Modular pipelines with stream output: buffers receive vertices in the order of primitives, on all engines, and
// vertices can be drawn from there.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ModularPipeline, ModularPipelineDevice, ModularStage, ModularPipelineCommands } from '../../../src/index';
import type { CreateOptions } from '../../support/options';
import { open } from '../../threads/open';
import { GPUMapMode, GPUTextureUsage } from '../../support/flags';

const USAGE = { MAP_READ: 1, COPY_SRC: 4, COPY_DST: 8, INDEX: 16, VERTEX: 32, STORAGE: 128, INDIRECT: 256 } as const;
const CODE = `enable modular_pipelines;
  struct V { @location(0) p: vec3f, @location(1) @interpolate(flat) n: vec2u, @location(2) unread: vec4f }
  struct W { @builtin(position) position: vec4f, @location(0) color: vec3f }
  @vertex fn load(@builtin(vertex_index) i: u32, @builtin(instance_index) k: u32) -> V {
    let f = vec2f(f32(i % 40), f32(i / 40));
    return V(vec3f(f / vec2f(20, 20) - 1, f32(k)), vec2u(i, k), vec4f(9));
  }
  @vertex fn wave(v: V) -> V { return V(v.p + vec3f(0.01 * sin(v.p.y * 9), 0.5, 0), v.n * 3, v.unread); }
  @geometry fn twice(v: array<V, 1>) { emitVertex(v[0]); emitVertex(v[0]); }
  @vertex fn look(v: V) -> W { return W(vec4f(v.p.xy, 0.5, 1), vec3f(v.p.xy, f32(v.n.x) / 4096)); }
  @vertex fn read(@location(0) p: vec3f, @location(1) n: vec2u) -> W {
    return W(vec4f(p.xy, 0.5, 1), vec3f(p.xy, f32(n.x) / 4096));
  }
  @fragment fn fs(@location(0) color: vec3f) -> @location(0) vec4f { return vec4f(color, 1); }`;
const STRIDE = 24;
const INDICES = 900;
const INSTANCES = 3;
const index = (i: number): number => (i * 37 + (i >>> 3)) % 1500;
type Device = GPUDevice & ModularPipelineDevice;
type Pass = GPURenderPassEncoder & ModularPipelineCommands;

const engines: Readonly<Record<string, CreateOptions>> = {
  compiled: { engine: 'jit', threads: 0 },
  'interpreted by two': { engine: 'interpreter', threads: 2 },
  'compiled, four workers, chunks': { engine: 'jit', threads: 4, chunkEveryDraw: true },
  'the scalar kernel': { simd: false, threads: 0 },
};

describe.each(Object.entries(engines))('stream output into buffers: %s', (_, options) => {
  let device: Device;
  let module: GPUShaderModule;
  let indices: GPUBuffer;
  beforeAll(async () => {
    device = (await open(options)) as unknown as Device;
    module = device.createShaderModule({ code: CODE });
    indices = device.createBuffer({ size: INDICES * 4, usage: USAGE.INDEX | USAGE.COPY_DST });
    device.queue.writeBuffer(
      indices,
      0,
      Uint32Array.from({ length: INDICES }, (__, i) => index(i))
    );
  });
  afterAll(() => device.destroy());

  const stage = (entryPoint: string): ModularStage => ({ kind: 'vertex', module, entryPoint });
  const attributes = [
    { shaderLocation: 1, offset: 16, format: 'uint32x2' },
    { shaderLocation: 0, offset: 0, format: 'float32x3' },
  ] as const;
  const table = (topology: 'triangle-list' | 'line-list' | 'point-list' = 'triangle-list'): ModularPipeline =>
    device.createModularPipeline({
      label: 'bake',
      layout: 'auto',
      input: { topology },
      stages: [stage('load'), stage('wave')],
      sinks: [{ buffer: { arrayStride: STRIDE, attributes } }],
    });
  const buffer = (size: number): GPUBuffer =>
    device.createBuffer({
      size,
      usage: USAGE.STORAGE | USAGE.VERTEX | USAGE.INDIRECT | USAGE.COPY_SRC | USAGE.COPY_DST,
    });
  const empty = { colorAttachments: [], size: [1, 1], sampleCount: 1 } as unknown as GPURenderPassDescriptor;

  function record(draw: (pass: Pass) => void, target: GPURenderPassDescriptor = empty): void {
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginRenderPass(target) as Pass;
    draw(pass);
    pass.end();
    device.queue.submit([encoder.finish()]);
  }
  async function bytesOf(source: GPUBuffer | GPUTexture, size: number): Promise<ArrayBuffer> {
    const copy = device.createBuffer({ size, usage: USAGE.MAP_READ | USAGE.COPY_DST });
    const encoder = device.createCommandEncoder();
    if ('mapState' in source) encoder.copyBufferToBuffer(source, 0, copy, 0, size);
    else encoder.copyTextureToBuffer({ texture: source }, { buffer: copy, bytesPerRow: 256 }, [64, 64]);
    device.queue.submit([encoder.finish()]);
    await copy.mapAsync(GPUMapMode.READ);
    return copy.getMappedRange().slice(0);
  }
  /** The expected vertex in plain arithmetic; x is separate, because it goes through a sine. */
  const vertexOf = (i: number, k: number): readonly number[] => [
    Math.fround(Math.fround(Math.fround(Math.floor(i / 40) / 20) - 1) + 0.5),
    k,
    i * 3,
    k * 3,
  ];
  function found(bytes: ArrayBuffer, from: number, vertices: number): number[][] {
    const f32 = new Float32Array(bytes);
    const u32 = new Uint32Array(bytes);
    return Array.from({ length: vertices }, (__, v) => {
      const at = from / 4 + v * 6;
      return [f32[at + 1]!, f32[at + 2]!, u32[at + 4]!, u32[at + 5]!];
    });
  }

  test.each([
    ['triangle-list', 3],
    ['line-list', 2],
    ['point-list', 1],
  ] as const)('vertices of a %s are contiguous, draw call after draw call', async (topology, corners) => {
    const target = buffer(64 + (INDICES + 100) * INSTANCES * STRIDE);
    const counts = buffer(32);
    const pipeline = table(topology);
    device.pushErrorScope('validation');
    record((pass) => {
      pass.setPipeline(pipeline);
      pass.setIndexBuffer(indices, 'uint32');
      pass.setSinkBuffer(target, 64, undefined, counts, 16);
      pass.drawIndexed(INDICES - 1, INSTANCES, 1, 2);
      pass.draw(100, 1, 7, 5);
    });
    expect(await device.popErrorScope()).toBeNull();
    const whole = Math.floor((INDICES - 1) / corners) * corners;
    const more = Math.floor(100 / corners) * corners;
    const wanted = [
      ...Array.from({ length: INSTANCES }, (__, k) =>
        Array.from({ length: whole }, (___, i) => vertexOf(index(i + 1) + 2, k))
      ).flat(),
      ...Array.from({ length: more }, (__, i) => vertexOf(7 + i, 5)),
    ];
    expect(found(await bytesOf(target, target.size), 64, wanted.length)).toEqual(wanted);
    expect([...new Uint32Array(await bytesOf(counts, 32))]).toEqual([0, 0, 0, 0, wanted.length, 1, 0, 0]);
    const { slots, bytesCopied } = pipeline.statistics();
    expect(slots.map((slot) => slot!.runs > 0)).toEqual([true, true]);
    // x, y, z and two integers of each shaded vertex.
    expect(bytesCopied).toBe(slots[1]!.verticesOut * 20);
    expect(pipeline.edges.at(-1)).toMatchObject({
      from: 1,
      to: 'buffer',
      bytesPerVertex: 20,
      dropped: [{ location: 2 }],
    });
  });

  test('also in pipelines whose vertices take more or fewer bytes', async () => {
    const short = device.createModularPipeline({
      layout: 'auto',
      input: { topology: 'point-list' },
      stages: [stage('load'), stage('wave')],
      sinks: [{ buffer: { arrayStride: 8, attributes: [{ shaderLocation: 1, offset: 0, format: 'uint32x2' }] } }],
    });
    const target = buffer(9 * STRIDE + 5 * 8);
    const counts = buffer(16);
    const long = table('point-list');
    record((pass) => {
      pass.setPipeline(long);
      pass.setSinkBuffer(target, 0, undefined, counts);
      pass.draw(4);
      pass.setPipeline(short);
      pass.draw(5, 1, 10);
      pass.setPipeline(long);
      pass.draw(5, 1, 20);
    });
    const bytes = await bytesOf(target, target.size);
    const vertices = (first: number, count: number): number[][] =>
      Array.from({ length: count }, (__, i) => [...vertexOf(first + i, 0)]);
    expect(found(bytes, 0, 4)).toEqual(vertices(0, 4));
    expect([...new Uint32Array(bytes, 4 * STRIDE, 10)]).toEqual([30, 0, 33, 0, 36, 0, 39, 0, 42, 0]);
    expect(found(bytes, 4 * STRIDE + 40, 5)).toEqual(vertices(20, 5));
    expect([...new Uint32Array(await bytesOf(counts, 16))]).toEqual([14, 1, 0, 0]);
  });

  test('branches that join again keep the output of a disabled slot in its place', async () => {
    const code = `enable modular_pipelines;
      struct N { @location(0) @interpolate(flat) n: u32 }
      @vertex fn start() -> N { return N(0); }
      ${[1, 2, 3, 4].map((n) => `@vertex fn s${n}(in: N) -> N { return N(in.n * 10 + ${n}); }`).join('\n')}`;
    const steps = device.createShaderModule({ code });
    const pipeline = device.createModularPipeline({
      layout: 'auto',
      input: { topology: 'point-list' },
      edges: [
        [0, 1],
        [0, 2],
        [0, 3],
        [1, 4],
        [2, 4],
        [3, 4],
      ],
      stages: ['start', 's1', 's2', 's3', 's4'].map((entryPoint) => ({ kind: 'vertex', module: steps, entryPoint })),
      sinks: [{ buffer: { arrayStride: 4, attributes: [{ shaderLocation: 0, offset: 0, format: 'uint32' }] } }],
    });
    const without = async (slots: readonly number[]): Promise<number[]> => {
      const target = buffer(12);
      record((pass) => {
        pass.setPipeline(pipeline);
        for (const slot of slots) pass.setStageEnabled(slot, false);
        pass.setSinkBuffer(target);
        pass.draw(1);
      });
      return [...new Uint32Array(await bytesOf(target, 12))];
    };
    expect(await without([])).toEqual([14, 24, 34]);
    expect(await without([2])).toEqual([14, 4, 34]);
    expect(await without([1])).toEqual([4, 24, 34]);
    expect(await without([1, 2, 4])).toEqual([0, 0, 3]);
  });

  test('streamed vertices draw the same picture as the pipeline itself', async () => {
    const target = buffer(INDICES * STRIDE);
    const counts = buffer(16);
    const fragment = { module, entryPoint: 'fs', targets: [{ format: 'rgba32float' as const }] };
    const direct = device.createModularPipeline({
      layout: 'auto',
      input: {},
      stages: [stage('load'), stage('wave'), stage('look')],
      sinks: [{ raster: { fragment } }],
    });
    const again = device.createRenderPipeline({
      layout: 'auto',
      fragment,
      vertex: {
        module,
        entryPoint: 'read',
        buffers: [
          {
            arrayStride: STRIDE,
            attributes: [
              { shaderLocation: 0, offset: 0, format: 'float32x3' },
              { shaderLocation: 1, offset: 16, format: 'uint32x2' },
            ],
          },
        ],
      },
    });
    const pictures = await Promise.all(
      [0, 1].map(async (way) => {
        const texture = device.createTexture({
          size: [64, 64],
          format: 'rgba32float',
          usage: GPUTextureUsage.COPY_SRC | GPUTextureUsage.RENDER_ATTACHMENT,
        });
        const attachment = { view: texture.createView(), loadOp: 'clear', storeOp: 'store' } as const;
        if (way === 1)
          record((pass) => {
            pass.setPipeline(table());
            pass.setIndexBuffer(indices, 'uint32');
            pass.setSinkBuffer(target, 0, undefined, counts);
            pass.drawIndexed(INDICES);
          });
        record(
          (pass) => {
            if (way === 0) {
              pass.setPipeline(direct);
              pass.setIndexBuffer(indices, 'uint32');
              pass.drawIndexed(INDICES);
            } else {
              pass.setPipeline(again);
              pass.setVertexBuffer(0, target);
              pass.drawIndirect(counts, 0);
            }
          },
          { colorAttachments: [attachment] }
        );
        const copy = device.createBuffer({ size: 64 * 1024, usage: USAGE.MAP_READ | USAGE.COPY_DST });
        const encoder = device.createCommandEncoder();
        encoder.copyTextureToBuffer({ texture }, { buffer: copy, bytesPerRow: 1024 }, [64, 64]);
        device.queue.submit([encoder.finish()]);
        await copy.mapAsync(GPUMapMode.READ);
        return new Uint32Array(copy.getMappedRange().slice(0));
      })
    );
    expect(pictures[0]!.some((word) => word !== 0)).toBe(true);
    expect(pictures[1]).toEqual(pictures[0]);
  });

  test('output that does not fit is an error, or dropped for indirect draws', async () => {
    const errorOf = async (act: () => void): Promise<string | undefined> => {
      device.pushErrorScope('validation');
      act();
      return (await device.popErrorScope())?.message;
    };
    const drawn = (draw: (pass: Pass) => void): Promise<string | undefined> =>
      errorOf(() =>
        record((pass) => {
          pass.setPipeline(table());
          draw(pass);
        })
      );
    const small = buffer(10 * STRIDE);
    expect(await drawn((pass) => pass.draw(3))).toContain(
      '[ModularPipeline "bake"] has a buffer sink; call setSinkBuffer() for sinks[0] first'
    );
    expect(
      await drawn((pass) => {
        pass.setSinkBuffer(small);
        pass.draw(9);
        pass.draw(3);
      })
    ).toContain('draw: 288 bytes of vertices so far exceed the 240 bytes');
    expect(
      await drawn((pass) => {
        pass.setSinkBuffer(small, 2);
      })
    ).toContain('offset 2 is not a multiple of 4');
    expect(
      await drawn((pass) => {
        pass.setSinkBuffer(indices);
      })
    ).toContain('needs usage STORAGE');
    const counts = buffer(16);
    device.queue.writeBuffer(counts, 0, Uint32Array.of(300, 1, 0, 0));
    const guarded = buffer(12 * STRIDE);
    expect(
      await drawn((pass) => {
        pass.setSinkBuffer(guarded, 0, 10 * STRIDE);
        pass.drawIndirect(counts, 0);
      })
    ).toBeUndefined();
    const words = new Uint32Array(await bytesOf(guarded, guarded.size));
    // Three triangles; there is no room for the tenth vertex's triangles.
    expect([...words.slice(54)]).toEqual(Array.from({ length: 18 }, () => 0));
    expect(words[52]).toBe(24);
    const makes = (stages: readonly ModularStage[], sink: object): Promise<string | undefined> =>
      errorOf(() =>
        device.createModularPipeline({ layout: 'auto', input: {}, stages, sinks: [{ buffer: sink as never }] })
      );
    const good = { arrayStride: STRIDE, attributes };
    expect(await makes([stage('load')], { ...good, arrayStride: 22 })).toContain(
      'arrayStride 22 must be a multiple of 4'
    );
    expect(await makes([stage('load')], { arrayStride: 8, attributes })).toContain('attributes[0]: offset 16 must be');
    expect(await makes([stage('look')], good)).toContain(
      'slot 0 ("look"), the last enabled stage, writes no @location(1)'
    );
    expect(
      await makes([stage('load')], { ...good, attributes: [{ shaderLocation: 1, offset: 0, format: 'float32x2' }] })
    ).toContain('format float32x2 does not fit @location(1) result.n of slot 0 ("load"), which is vec2u');
  });

  test('primitives emitted by indirect draws are kept as far as there is room', async () => {
    const pipeline = device.createModularPipeline({
      layout: 'auto',
      input: { topology: 'point-list' },
      sinks: [{ buffer: { arrayStride: STRIDE, attributes } }],
      stages: [
        stage('load'),
        { kind: 'geometry', module, entryPoint: 'twice', maxVertices: 3, topology: 'point-list' },
      ],
    });
    const target = buffer(32 * STRIDE);
    const counts = buffer(16);
    const wanted = buffer(16);
    device.queue.writeBuffer(wanted, 0, Uint32Array.of(50_000, 1, 0, 0));
    record((pass) => {
      pass.setPipeline(pipeline);
      pass.setSinkBuffer(target, 0, 10 * STRIDE, counts);
      pass.drawIndirect(wanted, 0);
    });
    // All of them fit, so there are no gaps and nothing is moved.
    expect([...new Uint32Array(await bytesOf(counts, 16))]).toEqual([10, 1, 0, 0]);
    const words = new Uint32Array(await bytesOf(target, target.size));
    expect(Array.from({ length: 10 }, (__, v) => words[v * 6 + 4])).toEqual([0, 0, 1, 1, 2, 2, 3, 3, 4, 4]);
    expect([...words.slice(60)].every((word) => word === 0)).toBe(true);
    const { slots, bytesCompacted } = pipeline.statistics();
    expect(bytesCompacted).toBe(0);
    // Work that only counts primitives is not reported.
    expect(slots[1]!.verticesOut).toBe(100_000);
  });

  test('direct draws need room for emitted primitives only, in order', async () => {
    const emitting = (maxVertices: number, topology: 'point-list' = 'point-list'): ModularPipeline =>
      device.createModularPipeline({
        layout: 'auto',
        input: { topology },
        sinks: [{ buffer: { arrayStride: STRIDE, attributes } }],
        stages: [stage('load'), { kind: 'geometry', module, entryPoint: 'twice', maxVertices, topology }],
      });
    const wide = emitting(64);
    const plain = table('point-list');
    const numbers = async (vertices: number, draw: (pass: Pass) => void): Promise<number[]> => {
      const target = buffer((vertices + 1) * STRIDE);
      const counts = buffer(16);
      device.pushErrorScope('validation');
      record((pass) => {
        pass.setPipeline(wide);
        pass.setSinkBuffer(target, 0, vertices * STRIDE, counts);
        draw(pass);
      });
      expect((await device.popErrorScope())?.message).toBeUndefined();
      const words = new Uint32Array(await bytesOf(target, target.size));
      expect(words.slice(vertices * 6).every((word) => word === 0)).toBe(true);
      const [held] = new Uint32Array(await bytesOf(counts, 16));
      return Array.from({ length: held! }, (__, v) => words[v * 6 + 4]!);
    };
    const twice = (first: number, count: number): number[] =>
      Array.from({ length: 2 * count }, (__, i) => first + (i >> 1));
    const thrice = (first: number, count: number): number[] =>
      Array.from({ length: count }, (__, i) => (first + i) * 3);
    // Exactly as many as arrive, then too few.
    expect(await numbers(6000, (pass) => pass.draw(3000))).toEqual(twice(0, 3000));
    expect(await numbers(5001, (pass) => pass.draw(3000))).toEqual(twice(0, 3000).slice(0, 5001));
    // One after another, with draw calls in between whose number of vertices is known.
    const several = (pass: Pass): void => {
      pass.draw(10, 1, 5);
      pass.setPipeline(plain);
      pass.draw(7, 1, 40);
      pass.setPipeline(wide);
      pass.draw(10, 1, 90);
    };
    const wanted = [...twice(5, 10), ...thrice(40, 7), ...twice(90, 10)];
    expect(await numbers(47, several)).toEqual(wanted);
    expect(await numbers(33, several)).toEqual(wanted.slice(0, 33));
    expect(await numbers(47 * 64, several)).toEqual(wanted);
  });

  test('a pipeline that draws and streams without room for gaps draws once', async () => {
    const both = device.createModularPipeline({
      layout: 'auto',
      input: { topology: 'point-list' },
      edges: [
        [0, 1],
        [1, 2],
      ],
      stages: [
        stage('load'),
        { kind: 'geometry', module, entryPoint: 'twice', maxVertices: 50, topology: 'point-list' },
        stage('look'),
      ],
      sinks: [
        { from: [1], buffer: { arrayStride: STRIDE, attributes } },
        {
          from: [2],
          raster: {
            fragment: {
              module,
              entryPoint: 'fs',
              targets: [
                {
                  format: 'rgba16float',
                  blend: { color: { srcFactor: 'one', dstFactor: 'one', operation: 'add' }, alpha: {} },
                },
              ],
            },
          },
        },
      ],
    });
    const picture = async (vertices: number): Promise<Uint8Array> => {
      const texture = device.createTexture({
        size: [32, 32],
        format: 'rgba16float',
        usage: GPUTextureUsage.COPY_SRC | GPUTextureUsage.RENDER_ATTACHMENT,
      });
      record(
        (pass) => {
          pass.setPipeline(both);
          pass.setSinkBuffer(buffer(vertices * STRIDE));
          pass.draw(900);
        },
        { colorAttachments: [{ view: texture.createView(), loadOp: 'clear', storeOp: 'store' }] }
      );
      const copy = device.createBuffer({ size: 32 * 256, usage: USAGE.MAP_READ | USAGE.COPY_DST });
      const encoder = device.createCommandEncoder();
      encoder.copyTextureToBuffer({ texture }, { buffer: copy, bytesPerRow: 256 }, [32, 32]);
      device.queue.submit([encoder.finish()]);
      await copy.mapAsync(GPUMapMode.READ);
      return new Uint8Array(copy.getMappedRange().slice(0));
    };
    const wanted = await picture(900 * 50);
    expect(wanted.some((value) => value !== 0)).toBe(true);
    expect(await picture(1800)).toEqual(wanted);
    expect(await picture(40)).toEqual(wanted);
  });
});
