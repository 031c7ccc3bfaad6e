// WGSL functions from a list of choices, for fast-check: fewer and smaller choices give shorter functions, so a failure
// shrinks to the relevant statement. `fn test(f: vec4f, i: vec4i, u: vec4u, out: ptr<function, array<i32, 8>>)` leaves
// its results in `out`.
// Every value is exact in single and in double precision: integers stay within ±999, floats are multiples of 1/4 within
// ±64, and products of two of them fit 24 bits before they are cut again. So an executor that computes in doubles must
// give the same bits.

import { ExpressionWriter, KINDS, nameOf, sameKind, VECTORS, type Kind, type Variable } from './programs.expressions';

// Clamping to the ranges above; early returns from loops; pointers to variables, to members and to elements.
const PRELUDE = `
struct Inner { n: i32, w: array<u32, 3> }
struct S { a: i32, v: vec3f, inner: Inner, m: mat2x2f }
const TABLE = array<i32, 6>(3, -1, 4, 1, -5, 9);
fn ci(n: i32) -> i32 { return clamp(n, -999, 999); }
fn cu(n: u32) -> u32 { return min(n, 999u); }
fn cf(x: f32) -> f32 { return clamp(floor(x * 4.0) * 0.25, -64.0, 64.0); }
fn ci2(v: vec2i) -> vec2i { return vec2i(ci(v.x), ci(v.y)); }
fn ci3(v: vec3i) -> vec3i { return vec3i(ci2(v.xy), ci(v.z)); }
fn ci4(v: vec4i) -> vec4i { return vec4i(ci2(v.xy), ci2(v.zw)); }
fn cu2(v: vec2u) -> vec2u { return vec2u(cu(v.x), cu(v.y)); }
fn cu3(v: vec3u) -> vec3u { return vec3u(cu2(v.xy), cu(v.z)); }
fn cu4(v: vec4u) -> vec4u { return vec4u(cu2(v.xy), cu2(v.zw)); }
fn cf2(v: vec2f) -> vec2f { return vec2f(cf(v.x), cf(v.y)); }
fn cf3(v: vec3f) -> vec3f { return vec3f(cf2(v.xy), cf(v.z)); }
fn cf4(v: vec4f) -> vec4f { return vec4f(cf2(v.xy), cf2(v.zw)); }
fn cm(m: mat2x2f) -> mat2x2f { return mat2x2f(cf2(m[0]), cf2(m[1])); }
fn early(n: i32, m: i32) -> i32 {
  if (n > m) { return n - m; } for (var k = 0; k < 4; k++) { if (k * n > m) { return k; } } return m;
}
fn bump(p: ptr<function, i32>, by: i32) { *p = ci(*p + by); }
fn turn(p: ptr<function, vec3f>) { let t = (*p).x + 0.0; (*p).x = (*p).z; (*p).z = t; }
fn put(p: ptr<function, array<i32, 5>>, k: u32, x: i32) { (*p)[k % 5u] = x; }
fn made(n: i32) -> S {
  var s: S; s.a = n; s.v = vec3f(f32(n), 1.5, -2.25); s.inner.w[1] = 7u; s.m = mat2x2f(1.0, 2.0, 3.0, 4.0); return s;
}
fn total(s: S) -> f32 { return s.v.x + s.v.z + f32(s.a) + s.m[1][0]; }
`;

class FunctionWriter extends ExpressionWriter {
  private readonly lines: string[] = [];
  private names = 0;
  private left = 12;
  private loops = 0;

  private emit(line: string): void {
    this.lines.push('  '.repeat(this.scopes.length) + line);
  }

  text(): string {
    this.emit('var e = array<i32, 5>(1, 2, 3, 4, 5); var g = array<vec2f, 4>(); var s = made(i.y);');
    for (const kind of [
      'i32',
      'u32',
      'f32',
      'bool',
      { size: 3, of: 'f32' },
      { size: 4, of: 'i32' },
      { size: 2, of: 'u32' },
      'mat',
    ] as const) {
      const name = `n${this.names++}`;
      this.emit(`var ${name}: ${nameOf(kind)} = ${this.leaf(kind)};`);
      this.scopes[0]!.push({ name, kind, mutable: true });
    }
    while (this.at < this.choices.length && this.left > 0) this.statement(0);
    this.results();
    return `
      ${PRELUDE}fn test(f: vec4f, i: vec4i, u: vec4u, out: ptr<function, array<i32, 8>>) {
      ${this.lines.join('\n')}\n}\n
    `;
  }

