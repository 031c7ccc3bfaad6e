import { plain } from '../base/printable';

/** A model that cannot be read or drawn. The message is one sentence for the person who chose the file. */
export class ModelError extends Error {
  override readonly name = 'ModelError';
}

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
