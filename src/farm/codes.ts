// Why a job has failed: one table for results, retries and the reference page (docs/reference/farm.md).

/** Codes of failed jobs, and whether another try can succeed. */
export const FARM_CODES = {
  /** The job is wrong: an unknown option, a module that is not in `modules`, an output that is no file. */
  'invalid-job': { retryable: false },
  /** The model, or a file that it names, cannot be read, is damaged or is not supported. */
  input: { retryable: false },
  /** A file that the model names could not be fetched from the network. */
  network: { retryable: true },
  /** The output cannot be written. */
  output: { retryable: true },
  /** Nothing can be seen in the picture. */
  empty: { retryable: false },
  /** No GPU device could be opened, or it failed. */
  device: { retryable: true },
  /** The job needs more memory than its budget. */
  memory: { retryable: false },
  /** The process tree exceeded `memoryBytes`, and this job had the largest process. */
  'memory-limit': { retryable: true },
  /** The job took longer than `timeoutMs`. */
  timeout: { retryable: true },
  /** The process or thread that ran the job ended. */
  crash: { retryable: true },
  /** No process or thread could be started. */
  start: { retryable: true },
  /** The module cannot be loaded, exports no function `render`, or returned something else than bytes. */
  'invalid-module': { retryable: false },
  /** The function `render` of the module threw. Its error may say by `retryable` that another try is no use. */
  module: { retryable: true },
  /** A bug in this package. */
  bug: { retryable: false },
} as const satisfies Record<string, { retryable: boolean }>;

/** Why a job has failed. The reference page of the farm explains each code. */
export type FarmCode = keyof typeof FARM_CODES;
