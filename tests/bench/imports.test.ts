// Scripts of the bench that no test starts: what they import from each other is there. (bench:work once asked for a
// name that its module kept to itself, and the run of all benches ended with it.)
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const folder = new URL('../../bench/', import.meta.url);
const scripts = readdirSync(folder).filter((name) => name.endsWith('.mjs'));
const textOf = (name: string): string => readFileSync(new URL(name, folder), 'utf8');

test.each(scripts)('%s finds what it imports from its neighbours', (script) => {
  const missing: string[] = [];
  for (const [, names, from] of textOf(script).matchAll(/import \{([^}]+)\} from '\.\/([\w-]+\.mjs)'/g)) {
    const there = textOf(from!);
    for (const name of names!.split(',').map((one) => one.trim().split(' as ')[0]!).filter(Boolean)) {
      const exported = new RegExp(`export (async )?(function\\*?|const|let|class) ${name}\\b`).test(there)
        || new RegExp(`export (const|let) [^;]*\\b${name} =`).test(there)
        || [...there.matchAll(/export \{([^}]+)\}/g)].some(([, list]) => new RegExp(`\\b${name}\\b`).test(list!));
      if (!exported) missing.push(`${name} of ${from}`);
    }
  }
  expect(missing).toEqual([]);
});
