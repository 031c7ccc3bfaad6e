// WARP: what an engine is called with, `(warp) → status`, and what its texture reads go through.
//
//   fields │ lanes that run, a v128 a quad │ lanes that were discarded │ ACCESS: operands │ scratch
//   │ footprints of the last read

import { Footprint, ReadRun } from './footprint';
import { WARP_QUADS } from './limits';
import { Packer } from './packer';
import { Program } from './program';
import { pastFields, sizeOf } from './record';
import { Sampler, Texture } from './texture';

@unmanaged
export class Resource {
  /**
   * RESOURCE TABLE: one entry of sizeOf<Resource>() per IrProgram.resources entry, in order. Buffers: address and size;
   * textures: TEXTURE record; samplers: SAMPLER record.
   */
  address: usize;
  size: u32;
  /** The entry so many behind this one. */
  after(index: u32): Resource { return changetype<Resource>(changetype<usize>(this) + index * sizeOf<Resource>()); }
}

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
  get result(): usize { return pastFields(this); }
  get pixels(): usize { return this.result + ((4 * 4 + 15) & ~15); }
  /** Scratch of assembly/texture, 16-byte aligned, 416 bytes. */
  get scratch(): usize { return this.pixels; }
  get nextLevel(): usize { return this.pixels + 64; }
  get texels(): usize { return this.nextLevel + 64; }
  get slice(): usize { return this.texels + 64; }
  /** Addresses of the texels (0,0) (1,0) (0,1) (1,1), then the f32 fractions in x and y. */
  get footprint(): usize { return this.slice + 16; }
  /** First index, second index, fraction of each axis. */
  get axes(): usize { return this.footprint + 4 * 4 + 2 * 4; }
  get lods(): usize { return this.axes + 40; }
  /** Of each quad whose pixels share one: level of detail, and the fraction of the next level. */
  get quadLods(): usize { return this.lods + 16; }
  get quadFractions(): usize { return this.quadLods + 64; }
  get key(): usize { return this.quadFractions + 64; }
  get runs(): usize { return this.key + 64; }
  get keyU(): usize { return this.runs + 17 * sizeOf<ReadRun>(); }
  get keyV(): usize { return this.keyU + 256; }
  get footprints(): usize { return this.keyV + 256; }
  get past(): usize { return this.footprints + 2 * WARP_QUADS * sizeOf<Footprint>(); }
}

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
  /**
   * v128 a quad: lanes that run. Set by the caller; unused lanes and lanes outside the primitive may be on as helpers.
   */
  get exec(): usize { return pastFields(this); }
  /** v128 a quad: lanes that executed discard. Cleared by the caller. */
  get killed(): usize { return this.exec + WARP_QUADS * 16; }
  /**
   * ACCESS: one texture read of a warp, filled by the engine, executed by assembly/texture for all quads of the warp at
   * once. Operands are addresses of registers (REGISTER_BYTES each); 0 where the read has none.
   */
  get access(): Access { return changetype<Access>(this.killed + WARP_QUADS * 16); }
  get past(): usize { return changetype<usize>(this.access) + sizeOf<Access>(); }
}
