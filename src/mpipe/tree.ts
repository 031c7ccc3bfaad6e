// Tables that fork, as trees: a stage from which several edges lead is followed by a branch for each of them, and one
// to which several lead stands in a branch for each of these. So every stage has one place before it, and what a branch
// is linked to, and made into, does not hang on others.

/** Stages one behind the other, and then a fork, or an end. */
export interface Branch<T, L> {
  readonly stages: readonly T[];
  /** Two at least, in the order in which packets go to them; none: it ends here. */
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

/** The same tree of other stages and ends, made in the order of `stagesOf`; `before`: the stage before an end. */
export function mapTree<T, L, U, M>(
  { stages, branches, leaf }: Branch<T, L>, stage: (of: T) => U, end: (of: L, before: T | null) => M,
  before: T | null = null
): Branch<U, M> {
  const last = stages.at(-1) ?? before, mapped = stages.map(stage);
  return {
    stages: mapped, branches: branches.map((branch) => mapTree(branch, stage, end, last)),
    leaf: leaf === null ? null : end(leaf, last),
  };
}
