/**
 * Matchers for Jest, which needs no flags and no transforms for them. Require the module in a test, or name it in
 * `setupFilesAfterEnv`:
 *
 *     require('rasterloom/jest');
 *     await expect(canvas).toMatchPicture('triangle');
 */
import {
  baselineFolder,
  makeMatchers,
  obsoleteBaselines,
  updateMode,
  type MatcherState,
  type PictureOptions,
} from './core';

export type { PictureArea, PictureOptions } from './pictures/compare';

declare global {
  // eslint-disable-next-line @typescript-eslint/no-namespace
  namespace jest {
    // The parameters have to be those of the declaration.
    // eslint-disable-next-line @typescript-eslint/no-unused-vars, @typescript-eslint/no-empty-object-type
    interface Matchers<R, T = {}> {
      /**
       * Compares a canvas, a texture, pixels or a PNG file with the baseline of this name: a PNG file in the folder
       * `__image_snapshots__` beside the test. Without a name, it is that of the test.
       */
      toMatchPicture(name?: string, options?: PictureOptions): Promise<R>;
      toMatchPicture(options: PictureOptions): Promise<R>;
      /** Compares 32-bit floats, also in arrays and objects. `ulps`: largest distance in units of the last place. */
      toBeWithinUlps(expected: unknown, ulps: number): R;
    }
  }
}

/** The folder that users of Jest know from other matchers of pictures. */
const FOLDER = '__image_snapshots__';

interface Block {
  readonly type: 'describeBlock' | 'test';
  readonly children?: readonly Block[];
  readonly errors?: readonly unknown[];
  readonly status?: string | null;
  readonly mode?: string;
}
interface CircusState {
  readonly testNamePattern?: RegExp | null;
  readonly hasFocusedTests?: boolean;
  readonly rootDescribeBlock?: Block;
}
type Runner = {
  readonly expect: { extend(matchers: object): void; getState(): MatcherState };
  readonly afterAll: (task: () => void) => void;
};
/** Jest's functions, also with `injectGlobals: false`. */
function runner(): Runner {
  const { expect, afterAll } = globalThis as unknown as Partial<Runner>;
  if (expect === undefined || afterAll === undefined)
    throw new Error('rasterloom/jest: Jest is not running; name it in setupFilesAfterEnv, or require it in a test');
  return { expect, afterAll };
}

/** Whether all tests of the file have run and passed. Jest tells no matcher, so its own state is read. */
function allPassed(): boolean {
  const symbol = Object.getOwnPropertySymbols(globalThis).find(
    ({ description }) => description === 'JEST_STATE_SYMBOL'
  );
  const state = symbol && (globalThis as unknown as Record<symbol, CircusState | undefined>)[symbol];
  if (!state?.rootDescribeBlock || state.testNamePattern || state.hasFocusedTests) return false;
  const passed = ({ type, children, errors, status, mode }: Block): boolean =>
    type === 'test'
      ? mode !== 'skip' && mode !== 'todo' && status === 'done' && errors?.length === 0
      : (children ?? []).every(passed);
  return passed(state.rootDescribeBlock);
}

const { expect, afterAll } = runner();
expect.extend(makeMatchers(FOLDER));
afterAll(() => {
  const { testPath, snapshotState } = expect.getState();
  if (testPath === undefined || !allPassed()) return;
  const message = obsoleteBaselines(baselineFolder(testPath, FOLDER), updateMode(snapshotState));
  if (message !== undefined) console.warn(message);
});
