// The command line of `npm run conformance`.
import { existsSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { RESULTS } from '../support/machine.mjs';
import { unusableReason } from './suite.mjs';

const HELP = `Runs the public WebGPU conformance suite in Node.

  npm run conformance -- FOLDER [QUERY…] [OPTION…]

FOLDER is a checkout of the suite that its own tools have built for Node. QUERY is a query of the suite; without one,
webgpu:api,* webgpu:shader,* and webgpu:web_platform,* are run. Of each test, a fixed sample of cases is run.

  --per-test N         how many cases of each test are run (25, which makes more than 30,000 of all)
  --all                runs all cases of the queries
  --seed N             takes another sample (1)
  --processes N        how many processes run cases (as many as the machine has cores)
  --timeout SECONDS    how long one case may take (60)
  --implementation M   a module file or package folder that exports create() and globals (build/index.js)
  --create JSON        the argument of create(), such as '{"threads":1}'
  --against FILE       compares with a record of another implementation, by group
  --record FILE        writes a record for --against
  --expected FILE      expected failures, each with its reason (bench/conformance/expected.json)
  --log FILE           writes every result as it comes, one JSON object a line (build/conformance.jsonl)
  --continue           takes the results that the log has, and runs what is left
  --out FILE           where the figures go (bench/results/conformance.json)

The exit code is 1 when a case fails, hangs or crashes that the expected failures do not name.`;

const QUERIES = ['webgpu:api,*', 'webgpu:shader,*', 'webgpu:web_platform,*'];
const here = (path) => fileURLToPath(new URL(path, import.meta.url));

const OPTIONS = {
  help: { type: 'boolean' },
  all: { type: 'boolean' },
  continue: { type: 'boolean' },
  'per-test': { type: 'string', default: '25' },
  seed: { type: 'string', default: '1' },
  processes: { type: 'string', default: String(availableParallelism()) },
  timeout: { type: 'string', default: '60' },
  implementation: { type: 'string', default: here('../../build/index.js') },
  create: { type: 'string' },
  against: { type: 'string' },
  record: { type: 'string' },
  expected: { type: 'string', default: here('./expected.json') },
  log: { type: 'string', default: here('../../build/conformance.jsonl') },
  out: { type: 'string', default: fileURLToPath(new URL('conformance.json', RESULTS)) },
};

export function refuse(reason) {
  console.error(`conformance: ${reason}`);
  process.exit(2);
}

function parse() {
  try {
    return parseArgs({ allowPositionals: true, options: OPTIONS });
  } catch (error) {
    return refuse(`${error.message}; --help lists the options`);
  }
}

function jsonOf(name, text) {
  try {
    return JSON.parse(text);
  } catch (error) {
    return refuse(`--${name}: ${error.message}`);
  }
}

function jsonIn(name, path) {
  if (!existsSync(path)) refuse(`--${name}: ${path} does not exist`);
  return jsonOf(name, readFileSync(path, 'utf8'));
}

/**
 * Parses the arguments. Paths become absolute, because the suite changes the working directory. Ends the process if an
 * argument is wrong.
 */
export function readArguments() {
  const {
    values,
    positionals: [folder, ...queries],
  } = parse();
  const numberOf = (name) =>
    /^[1-9]\d*$/.test(values[name])
      ? Number(values[name])
      : refuse(`--${name} takes a whole number above 0, and was given ${values[name]}`);
  const pathOf = (name) => (values[name] === undefined ? undefined : resolve(values[name]));
  if (values.help || folder === undefined) {
    console.log(HELP);
    process.exit(values.help ? 0 : 2);
  }
  const unusable = unusableReason(folder);
  const implementation = pathOf('implementation');
  if (unusable) refuse(unusable);
  if (!existsSync(implementation)) refuse(`${implementation} does not exist; npm run build makes build/index.js`);
  const sample = {
    seed: numberOf('seed'),
    perTest: values.all ? 'all' : numberOf('per-test'),
    queries: queries.length ? queries : QUERIES,
  };
  return {
    sample,
    processes: numberOf('processes'),
    continued: values.continue === true,
    run: {
      folder: resolve(folder),
      implementation,
      timeoutMs: numberOf('timeout') * 1000,
      options: values.create === undefined ? undefined : jsonOf('create', values.create),
    },
    expected: jsonIn('expected', pathOf('expected')),
    theirs: values.against === undefined ? undefined : jsonIn('against', pathOf('against')),
    recordPath: pathOf('record'),
    logPath: pathOf('log'),
    outPath: pathOf('out'),
  };
}
