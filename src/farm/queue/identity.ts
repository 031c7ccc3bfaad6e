// The identity of a job: a hash of what decides the bits of its output. It is the id of the job in Redis, so that a job
// that is added twice is one job.
import { createHash } from 'node:crypto';
import { stableAddress, isAddress } from './addresses';
import { isRender, type JobData, type QueuedJob } from './job-data';

/** Options that change no bit of a picture. */
const NEUTRAL = new Set(['threads', 'engine', 'no-shader-cache', 'model-memory', 'allow-external', 'allow-network']);

/**
 * SHA-256, as hexadecimal digits, of the version of the package, the job, and the content of its inputs. Not of their
 * names, except those of addresses whose content is unknown: they count with their versions.
 */
export function identityOf({ version, job, inputs, flow }: Omit<JobData, 'name'>): string {
  const hashes = Object.entries(inputs).sort(byName);
  const { sheet, encoder } = flow ?? {};
  // The size of chunks changes no bit.
  const made = sheet || encoder ? [{ sheet, encoder }] : [];
  return createHash('sha256')
    .update(canonical([version, describe(job, inputs), hashes.map(([, hash]) => hash), ...made]))
    .digest('hex');
}

/** A job without what changes no bit, with options as texts: 64 and "64" are the same. */
function describe(job: QueuedJob, inputs: JobData['inputs']): unknown {
  if (!isRender(job)) return job;
  const options = Object.entries(job).filter(([name, value]) => !NEUTRAL.has(name) && value !== false);
  return Object.fromEntries(options.map(([name, value]) => [name, nameOf(String(value), inputs)]));
}

/** A file by its hash, an address by what does not change of it; another value as it is. */
const nameOf = (value: string, inputs: JobData['inputs']): string =>
  inputs[value] ?? (isAddress(value) ? stableAddress(value) : value);

const byName = ([a]: [string, unknown], [b]: [string, unknown]): number => (a < b ? -1 : 1);

/** JSON whose members are sorted by their names. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(byName);
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join(',')}}`;
}
