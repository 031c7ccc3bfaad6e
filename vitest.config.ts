import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take longest: in a fresh checkout vitest knows sizes alone, and would begin them last. */
const LONGEST = [
  'threads/same-bits', 'render/immediate', 'render/same-bits', 'threads/life', 'threads/model', 'render/units',
  'images/frames', 'cli/command', 'house/types', 'package/bundlers',
  'examples/engines',
];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isOf = (name: string) => ({ moduleId }: TestSpecification): boolean => moduleId.endsWith(`/${name}.test.ts`);
    const sorted = await super.sort(files), first = LONGEST.flatMap((name) => sorted.filter(isOf(name)));
    return [...first, ...sorted.filter((file) => !first.includes(file))];
  }
}

export default defineConfig({
  test: {
    include: ['tests/**/*.test.ts'], setupFiles: ['tests/support/setup.ts'], testTimeout: 60_000, hookTimeout: 120_000,
    pool: 'forks',
    // All cores: files are processes of their own, and none waits for another. By itself vitest leaves one core free.
    maxWorkers: availableParallelism(), sequence: { sequencer: LongestFirst },
  },
});
