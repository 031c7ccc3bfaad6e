// The shader cache of the command, in the user's folder for caches, and `rasterloom cache`.
import { accessSync, constants, existsSync, statSync, unlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DEFAULT_CACHE_BYTES } from '../base/cache-limit';
import { plain, quoted } from '../base/printable';
import { messageOf } from '../gltf/errors';
import { reason } from '../node/models/files';
import { existingFolder, folderProblem, userCacheFolder } from '../node/private-folder';
import { cacheFiles, shaderFiles, type CacheFile, type RecordStore } from '../node/shader-files';
import { InputError, OutputError } from './errors';
import { formatBytes, number } from './format-figures';
import type { CacheCommand } from './options/cache-options';
import { writeTextTo, type Terminal } from './progress';

/** The members of `--json`. */
interface CacheReport {
  /** Null without a home. */
  folder: string | null;
  /** Why commands do without the cache; null if they use it. */
  problem: string | null;
  /** What is in the folder, or with `clear`, what was removed. */
  files: number;
  bytes: number;
}

interface Place {
  readonly folder: string | null;
  readonly problem: string | null;
}

/** Where the cache is, and whether it can be used. Creates nothing. */
function place(): Place {
  const caches = userCacheFolder();
  if (caches === null) return { folder: null, problem: 'the user has no home folder' };
  const folder = join(caches, 'shaders');
  return { folder, problem: problemOf(folder, dirname(dirname(caches))) };
}

function problemOf(folder: string, home: string): string | null {
  try {
    // Users of services have homes that shall not exist.
    if (!existsSync(home)) return `${home} does not exist`;
    const problem = folderProblem(folder);
    if (problem !== null) return problem;
    const existing = existingFolder(folder);
    if (!statSync(existing).isDirectory()) return `${existing} is not a folder`;
    accessSync(existing, constants.W_OK | constants.X_OK);
    return null;
  } catch (error) {
    return `it cannot be read and written: ${messageOf(error)}`;
  }
}

/** The folder for `create({ shaderCache })`; null if the command does without one. */
export function usableShaderCache(): string | null {
  const { folder, problem } = place();
  return problem === null ? folder : null;
}

/** Opens the cache for records of the command itself; null if the command does without one. */
export async function openCache(): Promise<RecordStore | null> {
  const folder = usableShaderCache();
  return folder === null ? null : shaderFiles(folder, DEFAULT_CACHE_BYTES)();
}

/** Prints what the cache holds, or removes it. @throws CommandError */
export function cacheCommand({ isClear, json }: CacheCommand, { stdout }: { stdout: Terminal }): void {
  const { folder, problem } = place();
  const files = folder === null ? [] : filesIn(folder);
  if (isClear) for (const file of files) remove(file);
  const report: CacheReport = {
    folder,
    problem,
    files: files.length,
    bytes: files.reduce((sum, { size }) => sum + size, 0),
  };
  writeTextTo(stdout)(json ? `${JSON.stringify(report, null, 2)}\n` : describe(report, isClear));
}

/** @throws InputError */
function filesIn(folder: string): CacheFile[] {
  try {
    return cacheFiles(folder);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return [];
    throw new InputError(`The shader cache ${quoted(folder)} ${reason(error)}.`, { cause: error });
  }
}

/** @throws OutputError */
function remove({ path }: CacheFile): void {
  try {
    unlinkSync(path);
  } catch (error) {
    // Another process may have dropped it.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    const message = `The file ${quoted(path)} of the shader cache cannot be removed: ${messageOf(error)}.`;
    throw new OutputError(message, { cause: error });
  }
}

function describe({ folder, problem, files, bytes }: CacheReport, isClear: boolean): string {
  const unused = problem === null ? '' : `The shader cache is not used, because ${plain(problem, 400)}.\n`;
  if (folder === null) return unused;
  const count = `${number(files)} file${files === 1 ? '' : 's'}, ${formatBytes(bytes)}`;
  return `${plain(folder, 400)}: ${isClear ? 'removed ' : ''}${count}\n${unused}`;
}
