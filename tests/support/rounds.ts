/**
 * Rounds of a property test: the given number by default, or RASTERLOOM_FUZZ=count, for example for a night's search.
 */
export const rounds = (byDefault: number): number => Number(process.env['RASTERLOOM_FUZZ'] ?? byDefault);
