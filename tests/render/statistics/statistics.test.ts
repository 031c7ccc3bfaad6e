// Counters and times of the feature "statistics", for draw calls whose numbers are known.
import { availableParallelism } from 'node:os';
import { describe, expect, test } from 'vitest';
import type { DeviceStatistics, DeviceTimes, StatisticsDevice } from '../../../src/index';
import { openBuiltWith } from '../../images/open';
import { TEXTURE, upload, BUFFER } from '../../images/scenes/kit';

const BUILDS = [
  ['SIMD', true],
  ['scalar', false],
] as const;

interface Drawing {
  size?: [number, number];
  samples?: 1 | 4;
  depth?: boolean;
  cullMode?: GPUCullMode;
  loadOp?: GPULoadOp;
  blend?: boolean;
  /** Whether the fragment shader uses derivatives, and therefore runs whole quads. */
  derivatives?: boolean;
  /** Whether the fragment shader may discard (it never does). */
  discards?: boolean;
  /** Clip positions of triangles, x, y, z, w per vertex; null draws one triangle that covers everything. */
  triangles?: readonly (readonly number[])[] | null;
  draw?: (pass: GPURenderPassEncoder) => void;
}

const ADD: GPUBlendState = {
  color: { srcFactor: 'one', dstFactor: 'one' },
  alpha: { srcFactor: 'one', dstFactor: 'one' },
};
const FULL = [[-1, -1, 0.5, 1, 3, -1, 0.5, 1, -1, 3, 0.5, 1]];

/** Draws one pass and returns its counters. */
async function measure(
  device: StatisticsDevice,
  {
    size = [64, 64],
    samples = 1,
    depth = false,
    cullMode = 'none',
    loadOp = 'clear',
    blend = false,
    derivatives = false,
    discards = false,
    triangles = null,
    draw,
  }: Drawing
): Promise<DeviceStatistics> {
  const corners = (triangles ?? FULL).flat();
  const module = device.createShaderModule({
    code: `
    @vertex fn vs(@location(0) p: vec4f) -> @builtin(position) vec4f { return p; }
    @fragment fn fs() -> @location(0) vec4f { return vec4f(0.25); }
    @fragment fn holed(@builtin(position) p: vec4f) -> @location(0) vec4f {
      if (p.x < 0) { discard; }
      return vec4f(0.25);
    }
    @fragment fn steep(@builtin(position) p: vec4f) -> @location(0) vec4f { return vec4f(dpdx(p.x * p.y)); }`,
  });
  const pipeline = device.createRenderPipeline({
    layout: 'auto',
    vertex: {
      module,
      buffers: [{ arrayStride: 16, attributes: [{ shaderLocation: 0, offset: 0, format: 'float32x4' }] }],
    },
    fragment: {
      module,
      entryPoint: derivatives ? 'steep' : discards ? 'holed' : 'fs',
      targets: [{ format: 'rgba8unorm', ...(blend ? { blend: ADD } : {}) }],
    },
    primitive: { cullMode },
    multisample: { count: samples },
    ...(depth ? { depthStencil: { format: 'depth32float', depthCompare: 'less', depthWriteEnabled: !blend } } : {}),
  });
  const attachment = (format: GPUTextureFormat): GPUTextureView =>
    device.createTexture({ size, format, sampleCount: samples, usage: TEXTURE.ATTACHMENT }).createView();
  const vertices = upload(device, Float32Array.from(corners), BUFFER.VERTEX);
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginRenderPass({
    colorAttachments: [{ view: attachment('rgba8unorm'), loadOp, storeOp: 'store' }],
    ...(depth
      ? {
          depthStencilAttachment: {
            view: attachment('depth32float'),
            depthLoadOp: 'clear',
            depthStoreOp: 'discard',
            depthClearValue: 1,
          },
        }
      : {}),
  });
  pass.setPipeline(pipeline);
  pass.setVertexBuffer(0, vertices);
  if (draw) draw(pass);
  else pass.draw(corners.length / 4);
  pass.end();
  device.queue.submit([encoder.finish()]);
  await device.queue.onSubmittedWorkDone();
  return device.statistics();
}

