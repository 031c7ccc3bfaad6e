// The published types, as users' compilers see them. They name no type of WebGPU and declare none, because both
// @webgpu/types and, from version 6 on, TypeScript's own DOM library declare them, and the two clash, and some programs
// have neither: the user's choice stands.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type * as TypeScript from 'typescript';
import { describe, expect, test } from 'vitest';

const FOLDER = fileURLToPath(new URL('../../build/testing/consumer/', import.meta.url));

/** How programs begin. */
const SNIPPET = `
import { create, globals } from 'rasterloom';

Object.assign(globalThis, globals); // GPUBufferUsage, GPUTextureUsage, GPUDevice …
const adapter = await create().requestAdapter();
if (!adapter) throw new Error('no adapter');
const device = await adapter.requestDevice();
`;
/** The same from CommonJS; the package's other entry is for its effect alone. */
const COMMON = `
import 'rasterloom/register';
import { create, globals, type CreateOptions } from 'rasterloom';
import { blendFunction, fromBlendState, kBuffer, type BlendMode, type KBuffer } from 'rasterloom/blends';
export const mode: BlendMode = 'multiply', text: string = blendFunction({ mode, operator: 'source-atop' });
// @ts-expect-error there is no such mode
blendFunction({ mode: 'divide' });
export const layers: KBuffer = kBuffer({ layers: 4, color: 'rgba16float' });
// @ts-expect-error there are 2 to 8
kBuffer({ layers: 9 });
export const state: string = fromBlendState({ color: { srcFactor: 'src-alpha' }, alpha: { operation: 'max' } });
const options: CreateOptions = { threads: 2, kernelUrl: 'kernels', extensions: ['statistics'] };
export const adapter = create(options).requestAdapter();
Object.assign(globalThis, globals);
`;
/** Where WebGPU is declared, the package's types are those. */
const DECLARED = `
import { create, globals } from 'rasterloom';
const adapter = await create().requestAdapter();
if (!adapter) throw new Error('no adapter');
const device: GPUDevice = await adapter.requestDevice();
const buffer: GPUBuffer = device.createBuffer({ size: 16, usage: 0x40 });
buffer.destroy();
if (!(device instanceof globals.GPUDevice)
  || globals.GPUBufferUsage.UNIFORM !== 0x40) throw new globals.GPUValidationError(
  'instanceof narrows, and classes construct');
// @ts-expect-error the package's types are the specification's: a size is a number
device.createBuffer({ size: 'many', usage: 0 });
// @ts-expect-error our own features are had by an import
void adapter.requestDevice({ requiredFeatures: ['statistics'] });
`;
/** Our own features, by their import. */
const EXTENDED = `
import type {} from 'rasterloom/extensions';
import { create, type StatisticsDevice } from 'rasterloom';
const adapter = await create({ extensions: true }).requestAdapter();
if (!adapter) throw new Error('no adapter');
const counting = await adapter.requestDevice({ requiredFeatures: ['statistics', 'depth-clip-control'] });
export const counted: number | undefined = counting.statistics().counters['passes'];
export const named: StatisticsDevice = counting;
const device: GPUDevice = await adapter.requestDevice({ requiredFeatures: ['multisample-storage-textures'] });
// @ts-expect-error it was not asked for
device.statistics();
// @ts-expect-error nor here
(await adapter.requestDevice()).statistics();
// @ts-expect-error there is no such feature
void adapter.requestDevice({ requiredFeatures: ['statistic'] });
const texture = device.createTexture({
  size: [4, 4], format: 'rgba8unorm', usage: 16, sampleCount: 4, overcommit: true, colorMergeThreshold: 0.1,
});
device.createBindGroupLayout({
  entries: [{ binding: 0, visibility: 2,
    storageTexture: { format: 'rgba8unorm', access: 'read-write', multisampled: true } }],
});
const pass = device.createCommandEncoder().beginRenderPass({
  colorAttachments: [], size: [4, 4], sampleCount: 4, invocationCounts: texture,
  shadingRates: {
    depth: { near: 0, far: 1, rates: ['1x1', '1x2', '2x2', '4x4'] }, region: { view: texture, blockSize: 16 }
  },
});
pass.setShadingRate('2x4', { depth: 'finest' });
// @ts-expect-error rates are seven
pass.setShadingRate('8x8');
pass.setProcessingOrder('pixel', 'independent');
pass.setProcessingOrder('primitive', 'received');
// @ts-expect-error orders are two
pass.setProcessingOrder('pixel', 'auto');
// @ts-expect-error types are three
pass.setProcessingOrder('fragment', 'received');
const tables = await adapter.requestDevice({ requiredFeatures: ['modular-pipelines', 'processing-order'] });
export const table = tables.createModularPipeline({
  layout: 'auto', input: {}, stages: [], sinks: [], processingOrder: { vertex: 'independent', pixel: 'auto' },
});
const traced = await adapter.requestDevice({ requiredFeatures: ['trace'] });
export const rows: number[] = traced.takeTrace().traceEvents.map(({ tid }) => tid);
export const threads: number | undefined = counting.statistics().shadingRates.rates['2x2'].threads;
`;

