/**
 * Matchers for Vitest. Import the module in a test, or name it in `setupFiles`:
 *
 *     import 'rasterloom/vitest';
 *     await expect(canvas).toMatchPicture('triangle');
 */
import { afterAll, expect } from 'vitest';
import {
  baselineFolder,
  makeMatchers,
  obsoleteBaselines,
  updateMode,
  type MatcherState,
  type PictureOptions,
} from './core';

export type { PictureArea, PictureOptions } from './pictures/compare';

declare module 'vitest' {
  // The parameter has to be that of the declaration.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  interface Matchers<T = any> {
    /**
     * Compares a canvas, a texture, pixels or a PNG file with the baseline of this name: a PNG file in the folder
     * `__screenshots__` beside the test. Without a name, it is that of the test.
     */
    toMatchPicture(name?: string, options?: PictureOptions): Promise<T>;
    toMatchPicture(options: PictureOptions): Promise<T>;
    /** Compares 32-bit floats, also in arrays and objects. `ulps`: largest distance in units of the last place. */
    toBeWithinUlps(expected: unknown, ulps: number): T;
  }
}

/** The folder in which Vitest itself keeps pictures. */
const FOLDER = '__screenshots__';

interface Task {
  readonly mode?: string;
  readonly result?: { readonly state?: string };
  readonly tasks?: readonly Task[];
}

const allPassed = ({ tasks, result }: Task): boolean => tasks?.every(allPassed) ?? result?.state === 'pass';

expect.extend(makeMatchers(FOLDER));

// The file is the second argument, and the first one in Vitest 3. Vitest 4 would read names of fixtures from a first
// parameter.
afterAll(function () {
  // eslint-disable-next-line prefer-rest-params
  const file = ([...arguments] as (Partial<Task> | undefined)[]).find((given) => given?.tasks !== undefined);
  const { testPath, snapshotState } = expect.getState() as MatcherState;
  if (file === undefined || testPath === undefined || !allPassed(file)) return;
  const message = obsoleteBaselines(baselineFolder(testPath, FOLDER), updateMode(snapshotState));
  if (message !== undefined) console.warn(message);
});
