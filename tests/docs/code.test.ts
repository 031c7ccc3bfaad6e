// The code blocks of the README and the site: shaders compile, programs have the right types, and programs that draw
// a picture are run.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { beforeAll, describe, expect, test } from 'vitest';
import { makeRobot } from '../../examples/options/models.mjs';
import { checkModule, parseModule } from '../../src/wgsl';
import { simpleMath } from '../wgsl/simple-math';
import { codeBlocks, ROOT, userPages, type CodeBlock } from './kit';

/** Where `.ci/run` installs engines. */
const ENGINES = 'build/engines/node_modules/';
const FOLDER = fileURLToPath(new URL('build/testing/docs/', ROOT));
const FEATURES = new Set(['multisample-storage-textures', 'modular-pipelines', 'shading-rate', 'fragment-stages']);
const blocks = userPages().flatMap(codeBlocks);
const nameOf = ({ file, line }: CodeBlock): string => `${file}:${line}`;

/** What blocks may use without declaring it: the objects that every WebGPU program has. */
const PRELUDE = `
import type {} from 'rasterloom/extensions';
import type { ModularPipelineDevice, StatisticsDevice, TraceDevice } from 'rasterloom';
declare global {
  const adapter: GPUAdapter, device: GPUDevice & StatisticsDevice & ModularPipelineDevice & TraceDevice;
  const context: GPUCanvasContext, pipeline: GPURenderPipeline, bindGroup: GPUBindGroup;
  const encoder: GPUCommandEncoder, pass: GPURenderPassEncoder, queue: GPUQueue;
  const texture: GPUTexture, view: GPUTextureView, buffer: GPUBuffer;
}
`;
/** Blocks also use names that the text around them explains: "Cannot find name", and its form with a proposal. */
const UNKNOWN_NAME = new Set([2304, 2552, 2580, 2593, 18004]);
/** Modules of engines and tools that are not installed here. */
const UNKNOWN_MODULE = new Set([2307, 2664, 7016, 2882]);

describe.each(blocks.filter(({ language }) => language === 'wgsl').map((block) => [nameOf(block), block] as const))(
  '%s',
  (_, { code }) => {
    test('is a shader without errors', () => {
      const { module, diagnostics } = parseModule(code);
      expect([...diagnostics, ...checkModule(module, simpleMath, FEATURES).diagnostics]).toEqual([]);
    });
  }
);

/** A complete program: it loads the package, and writes a file. Servers have tests of their own. */
const isProgram = ({ language, code }: CodeBlock): boolean =>
  language === 'js'
  && /from 'rasterloom(\/gltf|\/farm)?'/.test(code)
  && /writeFileSync\(|writeFile\(/.test(code)
  && !/createServer\(/.test(code);

/** Packages that a program imports and that neither the repository nor the folder of engines has. */
const missingPackages = ({ code }: CodeBlock): readonly string[] =>
  [...code.matchAll(/(?:from|import\() ?'((?:@[\w-]+\/)?[\w-]+)[^']*'/g)]
    .map(([, name]) => name!)
    .filter(
      (name) =>
        name !== 'rasterloom'
        && name !== 'node'
        && ![`${ENGINES}${name}`, `node_modules/${name}`].some((path) => existsSync(fileURLToPath(new URL(path, ROOT))))
    );

describe('programs', () => {
  beforeAll(async () => {
    rmSync(FOLDER, { recursive: true, force: true });
    mkdirSync(FOLDER, { recursive: true });
    // As after `npm install rasterloom` and the engines.
    const engines = fileURLToPath(new URL(ENGINES, ROOT));
    const modules = `${FOLDER}node_modules/`;
    mkdirSync(modules);
    symlinkSync(fileURLToPath(ROOT), `${modules}rasterloom`, 'junction');
    for (const name of existsSync(engines) ? readdirSync(engines) : [])
      if (!name.startsWith('.')) symlinkSync(engines + name, modules + name, 'junction');
    writeFileSync(`${FOLDER}model.glb`, await makeRobot());
  });

  const programs = blocks.filter(isProgram).map((block, i) => [nameOf(block), block, i] as const);
  const runnable = programs.filter(([, block]) => missingPackages(block).length === 0);
  test.each(runnable)(
    '%s writes its picture',
    (_, { code }, i) => {
      const file = `program${i}.mjs`;
      const pictures = (): readonly string[] =>
        ['', 'frames/']
          .filter((folder) => existsSync(FOLDER + folder))
          .flatMap((folder) => readdirSync(FOLDER + folder).map((name) => folder + name))
          .filter((name) => /\.(png|jpe?g|webp|json)$/.test(name));
      for (const name of pictures()) rmSync(FOLDER + name);
      writeFileSync(FOLDER + file, code);
      const { status, stderr } = spawnSync(process.execPath, [file], { cwd: FOLDER, encoding: 'utf8' });
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
      expect(pictures().length).toBeGreaterThan(0);
    },
    60_000
  );

  test("are several, the README's among them", () => {
    expect(blocks.filter(isProgram).filter(({ file }) => file === 'README.md').length).toBeGreaterThanOrEqual(2);
  });
});

test('blocks of JavaScript and TypeScript have the types of the package', () => {
  const folder = fileURLToPath(new URL('build/testing/docs-types/', ROOT));
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}prelude.ts`, PRELUDE);
  const files = new Map(
    blocks
      .filter(({ language }) => /^[jt]s$/.test(language))
      .map((block, i) => {
        const path = `${folder}block${i}.${block.language === 'ts' ? 'mts' : 'mjs'}`;
        // Every block is a module of its own.
        writeFileSync(path, `${block.code}\nexport {};\n`);
        return [path, block];
      })
  );
  const program = ts.createProgram([`${folder}prelude.ts`, ...files.keys()], {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    lib: ['lib.es2023.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
    types: ['node', '@webgpu/types'],
    allowJs: true,
    checkJs: true,
    noEmit: true,
    skipLibCheck: true,
    strict: false,
  });
  const complaints = ts.getPreEmitDiagnostics(program).flatMap(({ file, start, code, messageText }) => {
    if (UNKNOWN_NAME.has(code) || UNKNOWN_MODULE.has(code)) return [];
    const block = file && files.get(file.fileName);
    const line = file ? file.getLineAndCharacterOfPosition(start!).line : 0;
    const where = block ? `${block.file}:${block.line + line}` : file?.fileName;
    return [`${where}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`];
  });
  expect(complaints).toEqual([]);
}, 60_000);
