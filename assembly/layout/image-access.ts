// IMAGE ACCESS: a load from or a store to a storage texture of one sample by the four lanes of a quad. v128 each.

@unmanaged
export class ImageAccess {
  /** Lanes that take part. */
  get lanes(): usize { return changetype<usize>(this); }
  /** i32, texels; z: slice or array layer. 0 where the texture has no such dimension. */
  get x(): usize { return this.lanes + 16; }
  get y(): usize { return this.x + 16; }
  get z(): usize { return this.y + 16; }
  /** Four channels. */
  get texel(): usize { return this.z + 16; }
  /** Where each lane's texel lies. */
  get addresses(): usize { return this.texel + 4 * 16; }
  get past(): usize { return this.addresses + 16; }
}
