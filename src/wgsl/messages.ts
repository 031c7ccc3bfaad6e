// Every message that the front end can give a shader author, one entry per mistake. The key is the
// diagnostic's code. Nothing else in src/wgsl writes an error text.

import type { Diagnostic, Note, Severity, Span } from '../base/diagnostics';
import { plain } from '../base/printable';
import { LEXICAL_MESSAGES } from './messages/syntax';
import { TYPE_MESSAGES } from './messages/types';
import { MODULE_MESSAGES } from './messages/module';

const MESSAGES = { ...LEXICAL_MESSAGES, ...TYPE_MESSAGES, ...MODULE_MESSAGES };

export type MessageCode = keyof typeof MESSAGES;

export type MessageArguments<C extends MessageCode> = Parameters<(typeof MESSAGES)[C]>;

/** Most diagnostics that one module gets: nobody reads further, and generated text can have a mistake in every line. */
const MAX_DIAGNOSTICS = 100;

/** Names that are compared with unknown ones, for all of a module: a tenth of a second. */
const MOST_NAMES = 200_000;

/** Of what a message names: types of types can be long. */
const LONGEST_ARGUMENT = 300;

/** Collects the diagnostics of one module. */
export class Reporter {
  readonly diagnostics: Diagnostic[] = [];
  private errorCount = 0;
  private forgotten: { readonly codes: ReadonlySet<string>; met: boolean } | null = null;

  private names = 0;

  /** The names, as long as there may be more. */
  *counted(names: Iterable<string>): Iterable<string> {
    for (const name of names) {
      if (++this.names > MOST_NAMES) return;
      yield name;
    }
  }

  /** Whether nothing more is told: what only goes into messages need not be found. */
  get isFull(): boolean {
    return this.diagnostics.length >= MAX_DIAGNOSTICS;
  }

  get hasErrors(): boolean {
    return this.errorCount > 0;
  }

  /** Adds an error: `error('unknown-identifier', span, [note], name)`. */
  error<C extends MessageCode>(code: C, span: Span, notes: readonly Note[], ...args: MessageArguments<C>): void {
    this.add('error', code, span, notes, args);
  }

  warning<C extends MessageCode>(code: C, span: Span, notes: readonly Note[], ...args: MessageArguments<C>): void {
    this.add('warning', code, span, notes, args);
  }

  /** What a rule finds, of which filters say how severe it is. */
  finding<C extends MessageCode>(
    severity: Severity, code: C, span: Span, notes: readonly Note[], ...args: MessageArguments<C>
  ): void {
    this.add(severity, code, span, notes, args);
  }

  /** Runs `body` and forgets errors of these codes; `failed` says whether one of them was met. */
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

  /** Runs `body` as if it did not stand in `without`. */
  withAll<T>(body: () => T): T {
    const outer = this.forgotten;
    this.forgotten = null;
    try {
      return body();
    } finally {
      this.forgotten = outer;
    }
  }

  /** True when an error starts at the same place already; used to give one message per mistake. */
  hasErrorAt(start: number): boolean {
    return this.diagnostics.some((d) => d.severity === 'error' && d.span.start === start);
  }

  /** True when this has been told of the place. */
  hasToldOf(code: MessageCode, start: number): boolean {
    return this.diagnostics.some((d) => d.code === code && d.span.start === start);
  }

  /** True when an error starts in [start, end). */
  hasErrorWithin(start: number, end: number): boolean {
    return this.errorCount > 0
      && this.diagnostics.some((d) => d.severity === 'error' && d.span.start >= start && d.span.start < end);
  }

  private add(
    severity: Severity, code: MessageCode, span: Span, notes: readonly Note[], args: readonly unknown[]
  ): void {
    if (this.forgotten?.codes.has(code) === true) {
      this.forgotten.met = true;
      return;
    }
    if (severity === 'error') this.errorCount++;
    if (this.isFull) return;
    const write = MESSAGES[code] as (...values: readonly unknown[]) => string;
    const message = write(...args.map((arg) => (typeof arg === 'string' ? plain(arg, LONGEST_ARGUMENT) : arg)));
    this.diagnostics.push(
      notes.length > 0 ? { code, severity, message, span, notes } : { code, severity, message, span }
    );
  }
}
