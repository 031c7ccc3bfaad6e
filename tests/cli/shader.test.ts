// `rasterloom shader` in this process, from words to text and exit code; and once as the built program.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { inspectShader, type ShaderReport } from '../../src/index';
import { run } from '../../src/cli/run';
import { Workshop } from './program';

const workshop = new Workshop();
afterAll(() => workshop.remove());

/** Files of the package, which checking a shader does not read. */
const NONE = new URL('file:///none');
const FILES = {
  cliUrl: NONE,
  sampleUrl: NONE,
  studioUrl: NONE,
  decoderUrl: NONE,
  loadCommands: () => import('../../src/cli/commands'),
};

interface Told {
  code: number;
  out: string;
  err: string;
}

/**
 * Runs words on `files` (in the workshop, whose folder is taken out of what is told), with `input` at standard input.
 */
async function shader(
  words: readonly string[],
  files: Record<string, string | Uint8Array> = {},
  input = ''
): Promise<Told> {
  for (const [name, contents] of Object.entries(files)) writeFileSync(workshop.path(name), contents);
  let out = '';
  let err = '';
  const code = await run(
    ['shader', ...words.map((word) => (/^[^-][\w/]*\.(wgsl|bin)$/.test(word) ? workshop.path(word) : word))],
    {
      createGPU: () => {
        throw new Error('shader opens no GPU');
      },
      inspectShader,
      version: '0.0.0',
      ...FILES,
      stdin: (async function* () {
        yield await Promise.resolve(Buffer.from(input));
      })(),
      stdout: {
        write: (text) => {
          out += text;
        },
      },
      stderr: {
        write: (text) => {
          err += text;
        },
      },
    }
  );
  const withoutFolder = (text: string): string => text.replaceAll(`${workshop.folder}/`, '');
  return { code, out: withoutFolder(out), err: withoutFolder(err) };
}

const LAMP = `struct V { @builtin(position) p: vec4f, @location(0) normal: vec3f,
  @location(1) @interpolate(flat) id: u32 }
override strength = 1.0;
@group(0) @binding(1) var<uniform> view: mat4x4f;
@vertex fn vs(@location(0) p: vec3f, @location(1) n: vec3f, @builtin(instance_index) i: u32) -> V {
  return V(view * vec4f(p, 1), n, i); }
@fragment fn fs(v: V) -> @location(0) vec4f { return vec4f(strength * max(v.normal.y, 0.0)); }
`;

