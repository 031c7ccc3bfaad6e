// Types for the tests, which are written in TypeScript.
export interface Drawing {
  readonly width: number;
  readonly height: number;
  readonly option: object;
}
export function figure(value: unknown): string;
export function heatMap(cells: {
  readonly rows: readonly string[];
  readonly columns: readonly string[];
  readonly values: readonly (readonly (number | null)[])[];
  readonly marked?: readonly (readonly [row: number, column: number])[];
  readonly left?: number;
}): Drawing;
