// Runs the built command in a separate folder.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { decode, type DecodedPng } from 'fast-png';

const CLI = fileURLToPath(new URL('../../build/cli.js', import.meta.url));

/** The output of a run, and its exit code. */
interface Outcome {
  code: number | null;
  out: string;
  err: string;
}

/** A temporary folder in which the command runs. */
export class Workshop {
  readonly folder = mkdtempSync(join(tmpdir(), 'rasterloom-'));

  path(name: string): string {
    return join(this.folder, name);
  }

  write(name: string, contents: string | Uint8Array): void {
    writeFileSync(this.path(name), contents);
  }

  picture(name: string): DecodedPng {
    return decode(readFileSync(this.path(name)));
  }

  async run(...words: string[]): Promise<Outcome> {
    const { bytes, ...outcome } = await this.pipe('', ...words);
    return { ...outcome, out: bytes.toString() };
  }

  /** Runs it with data on standard input; `bytes` is its standard output. */
  pipe(input: string | Uint8Array, ...words: string[]): Promise<Omit<Outcome, 'out'> & { bytes: Buffer }> {
    return new Promise((done, failed) => {
      const child = spawn(process.execPath, [CLI, ...words], { cwd: this.folder });
      const pieces: Buffer[] = [];
      let err = '';
      child.stdout.on('data', (piece: Buffer) => pieces.push(piece));
      child.stderr.on('data', (text: Buffer) => {
        err += text.toString();
      });
      child.on('error', failed);
      child.on('close', (code) => done({ code, err, bytes: Buffer.concat(pieces) }));
      // A command that does not read its input may have ended before.
      child.stdin.on('error', () => undefined);
      child.stdin.end(input);
    });
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