  private results(): void {
    const float = (x: string): string => `i32(${x} * 4.0)`;
    const sum = (kind: Kind): string =>
      this.scopes[0]!.filter((variable) => sameKind(variable.kind, kind))
        .map(({ name }) => name)
        .join(' + ');
    this.emit(
      `out[0] = ${sum('i32')}; out[1] = i32(${sum('u32')}); out[2] = ${float(`(${sum('f32')})`)}; `
        + 'out[3] = select(0, 1, n3);'
    );
    this.emit(
      `out[4] = ${float('(n4.x + n4.y * 2.0 + n4.z * 3.0 + g[0].x + g[3].y)')}; `
        + 'out[5] = n5.x + n5.y * 2 + n5.z * 3 + n5.w * 4 + i32(n6.x + n6.y * 2u);'
    );
    this.emit(
      'out[6] = e[0] + e[1] * 2 + e[2] * 3 + e[3] * 5 + e[4] * 7; out[7] = s.a + s.inner.n + i32(s.inner.w[0] '
        + `+ s.inner.w[2]) + ${float('(s.v.x + s.v.y + n7[0].y + n7[1][0] + s.m[0][1])')};`
    );
  }

  private declare(kind: Kind, mutable: boolean): void {
    const value = this.expr(kind, 2);
    const name = `n${this.names++}`;
    this.emit(`${mutable ? 'var' : 'let'} ${name}: ${nameOf(kind)} = ${value};`);
    this.scopes[this.scopes.length - 1]!.push({ name, kind, mutable });
  }

  private statement(depth: number): void {
    this.left--;
    const flat: readonly (() => void)[] = [
      () => this.assign(),
      () => this.place(),
      () => this.declare(this.pick(KINDS), this.choose(2) === 0),
      () => this.compound(),
      () => this.call(),
    ];
    const deep: readonly (() => void)[] = [
      () => this.conditional(depth),
      () => this.forLoop(depth),
      () => this.whileLoop(depth),
      () => this.endlessLoop(depth),
      () => this.switch(depth),
      () => this.jump(),
    ];
    const all = depth > 2 ? flat : [...flat, ...deep];
    this.pick(all)();
  }

  private assign(): void {
    const kind = this.pick(KINDS.filter((k) => this.find(k, true) !== null));
    this.emit(`${this.find(kind, true)!} = ${this.expr(kind, 3)};`);
  }

  /** Components, elements, members, columns; by constant and by computed index. */
  private place(): void {
    const [i, u, f] = [() => this.expr('i32', 2), () => this.expr('u32', 2), () => this.expr('f32', 2)];
    const vector = this.pick(VECTORS.filter((kind) => this.find(kind, true) !== null));
    const name = this.find(vector, true)!;
    this.emit(
      this.pick<() => string>([
        () => `e[${this.choose(5)}] = ${i()};`,
        () => `e[${u()} % 5u] = ${i()};`,
        () => `${name}.${'xyzw'[this.choose(vector.size)]!} = ${this.expr(vector.of, 2)};`,
        () => `${name}[${u()} % ${vector.size}u] = ${this.expr(vector.of, 2)};`,
        () => `g[${u()} & 3u] = ${this.expr({ size: 2, of: 'f32' }, 2)};`,
        () => `g[${u()} & 3u].y = ${f()};`,
        () => `n7[${this.choose(2)}] = ${this.expr({ size: 2, of: 'f32' }, 2)};`,
        () => `s.a = ${i()};`,
        () => `s.v = ${this.expr({ size: 3, of: 'f32' }, 2)};`,
        () => `s.v.${this.pick(['x', 'y', 'z'])} = ${f()};`,
        () => `s.inner.w[${u()} % 3u] = ${u()};`,
        () => `s.inner.n = ${i()};`,
        () => `s = made(${i()});`,
      ])()
    );
  }

