// What `npm run fuzz` tries, and the short parts of it in the tests: a target takes a seed and says what is wrong.

/** What is wrong with what a seed makes, the same on every machine; null when all is well. */
export type Attempt = (seed: number) => Promise<string | null> | string | null;

export interface Target {
  /** Of what so many are tried. */
  readonly what: string;
  /** Milliseconds that one may take before the run ends and names its seed. */
  readonly mostMs: number;
  /** Attempts after which it is opened again: what one leaves behind must not hide what others do, or pile up. */
  readonly renewedAfter: number;
  /** From one seed to the next; by default far, so that seeds share nothing. */
  readonly step?: number;
  open(): Promise<Attempt>;
}
