// Shaders with a programmable depth test: recognized tests give the same bits as unrecognized ones, with fewer runs.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { StatisticsDevice } from '../../src/index';
import { globals } from '../../src/index';
import { open } from './kit';

const { GPUBufferUsage, GPUMapMode, GPUTextureUsage } = globals;
const SIZE = 32;
const engines = {
  compiled: { engine: 'jit', threads: 0 },
  interpreted: { engine: 'interpreter', threads: 0 },
  scalar: { simd: false, threads: 0 },
  'three workers': { threads: 3 },
} as const;
const COMPARES = ['>=', '>', '<', '<='];

/** `hides`: compares with a value that cannot be recognized as the depth. */
const code = (compare: string, isTurned: boolean, hides: boolean): string => {
  const own = hides ? 'max(v.p.z, 0)' : 'v.p.z';
  const sides = isTurned ? ['stored', own] : [own, 'stored'];
  return `enable fragment_stages;
  struct V { @builtin(position) p: vec4f, @location(0) c: f32 }
  @vertex fn vs(@location(0) p: vec3f, @builtin(vertex_index) i: u32) -> V { return V(vec4f(p, 1), f32(i % 7)); }
  @fragment fn pixel(v: V) -> @link(0) f32 { return sqrt(v.c + 1); }
  @fragment fn sample(v: V, @link(0) x: f32, @builtin(sample_depth) stored: f32) -> @location(0) vec4f {
    if (${sides.join(` ${compare} `)}) { discard; }
    return vec4f(x, v.c, stored, 1);
  }`;
};

