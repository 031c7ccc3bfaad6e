#!/usr/bin/env node
// The program `rasterloom`.
import { readFileSync } from 'node:fs';
import { run } from './run';
import { standardOutput } from './standard-output';

/** Loaded for the words that need it: that takes as long as Node itself takes to start. */
const rasterloom = (): Promise<typeof import('../index')> => import('../index');

const { version } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8')
) as { version: string };

// A reader that has gone (`| head`) ends the program quietly; output that cannot be written is a failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE')
    process.stderr.write(`rasterloom: Standard output cannot be written: ${error.message}.\n`);
  process.exit(1);
});

process.exitCode = await run(process.argv.slice(2), {
  createGPU: async (options) => (await rasterloom()).create(options),
  inspectShader: async (code, options) => (await rasterloom()).inspectShader(code, options),
  // Opened only by the command that reads it.
  get stdin() { return process.stdin; },
  sampleUrl: new URL('./sample.glb', import.meta.url),
  studioUrl: new URL('./studio.bin', import.meta.url),
  decoderUrl: new URL('./decoder.js', import.meta.url),
  stdout: standardOutput(process.stdout),
  stderr: process.stderr,
  version,
});
