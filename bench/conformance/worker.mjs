// A process that runs cases on one implementation. The parent sends the suite's folder, the implementation and queries
// of one test. The process reports the start and the end of each case.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { openSuite } from './suite.mjs';

/** Number of characters of a failure's log that are sent to the parent. */
const LOG = 1500;

/** Returns the exports of an implementation, from a module file or a package's folder. */
async function load(implementation) {
  if (/\.m?js$/.test(implementation)) return import(pathToFileURL(implementation).href);
  return createRequire(import.meta.url)(implementation);
}

/**
 * Creates the implementation's `gpu` and puts its classes on the global object. If there is an `install` function, it
 * also installs browser globals, which the cases for canvases and images need.
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

/** Keeps adapters alive: a native implementation can crash if an adapter is collected before its device. */
function keepAdapters(gpu) {
  const kept = [];
  const request = gpu.requestAdapter;
  gpu.requestAdapter = async (...args) => {
    const adapter = await request.apply(gpu, args);
    kept.push(adapter);
    return adapter;
  };
}

/** Replaces `fetch`: the suite fetches its images by path, and Node's fetch accepts only URLs. */
function fetchFiles(folder) {
  const { fetch } = globalThis;
  globalThis.fetch = async (what, ...rest) =>
    String(what).startsWith(folder) ? new globalThis.Response(await readFile(what)) : fetch(what, ...rest);
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
  const exported = await load(implementation);
  const suite = openSuite(folder);
  const gpu = start(exported, options);
  keepAdapters(gpu);
  suite.setGPUProvider(() => gpu);
  suite.dataCache.setStore({ load: (path) => readFile(join(suite.resources, 'cache', path)) });
  fetchFiles(suite.resources);
  return suite;
}

let suite;
process.on('message', (message) => {
  suite ??= open(message.run);
  suite.then((opened) => runAll(opened, message.queries));
});
// Without the parent, there is no receiver for the results.
process.on('disconnect', () => process.exit());
