// Where Playwright keeps baselines, and how tests tell the reporter which of them they use.
import type { PictureTest } from '../core';

/** Type of the annotations of a test whose description is the path of a baseline. */
export const ANNOTATION = 'picture';

export const folderOf = (testFile: string): string => `${testFile}-snapshots`;

/** Without an option of the user, the mode is `missing`, or `default` in some versions. */
export const updateOf = (mode: string): PictureTest['update'] =>
  mode === 'all' || mode === 'changed' ? 'all' : mode === 'none' ? 'none' : 'new';
