// Parts of a tile that reads more pages than the textures' budgets hold at once (late-tiles.ts). They are run one after
// the other, each as a tile of its own that is stored before the next one begins, as between two chunks. Quads do not
// depend on each other, and in each of them triangles are drawn in their order: so the picture is that of the whole
// tile. Tiles that keep what they have done cannot be run again from their beginning: they go on warp by warp.
import { TILE_SIZE, WARP_QUADS } from '../../assembly/layout/limits';
import { LateTile } from '../../build/layout';

/** Sides of the smallest parts: of a quad; of a quad of coarse pixels, where pixels may be shaded coarsely. */
const QUAD = 2;
const BLOCK = 8;
/** TilePart.end, while it is not known how many entries there are. */
const ALL_ENTRIES = 0xffffffff;

/** A box of pixels of the tile, and entries of the tile's lists from `first` up to `end`. */
interface TilePart {
  readonly x0: number;
  readonly y0: number;
  readonly x1: number;
  readonly y1: number;
  readonly first: number;
  readonly end: number;
}

/** Of a pass: pixels may be shaded coarsely; what programs write tells in which order pixels are shaded. */
export interface PartRules { readonly isCoarse: boolean; readonly inOrder: boolean }

/** How a tile goes on whose pages do not fit. */
export interface Division {
  /**
   * The part is the smallest there is, and waits for one page at a time, the first that it has missed: where it reads
   * after that may depend on what the page holds.
   */
  readonly isExact: boolean;
  /** Less at a time from now on; false: it is the least already. */
  divide(): boolean;
  /** The tile has missed pages; whether others than those before, since some of it is done. */
  missed(): boolean;
  /** What was run is done; whether there is more of the tile. */
  advance(): boolean;
}

/** A tile that can be run again from its beginning. */
export class TileParts implements Division {
  isExact = false;
  /** What is left of the tile, the next part last. */
  private readonly parts: TilePart[] = [{ x0: 0, y0: 0, x1: TILE_SIZE, y1: TILE_SIZE, first: 0, end: ALL_ENTRIES }];
  /** What the kernel has said of the tile, once a part of it has been run. */
  private entryCount = ALL_ENTRIES;
  private isByQuads = false;

  /** `record`: address of the LATE TILE. */
  constructor(
    private readonly memory: WebAssembly.Memory, private readonly record: number, private readonly rules: PartRules
  ) {}

  divide(): boolean {
    if (this.isExact) return false;
    const part = this.parts.at(-1)!;
    const halves = this.divideEntries(part)
      ?? (this.rules.inOrder ? this.divideBoxInOrder(part) : this.divideBox(part));
    if (halves === null) this.isExact = true;
    else this.parts.splice(-1, 1, ...halves);
    this.write();
    return true;
  }

  missed(): boolean {
    const words = this.words();
    this.entryCount = words[(this.record + LateTile.entryCount) >>> 2]! || ALL_ENTRIES;
    this.isByQuads = words[(this.record + LateTile.byQuads) >>> 2] !== 0;
    return false;
  }

  advance(): boolean {
    this.parts.pop();
    this.isExact = false;
    if (this.parts.length > 0) this.write();
    else this.words()[(this.record + LateTile.part) >>> 2] = 0;
    return this.parts.length > 0;
  }

  /** Puts the next part into the LATE TILE. */
  private write(): void {
    const { x0, y0, x1, y1, first, end } = this.parts.at(-1)!, words = this.words();
    const put = (field: number, value: number): void => { words[(this.record + field) >>> 2] = value; };
    put(LateTile.part, x0 | y0 << 8 | x1 << 16 | y1 << 24);
    put(LateTile.first, first);
    put(LateTile.end, end);
    put(LateTile.hasMore, this.parts.length > 1 ? 1 : 0);
  }

  private words(): Uint32Array { return new Uint32Array(this.memory.buffer); }

  private get least(): number { return this.rules.isCoarse ? BLOCK : QUAD; }

  /** Large squares read fewer pages than long strips. */
  private divideBox(part: TilePart): readonly TilePart[] | null {
    const width = part.x1 - part.x0, height = part.y1 - part.y0;
    if (Math.max(width, height) <= this.least) return null;
    return width > height ? columnHalves(part) : rowHalves(part);
  }

  /**
   * The pixels of a triangle are shaded block by block, or quad by quad if the triangle is small. Both go row by row.
   */
  private divideBoxInOrder(part: TilePart): readonly TilePart[] | null {
    const { least } = this, width = part.x1 - part.x0, height = part.y1 - part.y0;
    for (const side of this.isByQuads ? [least] : [BLOCK, least]) {
      if (height > side) return rowHalves(part);
      if (width > side) return columnHalves(part);
    }
    return null;
  }

  /**
   * Entries come first: a tile whose pages do not fit most often draws many triangles, each of which reads few pages.
   * A tile of 200 triangles with a page each is then run in 200 parts; halving its box first took 1,024 times as many.
   */
  private divideEntries(part: TilePart): readonly TilePart[] | null {
    const { first } = part, end = Math.min(part.end, this.entryCount);
    // The kernel counts the entries when it first runs a part.
    if (end === ALL_ENTRIES) return [part];
    if (end - first <= 1) return null;
    const middle = (first + end) >>> 1;
    return [{ ...part, first: middle, end }, { ...part, end: middle }];
  }
}

/** The second half first: the first one is run next. */
function rowHalves(part: TilePart): readonly TilePart[] {
  const middle = (part.y0 + part.y1) >>> 1;
  return [{ ...part, y0: middle }, { ...part, y1: middle }];
}
function columnHalves(part: TilePart): readonly TilePart[] {
  const middle = (part.x0 + part.x1) >>> 1;
  return [{ ...part, x0: middle }, { ...part, x1: middle }];
}

/** Entries of the largest warp. */
const MOST_ENTRIES = 4 * WARP_QUADS;

/** A tile that keeps what it has done, and goes on warp by warp, in their order, then by some entries of a warp. */
export class WarpByWarp implements Division {
  isExact = false;
  private narrow = 2 * MOST_ENTRIES;

  constructor(private readonly memory: WebAssembly.Memory, private readonly record: number) {}

  divide(): boolean {
    if (this.isExact) return false;
    if (this.narrow === 1) this.isExact = true;
    else this.narrow /= 2;
    new Uint32Array(this.memory.buffer)[(this.record + LateTile.narrow) >>> 2] = this.narrow;
    return true;
  }

  missed(): boolean {
    const isOther = new Uint32Array(this.memory.buffer)[(this.record + LateTile.served) >>> 2] !== 0;
    if (isOther) this.isExact = false;
    return isOther;
  }

  advance(): boolean { return false; }
}
