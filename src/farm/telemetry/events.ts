// What a farm reports while it works. The local pool, the queue's producer and its workers emit these events; metrics,
// traces, logs and the status page listen to them. Nothing here needs another package.

/** Where a job is: it waits, waits for a later time, is being run, has an output, or has failed for good. */
export type JobState = 'waiting' | 'delayed' | 'active' | 'completed' | 'failed';

/** Parts of a job, in order: read the input, load the model, draw, encode the picture, write the output. */
export type JobPhase = 'fetch' | 'load' | 'render' | 'encode' | 'store';

/** A job has changed its state. */
export interface JobEvent {
  readonly type: 'job';
  readonly id: string;
  /** Name that the job has in results; jobs of a queue have their identity as `id`. */
  readonly name?: string;
  readonly state: JobState;
  /** Frames of the chunk of an animation, as in `24-47`: the job is a part of the one with this name. */
  readonly chunk?: string;
  /** Number of this attempt, from 1. A job that becomes `delayed` or `waiting` after the first one is retried. */
  readonly attempt: number;
  /** When `active`: milliseconds for which the job could have run, and no worker was free. */
  readonly queuedMs?: number;
  /** When `completed`: the file or address, its SHA-256 in hexadecimal digits, and its size. */
  readonly output?: string;
  readonly sha256?: string;
  readonly bytes?: number;
  /** When `failed`, or when it will be retried: why. */
  readonly code?: string;
  readonly message?: string;
}

/** A phase of a job has ended. */
export interface PhaseEvent {
  readonly type: 'phase';
  readonly id: string;
  readonly phase: JobPhase;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly ms: number;
}

/** Resident memory of a worker with its processes. */
export interface MemoryEvent {
  readonly type: 'memory';
  readonly worker: string;
  readonly bytes: number;
  /** What they may take together; undefined: no limit is set. */
  readonly limit?: number;
}

/** A worker, or one of its processes, has started, was replaced, or has ended. */
export interface WorkerEvent {
  readonly type: 'worker';
  readonly worker: string;
  readonly state: 'started' | 'replaced' | 'stopping' | 'stopped';
  readonly reason?: string;
}

/** What a queue holds for workers of one version. */
export interface QueueEvent {
  readonly type: 'queue';
  readonly counts: Readonly<Record<JobState, number>>;
  /** Milliseconds for which the oldest waiting job has waited: the figure by which a farm is scaled. 0: none waits. */
  readonly ageMs: number;
  readonly isPaused?: boolean;
}

export type FarmEvent = JobEvent | PhaseEvent | MemoryEvent | WorkerEvent | QueueEvent;
export type FarmListener = (event: FarmEvent) => void;

/** Passes events to listeners. A listener that throws is removed, so that it cannot stop the farm. */
export class FarmEvents {
  readonly #listeners = new Set<FarmListener>();
  readonly #onBroken: (error: unknown) => void;

  /** @param onBroken gets what a listener has thrown */
  constructor(onBroken: (error: unknown) => void = (error) => process.emitWarning(String(error))) {
    this.#onBroken = onBroken;
  }

  /** Adds a listener. The returned function removes it. */
  on(listener: FarmListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  emit(event: FarmEvent): void {
    for (const listener of this.#listeners) {
      try {
        listener(event);
      } catch (error) {
        this.#listeners.delete(listener);
        this.#onBroken(error);
      }
    }
  }
}
