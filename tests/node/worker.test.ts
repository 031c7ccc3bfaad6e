// Web workers of install(), in processes that end by themselves.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { encodeToKTX2 } from 'ktx2-encoder';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { dracoTriangle } from '../package/draco-triangle';
import { runProgram } from '../threads/process.kit';

const INDEX = JSON.stringify(new URL('../../build/index.js', import.meta.url).href);
const ROOT = new URL('../../', import.meta.url).pathname;
let folder = '';
/** Address of a file of the folder, as a literal. */
const at = (name: string): string => JSON.stringify(pathToFileURL(join(folder, name)).href);

beforeAll(() => {
  folder = mkdtempSync(join(ROOT, 'build', 'workers-'));
  writeFileSync(join(folder, 'library.js'), 'var twice = (x) => 2 * x;');
  writeFileSync(
    join(folder, 'classic.js'),
    `importScripts('library.js');
    onmessage = function ({ data }) {
      for (let i = 0; i < data.length; i++) data[i] = twice(data[i]);
      self.postMessage(data, [data.buffer]);
    };`
  );
  writeFileSync(
    join(folder, 'module.mjs'),
    `self.onmessage = async ({ data }) => {
      const { length } = await (await fetch(new URL('library.js', import.meta.url))).text();
      const names = [typeof process, typeof window, typeof document, typeof navigator.gpu, name];
      postMessage([data, length, names, self instanceof DedicatedWorkerGlobalScope]);
    };`
  );
});
afterAll(() => rmSync(folder, { recursive: true }));

const run = (body: string): ReturnType<typeof runProgram> =>
  runProgram(`
    const { install } = await import(${INDEX});
    const uninstall = install({ threads: 0, resources: { network: false, folder: ${JSON.stringify(ROOT)} } });
    const ask = (worker, data, transfers) => new Promise((done, failed) => {
      worker.onmessage = (event) => done(event.data);
      worker.onerror = (event) => failed(event);
      worker.postMessage(data, transfers);
    });
    const ofText = (text) => new Worker(URL.createObjectURL(new Blob([text])));
    ${body}`);

test('classic scripts and modules get messages, transfer bytes, and end with the program', async () => {
  const { said, code } = await run(`
    const bytes = new Uint8Array([1, 2, 3]);
    const classic = new Worker(${at('classic.js')});
    say([[...await ask(classic, bytes, [bytes.buffer])], bytes.length]);
    say([...await ask(classic, new Uint8Array([7]))]);
    say(await ask(new Worker(${at('module.mjs')}, { type: 'module', name: 'decoder' }), 'hello'));
    const listener = ofText('addEventListener("message", ({ data }) => postMessage(data + 1))');
    say(await ask(listener, 1));
    say(await ask(new Worker('data:text/javascript,onmessage=()=>postMessage(location.protocol)'), 0));`);
  expect(said).toEqual([
    [[2, 4, 6], 0],
    [14],
    ['hello', 25, ['undefined', 'undefined', 'undefined', 'object', 'decoder'], true],
    2,
    'data:',
  ]);
  expect(code).toBe(0);
});

test('work without messages is finished before the program ends', async () => {
  const { said, code } = await run(`
    const worker = ofText('onmessage = () => setTimeout(() => postMessage("late"), 300)');
    worker.onmessage = ({ data }) => say(data);
    worker.postMessage(0);`);
  expect([code, said]).toEqual([0, ['late']]);
});

test('errors are events, or are printed', async () => {
  const { said, code, stderr } = await run(`
    const throws = 'if (data) throw new Error("wrong " + data);';
    const failing = ofText('onmessage = ({ data }) => {' + throws + 'postMessage("fine") }');
    say(await ask(failing, 1).catch(({ type, error, message }) => [type, error.message, message.split('\\n')[0]]));
    say(await ask(failing, 0));
    const missing = new Worker('nothing.js');
    say((await new Promise((done) => missing.addEventListener('error', done))).message.replace(/,.*/, ''));
    const remote = new Worker('http://127.0.0.1:9/worker.js');
    say((await new Promise((done) => { remote.onerror = done })).message);
    let refusal;
    try { new Worker('a.js', { type: 'shared' }) } catch ({ message }) { refusal = message }
    say(refusal);
    ofText('unknownName()');`);
  expect(said).toEqual([
    ['error', 'wrong 1', 'Error: wrong 1'],
    'fine',
    'the worker nothing.js could not be loaded: ENOENT: no such file or directory',
    'the worker http://127.0.0.1:9/worker.js could not be loaded: "http://127.0.0.1:9/worker.js" is on the network, '
      + 'which install({ resources: { network: false } }) forbids',
    "Worker: type must be 'classic' or 'module', not shared",
  ]);
  expect(stderr).toContain('ReferenceError: unknownName is not defined');
  expect(code).toBe(0);
});

