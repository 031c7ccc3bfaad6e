// What the constant expressions of a module may cost: two arrays joined in one, forty times over, are a kilobyte of
// text.

import { raisedBy } from '../../base/shader-limits';
import type { Reporter } from '../messages';
import type { Span } from '../syntax';

/** Constants of no more scalars, a matrix, are not counted: their number follows from the text. */
const SMALL = 16;

export class ConstantBudget {
  private spent = 0;

  constructor(private readonly most: number, private readonly report: Reporter) {}

  /** Counts the scalars of a value before it is made; false, with one message for all, where they are too many. */
  spend(scalars: number, span: Span): boolean {
    if (scalars <= SMALL) return true;
    const before = this.spent;
    this.spent += scalars;
    if (this.spent <= this.most) return true;
    if (before <= this.most) this.report.error('too-many-constants', span, [], this.most, raisedBy('constants'));
    return false;
  }
}
