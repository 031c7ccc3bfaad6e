#!/usr/bin/env node
// Entry point of the command `rasterloom`.
import { readFileSync } from 'node:fs';
import { EXIT } from './errors';
import { isWarmWorker } from './parallel/channel';
import { run, type CommandLine } from './run';
import { standardOutput } from './standard-output';

/** Loaded only for commands that need it, because loading takes as long as Node's own start. */
const rasterloom = (): Promise<typeof import('../index')> => import('../index');

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

// If the reader has gone (`| head`), the process ends quietly; other output errors are reported.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE')
    process.stderr.write(`rasterloom: Standard output cannot be written: ${error.message}.\n`);
  process.exit(EXIT.output);
});

const environment: CommandLine = {
  createGPU: async (options) => (await rasterloom()).create(options),
  inspectShader: async (code, options) => (await rasterloom()).inspectShader(code, options),
  // Accessed only by commands that read it.
  get stdin() {
    return process.stdin;
  },
  sampleUrl: new URL('./sample.glb', import.meta.url),
  studioUrl: new URL('./studio.bin', import.meta.url),
  decoderUrl: new URL('./decoder.js', import.meta.url),
  cliUrl: new URL(import.meta.url),
  stdout: standardOutput(process.stdout),
  stderr: process.stderr,
  version,
};

// A pool of another process or thread has started this one, with a channel for messages.
if (isWarmWorker()) (await import('./commands')).serveTasks(environment);
else process.exitCode = await run(process.argv.slice(2), environment);
