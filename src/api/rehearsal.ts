// While the kernel is compiled on other threads, the calling thread would wait: it has the front end judge a small
// program meanwhile. The engine then has its code of what every module passes through, and the first module of a
// process is checked three times as fast. A process has its first picture no sooner by it (58.3 ms after its script
// began, 58.1 without): it lies where nobody waits for a shader yet.
//
// Tried: lowering, optimising and encoding it as well. The first pipeline took 10 ms less, and a process 3 (least of
// 21) … 23 ms (median) more to its first picture.

import { ShaderProgram } from './front-end';

/** No functions whose constants the kernel would fold. */
const TEXT = `struct U { m: mat4x4f, v: vec4f }
struct V { @builtin(position) p: vec4f, @location(0) w: vec3f }
@group(0) @binding(0) var<uniform> u: U;
@group(0) @binding(1) var s: sampler;
@group(0) @binding(2) var t: texture_2d<f32>;
@vertex fn v(@location(0) p: vec3f) -> V { return V(u.m * vec4f(p, 1), p); }
fn f(a: vec3f, b: f32) -> vec3f { let c = max(dot(a, a), 0.0); return a * (1 - c) / b; }
@fragment fn g(v: V) -> @location(0) vec4f {
  var c = textureSample(t, s, v.w.xy).rgb;
  for (var i = 0; i < 2; i++) { c += f(c, f32(i)); }
  return vec4f(c, 1);
}`;
const math = { unary: (_: string, x: number): number => x, binary: (_: string, x: number): number => x };

let done = false;

/** Once in a process. What it fails with, those are told who ask for a device or a module. */
export function rehearse(): void {
  if (done) return;
  done = true;
  try {
    new ShaderProgram(TEXT, math, new Set());
  } catch {
    done = false;
  }
}
