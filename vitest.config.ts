import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Test files that take longest. In a new checkout vitest knows only file sizes and would start these last. */
const LONGEST = [
  'threads/same-bits',
  'oracle/immediate',
  'oracle/same-bits',
  'threads/life',
  'threads/model',
  'images/frames',
  'cli/command',
  'house/types',
  'package/bundlers',
  'examples/engines',
];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isOf =
      (name: string) =>
      ({ moduleId }: TestSpecification): boolean =>
        moduleId.endsWith(`/${name}.test.ts`);
    const sorted = await super.sort(files);
    const first = LONGEST.flatMap((name) => sorted.filter(isOf(name)));
    return [...first, ...sorted.filter((file) => !first.includes(file))];
  }
}

export default defineConfig({
  test: {
    include: ['tests/**/*.test.ts'],
    setupFiles: ['tests/support/setup.ts'],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    pool: 'forks',
    // Use all cores: files run in separate processes and do not wait for each other. By default vitest leaves one core
    // free.
    maxWorkers: availableParallelism(),
    sequence: { sequencer: LongestFirst },
  },
});
