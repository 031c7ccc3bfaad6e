// Pools and surfaces of several samples in a test kernel's memory, without the device: written from plain samples, and read back.
import * as S from '../../assembly/layout/surface';

/** What tests of any room have for a kernel. */
export interface Kernel {
  readonly call: Record<string, (...args: number[]) => number>;
  readonly memory: WebAssembly.Memory;
  alloc(bytes: number): number;
}

const words = (k: Kernel): Uint32Array => new Uint32Array(k.memory.buffer);

/** Pages, each given by hand. */
export class TestPool {
  readonly address: number;
  constructor(readonly kernel: Kernel) {
    this.address = kernel.alloc(S.POOL_BYTES);
    words(kernel)[(this.address + S.POOL_LINKS) / 4] = kernel.alloc(65536 * 4);
  }
  provide(pages: number): number[] {
    const { kernel: k } = this;
    const first = k.alloc(pages * S.PAGE_SIZE);
    const given = Array.from({ length: pages }, (_, i) => first + i * S.PAGE_SIZE);
    for (const page of given) k.call.givePage!(this.address, page);
    return given;
  }
  get free(): number { return words(this.kernel)[(this.address + S.POOL_FREE) / 4]!; }
}

export interface SurfaceShape { format: number; bytes: number; samples: number; width: number; height: number; encodes?: boolean; threshold?: number }

export class TestSurface {
  readonly kernel: Kernel;
  readonly address: number;
  readonly tilesX: number;
  readonly tiles: number;
  readonly mostPages: number;
  private readonly stride: number;
  private readonly stage: number;
  private readonly planes: number;

  constructor(pool: TestPool, readonly shape: SurfaceShape) {
    const k = this.kernel = pool.kernel;
    const pages = shape.bytes * shape.samples;
    this.tilesX = Math.ceil(shape.width / 64);
    this.tiles = this.tilesX * Math.ceil(shape.height / 64);
    this.mostPages = this.tiles * pages;
    this.stride = S.SURFACE_TILE_PAGES + pages * 4;
    this.address = k.alloc(S.SURFACE_RECORD_BYTES);
    const directory = k.alloc(this.tiles * this.stride);
    this.stage = k.alloc(S.STAGE_BYTES);
    this.planes = k.alloc(4096 * 4 * Math.max(1, shape.samples / 4) * shape.bytes);
    const put = (field: number, value: number): void => { words(k)[(this.address + field) / 4] = value; };
    const fields: [number, number][] = [
      [S.SURFACE_FORMAT, shape.format], [S.SURFACE_BYTES_TEXEL, shape.bytes], [S.SURFACE_SAMPLES, shape.samples], [S.SURFACE_WIDTH, shape.width], [S.SURFACE_HEIGHT, shape.height],
      [S.SURFACE_TILES_X, this.tilesX], [S.SURFACE_TILES, this.tiles], [S.SURFACE_TILES_ADDRESS, directory], [S.SURFACE_TILE_STRIDE, this.stride], [S.SURFACE_POOL, pool.address],
      [S.SURFACE_ENCODES, shape.encodes === false ? 0 : 1],
    ];
    for (const [field, value] of fields) put(field, value);
    new Float32Array(k.memory.buffer)[(this.address + S.SURFACE_THRESHOLD) / 4] = shape.threshold ?? 0;
    for (const [field, value] of [[S.STAGE_SAMPLES, this.planes], [S.STAGE_PIXELS, 0], [S.STAGE_STATES, this.stage + S.STAGE_OWN_STATES], [S.STAGE_SEVERAL, this.stage + S.STAGE_OWN_SEVERAL], [S.STAGE_CLEAR, this.stage + S.STAGE_OWN_CLEAR]] as const) words(k)[(this.stage + field) / 4] = value;
  }

  get pagesHeld(): number { return words(this.kernel)[(this.address + S.SURFACE_PAGES_HELD) / 4]!; }
  /** A field of a tile's record. */
  tile(index: number, field: number): number { return words(this.kernel)[(words(this.kernel)[(this.address + S.SURFACE_TILES_ADDRESS) / 4]! + index * this.stride + field) / 4]!; }
  blockStates(index: number): number[] {
    const at = words(this.kernel)[(this.address + S.SURFACE_TILES_ADDRESS) / 4]! + index * this.stride + S.SURFACE_TILE_BLOCK_STATES;
    return [...new Uint8Array(this.kernel.memory.buffer, at, 64)];
  }

  /** Stores all tiles from samples in the order of tile.ts at `from`; the status of the last. */
  write(from: number): number {
    let status = 0;
    for (let index = 0; index < this.tiles && !status; index++) status = this.writeTile(index, from + index * this.tileBytes);
    return status;
  }

  /** The clear value is zero. */
  writeTile(index: number, from: number): number {
    const { kernel: k } = this;
    this.move(from, false);
    const bytes = new Uint8Array(k.memory.buffer);
    bytes.fill(0, this.stage + S.STAGE_OWN_STATES, this.stage + S.STAGE_OWN_STATES + 64);
    bytes.fill(255, this.stage + S.STAGE_OWN_SEVERAL, this.stage + S.STAGE_OWN_SEVERAL + 512);
    bytes.fill(0, this.stage + S.STAGE_OWN_CLEAR, this.stage + S.STAGE_OWN_CLEAR + 16);
    return k.call.storeTile!(this.address, index, this.stage);
  }

  read(to: number): void { for (let index = 0; index < this.tiles; index++) this.readTile(index, to + index * this.tileBytes); }

  readTile(index: number, to: number): void {
    this.kernel.call.loadTile!(this.address, index, this.stage, 1);
    this.move(to, true);
  }

  get tileBytes(): number { return 4096 * this.shape.samples * this.shape.bytes; }

  /** Between samples in the order of tile.ts, pixel by pixel, and the stage's layers of four. */
  private move(plain: number, reads: boolean): void {
    const { samples, bytes } = this.shape;
    const memory = new Uint8Array(this.kernel.memory.buffer);
    if (samples === 4) {
      if (reads) memory.copyWithin(plain, this.planes, this.planes + this.tileBytes);
      else memory.copyWithin(this.planes, plain, plain + this.tileBytes);
      return;
    }
    for (let pixel = 0; pixel < 4096; pixel++) for (let lane = 0; lane < Math.max(4, samples); lane++) {
      const one = plain + (pixel * samples + lane % samples) * bytes;
      const at = this.planes + ((lane >> 2) * 16384 + pixel * 4 + (lane & 3)) * bytes;
      if (reads) memory.copyWithin(one, at, at + bytes);
      else memory.copyWithin(at, one, one + bytes);
    }
  }
}
