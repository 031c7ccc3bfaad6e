// f16 on all engines: arithmetic compared with doubles that are rounded once, memory compared byte by byte.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { halfValueOf, roundToHalf } from '../../wgsl-accuracy/halves';
import { deviceOf, engines, read, run, storage, USAGE } from '../kit';

const half = (x: number): number => halfValueOf(roundToHalf(x));
/** Half floats as words, two in each. */
const packed = (halves: readonly number[]): Uint32Array<ArrayBuffer> =>
  new Uint32Array(Uint16Array.from(halves).buffer);
const halvesOf = (words: Uint32Array): number[] => [
  ...new Uint16Array(words.buffer, words.byteOffset, words.length * 2),
];
/** All NaNs count as equal. */
const bitsOf = (x: number): number => roundToHalf(x);

/** Half floats of all sizes: zeros, denormals, ties, the largest numbers, infinities and NaN. */
const SPECIAL = [
  0, 0x8000, 1, 0x8001, 2, 0x3ff, 0x400, 0x401, 0x3c00, 0xbc00, 0x3c01, 0x3bff, 0x4000, 0x4200, 0x7bff, 0xfbff, 0x7bfe,
  0x7c00, 0xfc00, 0x7e00, 0x2400, 0x1000, 0x6800, 0x6801, 0x6bff, 0x6c00, 0x5640, 0x3555,
];

function* pairs(): Iterable<[number, number]> {
  for (const a of SPECIAL) for (const b of SPECIAL) yield [a, b];
  let seed = 1;
  const next = (): number => (seed = Math.imul(seed, 0x19660d) + 0x3c6ef35f) >>> 16;
  for (let k = 0; k < 1200; k++) yield [next(), next()];
}

const OPERATIONS: readonly (readonly [wgsl: string, (a: number, b: number) => number])[] = [
  ['a + b', (a, b) => a + b],
  ['a - b', (a, b) => a - b],
  ['a * b', (a, b) => a * b],
  ['a / b', (a, b) => a / b],
  ['sqrt(abs(a))', (a) => Math.sqrt(Math.abs(a))],
  ['-a', (a) => -a],
  ['min(a, b)', (a, b) => (b < a ? b : a)],
  ['max(a, b)', (a, b) => (a < b ? b : a)],
  ['floor(a)', Math.floor],
  ['ceil(a)', Math.ceil],
  ['trunc(a)', Math.trunc],
  ['select(a, b, a < b)', (a, b) => (a < b ? b : a)],
  ['f16(a == b)', (a, b) => Number(a === b)],
  ['abs(a) + 1h', (a) => Math.abs(a) + 1],
  ['f16(f32(a) * 1.0001f)', (a) => Math.fround(a * Math.fround(1.0001))],
  ['a * 0.5', (a) => a * 0.5],
];

