// Types for the tests, which are written in TypeScript.
export function likeness(a: Uint8Array, b: Uint8Array): number;
export function isBlank(pixels: Uint8Array): boolean;
