// A plain TypeScript implementation of tessellation after the README and the OpenGL specification (4.6, §11.2.2), with
// the order of vertices and triangles that modular pipelines guarantee.

export type Domain = 'triangles' | 'quads' | 'lines';
export type Spacing = 'equal' | 'fractional-odd' | 'fractional-even';
export interface Patch {
  readonly domain: Domain;
  readonly spacing: Spacing;
  readonly outer: readonly number[];
  readonly inner: readonly number[];
  readonly maxLevel?: number;
}
export type Coordinate = readonly [u: number, v: number, w: number];
interface Cut {
  readonly vertices: readonly Coordinate[];
  readonly primitives: readonly (readonly number[])[];
}

/** Coordinates are multiples of 2⁻²⁴, so that 1 − x is exact. */
const ONE = 2 ** 24;

/** Clamps a level to the bounds of its spacing. */
function bounded(spacing: Spacing, level: number, maxLevel: number): number {
  const [low, high] = {
    equal: [1, maxLevel],
    'fractional-odd': [1, maxLevel - (maxLevel % 2 === 0 ? 1 : 0)],
    'fractional-even': [2, maxLevel - (maxLevel % 2)],
  }[spacing] as [number, number];
  if (Number.isNaN(level)) return low;
  const clamped = Math.fround(Math.min(high, Math.max(low, Math.fround(level))));
  return spacing === 'equal' ? Math.ceil(clamped) : clamped;
}

function segments(spacing: Spacing, level: number): number {
  let n = Math.ceil(level);
  const wanted = spacing === 'fractional-odd' ? 1 : 0;
  if (spacing !== 'equal' && n % 2 !== wanted) n++;
  return n;
}

/**
 * Positions where an edge is divided. For a level between two segment counts, points are between the positions for
 * those.
 */
export function points(spacing: Spacing, level: number): number[] {
  const n = segments(spacing, level);
  let doubled = -1;
  if (n !== level) {
    // Half of an edge: all segments but the middle one of odd counts, in bit-reversed order.
    const half = spacing === 'fractional-odd' ? (n - 1) / 2 - 1 : n / 2 - 1;
    doubled = half === 0 ? 0 : 2 * (half - 2 ** Math.floor(Math.log2(half))) + 1;
  }
  return Array.from({ length: n + 1 }, (_, i) => {
    const near = Math.min(i, n - i);
    if (near * 2 === n) return ONE / 2;
    let x = near / n;
    if (n !== level) {
      const before = (near > doubled ? near - 1 : near) / (n - 2);
      const share = (level - (n - 2)) / 2;
      x = before + (x - before) * share;
    }
    const units = Math.floor(x * ONE + 0.5);
    return i === near ? units : ONE - units;
  });
}

interface Levels {
  readonly outer: readonly number[];
  readonly inner: readonly number[];
}

/** The effective levels of a patch; null if it is discarded. */
export function levelsOf({ domain, spacing, outer, inner, maxLevel = 64 }: Patch): Levels | null {
  const sides = { triangles: 3, quads: 4, lines: 2 }[domain];
  const rows = { triangles: 1, quads: 2, lines: 0 }[domain];
  const outside = outer.slice(0, sides);
  if (outside.some((level) => !(level > 0))) return null;
  const own = outside.map((level, i) => bounded(domain === 'lines' && i === 0 ? 'equal' : spacing, level, maxLevel));
  const inside = inner.slice(0, rows).map((level) => bounded(spacing, level, maxLevel));
  if (rows === 0 || [...own, ...inside].every((level) => level === 1)) return { outer: own, inner: inside };
  return { outer: own, inner: inside.map((level) => (level > 1 ? level : spacing === 'equal' ? 2 : 1 + 2 ** -16)) };
}

/**
 * Triangles between two lines of vertices with the same direction, the second one on the left, as evenly as possible.
 */
function between(outside: readonly number[], inside: readonly number[]): number[][] {
  const a = outside.length - 1;
  const b = inside.length - 1;
  const found: number[][] = [];
  for (let i = 0, j = 0; i < a || j < b;) {
    // Advances on the side whose next segment's midpoint comes first.
    if (j === b || (i < a && (i + 0.5) * b <= (j + 0.5) * a)) found.push([outside[i]!, outside[++i]!, inside[j]!]);
    else found.push([outside[i]!, inside[j + 1]!, inside[j++]!]);
  }
  return found;
}

