// Options of `create` that only Rasterloom's own tests use. They are passed under a symbol, so that they are no part of
// the public API, and no published type names them.

/** The member of the options of `create` that holds the TestOptions. */
const testOptions = Symbol.for('rasterloom.testOptions');

export interface TestOptions {
  /**
   * Ends a chunk after every draw call. Pictures do not depend on it, but the order of writes does, as with
   * `arenaBytes`. Default: false.
   */
  readonly chunkEveryDraw?: boolean;
  /**
   * Draws with the oracle of the testing build, which the package does not contain. Default: false.
   */
  readonly immediate?: boolean;
  /**
   * The testing build parks every `every`-th fragment warp of a worker. It resumes the warp when `during` later warps
   * have run, or when the next one must not overtake it. Up to `warps` warps can be parked. Pictures do not depend on
   * it.
   */
  readonly forcedParking?: { readonly every: number; readonly during: number; readonly warps: number };
  /** Seed with which the testing build shuffles the schedule of unordered draw calls (`setProcessingOrder`). */
  readonly shuffle?: number;
  /**
   * Number of tiles that a worker processes concurrently; it switches to another one when a tile yields. Pictures do
   * not depend on it. Default: 1.
   */
  readonly tileContexts?: number;
  /**
   * With `distribution: 'any'`, every tile is open to other workers from its start, and waits a moment for them.
   * Pictures do not depend on it, except where draw calls are unordered. Default: false.
   */
  readonly alwaysShareTiles?: boolean;
  /**
   * Workers run all passes that draw or dispatch, even if the calling thread would finish them earlier. Pictures do not
   * depend on it. Default: false.
   */
  readonly alwaysUseWorkers?: boolean;
}

/** The test options of options that were given to `create`. */
export function testOptionsOf(given: object): TestOptions {
  return ((given as Record<symbol, unknown>)[testOptions] ?? {}) as TestOptions;
}
