// WARP: the unit of work on which a stage (stage.ts) runs: up to WARP_QUADS quads, as many groups of four single
// pixels, or 64 vertices. An engine is called as `(warp) → status`. This file describes a warp and its life cycle.
//
//   fields │ lanes that run, a v128 per quad │ lanes that were discarded │ ACCESS: operands │ scratch
//   │ footprints of the last read
//
// Warps of pixels belong to their worker's WARP POOL; each has a register file. A tile's packers (packer.ts) collect
// entries. When one is full, its entries are shaded with the tile's warp in three steps:
//
//      bind              run                  hand over
//     ─────────> shader  ────────> STATUS_DONE ────────────> output, or the stage that Stage.next names. The packer is
//      stage:      ^   │                                     empty, and the warp continues with the next entries
//      uniforms,   │   │ STATUS_WAITS
//      registers   │   v
//                  │ parked: the packer's entries become one of the tile's PARKED WARPS (late/parked.ts). The code that
//                  │   │     filled the packer sees STATUS_DONE, and the warp continues with the next entries
//                  └───┘ resumed: run from its inputs again
//
// Other warps may overtake a parked warp, but not where it writes (a position hazard). A later warp with an entry in
// one of the same blocks runs after the parked one has been handed over; if that is not possible yet, it is parked too.
// So blending finds what earlier triangles left. A tile is stored and resolved when all its parked warps have been
// resumed (fragment/shade.ts). Until then its context is kept, and the worker takes another tile.
//
// Replaying a warp is possible because its inputs follow from its entries: triangles and samples, which do not change.
// Warps whose results depend on more than that (late tests, accesses to surfaces) are not parked, unless the tile keeps
// its progress (Misses.keepsProgress). Warps of unordered draw calls (Draw.independent) do not wait for each other and
// overtake each other even where they write. This includes those that test after the shader. Draw calls that test
// early, or are ordered, must wait for the latter.
//
// A shader that writes to buffers or textures checks `missFlag` before its first write and skips to its end if a page
// is non-resident. It has then done nothing visible and can be run again. An interpreted warp does so as a whole.
// Compiled shaders process one quad after the other, and only the quads that missed a page (`missedQuads`) are parked.
// No two quads of such a warp are at the same position if the shader accesses data that others write.
//
// A shader that reads textures after its writes (PROGRAM_FLAG_STOPS) cannot be run again. The interpreter stops such a
// warp (late/stop.ts). The warp first runs ahead to the next instruction that needs the result of a pending read, would
// overwrite an operand of one, or ends a loop iteration. Its registers are then saved with its entries (STOPPED WARP,
// late/parked.ts). When the pages are resident, the reads are repeated and the warp continues from there. So it never
// uses zeros in place of texels.
//
// The vertex side has its own warp and register file, in GEOMETRY (geometry.ts), because its vertices go to setup in
// order.

import { BlockCache } from '../texture/block-texture';
import { Footprint, ReadRun } from '../texture/footprint';
import { WARP_QUADS } from '../limits';
import { Packer } from './packer';
import { Program } from '../program/program';
import { QuadRead, TAPS, TAPS_BYTES } from '../texture/quad-read';
import {
  CHANNELS,
  LINE_BYTES,
  pastFields,
  QUAD_VECTORS_BYTES,
  QUAD_WORDS_BYTES,
  sizeOf,
  VECTOR_BYTES,
  VECTOR_PAD,
} from '../record';
import { Stage } from '../program/stage';
import { Sampler, Texture } from '../texture/texture';
import { Misses } from '../late/late-work';

/** Access.axes: dimensions of a texture, and words for each of them. */
const AXES = 3;
const AXIS_WORDS = 3;
// @ts-ignore: decorator
@inline const AXES_BYTES = (AXES * AXIS_WORDS + 1) * sizeof<u32>();
/** Access.footprint: f32 fractions in x and y. */
// @ts-ignore: decorator
@inline const FRACTIONS = 2;
/** v128 of Access.key. */
const KEY_VECTORS = 4;
// @ts-ignore: decorator
@inline const KEY_BYTES = KEY_VECTORS * VECTOR_BYTES;
/** Maximum number of READ RUNs of a warp, and one more that ends them. */
// @ts-ignore: decorator
@inline const READ_RUNS = WARP_QUADS + 1;
/** Levels that a read may mix. */
// @ts-ignore: decorator
@inline const READ_LEVELS = 2;
/** WarpPool.pixels. */
// @ts-ignore: decorator
@inline const PIXELS_WARP = 2;

