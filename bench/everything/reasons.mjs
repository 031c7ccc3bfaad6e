// Why cells of the map cost more than LIMIT times their nearest common relative: the arithmetic that is that much. The
// first pattern that a cell's name matches counts.
const REASONS = [];

export const reasonFor = (key) => REASONS.find(([pattern]) => pattern.test(key))?.[1];
