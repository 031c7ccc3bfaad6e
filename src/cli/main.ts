#!/usr/bin/env node
// The program `rasterloom`.
import { readFileSync } from 'node:fs';
import { create } from '../index';
import { run } from './run';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string };

process.exitCode = await run(process.argv.slice(2), {
  createGPU: () => create(),
  sampleUrl: new URL('./sample.glb', import.meta.url),
  stdout: process.stdout,
  stderr: process.stderr,
  version,
});
