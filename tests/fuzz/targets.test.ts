// A short part of each target of `npm run fuzz`, with fixed seeds, and the corpus.
import { describe, expect, test } from 'vitest';
import { seedCorpus } from './corpus';
import { targets } from './targets';

/** As many as take a second or two. */
const COUNTS: Readonly<Record<string, number>> = {
  programs: 60,
  compute: 5,
  texts: 500,
  calls: 12,
  draws: 12,
  textures: 40,
  surfaces: 20,
  models: 750,
  words: 2000,
  mixed: 8,
};
/** The first seed; 1 by default. */
const FIRST: Readonly<Record<string, number>> = { mixed: 4096 };

describe('npm run fuzz --', () => {
  test.each(Object.entries(targets))(
    '%s',
    async (name, target) => {
      const attempt = await target.open();
      const found: string[] = [];
      const first = FIRST[name] ?? 1;
      const seeds = [...(seedCorpus[name] ?? []), ...Array.from({ length: COUNTS[name]! }, (_, i) => first + i)];
      for (const seed of seeds) {
        const mistake = await attempt(seed);
        if (mistake !== null) found.push(`${mistake}: npm run fuzz -- ${name} 1 ${seed}`);
      }
      expect(found).toEqual([]);
    },
    180_000
  );
});
