// A row of the table of float expressions and their accuracy.
import * as I from './interval';
import { any, moderate, within, type Pool } from './inputs';

export type Vector = readonly number[];

export interface FloatRow {
  readonly name: string;
  /** vec4f expressions in a, b, c and d. All have the same value; the first may have a separate form per component. */
  readonly forms: readonly string[];
  readonly pools: readonly Pool[];
  /** Per component, in double precision. NaN: the result is a NaN. */
  readonly exact: (args: readonly Vector[], component: number) => number;
  /** WGSL's limits; null: the exact result, rounded to nearest. */
  readonly allowed: ((args: readonly Vector[], component: number) => I.Interval) | null;
  /** Guaranteed ULP of the exact result; omitted where terms may cancel. An absolute error suffices as well. */
  readonly ulps?: number;
  readonly absolute?: number;
  /** Arguments within the domain, if `pools` exceed it. */
  readonly domain?: readonly Pool[];
  /** Rules for the arguments of const-expressions. */
  readonly constant?: (args: readonly Vector[]) => boolean;
}

export type Extra = Partial<Pick<FloatRow, 'ulps' | 'absolute' | 'constant' | 'domain'>>;

/** A function of whole vectors, or a product of matrices. */
export function whole(
  name: string,
  form: string,
  pools: readonly Pool[],
  exact: FloatRow['exact'],
  allowed: FloatRow['allowed'],
  extra: Extra = {}
): FloatRow {
  return { name, forms: [form], pools, exact, allowed, ...extra };
}

export const { point: p } = I;
export const ps = (v: Vector): I.Interval[] => v.map(p);
export const f = Math.fround;
export const dot = (a: Vector, b: Vector): number => a.reduce((sum, x, k) => sum + x * b[k]!, 0);
export const size = (v: Vector): number => Math.sqrt(dot(v, v));
/** Of four components, the first four, three, two and one. */
export const cut = (v: Vector, c: number): Vector => v.slice(0, 4 - c);
export const minus = (a: Vector, b: Vector): Vector => a.map((x, k) => x - b[k]!);
/** §17.5: the choice of every engine between a NaN or a zero and another value. */
export const least = (x: number, y: number): number => (y < x ? y : x);
export const most = (x: number, y: number): number => (x < y ? y : x);
export const unit = within(-1, 1);

const refraction = ([a, b, r]: readonly Vector[]): number => {
  const cosine = dot(b!, a!);
  return 1 - r![0]! ** 2 * (1 - cosine * cosine);
};
export function refractExactly(args: readonly Vector[], c: number): number {
  const [a, b, r] = args as [Vector, Vector, Vector];
  const k = refraction(args);
  return k < 0 ? 0 : r[0]! * a[c]! - (r[0]! * dot(b, a) + Math.sqrt(k)) * b[c]!;
}
export function refractAllowed([a, b, r]: readonly Vector[], c: number): I.Interval {
  const [ratio, cosine] = [p(r![0]!), I.dot(ps(b!), ps(a!))];
  const k = I.sub(p(1), I.mul(I.mul(ratio, ratio), I.sub(p(1), I.mul(cosine, cosine))));
  const bent = I.sub(I.mul(ratio, p(a![c]!)), I.mul(I.add(I.mul(ratio, cosine), I.sqrt(k)), p(b![c]!)));
  return k[1] < 0 ? p(0) : k[0] >= 0 ? bent : I.worse(bent, p(0));
}

export const columns = (args: readonly Vector[], n: number): I.Interval[][] =>
  n === 2 ? [ps(args[0]!.slice(0, 2)), ps(args[0]!.slice(2, 4))] : args.slice(0, n).map((v) => ps(v.slice(0, n)));
/**
 * The middle of an interval computed from doubles is not the exact value; terms may cancel, so only the interval is
 * compared.
 */
export const exactDeterminant = (m: readonly Vector[]): number =>
  m.length === 1
    ? m[0]![0]!
    : m[0]!.reduce(
        (sum, x, r) => sum + (r % 2 ? -x : x) * exactDeterminant(m.slice(1).map((v) => v.filter((_, k) => k !== r))),
        0
      );
export const four = [moderate, moderate, moderate, moderate];
export const M = 'mat4x4f(a, b, c, d)';

/**
 * A formula whose every step is rounded separately: passes and instruction selection must keep it, and similar ones.
 */
export const exactly = (
  form: string,
  exact: (a: number, b: number, c: number, d: number) => number,
  pools = four
): FloatRow =>
  whole(form, form, pools, (args, c) => exact(...(args.map((v) => v[c]!) as [number, number, number, number])), null);
export const all = [any, any, any, any];
