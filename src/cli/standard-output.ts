// Standard output that is written completely, or reports an error.
import { fstatSync, writeSync } from 'node:fs';
import type { Terminal } from './progress';

/**
 * If standard output is a file, Node writes once and ignores the rest of a partial write. On a full disk, only the
 * first part of a picture would be written, without an error. This terminal writes the rest until the disk reports an
 * error.
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
    // The descriptor is closed; writing to it will report that.
    return false;
  }
}
