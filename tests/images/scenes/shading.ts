// Fragment shader computations: control flow, indices, integers, floats, derivatives, discard; and sample masks.
import { COVER, canvas, cell, depthAttachment, depthTexture, paint, paintOn, pipeline, scene } from './kit';
import type { Frame, PipelineOptions, Scene } from './kit';

/** One fragment shader over the whole picture. */
function program(frame: Frame, code: string, options: PipelineOptions = {}): GPUTexture {
  const pipe = pipeline(frame, COVER + code, options);
  return paintOn(frame, canvas(frame), (pass) => {
    pass.setPipeline(pipe);
    pass.draw(6);
  });
}

// Neighbors leave the loop at different times (the Collatz sequence), by break, continue, return and switch.
const LOOPS = `
  fn steps(start: u32) -> u32 {
    var n = start; var k = 0u;
    loop {
      if (n == 1u || k > 120u) { break; } if ((n & 1u) == 0u) { n /= 2u; } else { n = 3u * n + 1u; } continuing { k++; }
    }
    return k;
  }
  fn early(q: vec2u) -> u32 {
    for (var i = 0u; i < 16u; i++) {
      if (i % 3u == 1u) { continue; }
      if (i * i > q.x) { return i; }
      var j = 0u; while (true) { j += 1u; if (j * i + j > q.y) { break; } }
      if (j > 30u) { return j; }
    }
    return 99u;
  }
  fn pick(k: u32) -> u32 {
    var r = 0u;
    switch (k % 7u) {
      case 0u, 3u: { r = 10u; }
      case 1u: { if (k > 60u) { break; } r = 20u; }
      default: { r = k; }
      case 5u: { for (var i = 0u; i < k; i++) { if (i == 9u) { break; } r += 3u; } }
    }
    return r;
  }
  @fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4f {
    let q = vec2u(p.xy);
    return vec4f(f32(steps(q.x + 128u * q.y + 1u) * 2u % 256u), f32(early(q) * 7u % 256u), f32(pick(q.x ^ q.y) % 256u),
      255) / 255;
  }`;

const INDEXING = `
  struct S { a: array<vec3f, 3>, k: u32 };
  var<private> table: array<u32, 16> = array(5, 3, 9, 12, 0, 7, 1, 15, 2, 11, 6, 4, 14, 10, 8, 13);
  fn bump(p: ptr<function, S>, i: u32) { (*p).a[i % 3u][i % 2u] += 0.25; (*p).k += i; }
  fn swap(a: ptr<function, u32>, b: ptr<function, u32>) { let t = *a; *a = *b; *b = t; }
  @fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4f { let q = vec2u(p.xy);
    var s = S(array(vec3f(0.1), vec3f(0.4), vec3f(0.7)), 0); bump(&s, q.x); bump(&s, q.y);
    var m = mat3x3f(0, 0.5, 1, 1, 0.25, 0, 0.3, 0.6, 0.9); m[q.x % 3u] = m[q.y % 3u].zxy;
    var local: array<u32, 8>; for (var i = 0u; i < 8u; i++) { local[(i * 3u + q.x) % 8u] = i * 30u; }
    var last = 200u; swap(&local[q.x % 8u], &last); local[q.y % 8u] ^= last;
    let v = vec4u(40, 100, 160, 220); let n = table[(q.x / 8u) ^ (q.y / 8u)];
    switch ((q.x / 64u) + 2u * (q.y / 64u)) {
      case 0u: { return vec4f(s.a[q.y % 3u], 1); } case 1u: { return vec4f(m[(q.x + q.y) % 3u], 1); }
      case 2u: { return vec4f(vec3f(f32(local[(q.x + q.y) % 8u]), f32(v[q.x % 4u]), f32(s.k % 256u)) / 255, 1); }
      default: { table[n] = 3u; return vec4f(f32(n) / 15, f32(table[(n + q.y) % 16u]) / 15, 0, 1); }
    } }`;

