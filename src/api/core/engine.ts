// The engine below the API. It is a file of its own, so that `import` loads only what the objects of WebGPU need. It is
// loaded with the first device; nothing here may import it, except for types.

/** All that the engine exports. */
export type Engine = typeof import('../../engine');
export type LoadEngine = () => Promise<Engine>;
