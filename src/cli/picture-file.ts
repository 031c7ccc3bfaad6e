// The picture on the disk: written beside its place and moved there, so that it is whole or not there at all; or on
// standard output.
import { rmSync } from 'node:fs';
import { open, rename, rm, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { CommandError } from './errors';
import { encodePng } from './png';
import type { Terminal } from './progress';

/** Refuses an output that cannot be written, before any work is done for it. */
export async function checkOutput(path: string, stdout: Terminal): Promise<void> {
  if (path === '-') {
    if (stdout.isTTY)
      throw new CommandError('A picture is nothing for a terminal: send it on, as in rasterloom render model.glb -o - > model.png');
    return;
  }
  const folder = dirname(resolve(path));
  const found = await stat(folder).catch(() => undefined);
  if (!found) throw new CommandError(`The folder ${JSON.stringify(folder)} for the picture does not exist.`);
  if (!found.isDirectory()) throw new CommandError(`${JSON.stringify(folder)} is not a folder.`);
  if ((await stat(path).catch(() => undefined))?.isDirectory())
    throw new CommandError(`${JSON.stringify(path)} is a folder, not a picture.`);
}

/** Encodes RGBA pixels as PNG; without an alpha channel when every pixel is opaque. */
export function encodePicture(pixels: Uint8Array, width: number, height: number): Uint8Array {
  let opaque = true;
  for (let i = 3; i < pixels.length && opaque; i += 4) opaque = pixels[i] === 255;
  if (!opaque) return encodePng(pixels, width, height, 4);
  const rgb = new Uint8Array(width * height * 3);
  for (let i = 0, o = 0; o < rgb.length; i += 4, o += 3) {
    rgb[o] = pixels[i];
    rgb[o + 1] = pixels[i + 1];
    rgb[o + 2] = pixels[i + 2];
  }
  return encodePng(rgb, width, height, 3);
}

/** Writes the picture to a file, or for `-` to standard output. */
export async function writePicture(path: string, bytes: Uint8Array, stdout: Terminal): Promise<void> {
  if (path !== '-') return writeWhole(path, bytes);
  await new Promise<void>((done, failed) => {
    stdout.write(bytes, (error) => (error
      ? failed(new CommandError(`Standard output cannot be written: ${error.message}.`, { cause: error }))
      : done()));
  });
}

const INTERRUPTIONS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Writes a file whole or not at all, also when the process is interrupted. */
export async function writeWhole(path: string, bytes: Uint8Array): Promise<void> {
  const temporary = `${path}.${process.pid}.part`;
  const interrupted = (signal: NodeJS.Signals): void => {
    rmSync(temporary, { force: true });
    // Nobody listens any more: the process ends as it would have.
    process.kill(process.pid, signal);
  };
  for (const signal of INTERRUPTIONS) process.once(signal, interrupted);
  try {
    const file = await open(temporary, 'wx');
    try {
      await file.writeFile(bytes);
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw new CommandError(
      `The picture ${JSON.stringify(path)} cannot be written: ${(error as Error).message}.`, { cause: error }
    );
  } finally {
    for (const signal of INTERRUPTIONS) process.off(signal, interrupted);
  }
}
