// Modules that the JIT has emitted for a device, in the device's memory. Every thread that runs warps compiles them
// from there and puts their functions into the same slots of its function table.
//
// DIRECTORY ──> MODULE ──> MODULE ──> 0          newest first
//
// A MODULE record is at the start of one allocation that holds the whole module:
//
//   MODULE │ descriptions of the vertex shader's sites │ of the fragment shader's │ constants │ WebAssembly bytes
//
// Every change of the list increments ModuleDirectory.generation. A thread that last saw an older generation walks the
// list, instantiates modules whose ModuleRecord.generation is newer, and forgets those that are gone.

import { pastFields } from '../record';

/** DIRECTORY: the list of modules. */
@unmanaged
export class ModuleDirectory {
  /** Number of changes so far. */
  generation: i32;
  /** The newest MODULE; 0: none. */
  first: i32;
}

/** MODULE: see the top of the file. */
@unmanaged
export class ModuleRecord {
  /** Neighbours in the list; 0: none. */
  next: i32;
  previous: i32;
  /** ModuleDirectory.generation after the module was added. */
  generation: i32;
  /** Address and length of the WebAssembly binary. */
  binary: i32;
  binaryBytes: i32;
  /** Address of the constants (env.constants), 16-byte aligned. */
  constants: i32;
  /** Slots of its exports `registers` and `quads`; 0 for a missing export. */
  registersSlot: i32;
  quadsSlot: i32;
  /** SITE DESCRIPTIONs (site.ts): address and number. */
  sites: i32;
  siteCount: i32;
  /** Constants of vectors follow. */
  get past(): usize {
    return pastFields(this);
  }
}
