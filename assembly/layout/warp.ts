// WARP: what an engine is called with, `(warp) → status`, and what its texture reads go through.
//
//   fields │ lanes that run, a v128 a quad │ lanes that were discarded │ ACCESS: operands │ scratch │ footprints of the last read

import { FOOTPRINT_BYTES, READ_RUN_BYTES } from './footprint';
import { WARP_QUADS } from './limits';
import { Packer } from './packer';
import { Program } from './program';
import { Sampler, Texture } from './texture';

@unmanaged
export class Resource {
  /** RESOURCE TABLE: one entry of RESOURCE_BYTES per IrProgram.resources entry, in order. Buffers: address and size; textures: TEXTURE record; samplers: SAMPLER record. */
  address: usize;
  size: u32;
}
export const RESOURCE_BYTES: usize = offsetof<Resource>();

@unmanaged
export class Access {
  /** TEXTURE and SAMPLER records (texture.ts). */
  texture: Texture;
  sampler: Sampler;
  quads: u32;
  /** MODE_*. */
  mode: i32;
  /** Constant texel offsets, i32. */
  offsetX: i32;
  offsetY: i32;
  /** f32 coordinates for samples, i32 texel coordinates for loads. */
  u: usize;
  v: usize;
  w: usize;
  /** i32 array layer. */
  layer: usize;
  /** f32 bias or level for samples; i32 level (or sample) for loads. */
  level: usize;
  ddxU: usize;
  ddxV: usize;
  ddxW: usize;
  ddyU: usize;
  ddyV: usize;
  ddyW: usize;
  /** f32 reference of a depth comparison. */
  compare: usize;
  /** Four result registers; 0 where nobody reads the channel. */
  get result(): usize { return changetype<usize>(this) + ACCESS_RESULT; }
  get pixels(): usize { return changetype<usize>(this) + ACCESS_PIXELS; }
  /** Scratch of assembly/texture, 16-byte aligned, 416 bytes. */
  get scratch(): usize { return changetype<usize>(this) + ACCESS_SCRATCH; }
  get nextLevel(): usize { return changetype<usize>(this) + ACCESS_NEXT_LEVEL; }
  get texels(): usize { return changetype<usize>(this) + ACCESS_TEXELS; }
  get slice(): usize { return changetype<usize>(this) + ACCESS_SLICE; }
  /** Addresses of the texels (0,0) (1,0) (0,1) (1,1), then the f32 fractions in x and y. */
  get footprint(): usize { return changetype<usize>(this) + ACCESS_FOOTPRINT; }
  /** First index, second index, fraction of each axis. */
  get axes(): usize { return changetype<usize>(this) + ACCESS_AXES; }
  get lods(): usize { return changetype<usize>(this) + ACCESS_LODS; }
  /** Of each quad whose pixels share one: level of detail, and the fraction of the next level. */
  get quadLods(): usize { return changetype<usize>(this) + ACCESS_QUAD_LODS; }
  get quadFractions(): usize { return changetype<usize>(this) + ACCESS_QUAD_FRACTIONS; }
  get key(): usize { return changetype<usize>(this) + ACCESS_KEY; }
  get runs(): usize { return changetype<usize>(this) + ACCESS_RUNS; }
  get keyU(): usize { return changetype<usize>(this) + ACCESS_KEY_U; }
  get keyV(): usize { return changetype<usize>(this) + ACCESS_KEY_V; }
  get footprints(): usize { return changetype<usize>(this) + ACCESS_FOOTPRINTS; }
}
export const ACCESS_RESULT: usize = (offsetof<Access>() + 15) & ~15;
export const ACCESS_PIXELS: usize = (ACCESS_RESULT + 4 * 4 + 15) & ~15;
export const ACCESS_NEXT_LEVEL: usize = ACCESS_PIXELS + 64;
export const ACCESS_TEXELS: usize = ACCESS_NEXT_LEVEL + 64;
export const ACCESS_SLICE: usize = ACCESS_TEXELS + 64;
export const ACCESS_FOOTPRINT: usize = ACCESS_SLICE + 16;
export const ACCESS_AXES: usize = ACCESS_FOOTPRINT + (4 * 4 + 2 * 4);
export const ACCESS_LODS: usize = ACCESS_AXES + 40;
export const ACCESS_QUAD_LODS: usize = ACCESS_LODS + 16;
export const ACCESS_QUAD_FRACTIONS: usize = ACCESS_QUAD_LODS + 64;
export const ACCESS_KEY: usize = ACCESS_QUAD_FRACTIONS + 64;
export const ACCESS_RUNS: usize = ACCESS_KEY + 64;
export const ACCESS_KEY_U: usize = ACCESS_RUNS + 17 * READ_RUN_BYTES;
export const ACCESS_KEY_V: usize = ACCESS_KEY_U + 256;
export const ACCESS_FOOTPRINTS: usize = ACCESS_KEY_V + 256;
export const ACCESS_SCRATCH: usize = ACCESS_PIXELS;
export const ACCESS_BYTES: usize = ACCESS_FOOTPRINTS + 2 * WARP_QUADS * FOOTPRINT_BYTES;

@unmanaged
export class Warp {
  /** WARP: what an engine is called with, `(warp) → status`. */
  program: Program;
  /** Register file. */
  registers: usize;
  /** Resource table of the stage. */
  resources: usize;
  /** Quads in use, 1 … WARP_QUADS. */
  quadCount: i32;
  /** Loop back edges left until the next look at the clock; carried from warp to warp. */
  loopBudget: i32;
  /** Compiled programs: the draw's uniform block. */
  uniforms: usize;
  /** Compiled programs in Program.quadsSlot: the packer. */
  packer: Packer;
  /** Compiled programs: SITE records (site.ts), behind the outputs in the register file. */
  sites: usize;
  /** Fragment programs: address of the Tile (which holds its Warp: the type would go round in a circle). */
  tile: usize;
  /** v128 a quad: lanes that run. Set by the caller; unused lanes and lanes outside the primitive may be on as helpers. */
  get exec(): usize { return changetype<usize>(this) + WARP_EXEC; }
  /** v128 a quad: lanes that executed discard. Cleared by the caller. */
  get killed(): usize { return changetype<usize>(this) + WARP_KILLED; }
  /**
   * ACCESS: one texture read of a warp, filled by the engine, executed by assembly/texture for all quads of the warp at once.
   * Operands are addresses of registers (REGISTER_BYTES each); 0 where the read has none.
   */
  get access(): Access { return changetype<Access>(changetype<usize>(this) + WARP_ACCESS); }
}
export const WARP_EXEC: usize = (offsetof<Warp>() + 15) & ~15;
export const WARP_KILLED: usize = WARP_EXEC + WARP_QUADS * 16;
export const WARP_ACCESS: usize = WARP_KILLED + WARP_QUADS * 16;
export const WARP_BYTES: usize = WARP_ACCESS + ACCESS_BYTES;
