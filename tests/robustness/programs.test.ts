// Shaders that try to exhaust memory, the stack or time: each finishes soon, with an error or successfully.
import { describe, expect, test } from 'vitest';
import type { ModularPipelineDescriptor, ModularPipelineDevice, ModularStage } from '../../src/index';
import { shapes, STAGES } from '../wgsl/shapes';
import { draw, fragment, IS_RED, open, pixel, RED } from './kit';
import { GPUBufferUsage } from '../support/flags';

describe('shaders that are too large', () => {
  const chain = (count: number, calls: (name: string) => string): string =>
    [
      'fn call0(x: f32) -> f32 { return x + 1.0; }',
      ...Array.from({ length: count }, (_, i) => `fn call${i + 1}(x: f32) -> f32 { return ${calls(`call${i}`)}; }`),
    ].join('\n');
  const structs = [
    'struct S0 { x: f32 }',
    ...Array.from({ length: 12 }, (_, i) => `struct S${i + 1} { a: S${i}, b: S${i}, c: S${i}, d: S${i} }`),
  ].join('\n');
  test.each<[string, string, RegExp]>([
    [
      'functions that call each other twice',
      fragment(
        'return vec4f(call30(p.x));',
        chain(30, (name) => `${name}(x) + ${name}(x * 1.5)`)
      ),
      /the fragment shader 'fs' is longer than 65536 instructions.*create\(\{ shaderLimits: \{ instructions \} \}\)/,
    ],
    [
      'empty functions that call each other twice',
      fragment(
        'call40(p.x); return p;',
        chain(40, (name) => `${name}(${name}(x))`)
      ),
      /longer than 65536 instructions/,
    ],
    [
      'an array of more scalars than there are registers',
      fragment('var a: array<f32, 65536>; a[u32(p.x)] = 1; return vec4f(a[u32(p.y)]);'),
      /array of 65536 scalars exceeds the limit/,
    ],
    [
      'an array of as many registers as there are',
      fragment('var a: array<f32, 65530>; a[u32(p.x)] = p.z; return p + vec4f(a[u32(p.y)]);'),
      /needs \d+ registers, exceeding the limit of 65535/,
    ],
    [
      'an array that no memory holds',
      fragment('return a[u32(p.x)][1][2];', 'var<private> a: array<array<array<vec4f, 60000>, 60000>, 60000>;'),
      /exceeds the limit of \d+ for a variable or value/,
    ],
    [
      'copies of a large array',
      fragment(
        'var a: array<array<f32, 200>, 200>; var b = a; b[u32(p.x)][1] = 1; a = b; b = a; return vec4f(b[u32(p.y)][2]);'
      ),
      /longer than/,
    ],
    [
      'structs that hold each other four times',
      fragment('var s: S12; return p + s.a.a.b.a;', structs).replace('p + s.a.a.b.a', 'p'),
      /struct S8 of 65536 scalars/,
    ],
    [
      'long expressions in calls in long expressions',
      fragment(
        'return vec4f(call150(p.x));',
        chain(150, (name) => `${name}(x)${' + x'.repeat(30)}`)
      ),
      /nests too deeply/,
    ],
    [
      'branches in calls in branches',
      fragment(
        'return vec4f(call150(p.x));',
        [
          'fn call0(x: f32) -> f32 { return x; }',
          ...Array.from(
            { length: 150 },
            (_, i) =>
              `fn call${i + 1}(x: f32) -> f32 { var y = x; ${'if (y > 1.0) { y *= 2.0; '.repeat(
                10
              )} y = call${i}(y); ${'}'.repeat(10)} return y; }`
          ),
        ].join('\n')
      ),
      /nests too deeply/,
    ],
    [
      'tables of other sizes',
      fragment(
        Array.from({ length: 40 }, (_, i) => `var a${i}: array<f32, ${60000 + i}>; a${i}[u32(p.x)] = p.y;`).join('\n')
          + 'return p;'
      ),
      /has arrays of \d+ scalars, exceeding the limit of 65535|longer than/,
    ],
  ])('%s', async (_name, code, message) => {
    const { device, uncaptured } = await open();
    const module = device.createShaderModule({ code });
    const descriptor: GPURenderPipelineDescriptor = {
      label: 'bomb',
      layout: 'auto',
      vertex: { module },
      fragment: { module, targets: [{ format: 'rgba8unorm' }] },
    };
    device.pushErrorScope('internal');
    device.createRenderPipeline(descriptor);
    const error = await device.popErrorScope();
    expect(error?.message).toMatch(message);
    expect(error?.message).toContain('[RenderPipeline "bomb"]');
    await expect(device.createRenderPipelineAsync(descriptor)).rejects.toMatchObject({
      name: 'GPUPipelineError',
      reason: 'internal',
    });
    expect(uncaptured).toEqual([]);
    expect(pixel(await draw(device, { code: RED }), 1, 1)).toBe(IS_RED);
  });

  test.each<[string, string]>([
    [
      'a switch of as many clauses as there may be',
      `switch i32(p.x) { ${Array.from({ length: 1022 }, (_, i) => `case ${i}: { x += ${i}.0; }`).join(
        ' '
      )} default: { x = 0.5; } }`,
    ],
    ['as long a sum as may be', `x += p.y${' + p.x'.repeat(990)};`],
    ['as deep blocks as may be', `${'if x > 1.0 { x *= 2.0; '.repeat(95)}${'}'.repeat(95)}`],
    [
      'a function that returns early six hundred times',
      Array.from({ length: 600 }, (_, i) => `if x == ${i}.5 { return vec4f(${i % 97}.0 / 97.0); }`).join('\n'),
    ],
    [
      'more constants than are kept in locals',
      Array.from({ length: 400 }, (_, i) => `if x > ${i % 64}.${i} { x = x * 0.5 + ${i}.25; }`).join('\n'),
    ],
  ])('%s is drawn by both engines', async (_name, body) => {
    const code = fragment(`var x = p.x; ${body} return vec4f(x);`);
    const drawn = await Promise.all(
      (['interpreter', 'jit'] as const).map(async (engine) => {
        // The code of early returns is long.
        const { device, uncaptured } = await open({ engine, shaderLimits: { codeBytes: 1 << 19 } });
        const pixels = await draw(device, { code });
        expect(uncaptured).toEqual([]);
        return pixels;
      })
    );
    expect(drawn[0]).toEqual(drawn[1]);
  });

  test.each(['loops in sequence', 'straight code', 'branches in sequence', 'switches in sequence', 'calls'])(
    '150 000 characters of %s quickly give a pipeline or an error',
    async (name) => {
      const { device } = await open();
      const module = device.createShaderModule({ code: shapes[name]!(150_000) });
      const before = process.cpuUsage();
      const message = await device
        .createRenderPipelineAsync({
          layout: 'auto',
          vertex: { module },
          fragment: { module, targets: [{ format: 'rgba8unorm' }] },
        })
        .then(
          () => 'longer than',
          (error: Error) => error.message
        );
      expect(message).toContain('longer than');
      // CPU time: the machine may be busy with other tests.
      expect(process.cpuUsage(before).user / 1000).toBeLessThan(6000);
    }
  );

  // Time was quadratic in the number of parts: writing the code for 24 000 characters took 10 s.
  test.each([
    'barriers in sequence',
    'uniform loads in sequence',
    'barriers in nested loops',
    'barriers and deeply nested loops',
    'barriers in deeply nested loops',
  ])('60 000 characters of %s quickly give a compiled pipeline', async (name) => {
    const { device } = await open({ engine: 'jit', shaderLimits: { instructions: 1 << 16, codeBytes: 1 << 22 } });
    const module = device.createShaderModule({ code: shapes[name]!(60_000) });
    const before = process.cpuUsage();
    await device.createComputePipelineAsync({ layout: 'auto', compute: { module } });
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(6000);
  });

  test.each([
    ['many stages', Array.from({ length: STAGES }, (_, i) => ({ kind: 'vertex', entryPoint: `stage${i}` }))],
    ['many emitted vertices', [{ kind: 'geometry', entryPoint: 'emit', maxVertices: 4 }]],
    ['vertices emitted in nested loops', [{ kind: 'geometry', entryPoint: 'emit', maxVertices: 4 }]],
  ])('60 000 characters of %s quickly give a compiled modular pipeline', async (name, between) => {
    const { device } = await open({ engine: 'jit', shaderLimits: { instructions: 1 << 16, codeBytes: 1 << 22 } }, {}, [
      'modular-pipelines',
    ]);
    const module = device.createShaderModule({ code: shapes[name]!(60_000) });
    const ends = ['load', 'end'].map((entryPoint) => ({ kind: 'vertex', entryPoint }));
    const stages = [ends[0]!, ...between, ends[1]!].map((stage) => ({ ...stage, module }) as ModularStage);
    const attributes: GPUVertexAttribute[] = [{ shaderLocation: 0, offset: 0, format: 'float32x4' }];
    const descriptor: ModularPipelineDescriptor = {
      layout: 'auto',
      input: { buffers: [{ arrayStride: 16, attributes }] },
      stages,
      sinks: [{ raster: { fragment: { module, entryPoint: 'fs', targets: [{ format: 'rgba8unorm' }] } } }],
    };
    const before = process.cpuUsage();
    await (device as GPUDevice & ModularPipelineDevice).createModularPipelineAsync(descriptor);
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(6000);
  });

  test.each<[string, (i: number) => string]>([
    // Each took the rest of the function into its other branch, and the stack overflowed.
    ['four thousand early returns', (i) => `if x == ${i}.5 { return vec4f(${i}.25); }`],
    // V8 took 10 s and a gigabyte for their code when each number had its own local.
    ['four thousand little loops, of a number each', (i) => `while x < ${i}.0 { x += 1.0; }`],
  ])('%s quickly give a pipeline if the limit is raised', async (_name, line) => {
    const { device } = await open({ shaderLimits: { instructions: 1 << 16 } });
    const lines = Array.from({ length: 4000 }, (_, i) => line(i)).join('\n');
    const module = device.createShaderModule({ code: fragment(`var x = p.x; ${lines} return vec4f(x);`) });
    const before = process.cpuUsage();
    await device.createRenderPipelineAsync({
      layout: 'auto',
      vertex: { module },
      fragment: { module, targets: [{ format: 'rgba8unorm' }] },
    });
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(5000);
  });

  test.each<[string, number, RegExp]>([
    ['has more nodes than its code may have', 24 * 1000, /too large to be compiled: 1\d{3} nodes \(limit 1000\)/],
    // It has 80 KB in the end.
    ['grows too large', 48_000, /too large to be compiled: 48\d{3} bytes of code \(limit 48000\) so far/],
  ])('emission stops early for a shader that %s', async (_name, codeBytes, message) => {
    const lines = Array.from({ length: 380 }, (_, i) => `x = x * 0.5 + sin(x) + ${i}.25;`).join('\n');
    const code = fragment(`var x = p.x; ${lines} return vec4f(x);`);
    const pipeline = async (engine: string): Promise<string | undefined> => {
      const { device } = await open({ engine, shaderLimits: { codeBytes } });
      const module = device.createShaderModule({ code });
      device.pushErrorScope('internal');
      device.createRenderPipeline({
        layout: 'auto',
        vertex: { module },
        fragment: { module, targets: [{ format: 'rgba8unorm' }] },
      });
      return (await device.popErrorScope())?.message;
    };
    expect(await pipeline('jit')).toMatch(message);
    expect(await pipeline('auto')).toBe(undefined);
  });

  test('branches count as instructions', async () => {
    const { device } = await open({ shaderLimits: { instructions: 2000 } });
    const made = (count: number): Promise<string> => {
      const lines = Array.from({ length: count }, (_, i) => `if x > ${i}.0 { x += 1.0; }`).join('\n');
      const module = device.createShaderModule({ code: fragment(`var x = p.x; ${lines} return vec4f(x);`) });
      return device
        .createRenderPipelineAsync({
          layout: 'auto',
          vertex: { module },
          fragment: { module, targets: [{ format: 'rgba8unorm' }] },
        })
        .then(
          () => 'made',
          ({ message }: Error) => message
        );
    };
    // Five instructions and two lists of them.
    expect(await made(280)).toBe('made');
    expect(await made(290)).toMatch(/longer than 2000 instructions/);
  });

  test('a chain of calls that is too long is a shader error at the call', async () => {
    const { device } = await open();
    device.pushErrorScope('validation');
    device.createShaderModule({
      code: fragment(
        'return vec4f(call3000(p.x));',
        chain(3000, (name) => `${name}(x) + 1.0`)
      ),
    });
    expect((await device.popErrorScope())?.message).toMatch(
      /error\[too-deep\].*\n --> 203:|error\[too-deep\][^]*call\d+\(x\) \+ 1\.0[^]*\^/
    );
  });

  test('a private array of 60 000 scalars works', async () => {
    const { device, uncaptured } = await open();
    const pixels = await draw(device, {
      code: fragment(
        `
          var a: array<f32, 60000>; a[u32(p.x) * 900u] = p.y;
          return vec4f(a[u32(p.x) * 900u] / 255.0, a[u32(p.x) * 900u + 1u], 0, 1);
        `
      ),
    });
    expect([pixel(pixels, 3, 20), uncaptured]).toEqual(['21,0,0,255', []]);
  });

  test.each([14, 60])('%d nested loops compile quickly', async (depth) => {
    const { device, uncaptured } = await open();
    const loops = Array.from(
      { length: depth },
      (_, i) => `for (var k${i} = 0; k${i} < i32(p.x) / 64 + 1; k${i}++) {`
    ).join('');
    const before = performance.now();
    const pixels = await draw(device, {
      code: fragment(`var x = 0.0; ${loops} x += 1.0; ${'}'.repeat(depth)} return vec4f(x, 0, 0, 1);`),
    });
    expect(performance.now() - before).toBeLessThan(5000);
    expect([pixel(pixels, 32, 32), uncaptured]).toEqual([IS_RED, []]);
  });
});

