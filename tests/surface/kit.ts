// Page pools and multisampled surfaces in a test kernel's memory, without a device: written from samples, and read
// back.
import {
  PAGE_SHIFT,
  PAGE_SIZE,
  SURFACE_1SPP,
  SURFACE_CLEAR,
  SURFACE_FULL,
  SURFACE_SUBSET,
} from '../../assembly/layout/surface/surface-codes';
import { Plane, Pool, Staging, Surface, SurfaceTile } from '../../build/layout';

function popcount(word: number): number {
  let count = 0;
  for (let left = word; left !== 0; left &= left - 1) count++;
  return count;
}

/** What tests of any folder need of a kernel. */
interface Kernel {
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
const words = (k: Kernel): Uint32Array => viewsOf(k).words;

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
    let offset = block * 64 * bytes * (state === SURFACE_FULL ? samples : 1);
    if (state === SURFACE_SUBSET) {
      state = memory[tile + SurfaceTile.blockStates + block]!;
      offset = this.u16(tile + SurfaceTile.blockOffsets + block * 2) * 16;
    }
    for (let pixel = 0; pixel < 64; pixel++) {
      if (state === SURFACE_FULL)
        for (const sample of all) copy(pixel, sample, this.byteAt(index, offset + this.fullOffset(pixel, sample)));
      else if (state === SURFACE_CLEAR) for (const sample of all) copy(pixel, sample, tile + SurfaceTile.clear);
      else if (state === SURFACE_1SPP) {
        const from = this.byteAt(index, offset + pixel * bytes);
        for (const sample of all) copy(pixel, sample, from);
      } else this.subsetPixel(index, offset, pixel, all).forEach((from, sample) => copy(pixel, sample, from));
    }
  }

  /** Addresses of the texels of a pixel's samples in a block with several texels per pixel. */
  private subsetPixel(index: number, offset: number, pixel: number, all: readonly number[]): number[] {
    const { bytes } = this.shape;
    const up = (n: number): number => (n + 15) & ~15;
    const head = this.byteAt(index, offset) / 4;
    const mixed = (BigInt(words(this.kernel)[head + 1]!) << 32n) | BigInt(words(this.kernel)[head]!);
    const count = words(this.kernel)[head + 2]!;
    const bits = (mask: bigint): number => popcount(Number(mask & 0xffffffffn)) + popcount(Number(mask >> 32n));
    const numbers = offset + 16 + up(64 * bytes);
    const single = count === bits(mixed);
    const masks = numbers + (single ? 0 : up(2 * (bits(mixed) + 1)));
    const values = masks + up(2 * count);
    const first = this.byteAt(index, offset + 16 + pixel * bytes);
    if (!((mixed >> BigInt(pixel)) & 1n)) return all.map(() => first);
    const rank = bits(mixed & ((1n << BigInt(pixel)) - 1n));
    const [begin, end] = [0, 1].map((more) =>
      single ? rank + more : this.u16(this.byteAt(index, numbers + 2 * (rank + more)))
    ) as [number, number];
    return all.map((sample) => {
      for (let i = begin; i < end; i++)
        if (this.u16(this.byteAt(index, masks + 2 * i)) & (1 << sample)) return this.byteAt(index, values + i * bytes);
      return first;
    });
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

/** A STAGING with planes, whose samples are numbers that represent texels; 0 is the clear value. */
export class TestStaging {
  readonly address: number;
  private readonly samplesAt: number;
  private readonly pixelsAt: number;
  private readonly extraValueAddress: number;
  private readonly masksAt: number;
  private readonly pairedAt: number;

  constructor(
    private readonly kernel: Kernel,
    private readonly samples: number,
    private readonly bytes: number
  ) {
    this.address = kernel.alloc(Staging.bytes);
    this.samplesAt = kernel.alloc(16384 * this.layers * bytes);
    this.pixelsAt = kernel.alloc(4096 * bytes);
    this.extraValueAddress = kernel.alloc(4096 * bytes);
    this.masksAt = kernel.alloc(4096 * 2);
    this.pairedAt = kernel.alloc(512);
    const put = (field: number, value: number): void => {
      words(kernel)[(this.address + field) / 4] = value;
    };
    put(Staging.plane, this.address + Staging.own);
    put(Staging.own + Plane.samples, this.samplesAt);
    put(Staging.own + Plane.pixels, this.pixelsAt);
    put(Staging.own + Plane.states, this.address + Staging.ownStates);
    put(Staging.own + Plane.perSample, this.address + Staging.ownPerSample);
    if (samples > 2) {
      put(Staging.own + Plane.paired, this.pairedAt);
      put(Staging.own + Plane.secondTexels, this.extraValueAddress);
      put(Staging.own + Plane.masks, this.masksAt);
    }
    put(Staging.own + Plane.clear, this.address + Staging.ownClear);
    put(Staging.own + Plane.texelBytes, bytes);
    put(Staging.own + Plane.layers, this.layers);
  }

  private get layers(): number {
    return Math.max(1, this.samples / 4);
  }
  private get states(): Uint8Array {
    return new Uint8Array(this.kernel.memory.buffer, this.address + Staging.ownStates, 64);
  }
  /** For each block, the mask of pixels that have two texels. */
  private get paired(): BigUint64Array {
    return new BigUint64Array(this.kernel.memory.buffer, this.pairedAt, 64);
  }
  private get masks(): Uint16Array {
    return new Uint16Array(this.kernel.memory.buffer, this.masksAt, 4096);
  }
  /** For each block, the mask of pixels whose samples are mixed. */
  get mixed(): BigUint64Array {
    return new BigUint64Array(this.kernel.memory.buffer, this.address + Staging.ownPerSample, 64);
  }

  /**
   * `next` decides whether pixels of one value go to the plane of pixels or of samples, and whether blocks of zeros are
   * marked as cleared or stored.
   */
  put(values: Uint16Array, next: () => number, encodes: boolean): void {
    const { samples } = this;
    this.spoil();
    this.texel(this.address + Staging.ownClear, 0, 16);
    const memory = new Uint8Array(this.kernel.memory.buffer);
    for (let block = 0; block < 64; block++) {
      const held = values.subarray(block * 64 * samples, (block + 1) * 64 * samples);
      this.states[block] = encodes && held.every((v) => v === 0) && next() < 0.5 ? 1 : 0;
      let mixed = 0n;
      let paired = BigInt(Math.floor(next() * 2 ** 32));
      const ones = next() < 0.7;
      for (let pixel = 0; pixel < 64; pixel++) {
        const own = held.subarray(pixel * samples, (pixel + 1) * samples);
        if (encodes && own.every((v) => v === own[0]) && (ones || next() < 0.5))
          this.texel(this.pixelsAt + (block * 64 + pixel) * this.bytes, own[0]!);
        else {
          mixed |= 1n << BigInt(pixel);
          paired &= ~(1n << BigInt(pixel));
          const [first, second] = [...new Set(own)];
          if (
            encodes
            && samples > 2
            && second !== undefined
            && own.every((v) => v === first || v === second)
            && next() < 0.5
          ) {
            paired |= 1n << BigInt(pixel);
            this.texel(this.pixelsAt + (block * 64 + pixel) * this.bytes, first!);
            this.texel(this.extraValueAddress + (block * 64 + pixel) * this.bytes, second);
            this.masks[block * 64 + pixel] = own.reduce((mask, v, s) => mask | (v === first ? 0 : 1 << s), 0);
            continue;
          }
          for (let lane = 0; lane < this.layers * 4; lane++)
            this.texel(this.lane(block * 64 + pixel, lane), own[lane % samples]!, this.bytes, memory);
        }
      }
      this.mixed[block] = this.states[block] ? 0n : mixed;
      this.paired[block] = paired;
    }
  }

  /** Samples of all pixels. With two samples, also checks that the remaining lanes repeat them. */
  get(): Uint16Array {
    const { samples } = this;
    const hasPixels = words(this.kernel)[(this.address + Staging.own + Plane.pixels) / 4] !== 0;
    const memory = new Uint8Array(this.kernel.memory.buffer);
    const states = this.states.slice();
    const severals = Array.from(this.mixed, (bits) =>
      Array.from({ length: 64 }, (_, pixel) => ((bits >> BigInt(pixel)) & 1n) === 1n)
    );
    const values = new Uint16Array(4096 * samples);
    for (let i = 0; i < values.length; i++) {
      const pixel = Math.floor(i / samples);
      const block = pixel >> 6;
      const sample = i % samples;
      if (states[block]) values[i] = this.valueAt(this.address + Staging.ownClear, memory);
      else if (!severals[block]![pixel & 63])
        values[i] = hasPixels ? this.valueAt(this.pixelsAt + pixel * this.bytes, memory) : 0xffff;
      else if (samples > 2 && hasPixels && (this.paired[block]! >> BigInt(pixel & 63)) & 1n) {
        const plane = (this.masks[pixel]! >> sample) & 1 ? this.extraValueAddress : this.pixelsAt;
        values[i] = this.valueAt(plane + pixel * this.bytes, memory);
      } else {
        const value = this.valueAt(this.lane(pixel, sample), memory);
        values[i] = samples > 2 || value === this.valueAt(this.lane(pixel, sample + 2), memory) ? value : 0xffff;
      }
    }
    return values;
  }

  /** Samples of four bytes, all in the sample planes. */
  putFloats(values: Float32Array): void {
    this.spoil();
    this.states.fill(0);
    this.mixed.fill(2n ** 64n - 1n);
    this.paired.fill(0n);
    new Uint8Array(this.kernel.memory.buffer).fill(
      0,
      this.address + Staging.ownClear,
      this.address + Staging.ownClear + 16
    );
    const memory = new Float32Array(this.kernel.memory.buffer);
    for (let pixel = 0; pixel < 4096; pixel++)
      for (let lane = 0; lane < this.layers * 4; lane++)
        memory[this.lane(pixel, lane) / 4] = values[pixel * this.samples + (lane % this.samples)]!;
  }

  getFloats(): Float32Array {
    const memory = new Float32Array(this.kernel.memory.buffer);
    return Float32Array.from({ length: 4096 * this.samples }, (_, i) => {
      const pixel = Math.floor(i / this.samples);
      const bit = BigInt(pixel & 63);
      const mixed = (this.mixed[pixel >> 6]! >> bit) & 1n;
      if (this.samples > 2 && mixed && (this.paired[pixel >> 6]! >> bit) & 1n) {
        const plane = (this.masks[pixel]! >> (i % this.samples)) & 1 ? this.extraValueAddress : this.pixelsAt;
        return memory[plane / 4 + pixel]!;
      }
      return memory[(mixed ? this.lane(pixel, i % this.samples) : this.pixelsAt + pixel * 4) / 4]!;
    });
  }

  /** Fills everything with meaningless bytes. */
  spoil(): void {
    const bytes = new Uint8Array(this.kernel.memory.buffer);
    bytes.fill(0xee, this.samplesAt, this.samplesAt + 16384 * this.layers * this.bytes);
    bytes.fill(0xee, this.pixelsAt, this.pixelsAt + 4096 * this.bytes);
    this.states.fill(0xee);
    bytes.fill(0xee, this.address + Staging.ownClear, this.address + Staging.ownClear + 16);
    bytes.fill(0xee, this.address + Staging.block, this.address + Staging.bytes);
  }

  /** Like planes of depth and stencil. */
  withoutPixels(act: () => void): void {
    words(this.kernel)[(this.address + Staging.own + Plane.pixels) / 4] = 0;
    act();
    words(this.kernel)[(this.address + Staging.own + Plane.pixels) / 4] = this.pixelsAt;
  }

  /** The number that a texel represents; 65535: none. */
  valueAt(address: number, memory = new Uint8Array(this.kernel.memory.buffer)): number {
    const last = memory[address + this.bytes - 1]!;
    for (let i = 0; i < this.bytes - 1; i++)
      if (memory[address + i] !== (last === 0 ? memory[address] : 17)) return 0xffff;
    return last;
  }

  private lane(pixel: number, lane: number): number {
    return this.samplesAt + ((lane >> 2) * 16384 + pixel * 4 + (lane & 3)) * this.bytes;
  }

  /** Only the last byte distinguishes texels. */
  private texel(
    address: number,
    value: number,
    length = this.bytes,
    memory = new Uint8Array(this.kernel.memory.buffer)
  ): void {
    for (let i = 0; i < length; i++) memory[address + i] = i % this.bytes === this.bytes - 1 ? value : 17;
  }
}
