// Shrinks failing data: removes elements from lists of records, sets nullable members to null, and sets what is true to
// false.

/** All ways of removing one thing, larger things first. */
function* without(value: unknown): Generator<unknown> {
  if (Array.isArray(value)) {
    // Lists of numbers are positions, sizes and the like.
    if (value.every((each) => typeof each === 'object' && each !== null) && value.length > 1)
      for (let i = value.length - 1; i >= 0; i--) yield value.filter((_, at) => at !== i);
    for (const [i, each] of value.entries())
      for (const less of without(each)) yield value.map((old, at) => (at === i ? less : old));
    return;
  }
  if (typeof value === 'boolean' && value) yield false;
  if (typeof value !== 'object' || value === null) return;
  const members = Object.entries(value);
  for (const [name, member] of members)
    if (typeof member === 'object' && member !== null) yield { ...value, [name]: null };
  for (const [name, member] of members) for (const less of without(member)) yield { ...value, [name]: less };
}

/** Returns the smallest value for which `fails` is true. It returns false for invalid values. */
export async function smaller<T>(value: T, fails: (less: T) => Promise<boolean>): Promise<T> {
  const works = async (less: T): Promise<boolean> => {
    try {
      return await fails(less);
    } catch {
      return false;
    }
  };
  for (let found = true; found;) {
    found = false;
    for (const less of without(value)) {
      if (!(await works(less as T))) continue;
      value = less as T;
      found = true;
      break;
    }
  }
  return value;
}
