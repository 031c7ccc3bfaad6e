// Checks and steps for a run of all benchmarks: the checkout must be without changes, the figures must have the same
// origin, and the results folder is replaced as a whole.
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, readFileSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Files of bench/results that come from separate runs and that a run of all benchmarks preserves. */
export const FILES_OF_OTHER_RUNS = ['conformance.json', 'farm-faults.json', 'farm-overhead.json'];

const git = (root, ...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();

/** Returns paths that differ from the commit, and untracked paths that are not ignored. */
export const uncommittedChanges = (root) =>
  git(root, 'status', '--porcelain', '--untracked-files=all')
    .split('\n')
    .filter(Boolean)
    .map((line) => line.slice(2).trim());
export const commitOf = (root) => git(root, 'rev-parse', 'HEAD');

/**
 * Returns the reason why the files of `folder` are not those of `names` from one run on one commit and machine, as a
 * sentence, or nothing if they are.
 */
export function mixedRunsReason(folder, names) {
  const files = readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .map((name) => name.slice(0, -'.json'.length));
  const unlike = [...names.filter((name) => !files.includes(name)), ...files.filter((name) => !names.includes(name))];
  if (unlike.length) return `the files of a run are ${names.join(', ')}, and these differ: ${unlike.join(', ')}`;
  const origins = names.map((name) =>
    JSON.stringify(JSON.parse(readFileSync(new URL(`${name}.json`, folder), 'utf8')).machine)
  );
  const other = origins.findIndex((origin) => origin !== origins[0]);
  return other < 0 ? undefined : `${names[other]}.json is of ${origins[other]}, and ${names[0]}.json of ${origins[0]}`;
}

/**
 * Replaces `folder` by `next` (a folder next to it, on the same disk), and preserves the folder's files of other runs.
 */
export function replaceFolder(folder, next) {
  const [to, from] = [folder, next].map((url) => fileURLToPath(url).replace(/\/$/, ''));
  const before = `${from}.before`;
  rmSync(before, { recursive: true, force: true });
  if (existsSync(from))
    for (const name of FILES_OF_OTHER_RUNS)
      if (existsSync(`${to}/${name}`)) copyFileSync(`${to}/${name}`, `${from}/${name}`);
  if (existsSync(to)) renameSync(to, before);
  try {
    renameSync(from, to);
  } catch (error) {
    if (existsSync(before)) renameSync(before, to);
    throw error;
  }
  rmSync(before, { recursive: true, force: true });
}
