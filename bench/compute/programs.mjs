// Compute programs for benchmarks, on a device and in plain JavaScript. `make(device, size)` returns `run` and the
// buffer with the result. `plain(size)` computes the same result on this thread. `near` is the tolerance for floats, or
// 0 for equality. `size` suits all of Rasterloom's engines; `large` is for the comparison with peers.
import { bufferOf, chance, groupOf, pipelineOf, submit } from './kit.mjs';
import { bitonic, histogram, prefix } from './workgroup-programs.mjs';

const matrix = {
  size: 512,
  large: 1024,
  near: 1e-3,
  async make(device, n) {
    const pipeline = await pipelineOf(
      device,
      `
      @group(0) @binding(0) var<storage, read> a: array<f32>;
      @group(0) @binding(1) var<storage, read> b: array<f32>;
      @group(0) @binding(2) var<storage, read_write> c: array<f32>;
      override n: u32;
      const T = 16u;
      var<workgroup> left: array<f32, T * T>; var<workgroup> right: array<f32, T * T * 4>;
      @compute @workgroup_size(T, T) fn main(
        @builtin(local_invocation_id) l: vec3u, @builtin(workgroup_id) w: vec3u
      ) {
        let row = w.y * T + l.y; let column = w.x * T * 4 + l.x;
        var s0 = 0f; var s1 = 0f; var s2 = 0f; var s3 = 0f;
        for (var t = 0u; t < n; t += T) {
          left[l.y * T + l.x] = a[row * n + t + l.x];
          for (var k = 0u; k < 4; k++) { right[l.y * T * 4 + k * T + l.x] = b[(t + l.y) * n + column + k * T]; }
          workgroupBarrier();
          for (var k = 0u; k < T; k++) {
            let x = left[l.y * T + k];
            let at = k * T * 4 + l.x;
            s0 += x * right[at]; s1 += x * right[at + T]; s2 += x * right[at + 2 * T]; s3 += x * right[at + 3 * T];
          }
          workgroupBarrier();
        }
        let to = row * n + column;
        c[to] = s0; c[to + T] = s1; c[to + 2 * T] = s2; c[to + 3 * T] = s3;
      }`,
      { n }
    );
    const a = bufferOf(device, chance(n * n));
    const b = bufferOf(device, chance(n * n));
    const c = bufferOf(device, new Float32Array(n * n));
    const group = groupOf(device, pipeline, a, b, c);
    return { result: c, run: () => submit(device, [[pipeline, group, n / 64, n / 16]]) };
  },
  plain(n) {
    const a = chance(n * n);
    const b = chance(n * n);
    const c = new Float32Array(n * n);
    return () => {
      c.fill(0);
      for (let i = 0; i < n; i++)
        for (let k = 0; k < n; k++) {
          const x = a[i * n + k];
          for (let j = 0; j < n; j++) c[i * n + j] += x * b[k * n + j];
        }
      return c;
    };
  },
};

/** Pictures have the aspect ratio 16 : 9. */
const rowsOf = (columns) => (columns * 9) / 16;
const RADIUS = 8;
const blur = {
  size: 1024,
  large: 1920,
  near: 1e-4,
  async make(device, n) {
    const code = (dx, dy) => `
      @group(0) @binding(0) var<storage, read> from_: array<vec4f>;
      @group(0) @binding(1) var<storage, read_write> to: array<vec4f>;
      override n: u32; override rows: u32;
      @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
        let p = vec2i(id.xy); let last = vec2i(i32(n), i32(rows)) - 1;
        var sum = vec4f();
        for (var k = -${RADIUS}; k <= ${RADIUS}; k++) {
          let q = clamp(p + vec2i(${dx}, ${dy}) * k, vec2i(0), last);
          sum += from_[u32(q.y) * n + u32(q.x)];
        }
        to[id.y * n + id.x] = sum / ${2 * RADIUS + 1};
      }`;
    const rows = rowsOf(n);
    const words = n * rows * 4;
    const empty = () => bufferOf(device, new Float32Array(words));
    const [across, down] = await Promise.all(
      [code(1, 0), code(0, 1)].map((text) => pipelineOf(device, text, { n, rows }))
    );
    const a = bufferOf(device, chance(words));
    const b = empty();
    const c = empty();
    const one = groupOf(device, across, a, b);
    const two = groupOf(device, down, b, c);
    return {
      result: c,
      run: () =>
        submit(device, [
          [across, one, n / 64, rows],
          [down, two, n / 64, rows],
        ]),
    };
  },
  plain(n) {
    const rows = rowsOf(n);
    const words = n * rows * 4;
    const a = chance(words);
    const b = new Float32Array(words);
    const c = new Float32Array(words);
    const pass = (from, to, dx, dy) => {
      for (let y = 0; y < rows; y++)
        for (let x = 0; x < n; x++) {
          let r = 0;
          let g = 0;
          let u = 0;
          let w = 0;
          for (let k = -RADIUS; k <= RADIUS; k++) {
            const qx = Math.min(n - 1, Math.max(0, x + dx * k));
            const qy = Math.min(rows - 1, Math.max(0, y + dy * k));
            const at = (qy * n + qx) * 4;
            r += from[at];
            g += from[at + 1];
            u += from[at + 2];
            w += from[at + 3];
          }
          const at = (y * n + x) * 4;
          const all = 2 * RADIUS + 1;
          to[at] = r / all;
          to[at + 1] = g / all;
          to[at + 2] = u / all;
          to[at + 3] = w / all;
        }
    };
    return () => (pass(a, b, 1, 0), pass(b, c, 0, 1), c);
  },
};

