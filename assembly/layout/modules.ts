// The modules that the JIT has emitted for a device, in its memory: whoever runs warps compiles them from there and puts their functions
// into the same slots of its own table.
//
// DIRECTORY ──> MODULE ──> MODULE ──> 0          newest first
//
// A MODULE stands at the start of one piece of memory that holds all of it:
//
//   MODULE │ descriptions of the vertex program's sites │ of the fragment program's │ constants │ WebAssembly bytes
//
// Every change of the list raises DIRECTORY_GENERATION. Who has seen an older one walks the list, instantiates the modules whose
// MODULE_GENERATION is newer than that, and forgets those that are gone.

/** Number of changes so far. */
export const DIRECTORY_GENERATION = 0;
/** The newest MODULE; 0 for none. */
export const DIRECTORY_FIRST = 4;
export const DIRECTORY_BYTES = 16;

/** Neighbours in the list; 0 for none. */
export const MODULE_NEXT = 0;
export const MODULE_PREVIOUS = 4;
/** DIRECTORY_GENERATION after the module was put in. */
export const MODULE_GENERATION = 8;
/** Address and length of the WebAssembly binary. */
export const MODULE_BINARY = 12;
export const MODULE_BINARY_BYTES = 16;
/** Address of the constants (env.constants), 16-byte aligned. */
export const MODULE_CONSTANTS = 20;
/** Slots of its exports `vertex`, `fragment` and `quads`; 0 for those that it does not have. */
export const MODULE_VERTEX_SLOT = 24;
export const MODULE_FRAGMENT_SLOT = 28;
export const MODULE_QUADS_SLOT = 32;
/** SITE_DESCRIPTIONs (site.ts) of the vertex and of the fragment program: address and number. */
export const MODULE_VERTEX_SITES = 36;
export const MODULE_VERTEX_SITE_COUNT = 40;
export const MODULE_FRAGMENT_SITES = 44;
export const MODULE_FRAGMENT_SITE_COUNT = 48;
export const MODULE_BYTES = 64;
