// Finds exports that nothing imports, in TypeScript, JavaScript and AssemblyScript. Prints one line for each and exits
// with 1 if there are any. An export that only its own file uses is dead too: it needs no `export`.
//
// The search compares names file by file and needs no types, so it reads AssemblyScript, which other tools reject for
// its decorators. In assembly/, where `tsc` does not report unused locals, it also finds declarations that nothing
// uses.
import { readFileSync, readdirSync } from 'node:fs';
import { dirname, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const FOLDERS = ['src', 'assembly', 'tests', 'bench', 'examples', 'docs/.vitepress', 'docs/playground', '.ci'];
const CONFIGS = ['rollup.config.mjs', 'vitest.config.ts', 'eslint.config.mjs', 'kernels.mjs'];
/**
 * Files whose exports are used from outside: by users of the package, by tools, or as exports of a WebAssembly module.
 */
const ENTRIES = [
  'bench/farm/hostile-module.mjs',
  'src/index.ts',
  'src/index.browser.ts',
  'src/farm.ts',
  'src/gltf.ts',
  'src/gltf.browser.ts',
  'src/gltf/extension-readers.browser.ts',
  'src/gltf/decoders/jpeg-decoder.ts',
  'src/gltf/decoders/webp-decoder.ts',
  'src/extensions.ts',
  'src/blends/index.ts',
  'src/rate-image/index.ts',
  'src/virtual-time/index.ts',
  'src/test-kit/testing.ts',
  'src/test-kit/vitest.ts',
  'src/test-kit/jest.ts',
  'src/test-kit/playwright/index.ts',
  'src/page-runner/index.ts',
  'src/page-runner/worker.ts',
  'src/page-runner/hooks.ts',
  'src/node/window/worker-scope.ts',
  'assembly/entry/kernel.ts',
  'assembly/entry/testing.ts',
  'assembly/entry/inlines.ts',
  'assembly/entry/lexer.ts',
  'docs/.vitepress/config.mjs',
  'docs/.vitepress/theme/index.mjs',
  'docs/playground/vite.config.ts',
  'rollup.config.mjs',
  'vitest.config.ts',
  'eslint.config.mjs',
  'kernels.mjs',
  // Loaded by their names.
  ...readdirSync(`${ROOT}tests/libraries/scenes`).map((file) => `tests/libraries/scenes/${file}`),
];

const ALL = Symbol('all');
const isExported = (node) => node.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) ?? false;
const isDefault = (node) => node.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.DefaultKeyword) ?? false;

/** Whether a node is the path in `import('./file')`. */
const isLoaded = (node) =>
  ts.isStringLiteralLike(node)
  && ts.isCallExpression(node.parent)
  && node.parent.expression.kind === ts.SyntaxKind.ImportKeyword;

/** The names that `const { a, b } = await import('./file')` takes of a file; undefined if `node` is no such path. */
function namesLoaded(node) {
  const declaration = isLoaded(node) && ts.isAwaitExpression(node.parent.parent) && node.parent.parent.parent;
  return declaration && ts.isVariableDeclaration(declaration) && ts.isObjectBindingPattern(declaration.name)
    ? declaration.name.elements.map(({ propertyName, name }) => (propertyName ?? name).text)
    : undefined;
}

/** The names that a declaration introduces, also those of `const { a, b: [c] } = …`. */
function* namesIn(name) {
  if (ts.isIdentifier(name)) yield name;
  else for (const element of name.elements) if (ts.isBindingElement(element)) yield* namesIn(element.name);
}

/** The identifiers that a statement declares at the top level of a file. */
function declaredBy(statement) {
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.flatMap(({ name }) => [...namesIn(name)]);
  const declares =
    ts.isFunctionDeclaration(statement)
    || ts.isClassDeclaration(statement)
    || ts.isInterfaceDeclaration(statement)
    || ts.isTypeAliasDeclaration(statement)
    || ts.isEnumDeclaration(statement)
    || ts.isModuleDeclaration(statement);
  return declares && statement.name && ts.isIdentifier(statement.name) ? [statement.name] : [];
}

