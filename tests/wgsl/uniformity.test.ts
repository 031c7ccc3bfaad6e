// Uniformity analysis: barriers in uniform control flow are valid. For those in non-uniform control flow see
// errors/compute.txt.
import { expect, test } from 'vitest';
import { checkModule, parseModule } from '../../src/wgsl';
import { simpleMath } from './simple-math';

const UNIFORM: Readonly<Record<string, string>> = {
  'conditions of the workgroup': `
    struct In { @builtin(workgroup_id) w: vec3u, @builtin(local_invocation_id) l: vec3u }
    @group(0) @binding(0) var<uniform> n: u32;
    @group(0) @binding(1) var<storage, read> steps: array<u32>;
    @compute @workgroup_size(8) fn main(in: In) {
      if (in.w.x < n) { workgroupBarrier(); }
      for (var i = 0u; i < steps[in.w.y]; i++) { if (i == 4u) { continue; } workgroupBarrier(); }
      switch (in.w.z) { case 1u: { storageBarrier(); } default: { textureBarrier(); } }
    }`,
  'a variable that is uniform again': `
    @compute @workgroup_size(8) fn main(@builtin(local_invocation_index) i: u32) {
      var x = i;
      if (x == 3u) { x++; }
      x = 7u;
      if (x == 7u) { workgroupBarrier(); }
    }`,
  'variables that are uniform again, by pointers': `
    @group(0) @binding(0) var<uniform> u: array<vec4u, 2>;
    fn clear(p: ptr<function, u32>) { *p = 1; }
    fn through(p: ptr<function, u32>, q: ptr<function, u32>) { *p = *q; }
    @compute @workgroup_size(8) fn main(@builtin(local_invocation_index) i: u32) {
      var x = i; var y = i; var z = i; var w = 3u;
      let p = &x;
      *p = u[0].x;
      if (x == 7u) { workgroupBarrier(); }
      clear(&y);
      if (y == 7u) { workgroupBarrier(); }
      let q = &w;
      through(&z, q);
      if (z == 7u) { workgroupBarrier(); }
    }`,
  'a variable that others change by a pointer': `
    fn step(p: ptr<function, u32>) { *p += 2u; }
    @compute @workgroup_size(8) fn main(@builtin(local_invocation_index) i: u32) {
      var k = 0u;
      loop { if (k >= 10u) { break; } step(&k); workgroupBarrier(); }
    }`,
  'lanes that meet again': `
    fn early(i: u32) -> u32 { if (i < 3u) { return 1u; } return 2u; }
    @compute @workgroup_size(8) fn main(@builtin(local_invocation_index) i: u32) {
      var sum = 0u;
      for (var k = 0u; k < i; k++) { if (k == 2u) { break; } if (k == 1u) { continue; } sum += early(k); }
      if (i > 4u) { sum++; } else { sum--; }
      workgroupBarrier();
      switch (i) { case 1u, 2u: { sum++; } default: { } }
      workgroupBarrier();
      let y = early(i);
      workgroupBarrier();
      if (i == y) { return; }
    }`,
  'sides that lanes of others have left': `
    @group(0) @binding(0) var<uniform> n: u32;
    var<private> sum: u32;
    @compute @workgroup_size(8) fn main(@builtin(local_invocation_index) i: u32) {
      switch (n) {
        case 5u: { if (i > 4u) { break; } sum++; }
        default: { if (i > 3u) { sum++; } workgroupBarrier(); }
      }
      workgroupBarrier();
      if (n == 1u) {
        if (i > 4u) { return; }
        sum++;
      } else {
        if (i > 4u) { sum++; }
        workgroupBarrier();
      }
    }`,
  'what workgroupUniformLoad gives': `
    var<workgroup> limit: u32; var<workgroup> all: array<u32, 4>;
    @compute @workgroup_size(8) fn main(@builtin(workgroup_id) w: vec3u) {
      let n = workgroupUniformLoad(&limit);
      if (n + workgroupUniformLoad(&all[w.x]) > 3u) { workgroupBarrier(); }
    }`,
  'loads of what is only read': `
    @group(0) @binding(0) var t: texture_2d<u32>;
    @compute @workgroup_size(8) fn main(@builtin(workgroup_id) w: vec3u) {
      if (textureLoad(t, w.xy, 0).x > 2u && arrayLength(&data) > 3u) { workgroupBarrier(); }
    }
    @group(0) @binding(1) var<storage, read_write> data: array<u32>;`,
};

test.each(Object.entries(UNIFORM))('%s', (_, source) => {
  const { module, diagnostics } = parseModule(source);
  expect([...diagnostics, ...checkModule(module, simpleMath).diagnostics]).toEqual([]);
});

test('a loop that calls a function learns nothing more about its variables per iteration', { timeout: 5000 }, () => {
  const { module, diagnostics } = parseModule(`
    fn varies(i: u32) -> u32 { var a = i; var b = a; return a + b; }
    @compute @workgroup_size(8) fn main(@builtin(local_invocation_index) i: u32) {
      var sum = 0u;
      for (var k = 0u; k < 3u; k++) { sum += varies(i); workgroupBarrier(); }
    }`);
  expect([...diagnostics, ...checkModule(module, simpleMath).diagnostics]).toEqual([]);
});

