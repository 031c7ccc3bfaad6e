// Kinds of values in random WGSL functions, and expressions of each kind. The functions and variables that they name
// are declared in programs.ts.

type Scalar = 'i32' | 'u32' | 'f32';
interface Vector {
  readonly size: 2 | 3 | 4;
  readonly of: Scalar;
}
export type Kind = Scalar | 'bool' | 'mat' | Vector;

export const nameOf = (kind: Kind): string =>
  typeof kind === 'object' ? `vec${kind.size}${kind.of[0]!}` : kind === 'mat' ? 'mat2x2f' : kind;
export const sameKind = (a: Kind, b: Kind): boolean => nameOf(a) === nameOf(b);
const SCALARS: readonly Scalar[] = ['i32', 'u32', 'f32'];
export const VECTORS: readonly Vector[] = SCALARS.flatMap((of) =>
  ([2, 3, 4] as const).map((size): Vector => ({ size, of }))
);
export const KINDS: readonly Kind[] = [...SCALARS, 'bool', 'mat', ...VECTORS];

export interface Variable {
  readonly name: string;
  readonly kind: Kind;
  readonly mutable: boolean;
}

/** Writes expressions over the variables in scope, from a list of choices. */
export class ExpressionWriter {
  protected at = 0;
  protected readonly scopes: Variable[][] = [[]];

  constructor(protected readonly choices: readonly number[]) {}

  /** One of `count`; 0 when the choices are used up. */
  protected choose(count: number): number {
    return this.at < this.choices.length ? this.choices[this.at++]! % count : 0;
  }
  protected pick<T>(values: readonly T[]): T {
    return values[this.choose(values.length)]!;
  }

  protected find(kind: Kind, mutable: boolean): string | null {
    const found = this.scopes
      .flat()
      .filter((variable) => sameKind(variable.kind, kind) && (variable.mutable || !mutable));
    return found.length === 0 ? null : this.pick(found).name;
  }

  protected expr(kind: Kind, depth: number): string {
    if (depth === 0 || this.choose(4) === 0) {
      const name = this.choose(3) === 0 ? null : this.find(kind, false);
      return name ?? this.leaf(kind);
    }
    const sub = (k: Kind): string => this.expr(k, depth - 1);
    if (typeof kind === 'object') return this.vector(kind, sub);
    switch (kind) {
      case 'i32':
        return this.signed(sub);
      case 'u32':
        return this.unsigned(sub);
      case 'f32':
        return this.float(sub);
      case 'bool':
        return this.condition(sub);
      case 'mat':
        return this.pick<() => string>([
          () => `mat2x2f(${sub({ size: 2, of: 'f32' })}, ${sub({ size: 2, of: 'f32' })})`,
          () => `mat2x2f(${sub('f32')}, ${sub('f32')}, ${sub('f32')}, ${sub('f32')})`,
          () => `cm(${sub('mat')} + ${sub('mat')})`,
          () => `cm(${sub('mat')} * ${sub('f32')})`,
        ])();
    }
  }

  private signed(sub: (k: Kind) => string): string {
    const i = (): string => sub('i32');
    const u = (): string => sub('u32');
    return this.pick<() => string>([
      () => `ci(${i()} ${this.pick(['+', '-', '*', '&', '|', '^'])} ${i()})`,
      () => `(${i()} / (1 + (${i()} & 7)))`,
      () => `(${i()} % (1 + (${i()} & 7)))`,
      () => `${this.pick(['min', 'max'])}(${i()}, ${i()})`,
      () => `abs(${i()})`,
      () => `clamp(${i()}, -9, 9)`,
      () => `-(${i()})`,
      () => `i32(trunc(${sub('f32')}))`,
      () => `i32(${u()})`,
      () => `select(${i()}, ${i()}, ${sub('bool')})`,
      () => `e[${u()} % 5u]`,
      () => `TABLE[${u()} % 6u]`,
      () => 's.a',
      () => 's.inner.n',
      () => `ci(dot(${sub({ size: 3, of: 'i32' })}, ${sub({ size: 3, of: 'i32' })}))`,
      () => `ci4(${sub({ size: 4, of: 'i32' })}).z`,
      () => `ci(early(${i()}, ${i()}))`,
      () => `n5[${u()} & 3u]`,
      () => `sign(${i()})`,
      () => `bitcast<i32>(${u()})`,
    ])();
  }

