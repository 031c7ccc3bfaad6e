// Standard output as the command writes to it: all of it, or an error.
import { fstatSync, writeSync } from 'node:fs';
import type { Terminal } from './progress';

/**
 * Where the stream is a file, Node writes once and takes no notice of what has found no room: of a picture for a disk
 * that is full the first part would be there, and the command would not know. Here the rest is written, too, until the
 * disk says why it cannot be.
 */
export function standardOutput(stream: NodeJS.WriteStream & { readonly fd: number }): Terminal {
  if (!isFile(stream.fd)) return stream;
  return {
    write: (text, written) => {
      const bytes = typeof text === 'string' ? Buffer.from(text) : text;
      try {
        for (let done = 0; done < bytes.length;) done += writeSync(stream.fd, bytes, done);
      } catch (error) {
        if (written) written(error as Error);
        else stream.emit('error', error);
        return;
      }
      written?.();
    },
  };
}

function isFile(descriptor: number): boolean {
  try {
    return fstatSync(descriptor).isFile();
  } catch {
    // It is closed, which writing to it will say.
    return false;
  }
}