const INTEGERS = `
  fn at(k: u32, x: u32) -> u32 { let s = bitcast<i32>((x * 40503u) ^ (x << 21u)); let u = bitcast<u32>(s);
    switch (k) {
      case 0u: { return countOneBits(u) * 8u; }
      case 1u: { return reverseBits(u); }
      case 2u: { return countLeadingZeros(u >> (x % 32u)) * 7u; }
      case 3u: { return countTrailingZeros(u << (x % 29u)) * 7u; }
      case 4u: { return firstLeadingBit(u) * 8u; }
      case 5u: { return bitcast<u32>(firstLeadingBit(s) + 1) * 8u; }
      case 6u: { return firstTrailingBit(u) * 8u; }
      case 7u: { return extractBits(u, x % 32u, 9u); }
      case 8u: { return bitcast<u32>(extractBits(s, x % 27u, 5u)); }
      case 9u: { return insertBits(u, 0xffu, x % 25u, 8u) >> 5u; }
      case 10u: { return bitcast<u32>(s / (i32(x % 37u) - 18)); }
      case 11u: { return bitcast<u32>(s % (i32(x % 41u) - 20)); }
      case 12u: { return u / (x % 9u); }
      case 13u: { return u % (x % 9u + 1u); }
      case 14u: { return bitcast<u32>(s >> (x % 32u)); }
      case 15u: { return (u >> (x % 32u)) ^ (u << (x % 31u)); }
      case 16u: { return bitcast<u32>(clamp(s, -70, 90)); }
      case 17u: { return bitcast<u32>(abs(s) * sign(s)); }
      case 18u: { return bitcast<u32>(min(s, i32(x)) ^ max(s, -3)); }
      case 19u: { return dot(vec3u(x, u, 3), vec3u(u, x, 5)); }
      case 20u: { return pack4x8unorm(vec4f(f32(x), 40, 80, 120) / 128); }
      case 21u: { return pack4x8snorm(vec4f(f32(x) / 64 - 1, 0.5, -0.5, 1)); }
      case 22u: { return u32(unpack4x8unorm(u).z * 255 + 0.5); }
      case 23u: { return u32(f32(u) / 16777216.0); }
      case 24u: { return bitcast<u32>(f32(x) * 0.37); }
      case 25u: { return pack2x16unorm(vec2f(f32(x) / 128, 0.3)) >> 8u; }
      case 26u: { return pack2x16float(vec2f(f32(x) * 1.37, -2)) ; }
      case 27u: { return bitcast<u32>(unpack2x16float(x * 77u).x * 1e6); }
      case 28u: { return select(u, ~u, (x & 4u) != 0u); }
      case 29u: { return u32(i32(-f32(x) * 1.5) + 300); }
      case 30u: { return (u & 0xf0u) | (x & 15u); }
      default: { return u * 3u - 7u + bitcast<u32>(-s); }
    } }
  @fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4f {
    let q = vec2u(p.xy); let v = at(q.y / 4u, q.x);
    return vec4f(f32(v & 255u), f32((v >> 8u) & 255u), f32((v >> 16u) & 255u), 255) / 255;
  }`;

