// Rows of matrices and of rearranged components.
import * as I from './interval';
import { any } from './inputs';
import {
  type FloatRow,
  M,
  all,
  columns,
  dot,
  exactDeterminant,
  exactly,
  f,
  four,
  least,
  most,
  p,
  ps,
  unit,
  whole,
} from './float-row';

export const matrices: readonly FloatRow[] = [
  // WGSL gives no limit; this is the error of the cofactor formula.
  whole(
    'determinant',
    `vec4f(determinant(mat2x2f(a.xy, a.zw)), determinant(mat3x3f(a.xyz, b.xyz, c.xyz)), determinant(${M}), 1)`,
    four,
    (m, c) =>
      c === 0
        ? exactDeterminant([m[0]!.slice(0, 2), m[0]!.slice(2)])
        : c === 3
          ? 1
          : exactDeterminant(m.slice(0, c + 2).map((v) => v.slice(0, c + 2))),
    (m, c) => (c === 3 ? p(1) : I.determinant(columns(m, c + 2)))
  ),
  whole(
    'transpose',
    `vec4f(transpose(${M})[1].xy, transpose(mat2x3f(a.xyz, b.xyz))[2].y, `
      + 'transpose(mat4x2f(a.xy, a.zw, b.xy, b.zw))[1].w)',
    [any, any, any, any],
    ([a, b], c) => [a![1]!, b![1]!, b![2]!, b![3]!][c]!,
    null
  ),
  whole('transpose, on', `transpose(${M})[3]`, [any, any, any, any], (m, c) => m[c]![3]!, null),
  whole(
    'matrix · vector',
    `(mat3x4f(a, b, c) * d.xyz)`,
    four,
    ([a, b, m, v], c) => dot([a![c]!, b![c]!, m![c]!], v!),
    ([a, b, m, v], c) => I.dot(ps([a![c]!, b![c]!, m![c]!]), ps(v!))
  ),
  whole(
    'vector · matrix',
    `(d * ${M})`,
    four,
    (m, c) => dot(m[3]!, m[c]!),
    (m, c) => I.dot(ps(m[3]!), ps(m[c]!))
  ),
  whole(
    'matrix · matrix',
    `(mat2x4f(a, b) * mat2x2f(c.xy, d.xy))[1]`,
    four,
    ([a, b, , d], c) => a![c]! * d![0]! + b![c]! * d![1]!,
    ([a, b, , d], c) => I.dot(ps([a![c]!, b![c]!]), ps(d!.slice(0, 2)))
  ),
  whole(
    'matrix sums and scalings',
    `(mat2x4f(a, b) - mat2x4f(c, d) * a.x)[1]`,
    four,
    ([a, b, , d], c) => b![c]! - d![c]! * a![0]!,
    ([a, b, , d], c) => I.sub(p(b![c]!), I.mul(p(d![c]!), p(a![0]!)))
  ),
];

export const rearrangements: readonly FloatRow[] = [
  exactly('(a + 0.0)', (a) => a + 0, all),
  exactly('(a + -0.0)', (a) => a + -0, all),
  exactly('(a - 0.0)', (a) => a - 0, all),
  exactly('(0.0 - a)', (a) => 0 - a, all),
  exactly('(a * 1.0)', (a) => a, all),
  exactly('(a * -1.0)', (a) => -a, all),
  exactly('(a * 0.0)', (a) => a * 0, all),
  exactly('(a - (-b))', (a, b) => a + b, all),
  exactly('((-a) + b)', (a, b) => b - a, all),
  exactly('((-a) * (-b))', (a, b) => a * b, all),
  exactly('(a / 8.0)', (a) => a / 8, all),
  exactly('(a / 1.5)', (a) => a / 1.5, all),
  exactly('(a / -3.0)', (a) => a / -3, all),
  exactly('(a / 1e38)', (a) => a / f(1e38), all),
  exactly('(a / 1e-38)', (a) => a / f(1e-38), [unit, any, any, any]),
  exactly('clamp(a, vec4f(0), vec4f(1))', (a) => least(most(0, a), 1), all),
  exactly('clamp(a, vec4f(0.25), vec4f(1))', (a) => least(most(0.25, a), 1), all),
  exactly('clamp(a, vec4f(0), vec4f(2))', (a) => least(most(0, a), 2), all),
  exactly('min(vec4f(1), max(a, b))', (a, b) => least(1, most(a, b)), all),
  exactly('max(min(a, b), c)', (a, b, c) => most(least(a, b), c), all),
  exactly('(a * b + c)', (a, b, c) => f(a * b) + c),
  exactly('(c + a * b)', (a, b, c) => f(a * b) + c),
  exactly('(a * b - c)', (a, b, c) => f(a * b) - c),
  exactly('(c - a * b)', (a, b, c) => c - f(a * b)),
  exactly('(a * b + c * d)', (a, b, c, d) => f(a * b) + f(c * d)),
  exactly('(a * b - c * d)', (a, b, c, d) => f(a * b) - f(c * d)),
  exactly('((a * b + c * d) + a * c)', (a, b, c, d) => f(f(a * b) + f(c * d)) + f(a * c)),
  exactly('(a * c + (a * b + c * d))', (a, b, c, d) => f(f(a * b) + f(c * d)) + f(a * c)),
  exactly('(a * c + (b + c * d))', (a, b, c, d) => f(b + f(c * d)) + f(a * c)),
  exactly('(((a * b + c * d) + a * c) + b * d)', (a, b, c, d) => f(f(f(a * b) + f(c * d)) + f(a * c)) + f(b * d)),
  exactly('((a * b + c * d) + (a * c + b * d))', (a, b, c, d) => f(f(a * b) + f(c * d)) + f(f(a * c) + f(b * d))),
  exactly('(((a * b + c * d) + a * c) + b)', (a, b, c, d) => f(f(f(a * b) + f(c * d)) + f(a * c)) + b),
  exactly('(a * (1.0 - c) + b * c)', (a, b, c) => f(a * f(1 - c)) + f(b * c)),
  exactly('(a * (2.0 - c) + b * c)', (a, b, c) => f(a * f(2 - c)) + f(b * c)),
  exactly('(a * (1.0 - c) + b * d)', (a, b, c, d) => f(a * f(1 - c)) + f(b * d)),
  exactly('(a * (c - 1.0) + b * c)', (a, b, c) => f(a * f(c - 1)) + f(b * c)),
  exactly('(c * b + (1.0 - c) * a)', (a, b, c) => f(c * b) + f(f(1 - c) * a)),
  exactly('(c * a + (1.0 - c) * c)', (a, _, c) => f(c * a) + f(f(1 - c) * c)),
  exactly('select(a, b, !(c < d))', (a, b, c, d) => (c < d ? a : b), all),
  exactly('select(a, b, !(c == d))', (a, b, c, d) => (c === d ? a : b), all),
];
