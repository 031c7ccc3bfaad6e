// What all records have in common. Fields come first; what asc lays in no class, arrays and other records, follows
// them, each where the one before it ends: an accessor says so in terms of its neighbour, and `past` is where the last
// one ends.

/** Where the first array behind a record's fields begins, on 16 bytes. */
export function pastFields<T>(record: T): usize {
  return changetype<usize>(record) + ((offsetof<T>() + 15) & ~15);
}

/** Bytes of a record, with what is behind its fields. */
export function sizeOf<T>(): usize {
  if (isDefined(changetype<T>(0).past)) return changetype<T>(0).past;
  return offsetof<T>();
}
