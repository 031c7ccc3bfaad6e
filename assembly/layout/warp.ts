// WARP: what a stage (stage.ts) is run on at once: up to WARP_QUADS quads, as many groups of four single pixels, or 64
// vertices. An engine is called with it, `(warp) → status`. What a warp is, and how it lives, stands here.
//
//   fields │ lanes that run, a v128 a quad │ lanes that were discarded │ ACCESS: operands │ scratch
//   │ footprints of the last read
//
// Warps of pixels are objects from their worker's WARP POOL, each with a register file. The packers of a tile
// (packer.ts) collect entries; who fills one has it shaded by the tile's warp, in three steps:
//
//     bind              run                  hand over
//    ─────────> program ────────> STATUS_DONE ────────────> output, or the stage that Stage.next names; the packer is
//     stage:      ^   │                                     empty, and the warp goes on with the next entries
//     uniforms,   │   │ STATUS_WAITS
//     registers   │   v
//                 │ aside: the packer's entries are one of the tile's PARKED WARPS (parked.ts). Who filled the packer
//                 │   │    sees STATUS_DONE, and the warp goes on with the next entries
//                 └───┘ taken up: run from its inputs again
//
// A warp that is put aside may be overtaken, but not where it writes (a position hazard, design §6): a later one that
// has an entry in one of its blocks comes when it has been handed over; if that cannot be yet, it is put aside behind
// it. So blending finds what the triangles before have left; and a tile is stored and resolved when all of them have
// been taken up (fragment/shade.ts). Until then it is kept as it stands, and its worker takes the next one. The entries
// say what a warp's inputs are, triangles and samples, which do not change. Draws of which something else decides what
// comes out, late tests or accesses of surfaces, do not wait, unless the tile keeps what it has done (Misses.keeps).
// Warps of draws without order (Draw.independent) wait for none of their kind: they overtake it where they write, too,
// and so do those that test late, for which draws that test before, or have an order, have to wait.
//
// A program that writes to buffers or textures looks at `late` before the first thing that it writes, and goes to its
// end if a page is not there: it has done nothing then, and can be run again. An interpreted warp does so as a whole.
// Compiled programs take one quad after the other, and only those that have missed a page, `lateQuads`, are put aside:
// no two of them lie at one position, where the program accesses what others write.
//
// A program that reads behind what it writes (PROGRAM_FLAG_STOPS) cannot be run again. Where it is interpreted, it
// stops (warp/stop.ts): it runs on to the first instruction that needs what a pending read gives, or would overwrite
// what such a read needs, or ends the round of a loop, and what its registers hold then is kept with its entries
// (STOPPED WARP, parked.ts). When pages have come, the reads are done again, and it goes on from there. So it never
// uses zeros.
//
// The vertex side has a warp and a register file of its own, in GEOMETRY (geometry.ts): its vertices go to setup in
// their order.

import { BlockCache } from './block-texture';
import { Footprint, ReadRun } from './footprint';
import { WARP_QUADS } from './limits';
import { Packer } from './packer';
import { Program } from './program';
import { QuadRead } from './quad-read';
import { pastFields, sizeOf } from './record';
import { Stage } from './stage';
import { Sampler, Texture } from './texture';
import { Misses } from './texture-stream';

@unmanaged
export class Resource {
  /**
   * RESOURCE TABLE: one entry of sizeOf<Resource>() per IrProgram.resources entry, in order. Buffers: address and size;
   * textures: TEXTURE record; samplers: SAMPLER record.
   */
  address: usize;
  size: u32;
  /** Of buffers that a compute program collects in: whether nobody else uses the memory meanwhile, 0 or 1. */
  own: u32;
  /** The entry so many behind this one. */
  after(index: u32): Resource { return changetype<Resource>(changetype<usize>(this) + index * sizeOf<Resource>()); }
}

