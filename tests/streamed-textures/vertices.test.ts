// Vertex shaders that read streamed textures: pictures are bit-identical to those with resident textures, in whichever
// order pages are loaded and evicted.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { StatisticsDevice } from '../../src/index';
import {
  immediateSource,
  budgetOf,
  counted,
  open,
  pageOf,
  pages,
  picture,
  SETTINGS,
  streamed,
  streaming,
  whole,
  type Open,
  type Texels,
} from './kit';
import { GPUBufferUsage, GPUShaderStage } from '../support/flags';
import { rounds } from '../support/rounds';

const TEXELS: Texels = { format: 'rgba8unorm', texelBytes: 4, width: 200, height: 150, layers: 1, levels: 8 };
const PAGE = 16;
const SIZE = 150;

const READS = {
  load: 'textureLoad(map, vec2i(at * vec2f(199, 149)), 0)',
  sample: 'textureSampleLevel(map, linear, at, at.x * 3)',
  // The first read decides where the second one reads.
  dependent: 'textureSampleLevel(map, linear, textureLoad(map, vec2i(at * 150), 0).xy, 0.5)',
  // A loop whose end depends on the value read: on zeros it never ends.
  loop: 'walk(at)',
} as const;
type Read = keyof typeof READS;

/** Squares per side of a grid, drawn as a list, by indices of few or many vertices, or as one instance each. */
const GRIDS = { list: 40, indexed: 30, long: 75, instances: 25 } as const;
type Grid = keyof typeof GRIDS;

const code = (read: Read, grid: Grid, samples: boolean): string => `
  @group(0) @binding(0) var map: texture_2d<f32>;
  @group(0) @binding(1) var linear: sampler;
  struct Corner { @builtin(position) position: vec4f, @location(0) color: vec4f, @location(1) uv: vec2f }
  fn walk(at: vec2f) -> vec4f {
    var left = 1.0 + at.x;
    var color = vec4f();
    var place = vec2i(at * vec2f(199, 149));
    while (left > 0) {
      color = textureLoad(map, place, 0);
      left -= select(0.0, 0.4 + color.x, color.x + color.y + color.z + color.w > 0);
      place = (place + vec2i(13, 7)) % vec2i(200, 150);
    }
    return color;
  }
  @vertex fn vs(@builtin(vertex_index) i: u32, @builtin(instance_index) instance: u32) -> Corner {
    ${
      grid === 'list'
        ? `let square = i / 6u;
    let corner = array(0u, 1u, 2u, 2u, 1u, 3u)[i % 6u];`
        : grid === 'instances'
          ? 'let square = instance; let corner = i;'
          : ''
    }
    ${
      grid === 'list' || grid === 'instances'
        ? `
          let at = vec2f(f32(square % ${GRIDS[grid]}u + (corner & 1u)), f32(square / ${GRIDS[grid]}u + (corner >> 1u)))
        `
        : `let at = vec2f(f32(i % ${GRIDS[grid] + 1}u), f32(i / ${GRIDS[grid] + 1}u))`
    } / ${GRIDS[grid]};
    let height = ${READS[read]};
    return Corner(vec4f(at * 1.9 - 0.95 + (height.xy - 0.5) * 0.1, height.z, 1), height, at);
  }
  @fragment fn fs(corner: Corner) -> @location(0) vec4f {
    return ${samples ? 'mix(corner.color, textureSample(map, linear, corner.uv * 1.5), 0.5)' : 'corner.color'};
  }`;

function indices(side: number): Uint32Array {
  const all: number[] = [];
  for (let y = 0; y < side; y++)
    for (let x = 0; x < side; x++) {
      const a = y * (side + 1) + x;
      const b = a + side + 1;
      all.push(a, a + 1, b, b, a + 1, b + 1);
    }
  return Uint32Array.from(all);
}

interface Scene {
  readonly read: Read;
  readonly grid: Grid;
  readonly samples: boolean;
  readonly blends?: boolean;
}

const ADDS: GPUBlendState = { color: { srcFactor: 'one', dstFactor: 'one' }, alpha: {} };

function draw(device: StatisticsDevice, map: GPUTexture, { read, grid, samples, blends }: Scene): Promise<Uint8Array> {
  const module = device.createShaderModule({ code: code(read, grid, samples) });
  const format = 'rgba8unorm';
  const layout = device.createBindGroupLayout({
    entries: [
      { binding: 0, visibility: GPUShaderStage.VERTEX | GPUShaderStage.FRAGMENT, texture: {} },
      { binding: 1, visibility: GPUShaderStage.VERTEX | GPUShaderStage.FRAGMENT, sampler: {} },
    ],
  });
  const pipeline = device.createRenderPipeline({
    label: 'hills',
    layout: device.createPipelineLayout({ bindGroupLayouts: [layout] }),
    vertex: { module },
    primitive: { topology: grid === 'instances' ? 'triangle-strip' : 'triangle-list' },
    fragment: { module, targets: [{ format, ...(blends ? { blend: ADDS } : {}) }] },
    depthStencil: { format: 'depth24plus', depthWriteEnabled: !blends, depthCompare: blends ? 'always' : 'less' },
  });
  const side = GRIDS[grid];
  const group = device.createBindGroup({
    layout,
    entries: [
      { binding: 0, resource: map.createView() },
      {
        binding: 1,
        resource: device.createSampler({ minFilter: 'linear', magFilter: 'linear', mipmapFilter: 'linear' }),
      },
    ],
  });
  return picture(device, SIZE, (pass) => {
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, group);
    if (grid === 'list') pass.draw(6 * side * side);
    else if (grid === 'instances') pass.draw(4, side * side);
    else {
      const list = indices(side);
      const buffer = device.createBuffer({
        size: list.byteLength,
        usage: GPUBufferUsage.INDEX,
        mappedAtCreation: true,
      });
      new Uint32Array(buffer.getMappedRange()).set(list);
      buffer.unmap();
      pass.setIndexBuffer(buffer, 'uint32');
      pass.drawIndexed(list.length);
    }
  });
}

