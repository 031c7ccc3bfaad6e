// assembly/ → build/*.wasm: the targets of asconfig.json. `node kernels.mjs` compiles them all; the build (rollup.config.mjs) those that
// are older than what they are made of. The kernels with SIMD carry the functions that the JIT takes into emitted modules in a custom
// section, so that a kernel and its mathematics cannot be parted; src/kernels/source.ts finds them there.
import { Buffer } from 'node:buffer';
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ENTRIES = { testing: 'testing', inlines: 'inlines' };
const SECTION = 'inlines';
const CARRIERS = ['kernel', 'unshared', 'testing'];

const writtenAt = (file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;

/** Unsigned LEB128. */
const leb = (value) => (value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...leb(value >>> 7)]);

/** The module's bytes with the section behind them. */
export function withInlines(module, inlines) {
  const name = [SECTION.length, ...Buffer.from(SECTION)];
  return Buffer.concat([module, Buffer.from([0, ...leb(name.length + inlines.length), ...name]), inlines]);
}

function asc(target, outFile) {
  const entry = `assembly/entry/${ENTRIES[target] ?? 'kernel'}.ts`;
  return new Promise((done, fail) => {
    spawn(process.execPath, ['node_modules/assemblyscript/bin/asc.js', entry, '--target', target, '--outFile', outFile], { stdio: 'inherit' })
      .on('error', fail)
      .on('exit', (code) => (code ? fail(new Error(`asc: target ${target} failed`)) : done()));
  });
}

/** Compiles targets side by side; those that are newer than assembly/ are kept, unless `all` are asked for. */
export async function compileKernels({ all = false } = {}) {
  mkdirSync('build', { recursive: true });
  const { targets } = JSON.parse(readFileSync('asconfig.json', 'utf8'));
  const sources = readdirSync('assembly', { recursive: true }).map((name) => `assembly/${name}`);
  const newest = Math.max(...['asconfig.json', 'kernels.mjs', ...sources].map(writtenAt));
  const outFile = (target) => targets[target].outFile;
  // A file appears under its name when it is whole: who reads build/ meanwhile finds the one before.
  const compile = async (target, finish) => {
    if (!all && writtenAt(outFile(target)) > newest) return;
    const part = `${outFile(target)}.${process.pid}`;
    try {
      await asc(target, part);
      await finish?.(part);
      renameSync(part, outFile(target));
    } finally {
      rmSync(part, { force: true });
    }
  };
  const inlines = compile('inlines');
  const carry = async (part) => {
    await inlines;
    writeFileSync(part, withInlines(readFileSync(part), readFileSync(outFile('inlines'))));
  };
  await Promise.all([inlines, ...Object.keys(targets).filter((target) => target !== 'inlines').map((target) => compile(target, CARRIERS.includes(target) ? carry : undefined))]);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await compileKernels({ all: true });
