// inspectShader: the same judgement as createShaderModule's and createRenderPipeline's, and what programs are compiled
// to.
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { makeInspectShader } from '../../../src/api';
import { loadEngine } from '../../support/engine';
import { inspectShader, type ShaderEntryPoint, type ShaderReport } from '../../../src/index';
import { codeBlocks, userPages } from '../../docs/kit';
import { apiDevice } from '../fake';

const SCENE = `
struct Light { position: vec3f, colour: vec3f }
struct V {
  @builtin(position) p: vec4f, @location(0) @interpolate(perspective, centroid) uv: vec2f,
    @location(3) @interpolate(flat) id: u32
}
@id(4) override count: u32 = 3;
override bias: f32;
@group(1) @binding(0) var<storage> lights: array<Light>;
@group(0) @binding(2) var<uniform> camera: mat4x4f;
@group(0) @binding(0) var map: texture_2d<f32>;
@group(0) @binding(1) var smooth_: sampler;
@group(2) @binding(0) var shadow: texture_depth_2d_array;
@group(2) @binding(1) var compare: sampler_comparison;
@vertex fn vs(@location(0) p: vec3f, @builtin(vertex_index) i: u32) -> V { return V(camera * vec4f(p, 1), p.xy, i); }
@fragment fn fs(v: V, @builtin(front_facing) front: bool) -> @location(1) vec4f {
  var c = textureSample(map, smooth_, v.uv);
  for (var i = 0u; i < count; i++) { c += vec4f(lights[i].colour, bias); }
  return select(c, vec4f(textureSampleCompareLevel(shadow, compare, v.uv, 0, 0.5)), front);
}
var<workgroup> sums: array<u32, 16>;
@compute @workgroup_size(8, 2) fn work(@builtin(local_invocation_index) i: u32) {
  sums[i] = i;
  workgroupBarrier();
  let next = sums[(i + 1) % 16];
  workgroupBarrier();
  sums[i] = next;
}
@fragment fn late() -> @location(0) vec4f { return vec4f(f32(1 / (count - count))); }
`;