  private unsigned(sub: (k: Kind) => string): string {
    const u = (): string => sub('u32');
    return this.pick<() => string>([
      () => `cu(${u()} ${this.pick(['+', '*', '&', '|', '^'])} ${u()})`,
      () => `(max(${u()}, 99u) - min(${u()}, 99u))`,
      () => `cu(${u()} << (${u()} & 3u))`,
      () => `(${u()} >> (${u()} & 3u))`,
      () => `(${u()} / (1u + ${u()}))`,
      () => `(${u()} % (1u + ${u()}))`,
      () => `u32(abs(${sub('i32')}))`,
      () => `u32(${sub('i32')} & 255)`,
      () => `u32(${sub('bool')})`,
      () => `countOneBits(${u()})`,
      () => `firstLeadingBit(${u()} + 1u)`,
      () => `u32(floor(abs(${sub('f32')})))`,
      () => `cu2(${sub({ size: 2, of: 'u32' })}).y`,
      () => `s.inner.w[${u()} % 3u]`,
      () => `select(${u()}, ${u()}, ${sub('bool')})`,
      () => `cu(dot(${sub({ size: 2, of: 'u32' })}, ${sub({ size: 2, of: 'u32' })}))`,
      () => `min(${u()}, ${u()})`,
    ])();
  }

  private float(sub: (k: Kind) => string): string {
    const f = (): string => sub('f32');
    return this.pick<() => string>([
      () => `cf(${f()} ${this.pick(['+', '-', '*'])} ${f()})`,
      () => `cf(${f()} / ${this.pick(['2.0', '-4.0', '0.5'])})`,
      () => `${this.pick(['floor', 'ceil', 'trunc', 'abs', 'sign', 'fract', 'saturate'])}(${f()})`,
      () => `${this.pick(['min', 'max', 'step'])}(${f()}, ${f()})`,
      () => `clamp(${f()}, -3.0, 5.5)`,
      () => `-(${f()})`,
      () => `f32(${sub('i32')} & 63)`,
      () => `f32(${sub('u32')} % 60u)`,
      () => `f32(${sub('bool')})`,
      () => `select(${f()}, ${f()}, ${sub('bool')})`,
      () => `cf(mix(${f()}, ${f()}, 0.5))`,
      () => `cf(fma(${f()}, ${f()}, ${f()}))`,
      () => {
        const v = this.pick(VECTORS.filter(({ of }) => of === 'f32'));
        return `cf(dot(${sub(v)}, ${sub(v)}))`;
      },
      () => 'cf(sqrt(9.0 * n2 * n2) / 3.0)',
      () => `cf3(${sub({ size: 3, of: 'f32' })}).${this.pick(['x', 'y', 'z', 'r', 'b'])}`,
      () => `${sub('mat')}[${this.choose(2)}][${this.choose(2)}]`,
      () => `g[${sub('u32')} & 3u].x`,
      () => `s.v.${this.pick(['x', 'y', 'z'])}`,
      () => `cf(determinant(${sub('mat')}))`,
      () => `f.wzyx[${sub('u32')} & 3u]`,
      () => `(${f()} % 3.0)`,
      () => 'cf(total(s))',
      () => `n4[${sub('u32')} % 3u]`,
      () => `cf(length(vec2f(3.0, 4.0) * ${f()}))`,
    ])();
  }

