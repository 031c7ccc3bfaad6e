// Common parts of all records. Fields come first. Arrays and other records, which asc cannot lay out in a class, follow
// them. Each begins where the previous one ends: its accessor is defined in terms of its neighbour, and `past` is the
// end of the last one.

/** Address of the first array after a record's fields, aligned to 16 bytes. */
export function pastFields<T>(record: T): usize {
  return changetype<usize>(record) + ((offsetof<T>() + 15) & ~15);
}

/** Size of a record in bytes, including what follows its fields. */
export function sizeOf<T>(): usize {
  if (isDefined(changetype<T>(0).past)) return changetype<T>(0).past;
  return offsetof<T>();
}
