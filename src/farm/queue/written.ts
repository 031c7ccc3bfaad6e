// What jobs have written.
import { createHash } from 'node:crypto';

export interface WrittenFile {
  /** Relative to the folder of outputs, or an address. */
  readonly name: string;
  readonly sha256: string;
  readonly bytes: number;
}

/** What a job has written. */
export interface Written {
  /** That of the file; of several files, that of their sorted hashes, joined by line breaks. */
  readonly sha256: string;
  readonly bytes: number;
  readonly files: readonly WrittenFile[];
}

export function writtenOf(files: readonly WrittenFile[]): Written {
  const hashes = files.map(({ sha256 }) => sha256).sort();
  return {
    sha256: hashes.length === 1 ? hashes[0] : createHash('sha256').update(hashes.join('\n')).digest('hex'),
    bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
    files,
  };
}
