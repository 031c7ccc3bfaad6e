// Scenes that read a streamed texture, their references with all texels resident, and sources of pages.
import fc from 'fast-check';
import { expect } from 'vitest';
import type { StatisticsDevice, TextureStream } from '../../src/index';
import type { CreateOptions } from '../support/options';
import { builtPackage } from '../images/open';
import { GPUMapMode } from '../support/flags';

export const USAGE = { COPY_SRC: 1, COPY_DST: 2, SAMPLED: 4, ATTACHMENT: 16 } as const;
export const BUFFER = { MAP_READ: 1, COPY_DST: 8 } as const;
const PATIENCE_MS = 20_000;

/** Several workers share every tile that is drawn, from its first triangle on. */
export const SHARED_TILES = {
  threads: 3,
  distribution: 'any',
  alwaysShareTiles: true,
} as const satisfies CreateOptions;
/** How often tiles were shared and how often workers waited for blocks. This differs from run to run. */
export const SHARING_COUNTERS: readonly string[] = ['tilesShared', 'tilesJoined', 'blockWaits'];
/** Engines and workers. */
export const SETTINGS: Readonly<Record<string, CreateOptions>> = {
  'the calling thread, JIT': { threads: 0, engine: 'jit' },
  'the calling thread, interpreted': { threads: 0, engine: 'interpreter' },
  'the scalar kernel': { threads: 0, simd: false },
  'two workers, JIT': { threads: 2, engine: 'jit' },
  'four workers, interpreted': { threads: 4, engine: 'interpreter' },
  'three at every tile, JIT': { ...SHARED_TILES, engine: 'jit' },
};
export const turn = (ms = 0): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

export interface Open {
  readonly device: StatisticsDevice;
  readonly errors: string[];
}

/**
 * Opens a device that records its uncaptured errors and whose workers render from the first frame on. `more`: further
 * features.
 */
export async function open(options: CreateOptions, more: readonly GPUFeatureName[] = []): Promise<Open> {
  const { create } = await builtPackage();
  const adapter = await create({ alwaysUseWorkers: true, ...options }).requestAdapter();
  const features = [
    'statistics',
    'streamed-textures',
    'extended-sample-counts',
    'fragment-stages',
    'shading-rate',
    'multisample-storage-textures',
    'modular-pipelines',
    'processing-order',
    ...more,
  ];
  const device = (await adapter!.requestDevice({ requiredFeatures: features as GPUFeatureName[] })) as StatisticsDevice;
  const until = performance.now() + PATIENCE_MS;
  const errors: string[] = [];
  device.addEventListener('uncapturederror', (event) => {
    event.preventDefault();
    errors.push((event as GPUUncapturedErrorEvent).error.message);
  });
  while (device.statistics().workers < (options.threads ?? 0)) {
    if (performance.now() > until) throw new Error(`workers are not up after ${PATIENCE_MS / 1000} s`);
    await turn(1);
  }
  return { device, errors };
}

export interface Texels {
  readonly format: GPUTextureFormat;
  readonly texelBytes: number;
  readonly width: number;
  readonly height: number;
  /** The number of slices if `dimension` is '3d'. */
  readonly layers: number;
  readonly levels: number;
  readonly dimension?: '3d';
}

/** A byte of a texel. Neighbors, levels and layers all have different values. */
function byteAt(x: number, y: number, level: number, layer: number, byte: number): number {
  let hash = Math.imul(x, 0x9e3779b1) ^ Math.imul(y, 0x85ebca6b);
  hash += Math.imul(level * 31 + layer * 7 + byte, 0xc2b2ae35);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return (hash ^ (hash >>> 12)) & 255;
}

const sizeOf = ({ width, height }: Texels, level: number): [number, number] => [
  Math.max(1, width >> level),
  Math.max(1, height >> level),
];

/** Returns the texels of a part of a level. */
function part(texels: Texels, level: number, layer: number, [x, y, width, height]: readonly number[]): Uint8Array {
  const { texelBytes, format } = texels;
  const bytes = new Uint8Array(width! * height! * texelBytes);
  // Half-precision floats without infinities.
  const isHalf = format.includes('16float');
  for (let row = 0; row < height!; row++)
    for (let column = 0; column < width!; column++)
      for (let byte = 0; byte < texelBytes; byte++) {
        const value = byteAt(x! + column, y! + row, level, layer, byte);
        bytes[(row * width! + column) * texelBytes + byte] = isHalf && byte % 2 === 1 ? 0x30 | (value & 15) : value;
      }
  return bytes;
}

