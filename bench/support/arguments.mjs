// Names on the command line of a benchmark.

/** Throws if a given name is not known. `what` says what the names name. */
export function requireNames(what, given, known) {
  const unknown = given.filter((name) => !known.includes(name));
  if (unknown.length) throw new Error(`no ${what} ${unknown.join(', ')}; there are ${known.join(', ')}`);
}

/** Returns the given names, all of which must be known. Without any, returns all known ones. */
export function chooseNames(what, known, given = process.argv.slice(2)) {
  requireNames(what, given, known);
  return given.length ? given : known;
}
