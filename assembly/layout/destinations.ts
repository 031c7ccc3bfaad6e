// DESTINATIONS: what a fragment program reads of the render targets, of its own position (`@color`), and of depth and
// stencil. Written by src/render when the pipeline is made, read when a warp of it is run (output/destination.ts).
//
//   DESTINATIONS │ DESTINATION a target

import { MAX_COLOR_TARGETS } from './limits';
import { pastFields, sizeOf } from './record';

@unmanaged
export class Destination {
  /** The function that puts texels of the target's format into registers (output/destination.ts); 0: it is not read. */
  slot: u32;
  /** Four input registers, of r, g, b, a; -1: not read. */
  get registers(): usize { return changetype<usize>(this) + offsetof<Destination>(); }
  register(channel: i32): i32 { return load<i32>(this.registers + (channel << 2)); }
  get past(): usize { return this.registers + 4 * 4; }
}

@unmanaged
export class Destinations {
  /** Bit target. */
  targets: u32;
  /** Input registers of depth (f32) and stencil (u32); -1: not read. */
  depthRegister: i32;
  stencilRegister: i32;
  /** MAX_COLOR_TARGETS of them. */
  get records(): usize { return pastFields(this); }
  destination(target: usize): Destination {
    return changetype<Destination>(this.records + target * sizeOf<Destination>());
  }
  get past(): usize { return this.records + MAX_COLOR_TARGETS * sizeOf<Destination>(); }
}