export function pageOf(
  texels: Texels,
  pageSize: number,
  level: number,
  x: number,
  y: number,
  layer: number
): Uint8Array {
  const [width, height] = sizeOf(texels, level);
  const left = x * pageSize;
  const top = y * pageSize;
  return part(texels, level, layer, [left, top, Math.min(pageSize, width - left), Math.min(pageSize, height - top)]);
}

const sizeMembers = ({
  format,
  width,
  height,
  layers,
  levels,
  dimension,
}: Texels): Pick<GPUTextureDescriptor, 'format' | 'size' | 'mipLevelCount' | 'dimension'> => ({
  format,
  size: [width, height, layers],
  mipLevelCount: levels,
  dimension: dimension ?? '2d',
});

export function whole(device: GPUDevice, texels: Texels): GPUTexture {
  const texture = device.createTexture({ ...sizeMembers(texels), usage: USAGE.COPY_DST | USAGE.SAMPLED });
  for (let level = 0; level < texels.levels; level++)
    for (let layer = 0; layer < (texels.dimension ? Math.max(1, texels.layers >> level) : texels.layers); layer++) {
      const [width, height] = sizeOf(texels, level);
      device.queue.writeTexture(
        { texture, mipLevel: level, origin: [0, 0, layer] },
        part(texels, level, layer, [0, 0, width, height]) as Uint8Array<ArrayBuffer>,
        { bytesPerRow: width * texels.texelBytes, rowsPerImage: height },
        [width, height, 1]
      );
    }
  return texture;
}

export function streamed(device: GPUDevice, texels: Texels, stream: TextureStream, label = 'map'): GPUTexture {
  return device.createTexture({ label, ...sizeMembers(texels), usage: USAGE.SAMPLED, stream } as GPUTextureDescriptor);
}

/** Returns the number of pages that are always resident: those of levels not larger than a page on any side. */
function residentPageCount({ width, height, layers, levels, dimension }: Texels, pageSize: number): number {
  let pages = 0;
  for (let level = 0; level < levels; level++) {
    const slices = dimension ? Math.max(1, layers >> level) : layers;
    if (Math.max(width >> level, height >> level, dimension ? slices : 1) <= pageSize) pages += slices;
  }
  return pages;
}

/** `stream.budget` for the given number of pages in addition to those that are always resident. */
export const budgetOf = (texels: Texels, pageSize: number, pages: number): number =>
  Math.ceil(residentPageCount(texels, pageSize) + pages) * (pageSize * pageSize * texels.texelBytes + 32);

type LoadPage = TextureStream['loadPage'];

/** A source that delivers pages immediately. */
export const immediateSource =
  (texels: Texels, pageSize: number): LoadPage =>
  (level, x, y, layer) =>
    pageOf(texels, pageSize, level, x, y, layer);

/**
 * A source that delivers pages after the given delays in milliseconds, in turn. Below 0: in the same turn of the event
 * loop.
 */
export function delayedSource(texels: Texels, pageSize: number, delays: readonly number[]): LoadPage {
  let calls = 0;
  return async (level, x, y, layer) => {
    const delay = delays[calls++ % delays.length]!;
    if (delay >= 0) await turn(delay);
    return pageOf(texels, pageSize, level, x, y, layer);
  };
}

/**
 * The same source with delays in turns of the event loop. Pages arrive in the same orders, and no test waits for a
 * timer.
 */
export function sourceInTurns(texels: Texels, pageSize: number, delays: readonly number[]): LoadPage {
  let calls = 0;
  return async (level, x, y, layer) => {
    const delay = delays[calls++ % delays.length]!;
    for (let turns = -1; turns < delay; turns++) await new Promise<void>((resolve) => setImmediate(resolve));
    return pageOf(texels, pageSize, level, x, y, layer);
  };
}

interface Pages {
  readonly maxConcurrentLoads: number;
  /** The initial number of pages in addition to those that are always resident. */
  readonly room: number;
  /** Of `sourceInTurns`. */
  readonly delays: readonly number[];
}
export const pages = (most = 200): fc.Arbitrary<Pages> =>
  fc.record({
    maxConcurrentLoads: fc.integer({ min: 1, max: 20 }),
    room: fc.integer({ min: 1, max: most }),
    delays: fc.array(fc.integer({ min: -1, max: 2 }), { minLength: 1, maxLength: 4 }),
  });

/**
 * A source that fails as soon as a tile is drawn in parts, with a message that names the budget. Drawing in parts takes
 * long and is the subject of budgets.test.ts.
 */
export function failWhenDivided(device: StatisticsDevice, load: LoadPage): LoadPage {
  const divided = (): number => device.statistics().streams.divided;
  const before = divided();
  let calls = 0;
  return (...place) => {
    // Reading the statistics takes longer than making a page.
    if (calls++ % 16 === 0 && divided() > before) throw new Error('stream.budget does not hold the pages of a tile');
    return load(...place);
  };
}

