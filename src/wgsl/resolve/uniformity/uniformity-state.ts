// A persistent map from variable numbers to what is known about them. It is an immutable tree, and states share
// subtrees. A branch can therefore start from the state of its condition at no cost, and merging two states only
// compares the parts that differ.

/** Number of key bits per level of the tree. */
const BITS = 3;
const WAYS = 1 << BITS;

type Node<T> = readonly (Node<T> | T | null)[];

export interface State<T> {
  /** Number of levels. The tree holds keys below 8 to this power. */
  readonly levels: number;
  readonly root: Node<T> | null;
}

export const EMPTY: State<never> = { levels: 1, root: null };

/** Counts the visited nodes. */
export interface Meter {
  steps: number;
}

export function get<T>({ levels, root }: State<T>, key: number): T | null {
  if (key >>> (BITS * levels) !== 0) return null;
  let node: Node<T> | T | null = root;
  for (let level = levels - 1; level >= 0 && node !== null; level--)
    node = (node as Node<T>)[(key >>> (BITS * level)) & (WAYS - 1)]!;
  return node as T | null;
}

/** The state with a value added, or removed if `value` is null. */
export function set<T>(state: State<T>, key: number, value: T | null): State<T> {
  let { levels, root } = state;
  while (key >>> (BITS * levels) !== 0) {
    if (value === null) return state;
    root = raised(root);
    levels++;
  }
  const changed = setIn(root, levels - 1, key, value);
  return changed === state.root ? state : { levels, root: changed };
}

const raised = <T>(root: Node<T> | null): Node<T> | null => root && [root, ...new Array<null>(WAYS - 1).fill(null)];

function setIn<T>(node: Node<T> | null, level: number, key: number, value: T | null): Node<T> | null {
  const at = (key >>> (BITS * level)) & (WAYS - 1);
  const before = node?.[at] ?? null;
  const after = level === 0 ? value : setIn(before as Node<T> | null, level - 1, key, value);
  return after === before ? node : withPart(node, at, after);
}

function withPart<T>(node: Node<T> | null, at: number, part: Node<T> | T | null): Node<T> | null {
  const parts = node === null ? new Array<Node<T> | T | null>(WAYS).fill(null) : [...node];
  parts[at] = part;
  return parts.some((each) => each !== null) ? parts : null;
}

/** The state without keys from `first` on. */
export function below<T>({ levels, root }: State<T>, first: number): State<T> {
  return { levels, root: first >>> (BITS * levels) !== 0 ? root : belowIn(root, levels - 1, first) };
}

function belowIn<T>(node: Node<T> | null, level: number, first: number): Node<T> | null {
  if (node === null) return null;
  const at = (first >>> (BITS * level)) & (WAYS - 1);
  const before = node[at]!;
  const part =
    level === 0 || before === null ? null : belowIn(before as Node<T>, level - 1, first & ((1 << (BITS * level)) - 1));
  const parts = node.map((each, k) => (k < at ? each : k === at ? part : null));
  return parts.some((each) => each !== null) ? parts : null;
}

/** The union of two states; for keys in both, the value of the first. Returns `a` itself if `b` adds nothing. */
export function merged<T>(a: State<T>, b: State<T>, meter: Meter): State<T> {
  const levels = Math.max(a.levels, b.levels);
  const [from, other] = [a, b].map(({ levels: has, root }) => {
    let node = root;
    for (let level = has; level < levels; level++) node = raised(node);
    return node;
  }) as [Node<T> | null, Node<T> | null];
  const root = mergedIn(from, other, levels - 1, meter);
  return root === from ? a : { levels, root };
}

function mergedIn<T>(a: Node<T> | null, b: Node<T> | null, level: number, meter: Meter): Node<T> | null {
  if (a === b || b === null) return a;
  if (a === null) return b;
  meter.steps++;
  let isFirst = true;
  let isSecond = true;
  const parts = a.map((part, k) => {
    const other = b[k]!;
    const both =
      level === 0 ? (part ?? other) : mergedIn(part as Node<T> | null, other as Node<T> | null, level - 1, meter);
    isFirst &&= both === part;
    isSecond &&= both === other;
    return both;
  });
  return isFirst ? a : isSecond ? b : parts;
}