describe.each(Object.keys(engines))('%s', (name) => {
  test('operations round once, to the nearest, ties to even', async () => {
    const all = [...pairs()];
    const count = all.length;
    const results = await run(await deviceOf(name), {
      wgsl: `enable f16;
        @group(0) @binding(0) var<storage> left: array<f16>;
        @group(0) @binding(1) var<storage> right: array<f16>;
        @group(0) @binding(2) var<storage, read_write> out: array<f16>;
        @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
          let i = id.x;
          if (i >= ${count}u) { return; }
          let a = left[i];
          let b = right[i];
          ${OPERATIONS.map(([text], k) => `out[${k * count}u + i] = ${text};`).join('\n')}
        }`,
      buffers: [
        packed(all.map(([a]) => a)),
        packed(all.map(([, b]) => b)),
        new Uint32Array(Math.ceil((OPERATIONS.length * count) / 2)),
      ],
      groups: [Math.ceil(count / 64)],
    });
    const found = halvesOf(results[2]!);
    OPERATIONS.forEach(([text, operation], k) =>
      all.forEach(([a, b], i) => {
        const wanted = bitsOf(operation(halfValueOf(a), halfValueOf(b)));
        if (found[k * count + i] !== wanted)
          expect.fail(`${text} of ${halfValueOf(a)}, ${halfValueOf(b)}: ${found[k * count + i]}, wanted ${wanted}`);
      })
    );
  });

  test('conversions', async () => {
    const floats = Float32Array.from([
      0,
      -0,
      1.00048828125,
      1.0009765625,
      1.00146484375,
      65504,
      65519.99,
      65520,
      -65520,
      2 ** -24,
      2 ** -25,
      2 ** -25 * 1.01,
      3e-8,
      1e-9,
      0.1,
      -0.1,
      1e30,
      2048.5,
      2049,
      2050.999,
    ]);
    const count = floats.length;
    const results = await run(await deviceOf(name), {
      wgsl: `enable f16;
        @group(0) @binding(0) var<storage> floats: array<f32>;
        @group(0) @binding(1) var<storage, read_write> out: array<vec4f>;
        @compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: vec3u) {
          let f = floats[id.x];
          let h = f16(f);
          out[id.x] = vec4f(f32(h), f32(f16(i32(f))), f32(f16(u32(f))), f32(i32(clamp(h, -60000h, 60000h))));
        }`,
      buffers: [floats, new Uint32Array(count * 4)],
      groups: [count],
    });
    const toInt = (x: number, low: number, high: number): number => Math.trunc(Math.min(Math.max(x, low), high)) + 0;
    const wanted = [...floats].flatMap((f) => [
      half(f),
      half(toInt(f, -(2 ** 31), 2147483520)),
      half(toInt(f, 0, 4294967040)),
      Math.trunc(Math.min(Math.max(half(f), -60000), 60000)) + 0,
    ]);
    // f16 holds neither 60000.5 nor integers of infinity: the clamped results are exact.
    expect([...new Float32Array(results[1]!.buffer)]).toEqual(wanted);
  });

  test('random vector expressions equal doubles rounded at each step', async () => {
    const device = await deviceOf(name);
    await fc.assert(
      fc.asyncProperty(
        fc.array(expression, { minLength: 4, maxLength: 8 }),
        fc.array(fc.integer({ min: 0, max: 0x7bff }), { minLength: 64, maxLength: 64 }),
        async (expressions, data) => {
          const results = await run(device, {
            wgsl: `enable f16;
          @group(0) @binding(0) var<storage> data: array<vec4h>;
          @group(0) @binding(1) var<storage, read_write> out: array<vec4h>;
          var<private> kept: array<vec4h, 3>;
          @compute @workgroup_size(16) fn main(@builtin(local_invocation_index) i: u32) {
            var v = data[i];
            ${expressions
              .map(({ text }, k) => `kept[${k % 3}] = v; v = ${text} * ${k % 2 === 0 ? '0.5h' : '1'};`)
              .join('\n')}
            out[i] = v + kept[i % 3u];
          }`,
            buffers: [packed(data), new Uint32Array(32)],
            groups: [1],
          });
          const wanted = data.map((bits, k) => {
            let v = halfValueOf(bits);
            const kept = [0, 0, 0];
            expressions.forEach(({ value }, step) => {
              kept[step % 3] = v;
              v = half(value(v) * (step % 2 === 0 ? 0.5 : 1));
            });
            return bitsOf(v + kept[(k >> 2) % 3]!);
          });
          expect(halvesOf(results[1]!)).toEqual(wanted);
        }
      ),
      { numRuns: name === 'compiled' || name === 'interpreted' ? 20 : 4, seed: 16 }
    );
  });

  test('layout in storage, workgroup and uniform memory', async () => {
    const device = await deviceOf(name);
    const struct = `struct S {
      a: f16, b: vec2h, c: vec3h, d: f16, m: mat3x2h, e: array<vec3h, 2>, f: vec4h, g: array<f16, 3>, n: mat2x3h,
      w: u32, h: f16
    }`;
    // [byte offset in the struct, number of half floats] of each member (WGSL §14.4).
    const places = [
      [0, 1],
      [4, 2],
      [8, 3],
      [14, 1],
      [16, 2],
      [20, 2],
      [24, 2],
      [32, 3],
      [40, 3],
      [48, 4],
      [56, 3],
      [64, 3],
      [72, 3],
      [80, 2],
      [84, 1],
    ] as const;
    const size = 88;
    const given = Uint16Array.from({ length: size / 2 }, (_, k) => 0x3c00 + k * 8);
    const results = await run(device, {
      wgsl: `enable f16; ${struct}
        @group(0) @binding(0) var<storage> source: S;
        @group(0) @binding(1) var<storage, read_write> to: S;
        @group(0) @binding(2) var<storage, read_write> through: S;
        @group(0) @binding(3) var<storage, read_write> floats: array<f32>;
        var<workgroup> shared_: S;
        @compute @workgroup_size(1) fn main() {
          to = source;
          shared_ = source;
          workgroupBarrier();
          through.a = shared_.a; through.b = shared_.b; through.c = shared_.c; through.d = shared_.d;
          through.m = shared_.m; through.f = shared_.f; through.n = shared_.n; through.w = shared_.w;
          for (var i = 0; i < 3; i++) { through.g[i] = shared_.g[i]; }
          for (var i = 0; i < 2; i++) { through.e[i] = shared_.e[i]; }
          through.h = shared_.h;
          var at = 0;
          for (var i = 0; i < 3; i++) { for (var k = 0; k < 2; k++) { floats[at] = f32(source.m[i][k]); at++; } }
          for (var i = 0; i < 2; i++) { for (var k = 0; k < 3; k++) { floats[at] = f32(source.e[i][k]); at++; } }
        }`,
      buffers: [
        new Uint32Array(given.buffer),
        new Uint32Array(size / 4).fill(0xcdcdcdcd),
        new Uint32Array(size / 4).fill(0xcdcdcdcd),
        new Uint32Array(12),
      ],
      groups: [1],
    });
    const wanted = new Uint16Array(size / 2).fill(0xcdcd);
    for (const [bytes, count] of places) for (let k = 0; k < count; k++) wanted[bytes / 2 + k] = given[bytes / 2 + k]!;
    // Padding between members keeps its value.
    expect(halvesOf(results[1]!)).toEqual([...wanted]);
    expect(halvesOf(results[2]!)).toEqual([...wanted]);
    const read = [16, 18, 20, 22, 24, 26, 32, 34, 36, 40, 42, 44].map((bytes) => halfValueOf(given[bytes / 2]!));
    expect([...new Float32Array(results[3]!.buffer)]).toEqual(read);
  });

  test('uniforms that end in half a word, and out-of-bounds array indices', async () => {
    const device = await deviceOf(name);
    const module = device.createShaderModule({
      code: `enable f16;
      @group(0) @binding(0) var<uniform> v: vec3h;
      @group(0) @binding(1) var<storage, read_write> out: array<f16>;
      @group(0) @binding(2) var<storage> indices: array<u32>;
      @compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {
        if (i < 3) { out[indices[i]] = v[i]; } else { out[indices[i]] = v[indices[i]]; }
      }`,
    });
    const pipeline = device.createComputePipeline({ layout: 'auto', compute: { module } });
    const uniform = device.createBuffer({ size: 8, usage: USAGE.UNIFORM | USAGE.COPY_DST });
    device.queue.writeBuffer(uniform, 0, packed([0x3c00, 0x4000, 0x4200, 0x4400]));
    const out = storage(device, new Uint32Array(3));
    const indices = storage(device, Uint32Array.of(1, 0, 2, 4_000_000_000));
    const group = device.createBindGroup({
      layout: pipeline.getBindGroupLayout(0),
      entries: [
        { binding: 0, resource: { buffer: uniform, size: 6 } },
        { binding: 1, resource: { buffer: out } },
        { binding: 2, resource: { buffer: indices } },
      ],
    });
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, group);
    pass.dispatchWorkgroups(1);
    pass.end();
    device.queue.submit([encoder.finish()]);
    expect(halvesOf(await read(device, out))).toEqual([0x4000, 0x3c00, 0x4200, 0, 0, 0x4200]);
  });

  test('overrides and constants', async () => {
    const results = await run(await deviceOf(name), {
      wgsl: `enable f16;
        override scale: f16 = 0.1h;
        override other: f16;
        const table = array<f16, 5>(1, 2.5, 0.1, 6e-8, 65504);
        @group(0) @binding(0) var<storage, read_write> out: array<f32>;
        @compute @workgroup_size(5) fn main(@builtin(local_invocation_index) i: u32) {
          out[i] = f32(table[i]);
          if (i == 0) { out[5] = f32(scale); out[6] = f32(other); out[7] = f32(0.1h + 0.2h); }
        }`,
      buffers: [new Uint32Array(8)],
      groups: [1],
      constants: { other: 0.3 },
    });
    expect([...new Float32Array(results[0]!.buffer)]).toEqual([
      1,
      2.5,
      half(0.1),
      2 ** -24,
      65504,
      half(0.1),
      half(0.3),
      half(half(0.1) + half(0.2)),
    ]);
  });
});

