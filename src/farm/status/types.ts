/** Counts of a queue, and its workers. `FarmQueue.status()` returns them. */
export interface StatusQueue {
  readonly queue: string;
  readonly isPaused: boolean;
  readonly counts: Readonly<Record<'waiting' | 'delayed' | 'active' | 'completed' | 'failed', number>>;
  /** Milliseconds for which the oldest waiting job has waited. */
  readonly ageMs: number;
  readonly workers: readonly {
    readonly id: string;
    readonly host: string;
    readonly version: string;
    readonly concurrency: number;
    readonly busy: number;
    readonly done: number;
    readonly failed: number;
  }[];
  /** Animations whose chunks are drawn. */
  readonly flows: readonly {
    readonly identity: string;
    readonly name: string | undefined;
    readonly output: string;
    readonly chunks: number;
    readonly drawn: number;
  }[];
}

/** A failed job. */
export interface StatusJob {
  readonly identity: string;
  readonly name: string | undefined;
  readonly code: string;
  readonly message: string;
  readonly attempts: number;
  /** Milliseconds since 1970. */
  readonly failedAt: number;
}

/** Where the status page gets its figures. A `FarmQueue` is one. */
export interface StatusSource {
  status(): Promise<StatusQueue>;
  /** Failed jobs, the newest first. */
  failed(): AsyncIterable<StatusJob>;
  /** Outputs of finished jobs, the newest first. */
  finishedOutputs(most: number): Promise<readonly string[]>;
}

/** A picture on the page. */
export interface StatusPicture {
  /** Relative to the folder of outputs. */
  readonly name: string;
  /** Changes when the file changes. */
  readonly version: number;
}

export interface StatusSnapshot {
  readonly queue: StatusQueue;
  readonly failed: readonly StatusJob[];
  readonly pictures: readonly StatusPicture[];
  readonly jobsPerSecond: number;
}

/** The queue did not answer. */
export interface StatusError {
  readonly error: string;
}
