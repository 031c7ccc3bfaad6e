// Types for the tests, which are written in TypeScript.
export interface Configuration {
  readonly seed: number;
  readonly size: readonly number[];
}
export function configurationOf(seed: number): Configuration;
export function traitsOf(configuration: Configuration): readonly string[];
