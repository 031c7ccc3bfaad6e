// Every message that the front end can give to a shader author, with one entry per mistake. The key is the diagnostic's
// code. No other file in src/wgsl contains error texts.

import type { Diagnostic, Note, Severity, Span } from '../base/diagnostics';
import { plain } from '../base/printable';
import { LEXICAL_MESSAGES } from './messages/syntax';
import { TYPE_MESSAGES } from './messages/types';
import { MODULE_MESSAGES } from './messages/module';

const MESSAGES = { ...LEXICAL_MESSAGES, ...TYPE_MESSAGES, ...MODULE_MESSAGES };

export type MessageCode = keyof typeof MESSAGES;

export type MessageArguments<C extends MessageCode> = Parameters<(typeof MESSAGES)[C]>;

/**
 * Maximum number of diagnostics per module. Readers stop earlier, and generated text can have a mistake in every line.
 */
const MAX_DIAGNOSTICS = 100;

/** Maximum number of names that are compared with unknown ones in a module; takes 0.1 s. */
const MAX_NAMES = 200_000;

/** Maximum length of an argument of a message, because the names of nested types can be long. */
const MAX_ARGUMENT_LENGTH = 300;

/** Collects the diagnostics of one module. */
export class Reporter {
  readonly diagnostics: Diagnostic[] = [];
  private errorCount = 0;
  private forgotten: { readonly codes: ReadonlySet<string>; met: boolean } | null = null;

  private names = 0;

  /** Passes the names through until the limit for the module is reached. */
  *counted(names: Iterable<string>): Iterable<string> {
    for (const name of names) {
      if (++this.names > MAX_NAMES) return;
      yield name;
    }
  }

  /** Whether no more diagnostics are accepted. Callers need not compute anything that is only used in messages. */
  get isFull(): boolean {
    return this.diagnostics.length >= MAX_DIAGNOSTICS;
  }

  get hasErrors(): boolean {
    return this.errorCount > 0;
  }

  /** Adds an error, for example `error('unknown-identifier', span, [note], name)`. */
  error<C extends MessageCode>(code: C, span: Span, notes: readonly Note[], ...args: MessageArguments<C>): void {
    this.add('error', code, span, notes, args);
  }

  warning<C extends MessageCode>(code: C, span: Span, notes: readonly Note[], ...args: MessageArguments<C>): void {
    this.add('warning', code, span, notes, args);
  }

  /** Adds a finding of a rule whose severity depends on diagnostic filters. */
  finding<C extends MessageCode>(
    severity: Severity,
    code: C,
    span: Span,
    notes: readonly Note[],
    ...args: MessageArguments<C>
  ): void {
    this.add(severity, code, span, notes, args);
  }

  /** Runs `body` and discards errors with these codes. `failed` tells whether there was one. */
  without<T>(codes: ReadonlySet<string>, body: () => T): { readonly result: T; readonly failed: boolean } {
    const outer = this.forgotten;
    this.forgotten = { codes, met: false };
    try {
      const result = body();
      return { result, failed: this.forgotten.met };
    } finally {
      this.forgotten = outer;
    }
  }

  /** Runs `body` as if it were outside `without`. */
  withAll<T>(body: () => T): T {
    const outer = this.forgotten;
    this.forgotten = null;
    try {
      return body();
    } finally {
      this.forgotten = outer;
    }
  }

  /** Whether an error already starts at this position. Avoids several messages for one mistake. */
  hasErrorAt(start: number): boolean {
    return this.diagnostics.some((d) => d.severity === 'error' && d.span.start === start);
  }

  /** Whether this diagnostic was already reported at this position. */
  wasReported(code: MessageCode, start: number): boolean {
    return this.diagnostics.some((d) => d.code === code && d.span.start === start);
  }

  /** Whether an error starts in [start, end). */
  hasErrorWithin(start: number, end: number): boolean {
    return (
      this.errorCount > 0
      && this.diagnostics.some((d) => d.severity === 'error' && d.span.start >= start && d.span.start < end)
    );
  }

  private add(
    severity: Severity,
    code: MessageCode,
    span: Span,
    notes: readonly Note[],
    args: readonly unknown[]
  ): void {
    if (this.forgotten?.codes.has(code) === true) {
      this.forgotten.met = true;
      return;
    }
    if (severity === 'error') this.errorCount++;
    if (this.isFull) return;
    const write = MESSAGES[code] as (...values: readonly unknown[]) => string;
    const message = write(...args.map((arg) => (typeof arg === 'string' ? plain(arg, MAX_ARGUMENT_LENGTH) : arg)));
    this.diagnostics.push(
      notes.length > 0 ? { code, severity, message, span, notes } : { code, severity, message, span }
    );
  }
}