/**
 * RESOURCE TABLE entry: one sizeOf<Resource>() for each entry of IrProgram.resources, in order. Buffers: address and
 * size. Textures: a TEXTURE record. Samplers: a SAMPLER record.
 */
@unmanaged
export class Resource {
  address: usize;
  size: u32;
  /**
   * Buffers that a compute shader updates through GATHERED BUFFERs: 1 if no other worker uses the memory meanwhile,
   * else 0.
   */
  own: u32;
  /** The entry `index` places after this one. */
  after(index: u32): Resource {
    return changetype<Resource>(changetype<usize>(this) + index * sizeOf<Resource>());
  }
}

/**
 * ACCESS: one texture read of a warp, filled by the engine and executed by assembly/texture for all quads of the warp
 * at once. Operands are addresses of registers (REGISTER_BYTES each); 0 where the read has none.
 */
@unmanaged
export class Access {
  /** TEXTURE and SAMPLER records (texture.ts). */
  texture: Texture;
  sampler: Sampler;
  quads: u32;
  /** MODE_*; for gathers plus the channel. */
  mode: i32;
  /** Constant texel offsets. */
  offsetX: i32;
  offsetY: i32;
  offsetZ: i32;
  /** f32 coordinates for samples; i32 texel coordinates for loads. */
  u: usize;
  v: usize;
  w: usize;
  /** i32 array layer. */
  layer: usize;
  /** Samples: f32 bias or level. Loads: i32 level or sample number. */
  level: usize;
  ddxU: usize;
  ddxV: usize;
  ddxW: usize;
  ddyU: usize;
  ddyV: usize;
  ddyW: usize;
  /** f32 reference of a depth comparison. */
  compare: usize;
  /** Four result registers; 0 for channels that are not read. */
  get result(): usize {
    return pastFields(this);
  }
  get pixels(): usize {
    return this.result + ((CHANNELS * sizeof<usize>() + VECTOR_PAD) & ~VECTOR_PAD);
  }
  /**
   * Scratch of assembly/texture, 16-byte aligned: first for the scalar twin's pixel, then for warps, then for quads.
   */
  get scratch(): usize {
    return this.pixels;
  }
  get nextLevel(): usize {
    return this.pixels + VECTOR_BYTES;
  }
  get texels(): usize {
    return this.nextLevel + VECTOR_BYTES;
  }
  get slice(): usize {
    return this.texels + TAPS_BYTES;
  }
  /** Addresses of the texels (0,0) (1,0) (0,1) (1,1), then the f32 fractions in x and y. */
  get footprint(): usize {
    return this.slice + VECTOR_BYTES;
  }
  /** First index, second index and fraction of each axis; and a word of padding. */
  get axes(): usize {
    return this.footprint + TAPS * sizeof<usize>() + FRACTIONS * sizeof<f32>();
  }
  /** Levels of detail of a quad's lanes. */
  get lods(): usize {
    return this.axes + AXES_BYTES;
  }
  /** For each quad whose pixels share one level: level of detail, and the fraction of the next level. */
  get quadLods(): usize {
    return this.lods + VECTOR_BYTES;
  }
  get quadFractions(): usize {
    return this.quadLods + QUAD_WORDS_BYTES;
  }
  get key(): usize {
    return this.quadFractions + QUAD_WORDS_BYTES;
  }
  get runs(): usize {
    return this.key + KEY_BYTES;
  }
  get keyU(): usize {
    return this.runs + READ_RUNS * sizeOf<ReadRun>();
  }
  get keyV(): usize {
    return this.keyU + QUAD_VECTORS_BYTES;
  }
  get footprints(): usize {
    return this.keyV + QUAD_VECTORS_BYTES;
  }
  get quadRead(): QuadRead {
    return changetype<QuadRead>(this.footprints + READ_LEVELS * WARP_QUADS * sizeOf<Footprint>());
  }
  get past(): usize {
    return changetype<usize>(this.quadRead) + sizeOf<QuadRead>();
  }
}

