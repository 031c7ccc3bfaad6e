// IMAGE ACCESS: a load from or a store to a single-sample storage texture by the four lanes of a quad. v128 each.

@unmanaged
export class ImageAccess {
  /** Lanes that take part. */
  get lanes(): usize {
    return changetype<usize>(this);
  }
  /** i32 texel coordinates; z: slice or array layer. 0 if the texture has no such dimension. */
  get x(): usize {
    return this.lanes + 16;
  }
  get y(): usize {
    return this.x + 16;
  }
  get z(): usize {
    return this.y + 16;
  }
  /** Four channels. */
  get texel(): usize {
    return this.z + 16;
  }
  /** Address of each lane's texel. */
  get addresses(): usize {
    return this.texel + 4 * 16;
  }
  get past(): usize {
    return this.addresses + 16;
  }
}