describe('a valid module', () => {
  let report: ShaderReport;
  let byName: Record<string, ShaderEntryPoint>;
  beforeAll(async () => {
    report = await inspectShader(SCENE, { constants: { bias: 0.25 } });
    byName = Object.fromEntries(report.entryPoints.map((entry) => [entry.name, entry]));
  });

  test('has no messages, and its overrides and entry points in their order', () => {
    expect([report.valid, report.messages]).toEqual([true, []]);
    expect(report.overrides).toEqual([
      { name: 'count', id: 4, type: 'u32', hasDefault: true },
      { name: 'bias', id: null, type: 'f32', hasDefault: false },
    ]);
    expect(report.entryPoints.map(({ name, stage }) => [name, stage])).toEqual([
      ['vs', 'vertex'],
      ['fs', 'fragment'],
      ['work', 'compute'],
      ['late', 'fragment'],
    ]);
  });

  test('tells what goes in and comes out', () => {
    const none = { location: null, builtin: null, interpolate: null };
    expect(byName['vs']).toMatchObject({
      problem: null,
      inputs: [
        { ...none, name: 'p', type: 'vec3f', location: 0 },
        { ...none, name: 'i', type: 'u32', builtin: 'vertex_index' },
      ],
      outputs: [
        { ...none, name: 'result.p', type: 'vec4f', builtin: 'position' },
        { ...none, name: 'result.uv', type: 'vec2f', location: 0, interpolate: 'perspective, centroid' },
        { ...none, name: 'result.id', type: 'u32', location: 3, interpolate: 'flat, first' },
      ],
    });
    expect(byName['fs']!.outputs).toEqual([{ ...none, name: 'result', type: 'vec4f', location: 1 }]);
    expect(byName['fs']!.inputs.map(({ name }) => name)).toEqual(['v.p', 'v.uv', 'v.id', 'front']);
  });

  test('tells what is bound, by group and binding', () => {
    expect(byName['vs']!.resources).toEqual([
      { name: 'camera', group: 0, binding: 2, kind: 'uniform', type: 'mat4x4f', minBindingSize: 64 },
    ]);
    expect(byName['fs']!.resources).toEqual([
      { name: 'map', group: 0, binding: 0, kind: 'texture', type: 'texture_2d<f32>', minBindingSize: null },
      { name: 'smooth_', group: 0, binding: 1, kind: 'sampler', type: 'sampler', minBindingSize: null },
      { name: 'lights', group: 1, binding: 0, kind: 'read-only-storage', type: 'array<Light>', minBindingSize: 32 },
      { name: 'shadow', group: 2, binding: 0, kind: 'texture', type: 'texture_depth_2d_array', minBindingSize: null },
      {
        name: 'compare',
        group: 2,
        binding: 1,
        kind: 'comparison-sampler',
        type: 'sampler_comparison',
        minBindingSize: null,
      },
    ]);
  });

  test('has why an entry point cannot be used as a problem', () => {
    expect(byName['late']).toMatchObject({ inputs: [], outputs: [], resources: [], code: null });
    expect(byName['late']!.problem).toContain('division-by-zero');
  });

  test('shows the parts between the barriers of a compute stage', () => {
    expect(byName['work']).toMatchObject({
      workgroupSize: [8, 2, 1],
      problem: null,
      inputs: [{ name: 'i', type: 'u32', builtin: 'local_invocation_index' }],
    });
    const { counts, ir } = byName['work']!.code!;
    expect(counts).toMatchObject({ rate: 'invocation', parts: 3 });
    const parts = ir.split(/^;; part \d of 3\n/m);
    expect(parts).toHaveLength(4);
    expect(parts[0]).toBe('');
    for (const [k, part] of parts.slice(1).entries()) {
      expect(part).toMatch(/^compute work\n(.*\n)*a0 next part: u32\[1\] kept\n/);
      // Nothing else chooses between them, and each names the one behind it.
      expect(part).not.toContain('input in1');
      const next = new RegExp(`(%\\d+): u32 = const ${k + 1}u(.*\\n)*  +array\\.store a0, %\\d+, \\1\\b`);
      expect(part).toMatch(next);
    }
    expect(byName['vs']!.workgroupSize).toBeNull();
  });

  test.each(['vs', 'fs'])('shows what %s is compiled to, and counts it', (name) => {
    const { code, stage } = byName[name]!;
    const { ir, bytecode, wasm, wasmBytes, counts, interpreted } = code!;
    expect(interpreted).toBeNull();
    expect(ir).toMatch(new RegExp(`^${stage} ${name}\nr0 @group`));
    // Every node is a line by itself, or opens a block that a line closes.
    const lines = ir.split('\n').filter((line) => /^ +[^} ]/.test(line));
    expect(lines).toHaveLength(counts.irNodes);
    const instructions = (from: string, to: string): number =>
      (bytecode.split(`${from}:\n`)[1]?.split(`\n${to}:`)[0]?.split('\n') ?? []).length;
    expect([instructions('prologue', 'body'), instructions('body', 'none')]).toEqual([
      counts.prologue,
      counts.bytecode,
    ]);
    expect(bytecode.match(/^c\d+ = /gm) ?? []).toHaveLength(counts.constants);
    expect(counts.registers).toBeGreaterThan(counts.uniformValues);
    expect(counts.uniformValues).toBeGreaterThan(0);
    const module = new WebAssembly.Module(wasmBytes as Uint8Array<ArrayBuffer>);
    const exported = WebAssembly.Module.exports(module).map((one) => one.name);
    expect(stage === 'vertex' ? ['registers'] : ['quads', 'registers']).toEqual(expect.arrayContaining(exported));
    expect(exported.length).toBeGreaterThan(0);
    expect(Object.keys(counts.wasm!.functions)).toEqual(exported);
    expect(counts.wasm!.bytes).toBe(wasmBytes!.length);
    // The function's own `end` is its parenthesis in the text.
    expect(wasm!.match(/^ {4,}[a-z]/gm)).toHaveLength(counts.wasm!.instructions);
    for (const { total, byGroup } of Object.values(counts.wasm!.functions))
      expect(Object.values(byGroup).reduce((a, b) => a + b)).toBe(total);
  });
});