const open = async (simd: boolean, features: readonly string[] = ['statistics']): Promise<StatisticsDevice> =>
  (await openBuiltWith(features, { simd })) as StatisticsDevice;
/** Returns the counters of one pass on a separate device. */
async function counted(simd: boolean, drawing: Drawing): Promise<Readonly<Record<string, number>>> {
  const device = await open(simd);
  const { counters } = await measure(device, drawing);
  device.destroy();
  return counters;
}

describe.each(BUILDS)('counters, %s', (_name, simd) => {
  test('a full-screen triangle over two tiles', async () => {
    const device = await open(simd);
    const { counters, memory, times } = await measure(device, { size: [128, 64] });
    expect(counters).toMatchObject({
      passes: 1,
      verticesUsed: 3,
      verticesShaded: 3,
      vertexWarps: 1,
      trianglesIn: 1,
      trianglesBinned: 1,
      trianglesClipped: 0,
      tilesRun: 2,
      chunks: 1,
      quadsTested: 64 * 32,
      quadsHidden: 0,
      quadsShaded: 64 * 32,
      lanesShaded: 128 * 64,
      fragmentWarps: 128,
      blocksClear: 0,
      blocksPlane: 128,
      blocksPixel: 0,
      blocksSample: 0,
      depthBlocksClear: 0,
      depthBlocksPlane: 0,
      depthBlocksStored: 0,
    });
    expect(memory.bytesUsed).toBeGreaterThanOrEqual(128 * 64 * 4);
    expect(memory.bytesReserved).toBeGreaterThanOrEqual(memory.bytesUsed);
    expect(times).toBeUndefined();
    device.destroy();
  });

  test('triangles that reach no tile, each for its cause', async () => {
    const at = (x: number, y: number, z = 0.5, w = 1): number[] => [x * w, y * w, z * w, w];
    const small = 1 / 64 / 16;
    const counters = await counted(simd, {
      cullMode: 'back',
      draw: (pass) => {
        pass.setScissorRect(0, 0, 32, 64);
        pass.draw(30);
      },
      triangles: [
        // Drawn: counter-clockwise, WebGPU's default front face.
        [...at(-0.9, -0.9), ...at(-0.5, -0.9), ...at(-0.9, -0.5)],
        [...at(-0.9, -0.9), ...at(-0.9, -0.5), ...at(-0.5, -0.9)], // back
        [...at(-0.9, -0.9), ...at(-0.5, -0.5), ...at(-0.1, -0.1)], // no area
        [...at(-0.5, 0.25), ...at(-0.5, 0.25), ...at(-0.5, 0.25)], // no area
        // Next to a pixel's corner, far from its center.
        [
          ...at(-0.5 + small, 0.25 + small),
          ...at(-0.5 + 3 * small, 0.25 + small),
          ...at(-0.5 + small, 0.25 + 3 * small),
        ],
        [...at(1.5, 0), ...at(2.5, 0), ...at(1.5, 1)], // right of the volume
        [...at(0.4, 0.4), ...at(0.9, 0.4), ...at(0.4, 0.9)], // outside the scissor
        [...at(-0.9, -0.9, 1.5), ...at(-0.5, -0.9, 1.5), ...at(-0.9, -0.5, 1.5)], // beyond the far plane
        [...at(0.1, 0.1, 0.5, -1), ...at(0.6, 0.1, 0.5, -1), ...at(0.1, 0.6, 0.5, -1)], // behind the eye
        [...at(NaN, 0.1), ...at(0.6, 0.1), ...at(0.1, 0.6)],
      ],
    });
    expect(counters).toMatchObject({
      trianglesIn: 10,
      trianglesBinned: 1,
      trianglesClipped: 0,
      trianglesCulledByFace: 1,
      trianglesCulledByArea: 2,
      trianglesCulledBetweenSamples: 1,
      trianglesCulledOutside: 3,
      trianglesCulledBehind: 2,
    });
  });

  test.each([1, 4] as const)('an occluded layer is tested and not shaded, at %i samples', async (samples) => {
    const layer = (z: number): number[] => [-1, -1, z, 1, 3, -1, z, 1, -1, 3, z, 1];
    const counters = await counted(simd, { samples, depth: true, triangles: [layer(0.25), layer(0.75)] });
    expect(counters).toMatchObject({
      quadsTested: 2048,
      quadsHidden: 1024,
      quadsShaded: 1024,
      lanesShaded: 4096,
      blocksPlane: 64,
      depthBlocksPlane: 64,
      depthBlocksStored: 0,
    });
  });

  test.each([1, 4] as const)('quads that are occluded one by one, at %i samples', async (samples) => {
    // A near triangle over half the picture with a slanted edge, in front of one that covers everything.
    const counters = await counted(simd, {
      samples,
      depth: true,
      triangles: [
        [-1, -1, 0.25, 1, 0.9, -1, 0.25, 1, -1, 1, 0.25, 1],
        [-1, -1, 0.75, 1, 3, -1, 0.75, 1, -1, 3, 0.75, 1],
      ],
    });
    const near = counters['quadsTested']! - 1024;
    expect(near).toBeGreaterThan(400);
    expect(near).toBeLessThan(560);
    // Everything under the near triangle is occluded; the edge's quads are partly visible.
    expect(counters['quadsHidden']).toBeGreaterThan(near - 70);
    expect(counters['quadsHidden']).toBeLessThan(near);
    expect(counters['quadsShaded']! + counters['quadsHidden']!).toBeLessThanOrEqual(counters['quadsTested']!);
  });

  test.each([1, 4] as const)('an occluded layer of a shader that discards, at %i samples', async (samples) => {
    // Two triangles per layer, neither of which covers all blocks; the second layer is in front of the third.
    const layer = (z: number): number[][] => [
      [-1, -1, z, 1, 1, -1, z, 1, -1, 1, z, 1],
      [1, -1, z, 1, 1, 1, z, 1, -1, 1, z, 1],
    ];
    const drawn = await counted(simd, { samples, depth: true, discards: true, triangles: layer(0.25) });
    const { blocksHidden, quadsShaded } = await counted(simd, {
      samples,
      depth: true,
      discards: true,
      triangles: [...layer(0.25), ...layer(0.5)],
    });
    expect(drawn['blocksHidden']).toBe(0);
    expect(blocksHidden).toBeGreaterThan(60);
    expect(quadsShaded).toBe(drawn['quadsShaded']);
  });

  test.each([1, 4] as const)('an occluded layer of a draw call that blends, at %i samples', async (samples) => {
    const layer = (z: number): number[] => [-1, -1, z, 1, 3, -1, z, 1, -1, 3, z, 1];
    // At the clear value, which fails "less".
    expect(await counted(simd, { samples, depth: true, blend: true, triangles: [layer(1), layer(0.5)] })).toMatchObject(
      { quadsTested: 2048, quadsHidden: 1024, quadsShaded: 1024, lanesShaded: 4096 }
    );
  });

  test('partly covered blocks', async () => {
    const scissored =
      (width: number) =>
      (pass: GPURenderPassEncoder): void => {
        pass.setScissorRect(0, 0, width, 64);
        pass.draw(3);
      };
    expect(await counted(simd, { draw: scissored(36) })).toMatchObject({
      blocksClear: 24,
      blocksPlane: 32,
      blocksPixel: 8,
      blocksSample: 0,
      lanesShaded: 36 * 64,
    });
    // 35 columns end within a quad: its other lanes are helpers, or hold other pixels.
    expect(await counted(simd, { derivatives: true, draw: scissored(35) })).toMatchObject({
      blocksPlane: 32,
      blocksPixel: 8,
      quadsShaded: 18 * 32,
      lanesShaded: 35 * 64,
    });
    expect(await counted(simd, { draw: scissored(35) })).toMatchObject({
      quadsShaded: (35 * 64) / 4,
      lanesShaded: 35 * 64,
    });
    // A slanted edge at four samples.
    const slanted = await counted(simd, { samples: 4, triangles: [[-1, -1, 0.5, 1, 0.97, -1, 0.5, 1, -1, 1, 0.5, 1]] });
    expect(slanted['blocksPlane']).toBeGreaterThanOrEqual(20);
    expect(slanted['blocksSample']).toBeGreaterThanOrEqual(8);
    expect(slanted['blocksClear']).toBeGreaterThanOrEqual(20);
    expect(slanted['blocksPlane']! + slanted['blocksPixel']! + slanted['blocksSample']! + slanted['blocksClear']!).toBe(
      64
    );
  });

  test('blocks of loaded targets, of depth only, and of a pass that ends within a tile', async () => {
    const nothing = (pass: GPURenderPassEncoder): void => {
      pass.setScissorRect(0, 0, 8, 8);
      pass.draw(3);
    };
    expect(await counted(simd, { loadOp: 'load', draw: nothing })).toMatchObject({
      blocksClear: 0,
      blocksPlane: 1,
      blocksPixel: 63,
      blocksSample: 0,
    });
    // Loading a multisampled attachment keeps its compressed form: nothing was stored there yet.
    expect(await counted(simd, { loadOp: 'load', samples: 4, draw: nothing })).toMatchObject({
      blocksClear: 63,
      blocksPlane: 1,
      blocksPixel: 0,
      blocksSample: 0,
    });
    expect(await counted(simd, { size: [20, 9], depth: true })).toMatchObject({
      blocksClear: 0,
      blocksPlane: 2,
      blocksPixel: 4,
      depthBlocksClear: 0,
      depthBlocksPlane: 2,
      depthBlocksStored: 4,
    });
  });
});

