// Determines the severity of a rule's findings at a position in the text, from directives and `@diagnostic` attributes
// (WGSL §2.3, "Diagnostic Filtering"). The attribute of the innermost construct around the position decides.

import type { Attribute, Directive, Span } from '../syntax';
import { SEVERITIES } from './declarations/directives';
import { word } from './type-expressions';

type RuleSeverity = 'error' | 'warning' | 'info' | 'off';

interface Filter {
  readonly rule: string;
  readonly severity: RuleSeverity;
  readonly span: Span;
}

/** The severity without any filter. */
const DEFAULT: RuleSeverity = 'error';

export class Severities {
  private readonly filters: Filter[] = [];
  private readonly whole = new Map<string, RuleSeverity>();

  constructor(directives: readonly Directive[]) {
    for (const {
      kind,
      names: [severity, ...rule],
    } of directives) {
      if (kind === 'diagnostic' && severity !== undefined && SEVERITIES.has(severity.text))
        this.whole.set(rule.map(({ text }) => text).join('.'), severity.text as RuleSeverity);
    }
  }

  /** Records the attributes of the construct at `span`. */
  note(attributes: readonly Attribute[], span: Span): void {
    for (const {
      name,
      args: [severity, rule],
    } of attributes) {
      if (name.text !== 'diagnostic' || severity === undefined || rule === undefined) continue;
      const [text, about] = [word(severity), word(rule)];
      if (text !== null && about !== null && SEVERITIES.has(text))
        this.filters.push({ rule: about, severity: text as RuleSeverity, span });
    }
  }

  /** Whether findings of the rule are reported anywhere. */
  canReport(rule: string): boolean {
    return (
      (this.whole.get(rule) ?? DEFAULT) !== 'off'
      || this.filters.some((filter) => filter.rule === rule && filter.severity !== 'off')
    );
  }

  at(rule: string, place: Span): RuleSeverity {
    let innermost: Filter | null = null;
    for (const filter of this.filters) {
      const { start, end } = filter.span;
      if (filter.rule !== rule || place.start < start || place.end > end) continue;
      if (innermost === null || end - start <= innermost.span.end - innermost.span.start) innermost = filter;
    }
    return innermost?.severity ?? this.whole.get(rule) ?? DEFAULT;
  }
}
