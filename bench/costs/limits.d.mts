// Types for the tests, which are written in TypeScript.
interface Row {
  readonly row: string;
  readonly kind: string;
  readonly llvmpipe?: { readonly ratio: readonly number[] };
}
interface Goal {
  readonly what: string;
  readonly value: number;
  readonly limit: number;
  readonly reached: boolean;
}
export function judge(rows: Readonly<Record<string, Row>>): readonly Goal[];
