// The engine below the API. It is a file of its own, so that `import` loads only what the objects of WebGPU need. It is
// loaded with the first device; nothing here may import it, except for types.

import type { RecordStore } from '../../render';

/** All that the engine exports. */
export type Engine = typeof import('../../engine');
/** Loads the engine once. A store, if there is one, may hold compiled code of the engine itself. */
export type LoadEngine = (store: RecordStore | null) => Promise<Engine>;

/**
 * Returns a loaded engine. In a bundle of one file, the engine's code may come after a script that waits for its
 * device at its top level.
 * @throws Error if the code of the engine has not run
 */
export function requireStarted(engine: Engine | undefined): Engine {
  if (engine) return engine;
  throw new Error(
    "Rasterloom's engine comes after the script that waits for it. Bundle into several files "
      + '(rollup: output.dir without inlineDynamicImports), or do not await the device at the top level'
  );
}
