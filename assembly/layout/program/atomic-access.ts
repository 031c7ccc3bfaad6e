// ATOMIC ACCESS: an atomic access to words of a buffer by the four lanes of a quad. v128 each.

@unmanaged
export class AtomicAccess {
  /** Lanes that take part. */
  get lanes(): usize {
    return changetype<usize>(this);
  }
  /** Byte offset into the binding. */
  get offset(): usize {
    return this.lanes + 16;
  }
  get value(): usize {
    return this.offset + 16;
  }
  get comparand(): usize {
    return this.value + 16;
  }
  /** The old value; 0 for lanes that do not take part. */
  get result(): usize {
    return this.comparand + 16;
  }
  get past(): usize {
    return this.result + 16;
  }
}
