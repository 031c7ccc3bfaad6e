// assembly/ and src/ → build/: the kernels, the package for Node and for browsers, the command, the types, and the image scenes for the
// tests in a page. Types are only stripped here (`npm run check` is what checks them) and kernels that are newer than assembly/ are kept,
// so a build takes seconds.
import { spawn } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { nodeResolve } from '@rollup/plugin-node-resolve';
import dts from 'rollup-plugin-dts';
import ts from 'typescript';

const writtenAt = (file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;

/** Compiles the targets of asconfig.json that are older than what they are made of, side by side. */
async function compileKernels() {
  const { targets } = JSON.parse(readFileSync('asconfig.json', 'utf8'));
  const sources = readdirSync('assembly', { recursive: true }).map((name) => `assembly/${name}`);
  const newest = Math.max(...['asconfig.json', ...sources].map(writtenAt));
  const compile = (target) => new Promise((done, fail) => {
    const entry = `assembly/entry/${target === 'testing' ? 'testing' : 'kernel'}.ts`;
    spawn(process.execPath, ['node_modules/assemblyscript/bin/asc.js', entry, '--target', target], { stdio: 'inherit' })
      .on('error', fail)
      .on('exit', (code) => (code ? fail(new Error(`asc: target ${target} failed`)) : done()));
  });
  await Promise.all(Object.keys(targets).filter((target) => writtenAt(targets[target].outFile) <= newest).map(compile));
}

/** Strips types, and finds `./name` as `./name.ts` or `./name/index.ts`. */
const typescript = {
  name: 'typescript',
  resolveId(source, importer) {
    if (!importer || !/^\.\.?(\/|$)/.test(source)) return null;
    const path = resolve(dirname(importer), source);
    return [`${path}.ts`, `${path}/index.ts`].find((file) => existsSync(file)) ?? null;
  },
  transform(code, id) {
    if (!id.endsWith('.ts')) return null;
    const { outputText, sourceMapText } = ts.transpileModule(code, {
      fileName: id,
      compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext, sourceMap: true, removeComments: true },
    });
    return { code: outputText, map: sourceMapText };
  },
};

/** A page can load nothing but what stands beside the module. */
const importsNothing = {
  name: 'imports-nothing',
  generateBundle(_, files) {
    for (const { fileName, imports = [], dynamicImports = [] } of Object.values(files))
      for (const name of [...imports, ...dynamicImports]) this.error(`${fileName} imports ${name}, which a page does not have`);
  },
};

const runnable = {
  name: 'runnable',
  writeBundle({ file }) {
    chmodSync(file, 0o755);
    copyFileSync('examples/sample.glb', 'build/sample.glb');
  },
};

const bundle = (input, file, { external = [], plugins = [], output = {} } = {}) => ({
  input,
  external,
  output: { file, format: 'es', inlineDynamicImports: true, ...output },
  plugins: [typescript, nodeResolve(), ...plugins],
  treeshake: { moduleSideEffects: false },
});

// The command and `rasterloom/register` use the package as anyone would.
const isIndex = (id) => id === resolve('src/index.ts');
const besideIndex = { paths: (id) => (isIndex(id) ? './index.js' : id) };
const parts = [
  bundle('src/index.ts', 'build/index.js', { external: [/^node:/] }),
  bundle('src/index.browser.ts', 'build/index.browser.js', { plugins: [importsNothing] }),
  bundle('src/register.ts', 'build/register.js', { external: isIndex, output: besideIndex }),
  // Readers of models and images are dependencies that npm installs.
  bundle('src/cli/main.ts', 'build/cli.js', {
    external: (id) => isIndex(id) || /^(node:|@gltf-transform\/|@jsquash\/|fast-png$)/.test(id),
    output: besideIndex,
    plugins: [runnable],
  }),
  { input: 'src/index.ts', output: { file: 'build/index.d.ts', format: 'es' }, plugins: [dts()] },
  bundle('tests/images/scenes/index.ts', 'build/testing/scenes.js', { plugins: [importsNothing] }),
];

export default async () => {
  mkdirSync('build', { recursive: true });
  await compileKernels();
  return parts;
};
