// Page pools and multisampled surfaces in a test kernel's memory, without a device: written from samples, and read
// back.
import {
  PAGE_SHIFT,
  PAGE_SIZE,
  SURFACE_1SPP,
  SURFACE_CLEAR,
  SURFACE_FULL,
  SURFACE_PLANE,
  SURFACE_SUBSET,
  SURFACE_UNIFORM,
} from '../../assembly/layout/surface/surface-codes';
import { Pool, Surface, SurfaceTile } from '../../build/layout';
import { POSITIONS, type SampleCount } from '../support/triangles';

function popcount(word: number): number {
  let count = 0;
  for (let left = word; left !== 0; left &= left - 1) count++;
  return count;
}

/** What tests of any folder need of a kernel. */
export interface Kernel {
  readonly call: Record<string, (...args: number[]) => number>;
  readonly memory: WebAssembly.Memory;
  alloc(bytes: number): number;
}

/** Views of a kernel's whole memory. */
interface Views {
  readonly words: Uint32Array;
  readonly memory: Uint8Array;
}
const views = new WeakMap<ArrayBufferLike, Views>();
function viewsOf({ memory: { buffer } }: Kernel): Views {
  let found = views.get(buffer);
  if (!found) views.set(buffer, (found = { words: new Uint32Array(buffer), memory: new Uint8Array(buffer) }));
  return found;
}
export const words = (k: Kernel): Uint32Array => viewsOf(k).words;

/** Pages that are added one by one. */
export class TestPool {
  readonly address: number;
  constructor(readonly kernel: Kernel) {
    this.address = kernel.alloc(Pool.bytes);
    words(kernel)[(this.address + Pool.links) / 4] = kernel.alloc(65536 * 4);
  }
  provide(pages: number): void {
    const first = this.kernel.alloc(pages * PAGE_SIZE);
    for (let i = 0; i < pages; i++) this.give(first + i * PAGE_SIZE);
  }
  give(page: number): void {
    words(this.kernel)[this.link(page)] = this.get(Pool.head);
    this.put(Pool.head, page);
    this.put(Pool.free, this.free + 1);
  }
  take(): number {
    const page = this.get(Pool.head);
    this.put(Pool.head, words(this.kernel)[this.link(page)]!);
    this.put(Pool.free, this.free - 1);
    return page;
  }
  get free(): number {
    return this.get(Pool.free);
  }
  get missed(): number {
    return this.get(Pool.missed);
  }
  /** The free pages, in the order of their links. */
  get pages(): number[] {
    const pages: number[] = [];
    for (let page = this.get(Pool.head); page; page = words(this.kernel)[this.link(page)]!) pages.push(page);
    return pages;
  }
  private link(page: number): number {
    return this.get(Pool.links) / 4 + (page >>> PAGE_SHIFT);
  }
  private get(field: number): number {
    return words(this.kernel)[(this.address + field) / 4]!;
  }
  private put(field: number, value: number): void {
    words(this.kernel)[(this.address + field) / 4] = value;
  }
}

interface SurfaceShape {
  format: number;
  bytes: number;
  samples: number;
  width: number;
  height: number;
  encodes?: boolean;
  threshold?: number;
}

/** Samples outside of surfaces are in the order of tile.ts: pixel by pixel, each with its samples. */
export class TestSurface {
  readonly kernel: Kernel;
  readonly address: number;
  readonly tilesX: number;
  readonly tiles: number;
  readonly maxPages: number;
  private readonly stride: number;
  private readonly directory: number;

  constructor(
    private readonly pool: TestPool,
    readonly shape: SurfaceShape
  ) {
    const k = (this.kernel = pool.kernel);
    const pages = shape.bytes * shape.samples;
    this.tilesX = Math.ceil(shape.width / 64);
    this.tiles = this.tilesX * Math.ceil(shape.height / 64);
    this.maxPages = this.tiles * pages;
    this.stride = SurfaceTile.pages + pages * 4;
    this.address = k.alloc(Surface.bytes);
    this.directory = k.alloc(this.tiles * this.stride);
    const put = (field: number, value: number): void => {
      words(k)[(this.address + field) / 4] = value;
    };
    const fields: [number, number][] = [
      [Surface.format, shape.format],
      [Surface.texelBytes, shape.bytes],
      [Surface.samples, shape.samples],
      [Surface.width, shape.width],
      [Surface.height, shape.height],
      [Surface.tilesX, this.tilesX],
      [Surface.tileCount, this.tiles],
      [Surface.tilesAddress, this.directory],
      [Surface.tileStride, this.stride],
      [Surface.pool, pool.address],
      [Surface.encodes, shape.encodes === false ? 0 : 1],
    ];
    for (const [field, value] of fields) put(field, value);
    new Float32Array(k.memory.buffer)[(this.address + Surface.threshold) / 4] = shape.threshold ?? 0;
  }