describe('endless shaders lose the device within the configured time', () => {
  const bodies: Record<string, string> = {
    'a loop in loops': `
      var x = p.x;
      while (x != -1.0) { var y = 0.0; while (y < 1e9) { y += 1.0; if (y == 3.0) { y = 0.0; } } x += 1.0; }
      return vec4f(x);
    `,
    'a loop that goes on in continuing':
      'var x = p.x; loop { continuing { x = x + 1.0; break if x < -1e30; } } return vec4f(x);',
    'helper lanes alone': `
      let inside = p.x > 1.0; if (!inside) { discard; }
      var x = dpdx(p.x); while (x > 0.0) { x = x + 1.0; }
      return vec4f(x);
    `,
    'a loop with a very long body': `
      var x = p.x; loop { ${'x = sin(x) * cos(x) + 0.1;'.repeat(600)} if (x == 12345.0) { break; } } return vec4f(x);
    `,
  };
  test.each(Object.entries(bodies))('%s', async (_name, body) => {
    const { device } = await open({ timeoutMs: 100 });
    const before = performance.now();
    await expect(draw(device, { code: fragment(body) })).rejects.toMatchObject({ name: 'AbortError' });
    expect((await device.lost).message).toMatch(/ran for more than 100 ms: does a loop never end/);
    expect(performance.now() - before).toBeLessThan(4000);
  });

  test('in the vertex stage', async () => {
    const { device } = await open({ timeoutMs: 100 });
    const code = `
      @vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
        var x = i; loop { x = x * 3u + 1u; if (x == 7u && i > 9u) { break; } } return vec4f(f32(x));
      }
      @fragment fn fs() -> @location(0) vec4f { return vec4f(1); }
    `;
    await expect(draw(device, { code })).rejects.toMatchObject({ name: 'AbortError' });
    expect((await device.lost).message).toMatch(/100 ms/);
  });

  test('in computations that run once per draw call', async () => {
    const { device } = await open({ timeoutMs: 100 });
    const code = fragment(
      'var i = 0u; while (i < 10u) { i = u.x; } return vec4f(f32(i));',
      '@group(0) @binding(0) var<uniform> u: vec4u;'
    );
    const body = (pass: GPURenderPassEncoder, pipeline: GPURenderPipeline): void => {
      const buffer = device.createBuffer({ size: 16, usage: GPUBufferUsage.UNIFORM });
      pass.setBindGroup(
        0,
        device.createBindGroup({
          layout: pipeline.getBindGroupLayout(0),
          entries: [{ binding: 0, resource: { buffer } }],
        })
      );
      pass.draw(3);
    };
    await expect(draw(device, { code, body })).rejects.toMatchObject({ name: 'AbortError' });
    expect((await device.lost).message).toMatch(/100 ms/);
  });
});
