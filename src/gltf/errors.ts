import { plain } from '../base/printable';

/** A model that cannot be read or drawn: the message is one sentence for the person who chose the file. */
export class ModelError extends Error {
  override readonly name = 'ModelError';
}

/** Said in Jest, which runs programs in contexts without modules. */
const NEEDS_MODULES = 'what decodes it is an ES module, which this context loads only where Node was started with '
  + 'NODE_OPTIONS=--experimental-vm-modules';

const LONGEST_MESSAGE = 300;

/** The message of anything thrown, for joining into a sentence. */
export function messageOf(thrown: unknown): string {
  // …_MISSING, or …_MISSING_FLAG where the flag is all that is missing. No Error of the context's own realm.
  if (/^ERR_VM_DYNAMIC_IMPORT_CALLBACK_MISSING/.test(String((thrown as { code?: unknown } | null)?.code)))
    return NEEDS_MODULES;
  // Libraries throw objects of their own, which are no Errors.
  const said = typeof thrown === 'object' && thrown !== null && 'message' in thrown ? thrown.message : thrown;
  // Libraries quote names of the file.
  return plain(String(said), LONGEST_MESSAGE);
}
