// Random WGSL functions `fn test(f: vec4f, i: vec4i, u: vec4u) -> vec4u`. Floats stay small multiples of 1/4, so that
// double and single precision agree on every bit. Loops are counted.
import { Random } from '../support/random';

type Kind = 'i32' | 'u32' | 'f32' | 'bool';

// ci, cu and cf: literals that are no const-expressions, because their overflow would be a shader error.
const PRELUDE = `
struct Pair { a: i32, v: vec2i }
fn early(n: i32, m: i32) -> i32 {
  if (n > m) { return n - m; } for (var k = 0; k < 4; k++) { if (k * n > m) { return k; } } return m;
}
fn double(p: ptr<function, i32>) { *p = *p * 2; }
fn half(x: f32) -> f32 { return floor(x) * 0.5; }
fn ci(n: i32) -> i32 { return n; }
fn cu(n: u32) -> u32 { return n; }
fn cf(x: f32) -> f32 { return x; }
fn make(n: i32) -> Pair { var p: Pair; p.a = n; p.v = vec2i(n, 3); p.v.y += n; return p; }
`;

class Source {
  private readonly random: Random;
  private readonly lines: string[] = [];
  private readonly scopes: { readonly name: string; readonly kind: Kind; readonly mutable: boolean }[][] = [[]];
  private names = 0;
  private left = 14;
  private loops = 0;

  constructor(seed: number) {
    this.random = new Random(seed);
  }

  function(): string {
    this.emit('var e = array<i32, 5>(1, 2, 3, 4, 5);');
    this.emit('var pair = make(i.y & 7);');
    for (const kind of this.kinds) this.declare(kind, true);
    while (this.left > 0) this.statement(0);
    const result =
      `vec4u(bitcast<u32>(${this.expr('i32', 2)} ^ e[u.x % 5]), ${this.expr('u32', 2)}, `
      + `bitcast<u32>(${this.expr('f32', 2)} + 0), bitcast<u32>(pair.a + pair.v.x * 3 - pair.v.y) + `
      + `u32(${this.expr('bool', 2)}))`;
    return `
      ${PRELUDE}fn test(f: vec4f, i: vec4i, u: vec4u) -> vec4u {\n${this.lines.join('\n')}\nreturn ${result};\n}\n
    `;
  }

  private readonly kinds: readonly Kind[] = ['i32', 'u32', 'f32', 'bool', 'i32'];

  private emit(line: string): void {
    this.lines.push('  '.repeat(this.scopes.length) + line);
  }

  private declare(kind: Kind, mutable: boolean): void {
    const name = `n${this.names++}`;
    const value = this.expr(kind, 2);
    this.emit(`${mutable ? 'var' : 'let'} ${name}: ${kind} = ${value};`);
    this.scopes[this.scopes.length - 1]!.push({ name, kind, mutable });
  }

  private variable(kind: Kind, mutable: boolean): string | undefined {
    const found = this.scopes.flat().filter((entry) => entry.kind === kind && (!mutable || entry.mutable));
    return found.length === 0 ? undefined : this.random.pick(found).name;
  }

  private scoped(write: () => void): void {
    this.scopes.push([]);
    write();
    this.scopes.pop();
  }

  private statement(depth: number): void {
    this.left--;
    const { random } = this;
    const kind = random.pick(this.kinds);
    const choice = random.below(depth > 2 ? 60 : 100);
    if (choice < 12) return this.declare(kind, random.chance(60));
    if (choice < 36) return this.emit(`${this.variable(kind, true)!} = ${this.expr(kind, 3)};`);
    if (choice < 42) return this.emit(`e[${this.expr('u32', 2)} % 5] = ${this.expr('i32', 2)};`);
    if (choice < 47) return this.emit(`${this.variable('i32', true)!} += ${this.expr('i32', 2)};`);
    if (choice < 50)
      return this.emit(
        `double(&${random.pick([this.variable('i32', true)!, 'e[1]', 'pair.a', 'pair.v.x'])});`.replace(
          '&pair.v.x',
          '&pair.a'
        )
      );
    if (choice < 54) return this.emit(`pair = make(${this.expr('i32', 2)} & 15);`);
    if (choice < 57 && this.loops > 0)
      return this.emit(`if (${this.expr('bool', 2)}) { ${random.pick(['break', 'continue'])}; }`);
    if (choice < 60) return this.emit(`pair.v.${random.pick(['x', 'y'])} = ${this.expr('i32', 2)};`);
    if (choice < 80) return this.conditional(depth);
    if (choice < 90) return this.loop(depth);
    this.switch(depth);
  }

  private some(depth: number): void {
    this.scoped(() => {
      for (let count = 1 + this.random.below(3); count > 0; count--) this.statement(depth + 1);
    });
  }

  private conditional(depth: number): void {
    this.emit(`if (${this.expr('bool', 3)}) {`);
    this.some(depth);
    if (this.random.chance(50)) {
      this.emit('} else {');
      this.some(depth);
    }
    this.emit('}');
  }