describe.each(Object.entries(SETTINGS))('with %s', (_, options) => {
  let opened: Open;
  beforeAll(async () => {
    opened = await open(options);
  });
  afterAll(() => opened.device.destroy());

  test.each(Object.keys(GRIDS) as Grid[])(
    'a grid drawn as "%s" does not depend on residency',
    async (grid) => {
      const { device } = opened;
      const all = whole(device, TEXELS);
      await fc.assert(
        fc.asyncProperty(
          fc.record({ read: fc.constantFrom(...(Object.keys(READS) as Read[])), samples: fc.boolean(), from: pages() }),
          async ({ read, samples, from }) => {
            const scene = { read, grid, samples };
            const expected = await draw(device, all, scene);
            const found = await streaming(opened, TEXELS, PAGE, from, async (map) => [
              await draw(device, map, scene),
              await draw(device, map, scene),
            ]);
            for (const one of found) expect(Buffer.compare(one, expected)).toBe(0);
          }
        ),
        { numRuns: rounds(2) }
      );
      all.destroy();
    },
    120_000
  );
});

describe('discarded vertex work', () => {
  let opened: Open;
  beforeAll(async () => {
    opened = await open({ threads: 2 });
  });
  afterAll(() => opened.device.destroy());

  test('is not counted, and no tile is run twice', async () => {
    const { device, errors } = opened;
    const scene: Scene = { read: 'dependent', grid: 'list', samples: false };
    const count = (map: GPUTexture): ReturnType<typeof counted> => counted(device, () => draw(device, map, scene));
    const expected = await count(whole(device, TEXELS));
    const found = await count(streamed(device, TEXELS, { pageSize: PAGE, loadPage: immediateSource(TEXELS, PAGE) }));
    expect(expected['verticesShaded']).toBe(6 * GRIDS.list ** 2);
    expect(expected['vertex vs']).toBe(expected['vertexWarps']);
    // The geometry ran once or more.
    expect(found['tilesReplayed']).toBeGreaterThan(0);
    expect({ ...found, tilesReplayed: 0 }).toEqual(expected);
    expect(errors).toEqual([]);
  });

  test.each(Object.keys(GRIDS) as Grid[])(
    'chunks of a grid as "%s" that end within tasks are whole',
    async (grid) => {
      const few = await open({ threads: 2, arenaBytes: 1 << 16 });
      for (const read of ['load', 'dependent'] as const) {
        const scene: Scene = { read, grid, samples: true, blends: true };
        const expected = await draw(few.device, whole(few.device, TEXELS), scene);
        // The budget holds so few pages that they are loaded and evicted repeatedly.
        const from = { maxConcurrentLoads: 8, room: 35, delays: [0] };
        const found = await streaming(few, TEXELS, PAGE, from, (map) => draw(few.device, map, scene));
        expect(Buffer.compare(found, expected)).toBe(0);
      }
      expect(few.device.statistics().counters['chunks']).toBeGreaterThan(10);
      few.device.destroy();
    },
    60_000
  );

  test('a budget smaller than the pages of one task is an error that says so', async () => {
    const { device, errors } = opened;
    const map = streamed(device, TEXELS, {
      pageSize: PAGE,
      budget: budgetOf(TEXELS, PAGE, 1),
      loadPage: immediateSource(TEXELS, PAGE),
    });
    await draw(device, map, { read: 'load', grid: 'indexed', samples: false });
    expect(errors.splice(0)).toEqual([expect.stringContaining('one task of geometry reads ')]);
  });

  test('the error of a failing page names it', async () => {
    const { device, errors } = opened;
    const map = streamed(device, TEXELS, {
      pageSize: PAGE,
      loadPage: (level, x, y, layer) => {
        if (level === 0 && x === 3 && y === 4) throw new Error('no such file');
        return pageOf(TEXELS, PAGE, level, x, y, layer);
      },
    });
    await draw(device, map, { read: 'load', grid: 'list', samples: false });
    expect(errors.splice(0)).toEqual([
      expect.stringContaining('page (3, 4) of level 0 could not be loaded: no such file'),
    ]);
  });

  test('best-available mode does not wait and reports the missing levels', async () => {
    const { device, errors } = opened;
    const missed: string[] = [];
    let arrived: Promise<void> | null = null;
    const map = streamed(device, TEXELS, {
      pageSize: PAGE,
      late: 'resident',
      loadPage: immediateSource(TEXELS, PAGE),
      onMissing: (missing) => {
        missed.push(...missing.pages.map(({ level, x, y }) => `${level} ${x} ${y}`));
        arrived = missing.arrived;
      },
    });
    const scene: Scene = { read: 'load', grid: 'list', samples: false };
    await draw(device, map, scene);
    expect(missed).toContain('0 5 6');
    await arrived;
    const all = whole(device, TEXELS);
    expect(Buffer.compare(await draw(device, map, scene), await draw(device, all, scene))).toBe(0);
    expect(errors).toEqual([]);
  });
});
