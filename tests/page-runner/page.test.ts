// `rasterloom page` and runPage(): scripts, import maps, assets, virtual time, pictures and failures of pages.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { decode } from 'fast-png';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type * as Pages from '../../src/page-runner';
import { parsePage } from '../../src/cli/options/page-options';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const CLI = join(ROOT, 'build/cli.js');
let folder = '';
let runPage: typeof Pages.runPage;

/** A module that fills its canvas with a colour in each frame. */
const FILL = `
  export async function start(canvas, colour) {
    const device = await (await navigator.gpu.requestAdapter()).requestDevice();
    const context = canvas.getContext('webgpu');
    context.configure({ device, format: 'rgba8unorm' });
    const frame = (time) => {
      const encoder = device.createCommandEncoder();
      const pass = encoder.beginRenderPass({ colorAttachments: [{
        view: context.getCurrentTexture(), loadOp: 'clear', storeOp: 'store', clearValue: colour(time) }] });
      pass.end();
      device.queue.submit([encoder.finish()]);
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  }`;
/** Draws two pixels by a 2D context, so that the picture is not blank. */
const TWO_PIXELS = `
  const context = document.querySelector('canvas').getContext('2d');
  context.putImageData(new ImageData(new Uint8ClampedArray([255, 0, 0, 255]), 1, 1), 0, 0);`;
const page = (name: string, html: string): string => {
  const path = join(folder, name);
  writeFileSync(path, html);
  return path;
};
const canvasPage = (name: string, script: string): string =>
  page(name, `<!doctype html><canvas width="2" height="1"></canvas><script>${TWO_PIXELS}${script}</script>`);
