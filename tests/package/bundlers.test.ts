// Applications that use the package through bundlers, in Debian's Chromium and in Node. Vite represents bundlers that
// support `new URL('./name', import.meta.url)`, like webpack; rollup represents those that leave it unchanged, like
// esbuild.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { basename, dirname } from 'node:path';
import { nodeResolve } from '@rollup/plugin-node-resolve';
import { chromium, type Browser } from 'playwright-core';
import { rollup, type ModuleFormat, type OutputPlugin, type RollupBuild } from 'rollup';
import { build, createServer } from 'vite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FOR_OTHERS, ISOLATION, page, Project, serve, type Drawn } from './kit';

const CHROMIUM = '/usr/bin/chromium';
const project = new Project();
afterAll(() => project.remove());

interface Bundling {
  readonly format?: ModuleFormat;
  /** The replacement of import.meta.url; by default rollup decides. */
  readonly importMeta?: string;
  readonly browser?: boolean;
  /** Whether the engine is inlined. */
  readonly oneFile?: boolean;
}

/** The modules of each script. Its bundles share them, since only the output differs. */
const modules = new Map<string, Promise<RollupBuild>>();

/** Bundles a script of the project. */
async function bundle(
  input: string,
  output: string,
  { format = 'es', importMeta, browser = false, oneFile = false }: Bundling
): Promise<void> {
  const known =
    modules.get(input)
    ?? rollup({
      input: project.path(input),
      external: /^node:/,
      onwarn: () => undefined,
      plugins: [nodeResolve({ browser, exportConditions: browser ? [] : ['node'] })],
    });
  modules.set(input, known);
  const meta: OutputPlugin = {
    name: 'meta',
    resolveImportMeta: (property) => (property === 'url' ? (importMeta ?? null) : null),
  };
  const made = await known;
  const file = project.path(output);
  // In one file, the engine's code would come after the script, which waits for it at its top level.
  const place =
    format === 'es' && !browser && !oneFile
      ? { dir: dirname(file), entryFileNames: basename(file) }
      : { file, inlineDynamicImports: true };
  await made.write({ ...place, format, name: 'program', plugins: [meta] });
}

function runNode(script: string, options: object = {}): { drawn: Drawn; err: string } {
  const { stdout, stderr } = spawnSync(process.execPath, [script, JSON.stringify(options)], {
    cwd: project.folder,
    encoding: 'utf8',
  });
  return { drawn: (stdout === '' ? stderr : JSON.parse(stdout)) as Drawn, err: stderr };
}
let sum = 0;
beforeAll(() => {
  const { drawn } = runNode('node.mjs');
  expect(drawn).toEqual({ sum: expect.any(Number) as number, workers: 2 });
  ({ sum } = drawn as { sum: number });
});

describe('a bundle for Node', () => {
  for (const [format, input, ending, importMeta] of [
    ['es', 'node.mjs', 'mjs', undefined],
    ['cjs', 'node-common.mjs', 'cjs', undefined],
    ['cjs', 'node-common.mjs', 'without.cjs', 'undefined'],
  ] as const)
    test(`in ${format}, import.meta.url ${importMeta ?? 'known'}, finds copied or named files`, async () => {
      const folder = `node-${ending}`;
      const script = `${folder}/program.${ending}`;
      const built = 'node_modules/rasterloom/build';
      await bundle(input, script, { format, ...(importMeta ? { importMeta } : {}) });
      expect(runNode(script).drawn).toBe(
        `Error: Rasterloom's kernel ${project.path(folder)}/kernel.wasm does not exist. `
          + `Copy it there from ${built}, set create({ kernelUrl }) to its folder, `
          + 'or exclude "rasterloom" from the bundle'
      );
      const { drawn, err } = runNode(script, { kernelUrl: built, turns: 10 });
      expect(drawn).toEqual({ sum, workers: 0 });
      expect(err).toContain(
        `unavailable: Rasterloom's worker script ${project.path(folder)}/worker.mjs does not exist. `
          + `Copy it there from ${built}, set create({ workerUrl }) to its path,`
      );
      const named = { kernelUrl: `file://${project.path(built)}/`, workerUrl: project.built('worker.mjs') };
      expect(runNode(script, named)).toEqual({ drawn: { sum, workers: 2 }, err: '' });
      for (const name of ['kernel.wasm', 'worker.mjs']) project.copy(project.built(name), `${folder}/${name}`);
      expect(runNode(script)).toEqual({ drawn: { sum, workers: 2 }, err: '' });
    });

  test('in one file, a script that awaits a device at its top level gets an error with advice', async () => {
    const script = 'node-one/program.mjs';
    await bundle('node.mjs', script, { format: 'es', oneFile: true });
    project.copy(project.built('kernel.wasm'), 'node-one/kernel.wasm');
    expect(runNode(script).drawn).toMatch(
      /Rasterloom's engine comes after the script that waits for it\. Bundle into /
    );
  });

  test('errors name the invalid option', () => {
    const message = (options: object): Drawn => runNode('node.mjs', options).drawn;
    expect(message({ kernelUrl: 'https://example.com/' })).toBe(
      'TypeError: create: kernelUrl must be a path or a file URL in Node, not "https://example.com/"'
    );
    for (const name of ['kernelUrl', 'workerUrl']) {
      expect(message({ [name]: 5 })).toBe(`TypeError: create: ${name} must be a URL, as a string or an object, not 5`);
      expect(message({ [name]: '' })).toBe(
        `TypeError: create: ${name} must be a URL, as a string or an object, not an empty string`
      );
    }
  });
});

