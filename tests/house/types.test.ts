// The published types, as users' compilers see them. They name GPU and declare nothing, because both @webgpu/types and,
// from version 6 on, TypeScript's own DOM library declare WebGPU, and the two clash: the user's choice stands.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const FOLDER = fileURLToPath(new URL('../../build/testing/consumer/', import.meta.url));
const PROGRAM = `
import { create, globals } from '../../index.js';
Object.assign(globalThis, globals);
const adapter = await create().requestAdapter();
if (!adapter) throw new Error('no adapter');
const device: GPUDevice = await adapter.requestDevice();
const buffer: GPUBuffer = device.createBuffer({ size: 16, usage: 0x40 });
buffer.destroy();
if (!(device instanceof globals.GPUDevice) || globals.GPUBufferUsage.UNIFORM !== 0x40) throw new globals.GPUValidationError('instanceof narrows, and classes construct');
// @ts-expect-error the package's types are the specification's: a size is a number
device.createBuffer({ size: 'many', usage: 0 });
export {};
`;

describe('build/index.d.ts', () => {
  test('declares no globals and brings none in', () => {
    expect(readFileSync(new URL('../../build/index.d.ts', import.meta.url), 'utf8')).not.toMatch(
      /declare global|<reference|^(declare )?(interface|var|const) GPU[A-Z]/m
    );
  });

  const OWN = ['--types', '@webgpu/types'];
  const DOM = ['--lib', 'es2022,dom', '--skipDefaultLibCheck'];
  const NODE = ['--lib', 'es2022', '--skipLibCheck'];
  const SETUPS: [string, string, string, string[]][] = [
    ['5.9', 'typescript-5', 'the DOM and @webgpu/types', [...DOM, ...OWN]],
    ['5.9', 'typescript-5', '@webgpu/types alone', [...NODE, ...OWN]],
    ['6', 'typescript', 'the DOM', DOM],
    ['6', 'typescript', '@webgpu/types alone', [...NODE, ...OWN]],
    ['7', 'typescript-7', 'the DOM', DOM],
    ['7', 'typescript-7', '@webgpu/types alone', [...NODE, ...OWN]],
    ['7', 'typescript-7', 'the DOM and @webgpu/types', [...DOM, ...OWN, '--skipLibCheck']],
  ];
  for (const [version, name, what, setup] of SETUPS)
    test(`TypeScript ${version} with ${what}`, () => {
      mkdirSync(FOLDER, { recursive: true });
      writeFileSync(`${FOLDER}program.mts`, PROGRAM);
      const compiler = createRequire(import.meta.url).resolve(`${name}/package.json`)
        .replace(/package\.json$/, 'bin/tsc');
      const options = [
        '--noEmit', '--strict', '--target', 'es2022', '--module', 'nodenext',
        ...(version === '5.9' ? [] : ['--ignoreConfig']), ...setup,
      ];
      const { stdout, stderr } = spawnSync(process.execPath, [
        compiler, ...options, `${FOLDER}program.mts`,
      ], { encoding: 'utf8', cwd: FOLDER });
      expect(stdout + stderr).toBe('');
    });
});