describe('constants', () => {
  const source = `
    @id(4) override count: u32 = 3; override bias: f32;
    @fragment fn fs() -> @location(0) vec4f { return vec4f(sin(bias), f32(count), 0, 1); }
  `;
  const entry = async (constants?: Record<string, number>): Promise<ShaderEntryPoint> =>
    (await inspectShader(source, constants && { constants })).entryPoints[0]!;

  test('are in the program, folded with the functions of the kernel', async () => {
    const sine = await entry({ bias: 0.5, 4: 9 });
    expect(sine.code!.ir).not.toContain('sin');
    expect(sine.code!.ir).toContain('const 9.0');
  });

  test("that are missing or wrong are the entry point's problem", async () => {
    expect((await entry()).problem).toContain("override 'bias' has no default, and the pipeline gives no value");
    expect((await entry({ bias: 1, 4: -1 })).problem).toContain(
      "the pipeline constant -1 for 'count' cannot be represented as u32"
    );
    expect((await entry({ bias: 1, more: 1 })).problem).toBe(
      'constants: the module has no override "more"; it has "4", "bias"'
    );
    expect((await entry({ bias: 1, count: 1 })).problem).toBe(
      'constants: "count" has @id(4); use that number as the key'
    );
  });

  test('that are no numbers are refused', async () => {
    await expect(inspectShader(source, { constants: { bias: NaN } })).rejects.toThrow(
      new TypeError('inspectShader: constants: "bias" must be a finite number')
    );
    await expect(inspectShader(source, { constants: { bias: '1' as unknown as number } })).rejects.toThrow(TypeError);
  });
});

describe('a module with mistakes', () => {
  test('has the messages of getCompilationInfo, drawn besides', async () => {
    const code =
      '// ü 😀\nfn a() { let x: i32 = 1.5; }\n/* 😀 */ @fragment fn b() -> @location(0) vec4f { return nope; }\n';
    const { device } = await apiDevice();
    device.pushErrorScope('validation');
    const { messages } = await device.createShaderModule({ code }).getCompilationInfo();
    await device.popErrorScope();
    const report = await inspectShader(code);
    expect([report.valid, report.entryPoints]).toEqual([false, []]);
    const place = ({
      type,
      lineNum,
      linePos,
      offset,
      length,
    }: GPUCompilationMessage | ShaderReport['messages'][number]): unknown[] => [type, lineNum, linePos, offset, length];
    expect(report.messages.map(place)).toEqual(messages.map(place));
    expect(report.messages.map(({ code: name, message }) => `[${name}] ${message}`)).toEqual(
      messages.map(({ message }) => message)
    );
    expect(report.messages[1]).toMatchObject({
      code: 'unknown-identifier',
      text:
        "error[unknown-identifier]: unknown identifier 'nope'\n --> 3:58\n"
        + '3 | /* 😀 */ @fragment fn b() -> @location(0) vec4f { return nope; }\n'
        + '  |                                                          ^^^^',
    });
  });

  test('is judged also where only its grammar is wrong, and where it is empty', async () => {
    expect((await inspectShader('fn')).messages).toHaveLength(1);
    expect(await inspectShader('')).toEqual({ valid: true, messages: [], overrides: [], entryPoints: [] });
  });
});

test('programs that are too large, or nest too deeply, are problems', async () => {
  const large = `
    @fragment fn fs(@location(0) @interpolate(flat) n: u32) -> @location(0) u32 {
      var e: array<u32, 65535>; e[n] = n; return e[n / 2u];
    }
  `;
  expect((await inspectShader(large)).entryPoints[0]).toMatchObject({
    code: null,
    problem: expect.stringMatching(
      /^the fragment shader 'fs' needs \d+ registers, exceeding the limit of 65535:/
    ) as string,
  });
  const calls = Array.from(
    { length: 150 },
    (_, k) => `fn call${k + 1}(x: f32) -> f32 { return call${k}(x)${' + x'.repeat(30)}; }`
  ).join('\n');
  const deep = `fn call0(x: f32) -> f32 { return x; } ${calls}
    @fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4f { return vec4f(call150(p.x)); }`;
  expect((await inspectShader(deep)).entryPoints[0]).toMatchObject({
    code: null,
    problem: expect.stringMatching(/nests too deeply|longer than/) as string,
  });
});

