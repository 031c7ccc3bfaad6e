// The load/store unit on separate memory: surfaces, contexts, and an uncompressed twin of a surface (an array of
// samples) that predicts the results of loads.
import {
  FORMAT_R8UNORM,
  FORMAT_RG8UNORM,
  FORMAT_RGBA16FLOAT,
  FORMAT_RGBA32FLOAT,
  FORMAT_RGBA32UINT,
  FORMAT_RGBA8UNORM,
} from '../../assembly/layout/texture/formats';
import { COUNTERS } from '../../assembly/layout/surface/load-store-codes';
import { SURFACE_1SPP, SURFACE_CLEAR, SURFACE_FULL, SURFACE_SUBSET } from '../../assembly/layout/surface/surface-codes';
import { LoadStoreUnit, Surface, Tile } from '../../build/layout';
import { instantiate, TestKernel, type KernelFunctions, type KernelName } from '../support/kernel';
import { TestPool, TestSurface } from './kit';

/** A format per texel size; those with float channels can be lossy. */
export const FORMATS = {
  r8unorm: FORMAT_R8UNORM,
  rg8unorm: FORMAT_RG8UNORM,
  rgba8unorm: FORMAT_RGBA8UNORM,
  rgba16float: FORMAT_RGBA16FLOAT,
  rgba32float: FORMAT_RGBA32FLOAT,
  rgba32uint: FORMAT_RGBA32UINT,
} as const;
export type FormatName = keyof typeof FORMATS;
export const COUNTS = [2, 4, 8, 16] as const;

export interface SurfaceShape {
  readonly format: FormatName;
  readonly samples: number;
  readonly width: number;
  readonly height: number;
  readonly encodes?: boolean;
  readonly threshold?: number;
}
interface StoredTo {
  readonly surface: number;
  readonly format: FormatName;
}
export interface Loaded {
  readonly value: string;
  readonly mask: number;
  readonly state: number;
}

/** Calls of one build. `testing` provides what the other builds do not export. */
export class LoadStoreKernel extends TestKernel {
  readonly accesses: KernelFunctions;
  private words = this.alloc(64);

  constructor(build: KernelName) {
    super({ pages: 384 });
    this.accesses = build === 'testing' ? this.call : instantiate(build, this.memory, () => 0).call;
  }

  override reset(): void {
    super.reset();
    this.words = this.alloc(64);
  }

  put(address: number, value: number): void {
    this.i32(address, 1)[0] = value;
  }

  surface({ format, samples, width, height, encodes = true, threshold = 0 }: SurfaceShape): number {
    const pool = new TestPool(this);
    const surface = new TestSurface(pool, {
      format: FORMATS[format],
      bytes: this.call['texelBytes']!(FORMATS[format]),
      samples,
      width,
      height,
      encodes,
      threshold,
    });
    pool.provide(surface.maxPages);
    return surface.address;
  }

  /** The pixel size for which units are created. */
  pixelBytes({ format, samples }: SurfaceShape): number {
    return Math.max(4, samples) * this.call['texelBytes']!(FORMATS[format]);
  }

  /** A tile context with a unit for surfaces of up to `pixelBytes`. */
  context(pixelBytes: number): number {
    const context = this.alloc(Tile.bytes);
    const record = this.alloc(this.accesses['unitBytes']!(pixelBytes, 4));
    this.accesses['unitInit']!(record, pixelBytes, 4);
    this.put(context + Tile.loadStoreUnit, record);
    return context;
  }

  /** The texel for a value, in hexadecimal. */
  encode(format: FormatName, value: ArrayLike<number>): string {
    this.write(format, value, this.words);
    this.call['storeTexel']!(FORMATS[format], this.words + 32, this.words);
    return hex(this.u8(this.words + 32, this.call['texelBytes']!(FORMATS[format])));
  }

  /** The four words of a texel, in hexadecimal and as numbers. */
  decode(format: FormatName, texel: string): { bits: string; channels: number[] } {
    this.u8(this.words + 32, 16).set(Buffer.from(texel, 'hex'));
    this.call['loadTexel']!(FORMATS[format], this.words + 32, this.words);
    return {
      bits: hex(this.u8(this.words, 16)),
      channels: [...(format === 'rgba32uint' ? this.u32(this.words, 4) : this.f32(this.words, 4))],
    };
  }

  store(
    context: number,
    { surface, format }: StoredTo,
    x: number,
    y: number,
    mask: number,
    value: ArrayLike<number>
  ): void {
    this.write(format, value, this.words);
    this.accesses['surfaceStore']!(this.loadStoreUnitOf(context), surface, x, y, mask, this.words);
  }