/** Adds a vertex and returns its number. */
type Add = (u: number, v: number, w: number) => number;

function quads(spacing: Spacing, { outer, inner }: Levels, add: Add): number[][] {
  const all = outer.map((level) => points(spacing, level));
  const [left, bottom, right, top] = all as [number[], number[], number[], number[]];
  const [across, up] = inner.map((level) => points(spacing, level)) as [number[], number[]];
  const sides = [
    bottom.slice(0, -1).map((x) => add(x, 0, 0)),
    right.slice(0, -1).map((y) => add(ONE, y, 0)),
    top
      .slice(1)
      .reverse()
      .map((x) => add(x, ONE, 0)),
    left
      .slice(1)
      .reverse()
      .map((y) => add(0, y, 0)),
  ];
  const [first] = sides[0]!;
  if (across.length === 2)
    return [
      [0, 1, 2],
      [0, 2, 3],
    ];
  const rows = up.slice(1, -1).map((y) => across.slice(1, -1).map((x) => add(x, y, 0)));
  const around = sides.map((side, i) => [...side, sides[i + 1]?.[0] ?? first!]);
  const lines = [
    rows[0]!,
    rows.map((row) => row.at(-1)!),
    [...rows.at(-1)!].reverse(),
    rows.map((row) => row[0]!).reverse(),
  ];
  const found = around.flatMap((side, i) => between(side, lines[i]!));
  for (let j = 1; j < rows.length; j++)
    for (let i = 1; i < rows[0]!.length; i++) {
      const [a, b, c, d] = [rows[j - 1]![i - 1]!, rows[j - 1]![i]!, rows[j]![i]!, rows[j]![i - 1]!];
      found.push([a, b, c], [a, c, d]);
    }
  return found;
}

function triangles(spacing: Spacing, { outer, inner }: Levels, add: Add): number[][] {
  const [third, first, second] = outer.map((level) => points(spacing, level)) as [number[], number[], number[]];
  const along = points(spacing, inner[0]!);
  const n = along.length - 1;
  const found: number[][] = [];
  let sides = [
    first.slice(0, -1).map((x) => add(x, 0, ONE - x)),
    second.slice(0, -1).map((x) => add(ONE - x, x, 0)),
    third.slice(0, -1).map((x) => add(0, ONE - x, x)),
  ];
  if (n === 1) return [[0, 1, 2]];
  for (let ring = 1; ring <= n / 2; ring++) {
    // A third of the first point's position: half of the distance from an edge to where its perpendicular meets others.
    const half = Math.floor(along[ring]! / 3 + 0.5);
    const off = 2 * half;
    const between_ = along.slice(ring, n - ring);
    let inside: number[][];
    if (between_.length === 0) {
      const only = add(off, off, ONE - 2 * off);
      inside = [[only], [only], [only]];
    } else
      inside = [0, 1, 2].map((side) =>
        between_.map((x, i) => {
          const a = i === 0 ? off : x - half;
          const b = ONE - off - a;
          return side === 0 ? add(a, off, b) : side === 1 ? add(b, a, off) : add(off, b, a);
        })
      );
    const closed = (lines: number[][]): number[][] => lines.map((line, i) => [...line, lines[(i + 1) % 3]![0]!]);
    const inner_ = between_.length === 0 ? inside : closed(inside);
    closed(sides).forEach((side, i) => found.push(...between(side, inner_[i]!)));
    if (between_.length === 1) found.push([inside[0]![0]!, inside[1]![0]!, inside[2]![0]!]);
    sides = inside;
  }
  return found;
}

/** Tessellates a patch into counter-clockwise triangles, or lines. */
export function cut(patch: Patch): Cut {
  const { domain, spacing } = patch;
  const levels = levelsOf(patch);
  const vertices: Coordinate[] = [];
  if (!levels) return { vertices, primitives: [] };
  const add: Add = (u, v, w) => vertices.push([u / ONE, v / ONE, w / ONE]) - 1;
  if (domain === 'quads') return { vertices, primitives: quads(spacing, levels, add) };
  if (domain === 'triangles') return { vertices, primitives: triangles(spacing, levels, add) };
  const rows = points('equal', levels.outer[0]!).slice(0, -1);
  const along = points(spacing, levels.outer[1]!);
  const lines = rows.map((v) => along.map((u) => add(u, v, 0)));
  return { vertices, primitives: lines.flatMap((line) => line.slice(1).map((to, i) => [line[i]!, to])) };
}
