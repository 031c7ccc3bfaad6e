// What a job says in Redis, and its checks. Whoever can write to Redis could write anything there, so a worker takes it
// as data: it names inputs, options and modules, and never code.
import { quoted } from '../../base/printable';
import { QueueError } from './errors';
import { isAddress } from './addresses';
import { checkFlow, SHEET_OPTIONS, type Flow } from './flows/flow';

/** A value of an option of the command. */
type OptionValue = string | number | boolean;

/** A picture of a glTF model: an input, an output, and options of the command by their long names. */
export interface QueuedRender {
  /** Left out with `sample: true`. */
  input?: string;
  output: string;
  [option: string]: OptionValue | undefined;
}

/** A job of a module that the worker knows by this name. */
interface QueuedModule {
  module: string;
  /** What the module gets: JSON. */
  data?: unknown;
  output?: string;
}

export type QueuedJob = QueuedRender | QueuedModule;

export const isModule = (job: QueuedJob): job is QueuedModule => 'module' in job;
export const isRender = (job: QueuedJob): job is QueuedRender => !('module' in job);

/** What a job says in Redis. Its id is its identity (identity.ts). */
export interface JobData {
  /** Version of the package that the job is for. */
  readonly version: string;
  /** The user's name for the job. */
  readonly name?: string;
  readonly job: QueuedJob;
  /** SHA-256 of the files that the job names, by their names; of an address, of its version (versionName()). */
  readonly inputs: Readonly<Record<string, string>>;
  /** The job is drawn in chunks, each of which has the same data. */
  readonly flow?: Flow;
}

/** What a flow says in Redis. */
export type FlowData = JobData & { readonly job: QueuedRender; readonly flow: Flow };

/** Whether a job that was checked is a flow. */
export const isFlow = (data: JobData): data is FlowData => data.flow !== undefined;

/** Most bytes of a job in Redis. */
const MAX_JOB_BYTES = 64 * 1024;
const MAX_TEXT = 4096;
const MAX_OUTPUT = 512;
const MAX_INPUTS = 1000;

/** What a worker lets jobs ask for. */
export interface JobRules {
  readonly version: string;
  /** Options of the command that a job may have. */
  readonly options: ReadonlySet<string>;
  /** Names of modules. */
  readonly modules: ReadonlySet<string>;
}

const refuse = (why: string): never => {
  throw new QueueError('invalid-job', `The job is refused: ${why}`);
};

/** Checks a job from Redis. @throws QueueError with the code `invalid-job` */
export function checkJobData(value: unknown, rules: JobRules): JobData {
  if (!isRecord(value)) return refuse('it is not an object');
  if (Buffer.byteLength(JSON.stringify(value)) > MAX_JOB_BYTES) refuse(`it is larger than ${MAX_JOB_BYTES >> 10} KiB`);
  checkNames(value, ['version', 'name', 'job', 'inputs', 'flow']);
  const { version, name, job, inputs, flow } = value;
  if (version !== rules.version)
    refuse(`it is for version ${quoted(version)} of rasterloom, and this worker has ${rules.version}`);
  if (name !== undefined) text(name, 'name', 200);
  if (!isRecord(inputs)) return refuse('"inputs" must be an object');
  const hashes = Object.entries(inputs);
  if (hashes.length > MAX_INPUTS) refuse(`it has more than ${MAX_INPUTS} inputs`);
  for (const [input, hash] of hashes)
    if (typeof hash !== 'string' || !/^[0-9a-f]{64}$/.test(hash))
      refuse(`the hash of ${quoted(input)} must have 64 hexadecimal digits`);
  if (!isRecord(job)) return refuse('"job" must be an object');
  if (flow !== undefined && (!isRecord(flow) || 'module' in job)) refuse('only pictures of a model are a flow');
  if ('module' in job) checkModule(job, rules.modules);
  else checkRender(job, isRecord(flow) && flow.sheet ? new Set([...rules.options, ...SHEET_OPTIONS]) : rules.options);
  if (isRecord(flow)) checkFlow(flow, job, rules.modules);
  return value as unknown as JobData;
}

function checkRender(job: Record<string, unknown>, options: ReadonlySet<string>): void {
  if (job.input !== undefined || job.sample !== true) text(job.input, 'input', MAX_TEXT);
  checkOutputName(job.output);
  checkOptions(job, options, ['input', 'output']);
}

function checkModule(job: Record<string, unknown>, modules: ReadonlySet<string>): void {
  checkNames(job, ['module', 'data', 'output']);
  const name = text(job.module, 'module', 200);
  if (!modules.has(name)) {
    const all = [...modules].map(quoted).join(', ') || 'none';
    refuse(`this worker has no module ${quoted(name)}; its modules are: ${all}`);
  }
  if (job.output !== undefined) checkOutputName(job.output);
}

function checkOptions(values: Record<string, unknown>, options: ReadonlySet<string>, others: readonly string[]): void {
  for (const [name, value] of Object.entries(values)) {
    if (others.includes(name)) continue;
    if (!options.has(name)) refuse(`there is no option ${quoted(name)} for a job of a queue`);
    if (typeof value === 'string') text(value, name, MAX_TEXT);
    else if (typeof value !== 'boolean' && !(typeof value === 'number' && Number.isFinite(value)))
      refuse(`${quoted(name)} must be a text, a number, true or false`);
  }
}

/** A name of an output is relative, and stays in its folder. Or it is an address, which the worker compares. */
function checkOutputName(value: unknown): string {
  const name = text(value, 'output', MAX_TEXT);
  const wrong = (why: string): never => refuse(`the output ${quoted(name)} ${why}`);
  const isOwn = (part: string): boolean => part.toLowerCase().startsWith('.rasterloom');
  if (name.split('/').some(isOwn)) wrong('has a name that the farm uses itself');
  if (isAddress(name)) {
    // It is one file. What is filled in an address would not be known in its encoded form.
    if (/[{}]/.test(name)) wrong('is an address with a placeholder; write a name below the output of the workers');
    return name;
  }
  if (name.length > MAX_OUTPUT) wrong(`is longer than ${MAX_OUTPUT} characters`);
  // The command fills {frame:3}.
  if (/[\u0000-\u001f\u007f\\:]/.test(name.replace(/\{frame:[1-9]\}/g, '')))
    wrong('has a control character, a backslash or a colon');
  const parts = name.split('/');
  if (parts[0] === '') wrong("is absolute; it must be relative to the worker's folder");
  if (parts.some((part) => part === '' || part === '.' || part === '..')) wrong('has an empty part, . or ..');
  if (parts.slice(0, -1).some((part) => /[{}]/.test(part))) wrong('has a placeholder in the name of a folder');
  return name;
}

function text(value: unknown, name: string, most: number): string {
  if (typeof value !== 'string' || value === '') return refuse(`${quoted(name)} must be a text`);
  if (value.length > most) refuse(`${quoted(name)} is longer than ${most} characters`);
  if (value.includes('\u0000')) refuse(`${quoted(name)} has a zero character`);
  return value;
}

function checkNames(value: Record<string, unknown>, known: readonly string[]): void {
  const unknown = Object.keys(value).find((name) => !known.includes(name));
  if (unknown !== undefined) refuse(`it has the unknown member ${quoted(unknown)}`);
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
