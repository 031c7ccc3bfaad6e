// Size limits for compiled programs; larger ones are interpreted. V8's compile time mostly grows with the bytes of a
// function, and partly with its number of locals times its number of branches. The effort to detect large programs must
// also be bounded. Programs with very many nodes are therefore rejected at once, and others as soon as they exceed a
// limit.

import { ProgramTooLargeError } from '../../base/errors';
import { raiseLimitHint } from '../../base/shader-limits';
import { countNodes, type IrProgram } from '../../ir';
import type { FunctionWriter } from '../wasm/writer';

/** V8's limits (wasm-limits.h) for the bytes of a function body and for its locals. */
const MAX_BODY_BYTES = 7_600_000;
const MAX_LOCALS = 50_000;
/**
 * Allowed product of locals and control flow edges and merges, per allowed byte of code. V8's compilers record every
 * local at every such place, at 20 bytes and 0.2 µs each. A path tracer of 102 kB of WGSL has 1.5 million records and
 * 670 kB of code.
 */
const NOTES_PER_BYTE = 2;
/** Bytes assumed per node of a program, a conservative value; most take 6 to 70 bytes. */
const BYTES_PER_NODE = 24;

/** The byte budget of one function, or of several that share it. */
export class CodeBudget {
  private readonly bytes: number;
  private readonly notes: number;
  /** Bytes of finished functions. */
  private written = 0;

  /** `codeBytes`: ShaderLimits.codeBytes. Throws ProgramTooLargeError if the program has too many nodes. */
  constructor(
    private readonly program: IrProgram,
    codeBytes: number
  ) {
    this.bytes = Math.min(codeBytes, MAX_BODY_BYTES);
    this.notes = NOTES_PER_BYTE * this.bytes;
    const nodes = countNodes(program.body);
    const most = Math.floor(codeBytes / BYTES_PER_NODE);
    if (nodes > most) this.refuse(`${nodes} nodes (limit ${most})`);
  }

  /** Checks a function, finished or not. Throws ProgramTooLargeError. */
  check({ code, locals, meetings }: FunctionWriter): void {
    const bytes = this.written + code.length;
    if (bytes <= this.bytes && locals.length < MAX_LOCALS && locals.length * meetings <= this.notes) return;
    this.refuse(
      `${bytes} bytes of code (limit ${this.bytes}) so far, ${locals.length} locals (limit ${MAX_LOCALS}), `
        + `times ${meetings} branches (limit ${this.notes})`
    );
  }

  /** Checks a finished function and counts its bytes for the following ones. */
  add(writer: FunctionWriter): void {
    this.check(writer);
    this.written += writer.code.length;
  }

  private refuse(what: string): never {
    const { kind, name } = this.program;
    throw new ProgramTooLargeError(
      `the ${kind} shader '${name}' is too large to be compiled: ${what}; `
        + `use smaller functions or fewer unrolled statements; ${raiseLimitHint('codeBytes')}`
    );
  }
}
