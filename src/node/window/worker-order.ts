// Messages between a web worker's object and its thread.
import type { ResourceLimits } from '../resource-options';

/** What the thread needs to run a script. */
export interface WorkerOrder {
  /** URL of the script, which relative URLs of the worker are relative to. */
  readonly url: string;
  readonly name: string;
  /** Text of a classic script; null: `url` is that of a module. */
  readonly text: string | null;
  /** URL of the package's module. */
  readonly rasterloom: string;
  /** Limits of the page that made the worker. */
  readonly limits: Omit<ResourceLimits, 'onMissing'>;
}

/** What a thread tells its object. */
export type WorkerNews =
  | { readonly kind: 'message'; readonly data: unknown }
  | { readonly kind: 'error'; readonly error: unknown; readonly text: string }
  /** Nothing is left to do after so many messages. */
  | { readonly kind: 'idle'; readonly received: number };
