// IMAGE ACCESS: a load from or a store to a single-sample storage texture by the four lanes of a quad. v128 each.

import { CHANNELS, VECTOR_BYTES } from '../record';


@unmanaged
export class ImageAccess {
  /** Lanes that take part. */
  get lanes(): usize {
    return changetype<usize>(this);
  }
  /** i32 texel coordinates; z: slice or array layer. 0 if the texture has no such dimension. */
  get x(): usize {
    return this.lanes + VECTOR_BYTES;
  }
  get y(): usize {
    return this.x + VECTOR_BYTES;
  }
  get z(): usize {
    return this.y + VECTOR_BYTES;
  }
  /** Four channels. */
  get texel(): usize {
    return this.z + VECTOR_BYTES;
  }
  /** Address of each lane's texel. */
  get addresses(): usize {
    return this.texel + CHANNELS * VECTOR_BYTES;
  }
  get past(): usize {
    return this.addresses + VECTOR_BYTES;
  }
}