describe('build/index.d.cts, which index.d.ts exports', () => {
  test('declares no globals and brings none in', () => {
    expect(readFileSync(new URL('../../build/index.d.cts', import.meta.url), 'utf8')).not.toMatch(
      /declare global|<reference|^(declare )?(interface|var|const) GPU[A-Z]/m
    );
  });

  const ANYWHERE = ['snippet.mts', 'common.cts'];
  const TYPED = [...ANYWHERE, 'declared.mts'];
  const DOM = ['--lib', 'es2022,dom', '--types', 'node'];
  const WITHOUT = ['--lib', 'es2022', '--types', 'node'];
  const OWN = ['--types', 'node,@webgpu/types'];
  // Only what @webgpu/types needs of the DOM library, or shares with it, is left unchecked.
  const UNCHECKED = '--skipLibCheck';
  const SETUPS: [string, string, string[], string[]][] = [
    ['5.9', 'the DOM and @webgpu/types', [...DOM, ...OWN], TYPED],
    ['5.9', '@webgpu/types alone', [...WITHOUT, ...OWN, UNCHECKED], TYPED],
    ['5.9', 'the DOM, which has no WebGPU', DOM, ANYWHERE],
    ...['6', '7'].flatMap((version): typeof SETUPS => [
      [version, 'the DOM', DOM, TYPED],
      [version, '@webgpu/types alone', [...WITHOUT, ...OWN, UNCHECKED], TYPED],
      [version, 'the DOM and @webgpu/types', [...DOM, ...OWN, UNCHECKED], TYPED],
      [version, 'no declarations of WebGPU', WITHOUT, ANYWHERE],
    ]),
  ];
  const COMPILERS: Record<string, string> = { 5.9: 'typescript-5', 6: 'typescript', 7: 'typescript-7' };

  const require = createRequire(import.meta.url);
  const OPTIONS = ['--noEmit', '--strict', '--target', 'es2022', '--module', 'nodenext'];

  /** Parsed declarations by compiler, options that matter to the parser, and path: set-ups share most of them. */
  const parsed = new Map<string, TypeScript.SourceFile | undefined>();

  /** Compiles within this process. The compiler's own libraries are only checked where they meet other files. */
  function compileHere(ts: typeof TypeScript, words: readonly string[]): string {
    const { options, fileNames, errors } = ts.parseCommandLine(words);
    const host = ts.createCompilerHost(options);
    const read = host.getSourceFile.bind(host);
    host.getCurrentDirectory = () => FOLDER;
    host.getSourceFile = (path, language, ...rest) => {
      const { impliedNodeFormat = 0 } = language as TypeScript.CreateSourceFileOptions;
      const key = `${ts.version} ${options.moduleResolution} ${options.module} ${impliedNodeFormat} ${path}`;
      if (!parsed.has(key)) parsed.set(key, read(path, language, ...rest));
      return parsed.get(key);
    };
    const program = ts.createProgram(fileNames, options, host);
    const files = program.getSourceFiles().filter((file) => !program.isSourceFileDefaultLibrary(file));
    const found = [
      ...errors,
      ...program.getOptionsDiagnostics(),
      ...program.getGlobalDiagnostics(),
      ...files.flatMap((file) => [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)]),
    ];
    return ts.formatDiagnostics(found, host);
  }

  function compile(version: string, setup: readonly string[], files: readonly string[]): string {
    const programs = { snippet: SNIPPET, common: COMMON, declared: DECLARED, extended: EXTENDED };
    mkdirSync(FOLDER, { recursive: true });
    for (const [name, text] of Object.entries(programs))
      writeFileSync(`${FOLDER}${name}.${name === 'common' ? 'cts' : 'mts'}`, text);
    const options = [...OPTIONS, ...(version === '5.9' ? [] : ['--ignoreConfig']), ...setup];
    const compiler = COMPILERS[version]!;
    if (version !== '7')
      return compileHere(require(compiler) as typeof TypeScript, [...options, ...files.map((name) => FOLDER + name)]);
    // Version 7 has no such interface.
    const program = require.resolve(`${compiler}/package.json`).replace(/package\.json$/, 'bin/tsc');
    const { stdout, stderr } = spawnSync(process.execPath, [program, ...options, ...files], {
      encoding: 'utf8',
      cwd: FOLDER,
    });
    return stdout + stderr;
  }

  for (const [version, what, setup, files] of SETUPS)
    test(`TypeScript ${version} with ${what}`, () => {
      expect(SNIPPET).toContain('requestDevice()');
      expect(compile(version, setup, files)).toBe('');
    });

  // In a program of its own: it changes what all its files see.
  for (const [version, what, setup] of SETUPS.filter(([, what]) => /^(the DOM|@webgpu\/types alone)$/.test(what)))
    test(`our own features by an import, in TypeScript ${version} with ${what}`, () => {
      const bundler = what === 'the DOM' ? ['--module', 'esnext', '--moduleResolution', 'bundler'] : [];
      expect(compile(version, [...setup, ...bundler], ['extended.mts'])).toBe('');
    });
});
