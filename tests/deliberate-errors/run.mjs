// npm run check:errors -- [--all] [--baseline] [name …]
// Measures which errors the tests find. Each patch in this folder is a small mistake. list.json describes it, and names
// the test files that are expected to find it and the test that found it first (`foundBy`). For each patch, or those
// whose names contain an argument: copies the checkout to a temporary folder, applies the patch, compiles the kernels
// that it changes, and runs the expected test files until a test fails. The exit code is 1 if an error is not found.
//
//   --all       runs the whole suite if the expected test files find nothing
//   --baseline  first runs all expected test files without a patch, which must pass
//
// RASTERLOOM_FUZZ and RASTERLOOM_SEED are passed on to the tests. Writes build/deliberate-errors.json.
import { spawn, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { clearTimeout, setTimeout } from 'node:timers';
import { fileURLToPath } from 'node:url';
import { progress, say } from '../../bench/support/progress.mjs';

const FOLDER = 'tests/deliberate-errors';
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const RESULTS = join(ROOT, 'build/deliberate-errors.json');
/** A run of the tests that takes longer has found an endless loop. */
const LIMIT_MINUTES = 20;
/** Kernels that are compiled for a patch in assembly/ unless list.json names others. */
const KERNELS = ['testing'];
/** Bundles that most tests of the package use. */
const BUNDLES = ['build/index.js', 'build/engine.js', 'build/worker.mjs'];
/** Tests of the repository, which are no tests of its behaviour. */
const HOUSE_TESTS = ['tests/house', 'tests/docs'];

let copy = '';
let running = null;

function cleanUp() {
  if (running?.exitCode === null) process.kill(-running.pid, 'SIGKILL');
  if (copy) rmSync(copy, { recursive: true, force: true });
  copy = '';
}
process.on('exit', cleanUp);
for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
])
  process.on(signal, () => process.exit(code));

/** Runs Node in the copy. The child leads a process group, so that all of its processes can be ended. */
function node(...args) {
  return new Promise((done, fail) => {
    const child = spawn(process.execPath, args, { cwd: copy, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    running = child;
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text));
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      process.kill(-child.pid, 'SIGKILL');
    }, LIMIT_MINUTES * 60_000);
    child.on('error', fail).on('close', (code) => {
      clearTimeout(timer);
      done({ code, output, isLate });
    });
  });
}