const FLOATS = `
  fn at(k: u32, x: f32) -> f32 { let v = vec3f(x, 1 - x * x, 0.5); let w = vec3f(0.2, x, -0.7);
    switch (k) {
      case 0: { return sin(x * 3) * 0.5 + 0.5; }
      case 1: { return cos(x * 40) * 0.5 + 0.5; }
      case 2: { return tan(x) * 0.3 + 0.5; }
      case 3: { return exp(x) / 8; }
      case 4: { return exp2(x * 3 - 3) ; }
      case 5: { return log(abs(x) + 0.01) * 0.2 + 1; }
      case 6: { return log2(abs(x) * 8 + 1) / 4; }
      case 7: { return pow(abs(x), 2.2); }
      case 8: { return sqrt(abs(x) / 2); }
      case 9: { return inverseSqrt(abs(x) + 0.6) / 2; }
      case 10: { return asin(x / 2.01) / 3.2 + 0.5; }
      case 11: { return acos(x / 2.01) / 3.2; }
      case 12: { return atan(x * 3) / 3.2 + 0.5; }
      case 13: { return atan2(x, 0.3 - x * x) / 6.4 + 0.5; }
      case 14: { return sinh(x) / 8 + 0.5; }
      case 15: { return tanh(x) * 0.5 + 0.5; }
      case 16: { return fract(x * 7); }
      case 17: { return floor(x * 5) / 10 + 0.5; }
      case 18: { return round(x * 7) / 16 + 0.5; }
      case 19: { return trunc(x * 7.3) / 16 + 0.5; }
      case 20: { return ceil(x * 7.3) / 16 + 0.5; }
      case 21: { return (x * 9) % 2.5 / 5 + 0.5; }
      case 22: { return smoothstep(-1.0, 1.5, x); }
      case 23: { return mix(0.2, 0.9, fract(x)); }
      case 24: { return step(0.3, x) * 0.7; }
      case 25: { return length(v) / 4; }
      case 26: { return distance(v, w) / 5; }
      case 27: { return dot(v, w) / 4 + 0.5; }
      case 28: { return cross(v, w).y * 0.3 + 0.5; }
      case 29: { return normalize(v).x * 0.5 + 0.5; }
      case 30: { return reflect(v, normalize(w)).z * 0.2 + 0.5; }
      case 31: { return refract(normalize(v), normalize(w), 0.8).x * 0.5 + 0.5; }
      case 32: { return clamp(x, -0.5, 0.8) * 0.5 + 0.3; }
      case 33: { return saturate(x); }
      case 34: { return sign(x) * 0.4 + 0.5; }
      case 35: { return fma(x, 0.3, 0.4); }
      case 36: { return degrees(x) / 240 + 0.5; }
      case 37: { return radians(x * 57) / 4 + 0.5; }
      case 38: { return ldexp(abs(x), i32(x * 2) - 1); }
      case 39: { return frexp(x * 5).fract * 0.5 + 0.5; }
      case 40: { return modf(x * 3.3).fract * 0.5 + 0.5; }
      case 41: { return quantizeToF16(x) * 0.25 + 0.5; }
      case 42: { return faceForward(v, w, v).z * 0.5 + 0.5; }
      case 43: { return max(x, -0.2) * min(x, 0.9) * 0.3 + 0.4; }
      case 44: { return determinant(mat3x3f(v, w, vec3f(1, 0, 0.2))) * 0.3 + 0.5; }
      case 45: { return asinh(x * 4) / 6 + 0.5; }
      case 46: { return acosh(abs(x) + 1) / 2; }
      default: { return atanh(x / 2.2) / 4 + 0.5; }
    } }
  @fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4f {
    let q = vec2u(p.xy); let x = (p.x % 64) / 16 - 2; let k = (q.y / 16u) * 6u + (q.x / 64u) * 3u;
    return vec4f(at(k, x), at(k + 1, x), at(k + 2, x), 1);
  }`;

const DERIVATIVES = `
  @fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4f { let q = floor(p.xy);
    let slope = q.x * 0.25 + q.y * 0.5; let parity = f32(u32(q.x) & 1u) * 0.5 + f32(u32(q.y) & 1u) * 0.25;
    let wave = fwidth(q.x * q.x / 256);
    let c = dpdxCoarse(slope); let f = dpdyFine(q.y * q.y / 256); let x = dpdx(parity); let y = dpdy(parity);
    let sx = dpdx(slope); let sy = dpdy(slope); let w = fwidth(slope); let g = dpdxFine(q.x * q.x / 256);
    switch (u32(p.x / 64) + 2 * u32(p.y / 64)) {
      case 0: { return vec4f(sx, sy, w, 1); }
      case 1: { return vec4f(x, y, c, 1); }
      case 2: { return vec4f(wave, g, f, 1); }
      default: { return vec4f(step(w * 2, abs(fract(slope / 8) * 8 - 4)), 0.4, 0.1, 1); }
    }
  }`;

// Discarded fragments write neither color nor depth, and their neighbors still have derivatives.
function discard(frame: Frame): GPUTexture {
  const pipe = pipeline(
    frame,
    `
    struct V { @builtin(position) p: vec4f, @location(0) uv: vec2f, @location(1) @interpolate(flat, either) n: u32 };
    @vertex fn vs(@builtin(vertex_index) i: u32, @builtin(instance_index) n: u32) -> V {
      let c = corner(i); var lo = array(vec2f(4, 4), vec2f(30, 20), vec2f(10, 40));
      return V(rect(i, lo[n], lo[n] + 84, 0.3 + 0.2 * f32(n)), c * 6, n);
    }
    @fragment fn fs(v: V) -> @location(0) vec4f {
      let f = fract(v.uv + f32(v.n) * 0.2); let hole = length(f - 0.5) < 0.36; if (hole && v.n < 2u) { discard; }
      let w = fwidth(v.uv.x) * 8; return vec4f(hue(v.n) * (0.4 + 0.6 * f.x) + vec3f(0, w * 0.2, 0), 1);
    }`,
    { depth: { format: 'depth32float', depthCompare: 'less', depthWriteEnabled: true } }
  );
  const target = canvas(frame);
  paint(
    frame.device,
    { colorAttachments: [target.attachment()], depthStencilAttachment: depthAttachment(depthTexture(frame)) },
    (pass) => {
      pass.setPipeline(pipe);
      pass.draw(6, 3);
    }
  );
  return target.texture;
}