  private condition(sub: (k: Kind) => string): string {
    const kind = this.pick<Scalar>(['i32', 'f32', 'u32']);
    const vector = this.pick(VECTORS);
    return this.pick<() => string>([
      () => `(${sub(kind)} ${this.pick(['<', '<=', '>', '>=', '==', '!='])} ${sub(kind)})`,
      () => `(${sub('bool')} ${this.pick(['&&', '||', '&', '|'])} ${sub('bool')})`,
      () => `!(${sub('bool')})`,
      () => `${this.pick(['all', 'any'])}(${sub(vector)} ${this.pick(['<', '<=', '>', '==', '!='])} ${sub(vector)})`,
      () => `bool(${sub('i32')})`,
      () => `(${sub('bool')} ${this.pick(['==', '!='])} ${sub('bool')})`,
    ])();
  }

  private vector(kind: Vector, sub: (k: Kind) => string): string {
    const { size, of } = kind;
    const cut = `c${of[0]!}${size}`;
    const scalars = (count: number): string => Array.from({ length: count }, () => sub(of)).join(', ');
    const source = this.pick(VECTORS.filter((other) => other.of === of));
    const swizzle = Array.from({ length: size }, () => 'xyzw'[this.choose(source.size)]!).join('');
    const operators = of === 'u32' ? ['+', '*'] : ['+', '-', '*'];
    const two: Vector = { size: 2, of };
    return this.pick<() => string>([
      () => `${nameOf(kind)}(${scalars(size)})`,
      () => `${cut}(${sub(kind)} ${this.pick(operators)} ${sub(kind)})`,
      () => `${nameOf(kind)}(${sub(of)})`,
      () => `c${of[0]!}${source.size}(${sub(source)}).${swizzle}`,
      () => `${cut}(${sub(kind)} * ${sub(of)})`,
      () => `${this.pick(['min', 'max'])}(${sub(kind)}, ${sub(kind)})`,
      () => `select(${sub(kind)}, ${sub(kind)}, ${sub(kind)} < ${sub(kind)})`,
      () => (of === 'u32' ? `(${sub(kind)} >> vec${size}u(1u))` : `abs(${sub(kind)})`),
      () => `select(${sub(kind)}, ${sub(kind)}, ${sub('bool')})`,
      () => (of === 'i32' ? `-(${sub(kind)})` : `${cut}(${sub(kind)} + ${sub(of)})`),
      () => (size === 2 ? `${nameOf(kind)}(${scalars(2)})` : `${nameOf(kind)}(${sub(two)}, ${scalars(size - 2)})`),
      () =>
        of !== 'f32'
          ? `${nameOf(kind)}(${scalars(size)})`
          : size === 2
            ? `cf2(${sub('mat')} * ${sub(kind)})`
            : size === 3
              ? `cf3(cross(${sub(kind)}, ${sub(kind)}))`
              : `floor(${sub(kind)})`,
      () =>
        of === 'f32' && size === 2
          ? `${sub('mat')}[${this.choose(2)}]`
          : of === 'i32'
            ? `vec${size}i(trunc(${sub({ size, of: 'f32' })}))`
            : `${nameOf(kind)}(${scalars(size)})`,
      () =>
        of === 'f32' && size === 2
          ? `g[${sub('u32')} & 3u]`
          : `clamp(${sub(kind)}, ${nameOf(kind)}(1), ${nameOf(kind)}(9))`,
    ])();
  }

  protected leaf(kind: Kind): string {
    if (typeof kind === 'object') return `${kind.of[0]!}.${['xy', 'zyx', 'wxyz'][kind.size - 2]!}`;
    const component = 'xyzw'[this.choose(4)]!;
    switch (kind) {
      case 'i32':
        return this.choose(2) === 0 ? `i.${component}` : `${this.choose(20)}i`;
      case 'u32':
        return this.choose(2) === 0 ? `u.${component}` : `${this.choose(20)}u`;
      case 'f32':
        return this.choose(2) === 0 ? `f.${component}` : `${this.choose(9)}.25`;
      case 'bool':
        return this.pick(['(i.x > 3)', '(f.y < 1.0)', '(u.z == 4u)', 'true', 'false']);
      case 'mat':
        return 'mat2x2f(f.xy, f.zw)';
    }
  }
}
