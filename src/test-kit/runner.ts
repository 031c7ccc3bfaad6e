// What Vitest and Jest have in common: the state of a matcher, and the matchers.
import { basename, dirname, join } from 'node:path';
import type { PictureOptions } from './pictures/compare';
import { matchPicture, type PictureTest } from './pictures/match';
import { ulpDistance } from './ulp';

/** The `this` of a matcher, in Vitest and in Jest. */
export interface MatcherState {
  readonly testPath?: string | undefined;
  readonly currentTestName?: string | undefined;
  readonly isNot?: boolean | undefined;
  /** What the runner knows of its snapshots. Neither runner declares the members that other matchers use. */
  readonly snapshotState?: unknown;
}

/** The update state, and counts by which the runner reports what was written. */
type SnapshotState =
  | (Partial<Record<'added' | 'updated' | 'matched' | 'unmatched', number>> & {
      readonly _updateSnapshot?: PictureTest['update'];
    })
  | undefined;

interface MatcherResult {
  readonly pass: boolean;
  readonly message: () => string;
}

/** Folder of a test file's baselines, in the folder that the runner uses. */
export const baselineFolder = (testFile: string, folder: string): string =>
  join(dirname(testFile), folder, basename(testFile));

/** The runner's mode. With `CI` set, no baseline is added unless the user asks for it. */
export function updateMode(snapshotState: unknown): PictureTest['update'] {
  const mode = (snapshotState as SnapshotState)?._updateSnapshot;
  if (mode === 'all' || mode === 'none') return mode;
  return process.env.CI && process.env.CI !== 'false' ? 'none' : 'new';
}

/** Makes the matchers of a runner. @param folder its folder for pictures */
export function makeMatchers(folder: string): {
  toMatchPicture(this: MatcherState, given: unknown, ...values: unknown[]): Promise<MatcherResult>;
  toBeWithinUlps(this: MatcherState, given: unknown, expected: unknown, most: unknown): MatcherResult;
} {
  return {
    async toMatchPicture(given, ...values) {
      const [name, options] = typeof values[0] === 'object' ? [undefined, values[0]] : values;
      const { testPath, currentTestName = 'picture', isNot = false, snapshotState } = this;
      if (testPath === undefined) throw new TypeError('toMatchPicture: it can only be used in a test');
      const result = await matchPicture(given, name as string | undefined, (options ?? {}) as PictureOptions, {
        testFile: testPath,
        title: currentTestName,
        update: updateMode(snapshotState),
        isNot,
        folder: baselineFolder(testPath, folder),
      });
      const counts = snapshotState as SnapshotState;
      if (counts?.[result.baseline] !== undefined) counts[result.baseline]!++;
      return result;
    },
    toBeWithinUlps(given, expected, most) {
      const { distance, at } = ulpDistance(given, expected);
      const pass = distance <= Number(most);
      const place = at === '' ? '' : ` at ${at}`;
      return {
        pass,
        message: () =>
          `expected ${JSON.stringify(given)}${this.isNot ? ' not' : ''} to be within ${String(most)} ULP of `
          + `${JSON.stringify(expected)}; the distance is ${distance} ULP${place}`,
      };
    },
  };
}
