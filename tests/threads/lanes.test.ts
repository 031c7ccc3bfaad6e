// Fragment shaders with quad operations, among draw calls that blend. Which lanes of a quad are active depends neither
// on which workers share a tile nor on what has been shaded before.
// RASTERLOOM_FUZZ=count draws more frames, RASTERLOOM_SEED=number others.
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CreateOptions } from '../support/options';
import { openBuiltWith } from '../images/open';
import { GPUMapMode } from '../support/flags';
import { rounds } from '../support/rounds';
import { firstDifference } from '../support/first-difference';

const FRAMES = rounds(10);
const SEED = Number(process.env['RASTERLOOM_SEED'] ?? 44);
const SIZE = 64;
const BUFFER = { MAP_READ: 1, COPY_DST: 8, VERTEX: 32 } as const;
const TEXTURE = { COPY_SRC: 1, ATTACHMENT: 16 } as const;
const FEATURES = ['subgroups', 'fragment-stages'];
const ANY = { distribution: 'any', alwaysShareTiles: true } as const;
const variants: Readonly<Record<string, CreateOptions>> = {
  'on one thread': { threads: 0, engine: 'jit' },
  interpreted: { threads: 0, engine: 'interpreter' },
  'by the scalar kernel': { threads: 0, simd: false },
  'by two at a tile': { ...ANY, threads: 2 },
  'by three at a tile, interpreted': { ...ANY, threads: 3, engine: 'interpreter' },
};

/** What a draw call does; `reads`: it uses framebuffer fetch. */
interface Layer {
  readonly kind: 'blended' | 'lanes';
  readonly ends: 'plain' | 'mask' | 'discard' | 'depth';
  readonly reads: boolean;
  readonly compare: 'always' | 'less' | 'less-equal';
  readonly writes: boolean;
  /** Vertices in pixels, and their depths. */
  readonly triangles: readonly (readonly number[])[];
}
interface Frame {
  readonly samples: 1 | 4;
  readonly layers: readonly Layer[];
}

const codeOf = ({ kind, ends, reads }: Layer): string => `enable subgroups;
  ${reads ? 'enable fragment_stages;' : ''}
  diagnostic(off, subgroup_uniformity);
  struct Corner { @builtin(position) position: vec4f, @location(0) @interpolate(flat) id: u32 }
  @vertex fn vertex(@location(0) at: vec3f, @builtin(vertex_index) i: u32) -> Corner {
    return Corner(vec4f(at.x / ${SIZE / 2} - 1, 1 - at.y / ${SIZE / 2}, at.z, 1), i / 3);
  }
  struct Result {
    @location(0) color: vec4f,
    ${ends === 'mask' ? '@builtin(sample_mask) mask: u32,' : ''} ${
      ends === 'depth' ? '@builtin(frag_depth) depth: f32,' : ''
    }
  }
  @fragment fn main(corner: Corner, ${reads ? '@color(0) below: vec4f' : ''}) -> Result {
    let at = vec2u(corner.position.xy);
    let hash = (at.x * 5 + at.y * 3 + corner.id * 7) & 15;
    ${ends === 'discard' ? 'if (hash < 4) { discard; }' : ''}
    let lanes = ${kind === 'lanes' ? 'f32(subgroupAdd(hash + 16) + subgroupBallot(true).x * 5)' : 'f32(hash)'};
    let color = vec4f(fract(lanes / 37), f32(corner.id & 7) / 7, lanes / 200, ${kind === 'lanes' ? '1' : '0.5'});
    return Result(${reads ? 'mix(below, color, 0.6)' : 'color'}
      ${ends === 'mask' ? ', hash | 1' : ''} ${ends === 'depth' ? ', f32(hash) / 16' : ''});
  }`;

const OVER: GPUBlendState = {
  color: { srcFactor: 'src-alpha', dstFactor: 'one-minus-src-alpha' },
  alpha: { srcFactor: 'one', dstFactor: 'zero' },
};

class Drawer {
  constructor(readonly device: GPUDevice) {}

  private pipeline(layer: Layer, samples: number): GPURenderPipeline {
    const { kind, reads, compare, writes } = layer;
    const module = this.device.createShaderModule({ code: codeOf(layer) });
    return this.device.createRenderPipeline({
      layout: 'auto',
      multisample: { count: samples },
      vertex: {
        module,
        buffers: [{ arrayStride: 12, attributes: [{ shaderLocation: 0, offset: 0, format: 'float32x3' }] }],
      },
      fragment: { module, targets: [{ format: 'rgba8unorm', ...(kind === 'blended' && !reads && { blend: OVER }) }] },
      depthStencil: { format: 'depth32float', depthCompare: compare, depthWriteEnabled: writes },
    });
  }

