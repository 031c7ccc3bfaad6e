// Hostile inputs: shaders and models (with the files next to them) that once took minutes or gigabytes, hung, or threw
// a foreign error, and variants of them.
import { Buffer } from 'node:buffer';
import { deflateSync } from 'node:zlib';
import { shapes } from '../../build/testing/shapes.js';

const list = (count, write) => Array.from({ length: count }, (_, i) => write(i)).join('\n');
const chain = (count, write, end) => `${list(count, (i) => write(`c${i}`, `c${i + 1}`))}\n${end(`c${count}`)}`;
const cycle = (count, write) => list(count, (i) => write(`c${i}`, `c${(i + 1) % count}`));
const COVER = '@vertex fn vs() -> @builtin(position) vec4f { return vec4f(); }\n';
const ENTRY = `${COVER}@fragment fn fs() -> @location(0) vec4f { return vec4f(); }\n`;

const DECLARATIONS = {
  constants: [(name, of) => `const ${name} = ${of} + 1;`, (name) => `const ${name} = 1;`],
  overrides: [(name, of) => `override ${name} = ${of} + 1;`, (name) => `override ${name} = 1;`],
  aliases: [(name, of) => `alias ${name} = ${of};`, (name) => `alias ${name} = f32;`],
  structs: [(name, of) => `struct ${name} { a: ${of} }`, (name) => `struct ${name} { a: f32 }`],
};
const chains = Object.entries(DECLARATIONS).flatMap(([name, [write, end]]) => [
  [`a forward chain of 2000 ${name}`, ENTRY + chain(2000, write, end)],
  [`a forward chain of 30 000 ${name}`, ENTRY + chain(30_000, write, end)],
  [`a cycle of 2000 ${name}`, ENTRY + cycle(2000, write)],
]);

const program = (
  body
) => `@vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f { return vec4f(f32(i)); }
@fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4f { var x = p.x;\n${body}\nreturn vec4f(x); }`;

const longBranches = (count) => list(count, (i) => `if x > ${i}.0 { x = sin(x) * 0.5 + exp(x * ${i}.25) + sqrt(x); }`);
const branchesThatStore = (count) =>
  `var<private> a: array<f32, 8>;\n${program(list(count, (i) => `if x > ${i}.0 { a[u32(x) & 7u] = x; x += a[3]; }`))}`;
const deepBlocks = (count) => list(count, () => `${'if x > 1.0 { x *= 2.0; '.repeat(40)}${'}'.repeat(40)}`);
const switches = (count) =>
  list(count, () => 'switch i32(x) { case 0: { x += 1.0; } case 1, 2: { x -= 1.0; } default: { x *= 2.0; } }');

