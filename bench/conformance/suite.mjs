// Loads the modules of the conformance suite from a checkout that the suite's tools have built for Node.
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';

/** Path in the checkout of the suite's build for Node. */
const BUILT = 'out-node';

/** Returns the reason why `folder` cannot be used as a sentence, or nothing. */
export function unusableReason(folder) {
  if (!existsSync(folder)) return `${folder} does not exist; name the folder of a checkout of the suite`;
  if (existsSync(join(folder, BUILT, 'common/internal/file_loader.js'))) return undefined;
  return (
    `${folder} has no built suite (${BUILT}/common/internal/file_loader.js is missing); `
    + "build it for Node with the suite's own tools, as its documentation says"
  );
}

/** Loads the suite's modules. Some of them expect the checkout as the working directory. */
export function openSuite(folder) {
  process.chdir(folder);
  const built = resolve(BUILT);
  const load = createRequire(join(built, 'common/'));
  const { DefaultTestFileLoader } = load('./internal/file_loader.js');
  const { parseQuery } = load('./internal/query/parseQuery.js');
  const { Logger } = load('./internal/logging/logger.js');
  const { prettyPrintLog } = load('./internal/logging/log_message.js');
  const { dataCache } = load('./framework/data_cache.js');
  const { setBaseResourcePath } = load('./framework/resources.js');
  const { setGPUProvider } = load('./util/navigator_gpu.js');
  const resources = join(built, 'resources');
  const loader = new DefaultTestFileLoader();
  setBaseResourcePath(resources);
  return {
    Logger,
    prettyPrintLog,
    dataCache,
    setGPUProvider,
    resources,
    /** Returns the files of a suite, as the comma-separated paths of queries. */
    filesOf: async (suite) =>
      (await loader.listing(suite)).filter((entry) => !('readme' in entry)).map(({ file }) => file.join(',')),
    /** Returns the cases of a query, each with `query` and `run`. */
    casesOf: (query) =>
      loader.loadCases(parseQuery(query)).catch((error) => {
        // The file contains no tests yet.
        if (/does not match any cases/.test(error.message)) return [];
        throw error;
      }),
  };
}

/** The test of a case: suite, file and test, without parameters. */
export const testOf = (query) => query.split(':', 3).join(':');

/** The group of a case: the suite and the first three parts of its file's path. */
export function groupOf(query) {
  const [suite, file] = query.split(':', 2);
  return `${suite}:${file.split(',').slice(0, 3).join(',')}`;
}

/** Groups items by `keyOf`, in their order. Returns a map from keys to arrays. */
export function groupBy(items, keyOf) {
  const groups = new Map();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}
