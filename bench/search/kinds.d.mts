// Types for the tests, which are written in TypeScript.
import type { Configuration } from './generate.mjs';
export const KINDS: Readonly<Record<string, Configuration>>;
