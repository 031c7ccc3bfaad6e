// Whether a pass is so small that it takes no longer on the calling thread than notifying or starting workers does.
import { TILE_SIZE } from '../../../assembly/layout/limits';
import type { Pipeline } from '../pipeline/pipeline';
import type { PassState } from '../types';

/** Maximum number of pixels of a pass without draw calls that always runs on the calling thread. */
const COPY_PIXELS = 1 << 21;

/** A pass with at most this many pixels and vertices neither starts workers nor makes the compiler hurry. */
const SMALL_PIXELS = 256 * 256;
const SMALL_VERTICES = 10_000;
/**
 * A pass with at most this many vertices runs on the calling thread, if it has one tile or at most this many pixel
 * operations.
 */
const LITTLE_VERTICES = 64;
const LITTLE_OPERATIONS = 1_250_000;

/** Whether the number of pixels alone does not justify starting workers. */
export const isSmallArea = (width: number, height: number): boolean => width * height <= SMALL_PIXELS;

/** Estimates how often a draw call covers a pixel. Two neighbouring triangles are assumed to form a quad. */
const layersOf = (instances: number, primitives: number): number => Math.max(1, instances * Math.ceil(primitives / 2));

/** Vertices of all draw calls, or a number above SMALL_VERTICES if there are more than that. */
function countVertices({ runs }: PassState): number {
  let vertices = 0;
  for (const { list, begin, end } of runs)
    for (let draw = begin; draw < end && vertices <= SMALL_VERTICES; draw++) vertices += list.verticesOf(draw);
  return vertices;
}

export class PassSize {
  /** Infinity if the pass is not small. */
  private readonly vertices: number;
  /** Whether the calling thread, even if interpreting, takes no longer than workers and compilers need to get ready. */
  readonly isSmall: boolean;
  /** Rough cost of a pixel that all draw calls cover, in simple operations. Only known for small passes. */
  private pixelCost = 0;

  constructor(private readonly state: PassState) {
    const vertices = isSmallArea(state.width, state.height) ? countVertices(state) : Infinity;
    this.isSmall = vertices <= SMALL_VERTICES;
    this.vertices = this.isSmall ? vertices : Infinity;
  }

  /** Adds a draw call. `primitives`: those that an instance may output. */
  add(pipeline: Pipeline, instances: number, primitives: number): void {
    if (this.isSmall) this.pixelCost += pipeline.pixelCost * layersOf(instances, primitives);
  }

  /**
   * Whether the pass has few pixels. If nothing is drawn, clearing or resolving them takes no longer here than
   * notifying the workers, like copies: clearing a screen took 0.2 ms instead of 0.35.
   */
  get isCopy(): boolean {
    const { width, height } = this.state;
    return width * height <= COPY_PIXELS;
  }

  /**
   * Whether there is so little to do that notifying the workers would take longer: one tile, few vertices and no loops,
   * or few pixel operations. A level of a mip chain is an example.
   */
  get isLittle(): boolean {
    const { width, height, samples } = this.state;
    if (!this.isSmall || this.vertices > LITTLE_VERTICES || this.pixelCost === Infinity) return false;
    return (
      (width <= TILE_SIZE && height <= TILE_SIZE) || width * height * samples * this.pixelCost <= LITTLE_OPERATIONS
    );
  }
}