describe('kernels', () => {
  const file = (name: string): Uint8Array<ArrayBuffer> =>
    Uint8Array.from(readFileSync(new URL(`../../../build/${name}.wasm`, import.meta.url)));

  test('are loaded once for each place, and again after a failure', async () => {
    const load = vi.fn((name: string) => WebAssembly.compile(file(name)));
    load.mockRejectedValueOnce(new Error('offline'));
    const inspect = makeInspectShader(load, loadEngine);
    await expect(inspect('')).rejects.toThrow('offline');
    await Promise.all([inspect(''), inspect('const a = 1;')]);
    expect(load.mock.calls).toEqual([
      ['kernel', undefined],
      ['kernel', undefined],
    ]);
    await inspect('', { kernelUrl: 'https://example.com/kernels' });
    expect(load.mock.calls.slice(2)).toEqual([['kernel', 'https://example.com/kernels']]);
  });

  test('without functions for the JIT leave programs on the interpreter', async () => {
    const inspect = makeInspectShader(
      async () => WebAssembly.compile(withoutCustomSections(file('kernel'))),
      loadEngine
    );
    const { code } = (await inspect('@vertex fn vs() -> @builtin(position) vec4f { return vec4f(); }')).entryPoints[0]!;
    expect(code).toMatchObject({
      wasm: null,
      wasmBytes: null,
      interpreted: 'this kernel build does not support compiled shaders',
    });
    expect(code!.counts).toMatchObject({ wasm: null, bytecode: expect.any(Number) as number });
    expect(code!.bytecode).toContain('body:');
  });
});

/** The module without what its sections of kind 0 hold. */
function withoutCustomSections(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const kept: number[] = [...bytes.subarray(0, 8)];
  for (let at = 8; at < bytes.length;) {
    let end = at + 1;
    let size = 0;
    let shift = 0;
    for (let more = true; more; shift += 7) {
      size |= (bytes[end]! & 0x7f) << shift;
      more = bytes[end++]! >= 0x80;
    }
    end += size;
    if (bytes[at] !== 0) for (const byte of bytes.subarray(at, end)) kept.push(byte);
    at = end;
  }
  return Uint8Array.from(kept);
}

describe('a geometry stage', () => {
  const source = `enable modular_pipelines;
    struct V { @location(0) p: vec3f, @location(2) id: u32 }
    struct W { @builtin(position) position: vec4f, @location(1) @interpolate(flat) id: u32 }
    @group(0) @binding(3) var<uniform> camera: mat4x4f;
    @geometry fn gs(v: array<V, 3>, @builtin(primitive_index) i: u32) {
      for (var j = 0; j < 3; j++) { emitVertex(W(camera * vec4f(v[j].p, 1), v[j].id + i)); }
      endStrip();
    }`;

  test('has an interface of one corner, and what it emits', async () => {
    const { valid, entryPoints } = await inspectShader(source);
    const none = { location: null, builtin: null, interpolate: null };
    expect(valid).toBe(true);
    expect(entryPoints).toHaveLength(1);
    expect(entryPoints[0]).toMatchObject({
      name: 'gs',
      stage: 'geometry',
      problem: null,
      inputs: [
        { ...none, name: 'v.p', type: 'vec3f', location: 0 },
        { ...none, name: 'v.id', type: 'u32', location: 2 },
        { ...none, name: 'i', type: 'u32', builtin: 'primitive_index' },
      ],
      outputs: [
        { ...none, name: 'W.position', type: 'vec4f', builtin: 'position' },
        { ...none, name: 'W.id', type: 'u32', location: 1, interpolate: 'flat, first' },
      ],
      resources: [{ name: 'camera', group: 0, binding: 3, kind: 'uniform', type: 'mat4x4f', minBindingSize: 64 }],
    });
  });

  test('has IR, and is not compiled alone', async () => {
    const [entry] = (await inspectShader(source)).entryPoints;
    const { ir, wasm, wasmBytes, interpreted, counts } = entry!.code!;
    expect(ir).toMatch(/^geometry gs\nr0 @group\(0\) @binding\(3\) camera/);
    expect(ir).toContain('attribute 2.x u32 of corner 2\n');
    expect(ir.match(/^ +(emit|cut)$/gm)!.map((line) => line.trim())).toEqual(['emit', 'emit', 'emit', 'cut']);
    expect([wasm, wasmBytes]).toEqual([null, null]);
    expect(interpreted).toBe('the code of a geometry stage depends on maxVertices of its slot in a modular pipeline');
    expect(counts).toMatchObject({ rate: 'primitive', bytecode: 0, wasm: null });
  });
});

