// Checks a small shader while other threads compile the kernel and the calling thread would only wait. The JavaScript
// engine then has compiled the code that every module uses, and the first module of a process is checked three times as
// fast. The first picture does not come earlier (58.3 ms after the script began, 58.1 ms without), because the
// rehearsal happens when no caller waits for a shader yet.
//
// If the caller is idle after it got its device, a longer shader is checked twice, which uses most parts of the
// language. The first long module then takes a fifth less time. In place of the small shader, it delayed the device by
// 1.5 to 5 ms.
//
// Tried: also lowering, optimising and encoding the shader. The first pipeline took 10 ms less, but the first picture
// of a process came 3 ms (minimum of 21) to 23 ms (median) later.

import { ShaderProgram } from './front-end';

/** Uses no functions that the kernel evaluates for constant folding. */
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
export const WARM_UP_SHADERS = [SHORT, LONG];
/**
 * How often the long shader is checked: V8 compiles functions that have run a few times. A third time gains little
 * more.
 */
const TIMES = 2;

let warmUpsDone = 0;
function checkShader(text: string): void {
  warmUpsDone++;
  new ShaderProgram(text, math, new Set());
}

/**
 * Checks the small shader, once per process. Failures are ignored; requestDevice() or createShaderModule() report them.
 */
export function warmUpFrontEnd(): void {
  if (warmUpsDone > 0) return;
  try {
    checkShader(SHORT);
  } catch {
    warmUpsDone = 0;
  }
}

/** Checks the long shader after the first device of a process was created, in idle time, unless a module came first. */
export function warmUpFrontEndWhenIdle(): void {
  if (warmUpsDone > TIMES || ShaderProgram.modulesChecked > warmUpsDone) return;
  const timer: unknown = setTimeout(() => {
    if (warmUpsDone > TIMES || ShaderProgram.modulesChecked > warmUpsDone) return;
    try {
      checkShader(LONG);
      warmUpFrontEndWhenIdle();
    } catch {
      // Failures are ignored, as above.
    }
  });
  if (typeof timer === 'object') (timer as { unref(): void }).unref();
}