describe('rasterloom shader', () => {
  it('has a row for each entry point of a valid shader', async () => {
    const { code, out, err } = await shader(['lamp.wgsl'], { 'lamp.wgsl': LAMP });
    expect([code, err]).toEqual([0, '']);
    expect(out).toMatch(
      new RegExp(`^"lamp\\.wgsl" is valid\\.
Overrides: strength: f32\\.

entry point  stage     rate    inputs  outputs  resources  IR nodes  bytecode  registers  uniforms +WASM +bytes +ms
vs           vertex    vertex       3        3          1 +[1-9]\\d* +[1-9]\\d* +[1-9]\\d* +16 +[1-9]\\d* \
+[1-9]\\d* +\\d+\\.\\d
fs           fragment  pixel        3        1          0 +[1-9]\\d* +[1-9]\\d* +[1-9]\\d* +0 +[1-9]\\d* \
+[1-9]\\d* +\\d+\\.\\d
$`)
    );
  });

  it('draws mistakes with file, line, column and caret, and counts them', async () => {
    const { code, out, err } = await shader(['typo.wgsl'], {
      'typo.wgsl': LAMP.replace('max(v', 'max(w').replace('override strength', 'override strenght'),
    });
    expect([code, out]).toEqual([1, '']);
    expect(err).toBe(`error[unknown-identifier]: unknown identifier 'strength'
 --> typo.wgsl:7:60
7 | @fragment fn fs(v: V) -> @location(0) vec4f { return vec4f(strength * max(w.normal.y, 0.0)); }
  |                                                            ^^^^^^^^
  = did you mean 'strenght'?

error[unknown-identifier]: unknown identifier 'w'
 --> typo.wgsl:7:75
7 | @fragment fn fs(v: V) -> @location(0) vec4f { return vec4f(strength * max(w.normal.y, 0.0)); }
  |                                                                           ^

"typo.wgsl" has 2 errors.
`);
  });

  it('takes standard input for -', async () => {
    expect(await shader(['-'], {}, LAMP)).toMatchObject({
      code: 0,
      err: '',
      out: expect.stringMatching(/^Standard input is valid\.\n/) as string,
    });
    expect((await shader(['-'], {}, 'fn')).err).toMatch(
      /^error\[[^]*\n --> 1:3\n[^]*\nStandard input has 1 error\.\n$/
    );
  });

  it('takes an empty file for what it is', async () => {
    expect(await shader(['empty.wgsl'], { 'empty.wgsl': '' })).toEqual({
      code: 0,
      err: '',
      out: '"empty.wgsl" is valid, and has no entry points.\n',
    });
  });

  it('prints what is asked for, in one order, under headings that WebAssembly text takes for comments', async () => {
    const { code, out, err } = await shader(
      ['lamp.wgsl', '-p', 'wasm,ir', '--print=interface,bytecode', '-e', 'fs', '--override', 'strength=0.5'],
      { 'lamp.wgsl': LAMP }
    );
    expect([code, err]).toEqual([0, '']);
    expect(out.match(/^;; fragment fs: .*$/gm)).toEqual([
      ';; fragment fs: interface',
      expect.stringMatching(/^;; fragment fs: IR, \d+ nodes$/),
      expect.stringMatching(/^;; fragment fs: bytecode, \d+ instructions, \d+ registers, 0 uniform values$/),
      expect.stringMatching(/^;; fragment fs: WebAssembly, \d+ instructions, \d+ bytes$/),
    ]);
    expect(out).toContain(`;; fragment fs: interface
in   @builtin(position) v.p: vec4f
in   @location(0) v.normal: vec3f
in   @location(1) @interpolate(flat, first) v.id: u32
out  @location(0) result: vec4f

`);
    expect(out).toMatch(/\nfragment fs\nin0 varying 0\.y f32 perspective center\n[^]*: f32 = const 0\.5\n/);
    expect(out).toMatch(/\nbody:\n {3}0 {2}/);
    expect(out).toMatch(/\n;; (quads|fragment): \d+ \([^)]+\)\n[^]*\(module\n[^]*\n\)\n$/);
  });

  it('prints only what can be used, and tells of the rest', async () => {
    const source = [
      'override z = 1;',
      '@compute @workgroup_size(1) fn main() { _ = 1 / (z - z); }',
      'override n: f32; @fragment fn fs() -> @location(0) vec4f { return vec4f(n); }',
      '@vertex fn vs() -> @builtin(position) vec4f { return vec4f(); }',
      '',
    ].join('\n');
    const all = await shader(['mixed.wgsl'], { 'mixed.wgsl': source });
    expect(all.code).toBe(0);
    expect(all.out).toMatch(
      new RegExp(
        /^main {9}compute {3}cannot be used: see above\nfs {11}fragment {2}cannot be used: see above\n/.source
          + /vs {11}vertex .*\d\n$/.source,
        'm'
      )
    );
    expect(all.err).toBe(`The compute entry point "main" cannot be used:

error[division-by-zero]: division by zero: 1 / 0
 --> mixed.wgsl:2:45
2 | @compute @workgroup_size(1) fn main() { _ = 1 / (z - z); }
  |                                             ^^^^^^^^^^^

The fragment entry point "fs" cannot be used:

error[override-without-value]: override 'n' has no default, and the pipeline gives no value
 --> mixed.wgsl:3:10
3 | override n: f32; @fragment fn fs() -> @location(0) vec4f { return vec4f(n); }
  |          ^

Give it with --override n=VALUE

`);
    const printed = await shader(['mixed.wgsl', '-p', 'ir']);
    expect([printed.code, printed.out.match(/^;;.*:/gm)]).toEqual([1, [';; vertex vs:']]);
    expect((await shader(['mixed.wgsl', '-e', 'fs'])).code).toBe(1);
    expect(await shader(['mixed.wgsl', '-e', 'fs', '--override', 'n=2'])).toMatchObject({ code: 0, err: '' });
  });

  it('lists geometry stages, of which there is IR', async () => {
    const source = `enable modular_pipelines; struct V { @location(0) p: vec4f }
      @geometry fn gs(v: array<V, 2>) { emitVertex(v[1]); }`;
    const listed = await shader(['-'], {}, source);
    expect([listed.code, listed.err]).toEqual([0, '']);
    expect(listed.out).toMatch(/\ngs {11}geometry  primitive +1 +1 +0 +/);
    const { code, out } = await shader(['-', '-p', 'all', '--stage', 'geometry'], {}, source);
    expect([code, out]).toEqual([
      0,
      `;; geometry gs: interface
in   @location(0) v.p: vec4f
out  @location(0) V.p: vec4f

;; geometry gs: IR, 9 nodes
geometry gs
${[...'xyzw'].map((c, k) => `in${k} attribute 0.${c} f32 of corner 1`).join('\n')}
${[...'xyzw'].map((c, k) => `out${k} varying 0.${c} f32 perspective center`).join('\n')}
  %0: f32 = input in0
  %1: f32 = input in1
  %2: f32 = input in2
  %3: f32 = input in3
  output out0, %0
  output out1, %1
  output out2, %2
  output out3, %3
  emit

;; geometry gs: no bytecode: the code of a geometry stage depends on maxVertices of its slot in a modular pipeline

;; geometry gs: no WebAssembly: the code of a geometry stage depends on maxVertices of its slot in a modular pipeline
`,
    ]);
  });

  it('gives machines JSON', async () => {
    const { code, out, err } = await shader(['lamp.wgsl', '--json', '-p', 'bytecode', '--stage', 'vertex'], {
      'lamp.wgsl': LAMP,
    });
    expect([code, err]).toEqual([0, '']);
    const report = JSON.parse(out) as ShaderReport & {
      entryPoints: { counts: { uniformValues: number }; bytecode: string }[];
    };
    expect(report).toMatchObject({
      valid: true,
      messages: [],
      overrides: [{ name: 'strength', id: null, type: 'f32', hasDefault: true }],
    });
    expect(report.entryPoints).toHaveLength(1);
    expect(report.entryPoints[0]).toMatchObject({
      name: 'vs',
      stage: 'vertex',
      problem: null,
      resources: [{ group: 0, binding: 1, kind: 'uniform', name: 'view', type: 'mat4x4f', minBindingSize: 64 }],
      counts: { uniformValues: 16 },
    });
    expect(report.entryPoints[0]!.bytecode).toMatch(/^c0 = |^prologue:/);
    expect(Object.keys(report.entryPoints[0]!)).not.toContain('ir');
    const broken = await shader(['-', '--json'], {}, 'fn');
    expect([broken.code, broken.err]).toEqual([1, '']);
    expect(JSON.parse(broken.out)).toMatchObject({
      file: '-',
      valid: false,
      entryPoints: [],
      messages: [{ type: 'error', lineNum: 1, linePos: 3 }],
    });
  });

  it('says of a program that is too large what it needs', async () => {
    const source = `
      @fragment fn fs(@location(0) @interpolate(flat) n: u32) -> @location(0) u32 {
        var e: array<u32, 65535>; e[n] = n; return e[n / 2u];
      }
    `;
    const { code, err } = await shader(['-', '-p', 'ir'], {}, source);
    expect(code).toBe(1);
    expect(err).toMatch(
      new RegExp(
        /^The fragment entry point "fs" cannot be used: the fragment shader 'fs' needs \d+ registers, /.source
          + /exceeding the limit of 65535: use smaller arrays\n/.source
      )
    );
  });

  it.each<[string[], string]>([
    [[], 'A shader to check is missing: rasterloom shader file.wgsl. The name - reads standard input.'],
    [['absent.wgsl'], 'The shader "absent.wgsl" does not exist.'],
    [['folder.wgsl'], 'The shader "folder.wgsl" is a folder.'],
    [['binary.bin'], 'The shader "binary.bin" is not UTF-8 text, as WGSL must be.'],
    [['zeros.bin'], 'The shader "zeros.bin" is not UTF-8 text, as WGSL must be.'],
    [['lamp.wgsl', 'typo.wgsl'], 'Only one shader can be checked at a time; "typo.wgsl" is one too many.'],
    [
      ['lamp.wgsl', '--pritn', 'ir'],
      'There is no option --pritn. Did you mean --print? See "rasterloom shader --help".',
    ],
    [['lamp.wgsl', '--size', '3x3'], 'There is no option --size. See "rasterloom shader --help".'],
    [
      ['lamp.wgsl', '--print', 'ir,bytecod'],
      '--print must be one of interface, ir, bytecode, wasm, all, not "bytecod". Did you mean bytecode?',
    ],
    [
      ['lamp.wgsl', '--stage', 'pixel'],
      '--stage must be one of vertex, geometry, primitive, tess_control, '
        + 'tess_evaluation, fragment, compute, not "pixel".',
    ],
    [['lamp.wgsl', '--stage', 'compute'], '"lamp.wgsl" has no compute entry point. It has vs (vertex), fs (fragment).'],
    [
      ['lamp.wgsl', '--entry', 'vx'],
      '"lamp.wgsl" has no entry point "vx". Did you mean "vs"? It has vs (vertex), fs (fragment).',
    ],
    [
      ['lamp.wgsl', '--entry', 'vs', '--stage', 'fragment'],
      '"lamp.wgsl" has no fragment entry point "vs". It has vs (vertex), fs (fragment).',
    ],
    [
      ['lamp.wgsl', '--override', 'strenght=2'],
      '"lamp.wgsl" has no override "strenght". Did you mean "strength"? It has strength.',
    ],
    [
      ['lamp.wgsl', '--override', 'strength'],
      '--override must be a name and a number, as in scale=2.5 or enabled=true, not "strength".',
    ],
    [
      ['lamp.wgsl', '--override', 'strength=big'],
      '--override must be a name and a number, as in scale=2.5 or enabled=true, not "strength=big".',
    ],
    [['lamp.wgsl', '--override', 'a=1', '--override', 'a=2'], '--override sets "a" twice.'],
    [['ids.wgsl', '--override', 'mode=1'], 'The override "mode" has @id(7); set it by that number: --override 7=1'],
  ])('%j is refused, with exit code 2 or 3', async (words, message) => {
    mkdirSync(workshop.path('folder.wgsl'), { recursive: true });
    const files = {
      'lamp.wgsl': LAMP,
      'binary.bin': Uint8Array.of(0x67, 0xff, 0xfe),
      'zeros.bin': 'fn a() {}\0',
      'ids.wgsl': '@id(7) override mode: u32;',
    };
    const code = words.length === 1 && /\.(wgsl|bin)$/.test(words[0]!) && !words[0]!.startsWith('-') ? 3 : 2;
    expect(await shader(words, files)).toEqual({ code, out: '', err: `rasterloom: ${message}\n` });
  });

  it('is found by its name anywhere among the words, and has a page of its own', async () => {
    const tell = async (...words: string[]): Promise<string> => {
      let out = '';
      const write = (text: string): void => {
        out += text;
      };
      await run(words, {
        createGPU: () => {
          throw new Error();
        },
        inspectShader,
        version: '',
        ...FILES,
        stdin: (async function* () {
          yield await Promise.resolve('const a = 1;');
        })(),
        stdout: { write },
        stderr: { write },
      });
      return out;
    };
    expect(await tell('--json', 'shader', '-')).toContain('"valid": true');
    const help = await tell('shader', '--help');
    expect(help).toMatch(/^rasterloom shader: checks a WGSL shader/);
    for (const option of ['--print', '--entry', '--stage', '--override', '--json'])
      expect(help).toContain(`${option} `);
    expect(await tell('help', 'shader')).toBe(help);
    expect(await tell('--help')).toContain('"rasterloom shader --help"');
    expect(await tell('water.wgsl')).toContain('Did you mean "rasterloom shader water.wgsl"?');
  });

  it('prints what the documentation shows', async () => {
    const rim = readFileSync(new URL('../../examples/rim.wgsl', import.meta.url), 'utf8');
    const page = readFileSync(new URL('../../docs/reference/command.md', import.meta.url), 'utf8');
    // Milliseconds, the last column, differ from run to run.
    const shape = (text: string): string => text.replace(/ +ms$| +[\d.]+$/gm, '');
    const { code, out } = await shader(['-'], {}, rim);
    expect(code).toBe(0);
    expect(shape(page)).toContain(shape(out.replace('Standard input', '"examples/rim.wgsl"')));
    expect(page).toContain((await shader(['-'], {}, rim.replace('facing)', 'fcaing)'))).err);
  });

  it('is in the built program', async () => {
    workshop.write('lamp.wgsl', LAMP);
    expect(await workshop.run('shader', 'lamp.wgsl')).toMatchObject({
      code: 0,
      err: '',
      out: expect.stringMatching(/^"lamp\.wgsl" is valid\./) as string,
    });
    expect(await workshop.run('shader', 'none.wgsl')).toEqual({
      code: 3,
      out: '',
      err: 'rasterloom: The shader "none.wgsl" does not exist.\n',
    });
  });
});