/**
 * Returns the result of `draw` for a streamed texture whose budget holds about as many pages as one tile reads. Doubles
 * the budget while it is too small for a whole tile. `source` replaces that of the delays.
 */
export async function streaming<T>(
  { device, errors }: Open,
  texels: Texels,
  pageSize: number,
  { maxConcurrentLoads, room, delays }: Pages,
  draw: (map: GPUTexture) => Promise<T>,
  source = (): LoadPage => sourceInTurns(texels, pageSize, delays)
): Promise<T> {
  for (let there = room; ; there *= 2) {
    const budget = budgetOf(texels, pageSize, there);
    const loadPage = failWhenDivided(device, source());
    const map = streamed(device, texels, { pageSize, maxConcurrentLoads, budget, loadPage });
    errors.length = 0;
    const before = device.statistics().streams.divided;
    const found = await draw(map);
    map.destroy();
    // The last pages of a draw may arrive without another look at the statistics.
    const isDivided = device.statistics().streams.divided > before;
    if (isDivided || errors.some((message) => message.includes('stream.budget'))) continue;
    expect(errors).toEqual([]);
    return found;
  }
}

/** The same for a texture in best-available mode, once no page is missing any more. */
export async function settling<T>(
  { device, errors }: Open,
  texels: Texels,
  pageSize: number,
  { maxConcurrentLoads, delays }: Pages,
  draw: (map: GPUTexture) => Promise<T>
): Promise<T> {
  let arrived: Promise<void> | null = null;
  const map = streamed(device, texels, {
    pageSize,
    maxConcurrentLoads,
    loadPage: sourceInTurns(texels, pageSize, delays),
    late: 'resident',
    onMissing: (missing) => {
      arrived = missing.arrived;
    },
  });
  errors.length = 0;
  let found = await draw(map);
  while (arrived) {
    await arrived;
    arrived = null;
    found = await draw(map);
  }
  map.destroy();
  expect(errors).toEqual([]);
  return found;
}

/** Returns what a frame adds to the counters, and to the warps of stages by name. */
export async function counted(
  device: StatisticsDevice,
  frame: () => Promise<unknown>
): Promise<Readonly<Record<string, number>>> {
  const now = (): Map<string, number> => {
    const { counters, programs } = device.statistics();
    const all = new Map(Object.entries(counters));
    for (const { kind, name, warps } of programs.stages)
      all.set(`${kind} ${name}`, (all.get(`${kind} ${name}`) ?? 0) + warps);
    return all;
  };
  const before = now();
  await frame();
  return Object.fromEntries([...now()].map(([name, count]) => [name, count - (before.get(name) ?? 0)]));
}

/** Returns the picture of a pass with a depth buffer, `size` texels per side, resolved if it is multisampled. */
export async function picture(
  device: GPUDevice,
  size: number,
  encode: (pass: GPURenderPassEncoder) => void,
  sampleCount = 1
): Promise<Uint8Array> {
  const format = 'rgba8unorm';
  const usage = USAGE.ATTACHMENT;
  const target = device.createTexture({ format, size: [size, size], usage: usage | USAGE.COPY_SRC });
  const depth = device.createTexture({ format: 'depth24plus', size: [size, size], usage, sampleCount });
  const many = sampleCount > 1 ? device.createTexture({ format, size: [size, size], usage, sampleCount }) : null;
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginRenderPass({
    label: 'flight',
    colorAttachments: [
      {
        view: (many ?? target).createView(),
        loadOp: 'clear',
        storeOp: 'store',
        clearValue: [0.1, 0.2, 0.3, 1],
        ...(many ? { resolveTarget: target.createView() } : {}),
      },
    ],
    depthStencilAttachment: {
      view: depth.createView(),
      depthLoadOp: 'clear',
      depthStoreOp: 'store',
      depthClearValue: 1,
    },
  });
  encode(pass);
  pass.end();
  const rowBytes = Math.ceil((size * 4) / 256) * 256;
  const buffer = device.createBuffer({ size: rowBytes * size, usage: BUFFER.MAP_READ | BUFFER.COPY_DST });
  encoder.copyTextureToBuffer({ texture: target }, { buffer, bytesPerRow: rowBytes }, [size, size]);
  device.queue.submit([encoder.finish()]);
  await buffer.mapAsync(GPUMapMode.READ);
  const rows = new Uint8Array(buffer.getMappedRange()).slice();
  for (const resource of [buffer, target, depth, many]) resource?.destroy();
  return rows;
}
