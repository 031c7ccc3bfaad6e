/** Identifies an entry point with constants. −0 and 0 are different constants, but have the same string. */
export const programKey = (name: string, constants: ReadonlyMap<string, number>): string =>
  [name, ...[...constants].map(([key, value]) => `${key}=${Object.is(value, -0) ? '-0' : value}`).sort()].join();
