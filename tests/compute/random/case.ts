// Random cases by fast-check, which makes those that fail small; and by a seed.
import fc from 'fast-check';
import { inputOf, type Case } from './execute';
import { randomProgram } from './program';

const casesOf = (isExact: boolean): fc.Arbitrary<Case> => fc.gen().map((next) => {
  const below = (n: number): number => (n < 2 ? 0 : next(fc.nat, n - 1));
  return {
    program: randomProgram({ below, isExact }), groups: [1 + below(3), 1 + below(2)] as const, input: inputOf(below),
  };
});
export const cases = casesOf(false);
/** Of integers alone. */
export const exactCases = casesOf(true);