  private loop(depth: number): void {
    const counter = `k${this.names++}`;
    const limit = this.random.chance(70) ? String(1 + this.random.below(5)) : `(${this.expr('i32', 1)} & 7)`;
    this.emit(`for (var ${counter} = 0; ${counter} < ${limit}; ${counter}++) {`);
    this.scopes.push([{ name: counter, kind: 'i32', mutable: false }]);
    this.loops++;
    this.some(depth);
    this.loops--;
    this.scopes.pop();
    this.emit('}');
  }

  private switch(depth: number): void {
    this.emit(`switch (${this.expr('i32', 2)} & 3) {`);
    const outer = this.loops;
    // `break` would leave the switch.
    this.loops = 0;
    for (const values of ['0', '1, 2']) {
      this.emit(`case ${values}: {`);
      this.some(depth);
      this.emit('}');
    }
    this.emit('default: {');
    this.some(depth);
    this.emit('} }');
    this.loops = outer;
  }

  private expr(kind: Kind, depth: number): string {
    const { random } = this;
    const variable = this.variable(kind, false);
    if (depth === 0 || random.chance(25))
      return variable !== undefined && random.chance(60) ? variable : this.leaf(kind);
    const sub = (k: Kind): string => this.expr(k, depth - 1);
    switch (kind) {
      case 'i32':
        return random.pick<() => string>([
          () => `(${sub('i32')} ${random.pick(['+', '-', '*', '&', '|', '^'])} ${sub('i32')})`,
          () => `(${sub('i32')} << (${sub('u32')} & 7u))`,
          () => `(${sub('i32')} >> (${sub('u32')} & 7u))`,
          () => `(${sub('i32')} / (1 + (${sub('i32')} & 7)))`,
          () => `(${sub('i32')} % (1 + (${sub('i32')} & 7)))`,
          () => `min(${sub('i32')}, ${sub('i32')})`,
          () => `abs(${sub('i32')})`,
          () => `clamp(${sub('i32')}, -9, 9)`,
          () => `-(${sub('i32')})`,
          () => `~(${sub('i32')})`,
          () => `i32(${sub('f32')})`,
          () => `i32(${sub('bool')})`,
          () => `i32(${sub('u32')})`,
          () => `early(${sub('i32')} & 15, ${sub('i32')} & 15)`,
          () => `e[${sub('u32')} % 5u]`,
          () => `select(${sub('i32')}, ${sub('i32')}, ${sub('bool')})`,
          () => `dot(vec2i(${sub('i32')}, 2), pair.v)`,
          () => `pair.v[${sub('u32')} & 1u]`,
          () => `make(${sub('i32')} & 3).v.y`,
        ])();
      case 'u32':
        return random.pick<() => string>([
          () => `(${sub('u32')} ${random.pick(['+', '-', '*', '&', '|', '^'])} ${sub('u32')})`,
          () => `(${sub('u32')} >> (${sub('u32')} & 7u))`,
          () => `(${sub('u32')} / (1u + (${sub('u32')} & 7u)))`,
          () => `max(${sub('u32')}, ${sub('u32')})`,
          () => `countOneBits(${sub('u32')})`,
          () => `u32(${sub('i32')})`,
          () => `bitcast<u32>(${sub('i32')})`,
        ])();
      case 'f32':
        return random.pick<() => string>([
          () => `half(clamp(${sub('f32')} + ${sub('f32')}, -50, 50))`,
          () => `floor(clamp(${sub('f32')} * ${sub('f32')}, -50, 50))`,
          () => `(${sub('f32')} - floor(${sub('f32')}))`,
          () => `min(${sub('f32')}, ${sub('f32')})`,
          () => `max(${sub('f32')}, ${sub('f32')})`,
          () => `abs(${sub('f32')})`,
          () => `trunc(${sub('f32')})`,
          () => `f32(${sub('i32')} & 15)`,
          () => `select(${sub('f32')}, ${sub('f32')}, ${sub('bool')})`,
          () => `step(${sub('f32')}, ${sub('f32')})`,
          () => `f.wzyx[${sub('u32')} & 3u]`,
        ])();
      case 'bool':
        return random.pick<() => string>([
          () => `(${sub('i32')} ${random.pick(['<', '<=', '>', '>=', '==', '!='])} ${sub('i32')})`,
          () => `(${sub('f32')} ${random.pick(['<', '>', '=='])} ${sub('f32')})`,
          () => `(${sub('bool')} ${random.pick(['&&', '||'])} ${sub('bool')})`,
          () => `!(${sub('bool')})`,
          () => `(${sub('u32')} < ${sub('u32')})`,
        ])();
    }
  }

  private leaf(kind: Kind): string {
    const { random } = this;
    const component = random.pick(['x', 'y', 'z', 'w']);
    switch (kind) {
      case 'i32':
        return random.chance(60) ? `i.${component}` : `ci(${random.below(20)})`;
      case 'u32':
        return random.chance(60) ? `u.${component}` : `cu(${random.below(20)}u)`;
      case 'f32':
        return random.chance(60) ? `f.${component}` : `cf(${random.below(9)}.25)`;
      case 'bool':
        return random.pick(['true', 'false', 'i.x > 3', 'f.y < 1.0']);
    }
  }
}

export const generateFunction = (seed: number): string => new Source(seed).function();