  private compound(): void {
    const [n, w, x] = [this.find('i32', true)!, this.find('u32', true)!, this.find('f32', true)!];
    this.emit(
      this.pick<() => string>([
        () => `${n} += ${this.expr('i32', 2)}; ${n} = ci(${n});`,
        () => `${n}++; ${n} = ci(${n});`,
        () => `${n}--; ${n} = ci(${n});`,
        () => `${n} -= ${this.expr('i32', 2)}; ${n} = ci(${n});`,
        () => `${n} &= ${this.expr('i32', 2)}; ${n} = ci(${n});`,
        () => `${w} |= ${this.expr('u32', 2)}; ${w} = cu(${w});`,
        () => `${w} ^= ${this.expr('u32', 2)}; ${w} = cu(${w});`,
        () => `${w} %= 7u;`,
        () => `${w} >>= 1u;`,
        () => `${x} += ${this.expr('f32', 2)}; ${x} = cf(${x});`,
        () => `${x} *= ${this.expr('f32', 2)}; ${x} = cf(${x});`,
        () => `${x} /= 4.0; ${x} = cf(${x});`,
        () => `e[${this.expr('u32', 1)} % 5u] += 3;`,
        () => `n4 += ${this.expr({ size: 3, of: 'f32' }, 2)}; n4 = cf3(n4);`,
        () => `n4 *= 0.5; n4 = cf3(n4);`,
        () => `s.v.y -= 1.25;`,
        () => `n5 += ${this.expr({ size: 4, of: 'i32' }, 2)}; n5 = ci4(n5);`,
        () => `s.inner.w[1] += 1u;`,
      ])()
    );
  }

  private call(): void {
    const n = this.find('i32', true)!;
    this.emit(
      this.pick([
        `bump(&${n}, ${this.expr('i32', 2)});`,
        'turn(&n4);',
        `put(&e, ${this.expr('u32', 1)}, ${this.expr('i32', 1)});`,
        `{ let p = &${n}; *p = ci(*p + 2); }`,
        '{ let p = &s.v; (*p).x = (*p).y; }',
      ])
    );
  }

  private body(depth: number, extra: readonly Variable[] = []): void {
    this.scopes.push([...extra]);
    for (let count = 1 + this.choose(3); count > 0; count--) this.statement(depth + 1);
    this.scopes.pop();
  }

  private conditional(depth: number): void {
    this.emit(`if (${this.expr('bool', 3)}) {`);
    this.body(depth);
    if (this.choose(3) === 1) {
      this.emit(`} else if (${this.expr('bool', 2)}) {`);
      this.body(depth);
    }
    if (this.choose(2) === 1) {
      this.emit('} else {');
      this.body(depth);
    }
    this.emit('}');
  }

  private inLoop(write: () => void): void {
    this.loops++;
    write();
    this.loops--;
  }

  private forLoop(depth: number): void {
    const k = `k${this.names++}`;
    this.emit(
      `
        for (var ${k} =
          0; ${k} < ${this.pick(['3', '5', `(${this.expr('i32', 1)} & 7)`])}; ${k}${this.pick(['++', ' += 2'])}) {
      `
    );
    this.inLoop(() => this.body(depth, [{ name: k, kind: 'i32', mutable: false }]));
    this.emit('}');
  }

  /** The counter is incremented first, so that no `continue` skips it. */
  private whileLoop(depth: number): void {
    const k = `k${this.names++}`;
    this.emit(`{ var ${k} = ${this.choose(4)}; while (${k} < 5) { ${k} += 1;`);
    this.inLoop(() => this.body(depth, [{ name: k, kind: 'i32', mutable: false }]));
    this.emit('} }');
  }

  private endlessLoop(depth: number): void {
    const k = `k${this.names++}`;
    const continuing = this.choose(2) === 1;
    this.emit(continuing ? `{ var ${k} = 0; loop {` : `{ var ${k} = 0; loop { if (${k} > 3) { break; } ${k}++;`);
    this.inLoop(() => this.body(depth, [{ name: k, kind: 'i32', mutable: false }]));
    this.emit(continuing ? `continuing { ${k}++; break if ${k} >= 4; } } }` : '} }');
  }

  private switch(depth: number): void {
    this.emit(`switch (${this.expr('i32', 2)} & 3) {`);
    const outer = this.loops;
    // `break` would leave the switch.
    this.loops = 0;
    for (const values of ['0', '1, 2']) {
      this.emit(`case ${values}: { {`);
      this.body(depth);
      this.emit('} }');
    }
    this.emit('default: { {');
    this.body(depth);
    this.emit('} } }');
    this.loops = outer;
  }

  private jump(): void {
    const leave = this.loops > 0 ? this.pick(['break', 'continue']) : 'return';
    this.emit(`if (${this.expr('bool', 2)}) { ${leave}; }`);
  }
}

export const writeFunction = (choices: readonly number[]): string => new FunctionWriter(choices).text();
