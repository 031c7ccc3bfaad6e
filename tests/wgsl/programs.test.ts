// Valid shaders over the breadth of the language, and their HIR.

import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { renderDiagnostics } from '../../src/base/diagnostics';
import { checkModule, parseModule } from '../../src/wgsl';
import type { Hir } from '../../src/wgsl/hir';
import { simpleMath } from './simple-math';

function compile(source: string): Hir {
  const { module, diagnostics } = parseModule(source);
  const checked = checkModule(module, simpleMath);
  const text = renderDiagnostics(source, [...diagnostics, ...checked.diagnostics]);
  if (checked.hir === null) throw new Error(`not accepted:\n${text}`);
  expect(text).toBe('');
  return checked.hir;
}

const programs: Readonly<Record<string, string>> = {
  'template lists and comparisons': `
    const a = 4; const b = 5;
    fn f(x: i32, y: i32) -> bool { return x < y && y > x; }
    fn g(x: i32) -> array<vec2<f32>, a + 1> { var r: array<vec2<f32>, select(1, 5, (a > b) == false)>; return r; }`,
  'a generic comparison that looks like a template list':
    'fn f(a: i32, b: i32, c: i32) -> bool { let d = a < b; return d == (b > c); }',
  'nested templates closed at once':
    'var<private> a: array<array<vec3<f32>, 2>, 3>; fn f() -> f32 { return a[1][1].x; }',
  'shift right behind a template list': 'fn f(a: u32) -> u32 { let v = array<u32, 2>(a, 1u); return v[0] >> v[1]; }',
  'comments, unicode names, line ends':
    '/* a /* nested */ comment */ // line\r\nconst größe = 1.0; const Ω = größe; fn f() -> f32 { return Ω; }',
  'declarations in any order': `
    fn f() -> T { return g(); }
    fn g() -> T { return T(c, vec2f()); }
    struct T { a: f32, b: U }
    alias U = vec2<f32>; const c = d * 2.0; const d = 1.5;
  `,
  'shadowing in inner blocks':
    'const x = 1; fn f(y: i32) -> i32 { let x = y; { let x = x + 1; var y = x; y += 1; return y; } }',
  'shadowing a built-in function and type':
    'fn min(a: f32) -> f32 { return a; } fn f() -> f32 { let vec3 = 2.0; return min(vec3); }',
  'all kinds of loops': `
    fn f(n: i32) -> i32 {
      var sum = 0;
      for (var i = 0; i < n; i++) { if i == 3 { continue; } sum += i; }
      while sum > 10 { sum -= 3; }
      loop { sum++; if sum > 5 { break; } continuing { sum *= 2; break if sum > 100; } }
      loop { if sum == 0 { return 1; } sum--; }
    }`,
  'switch in all its forms': `
    const two = 2;
    fn f(n: i32) -> i32 {
      switch n { case 1, two: { return 1; } case -3 { return 2; } default: { } }
      switch (n) { case 0, default { break; } }
      switch n { default: { return 3; } case 4: { return 4; } }
    }
    fn g(n: u32) { switch n { case 1: { } default: { } } switch 3 { case 3u: { } default: { } } }`,
  pointers: `
    struct S { a: array<f32, 3>, b: vec2f }
    var<private> p: S;
    fn put(q: ptr<function, f32>, v: f32) { *q = v; *q += 1.0; }
    fn first(q: ptr<private, S>) -> f32 { return q.a[0] + (*q).b.x + q.b.y; }
    fn at(q: ptr<function, array<f32, 3>>, i: i32) -> f32 { return q[i] + (*q)[1]; }
    fn f() -> f32 {
      var x = 1.0; put(&x, 2.0); let y = &x; *y = 3.0;
      var s: S; put(&s.a[1], *y); let r = &s.a; (*r)[2] = 1.0; r[0] = 2.0;
      return first(&p) + at(&s.a, 2) + *&x;
    }`,
  'storage buffers': `
    struct Item { m: mat4x4f, n: u32 }
    struct List { count: u32, items: array<Item> }
    @group(0) @binding(0) var<storage, read> list: List;
    @group(0) @binding(1) var<storage> raw: array<vec4f>;
    @group(0) @binding(2) var<uniform> u: Item;
    fn f(i: u32) -> vec4f {
      return list.items[i].m * raw[i] + raw[0] * f32(arrayLength(&raw) + arrayLength(&list.items) + u.n);
    }`,
  'textures and samplers, also as parameters': `
    @group(0) @binding(0) var a: texture_2d<f32>; @group(0) @binding(1) var s: sampler;
    @group(0) @binding(2) var c: texture_cube<f32>;
    @group(0) @binding(3) var i: texture_2d<i32>; @group(0) @binding(4) var d: texture_depth_2d;
    @group(0) @binding(5) var sc: sampler_comparison;
    @group(0) @binding(6) var v: texture_3d<f32>; @group(0) @binding(7) var arr: texture_2d_array<u32>;
    @group(0) @binding(8) var ms: texture_multisampled_2d<f32>;
    fn sample(t: texture_2d<f32>, q: sampler, uv: vec2f) -> vec4f { return textureSample(t, q, uv, vec2i(1, -1)); }
    @fragment fn f(@location(0) uv: vec2f) -> @location(0) vec4f {
      var r = sample(a, s, uv) + textureSampleBias(a, s, uv, 1) + textureSampleLevel(c, s, vec3f(uv, 1), 0)
        + textureSampleGrad(a, s, uv, dpdx(uv), dpdyFine(uv));
      r += vec4f(textureLoad(i, vec2i(uv), 0)) + textureLoad(a, vec2u(1, 2), 1u) + textureLoad(v, vec3i(), 0)
        + vec4f(textureLoad(arr, vec2i(), 1, 0)) + textureLoad(ms, vec2u(), 3);
      r.x += textureSample(d, s, uv) + textureSampleCompare(d, sc, uv, 0.5) + textureLoad(d, vec2i(), 0) + fwidth(uv).x;
      let size = textureDimensions(a) + textureDimensions(a, 1) + textureDimensions(c);
      r.y = f32(size.x + textureNumLevels(a) + textureNumLayers(arr) + textureNumSamples(ms));
      return r + textureGather(1, a, s, uv) + textureGather(d, s, uv);
    }`,
  'overload resolution over abstract numbers': `
    fn f(a: f32, b: u32, c: vec3f) -> f32 {
      let x = max(a, 1); let y = clamp(c, vec3(0), vec3(1.0)); let z = mix(vec3(1, 2, 3), c, 0.5); let w = min(b, 3);
      let v = select(1, 2.5, b > 1);
      let t = ldexp(a, 2) + pow(a, 2) + length(a) + distance(c, vec3(1)) + dot(vec2(1, 2), vec2f(a)) + modf(a).fract
        + f32(frexp(c).exp.x);
      return x + y.x + z.y + f32(w) + v + t + f32(countOneBits(7)) + abs(-1);
    }`,
  constructors: `
    fn f(a: f32, b: vec2f, i: i32, m: mat3x3f) -> vec4f {
      let p = vec4(b, a, 1); let q = vec3<bool>(i32(a) == i, false, true).x; let r = mat2x2(b, b);
      let s = mat2x3f(a, 1, 2, 3, 4, 5); let t = array(b, vec2f(1), b * 2);
      let u = array<vec2f, 2>(vec2(1, 2), b); let w = mat3x3f(m); let x = vec2<bool>(b); let y = vec3<u32>(vec3i(i));
      return p + vec4f(t[i], r[0]) + vec4f(s[1], w[2].z);
    }`,
  'operators of every kind': `
    fn f(a: i32, b: u32, c: f32, v: vec3f, m: mat3x3f, w: vec3<bool>) -> vec3f {
      var r = -v * c / 2 % v + m * v * c - v * m; r *= m; r += c;
      var n = ((a << b) ^ (a >> 2u)) | ~a; n = (n & 7) % 3; n <<= b; n >>= 1u; n++;
      let q = (!w & (v < r)) | (v == r); let l = a == 1 || (b > 2 && c <= 1.5);
      return select(r, v, q) + f32(n);
    }`,
  'continue and continuing': `
    fn f(n: i32) {
      loop {
        let a = n; if a > 1 { continue; } let b = a; if b > 2 { break; } continuing { let c = a; var b = c; b++; }
      }
    }`,
  'idioms of published samples': `
    struct Heads { count: atomic<u32>, data: array<atomic<u32>> }; struct Params { dim: i32, block: u32, mode: u32 }
    @binding(0) @group(0) var<storage, read_write> heads: Heads; @binding(1) @group(0) var<uniform> params: Params;
    @group(1) @binding(2) var target_texture: texture_storage_2d<rgba8unorm, write>;
    @group(1) @binding(3) var input: texture_2d<f32>; @group(1) @binding(4) var samp: sampler;
    const kCount = 4; const modeA = 0; const modeB = 1;
    const kPositions: array<vec2f,
      kCount> = array(vec2f(0.375, 0.125), vec2f(0.875, 0.375), vec2f(0.125, 0.625), vec2f(0.625, 0.875),);
    var<workgroup> tile: array<array<vec3f, 128>, 4>;
    fn mode(uv: vec2f, v: vec3f) -> vec2f {
      switch (params.mode) {
        case modeA: { return uv * f32(kCount) / -v.z; } case modeB: { break; } default: { return uv; }
      }
      return uv + v.xy * (v.x * 2) / -v.z;
    }
    @fragment fn fs(@builtin(position) position: vec4<f32>, @location(0) @interpolate(flat) instance: u32,)
      -> @location(0) vec4f {
      const colors = array<vec3<f32>,2>(vec3(1.0, 0.0, 0.0), vec3(0.0, 1.0, 0.0),);
      let p = vec2<i32>(position.xy); let index = u32(p.y - params.dim) * params.block + u32(p.x);
      let offset = -125.0 / 2.0 + 2.0 * f32(index % 2u == 0u);
      let last = atomicExchange(&heads.data[index], atomicAdd(&heads.count, 1u));
      for (var i = 0; i < kCount; i += 1) {
        if distance(position.xy % vec2f(1, 1), kPositions[i]) < 0.1 {
          return vec4f(textureLoad(input, p, i).rgb, offset);
        }
      }
      return vec4(colors[(instance + 3u) % 2u] + f32(last), 0.3)
        + vec4(mode(position.xy * vec2(2, -2) + vec2(-1, 1), position.xyz), 0, 1);
    }
    @compute @workgroup_size(32, 1, 1) fn blur(@builtin(workgroup_id) group: vec3u,
      @builtin(local_invocation_id) local: vec3u) {
      _ = &heads;
      let filterOffset = (params.dim - 1) / 2; let dims = vec2i(textureDimensions(input, 0));
      let base = vec2i(group.xy * vec2(params.block, 4) + local.xy * vec2(4, 1)) - vec2(filterOffset, 0);
      for (var r = 0; r < 4; r++) { for (var c = 0; c < 4; c++) {
        var at = base + vec2(c, r); if (params.mode != 0u) { at = at.yx; }
        tile[r][4 * local.x + u32(c)] =
          textureSampleLevel(input, samp, (vec2f(at) + vec2f(0.25, 0.25)) / vec2f(dims), 0.0).rgb;
        workgroupBarrier(); let center = i32(4 * local.x) + c;
        if (center >= filterOffset && center < 128 - filterOffset && all(at < dims)) {
          textureStore(target_texture, at, vec4((1.0 / f32(params.dim)) * tile[r][center], 1.0));
        }
      } }
      if (all(group.xy < vec2u(textureDimensions(target_texture)))) {
        textureStore(target_texture, group.xy, vec4f(1));
      }
    }`,
  'discarding values': `
    fn g() -> f32 { return 1.0; }
    @group(0) @binding(0) var<uniform> u: vec4f;
    fn f() { g(); _ = g(); _ = u; _ = 3; let p = &u; _ = p; }
  `,
  'vertex and fragment interfaces': `
    struct In { @location(0) p: vec3f, @location(3) @interpolate(flat) id: u32 }
    struct V {
      @builtin(position) @invariant pos: vec4f, @location(0) @interpolate(linear, centroid) uv: vec2f,
        @location(1) @interpolate(flat, either) id: vec2u
    }
    @vertex fn vs(in: In, @builtin(vertex_index) v: u32, @builtin(instance_index) i: u32) -> V {
      return V(vec4f(in.p, 1), in.p.xy, vec2u(in.id, v + i));
    }
    struct Out {
      @location(0) c: vec4f, @location(1) n: vec4u, @builtin(frag_depth) d: f32, @builtin(sample_mask) m: u32
    }
    @fragment fn fs(v: V, @builtin(front_facing) front: bool, @builtin(sample_index) s: u32,
      @builtin(sample_mask) mask: u32) -> Out {
      if !front { discard; } return Out(v.pos, vec4u(v.id, s, 1), 0.5, mask);
    }
    @fragment fn depth_only() { }`,
  'a compute shader is checked, for getCompilationInfo': `
    override size = 4u; struct B { n: atomic<u32>, data: array<f32> }
    @group(0) @binding(0) var<storage, read_write> b: B; var<workgroup> w: array<f32, size * 2>;
    @compute @workgroup_size(size, 2) fn main(@builtin(global_invocation_id) id: vec3u,
      @builtin(local_invocation_index) l: u32) {
      w[l] = b.data[id.x]; workgroupBarrier(); let old = atomicAdd(&b.n, 1u); b.data[id.x] = w[0] + f32(old);
    }`,
  'directives and attributes': `
    requires unrestricted_pointer_parameters, pointer_composite_access; diagnostic(off, derivative_uniformity);
    @must_use fn g() -> f32 { return 1.0; }
    @diagnostic(warning, derivative_uniformity) fn f() {
      if g() > 0.5 @diagnostic(off, derivative_uniformity) { let a = g(); }
    };
    const_assert true;`,
};

