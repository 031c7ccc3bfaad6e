// Control flow around a point in a program, as both code generators keep it: what can be left, and where masks are
// saved.

import { unreachable } from '../base/assert';

/** `Saved`: where a code generator keeps a mask. */
export interface Enclosing<Saved> {
  /** −1 for an if. */
  readonly label: number;
  /** Saved mask; none where control divides no lanes. */
  readonly save: Saved | null;
  /** Lanes that are not on here may be on again at its end, or in its other branch. */
  readonly divides: boolean;
}

/**
 * The way out to `label`: what is left, masks that are saved between here and there, and whether control divides no
 * lanes on it.
 */
export function wayOut<Saved, Construct extends Enclosing<Saved>>(
  constructs: readonly Construct[], label: number
): { target: Construct; saves: Saved[]; together: boolean } {
  const saves = new Set<Saved>();
  let together = true;
  for (let i = constructs.length - 1; i >= 0; i--) {
    const construct = constructs[i]!;
    if (construct.label === label) {
      // A loop may share the mask of the block around it.
      if (construct.save !== null) saves.delete(construct.save);
      return { target: construct, saves: [...saves], together };
    }
    if (construct.save !== null) saves.add(construct.save);
    if (construct.divides) together = false;
  }
  return unreachable(`codegen: leave of label ${label} outside it`);
}
