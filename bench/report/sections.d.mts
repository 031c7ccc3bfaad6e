// Types for the tests, which are written in TypeScript.
export interface Chart {
  readonly title: string;
  readonly note: string;
  readonly width: number;
  readonly height: number;
  readonly option: object;
  readonly table?: { readonly head: readonly string[]; readonly rows: readonly (readonly string[])[] };
}
export interface Limit {
  readonly what: string;
  readonly value: string;
  readonly limit: string;
  readonly reached: boolean;
}
export interface Section {
  readonly title: string;
  readonly command: string;
  readonly file: string;
  readonly note?: string;
  readonly machine?: Readonly<Record<string, unknown>>;
  readonly charts: readonly Chart[];
  readonly limits: readonly Limit[];
}
export function sections(results: Readonly<Record<string, unknown>>): Section[];