/** Tracked and new files of the checkout, without this folder. */
function sources() {
  const { stdout, status, stderr } = spawnSync('git', ['ls-files', '-zco', '--exclude-standard'], {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
  if (status !== 0) throw new Error(`git ls-files: ${stderr}`);
  return stdout.split('\0').filter((file) => file && !file.startsWith(`${FOLDER}/`) && existsSync(join(ROOT, file)));
}

/** Copies the checkout with its modification times, by which the build decides what to compile. */
function copyCheckout(files) {
  copy = mkdtempSync(join(tmpdir(), 'deliberate-error-'));
  for (const file of files) cpSync(join(ROOT, file), join(copy, file), { preserveTimestamps: true });
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  mkdirSync(join(copy, 'build'), { recursive: true });
  for (const entry of readdirSync(join(ROOT, 'build'), { withFileTypes: true })) {
    const [from, to] = [join(ROOT, 'build', entry.name), join(copy, 'build', entry.name)];
    if (entry.isFile()) cpSync(from, to, { preserveTimestamps: true });
    else if (entry.name === 'testing') cpSync(from, to, { preserveTimestamps: true, recursive: true });
    else symlinkSync(from, to);
  }
}

/** Returns whether the patch changes kernels. */
function applyPatch(patch) {
  const file = join(ROOT, FOLDER, `${patch}.patch`);
  const { status, stderr } = spawnSync('git', ['apply', '--recount', '-C1', file], {
    cwd: copy,
    encoding: 'utf8',
    env: { ...process.env, GIT_CEILING_DIRECTORIES: dirname(copy) },
  });
  if (status !== 0) throw new Error(`${patch} does not apply: ${stderr.trim()}`);
  return readFileSync(file, 'utf8').includes('+++ b/assembly/');
}

async function build(patch, ...args) {
  const { code, output } = await node(...args);
  if (code !== 0) throw new Error(`${patch} does not compile:\n${output}`);
}

/** Compiles only the given kernels: the others are removed from asconfig.json for a moment. */
async function buildKernels(patch, kernels) {
  const config = join(copy, 'asconfig.json');
  const text = readFileSync(config, 'utf8');
  const { targets, ...rest } = JSON.parse(text);
  const chosen = Object.entries(targets).filter(([name]) => name === 'inlines' || kernels.includes(name));
  writeFileSync(config, JSON.stringify({ ...rest, targets: Object.fromEntries(chosen) }));
  await build(patch, '--input-type=module', '-e', "await (await import('./kernels.mjs')).compileKernels()");
  writeFileSync(config, text);
}

/** Bundles the package in the copy without minifying it. */
async function bundlePackage(names) {
  const { rollup } = await import('rollup');
  const { parts } = await import(`${process.cwd()}/rollup.config.mjs`);
  for (const { output, plugins, ...input } of parts.filter((part) => names.includes(part.output.file))) {
    const bundle = await rollup({ ...input, plugins: plugins.filter(({ name }) => name !== 'small') });
    await bundle.write(output);
  }
}

/** The test that failed first, or null: in the order of the files. */
function firstFailure({ testResults }, files) {
  const place = ({ name }) => {
    const at = files.indexOf(relative(copy, name));
    return at < 0 ? files.length : at;
  };
  for (const result of [...testResults].sort((a, b) => place(a) - place(b))) {
    if (result.status !== 'failed') continue;
    const failed = result.assertionResults.find(({ status }) => status === 'failed');
    const [message] = String(failed?.failureMessages[0] ?? result.message).split('\n');
    return { file: relative(copy, result.name), test: failed?.fullName ?? '(the file fails)', message };
  }
  return null;
}

/** Runs tests until one fails. Returns that one, or null. */
async function runTests(files) {
  const report = join(copy, 'build/deliberate-error-report.json');
  rmSync(report, { force: true });
  const vitest = join(copy, 'node_modules/vitest/vitest.mjs');
  const run = ['run', '--bail', '1', '--reporter', 'json', '--outputFile', report];
  const { output, isLate } = await node(vitest, ...run, ...files);
  if (isLate) return { file: '', test: `the tests do not end in ${LIMIT_MINUTES} minutes` };
  if (!existsSync(report)) throw new Error(`vitest ended without a report:\n${output}`);
  const found = JSON.parse(readFileSync(report, 'utf8'));
  if (found.numTotalTests === 0 && found.success !== false) throw new Error(`no tests in ${files.join(', ')}`);
  return firstFailure(found, files);
}

async function findError({ patch, tests, kernels = KERNELS, usesPackage = false }, { files, all, step }) {
  copyCheckout(files);
  step('build');
  if (applyPatch(patch)) await buildKernels(patch, kernels);
  if (usesPackage)
    await build(
      patch,
      '--input-type=module',
      '-e',
      `${bundlePackage}; await bundlePackage(${JSON.stringify(BUNDLES)})`
    );
  step('tests');
  let found = await runTests(tests);
  if (!found && all) {
    step('build');
    await build(patch, 'node_modules/rollup/dist/bin/rollup', '-c', '--silent');
    step('all tests');
    for (const folder of HOUSE_TESTS)
      for (const file of readdirSync(join(copy, folder)))
        if (file.endsWith('.test.ts')) rmSync(join(copy, folder, file));
    found = await runTests([]);
  }
  cleanUp();
  return found;
}

const args = process.argv.slice(2);
const options = new Set(args.filter((arg) => arg.startsWith('--')));
const names = args.filter((arg) => !arg.startsWith('--'));
const unknown = [...options].filter((option) => option !== '--all' && option !== '--baseline');
if (unknown.length > 0) throw new Error(`unknown option ${unknown[0]}; there are --all and --baseline`);
const list = JSON.parse(readFileSync(join(ROOT, FOLDER, 'list.json'), 'utf8'));
const chosen = list.filter(({ patch }) => names.length === 0 || names.some((name) => patch.includes(name)));
if (chosen.length === 0) throw new Error(`no patch is named ${names.join(' or ')}`);
const files = sources();

if (options.has('--baseline')) {
  copyCheckout(files);
  progress(0, chosen.length, 'without a patch');
  const failure = await runTests([...new Set(chosen.flatMap(({ tests }) => tests))]);
  cleanUp();
  if (failure) throw new Error(`without a patch, a test fails: ${failure.file}: ${failure.test}: ${failure.message}`);
}

const results = [];
for (const [index, error] of chosen.entries()) {
  const { patch } = error;
  const step = (what) => progress(index, chosen.length, `${patch}: ${what}`);
  const began = performance.now();
  const found = await findError(error, { files, all: options.has('--all'), step });
  const seconds = Math.round((performance.now() - began) / 1000);
  results.push({ patch, found: found !== null, ...found, seconds });
  say(`${found ? 'found    ' : 'not found'} ${patch}, ${seconds} s${found ? `: ${found.file}: ${found.test}` : ''}`);
}
const missed = results.filter(({ found }) => !found).length;
say(`${results.length - missed} of ${results.length} errors found`);
const rounds = process.env.RASTERLOOM_FUZZ ?? null;
writeFileSync(RESULTS, `${JSON.stringify({ rounds, results }, null, 2)}\n`);
process.exitCode = missed > 0 ? 1 : 0;