describe.each(Object.entries(engines))('%s', (_, options) => {
  let device: StatisticsDevice;
  beforeAll(async () => {
    device = await open(options);
    device.addEventListener('uncapturederror', ({ error }) => {
      throw new Error(error.message);
    });
  });
  afterAll(() => device.destroy());

  interface Scene {
    readonly corners: readonly number[];
    readonly compare: string;
    readonly isTurned: boolean;
    readonly count: number;
    readonly format: GPUTextureFormat;
    readonly clear: number;
    /** Number of vertices that are drawn before. */
    readonly before?: number;
  }
  /** Returns the picture, and how often its sample stage ran. */
  async function draw(scene: Scene, hides: boolean): Promise<{ picture: Uint32Array; runs: number; query: bigint }> {
    const { corners, count, format, clear } = scene;
    const size = [SIZE, SIZE];
    const pipelineOf = (shader: string): GPURenderPipeline => {
      const module = device.createShaderModule({ code: shader });
      return device.createRenderPipeline({
        layout: 'auto',
        multisample: { count },
        depthStencil: { format, depthCompare: 'always', depthWriteEnabled: true },
        vertex: {
          module,
          buffers: [{ arrayStride: 12, attributes: [{ shaderLocation: 0, offset: 0, format: 'float32x3' }] }],
        },
        fragment: {
          module,
          targets: [{ format: 'rgba16float' }],
          stages: [
            { entryPoint: 'pixel', rate: 'pixel' },
            { entryPoint: 'sample', rate: 'sample' },
          ],
        } as unknown as GPUFragmentState,
      });
    };
    const vertices = device.createBuffer({
      size: corners.length * 4,
      usage: GPUBufferUsage.VERTEX | GPUBufferUsage.COPY_DST,
    });
    device.queue.writeBuffer(vertices, 0, Float32Array.from(corners));
    const { RENDER_ATTACHMENT, COPY_SRC } = GPUTextureUsage;
    const single = device.createTexture({ size, format: 'rgba16float', usage: RENDER_ATTACHMENT | COPY_SRC });
    const many =
      count === 1
        ? single
        : device.createTexture({ size, format: 'rgba16float', sampleCount: count, usage: RENDER_ATTACHMENT });
    const depth = device.createTexture({ size, format, sampleCount: count, usage: RENDER_ATTACHMENT });
    const bytes = SIZE * SIZE * 8;
    const queries = device.createQuerySet({ type: 'occlusion', count: 1 });
    const out = device.createBuffer({ size: bytes, usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ });
    const passed = device.createBuffer({ size: 8, usage: GPUBufferUsage.QUERY_RESOLVE | GPUBufferUsage.COPY_SRC });
    const seen = device.createBuffer({ size: 8, usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ });
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginRenderPass({
      colorAttachments: [
        {
          view: many.createView(),
          loadOp: 'clear',
          storeOp: 'store',
          ...(count > 1 && { resolveTarget: single.createView() }),
        },
      ],
      depthStencilAttachment: {
        view: depth.createView(),
        depthClearValue: clear,
        depthLoadOp: 'clear',
        depthStoreOp: 'store',
        ...(format.includes('stencil') && ({ stencilLoadOp: 'clear', stencilStoreOp: 'store' } as const)),
      },
      occlusionQuerySet: queries,
    });
    pass.setVertexBuffer(0, vertices);
    pass.beginOcclusionQuery(0);
    // Earlier triangles use the opposite test in unrecognized form: they may write any depth, late.
    const before = scene.before ?? 0;
    if (before > 0) {
      pass.setPipeline(pipelineOf(code(scene.compare, !scene.isTurned, true)));
      pass.draw(before);
    }
    pass.setPipeline(pipelineOf(code(scene.compare, scene.isTurned, hides)));
    pass.draw(corners.length / 3 - before, 1, before);
    pass.endOcclusionQuery();
    pass.end();
    encoder.resolveQuerySet(queries, 0, 1, passed, 0);
    encoder.copyBufferToBuffer(passed, 0, seen, 0, 8);
    encoder.copyTextureToBuffer({ texture: single }, { buffer: out, bytesPerRow: SIZE * 8 }, size);
    const runsBefore = device.statistics().counters.sampleRuns;
    device.queue.submit([encoder.finish()]);
    await Promise.all([out.mapAsync(GPUMapMode.READ), seen.mapAsync(GPUMapMode.READ)]);
    const picture = new Uint32Array(out.getMappedRange().slice(0));
    const [query] = new BigUint64Array(seen.getMappedRange());
    for (const each of [single, depth, many, out, vertices, passed, seen]) each.destroy();
    return { picture, runs: device.statistics().counters.sampleRuns - runsBefore, query: query! };
  }

  test('random triangles, comparisons and formats', async () => {
    const at = fc.integer({ min: -40, max: 40 }).map((x) => x / 32);
    const z = fc.integer({ min: 0, max: 16 }).map((x) => x / 16);
    const scene = fc.record({
      corners: fc
        .array(fc.tuple(at, at, z), { minLength: 9, maxLength: 36 })
        .map((each) => each.slice(0, each.length - (each.length % 3)).flat()),
      compare: fc.constantFrom(...COMPARES),
      isTurned: fc.boolean(),
      count: fc.constantFrom(1, 4),
      format: fc.constantFrom<GPUTextureFormat>('depth32float', 'depth24plus', 'depth24plus-stencil8', 'depth16unorm'),
      clear: fc.constantFrom(0, 0.5, 1),
      before: fc.constantFrom(0, 3, 6),
    });
    await fc.assert(
      fc.asyncProperty(scene, async (each) => {
        const its = await draw(each, false);
        const hidden = await draw(each, true);
        expect(its.picture).toEqual(hidden.picture);
        expect(its.query > 0n).toBe(hidden.query > 0n);
        expect(its.runs).toBeLessThanOrEqual(hidden.runs);
      }),
      { numRuns: 40, seed: 20261124 }
    );
  }, 60_000);

  test('occluded fragments are not run', async () => {
    const layer = (z: number): number[] => [-1, -1, z, 3, -1, z, -1, 3, z];
    const scene = { compare: '>=', isTurned: false, count: 4, format: 'depth32float', clear: 1 } as const;
    const front = [...layer(0.25), ...Array.from({ length: 9 }, (_each, i) => layer(0.5 + i / 32)).flat()];
    const once = await draw({ ...scene, corners: layer(0.25) }, false);
    // Two triangles may share a warp.
    expect((await draw({ ...scene, corners: front }, false)).runs).toBeLessThan(once.runs * 3);
    expect((await draw({ ...scene, corners: front }, true)).runs).toBe(once.runs * 10);
  });
});
