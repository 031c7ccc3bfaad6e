// DESTINATIONS: what a fragment shader reads of the render targets at its own position (`@color`), and of depth and
// stencil. Written by src/render when the pipeline is created, read when a warp of it runs (output/destination.ts).
//
//   DESTINATIONS │ a DESTINATION per target

import { MAX_COLOR_TARGETS } from '../limits';
import { CHANNELS, pastFields, sizeOf } from '../record';

/** DESTINATION: framebuffer fetch from one target. */
@unmanaged
export class Destination {
  /**
   * Function table slot of the function that loads texels of the target's format into registers
   * (output/destination.ts); 0: the target is not read.
   */
  slot: u32;
  /** Four input registers for r, g, b and a; -1: not read. */
  get registers(): usize {
    return changetype<usize>(this) + offsetof<Destination>();
  }
  register(channel: i32): i32 {
    return load<i32>(this.registers + (channel << alignof<i32>()));
  }
  get past(): usize {
    return this.registers + CHANNELS * sizeof<i32>();
  }
}

/** DESTINATIONS: see the top of the file. */
@unmanaged
export class Destinations {
  /** Bit per target that is read. */
  targets: u32;
  /** Input registers of depth (f32) and stencil (u32); -1: not read. */
  depthRegister: i32;
  stencilRegister: i32;
  /** A DESTINATION for each of MAX_COLOR_TARGETS targets. */
  get records(): usize {
    return pastFields(this);
  }
  destination(target: usize): Destination {
    return changetype<Destination>(this.records + target * sizeOf<Destination>());
  }
  get past(): usize {
    return this.records + MAX_COLOR_TARGETS * sizeOf<Destination>();
  }
}
