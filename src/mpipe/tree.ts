// Tables that fork, as trees: a stage from which several edges lead is followed by a branch for each of them, and one
// to which several lead stands in a branch for each of these. So every stage has one place before it, and what a branch
// is linked to, and made into, does not hang on others.

/** Stages one behind the other, and then a fork, or an end. */
export interface Branch<T, L> {
  readonly stages: readonly T[];
  /** In the order in which packets go to them; none: it ends here. */
  readonly branches: readonly Branch<T, L>[];
  readonly leaf: L | null;
}

/** One chain of stages. */
export const chain = <T, L>(stages: readonly T[], leaf: L): Branch<T, L> => ({ stages, branches: [], leaf });

/** All stages, each before what is behind it. */
export function stagesOf<T>({ stages, branches }: Branch<T, unknown>): T[] {
  return [...stages, ...branches.flatMap(stagesOf)];
}

/** The ends, in the order in which packets reach them, with the stages that lead there. */
export function pathsOf<T, L>({ stages, branches, leaf }: Branch<T, L>): { stages: readonly T[]; leaf: L }[] {
  if (leaf !== null) return [{ stages, leaf }];
  return branches.flatMap(pathsOf).map((path) => ({ ...path, stages: [...stages, ...path.stages] }));
}

/** The same tree of other stages and ends, made in the order of `stagesOf`. */
export function mapTree<T, L, U, M>(
  { stages, branches, leaf }: Branch<T, L>, stage: (of: T) => U, end: (of: L) => M
): Branch<U, M> {
  return {
    stages: stages.map(stage), branches: branches.map((branch) => mapTree(branch, stage, end)),
    leaf: leaf === null ? null : end(leaf),
  };
}

/**
 * The same tree, in which each of these stages is the first of a branch, which is the only one where the tree did not
 * fork. `isBranch`: it is one itself.
 */
export function splitBefore<T, L>(
  { stages, branches, leaf }: Branch<T, L>, isFirst: (stage: T) => boolean, isBranch = false
): Branch<T, L> {
  const at = stages.findIndex((stage, i) => isFirst(stage) && !(isBranch && i === 0));
  if (at < 0) return { stages, branches: branches.map((branch) => splitBefore(branch, isFirst, true)), leaf };
  const behind = splitBefore({ stages: stages.slice(at), branches, leaf }, isFirst, true);
  return { stages: stages.slice(0, at), branches: [behind], leaf: null };
}
