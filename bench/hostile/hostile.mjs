// npm run bench hostile [word …]
// Runs hostile inputs (hostile/) through the API and the command line, each in a separate process. Each must end with a
// picture or with one of Rasterloom's own errors, within 2 s and 512 MB (models within 5 s and 1 GB). The command must
// end with a documented exit code. Words select the cases whose names contain any of them. Nothing else may run on the
// machine in the meantime; this takes about six minutes.
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { models, shaders } from './inputs.mjs';
import { keep } from '../support/machine.mjs';

const path = (url) => fileURLToPath(new URL(url, import.meta.url));
const CLI = path('../../build/cli.js');
const PROGRAMS = path('./programs.mjs');
const USAGE = path('./usage.mjs');
const BLOCKING = { ms: 10_000, mib: 512 };
const SHADER = { ms: 2000, mib: 512 };
const MODEL = { ms: 5000, mib: 1024 };
/** Multiple of its time limit after which a process counts as hung and is killed. */
const PATIENCE = 20;
const NOT_OURS = new RegExp(
  [
    'should not have happened',
    'report it',
    'internal error',
    'Cannot read',
    'is not a function',
    'is not iterable',
    'call stack',
    'unreachable',
    '\n +at ',
  ].join('|')
);
const words = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'rasterloom-'));

/** Runs a process to its end. Returns its output and the time and memory that it took. */
function run(command, limit) {
  const began = performance.now();
  const child = spawn(command[0], command.slice(1), {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    timeout: limit.ms * PATIENCE,
    killSignal: 'SIGKILL',
  });
  const texts = ['', '', '', ''];
  for (const at of [1, 2, 3])
    child.stdio[at].setEncoding('utf8').on('data', (text) => {
      texts[at] += text;
    });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      const [, stdout, stderr, usage] = texts;
      resolve({ code, stdout, stderr, ms: performance.now() - began, ...(usage ? JSON.parse(usage) : {}) });
    });
  });
}

const node = (...rest) => [process.execPath, '--import', USAGE, ...rest];

/**
 * Adds a case: its name, limits and command. `codes` are the accepted exit codes, `wanted` matches the expected output.
 */
const cases = [];
const add = (name, limit, command, { codes = [0], wanted = /./, prepare = () => undefined } = {}) => {
  if (words.length === 0 || words.some((word) => name.includes(word)))
    cases.push({ name, limit, command, codes, wanted, prepare });
};

