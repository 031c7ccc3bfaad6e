// What a pool sends to its workers for a job, and what they answer.
import type { FarmCode } from './codes';
import type { FarmStats, GltfJob } from './types';

/** What a worker may use for a job. */
export interface JobShare {
  /** Rendering threads. */
  readonly threads: number;
  /** Memory in bytes for devices, and again as much for the model. */
  readonly memoryBytes: number;
}

/** To a worker. */
export type JobWork =
  | {
      readonly kind: 'gltf';
      readonly job: GltfJob;
      readonly share: JobShare;
      /** Files of the pictures that the output is made of; undefined: they are drawn. */
      readonly frames: readonly string[] | undefined;
    }
  | ({ readonly kind: 'module'; readonly share: JobShare } & ModuleWork);

/** A call of a module's function `render`. */
export interface ModuleWork {
  readonly id: string;
  readonly attempt: number;
  /** Name and URL of the module. */
  readonly module: string;
  readonly url: string;
  readonly data: unknown;
  readonly output: string | undefined;
  /** Files of the pictures that the output is made of. */
  readonly frames: readonly string[] | undefined;
}

/** From a worker. */
export type JobAnswer =
  | {
      readonly sha256: string;
      readonly bytes: number;
      readonly output?: string;
      readonly data?: Uint8Array;
      readonly stats: FarmStats;
    }
  | {
      readonly code: FarmCode;
      readonly message: string;
      /** Undefined: as the table of codes says. */
      readonly retryable?: boolean;
    };
