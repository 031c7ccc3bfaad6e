// ATOMIC ACCESS: an atomic access to words of a buffer by the four lanes of a quad. v128 each.

import { VECTOR_BYTES } from '../record';


@unmanaged
export class AtomicAccess {
  /** Lanes that take part. */
  get lanes(): usize {
    return changetype<usize>(this);
  }
  /** Byte offset into the binding. */
  get offset(): usize {
    return this.lanes + VECTOR_BYTES;
  }
  get value(): usize {
    return this.offset + VECTOR_BYTES;
  }
  get comparand(): usize {
    return this.value + VECTOR_BYTES;
  }
  /** The old value; 0 for lanes that do not take part. */
  get result(): usize {
    return this.comparand + VECTOR_BYTES;
  }
  get past(): usize {
    return this.result + VECTOR_BYTES;
  }
}
