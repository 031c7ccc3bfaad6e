// What a finished job leaves in Redis.

/** What a finished job leaves in Redis. */
export interface QueuedResult {
  readonly sha256: string;
  readonly bytes: number;
  /** The output, or the first of several. */
  readonly output?: string;
  /** Number of files. */
  readonly files: number;
  /** Whether an earlier run had written the output, so that nothing was drawn. */
  readonly reused: boolean;
  /** Time of this run. */
  readonly milliseconds: number;
}