for (const [name, code] of Object.entries(shaders)) {
  const file = join(folder, 'shader.wgsl');
  const prepare = () => writeFileSync(file, code);
  add(`${name}: API`, SHADER, node(PROGRAMS, 'shader', file), { prepare, wanted: /^(picture|GPU\w+Error|lost)/ });
  add(`${name}: command`, SHADER, node(CLI, 'shader', file), { prepare, codes: [0, 1] });
}
for (const [name, make] of Object.entries(models)) {
  const prepare = () => {
    const [json, files = {}, text = JSON.stringify(json)] = make();
    writeFileSync(join(folder, 'model.gltf'), text);
    for (const [file, bytes] of Object.entries(files)) writeFileSync(join(folder, file), bytes);
  };
  add(`model: ${name}`, MODEL, node(CLI, 'render', 'model.gltf', '-s', '64x64'), { prepare, codes: [0, 1] });
}
add('a texture of 2³² bytes', SHADER, node(PROGRAMS, 'texture'), { wanted: /^GPUOutOfMemoryError/ });
add('a buffer of 2⁵³ bytes', SHADER, node(PROGRAMS, 'buffer'), { wanted: /^GPU(OutOfMemory|Validation)Error/ });
add('an indirect draw of (2³²−1)²', SHADER, node(PROGRAMS, 'indirect'), { wanted: /^lost: draw 0/ });
add('a dispatch of 65535³ workgroups', SHADER, node(PROGRAMS, 'dispatch'), { wanted: /^lost: dispatch 0/ });
add('a dispatch of 65535²·2 workgroups without effects', SHADER, node(PROGRAMS, 'empty'), { wanted: /^done/ });
add('an endless workgroup: the event loop', BLOCKING, node(PROGRAMS, 'blocked'), {
  wanted: /^free: .*lost: the shader/,
});
add('too many workgroups: the event loop', BLOCKING, node(PROGRAMS, 'crowded'), {
  wanted: /^free: .*lost: dispatch 0/,
});
add('timeoutMs of 2³²', SHADER, node(PROGRAMS, 'timeout'), { wanted: /^RangeError.*timeoutMs/ });
add('requiredLimits: { toString }', SHADER, node(PROGRAMS, 'limits'), {
  wanted: /requiredLimits: .toString. is no limit/,
});
add('holes in arrays', SHADER, node(PROGRAMS, 'holes'), { wanted: /^TypeError/ });
add('a process that is stopped for 3 s', { ms: 8000, mib: 512 }, node(PROGRAMS, 'stopped'), { wanted: /^picture 255/ });
const sample = ['render', '--sample', '-s', '8x8', '-o', 'none.png'];
add('500 devices dropped', { ms: 300_000, mib: 512 }, node(PROGRAMS, 'dropped'), { wanted: /^at most/ });
add('node --jitless', MODEL, node('--jitless', CLI, ...sample), { codes: [1], wanted: /has no WebAssembly/ });
add('ulimit -v', MODEL, ['/bin/sh', '-c', 'ulimit -v 6000000; exec "$0" "$@"', ...node(CLI, ...sample)], {
  codes: [1],
  wanted: /WebAssembly.Memory/,
});
add('a FIFO beside the model', MODEL, node(CLI, 'render', 'model.gltf', '-s', '8x8'), {
  codes: [1],
  wanted: /no regular file/,
  prepare: () => {
    const [json] = models['one file, six hundred accessors']();
    writeFileSync(join(folder, 'model.gltf'), JSON.stringify(json));
    rmSync(join(folder, 'a.bin'), { force: true });
    execFileSync('mkfifo', [join(folder, 'a.bin')]);
  },
});
add('escape sequences in the words', MODEL, node(CLI, 'render', '\x1b]52;c;eHh4\x07.glb', '--size', '\x1b[2J'), {
  codes: [1],
});
add('a word of 100 kB', MODEL, node(CLI, 'render', `--${'a'.repeat(100_000)}`), { codes: [1] });

/** Maximum output of a process in characters. Errors must fit a few screens. */
const MAX_OUTPUT_CHARACTERS = 100_000;

function mistakesOf({ limit, codes, wanted }, { code, stdout, stderr, ms, mib }) {
  const said = stdout + stderr;
  const found = [];
  if (code === null) found.push('does not end');
  else if (!codes.includes(code)) found.push(`exit code ${code}`);
  if (ms > limit.ms) found.push(`more than ${limit.ms} ms`);
  if (!(mib < limit.mib)) found.push(mib ? `more than ${limit.mib} MiB` : 'no figures');
  if (NOT_OURS.test(said)) found.push('not our error');
  if (/[\x00-\x08\x0b-\x1f\x7f]/.test(said)) found.push('controls');
  if (said.length > MAX_OUTPUT_CHARACTERS) found.push(`${said.length} characters`);
  if (code !== null && !wanted.test(said)) found.push('not what it must say');
  return found;
}

const results = {};
let failed = 0;
for (const each of cases) {
  each.prepare();
  const ended = await run(each.command, each.limit);
  const mistakes = mistakesOf(each, ended);
  const said = (ended.stdout + ended.stderr)
    .replace(/[^ -~²-￯]+/g, ' ')
    .trim()
    .slice(0, 160);
  const taken = { ms: Math.round(ended.ms), cpuMs: Math.round(ended.cpuMs), mib: Math.round(ended.mib) };
  results[each.name] = { ...taken, code: ended.code, said, ...(mistakes.length > 0 ? { mistakes } : {}) };
  if (mistakes.length > 0) failed++;
  const figures =
    `${String(taken.ms).padStart(6)} ms ${String(taken.cpuMs).padStart(6)} `
    + `ms CPU ${String(taken.mib).padStart(5)} MiB`;
  const wrong = mistakes.length > 0 ? `${mistakes.join(', ')}: ` : '';
  console.log(`${wrong === '' ? '✓' : '✗'} ${each.name.padEnd(52)} ${figures}  ${wrong}${said}`);
}
rmSync(folder, { recursive: true, force: true });
console.log(`\n${failed} of ${cases.length} fail`);
if (words.length === 0) keep('hostile', { limits: { shaders: SHADER, models: MODEL }, failed, results });
process.exitCode = failed === 0 ? 0 : 1;
