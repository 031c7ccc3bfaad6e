// Rows of geometric functions.
import * as I from './interval';
import { any, moderate, within } from './inputs';
import { type FloatRow, cut, dot, minus, p, ps, refractAllowed, refractExactly, size, whole } from './float-row';

export const geometry: readonly FloatRow[] = [
  whole(
    'length',
    'vec4f(length(a), length(a.xyz), length(a.xy), length(a.x))',
    [any],
    ([a], c) => size(cut(a!, c)),
    ([a], c) => I.length(ps(cut(a!, c)))
  ),
  whole(
    'length of moderate vectors',
    'vec4f(length(a), length(a.xyz), length(a.xy), length(a.x))',
    [moderate],
    ([a], c) => size(cut(a!, c)),
    ([a], c) => I.length(ps(cut(a!, c))),
    { ulps: 2.5 }
  ),
  whole(
    'distance',
    'vec4f(distance(a, b), distance(a.xyz, b.xyz), distance(a.xy, b.xy), distance(a.x, b.x))',
    [moderate, moderate],
    ([a, b], c) => size(minus(cut(a!, c), cut(b!, c))),
    ([a, b], c) => I.length(cut(a!, c).map((x, k) => I.sub(p(x), p(b![k]!))))
  ),
  whole(
    'dot',
    'vec4f(dot(a, b), dot(a.xyz, b.xyz), dot(a.xy, b.xy), dot(a.xx, b.xy))',
    [moderate, moderate],
    ([a, b], c) => (c === 3 ? a![0]! * b![0]! + a![0]! * b![1]! : dot(cut(a!, c), b!)),
    ([a, b], c) => (c === 3 ? I.dot(ps([a![0]!, a![0]!]), ps(b!)) : I.dot(ps(cut(a!, c)), ps(b!)))
  ),
  whole(
    'cross',
    'vec4f(cross(a.xyz, b.xyz), cross(b.xyz, a.xyz).x)',
    [moderate, moderate],
    ([a, b], c) => {
      const [i, j] = [(c + 1) % 3, (c + 2) % 3];
      return c === 3 ? b![1]! * a![2]! - b![2]! * a![1]! : a![i]! * b![j]! - a![j]! * b![i]!;
    },
    ([a, b], c) => {
      const [i, j] = [(c + 1) % 3, (c + 2) % 3];
      const [u, v, m, n] = c === 3 ? ([b!, a!, 1, 2] as const) : ([a!, b!, i, j] as const);
      return I.sub(I.mul(p(u[m]!), p(v[n]!)), I.mul(p(u[n]!), p(v[m]!)));
    }
  ),
  ...([4, 3, 2] as const).map((n) =>
    whole(
      `normalize vec${n}`,
      n === 4 ? 'normalize(a)' : `vec4f(normalize(a.${'xyz'.slice(0, n)})${', 0'.repeat(4 - n)})`,
      [moderate],
      ([a], c) => (c < n ? a![c]! / size(a!.slice(0, n)) : 0),
      ([a], c) => (c < n ? I.div(p(a![c]!), I.length(ps(a!.slice(0, n)))) : p(0)),
      { ulps: 4 }
    )
  ),
  whole(
    'reflect',
    'reflect(a, b)',
    [moderate, moderate],
    ([a, b], c) => a![c]! - 2 * dot(b!, a!) * b![c]!,
    ([a, b], c) => I.sub(p(a![c]!), I.mul(I.mul(p(2), I.dot(ps(b!), ps(a!))), p(b![c]!)))
  ),
  whole('refract', 'refract(a, b, c.x)', [within(-1, 1), within(-1, 1), within(0, 2)], refractExactly, refractAllowed),
  whole(
    'faceForward',
    'faceForward(a, b, c)',
    [any, moderate, moderate],
    ([a, b, n], c) => (dot(b!, n!) < 0 ? a![c]! : -a![c]!),
    ([a, b, n], c) => {
      const [low, high] = I.dot(ps(b!), ps(n!));
      return high < 0 ? p(a![c]!) : low >= 0 ? p(-a![c]!) : [-Math.abs(a![c]!), Math.abs(a![c]!)];
    }
  ),
];