  load(context: number, surface: number, x: number, y: number, samples: number): Loaded {
    this.u8(this.words, 24).fill(0xee);
    this.accesses['surfaceLoad']!(this.loadStoreUnitOf(context), surface, x, y, samples, this.words);
    const [mask, state] = this.u32(this.words + 16, 2);
    return { value: hex(this.u8(this.words, 16)), mask: mask!, state: state! };
  }

  /** Takes away all memory in which tiles could be stored. */
  starve(surface: number): void {
    const pool = this.u32(surface + Surface.pool, 1)[0]!;
    while (this.call['takePage']!(pool));
  }

  /** Bytes of a surface's pages that are reported as read and written. */
  moved(surface: number): number {
    return Number(new DataView(this.memory.buffer).getBigUint64(surface + Surface.moved, true));
  }

  flush(context: number): number {
    return this.accesses['surfaceFlush']!(this.loadStoreUnitOf(context));
  }
  loadStoreUnitOf(context: number): number {
    return this.u32(context + Tile.loadStoreUnit, 1)[0]!;
  }
  counters(context: number): number[] {
    const words = this.u32(this.loadStoreUnitOf(context) + LoadStoreUnit.counters, 2 * COUNTERS);
    return Array.from({ length: COUNTERS }, (_, i) => words[2 * i]! + words[2 * i + 1]! * 2 ** 32);
  }

  private write(format: FormatName, value: ArrayLike<number>, at: number): void {
    if (format === 'rgba32uint') this.u32(at, 4).set(value);
    else this.f32(at, 4).set(value);
  }
}

export const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

/** Samples as an array, and the value last stored to each. */
export class Twin {
  readonly held: string[];
  readonly stored: string[];
  private readonly clear: string;

  constructor(
    private readonly k: LoadStoreKernel,
    private readonly shape: SurfaceShape,
    private readonly lossy = (shape.threshold ?? 0) > 0 && shape.format !== 'rgba32uint'
  ) {
    this.clear = '00'.repeat(k.call['texelBytes']!(FORMATS[shape.format]));
    this.held = new Array<string>(shape.width * shape.height * shape.samples).fill(this.clear);
    this.stored = [...this.held];
  }

  get whole(): number {
    return 2 ** this.shape.samples - 1;
  }

  store(x: number, y: number, mask: number, value: ArrayLike<number>): void {
    const { samples, format } = this.shape;
    const at = this.at(x, y);
    const texel = this.k.encode(format, value);
    const others = Array.from({ length: samples }, (_, s) => s)
      .filter((s) => !((mask >> s) & 1))
      .map((s) => this.held[at + s]!);
    const kept =
      !this.lossy || others.includes(texel) ? texel : (others.find((other) => this.isNear(other, texel)) ?? texel);
    for (let s = 0; s < samples; s++)
      if ((mask >> s) & 1) {
        this.held[at + s] = kept;
        this.stored[at + s] = texel;
      }
  }

  load(x: number, y: number, samples: number): Loaded {
    const at = this.at(x, y);
    const pixel = this.held.slice(at, at + this.shape.samples);
    const texel = pixel[31 - Math.clz32(samples & -samples)]!;
    const mask = pixel.reduce((bits, one, s) => bits | (one === texel ? 1 << s : 0), 0);
    const values = new Set(pixel).size;
    const state =
      values === 1
        ? texel === this.clear
          ? SURFACE_CLEAR
          : SURFACE_1SPP
        : values === pixel.length
          ? SURFACE_FULL
          : SURFACE_SUBSET;
    return { value: this.k.decode(this.shape.format, texel).bits, mask, state };
  }

  /** The largest distance between a sample and the value stored to it. */
  farthest(): number {
    return this.held.reduce(
      (most, held, i) => Math.max(most, held === this.stored[i] ? 0 : this.difference(held, this.stored[i]!)),
      0
    );
  }

  private at(x: number, y: number): number {
    return (y * this.shape.width + x) * this.shape.samples;
  }
  private isNear(a: string, b: string): boolean {
    return this.difference(a, b) <= Math.fround(this.shape.threshold!);
  }
  private difference(a: string, b: string): number {
    const { channels } = this.k.decode(this.shape.format, a);
    const other = this.k.decode(this.shape.format, b).channels;
    return channels.reduce((most, c, i) => Math.max(most, Math.fround(Math.abs(Math.fround(c - other[i]!)))), 0);
  }
}
