// Checks a body while it passes: its length, its limit and its hash.
import { createHash } from 'node:crypto';
import { Transform, type TransformCallback } from 'node:stream';
import type { Subject } from './errors';

export interface BodyLimits {
  /** Most bytes that may pass. */
  readonly limit: number;
  readonly bytes?: number;
  /** In hexadecimal digits. */
  readonly sha256?: string;
}

/**
 * Passes bytes on with back-pressure. It fails before it ends if they are not those that were announced, so that
 * `pipeline` never completes with a truncated or altered body.
 */
export class BodyCheck extends Transform {
  readonly #hash = createHash('sha256');
  readonly #limits: BodyLimits;
  readonly #subject: Subject;
  #size = 0;
  #digest: string | undefined;

  constructor(subject: Subject, limits: BodyLimits) {
    super();
    this.#subject = subject;
    this.#limits = limits;
  }

  get size(): number {
    return this.#size;
  }

  /** SHA-256 of the complete body, in hexadecimal digits. */
  get sha256(): string {
    return (this.#digest ??= this.#hash.digest('hex'));
  }

  override _transform(piece: Uint8Array, _: BufferEncoding, done: TransformCallback): void {
    this.#size += piece.length;
    const { limit, bytes } = this.#limits;
    if (bytes !== undefined && this.#size > bytes) return done(this.#wrongLength(bytes));
    if (this.#size > limit) return done(this.#subject.error('too-large', `is larger than ${limit} bytes`));
    this.#hash.update(piece);
    done(null, piece);
  }

  override _flush(done: TransformCallback): void {
    const { bytes, sha256 } = this.#limits;
    if (bytes !== undefined && this.#size !== bytes) return done(this.#wrongLength(bytes));
    if (sha256 !== undefined && this.sha256 !== sha256)
      return done(
        this.#subject.error(
          'altered',
          `has changed: its SHA-256 is ${this.sha256}, and the job names ${sha256}; add the job again for the new file`
        )
      );
    done();
  }

  #wrongLength(bytes: number): Error {
    const found = this.#size > bytes ? 'more' : String(this.#size);
    return this.#subject.error('altered', `has another length: ${bytes} bytes were announced, and it has ${found}`);
  }
}
