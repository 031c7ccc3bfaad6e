// Types for the tests, which are written in TypeScript.
export function idealLanes(
  ids: Uint32Array,
  shape: {
    readonly width: number;
    readonly height: number;
    readonly samples: number;
    readonly rate?: readonly [number, number];
  }
): { readonly pixels: number; readonly quads: number; readonly busy: number };
