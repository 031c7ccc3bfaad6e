// The interface of fuzzing targets, for `npm run fuzz` and their short parts in the tests: a target takes a seed and
// reports mistakes.

/** Describes the mistake for a seed, the same on every machine; null if there is none. */
type Attempt = (seed: number) => Promise<string | null> | string | null;

export interface Target {
  /** What the target counts. */
  readonly what: string;
  /** Milliseconds that an attempt may take before the run ends and names its seed. */
  readonly maxAttemptMs: number;
  /**
   * Number of attempts after which the target is opened again, so that leftovers neither hide mistakes nor accumulate.
   */
  readonly reopenAfter: number;
  /** Distance between seeds; large by default, so that seeds share nothing. */
  readonly step?: number;
  open(): Promise<Attempt>;
}
