// The code of the farm for an error.
import type { FarmCode } from '../../farm/codes';
import type { JobAnswer } from '../../farm/jobs';
import { ModelError, type GltfErrorCode } from '../../gltf/errors';
import { EXIT, MemoryError, type CommandError } from '../errors';
import { exitCodeOf, explain } from '../explain';

const CODES_BY_EXIT: Partial<Record<CommandError['exitCode'], FarmCode>> = {
  [EXIT.usage]: 'invalid-job',
  [EXIT.input]: 'input',
  [EXIT.output]: 'output',
  [EXIT.device]: 'device',
  [EXIT.empty]: 'empty',
};

const CODES_OF_MODELS: Record<GltfErrorCode, FarmCode> = {
  invalid: 'input',
  unsupported: 'input',
  'too-large': 'memory',
  resource: 'input',
  'not-found': 'invalid-job',
  empty: 'empty',
  view: 'empty',
  device: 'device',
};

/** @param mayFetch whether the job may read files from the network, where errors may pass */
export function failureFor(error: unknown, mayFetch: boolean): Extract<JobAnswer, { code: FarmCode }> {
  const message = explain(error);
  if (error instanceof MemoryError) return { code: 'memory', message };
  if (!(error instanceof ModelError))
    return { code: CODES_BY_EXIT[exitCodeOf(error) as CommandError['exitCode']] ?? 'bug', message };
  const isOfNetwork = error.code === 'resource' && mayFetch;
  return { code: isOfNetwork ? 'network' : CODES_OF_MODELS[error.code], message };
}
