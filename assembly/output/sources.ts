// Locates the colours of a warp: registers of a target's channels, or constants for channels that the shader does not
// write.

import { OutputScratch, REGISTER_BYTES, Target, Tile } from '../layout';
import { allSamples } from '../tile/layers';

/** What a shader that lacks an output writes: (0, 0, 0, 1). One register each. */
const ZEROS: usize = memory.data(256);
const ONES: usize = memory.data<f32>([
  1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
  1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
]);
const INTEGER_ONES: usize = memory.data<u32>([
  1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
  1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
]);

/**
 * Stores the sources in a target record when the pipeline is created. `integer` tells whether the format is integer.
 */
export function prepareSources(target: Target, integer: bool): void {
  const one = integer ? INTEGER_ONES : ONES;
  for (let i = 0; i < 4; i++) {
    const register = target.register(target.channel(i));
    const written = register >= 0;
    store<usize>(target.sources + (i << 2), written ? register * REGISTER_BYTES : i < 3 ? ZEROS : one);
    store<i32>(target.isRegister + (i << 2), written ? -1 : 0);
  }
}

/** Fills the output scratch for a warp: the addresses of the four channels and the sample masks. */
export function beginTarget(tile: Tile, target: Target): void {
  const scratch = tile.output;
  if (ASC_FEATURE_SIMD) {
    const registers = v128.and(v128.load(target.isRegister), i32x4.splat(tile.registers));
    v128.store(scratch.registers, i32x4.add(v128.load(target.sources), registers));
  } else {
    for (let at: usize = 0; at < 16; at += 4) {
      const registers = tile.registers & load<u32>(target.isRegister + at);
      store<u32>(scratch.registers + at, load<u32>(target.sources + at) + registers);
    }
  }
  scratch.target = target;
  scratch.every = allSamples(tile);
  scratch.whole = target.writesAll & tile.encodes ? scratch.every : 0;
}

/** The results of a warp, for codec C. */
@unmanaged
export class Sources<C> {
  /** Encodes the four results at byte offset `offset` of the registers, to OutputScratch.terms. */
  @inline encode(scratch: OutputScratch, offset: usize): v128 {
    return changetype<C>(0).encode(
      scratch.terms,
      v128.load(scratch.register(0) + offset),
      v128.load(scratch.register(1) + offset),
      v128.load(scratch.register(2) + offset),
      v128.load(scratch.register(3) + offset)
    );
  }
}
