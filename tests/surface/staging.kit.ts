// A STAGING in a test kernel's memory: the samples and single-texel pixels of a tile before they are stored.
import { Plane, Staging } from '../../build/layout';
import { packedTexel, putPacked, type Further } from '../support/packed-lists';
import { words, type Kernel } from './kit';

/** The bits of the texel of four bytes that stands for a value. */
const wordOf = (value: number): number => ((value << 24) | 0x111111) >>> 0;

/** A STAGING with planes, whose samples are numbers that represent texels; 0 is the clear value. */
export class TestStaging {
  readonly address: number;
  private readonly samplesAt: number;
  private readonly pixelsAt: number;
  private readonly extraValueAddress: number;
  private readonly masksAt: number;
  private readonly pairedAt: number;
  private readonly listedAt: number;
  private readonly recordsAt: number;
  /** For each block, the mask of pixels that a store compares sample by sample. */
  readonly compared = new BigUint64Array(64);

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
    this.listedAt = kernel.alloc(512);
    this.recordsAt = kernel.alloc(64 * this.recordBytes);
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
      put(Staging.own + Plane.listed, this.listedAt);
      put(Staging.own + Plane.secondTexels, this.extraValueAddress);
      put(Staging.own + Plane.masks, this.masksAt);
      put(Staging.own + Plane.records, this.recordsAt);
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
  /** For each block, the mask of pixels that hold a list. */
  private get listed(): BigUint64Array {
    return new BigUint64Array(this.kernel.memory.buffer, this.listedAt, 64);
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
      let listed = BigInt(Math.floor(next() * 2 ** 32));
      const lists = new Map<number, readonly Further[]>();
      let room = this.listedValues;
      const ones = next() < 0.7;
      for (let pixel = 0; pixel < 64; pixel++) {
        const own = held.subarray(pixel * samples, (pixel + 1) * samples);
        if (encodes && own.every((v) => v === own[0]) && (ones || next() < 0.5))
          this.texel(this.pixelsAt + (block * 64 + pixel) * this.bytes, own[0]!);
        else {
          mixed |= 1n << BigInt(pixel);
          paired &= ~(1n << BigInt(pixel));
          listed &= ~(1n << BigInt(pixel));
          const [first, second, ...more] = [...new Set(own)];
          if (encodes && second !== undefined && more.length < room && next() < 0.7) {
            listed |= 1n << BigInt(pixel);
            const maskOf = (value: number): number => own.reduce((bits, v, i) => bits | (v === value ? 1 << i : 0), 0);
            lists.set(
              pixel,
              [second, ...more].map((v) => [wordOf(v), maskOf(v)] as const)
            );
            room -= 1 + more.length;
            this.texel(this.pixelsAt + (block * 64 + pixel) * 4, first!);
            continue;
          }
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
      if (lists.size > 0) putPacked(this.kernel.memory.buffer, this.recordsAt + block * this.recordBytes, lists);
      this.compared[block] = lists.size > 0 && (listed & mixed) === mixed ? 0n : mixed & ~paired;
      this.mixed[block] = this.states[block] ? 0n : mixed;
      this.paired[block] = paired;
      this.listed[block] = listed;
    }
  }

  private get recordBytes(): number {
    return 1024 * this.layers;
  }

  /** The most further values of a block's lists with which a SUBSETS record is smaller than a texel per sample. */
  private get listedValues(): number {
    return this.bytes !== 4 || this.samples <= 2 ? 0 : Math.floor((this.recordBytes - 334) / 6);
  }

  /** Address of the texel of a sample of a pixel that holds a list. */
  private texelOfList(pixel: number, sample: number): number {
    const record = this.recordsAt + (pixel >> 6) * this.recordBytes;
    return packedTexel(this.kernel.memory.buffer, record, pixel & 63, sample) ?? this.pixelsAt + pixel * 4;
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
      } else if (samples > 2 && hasPixels && (this.listed[block]! >> BigInt(pixel & 63)) & 1n) {
        values[i] = this.valueAt(this.texelOfList(pixel, sample), memory);
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
    this.listed.fill(0n);
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
      if (this.samples > 2 && mixed && (this.listed[pixel >> 6]! >> bit) & 1n)
        return memory[this.texelOfList(pixel, i % this.samples) / 4]!;
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
