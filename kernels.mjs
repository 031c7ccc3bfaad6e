// Compiles assembly/ into build/*.wasm, by the targets of asconfig.json, and writes build/layout.ts with the field
// offsets of the records in assembly/layout/, as asc computes them.
//
//   node kernels.mjs         compiles everything
//   node kernels.mjs layout  writes the layout alone, which the type check needs
//
// The build (rollup.config.mjs) compiles only kernels whose sources have changed, comments and layout aside. The SIMD
// kernels carry the functions that the JIT inlines into emitted modules in a custom section, so that a kernel always
// matches its math functions. src/kernels/source.ts reads them from there.
import { Buffer } from 'node:buffer';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const ENTRIES = { testing: 'testing', inlines: 'inlines' };
const SECTION = 'inlines';
const CARRIERS = ['kernel', 'testing'];
const LAYOUT = 'assembly/layout';
const LAYOUT_OUT = 'build/layout.ts';
const LEXER_ENTRY = 'assembly/entry/lexer.ts';
const LEXER_OUT = 'build/lexer.ts';
const LEXER_SOURCES = [LEXER_ENTRY, 'assembly/text/lexer.ts'];

/** The source files of the records, relative to assembly/layout. */
const layoutFiles = () =>
  readdirSync(LAYOUT, { recursive: true })
    .filter((name) => name.endsWith('.ts'))
    .sort();

const writtenAt = (file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;

/** Unsigned LEB128. */
const leb = (value) => (value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...leb(value >>> 7)]);

/** Appends the custom section to a module. */
export function withInlines(module, inlines) {
  const name = [SECTION.length, ...Buffer.from(SECTION)];
  return Buffer.concat([module, Buffer.from([0, ...leb(name.length + inlines.length), ...name]), inlines]);
}

function asc(entry, ...options) {
  return new Promise((done, fail) => {
    spawn(process.execPath, ['node_modules/assemblyscript/bin/asc.js', entry, ...options], { stdio: 'inherit' })
      .on('error', fail)
      .on('exit', (code) => (code ? fail(new Error(`asc: ${entry} ${options.join(' ')} failed`)) : done()));
  });
}

const compileTarget = (target, outFile) =>
  asc(`assembly/entry/${ENTRIES[target] ?? 'kernel'}.ts`, '--target', target, '--outFile', outFile);

/**
 * Returns the @unmanaged classes of assembly/layout, each with its fields and with the accessors of the data after
 * them.
 */
function findRecords() {
  const records = new Map();
  for (const name of layoutFiles()) {
    const module = `${LAYOUT}/${name.slice(0, -3)}`;
    const source = ts.createSourceFile(name, readFileSync(`${LAYOUT}/${name}`, 'utf8'), ts.ScriptTarget.Latest);
    for (const {
      name: { text: record },
      members,
    } of source.statements.filter(ts.isClassDeclaration)) {
      const fields = members
        .filter(ts.isPropertyDeclaration)
        .map((field) => ({ name: field.name.text, type: field.type.getText(source) }));
      // Only accessors that return a location belong to the layout, not those that compute a value from fields.
      const reads = new RegExp(`\\bthis\\.(${fields.map((field) => field.name).join('|') || '-'})\\b`);
      const behind = members
        .filter(ts.isGetAccessorDeclaration)
        .filter(
          ({ type, body }) => /^(usize|[A-Z]\w*)$/.test(type.getText(source)) && !reads.test(body.getText(source))
        )
        .map((accessor) => accessor.name.text);
      // A record that ends with an array of variable length has no size.
      const sized = !behind.length || behind.includes('past');
      records.set(record, { module, fields, sized, behind: behind.filter((accessor) => accessor !== 'past') });
    }
  }
  return records;
}

/**
 * Lets asc compute every offset, and writes the offsets as objects named after the classes. src/ and the tests import
 * them.
 */
async function compileLayout(all) {
  const newest = Math.max(...['kernels.mjs', ...layoutFiles().map((name) => `${LAYOUT}/${name}`)].map(writtenAt));
  await compileLexer(newest, all);
  if (!all && writtenAt(LAYOUT_OUT) > newest) return;
  const records = findRecords();
  const entry = `build/layout.${process.pid}.entry.ts`;
  const wasm = `build/layout.${process.pid}.wasm`;
  const lines = [...records].flatMap(([record, { module, fields, behind, sized }]) => [
    `import { ${record} } from '../${module}';`,
    ...fields.map(({ name }) => `export const ${record}$${name}: usize = offsetof<${record}>('${name}');`),
    ...behind.map(
      (name) =>
        `export function ${record}$${name}(): usize { return changetype<usize>(changetype<${record}>(0).${name}); }`
    ),
    ...(sized ? [`export function ${record}$$bytes(): usize { return sizeOf<${record}>(); }`] : []),
  ]);
  lines.push(`import { sizeOf } from '../${LAYOUT}/record';`);
  try {
    writeFileSync(entry, `${lines.join('\n')}\n`);
    await asc(entry, '--runtime', 'stub', '--enable', 'simd', '--disableWarning', '201', '--outFile', wasm);
    const env = { memory: new WebAssembly.Memory({ initial: 1, maximum: 65536 }), abort() {} };
    const { exports } = (await WebAssembly.instantiate(readFileSync(wasm), { env })).instance;
    writeFileSync(
      `${LAYOUT_OUT}.${process.pid}`,
      printRecords(records, (name) => exports[name].value ?? exports[name]())
    );
    renameSync(`${LAYOUT_OUT}.${process.pid}`, LAYOUT_OUT);
  } finally {
    rmSync(entry, { force: true });
    rmSync(wasm, { force: true });
  }
}

