// While the kernel is compiled on other threads, the calling thread would wait: it has the front end judge a small
// program meanwhile. The engine then has its code of what every module passes through, and the first module of a
// process is checked three times as fast. A process has its first picture no sooner by it (58.3 ms after its script
// began, 58.1 without): it lies where nobody waits for a shader yet.
//
// A caller that does something else first, once it has its device, has a longer one judged meanwhile, twice, with most
// of what programs hold: the first long module then takes a fifth less. In place of the small one it made a device 1.5
// to 5 ms later.
//
// Tried: lowering, optimising and encoding it as well. The first pipeline took 10 ms less, and a process 3 (least of
// 21) … 23 ms (median) more to its first picture.

import { ShaderProgram } from './front-end';

/** No functions whose constants the kernel would fold. */
const SHORT = `struct U { m: mat4x4f, v: vec4f }
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
const LONG = `struct U { m: mat4x4f, v: vec4f, n: mat3x3f, k: array<vec4f, 4>, i: u32, x: f32 }
struct V { @builtin(position) p: vec4f, @location(0) w: vec3f, @location(1) @interpolate(flat) j: i32 }
struct L { d: vec3f, c: vec3<f32>, }
// A light.
@group(0) @binding(0) var<uniform> u: U;
@group(0) @binding(1) var s: sampler;
@group(0) @binding(2) var t: texture_2d<f32>;
const e = 0.5 * 3.0 - max(sqrt(2.0), 1);
var<private> q: vec3<f32>;
@vertex fn v(@location(0) p: vec3f, @location(1) n: vec3<f32>) -> V {
  var r: V;
  r.p = u.m * vec4f(p, 1);
  r.w = (u.n * n).xyz;
  r.j = i32(u.i & 3u);
  return r;
}
fn h(l: ptr<function, L>, a: f32) { (*l).c = (*l).c * a; (*l).d += vec3f(a); }
fn f(a: vec3f, b: f32) -> vec3f { let c = max(dot(a, a), 0.0); return a * (1 - c) / b; }
@fragment fn g(v: V) -> @location(0) vec4<f32> {
  var c = textureSample(t, s, v.w.xy).rgb;
  var l: L;
  l.d = normalize(v.w);
  l.c = vec3<f32>(1.0, e, 0.0);
  for (var i: i32 = 0; i < 2; i++) { c += f(c, f32(i)); }
  if ((v.j == 1 && c.x > 0.0) || !(u.x <= 1e-3)) { h(&l, 2.0 * u.x); } else { c = mix(c, u.k[v.j].xyz, 0.5); }
  q = -l.d;
  let d = clamp(pow(abs(q.x), u.v.w), 0.0, 1.0);
  loop { if (d < 1.0) { break; } continuing { c *= 2.0; } }
  return vec4<f32>(c * l.c + reflect(q, l.d), d);
}`;
const math = { unary: (_: string, x: number): number => x, binary: (_: string, x: number): number => x };

/** For tests. */
export const REHEARSALS = [SHORT, LONG];
/** How often the long one is judged: V8 compiles what has run a few times. A third time gains little more. */
const TIMES = 2;

let rehearsed = 0;
function judge(text: string): void {
  rehearsed++;
  new ShaderProgram(text, math, new Set());
}

/** Once in a process. What it fails with, those are told who ask for a device or a module. */
export function rehearse(): void {
  if (rehearsed > 0) return;
  try {
    judge(SHORT);
  } catch {
    rehearsed = 0;
  }
}

/** When the first device of a process is there: each time that its caller waits, unless a module came first. */
export function rehearseLater(): void {
  if (rehearsed > TIMES || ShaderProgram.judged > rehearsed) return;
  const timer: unknown = setTimeout(() => {
    if (rehearsed > TIMES || ShaderProgram.judged > rehearsed) return;
    try {
      judge(LONG);
      rehearseLater();
    } catch {
      // As above.
    }
  });
  if (typeof timer === 'object') (timer as { unref(): void }).unref();
}
