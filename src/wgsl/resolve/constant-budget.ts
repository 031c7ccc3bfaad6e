// Limits the size of constant expressions in a module. For example, joining two arrays into one forty times over takes
// only a kilobyte of text.

import { raiseLimitHint } from '../../base/shader-limits';
import type { Reporter } from '../messages';
import type { Span } from '../syntax';

/**
 * Constants with at most this many scalars, such as a matrix, are not counted. The length of the text limits their
 * number.
 */
const SMALL = 16;

export class ConstantBudget {
  private spent = 0;

  constructor(
    private readonly most: number,
    private readonly report: Reporter
  ) {}

  /** Counts the scalars of a value before it is created. Returns false if there are too many, with a single message. */
  spend(scalars: number, span: Span): boolean {
    if (scalars <= SMALL) return true;
    const before = this.spent;
    this.spent += scalars;
    if (this.spent <= this.most) return true;
    if (before <= this.most) this.report.error('too-many-constants', span, [], this.most, raiseLimitHint('constants'));
    return false;
  }
}
