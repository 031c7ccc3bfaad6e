// Benchmark scripts that no test runs: the other scripts and the exports that they name exist. (A missing export once
// ended a run of all benchmarks.)
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const folder = new URL('../../bench/', import.meta.url);
const scripts = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .map((name) => name.replaceAll('\\', '/'))
  .filter((name) => name.endsWith('.mjs'))
  .sort();
const textOf = (name: string): string => readFileSync(new URL(name, folder), 'utf8');

const exportsName = (text: string, name: string): boolean =>
  new RegExp(`export (async )?(function\\*?|const|let|class) ${name}\\b`).test(text)
  || new RegExp(`export (const|let) [^;]*\\b${name} =`).test(text)
  || [...text.matchAll(/export \{([^}]+)\}/g)].some(([, list]) => new RegExp(`\\b${name}\\b`).test(list!));

/** Lists what the text of a script names that does not exist: relative paths in quotes, and imported names. */
function missingIn(text: string, script: URL): string[] {
  const missing = [...text.matchAll(/'(\.\.?\/[\w./-]+\.mjs)'/g)]
    .map(([, path]) => path!)
    .filter((path) => !existsSync(new URL(path, script)));
  for (const [, names, from] of text.matchAll(/(?:im|ex)port \{([^}]+)\} from '(\.\.?\/[\w./-]+\.mjs)'/g)) {
    if (missing.includes(from!)) continue;
    const there = readFileSync(new URL(from!, script), 'utf8');
    for (const name of names!
      .split(',')
      .map((one) => one.trim().split(' as ')[0]!)
      .filter(Boolean))
      if (!exportsName(there, name)) missing.push(`${name} of ${from}`);
  }
  return missing;
}

test.each(scripts)('%s finds what it imports from other scripts', (script) => {
  expect(missingIn(textOf(script), new URL(script, folder))).toEqual([]);
});

test('missing scripts and missing exports are detected', () => {
  const text = [
    "import { median, nothing } from '../support/machine.mjs';",
    "import {\n  compare,\n  frameOf as frame,\n  lost,\n} from '../support/pairs.mjs';",
    "const script = new URL('./machine.mjs', import.meta.url);",
  ].join('\n');
  expect(missingIn(text, new URL('render/blend.mjs', folder))).toEqual([
    './machine.mjs',
    'nothing of ../support/machine.mjs',
    'lost of ../support/pairs.mjs',
  ]);
});

test('the run of all benchmarks names only scripts that exist', () => {
  const named = [...textOf('all.mjs').matchAll(/^ {2}'([\w/-]+\.mjs)': \[/gm)].map(([, name]) => name!);
  expect(named).toContain('run.mjs');
  expect(named.filter((name) => !scripts.includes(name))).toEqual([]);
});