function star(frame: Frame): GPUTexture {
  const pipe = pipeline(
    frame,
    `
    struct V { @builtin(position) p: vec4f, @location(0) @interpolate(flat, either) c: vec3f };
    @vertex fn vs(@builtin(vertex_index) i: u32, @builtin(instance_index) n: u32) -> V {
      var d = array(vec2f(1, 0), vec2f(0.966, 0.259), vec2f(0.866, 0.5), vec2f(0.707, 0.707), vec2f(0.5, 0.866),
        vec2f(0.259, 0.966), vec2f(0, 1), vec2f(-0.259, 0.966), vec2f(-0.5, 0.866), vec2f(-0.707, 0.707),
        vec2f(-0.866, 0.5), vec2f(-0.966, 0.259));
      let a = d[n % 12u] * select(1.0, -1.0, n >= 12u); let s = vec2f(-a.y, a.x);
      let q = select(select(a * 62, a * 12 + s * 2.4, i == 1u), a * 12 - s * 2.4, i == 2u); let at = snap(q) + 64;
      return V(px(at.x, at.y, 0.5), hue(n));
    }
    @fragment fn fs(v: V) -> @location(0) vec4f { return vec4f(v.c, 1); }`
  );
  return paintOn(frame, canvas(frame), (pass) => {
    pass.setPipeline(pipe);
    pass.draw(3, 24);
  });
}

function masks(frame: Frame): GPUTexture {
  const pipes = Array.from({ length: 16 }, (_, mask) =>
    pipeline(frame, `${COVER} @fragment fn fs() -> @location(0) vec4f { return vec4f(1, 0.8, 0.2, 1); }`, { mask })
  );
  return paintOn(frame, canvas(frame), (pass) =>
    pipes.forEach((pipe, k) => {
      cell(pass, k, 4);
      pass.setPipeline(pipe);
      pass.draw(6);
    })
  );
}

// The shader chooses its samples; two layers that together cover each sample once add up to one color.
const MASK_OUT = `
  struct F { @location(0) c: vec4f, @builtin(sample_mask) m: u32 };
  @fragment fn fs(@builtin(position) p: vec4f, @builtin(sample_mask) covered: u32) -> F {
    let k = u32(p.x / 32) + 4 * u32(p.y / 32);
    return F(vec4f(f32(k) / 15, 0.9, f32(countOneBits(covered)) / 4, 1), k | 0xfffffff0u);
  }`;

// Sample-rate shading: each sample has its own color, so a pixel is their average.
const PER_SAMPLE = `
  @fragment fn fs(@builtin(position) p: vec4f, @builtin(sample_index) s: u32) -> @location(0) vec4f {
    let k = u32(p.x / 32) + 4 * u32(p.y / 32); let f = fract(p.xy);
    return vec4f(f32(s) / 3 * f32(k) / 15, select(0.0, 1.0, ((k >> s) & 1u) == 1u), f.x * 0.5 + f.y * 0.25, 1); }`;

export const shading: Record<string, Scene> = {
  'control-flow': scene('loops, switches and returns that diverge inside a quad', (f) => program(f, LOOPS), {
    within: 0,
    share: 1,
  }),
  'dynamic-indexing': scene('arrays, matrices, vectors and pointers indexed by pixel', (f) => program(f, INDEXING), {
    within: 1,
    share: 1,
  }),
  'integer-operations': scene('bit and integer built-ins, packing, division by zero', (f) => program(f, INTEGERS), {
    within: 1,
  }),
  'float-functions': scene('48 floating-point built-ins', (f) => program(f, FLOATS), { within: 2 }),
  derivatives: scene('coarse and fine derivatives', (f) => program(f, DERIVATIVES), { within: 2, share: 1 }),
  discard: scene('discard, with depth and with derivatives', discard, { samples: [1, 4] }),
  'msaa-edges': scene('edges at every angle, resolved', star, { samples: [1, 4], share: 0.985 }),
  'sample-masks': scene('all sixteen sample masks of the pipeline', masks, { samples: [4], within: 1, share: 1 }),
  'sample-mask-output': scene('a sample mask written by the program', (f) => program(f, MASK_OUT), {
    samples: [4],
    within: 1,
    share: 1,
  }),
  'sample-shading': scene('one invocation a sample', (f) => program(f, PER_SAMPLE), {
    samples: [4],
    within: 2,
    share: 1,
  }),
};
