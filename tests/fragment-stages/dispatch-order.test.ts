// Triangles that share pixels and send several results each. Everything that an earlier one sends is written before
// anything of a later one, so one draw call gives the same result as a pass per triangle.
// RASTERLOOM_FUZZ=count runs more scenes, RASTERLOOM_SEED=number others.
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { StatisticsDevice } from '../../src/index';
import { open } from './kit';
import { GPUMapMode } from '../support/flags';
import { rounds } from '../support/rounds';

const SCENES = rounds(25);
const SEED = Number(process.env['RASTERLOOM_SEED'] ?? 1);
const SIZE = 32;
const PIXELS = SIZE * SIZE;
const BUFFER = { MAP_READ: 1, COPY_SRC: 4, COPY_DST: 8, STORAGE: 128 } as const;
const TEXTURE = { SAMPLED: 4, ATTACHMENT: 16 } as const;
const engines = {
  compiled: { engine: 'jit', threads: 0 },
  interpreted: { engine: 'interpreter', threads: 0 },
  scalar: { simd: false, threads: 0 },
  'two workers': { threads: 2 },
  'two at every tile': { threads: 2, distribution: 'any', alwaysShareTiles: true },
} as const;

interface Scene {
  readonly samples: number;
  /** What each triangle sends: a value to the samples of a mask, both varied by pixel, `loop` times. */
  readonly sends: readonly { readonly mask: number; readonly value: number; readonly loop: number }[];
  /** Whether something else distinguishes samples. */
  readonly each: boolean;
  readonly reads: boolean;
  readonly depth: 'none' | 'tested' | 'written';
  /** Vertices in pixels, and a depth. */
  readonly triangles: readonly { readonly corners: readonly number[]; readonly depth: number }[];
}

const codeOf = ({ sends, each, reads, depth }: Scene): string => `enable fragment_stages;
  struct Corner { @builtin(position) position: vec4f, @location(0) @interpolate(flat) id: u32 }
  @group(0) @binding(0) var<storage> corners: array<vec4f>;
  @vertex fn vertex(@builtin(vertex_index) i: u32) -> Corner {
    let at = corners[i];
    return Corner(vec4f(at.xy / ${SIZE / 2} - 1, at.z, 1), i / 3);
  }
  struct Result { @location(0) color: u32, ${depth === 'written' ? '@builtin(frag_depth) depth: f32' : ''} }
  @fragment fn main(
    corner: Corner, ${each ? '@builtin(sample_index) index: u32,' : ''} ${reads ? '@color(0) below: u32' : ''}
  ) {
    let at = vec2u(corner.position.xy);
    let hash = (at.x * 5 + at.y * 3 + corner.id * 7) & 15;
    let base = corner.id * 1000 + hash ${each ? '+ index * 100' : ''} ${reads ? '+ below % 50' : ''};
    ${sends
      .map(({ mask, value, loop }) => {
        const result = (by: string): string => `Result(base + ${value} ${by}
        ${depth === 'written' ? `, fract(f32((${value} + hash * 3) ${by}) * 0.23)` : ''})`;
        return loop === 0
          ? `dispatchSamples(${mask}u ^ (hash & 3), ${result('')});`
          : `for (var i = 0u; i < ${loop}; i++) { dispatchSamples(${mask}u << i, ${result('+ i')}); }`;
      })
      .join('\n')}
  }`;

class Drawer {
  constructor(readonly device: StatisticsDevice) {}

  /** Returns all samples, after passes of `perPass` triangles each. */
  async draw(scene: Scene, perPass: number): Promise<Uint32Array> {
    const { device } = this;
    const { samples, depth, triangles } = scene;
    const module = device.createShaderModule({ code: codeOf(scene) });
    device.pushErrorScope('validation');
    const texture = (format: GPUTextureFormat): GPUTexture =>
      device.createTexture({
        size: [SIZE, SIZE],
        sampleCount: samples,
        format,
        usage: TEXTURE.ATTACHMENT | TEXTURE.SAMPLED,
      });
    const target = texture('r32uint');
    const depths = texture('depth32float');
    const corners = device.createBuffer({ size: triangles.length * 48, usage: BUFFER.STORAGE | BUFFER.COPY_DST });
    device.queue.writeBuffer(
      corners,
      0,
      Float32Array.from(
        triangles.flatMap(({ corners: at, depth: z }) => [0, 2, 4].flatMap((k) => [at[k]!, at[k + 1]!, z, 0]))
      )
    );
    const pipeline = device.createRenderPipeline({
      layout: 'auto',
      vertex: { module },
      fragment: { module, targets: [{ format: 'r32uint' }] },
      multisample: { count: samples },
      depthStencil: {
        format: 'depth32float',
        depthWriteEnabled: depth !== 'none',
        depthCompare: depth === 'none' ? 'always' : 'less',
      },
    });
    const encoder = device.createCommandEncoder();
    const group = device.createBindGroup({
      layout: pipeline.getBindGroupLayout(0),
      entries: [{ binding: 0, resource: { buffer: corners } }],
    });
    for (let first = 0; first < triangles.length; first += perPass) {
      const loadOp = first === 0 ? 'clear' : 'load';
      const pass = encoder.beginRenderPass({
        colorAttachments: [{ view: target, loadOp, storeOp: 'store', clearValue: [7, 0, 0, 0] }],
        depthStencilAttachment: { view: depths, depthLoadOp: loadOp, depthStoreOp: 'store', depthClearValue: 1 },
      });
      pass.setPipeline(pipeline);
      pass.setBindGroup(0, group);
      pass.draw(3 * Math.min(perPass, triangles.length - first), 1, 3 * first);
      pass.end();
    }
    const texels = await this.read(encoder, target);
    const error = await device.popErrorScope();
    if (error) throw new Error(error.message);
    for (const made of [target, depths, corners]) made.destroy();
    return texels;
  }

