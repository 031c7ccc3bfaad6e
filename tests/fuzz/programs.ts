// Generated shaders on the interpreter, compiled for one or two quads at a time, and with other NaN payloads: the same
// bits.
import { setFlagsFromString } from 'node:v8';
import { disagreement, explain, generateCase } from '../codegen/generated';
import { WarpRunner } from '../codegen/warp';
import { arbitraryProgram } from '../ir/arbitrary';
import { programCorpus } from './corpus';
import { collectGarbage } from './garbage';
import type { Target } from './target';

let opened = 0;

export const programs: Target = {
  what: 'generated programs',
  maxAttemptMs: 60_000,
  reopenAfter: 1000,
  async open() {
    // Short runs never reach V8's optimizing compiler, so every other thousand is compiled with it immediately.
    setFlagsFromString(opened++ % 2 === 0 ? '--liftoff' : '--no-liftoff');
    // V8 keeps instances as long as a table that they import; with a new kernel, they are freed.
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
      } catch {
        /* explain() reports it */
      }
      return explain(runner, generated);
    };
  },
};
