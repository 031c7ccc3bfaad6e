/** What a disturbed farm did. */
export interface FaultReport {
  readonly jobs: number;
  readonly good: number;
  readonly hostile: number;
  /** Codes of hostile jobs with their numbers, by kind. */
  readonly reasons: Record<string, Record<string, number>>;
  readonly problems: string[];
  /** Jobs with more than one result. */
  readonly repeated: string[];
  readonly faults: { workersKilled: number; redisKilled: number; redisStopped: number };
  readonly seconds: number;
  readonly starts: number;
  /** Milliseconds that free workers waited for a job. */
  readonly startMs: { median: number; most: number };
}

export function runFaults(options: {
  jobs: number;
  period: number;
  model: string;
  size: string;
  workers: number;
  kill: [number, number];
  killJobs?: number;
  freezeMs: number;
  timeout: number;
  memory: number;
  seed?: number;
  progress?: (ended: number) => void;
}): Promise<FaultReport>;
