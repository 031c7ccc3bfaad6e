import { plain } from '../base/printable';

export const GLTF_ERROR_CODES = [
  'invalid',
  'unsupported',
  'too-large',
  'resource',
  'not-found',
  'empty',
  'view',
  'device',
] as const;

/**
 * Why a model cannot be read or drawn.
 *
 * - `'invalid'`: the file is damaged, or is no glTF 2.0.
 * - `'unsupported'`: the file is valid, and needs something that is not supported.
 * - `'too-large'`: it needs more memory than the budget, or exceeds another limit.
 * - `'resource'`: the file, or one that it names, cannot be read or may not be read.
 * - `'not-found'`: it has no such scene, camera, animation or variant.
 * - `'empty'`: there is nothing to draw.
 * - `'view'`: nothing can be seen with these options.
 * - `'device'`: the GPU device has failed, or has too little memory.
 */
export type GltfErrorCode = (typeof GLTF_ERROR_CODES)[number];

/** A model that cannot be read or drawn. The message is one sentence for the person who chose the file. */
export class GltfError extends Error {
  override readonly name = 'GltfError';
  readonly code: GltfErrorCode;

  constructor(message: string, { code = 'invalid', cause }: { code?: GltfErrorCode; cause?: unknown } = {}) {
    super(message, cause === undefined ? {} : { cause });
    this.code = code;
  }
}

export { GltfError as ModelError };

/** Message in Jest, which runs code in contexts without ES modules. */
const MODULES_UNAVAILABLE =
  'its decoder is an ES module, which this context can load only if Node is started with '
  + 'NODE_OPTIONS=--experimental-vm-modules';

const MAX_MESSAGE_LENGTH = 300;

/** The message of any thrown value, to be used in a sentence. */
export function messageOf(thrown: unknown): string {
  // The code ends with _MISSING, or with _MISSING_FLAG if only the flag is missing. The error belongs to another realm,
  // so instanceof does not work.
  if (/^ERR_VM_DYNAMIC_IMPORT_CALLBACK_MISSING/.test(String((thrown as { code?: unknown } | null)?.code)))
    return MODULES_UNAVAILABLE;
  // Libraries may throw objects that are no Errors.
  const said = typeof thrown === 'object' && thrown !== null && 'message' in thrown ? thrown.message : thrown;
  // Libraries quote names from the file, so the text is escaped.
  return plain(String(said), MAX_MESSAGE_LENGTH);
}
