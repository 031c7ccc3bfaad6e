// What the entries for test runners share, as one file.
export { matchPicture, obsoleteBaselines, type PictureTest } from './pictures/match';
export type { PictureOptions } from './pictures/compare';
export { baselineFolder, makeMatchers, updateMode, type MatcherState } from './runner';
