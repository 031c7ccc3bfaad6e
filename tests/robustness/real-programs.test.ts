// Shaders as long as engines generate for procedural materials and path tracers: dozens of functions that call each
// other, and hundreds of variables and branches. They compile with default options.
import { describe, expect, test } from 'vitest';
import { draw, fragment, open } from './kit';

/** Gradient noise and functions of it, with its own constants. */
const noise = (k: number): string => `
fn hash${k}(at: vec3f) -> f32 {
  var h = fract(at * vec3f(0.1031 + ${k}.0 * 0.001, 0.1030, 0.0973));
  h = h + dot(h, h.yxz + 33.33);
  return fract((h.x + h.y) * h.z);
}
fn gradient${k}(cell: vec3f, offset: vec3f) -> f32 {
  let h = u32(hash${k}(cell) * 16.0);
  var u = 0.0;
  var v = 0.0;
  if h < 8u { u = offset.x; } else { u = offset.y; }
  if h < 4u { v = offset.y; } else if h == 12u || h == 14u { v = offset.x; } else { v = offset.z; }
  if (h & 1u) != 0u { u = -u; }
  if (h & 2u) != 0u { v = -v; }
  return u + v;
}
fn noise${k}(at: vec3f) -> f32 {
  let cell = floor(at);
  let f = at - cell;
  let w = f * f * f * (f * (f * 6.0 - 15.0) + 10.0);
  var corners: array<f32, 4>;
  corners[0] = mix(gradient${k}(cell, f), gradient${k}(cell + vec3f(1, 0, 0), f - vec3f(1, 0, 0)), w.x);
  corners[1] = mix(
    gradient${k}(cell + vec3f(0, 1, 0), f - vec3f(0, 1, 0)), gradient${k}(cell + vec3f(1, 1, 0), f - vec3f(1, 1, 0)),
      w.x);
  corners[2] = mix(
    gradient${k}(cell + vec3f(0, 0, 1), f - vec3f(0, 0, 1)), gradient${k}(cell + vec3f(1, 0, 1), f - vec3f(1, 0, 1)),
      w.x);
  corners[3] = mix(
    gradient${k}(cell + vec3f(0, 1, 1), f - vec3f(0, 1, 1)), gradient${k}(cell + vec3f(1, 1, 1), f - vec3f(1, 1, 1)),
      w.x);
  return mix(mix(corners[0], corners[1], w.y), mix(corners[2], corners[3], w.y), w.z);
}
fn layer${k}(at: vec3f, below: vec3f) -> vec3f {
  var color = below;
  let grain = noise${k}(at * ${k + 1}.5);
  let coarse = noise${k}(at * 0.25 + vec3f(grain));
  if coarse > 0.1 { color = mix(color, vec3f(0.${(k % 9) + 1}, 0.4, 0.2), coarse); } else { color = color * 0.9; }
  for (var i = 0; i < 3; i++) {
    let fine = noise${k}(at * f32(i + 2) + color);
    if fine < 0.0 { color += vec3f(fine * 0.1); continue; }
    color *= 1.0 - fine * 0.05;
  }
  return color;
}`;

const material = (layers: number): string =>
  fragment(
    `var color = vec3f(0.5);\n${Array.from(
      { length: layers },
      (_, k) => `color = layer${k}(vec3f(p.xy * 0.07, ${k}.0), color);`
    ).join('\n')}\nreturn vec4f(color, 1);`,
    Array.from({ length: layers }, (_, k) => noise(k)).join('\n')
  );

describe('long shaders of functions that call each other', () => {
  test.each([
    [8, 14_000],
    [24, 42_000],
  ])('%d layers, more than %d characters, compile', async (layers, least) => {
    const code = material(layers);
    expect(code.length).toBeGreaterThan(least);
    const pictures: Uint8Array[] = [];
    for (const engine of ['jit', 'interpreter']) {
      const { device, uncaptured } = await open({ engine });
      pictures.push(await draw(device, { code }));
      expect(uncaptured).toEqual([]);
      device.destroy();
    }
    expect(pictures[0]).toEqual(pictures[1]);
    expect(new Set(pictures[0]!).size).toBeGreaterThan(20);
  });
});

/** CPU time and the error, if any, of a pipeline with this fragment shader. */
async function made(code: string): Promise<{ ms: number; message: string }> {
  const { device } = await open();
  const module = device.createShaderModule({ code });
  const before = process.cpuUsage();
  const message = await device
    .createRenderPipelineAsync({
      layout: 'auto',
      vertex: { module, entryPoint: 'vs' },
      fragment: { module, entryPoint: 'fs', targets: [{ format: 'rgba8unorm' }] },
    })
    .then(
      () => '',
      (error: Error) => error.message
    );
  const { user, system } = process.cpuUsage(before);
  device.destroy();
  return { ms: (user + system) / 1000, message };
}
const lines = (count: number, line: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => line(i)).join('\n');

describe('compile time is proportional to the length of shaders', () => {
  test('with vectors loaded from a buffer', async () => {
    const { ms, message } = await made(
      fragment(
        `var x = p.x; ${lines(2000, (i) => `x += dot(u[u32(p.x) * 7u + ${i}u], p);`)} return vec4f(x);`,
        '@group(0) @binding(0) var<storage> u: array<vec4f>;'
      )
    );
    expect(message).toBe('');
    expect(ms).toBeLessThan(6000);
  });

  test('with texture reads', async () => {
    const { ms, message } = await made(
      fragment(
        `var x = vec4f(); ${lines(4000, (i) => `x += textureSampleLevel(t, s, p.xy * ${i}.5, 0);`)} return x;`,
        '@group(0) @binding(0) var t: texture_2d<f32>; @group(0) @binding(1) var s: sampler;'
      )
    );
    expect(message).toBe('');
    expect(ms).toBeLessThan(6000);
  });

  test('with variables and arrays that hundreds of branches read', async () => {
    const { message } = await made(
      fragment(
        `var x = p.x; ${lines(900, (i) => `var a${i}: array<f32, 64>; a${i}[3] = x;`)}
      ${lines(3000, (i) => `if x > ${i}.0 { x = x * 1.5; }`)}
      ${lines(900, (i) => `x += a${i}[u32(x)];`)} return vec4f(x);`
      )
    );
    expect(message).toMatch(/longer than 65536 instructions/);
  });
});

test('with unused computations, which cost nothing', async () => {
  const { device } = await open({ shaderLimits: { instructions: 100 } });
  const module = device.createShaderModule({
    code: `
      struct Large { elements: array<array<vec4u, 32>, 160> }
      @group(0) @binding(0) var<storage> large: Large;
      fn through(part: ptr<function, array<u32, 4>>) -> u32 { _ = *part; return 1; }
      @compute @workgroup_size(1) fn cs(@builtin(global_invocation_id) id: vec3u) {
        var part: array<u32, 4>;
        _ = large; _ = large.elements[id.x]; _ = large.elements; _ = through(&part);
      }`,
  });
  await device.createComputePipelineAsync({ layout: 'auto', compute: { module } });
});