test.each([
  ['of a part', 'var x = vec2u(i); let p = &x; (*p).y = 1; let k = x.y;'],
  ['of one variable or another', 'var x = i; clear(&x, i); let k = x;'],
  ['of what is not uniform', 'var x = 1u; let p = &x; *p = i; let k = x;'],
  ['that adds', 'var x = i; let p = &x; *p += 1; let k = x;'],
])('a store through a pointer %s makes a variable non-uniform', (_, body) => {
  const { module } = parseModule(`
    fn clear(p: ptr<function, u32>, i: u32) { if (i < 9u) { *p = 1; } }
    @compute @workgroup_size(8) fn main(@builtin(local_invocation_index) i: u32) {
      ${body}
      if (k == 0u) { workgroupBarrier(); }
    }`);
  expect(checkModule(module, simpleMath).diagnostics.map(({ code }) => code)).toEqual(['barrier-not-uniform']);
});

test('after a continue inside a switch, the rest of the loop body is not uniform', () => {
  const { module } = parseModule(`
    @group(0) @binding(0) var<uniform> n: u32;
    @compute @workgroup_size(8) fn main(@builtin(local_invocation_index) i: u32) {
      for (var k = 0u; k < 4u; k++) {
        switch (n) { case 1u: { if (i == 2u) { continue; } } default: { } }
        workgroupBarrier();
      }
    }`);
  expect(checkModule(module, simpleMath).diagnostics.map(({ code }) => code)).toEqual(['barrier-not-uniform']);
});

test("the state of a variable at a function's return is known after its call", () => {
  const { module } = parseModule(`
    fn change(p: ptr<function, u32>, i: u32) { if (i < 9u) { *p = i; return; } }
    @compute @workgroup_size(8) fn main(@builtin(local_invocation_index) i: u32) {
      var k = 0u;
      change(&k, i);
      if (k == 0u) { workgroupBarrier(); }
    }`);
  expect(checkModule(module, simpleMath).diagnostics.map(({ code }) => code)).toEqual(['barrier-not-uniform']);
});

// The language feature subgroup_uniformity: the scope is a subgroup for its operations, a workgroup for barriers, and a
// draw call for derivatives. Verdicts are those of Dawn.
const SUBGROUPS: Readonly<Record<string, { readonly within: boolean; readonly barrier: boolean }>> = {
  'subgroupAdd(l)': { within: false, barrier: false },
  'subgroupAdd(1u)': { within: true, barrier: false },
  'u32(subgroupAny(l == 1))': { within: false, barrier: false },
  'u32(subgroupAll(id == 1))': { within: true, barrier: false },
  'subgroupBroadcast(id, 0)': { within: true, barrier: false },
  'subgroupBroadcastFirst(l)': { within: false, barrier: false },
  'subgroupBallot(true).x': { within: true, barrier: false },
  'u32(subgroupElect())': { within: false, barrier: false },
  'subgroupInclusiveAdd(1u)': { within: false, barrier: false },
  'subgroupShuffle(1u, 1)': { within: false, barrier: false },
  'quadBroadcast(1u, 0)': { within: false, barrier: false },
  id: { within: true, barrier: false },
  'words[id]': { within: true, barrier: false },
  size: { within: true, barrier: true },
  all: { within: true, barrier: true },
  'w.x': { within: true, barrier: true },
  l: { within: false, barrier: false },
};
test.each(Object.entries(SUBGROUPS))('whether %s is uniform', (value, { within, barrier }) => {
  const codes = (body: string): string[] => {
    const { module, diagnostics } = parseModule(`requires subgroup_uniformity; enable subgroups;
      @group(0) @binding(0) var<storage> words: array<u32>;
      @compute @workgroup_size(64) fn main(
        @builtin(local_invocation_index) l: u32, @builtin(subgroup_id) id: u32, @builtin(subgroup_size) size: u32,
        @builtin(num_subgroups) all: u32, @builtin(workgroup_id) w: vec3u
      ) { ${body} }`);
    const checked = checkModule(module, simpleMath, new Set(['subgroups']));
    return [...diagnostics, ...checked.diagnostics].map(({ code }) => code);
  };
  expect(codes(`if (${value} == 1u) { _ = subgroupMax(l); }`)).toEqual(within ? [] : ['subgroup-not-uniform']);
  expect(codes(`_ = subgroupShuffleUp(l, ${value});`)).toEqual(within ? [] : ['subgroup-argument-not-uniform']);
  expect(codes(`if (${value} == 1u) { workgroupBarrier(); }`)).toEqual(barrier ? [] : ['barrier-not-uniform']);
});

test.each([
  ['if (subgroupAny(p.x > 3)) { return dpdx(p); }', 'derivative-not-uniform'],
  ['if (size == 4) { return dpdx(p); }', 'derivative-not-uniform'],
  ['if (size == 4) { return vec4f(f32(subgroupAdd(1u))); }', 'subgroup-not-uniform'],
])('in a fragment shader, %s', (body, code) => {
  const { module } = parseModule(`enable subgroups;
    @fragment fn main(@builtin(position) p: vec4f, @builtin(subgroup_size) size: u32) -> @location(0) vec4f {
      ${body}
      return vec4f();
    }`);
  expect(checkModule(module, simpleMath, new Set(['subgroups'])).diagnostics.map((each) => each.code)).toEqual([code]);
});
