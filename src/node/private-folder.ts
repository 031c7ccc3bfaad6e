// Folders whose files run as code in this process, such as compiled shaders. Whoever can write to such a folder, or
// replace it, can run code as this user, so only the user may be able to.
import { mkdirSync, realpathSync, statSync, type Stats } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { process } from './host';

/** Permission bits: the group or everyone may write; only owners may remove files from the folder. */
const WRITABLE_BY_OTHERS = 0o022;
const STICKY = 0o1000;
/** Only the user may read, write and enter the folder. */
const PRIVATE = 0o700;

/** What `userCacheFolder` depends on. */
interface UserPlace {
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
  home(): string;
}
const here: UserPlace = { platform: process.platform, env: process.env, home: homedir };

/** The folder for caches of this package in the user's home; null if there is no home. It may not exist yet. */
export function userCacheFolder({ platform, env, home }: UserPlace = here): string | null {
  const caches = cachesOf(platform, env, () => {
    try {
      return home();
    } catch {
      return '';
    }
  });
  return isAbsolute(caches) ? join(caches, 'rasterloom') : null;
}

function cachesOf(platform: NodeJS.Platform, env: UserPlace['env'], home: () => string): string {
  if (platform === 'win32') return env.LOCALAPPDATA ?? '';
  // Also on macOS, whose users may set it. The XDG specification ignores relative paths.
  if (env.XDG_CACHE_HOME !== undefined && isAbsolute(env.XDG_CACHE_HOME)) return env.XDG_CACHE_HOME;
  return join(home(), platform === 'darwin' ? 'Library/Caches' : '.cache');
}

/**
 * Creates a folder if it does not exist, and returns its path without symbolic links. Throws an Error if it is
 * unavailable, or if another user could change its files: if another user owns it or may write to it, or may replace
 * it or a folder above it. The message begins with the folder.
 */
export function privateFolder(path: string): string {
  // Nothing is created in a folder that is refused: with sudo, the user's home would get folders of root.
  let problem = folderProblem(path);
  if (problem === null) {
    make(path);
    problem = folderProblem(path);
  }
  if (problem !== null) throw new Error(problem);
  return realpathSync(path);
}

/**
 * Why `privateFolder` would refuse a folder, which may not exist yet; null if it would not. Creates nothing. Throws an
 * Error if a folder cannot be read.
 */
export function folderProblem(path: string): string | null {
  const uid = process.geteuid?.();
  // On Windows, folders of the user have access control lists that keep other users out.
  if (uid === undefined) return null;
  const existing = existingFolder(path);
  const isMissing = existing !== path;
  const folder = realpathSync(existing);
  const problem = isMissing ? null : problemOf(folder, 0, uid);
  if (problem !== null) return `${folder} ${problem}`;
  for (let above = isMissing ? folder : dirname(folder); ; above = dirname(above)) {
    // With the sticky bit, as in /tmp, others cannot remove what they do not own.
    const unsafe = problemOf(above, STICKY, uid);
    if (unsafe !== null) return `${isMissing ? path : folder} can be replaced, because ${above} ${unsafe}`;
    if (dirname(above) === above) return null;
  }
}

/** The folder, or the lowest one above it that exists. */
export function existingFolder(path: string): string {
  let existing = path;
  while (!statSync(existing, { throwIfNoEntry: false }) && dirname(existing) !== existing) existing = dirname(existing);
  return existing;
}

/** Creates a folder and those above it. `mkdirSync` with `recursive` never returns for paths in /proc (Node 20). */
function make(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return;
  if (dirname(path) !== path) make(dirname(path));
  try {
    mkdirSync(path, { mode: PRIVATE });
  } catch (error) {
    // Another process may have been faster.
    if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw error;
  }
}

/** Why other users can change a folder's entries; null if they cannot. Folders with the bits `protection` are safe. */
function problemOf(folder: string, protection: number, uid: number): string | null {
  const { mode, uid: owner } = statSync(folder);
  if (!isTrusted(owner, uid)) return `belongs to another user (${owner})`;
  if ((mode & WRITABLE_BY_OTHERS) === 0 || (mode & protection) !== 0) return null;
  return `can be written by other users (mode ${(mode & 0o7777).toString(8)}): run chmod go-w ${folder}`;
}

/** Whether only this user, or nobody, can have written an open file. */
export function isPrivateFile(stats: Pick<Stats, 'uid' | 'mode' | 'isFile'>): boolean {
  const own = process.geteuid?.();
  if (own === undefined) return stats.isFile();
  return stats.isFile() && isTrusted(stats.uid, own) && (stats.mode & WRITABLE_BY_OTHERS) === 0;
}

/** Root can change every file anyway. Images of containers often have files of root. */
const isTrusted = (owner: number, uid: number): boolean => owner === uid || owner === 0;
