// Inputs and outputs in folders of this machine.
import { randomBytes } from 'node:crypto';
import { constants, createReadStream, type Stats } from 'node:fs';
import { link, lstat, mkdir, open, realpath, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { openRegularFile } from '../../node/models/files';
import { existingFolder } from '../../node/private-folder';
import { BodyCheck, type BodyLimits } from './body-check';
import { EXISTS, type Subject } from './errors';
import { hashOf } from './input-cache';
import type { AllowedPlaces } from './rules';
import type { LocalInput } from './types';

/** Checks an input, and returns its path without symbolic links. @throws StorageError */
export async function readLocalInput(
  path: string,
  allowed: AllowedPlaces,
  subject: Subject,
  { signal, ...limits }: BodyLimits & { signal: AbortSignal }
): Promise<LocalInput> {
  const real = await realpath(path);
  if (allowed.folderOf(real) === undefined)
    throw subject.error('refused', 'is not in a folder that the option inputs of this worker allows');
  const file = await openRegularFile(real);
  try {
    if ((await file.stat()).isDirectory()) throw subject.error('address', 'is a folder');
    const check = new BodyCheck(subject, limits);
    check.resume();
    await pipeline(file.createReadStream({ autoClose: false, highWaterMark: 1 << 20 }), check, { signal });
    return { path: real, sha256: check.sha256, bytes: check.size, release: () => Promise.resolve() };
  } finally {
    await file.close();
  }
}

/** Where an output goes, once its folder is known to be an allowed one. */
async function outputPath(path: string, allowed: AllowedPlaces, subject: Subject): Promise<string> {
  const folder = dirname(path);
  const check = async (existing: string): Promise<string> => {
    const real = await realpath(existing);
    if (allowed.folderOf(real) === undefined)
      throw subject.error('refused', 'is not in a folder that the option outputs of this worker allows');
    return real;
  };
  // No folder is created where none is allowed.
  await check(existingFolder(folder));
  await mkdir(folder, { recursive: true });
  return join(await check(folder), basename(path));
}

/**
 * Writes an output under a temporary name in its folder, and then gives it its name.
 * @returns false if the file existed with the same bytes
 */
export async function putLocalOutput(
  file: string,
  path: string,
  { allowed, subject }: { allowed: AllowedPlaces; subject: Subject },
  { overwrite, signal, ...limits }: BodyLimits & { sha256: string; overwrite: boolean; signal: AbortSignal }
): Promise<boolean> {
  const target = await outputPath(path, allowed, subject);
  if (await hasSameBytes(target, limits)) return false;
  const part = join(dirname(target), `.rasterloom-${randomBytes(9).toString('base64url')}.part`);
  const written = await open(part, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL);
  try {
    const check = new BodyCheck(subject, limits);
    const write = async (pieces: AsyncIterable<Uint8Array>): Promise<void> => {
      for await (const piece of pieces) await written.writeFile(piece);
    };
    await pipeline(createReadStream(file), check, write, { signal });
    // The data is on the disk before the file gets its name.
    await written.sync();
    if (overwrite) await rename(part, target);
    else if (!(await linkNew(part, target))) {
      if (await hasSameBytes(target, limits)) return false;
      throw subject.error('conflict', EXISTS);
    }
    return true;
  } finally {
    await written.close();
    await rm(part, { force: true }).catch(() => undefined);
  }
}

/** Gives a file a second name unless that name exists. */
async function linkNew(part: string, target: string): Promise<boolean> {
  try {
    await link(part, target);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return false;
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'].includes(code ?? '')) throw error;
  }
  // The file system has no links. Two workers with the same job rename the same bytes.
  if (await lstatOf(target)) return false;
  await rename(part, target);
  return true;
}

async function hasSameBytes(path: string, { bytes, sha256 }: BodyLimits): Promise<boolean> {
  const found = await lstatOf(path);
  return found?.isFile() === true && found.size === bytes && (await hashOf(path)) === sha256;
}

const lstatOf = (path: string): Promise<Stats | undefined> => lstat(path).catch(() => undefined);