  get tileBytes(): number {
    return 4096 * this.shape.samples * this.shape.bytes;
  }
  /** Bytes of its pages that are reported as read and written. */
  get moved(): number {
    return Number(new DataView(this.kernel.memory.buffer).getBigUint64(this.address + Surface.moved, true));
  }
  get pagesHeld(): number {
    return words(this.kernel)[(this.address + Surface.pagesHeld) / 4]!;
  }
  get isStored(): boolean {
    return Array.from({ length: this.tiles }, (_, i) => this.field(i, SurfaceTile.state)).some(
      (state) => state !== SURFACE_CLEAR
    );
  }
  /** A field of a tile's record. */
  field(index: number, field: number): number {
    return words(this.kernel)[(this.tile(index) + field) / 4]!;
  }
  blockStates(index: number): number[] {
    return [...new Uint8Array(this.kernel.memory.buffer, this.tile(index) + SurfaceTile.blockStates, 64)];
  }

  pages(index: number): number[] {
    return Array.from({ length: this.field(index, SurfaceTile.pageCount) }, (_, i) =>
      this.field(index, SurfaceTile.pages + 4 * i)
    );
  }

  /** Makes all tiles SURFACE_FULL, from samples at `from`. */
  write(from: number): void {
    const { samples, bytes } = this.shape;
    const memory = new Uint8Array(this.kernel.memory.buffer);
    for (let index = 0; index < this.tiles; index++) {
      const put = (field: number, value: number): void => {
        words(this.kernel)[(this.tile(index) + field) / 4] = value;
      };
      for (let page = 0; page < samples * bytes; page++) put(SurfaceTile.pages + page * 4, this.pool.take());
      put(SurfaceTile.state, SURFACE_FULL);
      put(SurfaceTile.pageCount, samples * bytes);
      put(SurfaceTile.length, this.tileBytes);
      for (let pixel = 0; pixel < 4096; pixel++)
        for (let sample = 0; sample < samples; sample++) {
          const source = from + index * this.tileBytes + (pixel * samples + sample) * bytes;
          memory.copyWithin(this.byteAt(index, this.fullOffset(pixel, sample)), source, source + bytes);
        }
    }
    words(this.kernel)[(this.address + Surface.pagesHeld) / 4] = this.maxPages;
  }

  /** Decodes all tiles to samples at `to`, independently of the implementation. */
  read(to: number): void {
    const { samples, bytes } = this.shape;
    for (let index = 0; index < this.tiles; index++)
      for (let block = 0; block < 64; block++)
        this.readBlock(index, block, to + index * this.tileBytes + block * 64 * samples * bytes);
  }

  private readBlock(index: number, block: number, to: number): void {
    const { samples, bytes } = this.shape;
    const { memory } = viewsOf(this.kernel);
    const all = Array.from({ length: samples }, (_, i) => i);
    const tile = this.tile(index);
    const copy = (pixel: number, sample: number, from: number): void => {
      const at = to + (pixel * samples + sample) * bytes;
      for (let i = 0; i < bytes; i++) memory[at + i] = memory[from + i]!;
    };
    let state = this.field(index, SurfaceTile.state);
    const whole = state === SURFACE_UNIFORM;
    let offset = block * 64 * bytes * (state === SURFACE_FULL ? samples : 1);
    if (state === SURFACE_SUBSET) {
      state = memory[tile + SurfaceTile.blockStates + block]!;
      offset = this.u16(tile + SurfaceTile.blockOffsets + block * 2) * 16;
    }
    for (let pixel = 0; pixel < 64; pixel++) {
      if (state === SURFACE_PLANE)
        for (const sample of all)
          new DataView(memory.buffer).setFloat32(
            to + (pixel * samples + sample) * bytes,
            this.depthOfPlane(index, offset, block * 64 + pixel, sample),
            true
          );
      else if (state === SURFACE_FULL)
        for (const sample of all) copy(pixel, sample, this.byteAt(index, offset + this.fullOffset(pixel, sample)));
      else if (state === SURFACE_CLEAR) for (const sample of all) copy(pixel, sample, tile + SurfaceTile.clear);
      else if (state === SURFACE_UNIFORM)
        for (const sample of all) copy(pixel, sample, whole ? tile + SurfaceTile.value : this.byteAt(index, offset));
      else if (state === SURFACE_1SPP) {
        const from = this.byteAt(index, offset + pixel * bytes);
        for (const sample of all) copy(pixel, sample, from);
      } else this.subsetPixel(index, offset, pixel, all).forEach((from, sample) => copy(pixel, sample, from));
    }
  }

