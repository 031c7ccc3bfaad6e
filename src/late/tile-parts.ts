// Divides a tile that reads more pages than the textures' budgets hold at once (waiting-work.ts). The parts run one
// after the other. Each is stored like a tile before the next one begins, as between two chunks. Quads do not depend on
// each other, and the triangles of a quad keep their order, so the output is that of the whole tile. Tiles that cannot
// be replayed from their beginning continue warp by warp instead.
import { TILE_SIZE, WARP_QUADS } from '../../assembly/layout/limits';
import { LateWork } from '../../build/layout';

/** Side of the smallest part in pixels: a quad, or a quad of coarse pixels if pixels may be shaded coarsely. */
const QUAD = 2;
const BLOCK = 8;
/** TilePart.end while the number of entries is unknown. */
const ALL_ENTRIES = 0xffffffff;

/** A box of pixels of the tile, and the entries of the tile's lists from `first` up to `end`. */
interface TilePart {
  readonly x0: number;
  readonly y0: number;
  readonly x1: number;
  readonly y1: number;
  readonly first: number;
  readonly end: number;
}

/**
 * Rules of a pass. `isCoarse`: pixels may be shaded coarsely. `inOrder`: the order of pixels can be observed in what
 * shaders write.
 */
export interface PartRules {
  readonly isCoarse: boolean;
  readonly inOrder: boolean;
}

/** How a tile continues whose pages do not fit. */
export interface Division {
  /**
   * Whether the part is the smallest possible. It then waits for one page at a time, the first that it has missed,
   * because its later reads may depend on the contents of that page.
   */
  readonly isExact: boolean;
  /** Reduces the size of parts. Returns false if they are minimal already. */
  divide(): boolean;
  /**
   * Called when the tile has missed pages. Returns whether these pages replace the ones that it waited for before,
   * because it has made progress since.
   */
  missed(): boolean;
  /** Called when the current part is done. Returns whether the tile has more parts. */
  advance(): boolean;
}

/** Divides a tile that can be replayed from its beginning. */
export class TileParts implements Division {
  isExact = false;
  /** The remaining parts of the tile. The last one is next. */
  private readonly parts: TilePart[] = [{ x0: 0, y0: 0, x1: TILE_SIZE, y1: TILE_SIZE, first: 0, end: ALL_ENTRIES }];
  /** What the kernel has reported about the tile, once a part of it has run. */
  private entryCount = ALL_ENTRIES;
  private isByQuads = false;

  /** `record`: address of the LATE WORK. */
  constructor(
    private readonly memory: WebAssembly.Memory,
    private readonly record: number,
    private readonly rules: PartRules
  ) {}

  divide(): boolean {
    if (this.isExact) return false;
    const part = this.parts.at(-1)!;
    const halves =
      this.divideEntries(part) ?? (this.rules.inOrder ? this.divideBoxInOrder(part) : this.divideBox(part));
    if (halves === null) this.isExact = true;
    else this.parts.splice(-1, 1, ...halves);
    this.write();
    return true;
  }

  missed(): boolean {
    const words = this.words();
    this.entryCount = words[(this.record + LateWork.entryCount) >>> 2]! || ALL_ENTRIES;
    this.isByQuads = words[(this.record + LateWork.byQuads) >>> 2] !== 0;
    return false;
  }

  advance(): boolean {
    this.parts.pop();
    this.isExact = false;
    if (this.parts.length > 0) this.write();
    else this.words()[(this.record + LateWork.part) >>> 2] = 0;
    return this.parts.length > 0;
  }

  /** Writes the next part to the LATE WORK. */
  private write(): void {
    const { x0, y0, x1, y1, first, end } = this.parts.at(-1)!;
    const words = this.words();
    const put = (field: number, value: number): void => {
      words[(this.record + field) >>> 2] = value;
    };
    put(LateWork.part, x0 | (y0 << 8) | (x1 << 16) | (y1 << 24));
    put(LateWork.first, first);
    put(LateWork.end, end);
    put(LateWork.hasMore, this.parts.length > 1 ? 1 : 0);
  }

  private words(): Uint32Array {
    return new Uint32Array(this.memory.buffer);
  }

  private get least(): number {
    return this.rules.isCoarse ? BLOCK : QUAD;
  }

  /** Halves the longer side, because squares read fewer pages than long strips. */
  private divideBox(part: TilePart): readonly TilePart[] | null {
    const width = part.x1 - part.x0;
    const height = part.y1 - part.y0;
    if (Math.max(width, height) <= this.least) return null;
    return width > height ? columnHalves(part) : rowHalves(part);
  }

  /**
   * Divides a box without changing the order of pixels. The pixels of a triangle are shaded block by block, or quad by
   * quad if the triangle is small, and both go row by row.
   */
  private divideBoxInOrder(part: TilePart): readonly TilePart[] | null {
    const { least } = this;
    const width = part.x1 - part.x0;
    const height = part.y1 - part.y0;
    for (const side of this.isByQuads ? [least] : [BLOCK, least]) {
      if (height > side) return rowHalves(part);
      if (width > side) return columnHalves(part);
    }
    return null;
  }

  /**
   * Halves the range of entries. Entries are divided before boxes, because a tile whose pages do not fit most often
   * draws many triangles that each read few pages. A tile of 200 triangles with a page each then runs in 200 parts.
   * Halving its box first took 1,024 times as many.
   */
  private divideEntries(part: TilePart): readonly TilePart[] | null {
    const { first } = part;
    const end = Math.min(part.end, this.entryCount);
    // The kernel counts the entries when it runs a part for the first time.
    if (end === ALL_ENTRIES) return [part];
    if (end - first <= 1) return null;
    const middle = (first + end) >>> 1;
    return [
      { ...part, first: middle, end },
      { ...part, end: middle },
    ];
  }
}

/** Returns the second half first, because the last part runs next. */
function rowHalves(part: TilePart): readonly TilePart[] {
  const middle = (part.y0 + part.y1) >>> 1;
  return [
    { ...part, y0: middle },
    { ...part, y1: middle },
  ];
}
function columnHalves(part: TilePart): readonly TilePart[] {
  const middle = (part.x0 + part.x1) >>> 1;
  return [
    { ...part, x0: middle },
    { ...part, x1: middle },
  ];
}

/** Number of entries in the largest warp. */
const MAX_ENTRIES = 4 * WARP_QUADS;

/** Continues a tile that keeps its finished work: warp by warp in order, then by fewer and fewer entries of a warp. */
export class WarpByWarp implements Division {
  isExact = false;
  private maxResumedEntries = 2 * MAX_ENTRIES;

  constructor(
    private readonly memory: WebAssembly.Memory,
    private readonly record: number
  ) {}

  divide(): boolean {
    if (this.isExact) return false;
    if (this.maxResumedEntries === 1) this.isExact = true;
    else this.maxResumedEntries /= 2;
    new Uint32Array(this.memory.buffer)[(this.record + LateWork.maxResumedEntries) >>> 2] = this.maxResumedEntries;
    return true;
  }

  missed(): boolean {
    const isOther = new Uint32Array(this.memory.buffer)[(this.record + LateWork.warpsCompleted) >>> 2] !== 0;
    if (isOther) this.isExact = false;
    return isOther;
  }

  advance(): boolean {
    return false;
  }
}
