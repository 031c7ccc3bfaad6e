// Modules of any size in twenty-nine shapes, each with more of the same: compile time and memory must be proportional
// to the text. Used by tests and by bench/shaders/front-end.mjs.

const COVER = '@vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f { return vec4f(f32(i)); }\n';

const program = (body: string, globals = ''): string =>
  `
    ${COVER}${globals}
    @fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4f {\nvar x = p.x;\n${body}\nreturn vec4f(x);\n}
  `;

/** A compute shader; `l` is the invocation's index, and `n` is uniform. */
const workgroups = (body: string): string => `${COVER}@group(0) @binding(0) var<storage, read_write> data: array<u32>;
var<workgroup> own: array<u32, 64>;
var<workgroup> one: u32;
@compute @workgroup_size(64) fn cs(@builtin(local_invocation_index) l: u32, @builtin(num_workgroups) count: vec3u) {
let n = count.x;\nvar x = data[l];\n${body}\ndata[l] = x;\n}`;

/** Stages of a modular pipeline: those from `load` to `end` pass on the same attributes. */
const stages = (text: string): string => `enable modular_pipelines;
struct V { @location(0) p: vec4f, @location(1) a: vec4f }
@vertex fn load(@location(0) p: vec4f) -> V { return V(p, p); }
@vertex fn end(v: V) -> @builtin(position) vec4f { return v.p + v.a; }
@fragment fn fs() -> @location(0) vec4f { return vec4f(1); }
${text}`;

/** A stage that emits vertices; `n` is the number of iterations of a loop. */
const emitting = (body: string): string =>
  stages(`@geometry fn emit(v: array<V, 3>) {\nlet n = u32(v[0].p.x);\n${body}\n}`);

/** Number of vertex stages in the shape 'many stages'. */
export const STAGES = 30;

/** Lines up to a number of characters. */
function lines(characters: number, line: (i: number) => string): string {
  const written: string[] = [];
  for (let length = 0, i = 0; length < characters; i++) {
    const next = line(i);
    written.push(next);
    length += next.length + 1;
  }
  return written.join('\n');
}

/** Declarations, each made from the next one, and the last one from `end`. */
function forwards(characters: number, declare: (name: string, of: string) => string, end: string): string {
  const chain = lines(characters, (i) => declare(`chain${i}`, `chain${i + 1}`));
  const count = chain.split('\n').length;
  return `${chain}\n${declare(`chain${count}`, end)}`;
}

/** Nested loops around `body`, `levels` deep. */
const nest = (levels: number, body: string): string =>
  `${Array.from({ length: levels }, (_, k) => `for (var k${k} = 0u; k${k} < n; k${k}++) {`).join(
    ' '
  )} ${body} ${'}'.repeat(levels)}`;

/** Shapes by description, with about the given number of characters. */
export const shapes: Readonly<Record<string, (characters: number) => string>> = {
  'loops in sequence': (n) =>
    program(lines(n, (i) => `for (var i = 0; i < i32(p.y) + ${i}; i++) { x += f32(i) * ${i}.5; }`)),
  'branches in sequence': (n) => program(lines(n, (i) => `if x > ${i}.0 { x = x * 0.5 + ${i}.25; }`)),
  'switches in sequence': (n) =>
    program(lines(n, () => 'switch i32(x) { case 0: { x += 1.0; } case 1, 2: { x -= 1.0; } default: { x *= 2.0; } }')),
  'one switch': (n) => program(`switch i32(x) { ${lines(n, (i) => `case ${i}: { x += ${i}.0; }`)} default: { } }`),
  'straight code': (n) => program(lines(n, (i) => `x = x * 0.5 + sin(x) + ${i}.25;`)),
  'many locals': (n) => program(lines(n, (i) => `let local${i} = x * ${i}.5;`)),
  'many functions': (n) =>
    program(
      '',
      lines(n, (i) => `fn number${i}(x: f32) -> f32 { return x * ${i}.0 + 1.0; }`)
    ),
  calls: (n) => program(lines(n, () => 'x = dot(mix(p, clamp(p, vec4f(0), vec4f(1)), 0.5), vec4f(x));')),
  'a chain of constants': (n) =>
    program(
      '',
      forwards(n, (name, of) => `const ${name} = ${of} + 1;`, '1')
    ),
  'a chain of overrides': (n) =>
    program(
      '',
      forwards(n, (name, of) => `override ${name} = ${of} + 1;`, '1')
    ),
  'a chain of aliases': (n) =>
    program(
      '',
      forwards(n, (name, of) => `alias ${name} = ${of};`, 'f32')
    ),
  'many structs': (n) =>
    program(
      '',
      lines(n, (i) => `struct S${i} { a: f32, b: vec4f, c: array<i32, ${i + 1}> }`)
    ),
  'many variables': (n) =>
    program(
      '',
      lines(n, (i) => `var<private> v${i}: vec4f = vec4f(${i});`)
    ),
  'one big constant': (n) => program('', `const table = array(${lines(n, (i) => `${i % 1000}.5,`)});`),
  'many constants': (n) =>
    program(
      '',
      lines(n, (i) => `const t${i} = array(${i}, 1, 2, 3);`)
    ),
  'unknown names': (n) => program(lines(n, (i) => `x += unknown${i} + p.x;`)),
  'syntax errors': (n) => program(lines(n, (i) => `let broken${i} = ) + p.x;`)),
  'variables among branches': (n) =>
    program(
      `${lines(n / 2, (i) => `var v${i} = x;`)}\n${lines(n / 2, (i) => `if u > ${i}.0 { v${i} = dpdx(x); }`)}`,
      '@group(0) @binding(0) var<uniform> u: f32;'
    ),
  'long names': (n) => {
    const name = 'n'.repeat(n / 10);
    return program(Array.from({ length: 5 }, (_, i) => `let ${name}${i} = x; x = ${name}${i};`).join('\n'));
  },
  'deep expressions': (n) => program(lines(n, () => `x = ${'('.repeat(150)}p.x${' + 1.0)'.repeat(150)};`)),
  'deep blocks': (n) => program(lines(n, () => `${'if x > 1.0 { x *= 2.0; '.repeat(40)}${'}'.repeat(40)}`)),
  'barriers in sequence': (n) => workgroups(lines(n, (i) => `workgroupBarrier(); x += own[(l + ${i}u) % 64u];`)),
  'uniform loads in sequence': (n) => workgroups(lines(n, () => 'x += workgroupUniformLoad(&one);')),
  'barriers in nested loops': (n) => workgroups(lines(n, () => nest(10, 'workgroupBarrier(); x += 1u;'))),
  'barriers and deeply nested loops': (n) => workgroups(lines(n, () => `workgroupBarrier(); ${nest(60, 'x += n;')}`)),
  'barriers in deeply nested loops': (n) => workgroups(lines(n, () => nest(120, 'workgroupBarrier(); x += 1u;'))),
  'many stages': (n) =>
    stages(
      Array.from(
        { length: STAGES },
        (_, k) => `@vertex fn stage${k}(given: V) -> V {
var v = given;\n${lines(n / STAGES, (i) => `v.a = v.a * 0.5 + v.p.yzwx * ${i}.25;`)}\nreturn v;\n}`
      ).join('\n')
    ),
  'many emitted vertices': (n) =>
    emitting(lines(n, (i) => `if v[0].p.x > ${i}.0 { emitVertex(v[${i % 3}]); endStrip(); }`)),
  'vertices emitted in nested loops': (n) => emitting(lines(n, () => nest(60, 'emitVertex(v[0]); endStrip();'))),
};
