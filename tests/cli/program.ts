// Runs the built program in a folder of its own.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { decode, type DecodedPng } from 'fast-png';

const CLI = fileURLToPath(new URL('../../build/cli.js', import.meta.url));

/** What a run printed, and its exit code. */
export interface Outcome {
  code: number | null;
  out: string;
  err: string;
}

/** A temporary folder in which the program runs. */
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

  run(...words: string[]): Promise<Outcome> {
    return new Promise((done, failed) => {
      const child = spawn(process.execPath, [CLI, ...words], { cwd: this.folder });
      const outcome: Outcome = { code: null, out: '', err: '' };
      child.stdout.on('data', (text: Buffer) => { outcome.out += text.toString(); });
      child.stderr.on('data', (text: Buffer) => { outcome.err += text.toString(); });
      child.on('error', failed);
      child.on('close', (code) => done({ ...outcome, code }));
    });
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
