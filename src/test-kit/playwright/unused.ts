// A reporter for Playwright that names baselines which no test uses.
import type { FullConfig, FullResult, TestCase } from '@playwright/test/reporter';
import { obsoleteBaselines } from '../core';
import { ANNOTATION, folderOf, updateOf } from './baselines';

/** Options of the command with which only some tests of a file run. */
const PARTIAL = /^(-g|-gv|--grep|--grep-invert|--shard|--last-failed|--only-changed|--test-list)(=|$)|:\d+$/;

/**
 * Names the baselines that no test uses, after all tests of their file have passed, and removes them with `-u`. Name it
 * in the configuration: `reporter: [['list'], ['rasterloom/playwright']]`.
 */
export class UnusedBaselines {
  #config: FullConfig | undefined;
  readonly #tests = new Set<TestCase>();

  onBegin(config: FullConfig): void {
    this.#config = config;
  }

  onTestEnd(test: TestCase): void {
    this.#tests.add(test);
  }

  onEnd({ status }: FullResult): void {
    const isPartial = process.argv.slice(2).some((argument) => PARTIAL.test(argument));
    if (this.#config === undefined || status !== 'passed' || isPartial) return;
    const all = [...this.#tests];
    const files = new Set(all.map((test) => test.location.file));
    for (const file of files) {
      const tests = all.filter((test) => test.location.file === file);
      if (tests.some((test) => test.outcome() !== 'expected' || test.expectedStatus !== 'passed')) continue;
      const annotations = tests.flatMap((test) => [
        ...test.annotations,
        ...test.results.flatMap((result) => result.annotations ?? []),
      ]);
      const used = annotations.flatMap(({ type, description = '' }) => (type === ANNOTATION ? [description] : []));
      const message = obsoleteBaselines(folderOf(file), updateOf(this.#config.updateSnapshots), new Set(used));
      if (message !== undefined) console.warn(message);
    }
  }

  printsToStdio(): boolean {
    return false;
  }
}