/** Writes a page whose script imports the package from `source`, without a bundler. */
function writePage(folder: string, source: string): void {
  project.copy(project.path('index.html'), `${folder}/index.html`);
  project.copy(project.path('draw.js'), `${folder}/draw.js`);
  project.write(
    `${folder}/main.js`,
    readFileSync(project.path('main.js'), 'utf8').replace("'rasterloom'", `'${source}'`)
  );
}

describe.skipIf(!existsSync(CHROMIUM))(`in a page (needs ${CHROMIUM})`, () => {
  let browser: Browser;
  const servers: Server[] = [];
  beforeAll(async () => {
    await bundle('main.js', 'bundle/main.js', { browser: true });
    project.copy(project.path('index.html'), 'bundle/index.html');
    browser = await chromium.launch({
      executablePath: CHROMIUM,
      args: [
        '--no-sandbox',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    });
  });
  afterAll(async () => {
    await browser?.close();
    for (const server of servers) server.close();
  });

  async function look(url: string, options: object = {}): Promise<{ drawn: Drawn; said: string }> {
    const tab = await browser.newPage();
    const said: string[] = [];
    tab.on('console', (message) => said.push(message.text()));
    tab.on('pageerror', (error) => said.push(error.message));
    await tab.goto(url);
    // Not waitForFunction, which pages with a Content-Security-Policy forbid.
    await expect
      .poll(() => tab.evaluate('typeof window.drawn'), { timeout: 20_000 })
      .toBe('function')
      .catch(() => {
        throw new Error(`the page at ${url} did not start: ${said.join('; ')}`);
      });
    const drawn = (await tab.evaluate(`window.drawn(${JSON.stringify(options)})`)) as Drawn;
    await tab.close();
    return { drawn, said: said.join('\n') };
  }
  /** Creates a folder for the page and its bundle, an ES module. */
  function bundled(folder: string): string {
    for (const name of ['main.js', 'index.html']) project.copy(project.path(`bundle/${name}`), `${folder}/${name}`);
    return folder;
  }
  /** Options for pages without workers: the script does not wait for them. */
  const ALONE = { turns: 10 };
  const open = async (folder: string, headers: Record<string, string> = ISOLATION): Promise<string> => {
    const { url, server } = await serve(project.path(folder), headers);
    servers.push(server);
    return url;
  };

  test("Vite's development server needs no settings", async () => {
    for (const [headers, workers, options] of [
      [{}, 0, ALONE],
      [ISOLATION, 2, {}],
    ] as const) {
      const server = await createServer({
        root: project.folder,
        configFile: false,
        logLevel: 'silent',
        server: { host: '127.0.0.1', port: 0, headers, ws: false },
      });
      try {
        await server.listen();
        expect((await look(server.resolvedUrls!.local[0]!, options)).drawn).toEqual({ sum, workers });
      } finally {
        await server.close();
      }
    }
  });

  test("Vite's production build needs no settings", async () => {
    await build({ root: project.folder, configFile: false, logLevel: 'silent', build: { outDir: 'dist' } });
    expect((await look(await open('dist', {}), ALONE)).drawn).toEqual({ sum, workers: 0 });
    expect((await look(await open('dist'))).drawn).toEqual({ sum, workers: 2 });
  });

  const moveTo = (deps: string): void => {
    project.copy(project.built('index.browser.js'), `${deps}/rasterloom.js`);
    project.copy(project.built('engine.js'), `${deps}/engine.js`);
  };

  // Before version 8, its development server moves modules and what they import, but no other files.
  test('a module moved to node_modules/.vite/deps without its files finds them', async () => {
    moveTo('node_modules/.vite/deps');
    writePage('moved', './rasterloom/node_modules/.vite/deps/rasterloom.js');
    for (const name of readdirSync(project.built('.')))
      project.copy(project.built(name), `moved/rasterloom/node_modules/rasterloom/build/${name}`);
    moveTo('moved/rasterloom/node_modules/.vite/deps');
    expect((await look(await open('moved'))).drawn).toEqual({ sum, workers: 2 });
    // In a workspace, the package is outside of the served folder.
    writePage('workspace', './node_modules/.vite/deps/rasterloom.js');
    moveTo('workspace/node_modules/.vite/deps');
    const url = await open('workspace');
    expect((await look(url)).drawn).toBe(
      `Error: Rasterloom's kernel ${url}node_modules/rasterloom/build/kernel.wasm could not be loaded: `
        + "the server did not send WebAssembly; the content type is text/html. In Vite's configuration, "
        + "optimizeDeps: { exclude: ['rasterloom'] } keeps it next to its module"
    );
  });

  test("a bundle without the package's files reports it, and finds them when copied or configured", async () => {
    const url = await open(bundled('bundled'));
    expect((await look(url)).drawn).toBe(
      `Error: Rasterloom's kernel ${url}kernel.wasm could not be loaded: the server did not send WebAssembly; `
        + 'the content type is text/html. Copy it from node_modules/rasterloom/build next to the bundle, '
        + 'or set create({ kernelUrl }) or register({ kernelUrl }) to its folder'
    );
    for (const name of ['kernel.wasm', 'worker.browser.js']) project.copy(project.built(name), `bundled/files/${name}`);
    const { drawn, said } = await look(url, { kernelUrl: 'files', turns: 10 });
    expect(drawn).toEqual({ sum, workers: 0 });
    expect(said).toContain(
      'unavailable: its script could not be loaded. Copy worker.browser.js from node_modules/rasterloom/build '
        + 'next to the bundle, or set create({ workerUrl }) to its URL'
    );
    const named = { kernelUrl: 'files/', workerUrl: 'files/worker.browser.js' };
    expect((await look(url, named)).drawn).toEqual({ sum, workers: 2 });
    for (const name of ['kernel.wasm', 'worker.browser.js']) project.copy(project.built(name), `bundled/${name}`);
    expect((await look(url)).drawn).toEqual({ sum, workers: 2 });
  });

  test('a bundle that is not an ES module finds files next to its script', async () => {
    await bundle('main.js', 'script/scripts/main.js', { browser: true, format: 'iife', importMeta: 'undefined' });
    project.write('script/index.html', page('<script src="scripts/main.js"></script>'));
    const url = await open('script');
    expect((await look(url)).drawn).toContain(`Rasterloom's kernel ${url}scripts/kernel.wasm could not be loaded`);
    const files = ['kernel.wasm', 'worker.browser.js'];
    for (const name of files) project.copy(project.built(name), `script/files/${name}`);
    const named = { kernelUrl: 'files', workerUrl: 'files/worker.browser.js' };
    expect((await look(url, named)).drawn).toEqual({ sum, workers: 2 });
    for (const name of files) project.copy(project.built(name), `script/scripts/${name}`);
    expect((await look(url)).drawn).toEqual({ sum, workers: 2 });
  });

  test('a classic script registers with options before the next script runs', async () => {
    for (const name of ['register.script.js', 'engine.js', 'kernel.wasm', 'worker.browser.js'])
      project.copy(project.built(name), `classic/${name.replace('worker', 'files/worker')}`);
    const writeScripts = (options: string): void =>
      project.write(
        'classic/index.html',
        page(`<script src="register.script.js" data-options='${options}'></script>
        <script>
          const { gpu } = navigator;
          window.drawn = async () => {
            const { draw } = await import('./draw.js');
            return draw(() => gpu, { GPUBufferUsage, GPUTextureUsage, GPUMapMode }).catch(String);
          };
        </script>`)
      );
    project.copy(project.path('draw.js'), 'classic/draw.js');
    const named = { threads: 2, workerUrl: 'files/worker.browser.js', extensions: ['statistics'] };
    writeScripts(JSON.stringify(named));
    const url = await open('classic');
    expect((await look(url)).drawn).toEqual({ sum, workers: 2 });
    writeScripts('threads: 2');
    const { said } = await look(url).catch((error: unknown) => ({ said: String(error) }));
    expect(said).toContain('the attribute data-options of the script must be JSON, not "threads: 2"');
  });

  test('a bundle that is evaluated without a URL needs configured URLs', async () => {
    await bundle('main.js', 'evaluated/main.js', { browser: true, format: 'iife', importMeta: 'undefined' });
    project.write(
      'evaluated/index.html',
      page(`<script type="module">
        const code = await (await fetch('main.js')).text();
        (0, eval)(code);
      </script>`)
    );
    const url = await open('evaluated');
    expect((await look(url)).drawn).toMatch(
      /a bundle that is neither .* does not know its own URL\. Copy .* kernelUrl/
    );
  });

  test('a bundler that replaces the address of the kernel by a path, as Turbopack does, is understood', async () => {
    const code = readFileSync(project.built('index.browser.js'), 'utf8');
    const [pattern] = /new URL\('\.\/kernel\.wasm',\s*import\.meta\.url\)/.exec(code)!;
    project.write('paths/lib/index.browser.js', code.replace(pattern, "({ href: '/lib/kernel.wasm' })"));
    for (const name of ['engine.js', 'kernel.wasm', 'worker.browser.js'])
      project.copy(project.built(name), `paths/lib/${name}`);
    writePage('paths', './lib/index.browser.js');
    expect((await look(await open('paths'))).drawn).toEqual({ sum, workers: 2 });
  });

  test(
    'a page with a Content-Security-Policy needs the directives of the documentation, '
      + 'and names those that are missing',
    async () => {
      bundled('policy');
      for (const name of ['kernel.wasm', 'worker.browser.js']) project.copy(project.built(name), `policy/${name}`);
      const under = async (policy: string, options: object = {}): Promise<{ drawn: Drawn; said: string }> =>
        look(
          await open('policy', { ...ISOLATION, 'Content-Security-Policy': `default-src 'none'; ${policy}` }),
          options
        );
      const all = "script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; worker-src 'self'";
      expect((await under(all)).drawn).toEqual({ sum, workers: 2 });
      expect((await under(all.replace(" 'wasm-unsafe-eval'", ''))).drawn).toMatch(
        /kernel\.wasm could not be compiled: the Content-Security-Policy of .* Add 'wasm-unsafe-eval' to .* script-src$/
      );
      expect((await under(all.replace("connect-src 'self'", ''))).drawn).toMatch(
        /kernel\.wasm could not be loaded: TypeError/
      );
      const { drawn, said } = await under(all.replace("worker-src 'self'", "worker-src 'none'"), { turns: 25 });
      expect(drawn).toEqual({ sum, workers: 0 });
      expect(said).toMatch(
        /worker threads are unavailable: the Content-Security-Policy of the page forbids .*\. Allow it by .* worker-src/
      );
    }
  );

  test('the module and its files can come from another origin', async () => {
    const cdn = await open('node_modules/rasterloom/build', FOR_OTHERS);
    writePage('other', `${cdn}index.browser.js`);
    expect((await look(await open('other'))).drawn).toEqual({ sum, workers: 2 });
    const named = { kernelUrl: cdn, workerUrl: `${cdn}worker.browser.js` };
    expect((await look(await open(bundled('other-bundle')), named)).drawn).toEqual({ sum, workers: 2 });
  });
});
