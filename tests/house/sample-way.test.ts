// The way of a sample through the kernels: how often it comes back to code that it has already been in. The walk
// follows the calls of the tile's loop in the order of the source, and each function once, in the folders of the
// stages. It leaves out scalar twins and shading rates, since no build and no sample takes both ways. Folders below the
// stages (tile/, surface/, warp/ …) hold what the stages work on, so calls to them are not followed.
//
//   return   a call from another file to a function in which the walk has already been
//   entry    a call from another file to a function in which the walk has not been
import { readFileSync, readdirSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const STAGES = /^assembly\/(loop|raster|visibility|fragment|output)\//;
const OTHER_WAYS = /\.scalar\.|\/(rates\/|coarse|gather)/;
const START = 'assembly/loop/work.ts runTriangle';

/** Before rasterisation only appended work items, the walk from rasterTriangle returned 157 times. */
const MAX_RETURNS = 116;
const MAX_ENTRIES = 9;

/** A function → the functions that it calls or refers to by index, in the order of the source. */
type Calls = Map<string, string[]>;

function callsOf(sources: Map<string, string>): Calls {
  const calls: Calls = new Map();
  for (const [file, text] of sources) {
    const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest);
    const known = new Map<string, string>();
    for (const statement of source.statements) {
      if (ts.isFunctionDeclaration(statement) && statement.name)
        known.set(statement.name.text, `${file} ${statement.name.text}`);
      const bindings = ts.isImportDeclaration(statement) ? statement.importClause?.namedBindings : undefined;
      if (!ts.isImportDeclaration(statement) || !bindings || !ts.isNamedImports(bindings)) continue;
      const from = (statement.moduleSpecifier as ts.StringLiteral).text;
      const target = `${relative(ROOT, resolve(ROOT, dirname(file), from))}.ts`;
      for (const { name, propertyName } of bindings.elements)
        known.set(name.text, `${target} ${(propertyName ?? name).text}`);
    }
    for (const statement of source.statements) {
      if (!ts.isFunctionDeclaration(statement) || !statement.name || !statement.body) continue;
      const found: string[] = [];
      const note = (node: ts.Node): void => {
        const target = ts.isIdentifier(node) ? known.get(node.text) : undefined;
        if (target) found.push(target);
      };
      const visit = (node: ts.Node): void => {
        if (ts.isCallExpression(node)) {
          node.arguments.forEach(visit);
          note(node.expression);
          if (!ts.isIdentifier(node.expression)) visit(node.expression);
          return;
        }
        if (ts.isPropertyAccessExpression(node) && node.name.text === 'index') note(node.expression);
        ts.forEachChild(node, visit);
      };
      visit(statement.body);
      calls.set(`${file} ${statement.name.text}`, found);
    }
  }
  return calls;
}

const fileOf = (name: string): string => name.split(' ')[0]!;

function walk(calls: Calls, start: string): { files: number; returns: number; entries: Map<string, number> } {
  const seen = new Set<string>();
  const entries = new Map<string, number>();
  let returns = 0;
  const follow = (name: string): void => {
    seen.add(name);
    for (const next of calls.get(name)!) {
      if (!calls.has(next)) continue;
      const enters = fileOf(next) !== fileOf(name);
      if (seen.has(next)) {
        returns += Number(enters);
        continue;
      }
      if (enters) entries.set(fileOf(next), (entries.get(fileOf(next)) ?? 0) + 1);
      follow(next);
    }
  };
  follow(start);
  return { files: new Set([...seen].map(fileOf)).size, returns, entries };
}

test('a sample returns to few functions, and to few files', () => {
  const files = readdirSync(resolve(ROOT, 'assembly'), { recursive: true, encoding: 'utf8' })
    .map((name) => `assembly/${name}`)
    .filter((name) => STAGES.test(name) && name.endsWith('.ts') && !OTHER_WAYS.test(name));
  const calls = callsOf(new Map(files.map((file) => [file, readFileSync(resolve(ROOT, file), 'utf8')])));
  const { files: visited, returns, entries } = walk(calls, START);
  expect(visited).toBeGreaterThan(30);
  expect(returns).toBeLessThanOrEqual(MAX_RETURNS);
  expect(Math.max(...entries.values())).toBeLessThanOrEqual(MAX_ENTRIES);
});

test('returns and entries are counted', () => {
  const calls = callsOf(
    new Map([
      ['a.ts', "import { b, c as d } from './b';\nfunction start() { b(); own(); d(b()); }\nfunction own() {}"],
      ['b.ts', "import { f } from './c';\nexport function b() { f.index; }\nexport function c() {}"],
      ['c.ts', 'export function f() {}'],
    ])
  );
  expect(walk(calls, 'a.ts start')).toEqual({
    files: 3,
    returns: 1,
    entries: new Map([
      ['b.ts', 2],
      ['c.ts', 1],
    ]),
  });
});
