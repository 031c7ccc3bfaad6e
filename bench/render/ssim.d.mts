// Types for the tests, which are written in TypeScript.
export function ssimOf(
  one: Uint8Array,
  other: Uint8Array,
  size: { readonly width: number; readonly height: number }
): number;
