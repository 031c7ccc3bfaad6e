// Types for the tests, which are written in TypeScript.
export const OF_OTHER_RUNS: readonly string[];
export function changesOf(root: string): string[];
export function commitOf(root: string): string;
export function belongTogether(folder: URL, names: readonly string[]): string | undefined;
export function replaceFolder(folder: URL, next: URL): void;
