// Generated programs on the interpreter, compiled for a quad at a time or two, and on other NaNs: the same bits.
import { setFlagsFromString } from 'node:v8';
import { disagreement, explain, generateCase } from '../codegen/generated';
import { WarpRunner } from '../codegen/warp';
import { arbitraryProgram } from '../ir/arbitrary';
import { programCorpus } from './corpus';
import { collectGarbage } from './garbage';
import type { Target } from './target';

let opened = 0;

export const programs: Target = {
  what: 'generated programs', mostMs: 60_000, renewedAfter: 1000,
  async open() {
    // Short runs never come to V8's optimising compiler by themselves: every other thousand is compiled by it at once.
    setFlagsFromString(opened++ % 2 === 0 ? '--liftoff' : '--no-liftoff');
    // V8 keeps instances for as long as a table that they import: with another kernel, they go.
    const runner = new WarpRunner();
    collectGarbage();
    for (const seed of programCorpus) {
      const generated = { seed, program: arbitraryProgram(seed) };
      if (disagreement(runner, generated.program, seed) !== null) return () => explain(runner, generated);
    }
    return (seed) => {
      const generated = generateCase(seed);
      try {
        if (disagreement(runner, generated.program, generated.seed) === null) return null;
      } catch { /* explain() says it */ }
      return explain(runner, generated);
    };
  },
};