@unmanaged
export class Access {
  /** TEXTURE and SAMPLER records (texture.ts). */
  texture: Texture;
  sampler: Sampler;
  quads: u32;
  /** MODE_*, of gathers plus the channel. */
  mode: i32;
  /** Constant texel offsets, i32. */
  offsetX: i32;
  offsetY: i32;
  offsetZ: i32;
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
  /** Scratch of assembly/texture, 16-byte aligned: of the twin's pixel, then of warps, then of quads. */
  get scratch(): usize { return this.pixels; }
  get nextLevel(): usize { return this.pixels + 16; }
  get texels(): usize { return this.nextLevel + 16; }
  get slice(): usize { return this.texels + 64; }
  /** Addresses of the texels (0,0) (1,0) (0,1) (1,1), then the f32 fractions in x and y. */
  get footprint(): usize { return this.slice + 16; }
  /** First index, second index, fraction of each axis. */
  get axes(): usize { return this.footprint + 4 * 4 + 2 * 4; }
  /** Levels of detail of a quad's lanes. */
  get lods(): usize { return this.axes + 40; }
  /** Of each quad whose pixels share one: level of detail, and the fraction of the next level. */
  get quadLods(): usize { return this.lods + 16; }
  get quadFractions(): usize { return this.quadLods + 64; }
  get key(): usize { return this.quadFractions + 64; }
  get runs(): usize { return this.key + 64; }
  get keyU(): usize { return this.runs + 17 * sizeOf<ReadRun>(); }
  get keyV(): usize { return this.keyU + 256; }
  get footprints(): usize { return this.keyV + 256; }
  get quadRead(): QuadRead {
    return changetype<QuadRead>(this.footprints + 2 * WARP_QUADS * sizeOf<Footprint>());
  }
  get past(): usize { return changetype<usize>(this.quadRead) + sizeOf<QuadRead>(); }
}

@unmanaged
export class Warp {
  /** The stage's program, for engines. */
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
  /** Warps of pixels: address of the Tile (which names its Warp: the type would go round in a circle). */
  tile: usize;
  /** The stage that it is bound to, or one of the same program, uniforms and resources. */
  stage: Stage;
  /** Warps of pixels: the draws whose uniforms it holds, as shadingOf (fragment/shade.ts) names them; 0: of none. */
  bound: usize;
  /** Lanes that stand for a covered pixel, when it is run. */
  lanes: u32;
  /**
   * Address of a word: nonzero when the warp has read a page that is not there, and is to do nothing that others see:
   * that of MISSES where it is put aside then, else `never`. 0: of no warp of pixels.
   */
  late: usize;
  never: u32;
  /** 1: the interpreter stops behind a texture read that has missed a page (warp/stop.ts); where it has. */
  stops: i32;
  stoppedAt: usize;
  /** Compiled programs that write: the quads that have, bit quad. The others have done all that they do. */
  lateQuads: u32;
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

/** WARP POOL: the warps of pixels that a worker has, on which its tiles are run. */
@unmanaged
export class WarpPool {
  /** Bytes from one to the next: a WARP, then its register file, both on 64 bytes. */
  warpBytes: u32;
  /**
   * The testing build: of the warps that could wait, every so many does (0: none), until so many others have been
   * handed over; and how many have come by.
   */
  every: u32;
  during: u32;
  passed: u32;
  /** The testing build: of the schedule of draws without order; 0: as it comes. */
  seed: u32;
  /** In a pass that reads streamed textures; else 0. */
  misses: Misses;
  /** As in QuadRead. */
  worker: u32;
  decoded: BlockCache;
  /** Whether the tile under way will be run again: it has read what is not there, or is run dry. */
  get hasMissed(): bool { return this.misses && (this.misses.waits | this.misses.dry) != 0; }
  get isDry(): bool { return this.misses && this.misses.dry != 0; }
  get warps(): usize { return changetype<usize>(this) + 64; }
  warp(index: u32): Warp { return changetype<Warp>(this.warps + index * this.warpBytes); }
  /** What entries of tiles are run on. */
  get first(): Warp { return this.warp(0); }
  /** It runs the second parts of programs (sample-sets.ts). */
  get further(): Warp { return this.warp(1); }
  /** It runs the stages of pixels behind coarse ones (coarse-stages.ts). */
  get pixels(): Warp { return this.warp(2); }
}
