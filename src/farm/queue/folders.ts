// Keeps paths in their folders. Names come from Redis, so neither `..` nor a symbolic link may lead out of a folder.
import { lstat, mkdir, realpath } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { quoted, thrown } from '../../base/printable';
import { QueueError } from './errors';

function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

/**
 * The path of an input. A relative name is in the folder, and an absolute one must be.
 * @throws QueueError with the code `input`
 */
export async function inputPath(folder: string, name: string): Promise<string> {
  const refused = (why: string): QueueError => new QueueError('input', `The input ${quoted(name)} ${why}`);
  const root = await realpath(folder);
  const path = resolve(root, name);
  let real: string;
  try {
    real = await realpath(path);
  } catch {
    throw refused(`does not exist in ${quoted(folder)}, the folder of inputs`);
  }
  if (!isInside(root, real)) throw refused(`is outside of ${quoted(folder)}, the folder of inputs`);
  // The name as it was given: files that a model refers to are beside that.
  return isInside(root, path) ? path : real;
}

/**
 * The path of an output, whose folders are created.
 * @param name without `..`, as checkOutputName ensures
 * @throws QueueError with the code `output`
 */
export async function outputPath(folder: string, name: string): Promise<string> {
  const path = join(resolve(folder), name);
  try {
    await mkdir(dirname(path), { recursive: true });
    const [root, parent] = await Promise.all([realpath(folder), realpath(dirname(path))]);
    if (!isInside(root, parent)) throw new Error('a symbolic link leads out of the folder of outputs');
    const found = await lstat(path).catch(() => undefined);
    if (found?.isDirectory()) throw new Error('it is a folder');
  } catch (error) {
    throw new QueueError('output', `The output ${quoted(name)} cannot be written: ${thrown(error)}`, { cause: error });
  }
  return path;
}
