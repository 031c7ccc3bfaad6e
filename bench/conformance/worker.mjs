// A process that runs cases on one implementation. The parent sends the suite's folder, the implementation and queries
// of one test, and hears of each case when it starts and when it ends.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { openSuite } from './suite.mjs';

/** Characters of a failure's log that the parent is told. */
const LOG = 1500;

/** An implementation's exports, from a module file or a package's folder. */
async function load(implementation) {
  if (/\.m?js$/.test(implementation)) return import(pathToFileURL(implementation).href);
  return createRequire(import.meta.url)(implementation);
}

/**
 * The implementation's `gpu`, whose classes are put on the global object. With `install` the names of pages are put
 * there as well, which the cases for canvases and images need.
 */
function start({ create, globals, install }, options) {
  const args = options === undefined ? [] : [options];
  if (install) {
    install(...args);
    return globalThis.navigator.gpu;
  }
  Object.assign(globalThis, globals);
  return create(...args);
}

/** Keeps adapters alive: a native implementation can crash when one is collected before its device. */
function keepAdapters(gpu) {
  const kept = [], request = gpu.requestAdapter;
  gpu.requestAdapter = async (...args) => {
    const adapter = await request.apply(gpu, args);
    kept.push(adapter);
    return adapter;
  };
}

/** The suite fetches its images by path, and Node's fetch takes URLs only. */
function fetchFiles(folder) {
  const { fetch } = globalThis;
  globalThis.fetch = async (what, ...rest) => (
    String(what).startsWith(folder) ? new globalThis.Response(await readFile(what)) : fetch(what, ...rest)
  );
}

const tell = (message) => new Promise((sent) => process.send(message, sent));

async function runCase(suite, leaf) {
  const [recorder, result] = new suite.Logger().record(leaf.query.toString());
  await leaf.run(recorder, []);
  const logs = result.status === 'pass' ? [] : (result.logs ?? []).filter(({ name }) => !name.endsWith('INFO'));
  const log = logs.map(suite.prettyPrintLog).join('\n').slice(0, LOG);
  return { status: result.status, ms: Math.round(result.timems), log };
}

async function runAll(suite, queries) {
  for (const query of queries) {
    const [leaf] = await suite.casesOf(query);
    await tell({ started: query });
    const result = await runCase(suite, leaf);
    await tell({ ended: query, ...result, bytes: process.memoryUsage.rss() });
  }
  await tell({ idle: true });
}

async function open({ folder, implementation, options }) {
  const exported = await load(implementation), suite = openSuite(folder), gpu = start(exported, options);
  keepAdapters(gpu);
  suite.setGPUProvider(() => gpu);
  suite.dataCache.setStore({
    load: (path) => readFile(join(suite.resources, 'cache', path)),
  });
  fetchFiles(suite.resources);
  return suite;
}

let suite;
process.on('message', (message) => {
  suite ??= open(message.run);
  suite.then((opened) => runAll(opened, message.queries));
});
// Without the parent there is nobody to tell.
process.on('disconnect', () => process.exit());
