// WGSL language extensions, checked by value on all engines.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { deviceOf, engines, read, run, storage, USAGE } from './kit';
import { GPUTextureUsage } from '../support/flags';

const zeros = (count: number): Uint32Array<ArrayBuffer> => new Uint32Array(count);

describe.each(Object.keys(engines))('%s', (name) => {
  test('linear_indexing', async () => {
    const [x, y, z] = [3, 2, 2];
    const [gx, gy, gz] = [4, 3, 2] as const;
    const count = x! * y! * z! * gx * gy * gz;
    const [found] = await run(await deviceOf(name), {
      wgsl: `requires linear_indexing;
        override width = 3u;
        @group(0) @binding(0) var<storage, read_write> out: array<vec4u>;
        @compute @workgroup_size(width, 2, 2) fn main(
          @builtin(global_invocation_index) i: u32, @builtin(workgroup_index) w: u32,
          @builtin(global_invocation_id) id: vec3u, @builtin(workgroup_id) group: vec3u
        ) {
          out[i] = vec4u(w, group.x + 16 * group.y + 256 * group.z, id.x + 16 * id.y + 256 * id.z, 1);
        }`,
      buffers: [zeros(count * 4)],
      groups: [gx, gy, gz],
    });
    const wanted = zeros(count * 4);
    for (let i = 0; i < count; i++) {
      const id = [i % (x! * gx), Math.floor(i / (x! * gx)) % (y! * gy), Math.floor(i / (x! * gx * y! * gy))] as const;
      const group = [Math.floor(id[0] / x!), Math.floor(id[1] / y!), Math.floor(id[2] / z!)] as const;
      const place = (v: readonly [number, number, number]): number => v[0] + 16 * v[1] + 256 * v[2];
      wanted.set([group[0] + gx * (group[1] + gy * group[2]), place(group), place(id), 1], i * 4);
    }
    expect(found).toEqual(wanted);
  });

  test('linear_indexing: an indirect dispatch that overflows the index is skipped', async () => {
    const device = await deviceOf(name);
    const code = (builtin: string): string => `
      @group(0) @binding(0) var<storage, read_write> out: array<atomic<u32>>;
      @compute @workgroup_size(32) fn main(@builtin(${builtin}) i: u32) { if (i == 0u) { atomicAdd(&out[0], 1u); } }`;
    const out = storage(device, zeros(1));
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    const counts = storage(device, Uint32Array.of(65535, 65535, 2, 7, 1, 1), USAGE.INDIRECT);
    for (const builtin of ['workgroup_index', 'global_invocation_index']) {
      const module = device.createShaderModule({ code: code(builtin) });
      const pipeline = device.createComputePipeline({ layout: 'auto', compute: { module } });
      pass.setPipeline(pipeline);
      pass.setBindGroup(
        0,
        device.createBindGroup({
          layout: pipeline.getBindGroupLayout(0),
          entries: [{ binding: 0, resource: { buffer: out } }],
        })
      );
      pass.dispatchWorkgroupsIndirect(counts, 0);
      pass.dispatchWorkgroupsIndirect(counts, 12);
    }
    pass.end();
    device.queue.submit([encoder.finish()]);
    // All 32 invocations of a workgroup have its index.
    expect(await read(device, out)).toEqual(Uint32Array.of(33));
  });

  test('swizzle_assignment', async () => {
    const [found] = await run(await deviceOf(name), {
      wgsl: `requires swizzle_assignment;
        struct Part { v: vec4u, w: array<vec3u, 4> }
        var<private> mine: vec4u;
        var<workgroup> ours: Part;
        var<private> asked: u32;
        @group(0) @binding(0) var<storage, read_write> out: array<vec4u>;
        fn next(n: u32) -> u32 { asked += 1; return n; }
        fn through(p: ptr<function, vec4u>, by: vec2u) -> u32 { p.wx += by; (*p).g = 50; return p.z; }
        @compute @workgroup_size(1) fn main() {
          var v = vec4u(1, 2, 3, 4);
          v.yx = v.xy;
          out[0] = v;
          v.zwx = vec3u(7, 8, 9);
          v.bg *= vec2u(10, 100);
          out[1] = v;
          var list = array(v, v, v);
          list[next(1)].xw = vec2u(next(5), next(6));
          list[next(2)].wz -= vec2u(3, 4);
          list[0].xyzw = list[0].wzyx;
          out[2] = list[1];
          out[3] = list[2];
          out[4] = list[0];
          out[5] = vec4u(asked);
          v.x = through(&v, vec2u(1000, 2000));
          out[6] = v;
          mine.yw = vec2u(3, 4);
          ours.w[next(3)].zx = vec2u(6, 7);
          ours.v.xy |= vec2u(1, 2);
          out[7] = mine + ours.v + vec4u(ours.w[3], 100);
          out[8].zw = 2 * vec2u(21, 22);
          out[9] = out[8];
          var f = vec2f(1, 2);
          f.yx *= 2.5;
          var m = mat2x2f(1, 2, 3, 4);
          m[next(1)].yx = f;
          out[10] = vec4u(bitcast<vec2u>(m[0]), bitcast<vec2u>(m[1]));
        }`,
      buffers: [zeros(44)],
      groups: [1],
    });
    const bits = [...new Uint32Array(Float32Array.of(1, 2, 5, 2.5).buffer)];
    expect([...found!]).toEqual([
      2,
      1,
      3,
      4,
      9,
      100,
      70,
      8,
      5,
      100,
      70,
      6,
      9,
      100,
      66,
      5,
      8,
      70,
      100,
      9,
      4,
      4,
      4,
      4,
      70,
      50,
      70,
      1008,
      8,
      5,
      6,
      104,
      0,
      0,
      42,
      44,
      0,
      0,
      42,
      44,
      ...bits,
    ]);
  });

  test('chains of swizzles, components and indices on the left side of assignments', async () => {
    const swizzle = (size: number) => fc.array(fc.nat(size - 1), { minLength: 2, maxLength: 4 });
    // Indices of a chain's components. A final number is a component, or an index known only at run time.
    const chain = fc.tuple(
      swizzle(4),
      fc.array(fc.nat(3), { minLength: 1, maxLength: 3 }),
      fc.constantFrom('all', 'one', 'index')
    );
    const assignment = fc.record({
      chain,
      space: fc.constantFrom('f', 'p', 's'),
      operator: fc.constantFrom('', '+', '*'),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(assignment, { minLength: 1, maxLength: 8 }), async (assignments) => {
        const model: Record<string, number[]> = { f: [1, 2, 3, 4], p: [5, 6, 7, 8], s: [9, 10, 11, 12] };
        const lines: string[] = [];
        assignments.forEach(({ chain: [first, rest, end], space, operator }, k) => {
          const letters = (list: readonly number[], set = 'xyzw'): string => list.map((c) => set[c]).join('');
          let components = first;
          let text = `${space}.${letters(first)}`;
          const pick = [...new Set(rest.map((c) => c % components.length))];
          if (end === 'all' && pick.length > 1) {
            text += `.${letters(pick, 'rgba')}`;
            components = pick.map((c) => components[c]!);
          } else {
            const c = pick[0]!;
            text += end === 'index' ? `[zero + ${c}]` : end === 'all' ? `[${c}]` : `.${letters([c])}`;
            components = [components[c]!];
          }
          // A repeated component is an error.
          if (new Set(components).size < components.length) return;
          const values = components.map((_, i) => 10 * k + i + 2);
          const [size] = [values.length];
          lines.push(`${text} ${operator}= ${size === 1 ? `${values[0]}u` : `vec${size}u(${values.join()})`};`);
          components.forEach((c, i) => {
            const before = model[space]![c]!;
            const value = values[i]!;
            model[space]![c] =
              (operator === '' ? value : operator === '+' ? before + value : Math.imul(before, value)) >>> 0;
          });
        });
        const [found] = await run(await deviceOf(name), {
          wgsl: `
          var<private> p: vec4u;
          @group(0) @binding(0) var<storage, read_write> out: array<vec4u>;
          @group(0) @binding(1) var<storage, read_write> s: vec4u;
          @compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: vec3u) {
            let zero = id.x;
            var f = vec4u(1, 2, 3, 4);
            p = vec4u(5, 6, 7, 8);
            s = vec4u(9, 10, 11, 12);
            ${lines.join('\n            ')}
            out[0] = f;
            out[1] = p;
            out[2] = s;
          }`,
          buffers: [zeros(12), zeros(4)],
          groups: [1],
        });
        expect([...found!]).toEqual([...model['f']!, ...model['p']!, ...model['s']!]);
      }),
      { numRuns: 40, seed: 20261128 }
    );
  });

  test('private, function and workgroup variables of the sizes that WGSL guarantees', async () => {
    const count = 2048;
    const [found] = await run(await deviceOf(name), {
      wgsl: `
        var<private> mine: array<u32, ${count}>;
        var<workgroup> ours: array<u32, 4096>;
        @group(0) @binding(0) var<storage, read_write> out: array<u32>;
        fn mixed(i: u32, seed: u32) -> u32 {
          var own: array<u32, ${count}>;
          for (var k = 0u; k < ${count}; k++) { own[k] = k * seed; }
          return own[(i * 7) % ${count}] + mine[(i * 3) % ${count}];
        }
        @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) l: u32) {
          for (var k = 0u; k < ${count}; k++) { mine[k] = k + l; }
          for (var k = l; k < 4096; k += 64) { ours[k] = k * 5; }
          workgroupBarrier();
          for (var i = l; i < ${count}; i += 64) { out[i] = mixed(i, 3) + ours[4095 - i]; }
        }`,
      buffers: [zeros(count)],
      groups: [1],
    });
    expect([...found!]).toEqual(
      Array.from({ length: count }, (_, i) => ((i * 7) % count) * 3 + ((i * 3) % count) + (i % 64) + (4095 - i) * 5)
    );
  });

  test('uniform_buffer_standard_layout', async () => {
    const device = await deviceOf(name);
    const module = device.createShaderModule({
      code: `requires uniform_buffer_standard_layout;
      struct Inner { a: f32 }
      struct U { x: f32, inner: Inner, list: array<f32, 3>, pairs: array<vec2f, 2>, last: Inner, behind: u32 }
      @group(0) @binding(0) var<uniform> u: U;
      @group(0) @binding(1) var<storage, read_write> out: array<f32>;
      @compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {
        out[i] = u.list[min(i, 2u)] * 10;
        if (i == 0) {
          out[4] = u.x; out[5] = u.inner.a; out[6] = u.pairs[1].y; out[7] = u.last.a; out[8] = f32(u.behind);
        }
      }`,
    });
    const pipeline = device.createComputePipeline({ layout: 'auto', compute: { module } });
    const uniform = device.createBuffer({ size: 48, usage: USAGE.UNIFORM | USAGE.COPY_DST });
    device.queue.writeBuffer(uniform, 0, Float32Array.of(1, 2, 3, 4, 5, 0, 6, 7, 8, 9, 10));
    device.queue.writeBuffer(uniform, 44, Uint32Array.of(11));
    const out = storage(device, zeros(9));
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    pass.setPipeline(pipeline);
    pass.setBindGroup(
      0,
      device.createBindGroup({
        layout: pipeline.getBindGroupLayout(0),
        entries: [
          { binding: 0, resource: { buffer: uniform } },
          { binding: 1, resource: { buffer: out } },
        ],
      })
    );
    pass.dispatchWorkgroups(1);
    pass.end();
    device.queue.submit([encoder.finish()]);
    // list at 8 … 20, pairs at 24 … 40, last at 40, the next member at 44.
    expect([...new Float32Array((await read(device, out)).buffer)]).toEqual([30, 40, 50, 50, 1, 2, 9, 10, 11]);
  });

  test('texture_and_sampler_let', async () => {
    const device = await deviceOf(name);
    const module = device.createShaderModule({
      code: `requires texture_and_sampler_let;
      @group(0) @binding(0) var first: texture_2d<f32>;
      @group(0) @binding(1) var second: texture_2d<f32>;
      @group(0) @binding(2) var nearest: sampler;
      @group(0) @binding(3) var<storage, read_write> out: array<vec4f>;
      fn look(t: texture_2d<f32>, s: sampler) -> vec4f {
        let again = t;
        return textureSampleLevel(again, s, vec2f(0.5), 0);
      }
      @compute @workgroup_size(1) fn main() {
        let t = first;
        let u = second;
        let s = nearest;
        out[0] = textureLoad(t, vec2u(0), 0);
        { let t = u; out[1] = look(t, s); }
        out[2] = look(t, s);
      }`,
    });
    const pipeline = device.createComputePipeline({ layout: 'auto', compute: { module } });
    const textures = [
      [255, 0, 0, 255],
      [0, 255, 0, 255],
    ].map((texel) => {
      const texture = device.createTexture({
        size: [1, 1],
        format: 'rgba8unorm',
        usage: GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.COPY_DST,
      });
      device.queue.writeTexture({ texture }, Uint8Array.from(texel), {}, [1, 1]);
      return texture.createView();
    });
    const out = storage(device, zeros(12));
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    pass.setPipeline(pipeline);
    pass.setBindGroup(
      0,
      device.createBindGroup({
        layout: pipeline.getBindGroupLayout(0),
        entries: [
          { binding: 0, resource: textures[0]! },
          { binding: 1, resource: textures[1]! },
          { binding: 2, resource: device.createSampler() },
          { binding: 3, resource: { buffer: out } },
        ],
      })
    );
    pass.dispatchWorkgroups(1);
    pass.end();
    device.queue.submit([encoder.finish()]);
    expect([...new Float32Array((await read(device, out)).buffer)]).toEqual([1, 0, 0, 1, 0, 1, 0, 1, 1, 0, 0, 1]);
  });
});
