import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take longest, which vitest, knowing only sizes in a fresh checkout, would begin when the others are done. */
const LONGEST = ['threads/same-bits', 'render/immediate', 'render/same-bits', 'threads/life', 'threads/model', 'render/units', 'cli/command', 'house/types'];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => (LONGEST.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`)) + 1 || Infinity);
    return (await super.sort(files)).sort((a, b) => (rank(a) === rank(b) ? 0 : rank(a) - rank(b)));
  }
}

export default defineConfig({
  test: {
    include: ['tests/**/*.test.ts'], setupFiles: ['tests/support/setup.ts'], testTimeout: 60_000, hookTimeout: 120_000, pool: 'forks',
    // All cores: files are processes of their own, and none waits for another. By itself vitest leaves one core free.
    maxWorkers: availableParallelism(), sequence: { sequencer: LongestFirst },
  },
});