test('files outside the folder are not run', async () => {
  const { said } = await runProgram(`
    const { install } = await import(${INDEX});
    install({ threads: 0, resources: { folder: ${JSON.stringify(join(ROOT, 'examples'))} } });
    const messageOf = (worker) => new Promise((done) => { worker.onerror = ({ message }) => done(message) });
    say(await messageOf(new Worker(${at('classic.js')})));
    const loads = 'importScripts(' + JSON.stringify(${at('library.js')}) + ')';
    say(await messageOf(new Worker('data:text/javascript,' + encodeURIComponent(loads))));`);
  expect(said).toEqual([
    expect.stringContaining(' is outside the folder '),
    expect.stringMatching(/importScripts: the file .* is outside the folder /),
  ]);
});

test('importScripts reads regular files only', async () => {
  const { said } = await run(`
    const loads = 'importScripts(' + JSON.stringify(${at('.')}) + ')';
    const worker = ofText(loads);
    say((await new Promise((done) => { worker.onerror = done })).error.message);`);
  expect(said).toEqual([expect.stringMatching(/^importScripts: .* is not a regular file$/)]);
});

test('uninstalling ends workers that are busy', async () => {
  const { said, code } = await run(`
    const busy = ofText('onmessage = () => { postMessage("begun"); for (;;); }');
    say(await ask(busy, 0));
    uninstall();
    say(typeof Worker);`);
  expect([code, said]).toEqual([0, ['begun', 'undefined']]);
});

test('DRACOLoader of three.js decodes a model', async () => {
  writeFileSync(join(folder, 'triangle.glb'), await dracoTriangle());
  const { said, code, stderr } = await run(`
    const { DRACOLoader } = await import('three/addons/loaders/DRACOLoader.js');
    const { GLTFLoader } = await import('three/addons/loaders/GLTFLoader.js');
    const draco = new DRACOLoader().setDecoderPath(${JSON.stringify(
      new URL('../../node_modules/three/examples/jsm/libs/draco/gltf/', import.meta.url).href
    )});
    const { scene } = await new GLTFLoader().setDRACOLoader(draco).loadAsync(${at('triangle.glb')});
    scene.traverse(({ geometry }) => geometry && say([...geometry.attributes.position.array]));`);
  expect(said, stderr).toEqual([[0, 0, 0, 1, 0, 0, 0, 1, 0]]);
  expect(code).toBe(0);
});

test('KTX2Loader of three.js transcodes a texture', async () => {
  const data = new Uint8Array(16 * 16 * 4).map((_, i) => [200, 100, 50, 255][i % 4]!);
  const file = await encodeToKTX2(new Uint8Array(1), {
    isUASTC: true,
    isSetKTX2SRGBTransferFunc: true,
    imageDecoder: () => Promise.resolve({ width: 16, height: 16, data }),
  });
  writeFileSync(join(folder, 'texture.ktx2'), file);
  const { said, code, stderr } = await run(`
    const { KTX2Loader } = await import('three/addons/loaders/KTX2Loader.js');
    const ktx2 = new KTX2Loader()
      .setTranscoderPath(${JSON.stringify(
        new URL('../../node_modules/three/examples/jsm/libs/basis/', import.meta.url).href
      )})
      .detectSupport({ isWebGPURenderer: true, hasFeature: () => false });
    const { mipmaps: [{ width, height, data }] } = await ktx2.loadAsync(${at('texture.ktx2')});
    say([width, height, ...data.subarray(0, 4)]);
    ktx2.dispose();`);
  const [[width, height, ...colour]] = said as number[][];
  expect([width, height], stderr).toEqual([16, 16]);
  for (const [i, value] of [200, 100, 50, 255].entries()) expect(Math.abs(colour[i]! - value)).toBeLessThan(4);
  expect(code).toBe(0);
});