  private async read(encoder: GPUCommandEncoder, texture: GPUTexture): Promise<Uint32Array> {
    const { device } = this;
    const samples = texture.sampleCount;
    const size = PIXELS * samples * 4;
    const module = device.createShaderModule({
      code: `
      @group(0) @binding(0) var source: texture_multisampled_2d<u32>;
      @group(0) @binding(1) var<storage, read_write> words: array<u32>;
      @compute @workgroup_size(${SIZE}) fn main(@builtin(global_invocation_id) id: vec3u) {
        for (var s = 0u; s < ${samples}; s++) {
          words[(id.y * ${SIZE} + id.x) * ${samples} + s] = textureLoad(source, id.xy, s).x;
        }
      }`,
    });
    const pipeline = device.createComputePipeline({ layout: 'auto', compute: { module } });
    const words = device.createBuffer({ size, usage: BUFFER.STORAGE | BUFFER.COPY_SRC });
    const copy = device.createBuffer({ size, usage: BUFFER.MAP_READ | BUFFER.COPY_DST });
    const pass = encoder.beginComputePass();
    pass.setPipeline(pipeline);
    pass.setBindGroup(
      0,
      device.createBindGroup({
        layout: pipeline.getBindGroupLayout(0),
        entries: [
          { binding: 0, resource: texture.createView() },
          { binding: 1, resource: { buffer: words } },
        ],
      })
    );
    pass.dispatchWorkgroups(1, SIZE);
    pass.end();
    encoder.copyBufferToBuffer(words, 0, copy, 0, size);
    device.queue.submit([encoder.finish()]);
    await copy.mapAsync(GPUMapMode.READ);
    const texels = new Uint32Array(copy.getMappedRange().slice(0));
    for (const made of [words, copy]) made.destroy();
    return texels;
  }
}

const coordinate = fc.integer({ min: 0, max: 8 * SIZE }).map((eighths) => eighths / 8);
const large = fc.array(coordinate, { minLength: 6, maxLength: 6 });
const small = fc
  .tuple(fc.nat(3), fc.nat(3), fc.array(fc.nat(40), { minLength: 6, maxLength: 6 }))
  .map(([x, y, by]) => by.map((eighths, i) => (i & 1 ? y : x) * 2 + 8 + eighths / 8));
const scenes: fc.Arbitrary<Scene> = fc.record({
  samples: fc.constantFrom(2, 4, 4, 8, 16),
  each: fc.boolean(),
  reads: fc.integer({ min: 0, max: 3 }).map((number) => number === 0),
  depth: fc.constantFrom('none' as const, 'tested' as const, 'written' as const),
  sends: fc.array(fc.record({ mask: fc.nat(0xffff), value: fc.nat(3), loop: fc.constantFrom(0, 0, 3) }), {
    minLength: 1,
    maxLength: 4,
  }),
  triangles: fc.array(
    fc.record({ corners: fc.oneof(small, small, large), depth: fc.nat(8).map((eighths) => eighths / 8) }),
    { minLength: 2, maxLength: 12 }
  ),
});

describe.each(Object.entries(engines))('%s', (_, options) => {
  let drawer: Drawer;
  beforeAll(async () => {
    drawer = new Drawer(await open(options));
  });
  afterAll(() => drawer.device.destroy());

  const over = (x: number): Scene['triangles'][number] => ({ corners: [x, 0, x + 8, 0, x, 8], depth: 0.5 });

  test('two small triangles: the later one is sent last', async () => {
    const texels = await drawer.draw(
      {
        samples: 4,
        each: false,
        reads: false,
        depth: 'none',
        triangles: [over(0), over(0)],
        sends: [
          { mask: 3, value: 10, loop: 0 },
          { mask: 15, value: 20, loop: 0 },
          { mask: 15 ^ 3, value: 30, loop: 0 },
        ],
      },
      2
    );
    // The last row: y points up.
    const at = (SIZE - 1) * SIZE * 4;
    expect(Math.min(...texels.subarray(at, at + 4))).toBeGreaterThanOrEqual(1000);
  });

  test('random triangles in one draw call equal a sequence', { timeout: 60_000 + SCENES * 1000 }, async () => {
    await fc.assert(
      fc.asyncProperty(scenes, async (scene) => {
        expect(await drawer.draw(scene, scene.triangles.length)).toEqual(await drawer.draw(scene, 1));
      }),
      { numRuns: SCENES, seed: SEED }
    );
  });
});