/** RGBA values of a picture. */
function pixels(bytes: Uint8Array): number[] {
  const { data, channels, width, height } = decode(bytes);
  return Array.from({ length: width * height }, (_, i) => [
    ...data.subarray(i * channels, i * channels + 3),
    channels === 4 ? data[i * 4 + 3]! : 255,
  ]).flat();
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'rasterloom-page-'));
  mkdirSync(join(folder, 'lib'));
  writeFileSync(join(folder, 'lib/fill.js'), FILL);
  writeFileSync(join(folder, 'data.json'), '{"blue": 1}');
  ({ runPage } = (await import(join(ROOT, 'build/page.js'))) as typeof Pages);
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('runPage', () => {
  test('waits for web workers, which are files of the page', async () => {
    writeFileSync(join(folder, 'lib/green.js'), 'var green = 255;');
    writeFileSync(
      join(folder, 'lib/worker.js'),
      `importScripts('green.js');
      onmessage = () => setTimeout(() => postMessage(green), 300);`
    );
    const path = canvasPage(
      'worker.html',
      `const worker = new Worker('lib/worker.js');
      worker.onmessage = ({ data }) =>
        context.putImageData(new ImageData(new Uint8ClampedArray([0, data, 0, 255]), 1, 1), 1, 0);
      worker.postMessage(0);`
    );
    const { pictures, errors } = await runPage(path, { frames: [2] });
    expect(errors).toEqual([]);
    expect(pixels(pictures[0]!.bytes)).toEqual([255, 0, 0, 255, 0, 255, 0, 255]);
  });

  test('waits for the end of a script that computes for long', async () => {
    const path = page(
      'long.html',
      `<!doctype html><canvas width="2" height="1"></canvas>
       <script type="module">
         Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2100);
         for (let i = 0; i < 50; i++) await new Promise((done) => setImmediate(done));
         requestAnimationFrame(() => {${TWO_PIXELS}});
       </script>`
    );
    const { pictures, errors } = await runPage(path, { frames: [1] });
    expect(errors).toEqual([]);
    expect(pixels(pictures[0]!.bytes).slice(0, 4)).toEqual([255, 0, 0, 255]);
  });

  test('runs scripts of all kinds in their order, with an import map and assets', async () => {
    const path = page(
      'kinds.html',
      `<!doctype html><script type="importmap">{"imports": {"fill": "./lib/fill.js", "lib/": "./lib/"}}</script>
       <script type="module">
         import { start } from 'fill';
         import { start as same } from 'lib/fill.js';
         const { blue } = await (await fetch('data.json')).json();
         order.push('module', start === same, document.readyState, import.meta.url.startsWith(location.origin));
         addEventListener('load', () => {
           order.push('load', document.readyState);
           if (order.join() !== 'classic,SCRIPT,source,module,true,loading,true,load,complete') throw new Error(order);
         });
         start(document.querySelector('canvas'), (time) => [time < 20 ? 1 : 0, 0, blue, 1]);
       </script>
       <script>var order = ['classic', document.currentScript.tagName];</script>
       <script src="lib/classic.js"></script>
       <canvas width="2" height="1"></canvas>`
    );
    writeFileSync(join(folder, 'lib/classic.js'), 'order.push("source");');
    const { pictures, errors, missing } = await runPage(path, { frames: [3, 1], threads: 1 });
    expect([errors, missing]).toEqual([[], []]);
    expect(pictures.map(({ frame, width, height, isBlank }) => [frame, width, height, isBlank])).toEqual([
      [1, 2, 1, true],
      [3, 2, 1, true],
    ]);
    expect(pictures.map(({ bytes }) => pixels(bytes).slice(0, 4))).toEqual([
      [255, 0, 255, 255],
      [0, 0, 255, 255],
    ]);
  });

  test('shows the canvas of WebGPU, although a panel has a larger one, and decodes GIF images', async () => {
    const path = page(
      'panel.html',
      `<!doctype html><canvas id="view" width="2" height="1"></canvas><canvas id="panel" width="99" height="9"></canvas>
       <script type="module">
         import { start } from '/lib/fill.js';
         const image = new Image();
         image.src = 'data:image/gif;base64,R0lGODlhAQABAPAAAP8AAP///yH5BAAAAAAALAAAAAABAAEAAAICRAEAOw==';
         await image.decode();
         const panel = document.getElementById('panel').getContext('2d');
         panel.drawImage(image, 0, 0, 99, 9);
         const [red] = panel.getImageData(50, 5, 1, 1).data;
         start(document.getElementById('view'), () => [red / 255, 1, 0, 1]);
       </script>`
    );
    const { pictures, errors } = await runPage(path, { frames: [2], threads: 1 });
    expect(errors).toEqual([]);
    expect([pictures[0]!.width, ...pixels(pictures[0]!.bytes).slice(0, 4)]).toEqual([2, 255, 255, 0, 255]);
  });

  test('gives the same time and random numbers in each run, and sends clicks, keys and scripts', async () => {
    const path = canvasPage(
      'actions.html',
      `const show = (...values) => context.putImageData(
         new ImageData(new Uint8ClampedArray([...values, 255]), 1, 1), 1, 0);
       let seen = [Math.random() * 255, Date.now() % 1000 ? 1 : 0, 0];
       const canvas = document.querySelector('canvas');
       canvas.addEventListener('click', ({ clientX }) => { seen[1] = clientX; show(...seen); });
       addEventListener('keydown', ({ key }) => { seen[2] = key === 'a' ? 9 : 8; show(...seen); });`
    );
    writeFileSync(join(folder, 'after.mjs'), 'globalThis.seen = 1; document.title = "after";');
    const actions: Pages.PageAction[] = [
      { kind: 'click', x: 7, y: 3 },
      { kind: 'script', file: join(folder, 'after.mjs') },
      { kind: 'key', key: 'a' },
    ];
    const run = async (seed: number): Promise<number[]> => {
      const { pictures, errors } = await runPage(path, { frames: [2], actions, seed, threads: 0 });
      expect(errors).toEqual([]);
      return pixels(pictures[0]!.bytes).slice(4);
    };
    const first = await run(5);
    expect(first.slice(1)).toEqual([7, 9, 255]);
    expect(await run(5)).toEqual(first);
    expect(await run(6)).not.toEqual(first);
  });

  test('waits for frames and timers at the top level of modules, and names elements by their ids', async () => {
    const path = page(
      'waits.html',
      `<!doctype html><canvas id="view" width="2" height="1"></canvas><p id="text">red</p>
       <script>var other = 1;</script>
       <p id="other"></p><script type="module">
         await new Promise(requestAnimationFrame);
         await new Promise((done) => setTimeout(done, 5));
         const colour = text.textContent === 'red' && other === 1 ? [255, 0, 0, 255] : [0, 0, 0, 255];
         view.getContext('2d').putImageData(new ImageData(new Uint8ClampedArray(colour), 1, 1), 0, 0);
       </script>`
    );
    const { pictures, errors } = await runPage(path, { frames: [3] });
    expect([errors, pixels(pictures[0]!.bytes)]).toEqual([[], [255, 0, 0, 255, 0, 0, 0, 0]]);
  });

  test('reports errors and missing files, and draws all the same', async () => {
    const path = canvasPage(
      'errors.html',
      `fetch('none.json').then(({ status }) => { if (status !== 404) throw new Error('status'); });
       new Image().src = 'lib/none.png';
       fetch('https://example.com/').catch(() => setTimeout(() => { throw new Error('no network'); }));
       Promise.reject(new Error('rejected'));`
    );
    const { pictures, errors, missing } = await runPage(path, { frames: [2] });
    expect([pictures.length, [...missing].sort()]).toEqual([1, ['/lib/none.png', '/none.json']]);
    expect(errors.map((text) => text.split('\n')[0]).sort()).toEqual(['Error: no network', 'Error: rejected']);
  });

  test('fails for what it cannot run, with a code', async () => {
    const code = (name: string, html: string, options: Pages.RunPageOptions = {}): Promise<unknown> =>
      runPage(page(name, html), options).then(
        () => 'drawn',
        ({ code: found, message }: Pages.PageError) => [found, message]
      );
    expect(await code('empty.html', '<p>text</p>')).toEqual([
      'canvas',
      expect.stringMatching(/no canvas that it draws/),
    ]);
    expect(await code('selector.html', '<p>text</p>', { canvas: 'p' })).toEqual([
      'canvas',
      expect.stringMatching(/the element that p matches is no canvas/),
    ]);
    expect(await code('import.html', '<script type="module">import "nothing"</script>')).toEqual([
      'script',
      expect.stringMatching(/"nothing" of .* is not in the page's import map, and not installed/),
    ]);
    expect(await code('file.html', '<script type="module" src="none.js"></script>')).toEqual([
      'script',
      expect.stringMatching(/the file \/none\.js of the page was not found in/),
    ]);
    expect(await code('outside.html', '<script type="module" src="/lib/%2e%2e%2f%2e%2e%2fa.js"></script>')).toEqual([
      'script',
      expect.stringMatching(/was not found in/),
    ]);
    symlinkSync(join(ROOT, 'package.json'), join(folder, 'linked.js'));
    expect(await code('linked.html', '<script type="module" src="linked.js"></script>')).toEqual([
      'script',
      expect.stringMatching(
        /the file \/linked\.js leads to .*package\.json, outside .*; choose a root that holds both/
      ),
    ]);
    expect(await code('classic.html', '<script>unknownName()</script>')).toEqual([
      'script',
      expect.stringMatching(/failed: ReferenceError: unknownName is not defined$/),
    ]);
    expect(await code('cdn.html', '<script type="module">import "https://example.com/a.js"</script>')).toEqual([
      'script',
      expect.stringMatching(/is on the network, which is closed/),
    ]);
    expect(await code('hangs.html', '<script>while (true);</script>', { timeoutMs: 3000 })).toEqual([
      'timeout',
      expect.stringMatching(/took more than 3000 ms; it was stopped while its scripts were loading$/),
    ]);
    const busy = 'new Worker(URL.createObjectURL(new Blob(["onmessage = () => { while (true); }"]))).postMessage(1)';
    expect(await code('busy.html', `<script>${busy}</script>`, { timeoutMs: 4000 })).toEqual([
      'timeout',
      expect.stringMatching(/it was stopped while its scripts were loading; it waited for a worker$/),
    ]);
    await expect(runPage(join(folder, 'none.html'))).rejects.toMatchObject({ code: 'input' });
    await expect(runPage(join(folder, 'empty.html'), { root: join(folder, 'lib') })).rejects.toThrow(
      /outside the folder/
    );
    await expect(runPage(join(folder, 'empty.html'), { frames: [0] })).rejects.toThrow(/frames must be an array/);
    await expect(runPage(join(folder, 'empty.html'), { frame: 1 } as object)).rejects.toThrow(/unknown option frame/);
  });
});

describe('rasterloom page', () => {
  const run = (...words: string[]): { status: number | null; said: string } => {
    const { status, stderr } = spawnSync(process.execPath, [CLI, 'page', ...words], { cwd: folder, encoding: 'utf8' });
    return { status, said: stderr };
  };

  test('writes pictures, and says what is wrong by its exit code', () => {
    canvasPage('good.html', 'console.log("logged")');
    expect(run('good.html', '-o', 'good-{frame}.png', '--at-frame', '1', '--at-time', '0.05')).toEqual({
      status: 0,
      said: 'logged\n',
    });
    for (const frame of [1, 3])
      expect(pixels(readFileSync(join(folder, `good-${frame}.png`)))).toEqual([255, 0, 0, 255, 0, 0, 0, 0]);
    canvasPage('bad.html', 'fetch("none.json"); setTimeout(() => { throw new Error("uncaught"); });');
    const bad = run('bad.html', '-o', 'bad.png', '--at-frame', '2');
    expect([bad.status, existsSync(join(folder, 'bad.png'))]).toEqual([8, true]);
    expect(bad.said).toMatch(/bad\.html: Error: uncaught[^]*the file \/none\.json was not found\n.*did not catch/);
    const missing = run('bad.html', '-o', 'bad.png', '--at-frame', '2', '--allow-errors');
    expect([missing.status, missing.said]).toEqual([3, expect.stringMatching(/Files of the page were not found/)]);
    expect(run('bad.html', '-o', 'bad.png', '--allow-errors', '--allow-missing').status).toBe(0);
  });

  test('stops pages that hang, and names the package for documents, by exit codes', () => {
    page('hang.html', '<script>while (true);</script>');
    const hung = run('hang.html', '-o', 'hang.png', '--timeout', '2');
    expect([hung.status, hung.said]).toEqual([9, expect.stringMatching(/took more than 2000 ms/)]);
    const hook = join(folder, 'without.cjs');
    writeFileSync(
      hook,
      `const Module = require('node:module');
      const { _resolveFilename: find } = Module;
      Module._resolveFilename = function (name, ...more) {
        if (name === 'happy-dom') throw new Error('not found');
        return find.call(this, name, ...more);
      };`
    );
    const words = ['--require', hook, CLI, 'page', 'hang.html', '-o', 'hang.png'];
    const { status, stderr } = spawnSync(process.execPath, words, { cwd: folder, encoding: 'utf8' });
    expect([status, stderr]).toEqual([10, expect.stringMatching(/npm install happy-dom/)]);
  });

  test('parses its options', () => {
    const parse = (text: string): unknown => parsePage(['page', ...text.split(' ')]);
    expect(
      parse(
        'a.html -o {frame}.webp --at-time 1 --at-frame 3 --size 40x30 --click 1,2 --key a --timeout 2 --font A=/a.ttf'
      )
    ).toEqual({
      kind: 'page',
      input: 'a.html',
      output: '{frame}.webp',
      options: {
        width: 40,
        height: 30,
        frames: [3, 60],
        type: 'image/webp',
        actions: [
          { kind: 'click', x: 1, y: 2 },
          { kind: 'key', key: 'a' },
        ],
        timeoutMs: 2000,
        network: false,
        fonts: { A: '/a.ttf' },
      },
      allowMissing: false,
      allowErrors: false,
      allowEmpty: false,
    });
    expect(parse('--help')).toEqual({ kind: 'help', topic: 'page' });
    const wrong = {
      '-o a.png': /A page is missing/,
      'a.html b.html -o a.png': /b\.html/,
      'a.html': /The file for the picture is missing/,
      'a.html -o a.gif': /must end in \.png/,
      'a.html -o a.png --at-frame 1 --at-frame 2': /put \{frame\} in the name/,
      'a.html -o a.png --at-frame 0': /--at-frame must be an integer from 1/,
      'a.html -o a.png --size 3': /--size must be WIDTHxHEIGHT/,
      'a.html -o a.png --click 3': /--click must be X,Y/,
      'a.html -o a.png --font A': /--font must be FAMILY=FILE/,
      'a.html -o a.png --seed x': /--seed must be an integer/,
      'a.html -o a.png --at-frames 2': /--at-frame/,
    };
    for (const [text, message] of Object.entries(wrong)) expect(() => parse(text), text).toThrow(message);
  });
});
