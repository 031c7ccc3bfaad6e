// Options of `create` for tests: the public ones, and those that only tests use, which are passed under a symbol.
import type { TestOptions } from '../../src/api/test-options';
import type { CreateOptions as PublicOptions } from '../../src/index';

export interface CreateOptions extends PublicOptions, TestOptions {}

const testOptions = Symbol.for('rasterloom.testOptions');
const names: readonly (keyof TestOptions)[] = [
  'chunkEveryDraw',
  'immediate',
  'forcedParking',
  'shuffle',
  'tileContexts',
  'alwaysShareTiles',
  'alwaysUseWorkers',
];

/** The options as `create` takes them. */
export function forCreate(options: CreateOptions): PublicOptions {
  const rest: Record<PropertyKey, unknown> = { ...options };
  const moved: Record<string, unknown> = {};
  for (const name of names) {
    if (name in rest) moved[name] = rest[name];
    delete rest[name];
  }
  return { ...rest, [testOptions]: moved } as PublicOptions;
}
