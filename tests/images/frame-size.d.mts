// For tests, which are TypeScript.
export function sizeOf(name: string): { readonly width: number; readonly height: number };
export const SAMPLES: readonly number[];