/** Reads what a file exports, which names of other files it uses, and how often it mentions each identifier. */
function readFile(path, text, resolve) {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const file = { exports: new Map(), stars: [], uses: [], locals: new Map(), mentions: new Map() };
  const lineOf = (node) => source.getLineAndCharacterOfPosition(node.getStart()).line + 1;
  const namespaces = new Map();
  const use = (specifier, name) => {
    const target = resolve(path, specifier);
    if (target) file.uses.push([target, name]);
  };
  const exportName = (name, node, from) =>
    file.exports.set(name, { line: lineOf(node), isClass: ts.isClassDeclaration(node.parent), from });

  for (const statement of source.statements) {
    if (ts.isImportDeclaration(statement)) {
      const { name, namedBindings } = statement.importClause ?? {};
      const from = statement.moduleSpecifier.text;
      if (name) use(from, 'default');
      if (namedBindings && ts.isNamedImports(namedBindings))
        for (const element of namedBindings.elements) use(from, (element.propertyName ?? element.name).text);
      if (namedBindings && ts.isNamespaceImport(namedBindings)) namespaces.set(namedBindings.name.text, from);
    } else if (ts.isExportDeclaration(statement)) {
      const from = statement.moduleSpecifier && resolve(path, statement.moduleSpecifier.text);
      const elements = statement.exportClause && ts.isNamedExports(statement.exportClause);
      if (!statement.exportClause) file.stars.push(from);
      else if (!elements) exportName(statement.exportClause.name.text, statement.exportClause, [from, ALL]);
      else
        for (const element of statement.exportClause.elements)
          exportName(element.name.text, element, from && [from, (element.propertyName ?? element.name).text]);
    } else if (ts.isExportAssignment(statement)) exportName('default', statement);
    else if (isExported(statement) && isDefault(statement)) exportName('default', statement);
    else
      for (const name of declaredBy(statement))
        if (isExported(statement)) exportName(name.text, name);
        else file.locals.set(name.text, lineOf(name));
  }

  const visit = (node) => {
    if (ts.isIdentifier(node)) {
      file.mentions.set(node.text, (file.mentions.get(node.text) ?? 0) + 1);
      const from = namespaces.get(node.text);
      const { parent } = node;
      if (from !== undefined && !ts.isNamespaceImport(parent)) {
        if (ts.isPropertyAccessExpression(parent)) {
          if (parent.expression === node) use(from, parent.name.text);
        } else use(from, ts.isQualifiedName(parent) ? parent.right.text : ALL);
      }
    }
    if ((ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) && node.moduleSpecifier) return;
    if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
      const { qualifier } = node;
      const first = qualifier && (ts.isIdentifier(qualifier) ? qualifier : qualifier.left);
      use(node.argument.literal.text, first && ts.isIdentifier(first) ? first.text : ALL);
      node.typeArguments?.forEach(visit);
      return;
    }
    // `import()`, `new Worker` and bundlers load files by strings, so all exports may be used.
    const names = namesLoaded(node);
    if (names) for (const name of names) use(node.text, name);
    else if (ts.isStringLiteralLike(node) && (isLoaded(node) || /\.m?[jt]s$/.test(node.text))) use(node.text, ALL);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return file;
}

/**
 * Returns the dead exports among files that are given as path → text, and dead declarations of assembly/.
 *
 * @param {ReadonlyMap<string, string>} texts
 * @param {readonly string[]} entries files whose exports all count as used
 */
function findDeadExports(texts, entries) {
  const resolve = (from, specifier) => {
    // A configuration names files relative to the root.
    if (!specifier.startsWith('.') && from.includes('/')) return undefined;
    const path = posix.join(dirname(from), specifier);
    return [path, `${path}.ts`, `${path}/index.ts`].find((name) => texts.has(name));
  };
  const files = new Map([...texts].map(([path, text]) => [path, readFile(path, text, resolve)]));
  const used = new Map([...files.keys()].map((path) => [path, new Set()]));

  const mark = (path, name) => {
    const file = files.get(path);
    if (!file || used.get(path).has(name)) return;
    used.get(path).add(name);
    if (name === ALL) for (const other of file.exports.keys()) mark(path, other);
    const found = file.exports.get(name);
    if (found?.from) mark(...found.from);
    if (!found) for (const star of file.stars) mark(star, name);
  };
  for (const entry of entries) mark(entry, ALL);
  for (const { uses } of files.values()) for (const [target, name] of uses) mark(target, name);

  const dead = [];
  for (const [path, { exports, locals, mentions }] of files) {
    // build/layout.ts is computed from all records.
    const isRecord = ({ isClass }) => isClass && path.startsWith('assembly/layout/');
    for (const [name, one] of exports)
      if (!used.get(path).has(name) && !isRecord(one)) {
        const isUnused = !one.from && mentions.get(name) === 1;
        dead.push({ path, line: one.line, name, what: isUnused ? 'nothing uses it' : 'nothing imports it' });
      }
    if (path.startsWith('assembly/'))
      for (const [name, line] of locals)
        if (mentions.get(name) === 1) dead.push({ path, line, name, what: 'nothing uses it' });
  }
  return dead;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const isSource = (path) => /(?<!\.d)\.(ts|mts|mjs)$/.test(path) && !/(^|\/)(node_modules|cache|dist)\//.test(path);
  const paths = FOLDERS.flatMap((folder) =>
    readdirSync(ROOT + folder, { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`)
  );
  const texts = new Map(
    [...paths.filter(isSource), ...CONFIGS].map((path) => [path, readFileSync(ROOT + path, 'utf8')])
  );
  const dead = findDeadExports(texts, ENTRIES);
  for (const { path, line, name, what } of dead) console.error(`${path}:${line}: ${name}: ${what}`);
  if (dead.length) process.exitCode = 1;
}