describe('valid shaders', () => {
  it.each(Object.entries(programs).filter(([, source]) => !source.includes('override')))('%s', (_, source) => {
    expect(compile(source).functions.length).toBeGreaterThan(0);
  });

  it.each(Object.entries(programs).filter(([, source]) => source.includes('override')))(
    '%s (with overrides)',
    (_, source) => {
      const { module, diagnostics } = parseModule(source);
      const checked = checkModule(module, simpleMath);
      expect(renderDiagnostics(source, [...diagnostics, ...checked.diagnostics])).toBe('');
      expect(checked.valid).toBe(true);
      expect(checked.hir).toBeNull();
    }
  );
});

describe('the HIR', () => {
  it('folds const-expressions to one node and makes every type concrete', () => {
    const { functions } = compile('fn f(a: f32) -> f32 { let v = vec2(1, 2) * 3; return a * (1 + 2) + f32(v.x); }');
    expect(functions[0]!.body[0]).toMatchObject({
      kind: 'let',
      value: { op: 'const', data: [3, 6], type: { kind: 'vector', size: 2, scalar: 'i32' } },
    });
    const result = functions[0]!.body[1]!;
    expect(result).toMatchObject({
      kind: 'return',
      value: { op: 'binary', left: { op: 'binary', right: { op: 'const', data: [3], type: { scalar: 'f32' } } } },
    });
  });

  it('turns for into a loop with its update in continuing', () => {
    const { functions } = compile('fn f() { for (var i = 0; i < 4; i++) { } }');
    expect(functions[0]!.body).toMatchObject([
      {
        kind: 'block',
        body: [
          { kind: 'var', local: 0 },
          {
            kind: 'loop',
            body: [{ kind: 'if', otherwise: [{ kind: 'break' }] }],
            continuing: [{ kind: 'assign', operator: '+', value: { op: 'const', data: [1] } }],
          },
        ],
      },
    ]);
  });

  it('accesses memory by steps, dynamic ones only where an index is unknown', () => {
    const { functions } = compile(
      'struct S { a: array<vec3f, 4> } fn f(i: u32) -> f32 { var s: S; return s.a[i].z + s.a[2].x; }'
    );
    const { value } = functions[0]!.body[1] as unknown as {
      value: { left: { place: { steps: unknown[] } }; right: { place: { steps: unknown[] } } };
    };
    expect(value.left.place.steps).toMatchObject([
      { step: 'member', index: 0 },
      { step: 'index' },
      { step: 'member', index: 2 },
    ]);
    expect(value.right.place.steps).toMatchObject([
      { step: 'member', index: 0 },
      { step: 'member', index: 2 },
      { step: 'member', index: 0 },
    ]);
  });

  it('keeps a constant index into a runtime-sized array dynamic', () => {
    const { functions } = compile('@group(0) @binding(0) var<storage> s: array<f32>; fn f() -> f32 { return s[7]; }');
    expect(functions[0]!.body[0]).toMatchObject({
      value: { op: 'load', place: { steps: [{ step: 'index', index: { op: 'const', data: [7] } }] } },
    });
  });

  it('omits unreachable code', () => {
    const { module } = parseModule('fn f() -> f32 { return 1.0; let a = 2; }');
    expect(checkModule(module, simpleMath).hir!.functions[0]!.body).toHaveLength(1);
  });

  it('lists the interface, resources and sampling pairs of an entry point', () => {
    const { entryPoints, globals } = compile(programs['textures and samplers, also as parameters']!);
    const [entry] = entryPoints;
    const name = (global: number): string => globals[global]!.name;
    expect(entry!.inputs).toMatchObject([{ name: 'uv', io: { location: 0 }, parameter: 0, member: -1 }]);
    expect(entry!.outputs).toMatchObject([{ io: { location: 0 }, parameter: -1, member: -1 }]);
    expect(entry!.resources.map(name)).toEqual(['a', 's', 'c', 'i', 'd', 'sc', 'v', 'arr', 'ms']);
    expect(entry!.samplingPairs.map((pair) => pair.map(name).join('+')).sort()).toEqual(['a+s', 'c+s', 'd+s', 'd+sc']);
  });

  it('splits structs of the interface into members', () => {
    const [vs, fs] = compile(programs['vertex and fragment interfaces']!).entryPoints;
    expect(vs!.inputs.map(({ name, parameter, member }) => [name, parameter, member])).toEqual([
      ['in.p', 0, 0],
      ['in.id', 0, 1],
      ['v', 1, -1],
      ['i', 2, -1],
    ]);
    expect(vs!.outputs.map(({ io }) => io)).toEqual([
      { builtin: 'position', invariant: true },
      { location: 0, interpolation: { type: 'linear', sampling: 'centroid' } },
      { location: 1, interpolation: { type: 'flat', sampling: 'either' } },
    ]);
    expect(fs!.outputs.map(({ io }) => io.builtin ?? io.location)).toEqual([0, 1, 'frag_depth', 'sample_mask']);
  });
});

const scenes = new URL('../../../shared/peers/scenes.mjs', import.meta.url);

describe.skipIf(!existsSync(scenes))(
  'the shaders of ../shared/peers/scenes.mjs (skipped where they are missing)',
  () => {
    const shaders = existsSync(scenes)
      ? [...readFileSync(scenes, 'utf8').matchAll(/code: `([^`]*)`/g)].map((match) => match[1]!)
      : [];

    it.each(shaders.map((source, i) => [i, source] as const))('shader %i', (_, source) => {
      const filled = source.replace(/\$\{[^}]*\}/g, '2.0').replace(/2\.0u/g, '2u');
      expect(compile(filled).entryPoints.map(({ stage }) => stage)).toEqual(['vertex', 'fragment']);
    });
  }
);