test('stages of tessellation are compiled as they stand, control with the corners that it reads', async () => {
  const {
    valid,
    entryPoints: [control, evaluation],
  } = await inspectShader(`enable modular_pipelines;
    struct P { @location(0) p: vec3f, @location(2) @interpolate(flat) id: u32 }
    struct C { @builtin(tess_outer) outer: vec4f, @builtin(tess_inner) inner: vec2f, @location(0) more: f32 }
    @tess_control fn cut(p: array<P, 4>) -> C { return C(vec4f(p[0].p, p[2].p.y), vec2f(1), f32(p[1].id)); }
    @tess_evaluation fn place(p: array<P, 4>, @builtin(tess_coord) at: vec3f, @location(0) more: f32) -> P {
      return P(p[3].p * at * more, p[0].id);
    }`);
  expect(valid).toBe(true);
  expect([control!.stage, evaluation!.stage]).toEqual(['tess_control', 'tess_evaluation']);
  expect(control!.outputs.map(({ builtin, location }) => builtin ?? location)).toEqual(['tess_outer', 'tess_inner', 0]);
  expect(control!.code!.ir).toContain('attribute 2.x u32 of corner 1\n');
  expect(evaluation!.code!.ir).toContain('control_point 0.z f32 of corner 3\n');
  for (const { code } of [control!, evaluation!]) expect(code!.wasm).toContain('func');
  expect([control!.code!.counts.rate, evaluation!.code!.counts.rate]).toEqual(['primitive', 'vertex']);
});

test('immediate data', async () => {
  const { entryPoints } = await inspectShader(`
    struct Data { a: u32, b: vec2f }
    var<immediate> data: Data;
    @compute @workgroup_size(1) fn some() { _ = data.a; }
    @compute @workgroup_size(1) fn none() {}`);
  expect(entryPoints.map(({ immediateSize, resources }) => [immediateSize, resources])).toEqual([
    [16, []],
    [0, []],
  ]);
});

describe('shaders that send results by dispatchSamples', () => {
  const compiled = async (code: string): Promise<ShaderEntryPoint[]> => {
    const { messages, entryPoints } = await inspectShader(code);
    expect(messages).toEqual([]);
    return [...entryPoints];
  };
  const shader = (body: string): string =>
    `enable fragment_stages; @fragment fn fs(@location(0) c: vec4f, @builtin(sample_mask) m: u32) { ${body} }`;

  test.each([
    ['once for each half of the samples', 'dispatchSamples(5u, c); dispatchSamples(10u, c * 2.0);'],
    ['in a loop', 'for (var i = 0u; i < 4u; i++) { dispatchSamples(1u << i, c * f32(i)); }'],
    ['behind a condition', 'if (c.x > 0.5) { dispatchSamples(m, c); }'],
    [
      'from more places than have room of their own',
      Array.from({ length: 20 }, (_, i) => `if (c.x > ${i}.0) { dispatchSamples(${1 << (i % 4)}u, c); }`).join(' '),
    ],
  ])('%s', async (_, body) => {
    const [entry] = await compiled(shader(body));
    const { code } = entry!;
    expect([entry!.problem, code!.interpreted]).toEqual([null, null]);
    expect(code!.bytecode).not.toBe('');
    expect(WebAssembly.validate(code!.wasmBytes as Uint8Array<ArrayBuffer>)).toBe(true);
  });

  test('every shader of the documentation', async () => {
    const shaders = userPages()
      .flatMap(codeBlocks)
      .filter(({ language }) => language === 'wgsl');
    expect(shaders.length).toBeGreaterThan(0);
    for (const { code } of shaders) for (const { problem } of await compiled(code)) expect(problem).toBeNull();
  });
});