/** An expression of a vector `v`, and of one of its components. */
interface Expression {
  readonly text: string;
  readonly isConstant: boolean;
  readonly value: (v: number) => number;
}
const constants = [0.5, 1, -2, 3.25, 0.0999755859375, 1024, 6.103515625e-5];
const expression: fc.Arbitrary<Expression> = fc.letrec<{ node: Expression }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 4 },
    fc.constant({ text: 'v', isConstant: false, value: (v: number) => v }),
    fc.constantFrom(...constants).map((x) => ({ text: `vec4h(${x})`, isConstant: true, value: () => x })),
    fc.tuple(fc.constantFrom('+', '-', '*', '/'), tie('node'), tie('node')).map(([op, a, b]) => ({
      text: `(${a.text} ${op} ${b.text})`,
      isConstant: a.isConstant && b.isConstant,
      value: (v: number) => {
        const [x, y] = [a.value(v), b.value(v)];
        return half(op === '+' ? x + y : op === '-' ? x - y : op === '*' ? x * y : x / y);
      },
    })),
    fc.tuple(fc.constantFrom('abs', 'floor', '-', 'trunc'), tie('node')).map(([op, a]) => ({
      text: `${op}(${a.text})`,
      isConstant: a.isConstant,
      value: (v: number) => {
        const x = a.value(v);
        return op === 'abs' ? Math.abs(x) : op === 'floor' ? Math.floor(x) : op === '-' ? -x : Math.trunc(x);
      },
    })),
    fc.tuple(tie('node'), tie('node')).map(([a, b]) => ({
      text: `max(${a.text}, ${b.text})`,
      isConstant: a.isConstant && b.isConstant,
      value: (v: number) => {
        // A constant comes first: it decides between two zeros, and is the result if the other operand is a NaN.
        const [x, y] = b.isConstant && !a.isConstant ? [b.value(v), a.value(v)] : [a.value(v), b.value(v)];
        return x < y ? y : x;
      },
    }))
  ),
})).node;