/** Shaders by name. */
export const shaders = {
  'array(a, a) forty times': `
    ${ENTRY}const a0 = array(1, 2);\n${list(40, (i) => `const a${i + 1} = array(a${i}, a${i});`)}
  `,
  'array(a, a) in a function': `
    ${ENTRY}fn f() { let a0 = array(1u, 2u);\n${list(40, (i) => `let a${i + 1} = array(a${i}, a${i});`)} }
  `,
  'structs of structs, twice each': `
    ${ENTRY}struct S0 { a: f32 }\n${list(40, (i) => `struct S${i + 1} { a: S${i}, b: S${i} }`)}\nvar<private> v: S40;
  `,
  'arrays of arrays of a million': `
    ${ENTRY}alias A = array<array<array<f32, 1000000>, 1000000>, 1000000>;\nvar<private> a: A;
  `,
  '106 kB of unknown names': `
    ${ENTRY}fn f() -> f32 { var x = 0.0;\n${list(6500, (i) => `x += unknown${i};`)}\nreturn x; }
  `,
  '106 kB of unknown names among known ones': `
    ${ENTRY}${list(3000, (i) => `const known${i} = 1;`)}\nfn f() {\n${list(3000, (i) => `unknwn${i}();`)}\n}
  `,
  'a name of a megabyte': `${ENTRY}fn f() { let ${'n'.repeat(1_000_000)} = 1; _ = ${'n'.repeat(1_000_000)}x; }`,
  'a comment that nests 100 000 times': `${'/*'.repeat(100_000)}`,
  'half a megabyte of brackets': `${ENTRY}const a = ${'('.repeat(250_000)}1${')'.repeat(250_000)};`,
  '4000 early returns': program(list(4000, (i) => `if x == ${i}.5 { return vec4f(${i}.25); }`)),
  '4000 little loops': program(list(4000, (i) => `while x < ${i}.0 { x += 1.0; }`)),
  '2000 long branches': program(longBranches(2000)),
  '2000 branches that store': branchesThatStore(2000),
  // The maximum number that is accepted and can be compiled.
  '3000 early returns': program(list(3000, (i) => `if x == ${i}.5 { return vec4f(${i}.25); }`)),
  '2650 little loops': program(list(2650, (i) => `while x < ${i}.0 { x += 1.0; }`)),
  '900 little loops': program(list(900, (i) => `while x < ${i}.0 { x += 1.0; }`)),
  '1600 long branches': program(longBranches(1600)),
  '600 long branches': program(longBranches(600)),
  '1500 branches that store': branchesThatStore(1500),
  '800 branches that store': branchesThatStore(800),
  '84 deep blocks': program(deepBlocks(84)),
  '50 deep blocks': program(deepBlocks(50)),
  '3400 lines of straight code': program(list(3400, (i) => `x = x * 0.5 + sin(x) + ${i}.25;`)),
  '1200 switches': program(switches(1200)),
  '580 switches': program(switches(580)),
  '500 loops that count': program(
    list(500, (i) => `for (var i = 0; i < i32(p.y) + ${i}; i++) { x += f32(i) * ${i}.5; }`)
  ),
  'functions that call each other twice': `
    ${list(60, (i) => `fn g${i}(x: f32) -> f32 { return g${i + 1}(x) + g${i + 1}(x + 1.0); }`)}
    fn g60(x: f32) -> f32 { return x; }
    @vertex fn vs() -> @builtin(position) vec4f { return vec4f(g0(1.0)); }
    @fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4f { return vec4f(g0(p.x)); }
  `,
  'a thousand entry points that reach all of a megabyte': `
    ${COVER}${list(20_000, (i) => `var<private> v${i}: f32; fn q${i}() { v${i} = 1; }`)}
fn root() { ${list(20_000, (i) => `q${i}();`)} }\n@fragment fn fs() -> @location(0) vec4f { root(); return vec4f(); }
${list(1000, (i) => `@fragment fn entry${i}() { root(); }`)}`,
  'derivatives among 8000 variables and branches': program(
    `${list(8000, (i) => `var v${i} = x;`)}\n${list(8000, (i) => `if v${i} > ${i}.0 { v${i} = dpdx(x); }`)}`
  ),
  'values that go on from variable to variable around a loop': program(
    `${list(451, (i) => `var v${i} = 0.0;`)} v450 = x;
    loop { ${list(450, (i) => `v${i} = v${i + 1}${' + 1.0'.repeat(300)};`)} if x > 3 { break; } } _ = dpdx(x);`
  ),
  'variables of functions of functions': `${ENTRY}fn through(p: ptr<private, f32>) { *p = 1; }\n${list(150, (l) =>
    list(
      30,
      (i) =>
        `
          var<private> g${l}_${i}: f32;
          fn q${l}_${i}() { through(&g${l}_${i}); ${l === 0 ? '' : list(30, (k) => `q${l - 1}_${k}();`)} }
        `
    )
  )}`,
  'a number of a million digits': `${ENTRY}const a = ${'1'.repeat(1_000_000)};`,
  'escape sequences in the source': `${ENTRY}fn f() { let x = "\x1b]52;c;eHh4\x07\x1b]0;title\x07"; }`,
  ...Object.fromEntries(chains),
  ...Object.fromEntries(
    [50_000, 150_000].map((size) => [`${size / 1000} kB of loops in sequence`, shapes['loops in sequence'](size)])
  ),
  ...Object.fromEntries(
    Object.entries(shapes)
      .filter(([name]) => name !== 'loops in sequence')
      .map(([name, write]) => [`150 kB: ${name}`, write(150_000)])
  ),
};

const asset = { version: '2.0' };
const repeated = (count, primitives) => ({
  asset,
  accessors: [{ componentType: 5126, type: 'VEC3', count }],
  meshes: [{ primitives: Array.from({ length: primitives }, () => ({ attributes: { POSITION: 0, NORMAL: 0 } })) }],
  nodes: [{ mesh: 0 }],
  scenes: [{ nodes: [0] }],
});

/** A black PNG with one bit per pixel. The file is a thousandth of the size of its pixels. */
function png(width, height) {
  const chunk = (type, data) => {
    const head = Buffer.alloc(8);
    head.writeUInt32BE(data.length);
    head.write(type, 4, 'latin1');
    const sum = Buffer.alloc(4);
    sum.writeUInt32BE(crc(Buffer.concat([head.subarray(4), data])));
    return Buffer.concat([head, data, sum]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width);
  header.writeUInt32BE(height, 4);
  header[8] = 1;
  const rows = deflateSync(Buffer.alloc((1 + Math.ceil(width / 8)) * height), { level: 9 });
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10]),
    chunk('IHDR', header),
    chunk('IDAT', rows),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}
