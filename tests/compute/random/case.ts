// Random cases, made by fast-check, which shrinks failing ones, or from a seed.
import fc from 'fast-check';
import { inputOf, type Case } from './execute';
import { randomProgram } from './program';
import type { Choices } from './values';

const casesOf = (wanted: Omit<Choices, 'below'>): fc.Arbitrary<Case> =>
  fc.gen().map((next) => {
    const below = (n: number): number => (n < 2 ? 0 : next(fc.nat, n - 1));
    return {
      program: randomProgram({ below, ...wanted }),
      groups: [1 + below(3), 1 + below(2)] as const,
      input: inputOf(below),
    };
  });
export const cases = casesOf({});
/** With integers only. */
export const exactCases = casesOf({ isExact: true });
/** With atomic operations whose results are used by the shader. */
export const orderedCases = casesOf({ usesResults: true });
