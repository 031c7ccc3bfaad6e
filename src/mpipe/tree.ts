// Forking tables as trees. A stage with several outgoing edges is followed by one branch per edge; a stage with several
// incoming edges is repeated in each branch. Each stage in the tree therefore has a single predecessor, and linking a
// branch does not depend on other branches.

/** A sequence of stages, followed by a fork or an end. */
export interface Branch<T, L> {
  readonly stages: readonly T[];
  /** In the order in which packets go to them; empty at an end. */
  readonly branches: readonly Branch<T, L>[];
  readonly leaf: L | null;
}

/** A single chain of stages. */
export const chain = <T, L>(stages: readonly T[], leaf: L): Branch<T, L> => ({ stages, branches: [], leaf });

/** All stages, each before its successors. */
export function stagesOf<T>({ stages, branches }: Branch<T, unknown>): T[] {
  return [...stages, ...branches.flatMap(stagesOf)];
}

/** The ends, in the order in which packets reach them, each with the stages that lead to it. */
export function pathsOf<T, L>({ stages, branches, leaf }: Branch<T, L>): { stages: readonly T[]; leaf: L }[] {
  if (leaf !== null) return [{ stages, leaf }];
  return branches.flatMap(pathsOf).map((path) => ({ ...path, stages: [...stages, ...path.stages] }));
}

/** Copies a tree with other stages and ends, created in the order of `stagesOf`. */
export function mapTree<T, L, U, M>(
  { stages, branches, leaf }: Branch<T, L>,
  stage: (of: T) => U,
  end: (of: L) => M
): Branch<U, M> {
  return {
    stages: stages.map(stage),
    branches: branches.map((branch) => mapTree(branch, stage, end)),
    leaf: leaf === null ? null : end(leaf),
  };
}

/**
 * The same tree, in which every stage that satisfies `isFirst` starts a branch; where the tree did not fork, it is a
 * single branch. `isBranch`: this node already starts one.
 */
export function splitBefore<T, L>(
  { stages, branches, leaf }: Branch<T, L>,
  isFirst: (stage: T) => boolean,
  isBranch = false
): Branch<T, L> {
  const at = stages.findIndex((stage, i) => isFirst(stage) && !(isBranch && i === 0));
  if (at < 0) return { stages, branches: branches.map((branch) => splitBefore(branch, isFirst, true)), leaf };
  const behind = splitBefore({ stages: stages.slice(at), branches, leaf }, isFirst, true);
  return { stages: stages.slice(0, at), branches: [behind], leaf: null };
}
