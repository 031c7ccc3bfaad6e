import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['tests/**/*.test.ts'], setupFiles: ['tests/support/setup.ts'], testTimeout: 60_000, hookTimeout: 120_000, pool: 'forks',
    // All cores: files are processes of their own, and none waits for another. By itself vitest leaves one core free.
    maxWorkers: availableParallelism(),
  },
});
