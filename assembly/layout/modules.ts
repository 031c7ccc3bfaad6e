// The modules that the JIT has emitted for a device, in its memory: whoever runs warps compiles them from there and
// puts their functions into the same slots of its own table.
//
// DIRECTORY ──> MODULE ──> MODULE ──> 0          newest first
//
// A MODULE stands at the start of one piece of memory that holds all of it:
//
//   MODULE │ descriptions of the vertex program's sites │ of the fragment program's │ constants │ WebAssembly bytes
//
// Every change of the list raises ModuleDirectory.generation. Who has seen an older one walks the list, instantiates
// the modules whose ModuleRecord.generation is newer than that, and forgets those that are gone.

import { pastFields } from './record';

@unmanaged
export class ModuleDirectory {
  /** Number of changes so far. */
  generation: i32;
  /** The newest MODULE; 0 for none. */
  first: i32;
}

@unmanaged
export class ModuleRecord {
  /** Neighbours in the list; 0 for none. */
  next: i32;
  previous: i32;
  /** ModuleDirectory.generation after the module was put in. */
  generation: i32;
  /** Address and length of the WebAssembly binary. */
  binary: i32;
  binaryBytes: i32;
  /** Address of the constants (env.constants), 16-byte aligned. */
  constants: i32;
  /** Slots of its exports `registers` and `quads`; 0 for the one that it does not have. */
  registersSlot: i32;
  quadsSlot: i32;
  /** SITE_DESCRIPTIONs (site.ts): address and number. */
  sites: i32;
  siteCount: i32;
  /** Constants of vectors follow it. */
  get past(): usize { return pastFields(this); }
}
