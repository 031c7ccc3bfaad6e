// The engine below the API. It is a file of its own, so that `import` loads only what the objects of WebGPU need. It is
// loaded with the first device; nothing here may import it, except for types.

import type { RecordStore } from '../../render';

/** All that the engine exports. */
export type Engine = typeof import('../../engine');
/** Loads the engine once. A store, if there is one, may hold compiled code of the engine itself. */
export type LoadEngine = (store: RecordStore | null) => Promise<Engine>;
