// Barriers that are in uniform control flow: nothing is wrong with them. Those that are not: errors/compute.txt.
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

test('a loop that calls a function knows no more of its variables with each round', { timeout: 5000 }, () => {
  const { module, diagnostics } = parseModule(`
    fn varies(i: u32) -> u32 { var a = i; var b = a; return a + b; }
    @compute @workgroup_size(8) fn main(@builtin(local_invocation_index) i: u32) {
      var sum = 0u;
      for (var k = 0u; k < 3u; k++) { sum += varies(i); workgroupBarrier(); }
    }`);
  expect([...diagnostics, ...checkModule(module, simpleMath).diagnostics]).toEqual([]);
});

test('what a function changed where it returned is known behind its call', () => {
  const { module } = parseModule(`
    fn change(p: ptr<function, u32>, i: u32) { if (i < 9u) { *p = i; return; } }
    @compute @workgroup_size(8) fn main(@builtin(local_invocation_index) i: u32) {
      var k = 0u;
      change(&k, i);
      if (k == 0u) { workgroupBarrier(); }
    }`);
  expect(checkModule(module, simpleMath).diagnostics.map(({ code }) => code)).toEqual(['barrier-not-uniform']);
});
