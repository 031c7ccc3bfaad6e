// `rasterloom farm`: jobs in a queue in Redis, for workers on any number of machines.
import type { FarmEvents, FarmWorker, FarmWorkerOptions } from '../../farm';
import { quoted } from '../../base/printable';
import { EXIT, CommandError, FarmError, InputError, OutputError } from '../errors';
import type { Input } from '../input';
import { writeTextTo, type Terminal } from '../progress';
import { describeFailed, describeStatus, jsonOf } from './describe';
import type { FarmAdd, FarmCommand, FarmWork } from './farm-options';
import { readQueueJobs } from './jobs-file';
import { watchQueue } from './live-view';
import { serving, startTelemetry } from './observe';

export { exitCodeOf, explain } from '../explain';

export interface FarmEnvironment {
  readonly stdin: Input;
  readonly stdout: Terminal;
  readonly stderr: Terminal;
  readonly version: string;
}

type Farm = typeof import('../../farm');

/** Pause between two questions whether the queue is empty. */
const EMPTY_POLL_MS = 1000;

/** @returns the exit code @throws CommandError */
export async function farmCommand(command: FarmCommand, environment: FarmEnvironment): Promise<number> {
  const farm = await import('../../farm');
  try {
    if (command.action === 'add') return await add(command, environment, farm);
    if (command.action === 'work') return await work(command, environment, farm);
    return await operate(command, environment, farm);
  } catch (error) {
    throw explained(error, farm);
  }
}

/** The error of the library as one of the command. */
function explained(error: unknown, { QueueError, StorageError }: Farm): unknown {
  const sentence = (): string => `${(error as Error).message}.`;
  if (error instanceof StorageError || error instanceof TypeError)
    return new CommandError(sentence(), { cause: error });
  if (!(error instanceof QueueError)) return error;
  const Kind = { redis: FarmError, package: FarmError, input: InputError, network: InputError, output: OutputError };
  return new (error.code in Kind ? Kind[error.code as keyof typeof Kind] : CommandError)(sentence(), { cause: error });
}

const accessOf = ({ queue, redis }: FarmCommand): Pick<FarmCommand, 'queue' | 'redis'> => ({ queue, redis });

async function add(command: FarmAdd, { stdin, stdout, stderr }: FarmEnvironment, farm: Farm): Promise<number> {
  const { file, input = '.', options, allowPrivateNetwork, wait, json, quiet } = command;
  const jobs = await readQueueJobs(file, input, stdin);
  const producer = await farm.FarmProducer.open({ ...accessOf(command), input, allowPrivateNetwork });
  const out = writeTextTo(stdout);
  try {
    if (!wait) {
      const added = await producer.addAll(jobs, options);
      if (json) out(jsonOf(added));
      else if (!quiet) out(`Added ${jobsOf(added.added)}${added.known > 0 ? `; ${added.known} were known` : ''}.\n`);
      return EXIT.done;
    }
    let failed = 0;
    for await (const result of producer.results(jobs, options)) {
      if (result.code !== undefined) failed++;
      if (json) out(jsonOf(result));
      else if (result.code !== undefined) writeTextTo(stderr)(`rasterloom: ${quoted(result.id)}: ${result.message}\n`);
      else if (!quiet) out(`${result.output ?? result.id}\n`);
    }
    return failed > 0 ? EXIT.no : EXIT.done;
  } finally {
    await producer.close();
  }
}

const jobsOf = (count: number): string => `${count} job${count === 1 ? '' : 's'}`;

async function work(command: FarmWork, environment: FarmEnvironment, farm: Farm): Promise<number> {
  const { health, telemetry, quiet } = command;
  const err = writeTextTo(environment.stderr);
  const events = new farm.FarmEvents();
  const counts = report(events, command, environment, farm);
  let worker: FarmWorker | undefined;
  /** What ends with the worker. */
  const closing: (() => Promise<void>)[] = [];
  try {
    if (telemetry !== undefined) closing.push(await startTelemetry(telemetry, events, farm));
    if (health) {
      const probes = await serving(() => farm.serveHealth(() => worker?.isReady ?? false, health));
      closing.push(() => probes.close());
      if (!quiet) err(`Probes are answered at ${probes.url}healthz and ${probes.url}readyz.\n`);
    }
    worker = await farm.createFarmWorker({ ...workerOptions(command), events });
    if (!quiet) err(`Worker ${worker.id} takes jobs of the queue ${command.queue}.\n`);
    await (command.untilEmpty ? Promise.race([signalled(), emptied(command, environment.version, farm)]) : signalled());
    await worker.close();
  } finally {
    for (const close of closing.reverse()) await close();
  }
  return command.untilEmpty && counts.failed > 0 ? EXIT.no : EXIT.done;
}