/** WARP: see the top of the file. */
@unmanaged
export class Warp {
  /** The stage's shader, for engines. */
  program: Program;
  /** Register file. */
  registers: usize;
  /** Resource table of the stage. */
  resources: usize;
  /** Quads in use, 1 to WARP_QUADS. */
  quadCount: i32;
  /** Loop back edges left until the next look at the clock; carried from warp to warp. */
  loopBudget: i32;
  /** Compiled shaders: the draw call's uniform block. */
  uniforms: usize;
  /** Compiled shaders in Program.quadsSlot: the packer. */
  packer: Packer;
  /** Compiled shaders: SITE records (site.ts), which follow the outputs in the register file. */
  sites: usize;
  /** Warps of pixels: address of the Tile. Untyped because Tile itself refers to Warp. */
  tile: usize;
  /** The stage that the warp is bound to, or one with the same shader, uniforms and resources. */
  stage: Stage;
  /**
   * Warps of pixels: the draw calls whose uniforms the registers hold, as named by shadingOf (fragment/lanes/bind.ts);
   * 0: none.
   */
  bound: usize;
  /** Lanes that represent a covered pixel, counted when the warp runs. */
  lanes: u32;
  /**
   * Address of a word that is nonzero once the warp has read a non-resident page and must have no visible effects. It
   * is the word in MISSES if the warp is parked in that case, else `zeroFlag`. 0: not a warp of pixels.
   */
  missFlag: usize;
  zeroFlag: u32;
  /** 1: the interpreter stops after a texture read that missed a page (late/stop.ts). `stoppedAt`: where it did. */
  stops: i32;
  stoppedAt: usize;
  /** Compiled shaders that write: bit per quad that missed a page. The other quads have finished. */
  missedQuads: u32;
  /**
   * v128 per quad: lanes that run. Set by the caller. Unused lanes and lanes outside the primitive may be active as
   * helpers.
   */
  get exec(): usize {
    return pastFields(this);
  }
  /** v128 per quad: lanes that executed discard. Cleared by the caller. */
  get killed(): usize {
    return this.exec + WARP_QUADS * VECTOR_BYTES;
  }
  get access(): Access {
    return changetype<Access>(this.killed + WARP_QUADS * VECTOR_BYTES);
  }
  get past(): usize {
    return changetype<usize>(this.access) + sizeOf<Access>();
  }
}

/** WARP POOL: a worker's warps of pixels, on which its tiles run. */
@unmanaged
export class WarpPool {
  /** Bytes from one warp to the next: a WARP, then its register file, both aligned to 64 bytes. */
  warpBytes: u32;
  /**
   * Testing build: of the warps that may be parked, every `every`-th one is (0: none), until `during` others have been
   * handed over. `passed` counts the candidates.
   */
  every: u32;
  during: u32;
  passed: u32;
  /** Testing build: seed for the schedule of unordered draw calls; 0: natural order. */
  seed: u32;
  /** In a pass that reads streamed textures; else 0. */
  misses: Misses;
  /** As in QuadRead. */
  worker: u32;
  decoded: BlockCache;
  /** Whether the current tile will be replayed: it read a non-resident page, or runs only to find its pages. */
  get hasMissed(): bool {
    return this.misses && (this.misses.waits | this.misses.isDryRun) != 0;
  }
  get isDry(): bool {
    return this.misses && this.misses.isDryRun != 0;
  }
  get warps(): usize {
    return changetype<usize>(this) + LINE_BYTES;
  }
  warp(index: u32): Warp {
    return changetype<Warp>(this.warps + index * this.warpBytes);
  }
  /** Runs the entries of tiles. */
  get first(): Warp {
    return this.warp(0);
  }
  /** Runs the second parts of shaders (sample-sets.ts). */
  get secondPart(): Warp {
    return this.warp(1);
  }
  /** Runs the pixel stages that follow coarse ones (coarse-stages.ts). */
  get pixels(): Warp {
    return this.warp(PIXELS_WARP);
  }
}
