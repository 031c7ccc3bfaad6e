// Parses the arguments of `rasterloom farm`; mistakes become sentences.
import { parseArgs } from 'node:util';
import { closestWord } from '../../base/closest-word';
import { quoted } from '../../base/printable';
import type { HealthOptions, StatusPageOptions } from '../../farm';
import { CommandError } from '../errors';
import { explain, joinNegativeNumbers } from '../options/argument-errors';

const ACTIONS = ['add', 'work', 'status', 'failed', 'retry', 'drain', 'clean', 'pause', 'resume'] as const;
type Action = (typeof ACTIONS)[number];

export const FARM_OPTIONS = {
  queue: { type: 'string' },
  redis: { type: 'string' },
  'redis-ca': { type: 'string' },
  json: { type: 'boolean' },
  quiet: { type: 'boolean', short: 'q' },
  input: { type: 'string' },
  priority: { type: 'string' },
  attempts: { type: 'string' },
  backoff: { type: 'string' },
  delay: { type: 'string' },
  chunk: { type: 'string' },
  wait: { type: 'boolean' },
  output: { type: 'string', short: 'o' },
  concurrency: { type: 'string' },
  modules: { type: 'string' },
  timeout: { type: 'string' },
  memory: { type: 'string' },
  threads: { type: 'string' },
  rate: { type: 'string' },
  keep: { type: 'string' },
  grace: { type: 'string' },
  'input-addresses': { type: 'string' },
  'allow-network': { type: 'boolean' },
  'allow-external': { type: 'boolean' },
  'allow-private-network': { type: 'boolean' },
  overwrite: { type: 'boolean' },
  'input-cache': { type: 'string' },
  'until-empty': { type: 'boolean' },
  health: { type: 'string' },
  telemetry: { type: 'string' },
  watch: { type: 'boolean' },
  page: { type: 'boolean' },
  port: { type: 'string' },
  host: { type: 'string' },
  code: { type: 'string' },
  failed: { type: 'boolean' },
  older: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

type Name = keyof typeof FARM_OPTIONS;
type Values = { [N in Name]?: (typeof FARM_OPTIONS)[N]['type'] extends 'boolean' ? boolean : string };

/** Options of each action, besides those of all. */
const OF_ACTION: Record<Action, readonly Name[]> = {
  add: ['input', 'priority', 'attempts', 'backoff', 'delay', 'chunk', 'allow-private-network', 'wait', 'quiet'],
  work: [
    ...([
      'output',
      'input',
      'concurrency',
      'modules',
      'timeout',
      'memory',
      'threads',
      'rate',
      'keep',
      'grace',
    ] as const),
    ...(['input-addresses', 'allow-network', 'allow-external', 'until-empty', 'quiet'] as const),
    ...(['health', 'host', 'telemetry', 'allow-private-network', 'overwrite', 'input-cache'] as const),
  ],
  status: ['watch', 'page', 'port', 'host', 'output'],
  failed: ['code'],
  retry: ['code'],
  drain: [],
  clean: ['failed', 'older'],
  pause: [],
  resume: [],
};
const OF_ALL: readonly Name[] = ['queue', 'redis', 'redis-ca', 'json', 'help'];

interface FarmBase {
  kind: 'farm';
  queue: string;
  redis: { url: string | undefined; ca: string | undefined };
  json: boolean;
}

export interface FarmAdd extends FarmBase {
  action: 'add';
  /** Path of the file of jobs, or `-` for standard input. */
  file: string;
  /** Folder of the inputs. */
  input: string | undefined;
  options: { priority?: number; attempts?: number; backoffMs?: number; delayMs?: number; chunk?: number };
  allowPrivateNetwork: boolean;
  wait: boolean;
  quiet: boolean;
}

export interface FarmWork extends FarmBase {
  action: 'work';
  output: string;
  input: string | undefined;
  concurrency: number | undefined;
  modules: Record<string, string>;
  timeoutMs: number | undefined;
  memoryBytes: number | undefined;
  threads: number | undefined;
  rate: { jobs: number; milliseconds: number } | undefined;
  keep: number | undefined;
  graceMs: number | undefined;
  inputAddresses: string[];
  allowNetwork: boolean;
  allowExternal: boolean;
  allowPrivateNetwork: boolean;
  overwrite: boolean;
  inputCacheBytes: number | undefined;
  untilEmpty: boolean;
  /** Where probes are answered. */
  health: HealthOptions | undefined;
  /** Path of the module that registers an SDK of OpenTelemetry. */
  telemetry: string | undefined;
  quiet: boolean;
}

/** Arguments of `rasterloom farm`. */
export type FarmCommand =
  | FarmAdd
  | FarmWork
  | (FarmBase & { action: 'status'; watch: boolean; page: StatusPageOptions | undefined })
  | (FarmBase & { action: 'failed' | 'retry'; code: string | undefined; ids: string[] })
  | (FarmBase & { action: 'clean'; state: 'completed' | 'failed'; olderMs: number })
  | (FarmBase & { action: 'drain' | 'pause' | 'resume' });

const HINT = '"rasterloom farm --help"';
const SECOND = 1000;
const MIB = 1024 * 1024;

/** Parses the arguments; the first positional one is `farm` itself. @throws CommandError */
export function parseFarm(words: readonly string[]): FarmCommand | { kind: 'help'; topic: 'farm' } {
  let parsed;
  try {
    parsed = parseArgs({
      args: joinNegativeNumbers(words),
      options: FARM_OPTIONS,
      allowPositionals: true,
      strict: true,
    });
  } catch (error) {
    throw new CommandError(explain(error, words, Object.keys(FARM_OPTIONS), HINT));
  }
  const values: Values = parsed.values;
  const [, name, ...rest] = parsed.positionals;
  if (values.help) return { kind: 'help', topic: 'farm' };
  const action = actionOf(name);
  checkValues(action, values);
  const base = {
    kind: 'farm',
    queue: values.queue ?? 'default',
    redis: { url: values.redis, ca: values['redis-ca'] },
    json: values.json ?? false,
  } as const;
  if (action === 'add') return { ...base, action, ...parseAdd(values, rest) };
  if (action === 'failed' || action === 'retry') {
    if (action === 'failed') checkNothing(action, rest);
    return { ...base, action, code: values.code, ids: rest };
  }
  checkNothing(action, rest);
  if (action === 'work') return { ...base, action, ...parseWork(values) };
  if (action === 'status') return parseStatus(base, values);
  if (action !== 'clean') return { ...base, action };
  const olderMs = number('--older', values.older ?? '0', [0, 1e9], 'seconds') * SECOND;
  return { ...base, action, state: values.failed ? 'failed' : 'completed', olderMs };
}

function actionOf(name: string | undefined): Action {
  const action = ACTIONS.find((each) => each === name);
  if (action) return action;
  const all = ACTIONS.join(', ');
  if (name === undefined) throw new CommandError(`After "rasterloom farm" comes one of ${all}. See ${HINT}.`);
  const hint = closestWord(name, ACTIONS);
  throw new CommandError(
    `There is no command "rasterloom farm" with ${quoted(name)}.${hint ? ` Did you mean ${hint}?` : ''} `
      + `After farm comes one of ${all}. See ${HINT}.`
  );
}

function checkValues(action: Action, values: Values): void {
  const known = [...OF_ACTION[action], ...OF_ALL];
  const wrong = (Object.keys(values) as Name[]).find((name) => !known.includes(name));
  if (wrong === undefined) return;
  const others = ACTIONS.filter((each) => OF_ACTION[each].includes(wrong));
  throw new CommandError(`--${wrong} belongs to "rasterloom farm ${others.join('" or "')}". See ${HINT}.`);
}

function checkNothing(action: Action, rest: readonly string[]): void {
  if (rest.length > 0)
    throw new CommandError(`"rasterloom farm ${action}" takes options only, not ${quoted(rest[0])}. See ${HINT}.`);
}

function parseStatus(base: FarmBase, { watch = false, page = false, port, host, output }: Values): FarmCommand {
  if ((watch || page) && base.json)
    throw new CommandError(`--${watch ? 'watch' : 'page'} is a view for people; leave out --json.`);
  if (watch && page) throw new CommandError('--watch and --page are two views; leave out one of them.');
  const other = Object.entries({ port, host, output }).find(([, value]) => value !== undefined);
  if (!page && other) throw new CommandError(`--${other[0]} of "rasterloom farm status" needs --page.`);
  return {
    ...base,
    action: 'status',
    watch,
    page: page
      ? {
          port: whole('--port', port ?? '0', [0, 65_535]),
          ...(host === undefined ? {} : { host }),
          ...(output === undefined ? {} : { pictures: output }),
        }
      : undefined,
  };
}

function parseAdd(values: Values, rest: readonly string[]): Omit<FarmAdd, keyof FarmBase | 'action'> {
  const [file, ...more] = rest;
  if (file === undefined)
    throw new CommandError('A file of jobs is missing, or - for standard input: rasterloom farm add jobs.jsonl');
  if (more.length > 0)
    throw new CommandError(`Only one file of jobs can be added at a time, not also ${quoted(more[0])}.`);
  const { priority, attempts, backoff, delay, chunk } = values;
  return {
    file,
    input: values.input,
    options: {
      ...(priority === undefined ? {} : { priority: whole('--priority', priority, [0, 2_097_151]) }),
      ...(attempts === undefined ? {} : { attempts: whole('--attempts', attempts, [1, 100]) }),
      ...(backoff === undefined ? {} : { backoffMs: number('--backoff', backoff, [0, 3600], 'seconds') * SECOND }),
      ...(delay === undefined ? {} : { delayMs: number('--delay', delay, [0, 2_592_000], 'seconds') * SECOND }),
      ...(chunk === undefined ? {} : { chunk: whole('--chunk', chunk, [1, 10_000]) }),
    },
    allowPrivateNetwork: values['allow-private-network'] ?? false,
    wait: values.wait ?? false,
    quiet: values.quiet ?? false,
  };
}

function parseWork(values: Values): Omit<FarmWork, keyof FarmBase | 'action'> {
  const { output, concurrency, timeout, memory, threads, keep, grace, rate, health, host, telemetry } = values;
  const { 'input-cache': cache } = values;
  if (output === undefined)
    throw new CommandError(
      'The folder for outputs is missing, without which jobs could write anywhere: rasterloom farm work -o pictures'
    );
  if (health === undefined && host !== undefined)
    throw new CommandError('--host of "rasterloom farm work" needs --health.');
  return {
    output,
    input: values.input,
    concurrency: concurrency === undefined ? undefined : whole('--concurrency', concurrency, [1, 64]),
    modules: parseModules(values.modules),
    timeoutMs: timeout === undefined ? undefined : number('--timeout', timeout, [0.001, 86_400], 'seconds') * SECOND,
    memoryBytes: memory === undefined ? undefined : whole('--memory', memory, [256, 9_999_999]) * MIB,
    threads: threads === undefined ? undefined : whole('--threads', threads, [1, 1024]),
    rate: rate === undefined ? undefined : parseRate(rate),
    keep: keep === undefined ? undefined : whole('--keep', keep, [1, 10_000_000]),
    graceMs: grace === undefined ? undefined : number('--grace', grace, [0, 3600], 'seconds') * SECOND,
    inputAddresses: values['input-addresses']?.split(',').map((each) => each.trim()) ?? [],
    allowNetwork: values['allow-network'] ?? false,
    allowExternal: values['allow-external'] ?? false,
    allowPrivateNetwork: values['allow-private-network'] ?? false,
    overwrite: values.overwrite ?? false,
    inputCacheBytes: cache === undefined ? undefined : whole('--input-cache', cache, [0, 99_999_999]) * MIB,
    untilEmpty: values['until-empty'] ?? false,
    health:
      health === undefined
        ? undefined
        : { port: whole('--health', health, [0, 65_535]), ...(host === undefined ? {} : { host }) },
    telemetry,
    quiet: values.quiet ?? false,
  };
}

/** `name=path,name=path` */
function parseModules(text: string | undefined): Record<string, string> {
  const modules: Record<string, string> = {};
  for (const part of text?.split(',') ?? []) {
    const [, name, path] = /^\s*([A-Za-z0-9_.-]{1,200})=(.+)$/.exec(part) ?? [];
    if (name === undefined)
      throw new CommandError(`--modules must be names with paths, as in poster=./poster.mjs, not ${quoted(part)}.`);
    modules[name] = path;
  }
  return modules;
}

/** `10/s`, `600/min`. */
function parseRate(text: string): { jobs: number; milliseconds: number } {
  const [, jobs, unit] = /^([1-9]\d{0,5})\/(s|min|h)$/.exec(text) ?? [];
  if (jobs === undefined)
    throw new CommandError(`--rate must be jobs in a time, as in 10/s, 600/min or 50/h, not ${quoted(text)}.`);
  return { jobs: Number(jobs), milliseconds: { s: 1, min: 60, h: 3600 }[unit as 's' | 'min' | 'h'] * SECOND };
}

function whole(option: string, text: string, [least, most]: readonly [number, number]): number {
  const value = /^\d{1,8}$/.test(text) ? Number(text) : NaN;
  if (!(value >= least && value <= most))
    throw new CommandError(`${option} must be a whole number from ${least} to ${most}, not ${quoted(text)}.`);
  return value;
}

function number(option: string, text: string, [least, most]: readonly [number, number], unit: string): number {
  const value = /^(\d+\.?\d*|\.\d+)$/.test(text) ? Number(text) : NaN;
  if (!(value >= least && value <= most))
    throw new CommandError(`${option} must be a number of ${unit} from ${least} to ${most}, not ${quoted(text)}.`);
  return value;
}
