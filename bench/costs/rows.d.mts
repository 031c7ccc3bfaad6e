// Types for the tests, which are written in TypeScript.
export const ROWS: Readonly<Record<string, string>>;