  /** Depth of a sample in a block that is stored as a plane. `pixel`: number within the tile. */
  private depthOfPlane(index: number, offset: number, pixel: number, sample: number): number {
    const { memory } = viewsOf(this.kernel);
    const view = new DataView(memory.buffer);
    const [x0, y0, z, dx, dy, low, high] = [0, 4, 8, 12, 16, 20, 24].map((at) =>
      view.getFloat32(this.byteAt(index, offset + at), true)
    ) as [number, number, number, number, number, number, number];
    const [quad, block] = [(pixel >> 2) & 15, pixel >> 6];
    const [sx, sy] = POSITIONS[this.shape.samples as SampleCount][sample]!;
    const x = (index % this.tilesX) * 64 + (block & 7) * 8 + (quad & 3) * 2 + (pixel & 1) + sx / 16;
    const y = Math.floor(index / this.tilesX) * 64 + (block >> 3) * 8 + (quad >> 2) * 2 + ((pixel >> 1) & 1) + sy / 16;
    const f = Math.fround;
    const column = f(f(dx * f(x - x0)) + z);
    return Math.min(Math.max(low, f(column + f(dy * f(y - y0)))), high);
  }

  /** Addresses of the texels of a pixel's samples in a block with several texels per pixel. */
  private subsetPixel(index: number, offset: number, pixel: number, all: readonly number[]): number[] {
    const { bytes } = this.shape;
    const up = (n: number): number => (n + 15) & ~15;
    const head = this.byteAt(index, offset) / 4;
    const mixed = (BigInt(words(this.kernel)[head + 1]!) << 32n) | BigInt(words(this.kernel)[head]!);
    const count = words(this.kernel)[head + 2]!;
    const bits = (mask: bigint): number => popcount(Number(mask & 0xffffffffn)) + popcount(Number(mask >> 32n));
    const counts = offset + 16 + up(64 * bytes);
    const single = count === bits(mixed);
    const masks = counts + (single ? 0 : 32);
    const values = masks + up(2 * count);
    const first = this.byteAt(index, offset + 16 + pixel * bytes);
    const countsOf = (quad: number): number[] =>
      [0, 1, 2, 3].map((lane) =>
        single
          ? Number((mixed >> BigInt(4 * quad + lane)) & 1n)
          : (this.u16(this.byteAt(index, counts + 2 * quad)) >> (4 * lane)) & 15
      );
    const four = countsOf(pixel >> 2);
    let entry = 0;
    for (let quad = 0; quad < pixel >> 2; quad++) entry += countsOf(quad).reduce((a, b) => a + b);
    const found = all.map(() => first);
    for (let further = 0; further < Math.max(...four); further++)
      four.forEach((own, lane) => {
        if (further >= own) return;
        const mask = this.u16(this.byteAt(index, masks + 2 * entry));
        if (lane === (pixel & 3))
          all.forEach((sample, i) => {
            if ((mask >> sample) & 1) found[i] = this.byteAt(index, values + entry * bytes);
          });
        entry++;
      });
    return found;
  }

  /** For a full tile or block (64 pixels). */
  private fullOffset(pixel: number, sample: number): number {
    const { samples, bytes } = this.shape;
    const inBlock = samples === 2 ? (pixel & 63) * 2 + sample : (sample >> 2) * 256 + (pixel & 63) * 4 + (sample & 3);
    return ((pixel >> 6) * 64 * samples + inBlock) * bytes;
  }

  private tile(index: number): number {
    return this.directory + index * this.stride;
  }
  private byteAt(index: number, offset: number): number {
    return this.field(index, SurfaceTile.pages + (offset >> PAGE_SHIFT) * 4) + (offset & (PAGE_SIZE - 1));
  }
  private u16(address: number): number {
    const { memory } = viewsOf(this.kernel);
    return memory[address]! | (memory[address + 1]! << 8);
  }
}
