// Names of exported identifiers and of their members use the glossary's terms. docs/glossary.md lists the words that
// they avoid.
import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** The words of the glossary's table, and those that names only avoid at their beginning. */
function avoidedWords(): { readonly anywhere: ReadonlySet<string>; readonly first: ReadonlySet<string> } {
  const text = readFileSync(`${ROOT}docs/glossary.md`, 'utf8');
  const table = text.slice(text.indexOf('## Words that names avoid'));
  const anywhere = new Set<string>();
  const first = new Set<string>();
  for (const [, cell] of table.matchAll(/^\| ([^|]+) \|/gm)) {
    if (cell === 'word') continue;
    const words = cell!.replace(' (as the first word)', '').split(', ');
    for (const word of words) (cell!.includes('(as the first word)') ? first : anywhere).add(word);
  }
  return { anywhere, first };
}

/** Names of a file's exported declarations, and of their members that are not private. */
function exportedNames(file: string): string[] {
  const source = ts.createSourceFile(file, readFileSync(`${ROOT}${file}`, 'utf8'), ts.ScriptTarget.Latest);
  const names: string[] = [];
  const add = (name: ts.Node | undefined): void => {
    if (name && ts.isIdentifier(name)) names.push(name.text);
  };
  for (const statement of source.statements) {
    const isExported =
      ts.canHaveModifiers(statement)
      && ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
    if (!isExported) continue;
    if (ts.isVariableStatement(statement)) statement.declarationList.declarations.forEach(({ name }) => add(name));
    if (ts.isFunctionDeclaration(statement) || ts.isTypeAliasDeclaration(statement)) add(statement.name);
    if (!ts.isClassDeclaration(statement) && !ts.isInterfaceDeclaration(statement)) continue;
    add(statement.name);
    for (const member of statement.members) {
      const isPrivate =
        ts.canHaveModifiers(member)
        && ts.getModifiers(member)?.some(({ kind }) => kind === ts.SyntaxKind.PrivateKeyword);
      if (!isPrivate) add(member.name);
    }
  }
  return names;
}

/** `MAX_SLOTS` and `maxSlots` → max, slots. */
const wordsOf = (name: string): string[] =>
  name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[ _]/);

test('exported names contain no word that the glossary replaces', () => {
  const { anywhere, first } = avoidedWords();
  expect(anywhere).toContain('aside');
  expect(first).toContain('most');
  const found = ['src', 'assembly'].flatMap((folder) =>
    readdirSync(`${ROOT}${folder}`, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .flatMap((name) =>
        exportedNames(`${folder}/${name}`).map((exported) => ({ file: `${folder}/${name}`, exported }))
      )
  );
  expect(found.length).toBeGreaterThan(2000);
  const wrong = found.filter(({ exported }) => {
    const words = wordsOf(exported);
    return first.has(words[0]!) || words.some((word) => anywhere.has(word));
  });
  expect(wrong).toEqual([]);
});
