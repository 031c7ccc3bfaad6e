// Streamed cube, cube-array and 3D textures: pictures equal those of resident textures.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { StatisticsDevice } from '../../src/index';
import {
  open,
  pageOf,
  pages,
  picture,
  SETTINGS,
  settling,
  streamed,
  streaming,
  whole,
  type Open,
  type Texels,
} from './kit';
import { GPUShaderStage } from '../support/flags';
import { rounds } from '../support/rounds';

const PAGE = 16;
const SIZE = 100;
const FORMATS = [
  ['rgba8unorm', 4],
  ['r8unorm', 1],
  ['rgba16float', 8],
] as const;

const CUBE = { type: 'texture_cube<f32>', dimension: 'cube', layer: '' } as const;
const CUBES = { type: 'texture_cube_array<f32>', dimension: 'cube-array', layer: ', i32(corner.uv.y * 4)' } as const;
const VOLUME = { type: 'texture_3d<f32>', dimension: '3d', layer: '' } as const;
const READS = {
  cube: { ...CUBE, read: 'textureSample(map, linear, direction)' },
  'a level of a cube': { ...CUBE, read: 'textureSampleLevel(map, linear, direction.yzx, corner.uv.x * 4)' },
  'gathered of a cube': { ...CUBE, read: 'textureGather(0, map, linear, direction.zxy)' },
  cubes: { ...CUBES, read: `textureSample(map, linear, direction${CUBES.layer})` },
  'gathered of cubes': { ...CUBES, read: `textureGather(0, map, linear, direction${CUBES.layer})` },
  volume: { ...VOLUME, read: 'textureSample(map, linear, vec3f(corner.uv, corner.uv.x * corner.uv.y * 1.7))' },
  'a level of a volume': { ...VOLUME, read: 'textureSampleLevel(map, linear, direction, corner.uv.y * 4)' },
  'texels of a volume': { ...VOLUME, read: 'textureLoad(map, vec3i(direction * 40), i32(corner.uv.x * 3))' },
} as const;
type Read = keyof typeof READS;

const code = (read: Read): string => `
  @group(0) @binding(0) var map: ${READS[read].type};
  @group(0) @binding(1) var linear: sampler;
  struct Corner { @builtin(position) position: vec4f, @location(0) uv: vec2f }
  @vertex fn vs(@builtin(vertex_index) i: u32) -> Corner {
    let corner = vec2f(f32(i & 1u), f32(i >> 1u));
    return Corner(vec4f(corner * 2 - 1, 0.5, 1 + corner.y), corner);
  }
  @fragment fn fs(corner: Corner) -> @location(0) vec4f {
    // All faces, and their edges and corners.
    let turn = corner.uv * vec2f(6.5, 3.2);
    let direction = vec3f(sin(turn.y) * cos(turn.x), cos(turn.y), sin(turn.y) * sin(turn.x)) * 1.02;
    return ${READS[read].read};
  }`;

function draw(
  device: StatisticsDevice,
  map: GPUTexture,
  read: Read,
  sampler: GPUSamplerDescriptor
): Promise<Uint8Array> {
  const module = device.createShaderModule({ code: code(read) });
  const { dimension } = READS[read];
  const layout = device.createBindGroupLayout({
    entries: [
      { binding: 0, visibility: GPUShaderStage.FRAGMENT, texture: { viewDimension: dimension } },
      { binding: 1, visibility: GPUShaderStage.FRAGMENT, sampler: {} },
    ],
  });
  const pipeline = device.createRenderPipeline({
    layout: device.createPipelineLayout({ bindGroupLayouts: [layout] }),
    vertex: { module },
    primitive: { topology: 'triangle-strip' },
    fragment: { module, targets: [{ format: 'rgba8unorm' }] },
    depthStencil: { format: 'depth24plus', depthWriteEnabled: true, depthCompare: 'less' },
  });
  return picture(device, SIZE, (pass) => {
    pass.setPipeline(pipeline);
    pass.setBindGroup(
      0,
      device.createBindGroup({
        layout,
        entries: [
          {
            binding: 0,
            resource: map.createView({ dimension, ...(dimension === 'cube' ? { baseArrayLayer: 6 } : {}) }),
          },
          { binding: 1, resource: device.createSampler(sampler) },
        ],
      })
    );
    pass.draw(4);
  });
}

const filter = fc.constantFrom<GPUFilterMode>('nearest', 'linear');
const address = fc.constantFrom<GPUAddressMode>('clamp-to-edge', 'repeat', 'mirror-repeat');
describe.each(Object.entries(SETTINGS))('with %s', (_, options) => {
  let opened: Open;
  beforeAll(async () => {
    opened = await open(options);
  });
  afterAll(() => opened.device.destroy());

  test.each(Object.keys(READS) as Read[])(
    '%s: pictures do not depend on residency',
    async (read) => {
      const { device } = opened;
      const isVolume = READS[read].dimension === '3d';
      await fc.assert(
        fc.asyncProperty(
          fc.record({
            format: fc.constantFrom(...FORMATS),
            size: fc.integer({ min: 20, max: 70 }),
            depth: fc.integer({ min: 1, max: 40 }),
            levels: fc.integer({ min: 1, max: 5 }),
            isBest: fc.boolean(),
            sampler: fc.record({
              addressModeU: address,
              addressModeV: address,
              addressModeW: address,
              magFilter: filter,
              minFilter: filter,
              mipmapFilter: filter,
            }),
            from: pages(),
          }),
          async ({ format: [format, texelBytes], size, depth, levels, isBest, sampler, from }) => {
            const texels: Texels = isVolume
              ? { format, texelBytes, width: size, height: size + 9, layers: depth, dimension: '3d', levels }
              : { format, texelBytes, width: size, height: size, layers: 18, levels };
            const all = whole(device, texels);
            const expected = await draw(device, all, read, sampler);
            const find = isBest ? settling : streaming;
            const found = await find(opened, texels, PAGE, from, (map) => draw(device, map, read, sampler));
            expect(Buffer.compare(found, expected)).toBe(0);
            all.destroy();
          }
        ),
        { numRuns: rounds(2) }
      );
    },
    120_000
  );
});

test('the error of a slice that cannot be loaded names it', async () => {
  const { device, errors } = await open({ threads: 0 });
  const texels: Texels = {
    format: 'rgba8unorm',
    texelBytes: 4,
    width: 40,
    height: 40,
    layers: 30,
    levels: 1,
    dimension: '3d',
  };
  const map = streamed(device, texels, {
    pageSize: PAGE,
    loadPage: (level, x, y, layer) => {
      if (layer === 7) throw new Error('no such file');
      return pageOf(texels, PAGE, level, x, y, layer);
    },
  });
  await draw(device, map, 'volume', {});
  expect(errors).toEqual([
    expect.stringMatching(/page \(\d, \d\) of level 0, slice 7 could not be loaded: no such file/),
  ]);
  device.destroy();
});
