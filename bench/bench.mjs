// npm run bench [NAME [arguments]]
// Starts a benchmark of benchmarks.mjs by its name, in a process of its own, with the arguments and the environment
// variables of this one. Without a name, it starts the short form of all. `npm run bench list` shows all names, and
// `npm run bench help NAME` shows the comment at the top of a benchmark. npm reads arguments that begin with a dash
// itself, unless `--` precedes them. The exit code is that of the benchmark, or 2 for a name that does not exist.
//
// `--build`, which the script in package.json passes, builds the package before. To measure build/ as it is, run
// `node bench/bench.mjs NAME`.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { BENCHMARKS, durationText, GROUPS, markdownOf, NEEDS } from './benchmarks.mjs';

const args = process.argv.slice(2);
const builds = args[0] === '--build';
const [name = 'short', ...rest] = builds ? args.slice(1) : args;
const find = (wanted) => BENCHMARKS.find((benchmark) => benchmark.name === wanted);
const pathOf = ({ module }) => fileURLToPath(new URL(module, import.meta.url));

/** Markdown without links and code marks. */
const plain = (text) => text.replace(/\[([^\]]+)\]\([^)]*\)/g, '$1').replaceAll('`', '');

function lineOf({ name: own, what, against, minutes, needs = [] }) {
  const needed = needs.length ? `; needs ${needs.map((need) => NEEDS[need]).join(', ')}` : '';
  return `  ${own.padEnd(17)}${durationText(minutes).padStart(6)}  ${plain(what)}; against ${plain(against)}${needed}`;
}

const listing = () =>
  [
    'npm run bench                        a short form of everything, in one table',
    'npm run bench NAME [arguments]       one benchmark; write -- before arguments that begin with a dash',
    'npm run bench help NAME              its arguments and environment variables',
    'npm run bench against ../old/build   this build compared with another one',
    ...Object.entries(GROUPS).flatMap(([group, all]) => ['', group, ...all.map(lineOf)]),
  ].join('\n');

/** The first comment of a benchmark, which explains its arguments. */
function helpOf(benchmark) {
  const lines = readFileSync(pathOf(benchmark), 'utf8').split('\n');
  const end = lines.findIndex((line) => !line.startsWith('//'));
  const usage = ['npm run bench', benchmark.name, benchmark.takes].filter(Boolean).join(' ');
  const comment = lines.slice(0, end).map((line) => line.replace(/^\/\/ ?/, ''));
  return [usage, ...comment.filter((line) => !line.startsWith('npm run bench'))].join('\n');
}

/** Number of single letters that must be inserted, removed or replaced. */
function distance(a, b) {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++)
      next.push(Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1)));
    row = next;
  }
  return row[b.length];
}

/** Returns names that contain the wrong one or are contained in it, or else those with few other letters. */
function similar(wrong) {
  const names = BENCHMARKS.map((benchmark) => benchmark.name);
  const word = wrong.replace(/^bench:/, '');
  const containing = names.filter((each) => word && (each.includes(word) || word.includes(each)));
  const near = names.filter((each) => distance(each, word) <= Math.max(2, Math.floor(word.length / 3)));
  return [...new Set([...near, ...containing])].slice(0, 5);
}

function refuse(wrong) {
  const names = similar(wrong);
  const hint = names.length ? `; similar names: ${names.join(', ')}` : '';
  console.error(`No benchmark is named "${wrong}"${hint}. "npm run bench list" shows all names`);
  return 2;
}

function help([wanted]) {
  if (wanted === '--markdown') console.log(Object.keys(GROUPS).map(markdownOf).join('\n\n'));
  else if (wanted === undefined) console.log(listing());
  else if (!find(wanted)) return refuse(wanted);
  else console.log(helpOf(find(wanted)));
  return 0;
}

function run(benchmark) {
  const { first = [], flags = [] } = benchmark;
  if (builds) {
    const shell = process.platform === 'win32';
    const { status } = spawnSync('npm', ['run', '--silent', 'build'], { stdio: 'inherit', shell });
    if (status !== 0) return status ?? 1;
  }
  const { status } = spawnSync(process.execPath, [...flags, pathOf(benchmark), ...first, ...rest], {
    stdio: 'inherit',
  });
  return status ?? 1;
}

const asksForHelp = ['list', 'help', '--help', '-h'].includes(name);
const found = find(name);
process.exitCode = asksForHelp ? help(rest) : found ? run(found) : refuse(name);