  async draw({ samples, layers }: Frame): Promise<Uint8Array> {
    const { device } = this;
    device.pushErrorScope('validation');
    const texture = (format: GPUTextureFormat, sampleCount: number): GPUTexture =>
      device.createTexture({
        size: [SIZE, SIZE],
        format,
        sampleCount,
        usage: TEXTURE.ATTACHMENT | (sampleCount === 1 ? TEXTURE.COPY_SRC : 0),
      });
    const target = texture('rgba8unorm', 1);
    const color = samples > 1 ? texture('rgba8unorm', samples) : target;
    const depth = texture('depth32float', samples);
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginRenderPass({
      colorAttachments: [
        { view: color, loadOp: 'clear', storeOp: 'store', ...(samples > 1 && { resolveTarget: target }) },
      ],
      depthStencilAttachment: { view: depth, depthLoadOp: 'clear', depthStoreOp: 'discard', depthClearValue: 1 },
    });
    const vertices = layers.map((layer) => {
      const data = Float32Array.from(layer.triangles.flat());
      const buffer = device.createBuffer({ size: data.byteLength, usage: BUFFER.VERTEX | BUFFER.COPY_DST });
      device.queue.writeBuffer(buffer, 0, data);
      pass.setPipeline(this.pipeline(layer, samples));
      pass.setVertexBuffer(0, buffer);
      pass.draw(layer.triangles.length * 3);
      return buffer;
    });
    pass.end();
    const read = device.createBuffer({ size: SIZE * SIZE * 4, usage: BUFFER.MAP_READ | BUFFER.COPY_DST });
    encoder.copyTextureToBuffer({ texture: target }, { buffer: read, bytesPerRow: SIZE * 4 }, [SIZE, SIZE]);
    device.queue.submit([encoder.finish()]);
    const error = await device.popErrorScope();
    if (error) throw new Error(error.message);
    await read.mapAsync(GPUMapMode.READ);
    const bytes = new Uint8Array(read.getMappedRange().slice(0));
    for (const made of [...vertices, read, target, color, depth]) made.destroy();
    return bytes;
  }
}

const place = fc.integer({ min: -8, max: 4 * SIZE + 8 }).map((quarters) => quarters / 4);
const corner = fc.tuple(
  place,
  place,
  fc.nat(16).map((sixteenths) => sixteenths / 16)
);
const triangle = fc.tuple(corner, corner, corner).map((corners) => corners.flat());
const layer: fc.Arbitrary<Layer> = fc.record({
  kind: fc.constantFrom('blended' as const, 'lanes' as const, 'lanes' as const),
  ends: fc.constantFrom('plain' as const, 'mask' as const, 'discard' as const, 'depth' as const),
  reads: fc.integer({ min: 0, max: 4 }).map((number) => number === 0),
  compare: fc.constantFrom('always' as const, 'less' as const, 'less' as const, 'less-equal' as const),
  writes: fc.boolean(),
  triangles: fc.array(triangle, { minLength: 1, maxLength: 12 }),
});
const frames: fc.Arbitrary<Frame> = fc.record({
  samples: fc.constantFrom(1 as const, 4 as const),
  layers: fc.array(layer, { minLength: 2, maxLength: 6 }),
});

describe('quad operations', () => {
  let drawers: readonly (readonly [string, Drawer])[];
  let oracle: Drawer;
  beforeAll(async () => {
    drawers = await Promise.all(
      Object.entries(variants).map(
        async ([name, options]) => [name, new Drawer(await openBuiltWith(FEATURES, options))] as const
      )
    );
    oracle = new Drawer(await openBuiltWith(FEATURES, { threads: 0, immediate: true }));
  });
  afterAll(() => [oracle, ...drawers.map(([, drawer]) => drawer)].forEach(({ device }) => device.destroy()));

  async function expectSame(frame: Frame): Promise<void> {
    const pictures = await Promise.all(
      drawers.map(async ([name, drawer]) => [name, await drawer.draw(frame)] as const)
    );
    // The oracle does not support sample sets.
    if (!frame.layers.some(({ reads }) => reads)) pictures.unshift(['in immediate mode', await oracle.draw(frame)]);
    const [, first] = pictures[0]!;
    for (const [name, picture] of pictures) {
      const at = firstDifference(picture, first);
      if (at >= 0) expect([name, at, picture[at]]).toEqual([pictures[0]![0], at, first[at]]);
    }
  }

  const full = (z: number): readonly number[] => [0, 0, z, 2 * SIZE, 0, z, 0, 2 * SIZE, z];
  test('a draw call with a sample mask over itself: occluded lanes take part', async () => {
    const layers = (ends: Layer['ends']): readonly Layer[] => [
      { kind: 'blended', ends: 'plain', reads: false, compare: 'always', writes: false, triangles: [full(0.9)] },
      {
        kind: 'lanes',
        ends,
        reads: false,
        compare: 'less',
        writes: true,
        triangles: [[1, 1, 0.2, 41, 1, 0.2, 1, 41, 0.2], ...Array.from({ length: 20 }, (_, i) => full(0.7 - i / 40))],
      },
    ];
    for (const samples of [1, 4] as const)
      for (const ends of ['mask', 'discard'] as const) await expectSame({ samples, layers: layers(ends) });
  });

  test('give the same results in random frames', { timeout: 60_000 + FRAMES * 1000 }, async () => {
    await fc.assert(fc.asyncProperty(frames, expectSame), { numRuns: FRAMES, seed: SEED });
  });
});
