#!/usr/bin/env node
// Entry point of the command `rasterloom`.
import { readFileSync } from 'node:fs';
import { BUILD_ID } from '../base/build-id';
import { CompiledFiles } from '../node/compiled-file';
import { EXIT } from './errors';
import { isWarmWorker, keepsCode } from './parallel/channel';
import { run, type CommandLine } from './run';
import { openCache } from './shader-cache';
import { standardOutput } from './standard-output';

/** Loads what does not only print a text. With the shader cache, its compiled code is kept there. */
async function loadCommands(usesCache: boolean): Promise<typeof import('./commands')> {
  const files = new CompiledFiles(BUILD_ID, usesCache ? await openCache() : null);
  const load = (name: string): object => files.load(new URL(name, import.meta.url));
  rasterloom = load('./index.cjs') as typeof import('../index');
  load('./models.cjs');
  return load('./commands.cjs') as typeof import('./commands');
}
let rasterloom!: typeof import('../index');

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
  createGPU: (options) => rasterloom.create(options),
  inspectShader: (code, options) => rasterloom.inspectShader(code, options),
  loadCommands,
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
if (isWarmWorker()) (await loadCommands(keepsCode())).serveTasks(environment);
else process.exitCode = await run(process.argv.slice(2), environment);