function workerOptions(command: FarmWork): FarmWorkerOptions {
  const { output, input, concurrency, modules, timeoutMs, memoryBytes, threads, rate, keep, graceMs } = command;
  const { inputCacheBytes } = command;
  const given = { input, concurrency, timeoutMs, memoryBytes, threads, rate, graceMs, inputCacheBytes };
  return {
    ...accessOf(command),
    ...(Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as typeof given as object),
    output,
    modules,
    ...(keep === undefined ? {} : { keep: { count: keep } }),
    inputAddresses: command.inputAddresses,
    allowNetwork: command.allowNetwork,
    allowExternal: command.allowExternal,
    allowPrivateNetwork: command.allowPrivateNetwork,
    overwrite: command.overwrite,
  };
}

/** Resolves with the first signal that asks to end. A second one ends the process at once. */
const signalled = (): Promise<void> =>
  new Promise((resolve) => {
    const end = (): void => {
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, end);
      resolve();
    };
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, end);
  });

/** Resolves when no job of this version waits or runs. */
async function emptied(command: FarmWork, version: string, farm: Farm): Promise<void> {
  const queue = await farm.FarmQueue.open(accessOf(command));
  try {
    for (;;) {
      await new Promise((resolve) => setTimeout(resolve, EMPTY_POLL_MS));
      const { versions } = await queue.status();
      const own = versions.find((each) => each.version === version)?.counts;
      if (own === undefined || own.waiting + own.delayed + own.active === 0) return;
    }
  } finally {
    await queue.close();
  }
}

/** Prints what becomes of jobs, and counts them. */
function report(
  events: FarmEvents,
  { json, quiet }: FarmWork,
  { stdout, stderr }: FarmEnvironment,
  farm: Farm
): { failed: number } {
  const counts = { failed: 0 };
  const out = writeTextTo(stdout);
  const err = writeTextTo(stderr);
  if (json) farm.logFarm(events, out);
  events.on((event) => {
    if (event.type === 'job' && event.state === 'failed') counts.failed++;
    if (json) return;
    if (event.type === 'worker' && event.reason !== undefined) err(`rasterloom: ${event.reason}\n`);
    if (event.type !== 'job') return;
    const { id, name = '' } = event;
    const job = name === '' ? id.slice(0, 12) : `${id.slice(0, 12)} ${quoted(name)}`;
    if (event.state === 'completed' && !quiet && event.chunk === undefined) out(`${event.output ?? event.id}\n`);
    if (event.state === 'failed') err(`rasterloom: ${job}: ${event.code}: ${event.message}\n`);
    if (event.state === 'delayed' && !quiet) err(`rasterloom: ${job}: ${event.message} It will be tried again.\n`);
  });
  return counts;
}

async function operate(
  command: Exclude<FarmCommand, FarmAdd | FarmWork>,
  { stdout }: FarmEnvironment,
  farm: Farm
): Promise<number> {
  const queue = await farm.FarmQueue.open(accessOf(command));
  const text = writeTextTo(stdout);
  /** Prints an answer, as JSON or as a sentence. */
  const say = (answer: object, sentence: string): void => text(command.json ? jsonOf(answer) : sentence);
  try {
    switch (command.action) {
      case 'status': {
        if (command.page) {
          const { page: options } = command;
          const page = await serving(() => farm.serveStatus(queue, options));
          text(`The status is at ${page.url}\n`);
          await signalled();
          await page.close();
        } else if (command.watch && stdout.isTTY) {
          const stop = new AbortController();
          void signalled().then(() => stop.abort());
          await watchQueue(queue, stdout, stop.signal);
        } else {
          const status = await queue.status();
          text(command.json ? jsonOf(status, 2) : `${describeStatus(status).join('\n')}\n`);
        }
        break;
      }
      case 'failed':
        for await (const job of queue.failed({ code: command.code })) say(job, `${describeFailed(job)}\n`);
        break;
      case 'retry': {
        const ids = command.ids.length > 0 ? command.ids : undefined;
        const retried = await queue.retry({ code: command.code, ids });
        say({ retried }, `${jobsOf(retried)} will run again.\n`);
        return ids !== undefined && retried < ids.length ? EXIT.no : EXIT.done;
      }
      case 'drain': {
        const removed = await queue.drain();
        say({ removed }, `Removed ${jobsOf(removed)} that had not started.\n`);
        break;
      }
      case 'clean': {
        const removed = await queue.clean(command.state, command.olderMs);
        say({ removed }, `Removed ${jobsOf(removed)} from Redis.\n`);
        break;
      }
      case 'pause':
        await queue.pause();
        say({ isPaused: true }, 'The queue is paused: running jobs end, and no others start.\n');
        break;
      case 'resume':
        await queue.resume();
        say({ isPaused: false }, 'The queue goes on.\n');
    }
    return EXIT.done;
  } finally {
    await queue.close();
  }
}