/**
 * Embeds the lexer module in a source file as text. It has a few kilobytes, so a page may compile it synchronously, and
 * nothing is fetched. `newest`: modification time of its records.
 */
async function compileLexer(newest, all) {
  if (!all && writtenAt(LEXER_OUT) > Math.max(newest, ...LEXER_SOURCES.map(writtenAt))) return;
  const wasm = `build/lexer.${process.pid}.wasm`;
  try {
    await asc(LEXER_ENTRY, '--outFile', wasm);
    const text = readFileSync(wasm).toString('base64');
    writeFileSync(
      `${LEXER_OUT}.${process.pid}`,
      `// Written by kernels.mjs: ${LEXER_ENTRY}, compiled.\nexport const LEXER = '${text}';\n`
    );
    renameSync(`${LEXER_OUT}.${process.pid}`, LEXER_OUT);
  } finally {
    rmSync(wasm, { force: true });
  }
}

function printRecords(records, valueOf) {
  const objects = [...records].map(([record, { fields, behind, sized }]) => {
    const members = [
      ...fields.map(({ name, type }) => `  ${name}: ${valueOf(`${record}$${name}`)} as Field<'${type}'>,`),
      ...behind.map((name) => `  ${name}: ${valueOf(`${record}$${name}`)},`),
      ...(sized ? [`  bytes: ${valueOf(`${record}$$bytes`)},`] : []),
    ];
    return `export const ${record} = {\n${members.join('\n')}\n} as const;\n`;
  });
  return `// Written by kernels.mjs from the records of ${LAYOUT}/: offsets of their fields, in bytes, and \`bytes\` of a record.

/** The offset of a field of that type of asc's; a record's name stands for its address. */
export type Field<Type extends string> = number & { readonly type?: Type };

${objects.join('\n')}`;
}

/** A hash of the tokens of all kernel sources, so comments and layout do not count. */
function hashSources(sources) {
  const hash = createHash('sha256');
  for (const file of sources.filter((name) => name.endsWith('.ts')).sort()) {
    const scanner = ts.createScanner(
      ts.ScriptTarget.Latest,
      true,
      ts.LanguageVariant.Standard,
      readFileSync(file, 'utf8')
    );
    hash.update(`\n${file}\n`);
    while (scanner.scan() !== ts.SyntaxKind.EndOfFileToken) hash.update(`${scanner.getTokenText()} `);
  }
  return hash.digest('hex');
}

/**
 * Compiles targets in parallel. Skips those that are newer than assembly/, or that were compiled from the same tokens,
 * unless `all` is set.
 */
export async function compileKernels({ all = false, layout = false } = {}) {
  mkdirSync('build', { recursive: true });
  const offsets = compileLayout(all || layout);
  if (layout) return offsets;
  const { targets, options } = JSON.parse(readFileSync('asconfig.json', 'utf8'));
  const sources = readdirSync('assembly', { recursive: true }).map((name) => `assembly/${name}`);
  const compilers = ['assemblyscript', 'binaryen'].map((name) => `node_modules/${name}/package.json`);
  const newest = Math.max(...['asconfig.json', 'kernels.mjs', ...compilers, ...sources].map(writtenAt));
  const outFile = (target) => targets[target].outFile;
  const versions = compilers.map((file) => (existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).version : ''));
  const script = readFileSync('kernels.mjs', 'utf8');
  let tokens;
  const hashOf = (target) => {
    tokens ??= hashSources(sources);
    return createHash('sha256')
      .update(JSON.stringify([tokens, script, versions, options, targets[target]]))
      .digest('hex');
  };
  // A file gets its final name when it is complete, so concurrent readers of build/ see the previous file until then.
  const compile = async (target, finish) => {
    const to = outFile(target);
    if (!all && writtenAt(to) > newest) return;
    const hash = hashOf(target);
    const hashFile = `${to}.hash`;
    if (!all && writtenAt(to) > 0 && existsSync(hashFile) && readFileSync(hashFile, 'utf8') === hash) {
      const now = new Date();
      utimesSync(to, now, now);
      return;
    }
    const part = `${to}.${process.pid}`;
    try {
      await compileTarget(target, part);
      await finish?.(part);
      rmSync(hashFile, { force: true });
      renameSync(part, to);
      writeFileSync(hashFile, hash);
    } finally {
      rmSync(part, { force: true });
    }
  };
  const inlines = compile('inlines');
  const carry = async (part) => {
    await inlines;
    writeFileSync(part, withInlines(readFileSync(part), readFileSync(outFile('inlines'))));
  };
  const others = Object.keys(targets).filter((target) => target !== 'inlines');
  const compiled = others.map((target) => compile(target, CARRIERS.includes(target) ? carry : undefined));
  await Promise.all([offsets, inlines, ...compiled]);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const layout = process.argv[2] === 'layout';
  await compileKernels({ all: !layout, layout });
}
