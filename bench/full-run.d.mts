// Types for the tests, which are written in TypeScript.
export const FILES_OF_OTHER_RUNS: readonly string[];
export function uncommittedChanges(root: string): string[];
export function commitOf(root: string): string;
export function mixedRunsReason(folder: URL, names: readonly string[]): string | undefined;
export function replaceFolder(folder: URL, next: URL): void;