const bodies = {
  size: 4096,
  large: 16384,
  near: 1e-2,
  async make(device, n) {
    const pipeline = await pipelineOf(
      device,
      `
      @group(0) @binding(0) var<storage, read> bodies: array<vec4f>;
      @group(0) @binding(1) var<storage, read_write> forces: array<vec4f>;
      override n: u32;
      var<workgroup> tile: array<vec4f, 64>;
      @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u,
        @builtin(local_invocation_index) l: u32) {
        let own = bodies[id.x].xyz;
        var force = vec3f();
        for (var t = 0u; t < n; t += 64u) {
          tile[l] = bodies[t + l];
          workgroupBarrier();
          for (var k = 0u; k < 64u; k++) {
            let other = tile[k];
            let d = other.xyz - own;
            let r = inverseSqrt(dot(d, d) + 0.01);
            force += d * (other.w * r * r * r);
          }
          workgroupBarrier();
        }
        forces[id.x] = vec4f(force, 0);
      }`,
      { n }
    );
    const a = bufferOf(device, chance(n * 4));
    const f = bufferOf(device, new Float32Array(n * 4));
    const group = groupOf(device, pipeline, a, f);
    return { result: f, run: () => submit(device, [[pipeline, group, n / 64]]) };
  },
  plain(n) {
    const a = chance(n * 4);
    const f = new Float32Array(n * 4);
    return () => {
      for (let i = 0; i < n; i++) {
        const px = a[i * 4];
        const py = a[i * 4 + 1];
        const pz = a[i * 4 + 2];
        let x = 0;
        let y = 0;
        let z = 0;
        for (let k = 0; k < n; k++) {
          const dx = a[k * 4] - px;
          const dy = a[k * 4 + 1] - py;
          const dz = a[k * 4 + 2] - pz;
          const r = 1 / Math.sqrt(dx * dx + dy * dy + dz * dz + 0.01);
          const s = a[k * 4 + 3] * r * r * r;
          x += dx * s;
          y += dy * s;
          z += dz * s;
        }
        f[i * 4] = x;
        f[i * 4 + 1] = y;
        f[i * 4 + 2] = z;
      }
      return f;
    };
  },
};

const ROUNDS = 200;
const mandelbrot = {
  size: 512,
  large: 1024,
  near: 0,
  async make(device, n) {
    const pipeline = await pipelineOf(
      device,
      `
      @group(0) @binding(0) var<storage, read_write> out: array<u32>;
      override n: u32;
      @compute @workgroup_size(8, 8) fn main(@builtin(global_invocation_id) id: vec3u) {
        let c = vec2f(id.xy) * 3 / f32(n) - vec2f(2.25, 1.5);
        var z = vec2f(); var k = 0u;
        while (k < ${ROUNDS}u && dot(z, z) < 4) {
          z = vec2f(z.x * z.x - z.y * z.y, 2 * z.x * z.y) + c;
          k++;
        }
        out[id.y * n + id.x] = k;
      }`,
      { n }
    );
    const out = bufferOf(device, new Uint32Array(n * n));
    const group = groupOf(device, pipeline, out);
    return { result: out, run: () => submit(device, [[pipeline, group, n / 8, n / 8]]) };
  },
  plain(n) {
    const out = new Uint32Array(n * n);
    const { fround } = Math;
    return () => {
      for (let y = 0; y < n; y++)
        for (let x = 0; x < n; x++) {
          const cx = fround(fround(fround(x * 3) / n) - 2.25);
          const cy = fround(fround(fround(y * 3) / n) - 1.5);
          let a = 0;
          let b = 0;
          let k = 0;
          while (k < ROUNDS && fround(fround(a * a) + fround(b * b)) < 4) {
            const next = fround(fround(fround(a * a) - fround(b * b)) + cx);
            b = fround(fround(fround(2 * a) * b) + cy);
            a = next;
            k++;
          }
          out[y * n + x] = k;
        }
      return out;
    };
  },
};

export const programs = { matrix, blur, bodies, prefix, bitonic, mandelbrot, histogram };
