// How large compiled programs may be: what is too large is interpreted. Most of what V8 takes for a function grows with
// its bytes, and some with its locals times its branches; what it takes to find that out must be bounded as well, so
// programs of very many nodes are not looked at, and others are given up where they grow too large.

import { ProgramTooLargeError } from '../../base/lost';
import { raisedBy } from '../../base/shader-limits';
import { countNodes, type IrProgram } from '../../ir';
import type { FunctionWriter } from '../wasm/writer';

/** V8's limits (wasm-limits.h): bytes of a function's body, its locals. */
const MOST_BODY_BYTES = 7_600_000;
const MOST_LOCALS = 50_000;
/**
 * Locals times places where ways of control part or meet, for each byte of code that there may be: V8's compilers note
 * every local at every such place (20 bytes and 0.2 µs each). A path tracer of 102 kB of WGSL has 1.5 million of them,
 * and 670 kB of code.
 */
const NOTES_PER_BYTE = 2;
/** A node of a program counts as so many bytes at the least: they are 6 to 70 mostly. */
const BYTES_PER_NODE = 24;

/** The bytes of one function, or of several that count together. */
export class CodeBudget {
  private readonly bytes: number;
  private readonly notes: number;
  /** Of functions that are done. */
  private written = 0;

  /** `codeBytes`: ShaderLimits.codeBytes. Throws ProgramTooLargeError where the program has too many nodes. */
  constructor(private readonly program: IrProgram, codeBytes: number) {
    this.bytes = Math.min(codeBytes, MOST_BODY_BYTES);
    this.notes = NOTES_PER_BYTE * this.bytes;
    const nodes = countNodes(program.body), most = Math.floor(codeBytes / BYTES_PER_NODE);
    if (nodes > most) this.refuse(`${nodes} nodes (limit ${most})`);
  }

  /** While a function is written, or when it is done. Throws ProgramTooLargeError. */
  check({ code, locals, meetings }: FunctionWriter): void {
    const bytes = this.written + code.length;
    if (bytes <= this.bytes && locals.length < MOST_LOCALS && locals.length * meetings <= this.notes) return;
    this.refuse(
      `${bytes} bytes of code (limit ${this.bytes}) so far, ${locals.length} locals (limit ${MOST_LOCALS}), times ${meetings} branches (limit ${this.notes})`
    );
  }

  /** A function is done, and others count with it. */
  add(writer: FunctionWriter): void {
    this.check(writer);
    this.written += writer.code.length;
  }

  private refuse(what: string): never {
    const { kind, name } = this.program;
    throw new ProgramTooLargeError(
      `the ${kind} program '${name}' is too large to be compiled: ${what}; use smaller functions or fewer unrolled statements; ${raisedBy('codeBytes')}`
    );
  }
}
