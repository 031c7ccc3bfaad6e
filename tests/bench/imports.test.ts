// Benchmark scripts that no test runs: everything that they import from each other exists. (A missing export once ended
// a run of all benchmarks.)
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const folder = new URL('../../bench/', import.meta.url);
const scripts = readdirSync(folder).filter((name) => name.endsWith('.mjs'));
const textOf = (name: string): string => readFileSync(new URL(name, folder), 'utf8');

test.each(scripts)('%s finds what it imports from other scripts', (script) => {
  const missing: string[] = [];
  for (const [, names, from] of textOf(script).matchAll(/import \{([^}]+)\} from '\.\/([\w-]+\.mjs)'/g)) {
    const there = textOf(from!);
    for (const name of names!
      .split(',')
      .map((one) => one.trim().split(' as ')[0]!)
      .filter(Boolean)) {
      const exported =
        new RegExp(`export (async )?(function\\*?|const|let|class) ${name}\\b`).test(there)
        || new RegExp(`export (const|let) [^;]*\\b${name} =`).test(there)
        || [...there.matchAll(/export \{([^}]+)\}/g)].some(([, list]) => new RegExp(`\\b${name}\\b`).test(list!));
      if (!exported) missing.push(`${name} of ${from}`);
    }
  }
  expect(missing).toEqual([]);
});
