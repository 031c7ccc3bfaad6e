// Types for the tests, which are written in TypeScript.
export interface Benchmark {
  readonly name: string;
  readonly module: string;
  readonly takes?: string;
  readonly what: string;
  readonly against: string;
  readonly minutes: number;
  readonly needs?: readonly string[];
  readonly first?: readonly string[];
  readonly flags?: readonly string[];
}
export const NEEDS: Readonly<Record<string, string>>;
export const GROUPS: Readonly<Record<string, readonly Benchmark[]>>;
export const BENCHMARKS: readonly Benchmark[];
export function durationText(minutes: number): string;
export function markdownOf(group: string): string;