describe.each(BUILDS)('times, %s', (_name, simd) => {
  test('cover the parts that ran, and are no longer than the whole', async () => {
    const began = performance.now();
    const device = await open(simd, ['statistics-times']);
    const before = device.statistics().times!;
    const none = { vertex: 0, setup: 0, raster: 0, pack: 0, shade: 0, blend: 0, resolve: 0, prepare: 0, finish: 0 };
    expect(before).toEqual(none);
    const first = (await measure(device, { size: [512, 512], samples: 4, depth: true })).times!;
    const second = (await measure(device, { size: [512, 512], blend: true })).times!;
    const took = performance.now() - began;
    const sum = (times: DeviceTimes): number => Object.values(times).reduce((all: number, ms: number) => all + ms, 0);
    for (const part of ['vertex', 'setup', 'raster', 'pack', 'shade', 'blend', 'resolve'] as const) {
      // The few timed warps may account for all of a flush.
      if (part !== 'pack') expect(first[part], part).toBeGreaterThan(0);
      expect(first[part], part).toBeGreaterThanOrEqual(0);
      expect(second[part], part).toBeGreaterThanOrEqual(0);
    }
    for (const part of ['prepare', 'finish'] as const) expect(second[part], part).toBeGreaterThan(first[part]);
    // Warps are timed by sampling: their parts may vary against each other; the others and the sum do not.
    for (const part of ['vertex', 'setup', 'resolve'] as const) expect(second[part], part).toBeGreaterThan(first[part]);
    expect(sum(second)).toBeGreaterThan(sum(first));
    expect(sum(second)).toBeLessThan(took * availableParallelism());
    expect(device.statistics().counters['passes']).toBe(2);
    device.destroy();
  });
});