function crc(bytes) {
  let sum = ~0;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit++) sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0);
  }
  return ~sum >>> 0;
}

/** A model with a textured triangle for each image. The file contains the images as data URIs. */
function textured(images) {
  const bytes = Buffer.from(Float32Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0).buffer);
  const uv = Buffer.alloc(24);
  const data = (type, of) => `data:${type};base64,${of.toString('base64')}`;
  return {
    asset,
    buffers: [bytes, uv].map((of) => ({ uri: data('application/octet-stream', of), byteLength: of.length })),
    bufferViews: [
      { buffer: 0, byteLength: 36 },
      { buffer: 1, byteLength: 24 },
    ],
    accessors: [
      { bufferView: 0, componentType: 5126, type: 'VEC3', count: 3 },
      { bufferView: 1, componentType: 5126, type: 'VEC2', count: 3 },
    ],
    images: images.map((of) => ({ uri: data('image/png', of) })),
    textures: images.map((_, source) => ({ source })),
    materials: images.map((_, index) => ({ pbrMetallicRoughness: { baseColorTexture: { index } } })),
    meshes: [{ primitives: images.map((_, material) => ({ attributes: { POSITION: 0, TEXCOORD_0: 1 }, material })) }],
    nodes: [{ mesh: 0 }],
    scenes: [{ nodes: [0] }],
  };
}

const skinned = (joints) => ({
  asset,
  skins: [{ joints }],
  nodes: [{ mesh: 0, skin: 0 }],
  scenes: [{ nodes: [0] }],
  accessors: [
    { componentType: 5126, type: 'VEC3', count: 3 },
    { componentType: 5126, type: 'VEC4', count: 3 },
  ],
  meshes: [{ primitives: [{ attributes: { POSITION: 0, JOINTS_0: 1, WEIGHTS_0: 1 } }] }],
});

/** By name: the contents of a .gltf file and of the files next to it. Created on demand. */
export const models = {
  'one accessor of zeros, ten primitives': () => [repeated(10_000_000, 10)],
  'one accessor of zeros, a thousand primitives': () => [repeated(100_000, 1000)],
  'one file, six hundred accessors': () => [
    {
      ...repeated(1, 1),
      buffers: [{ uri: 'a.bin', byteLength: 1e6 }],
      bufferViews: [{ buffer: 0, byteLength: 1e6 }],
      accessors: new Array(600).fill({ bufferView: 0, componentType: 5126, type: 'VEC3', count: 80_000 }),
    },
    { 'a.bin': Buffer.alloc(1e6) },
  ],
  '45 kB of PNGs': () => [textured(new Array(5).fill(png(8000, 8000)))],
  'one PNG of 64 million pixels': () => [textured([png(8000, 8000)])],
  'four PNGs of 4000² pixels': () => [textured(new Array(4).fill(0).map((_, i) => png(4000, 4000 + i)))],
  '80 kB of repeated scene.nodes': () => [{ ...repeated(3, 1), scenes: [{ nodes: new Array(40_000).fill(0) }] }],
  'nodes of nodes, 50 000 deep': () => [
    {
      ...repeated(3, 1),
      nodes: Array.from({ length: 50_000 }, (_, i) => (i < 49_999 ? { children: [i + 1] } : { mesh: 0 })),
    },
  ],
  'nodes in a circle': () => [{ ...repeated(3, 1), nodes: [{ children: [1] }, { children: [0], mesh: 0 }] }],
  'a hundred thousand draws': () => [
    {
      ...repeated(3, 10),
      nodes: Array.from({ length: 10_000 }, () => ({ mesh: 0 })),
      scenes: [{ nodes: Array.from({ length: 10_000 }, (_, i) => i) }],
    },
  ],
  'JSON nested a hundred thousand times': () => [null, {}, Buffer.from(`${'['.repeat(100_000)}${']'.repeat(100_000)}`)],
  'a hole in a list': () => [{ ...repeated(3, 1), nodes: [null, { mesh: 0 }] }],
  'a hole in children': () => [{ ...repeated(3, 1), nodes: [{ children: [null] }] }],
  'a joint that is a fraction': () => [skinned([0.5])],
  'a joint that is negative': () => [skinned([-1])],
  'a joint that is null': () => [skinned([null])],
  'a skin without joints': () => [skinned([])],
  // Error messages name a node that is too large.
  'escape sequences in names': () => [
    { ...repeated(3, 1), nodes: [{ name: '\x1b]52;c;eHh4\x07\x1b]0;title\x07', mesh: 0, scale: [1e300, 1, 1] }] },
  ],
  'a name of 3 MB': () => [
    { ...repeated(3, 1), nodes: [{ name: 'n'.repeat(3_000_000), mesh: 0, scale: [1e300, 1, 1] }] },
  ],
};
