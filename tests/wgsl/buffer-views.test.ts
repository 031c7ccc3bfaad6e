// Validation of buffers and their views (the language extension buffer_view). Verdicts are those of Dawn. For the
// values that views read and write see compute/memory/buffer-views.test.ts.

import { describe, expect, it } from 'vitest';
import { checkModule, parseModule, resolveEntryPoint } from '../../src/wgsl';
import { simpleMath } from './simple-math';

function messages(source: string): string[] {
  const { module, diagnostics } = parseModule(source);
  return [...diagnostics, ...checkModule(module, simpleMath).diagnostics].map(
    ({ code, message }) => `${code}: ${message}`
  );
}

const within = (body: string): string => `
  struct R { a: vec2u, t: array<u32> }
  fn one(a: ptr<storage, u32, read_write>) { *a = 1; }
  fn two(a: ptr<storage, u32, read_write>, b: ptr<storage, u32, read_write>) { *a = *b; }
  fn reads(a: ptr<storage, buffer, read>) {}
  fn sized(a: ptr<storage, buffer<16>, read_write>) {}
  @group(0) @binding(0) var<storage, read_write> b: buffer;
  var<workgroup> w: buffer<64>;
  @compute @workgroup_size(1) fn main(@builtin(local_invocation_index) i: u32) { ${body} }`;
const bound = (space: string, type: string): string => `@group(0) @binding(0) var<${space}> b: ${type};`;

const VALID: Readonly<Record<string, string>> = {
  'an i32 as the offset': within('_ = bufferView<u32>(&b, i32(i));'),
  'an i32 as the size': within('_ = bufferArrayView<array<u32>>(&b, i, i32(i));'),
  'a view that is written at once': within(
    '*bufferView<u32>(&b, 0) = 3u; bufferView<vec4u>(&b, 0)[i] = bufferView<vec4u>(&b, 16).x;'
  ),
  'a view with its type': within(
    'let p: ptr<storage, u32, read_write> = bufferView<u32>(&b, 0); let q = &b; _ = bufferLength(q);'
  ),
  'a struct that ends in an array': within('_ = bufferView<R>(&b, 0).t[2]; _ = bufferArrayView<R>(&b, 0, 24).t[2];'),
  'an argument': within('one(bufferView<u32>(&b, 0));'),
  "a workgroup's bytes": within(
    '(*bufferArrayView<array<u32>>(&w, 16, 8))[0] = arrayLength(bufferView<array<u32>>(&w, 0));'
  ),
  'a pointer that nobody uses': within('_ = &b;'),
  'uniform bytes': `
    ${bound('uniform', 'buffer<64>')}
    fn f() { let q = bufferView<array<vec4u>>(&b, 16); let r = bufferView<array<u32, 4>>(&b, 16); }
  `,
  'an offset by an override': `
    override o = 4u; ${bound('storage', 'buffer<64>')} fn f() { let q = bufferView<u32>(&b, o); }
  `,
  'a size by an override': 'override n = 4; var<workgroup> w: buffer<n>; var<workgroup> v: buffer<n * 2>;',
  'an alias': `alias B = buffer<8>; ${bound('uniform', 'B')}`,
  "a name of one's own": 'struct buffer { a: u32 } var<private> b: buffer; fn bufferView(a: u32) -> u32 { return a; }',
  'a size of 4': bound('storage', 'buffer<4i>'),
};
const INVALID: Readonly<Record<string, [string, string]>> = {
  'a type with an atomic': [
    within('_ = bufferArrayView<array<atomic<u32>>>(&b, 0, 4);'),
    "view-type: 'bufferArrayView' cannot view a buffer as array<atomic<u32>>: it contains an atomic",
  ],
  'an array of fixed size': [
    within('_ = bufferArrayView<array<u32, 4>>(&b, 0, 4);'),
    "view-type: 'bufferArrayView' cannot view a buffer as array<u32, 4>: it has no runtime-sized array",
  ],
  'a bool': [
    within('_ = bufferView<bool>(&b, 0);'),
    "view-type: 'bufferView' cannot view a buffer as bool: it is not host-shareable (bool, "
      + 'pointers and handles are not)',
  ],
  'a buffer as a buffer': [
    within('_ = bufferView<buffer<16>>(&b, 0);'),
    "view-type: 'bufferView' cannot view a buffer as buffer<16>: it is a buffer itself",
  ],
  'a size between elements': [
    within('_ = bufferArrayView<array<u32>>(&b, 0, 7);'),
    "view-range: 'bufferArrayView': 7 bytes do not hold a whole number of elements of 4 bytes",
  ],
  'a size of nothing': [
    within('_ = bufferArrayView<array<u32>>(&b, 0, 0);'),
    "view-range: 'bufferArrayView': 0 bytes are too few for array<u32>, which takes at least 4",
  ],
  'a negative size': [
    within('_ = bufferArrayView<array<u32>>(&b, 0, -4);'),
    "view-range: 'bufferArrayView': -4 bytes are too few for array<u32>, which takes at least 4",
  ],
  'a negative offset': [within('_ = bufferView<u32>(&b, -4);'), "view-range: 'bufferView': the offset -4 is negative"],
  'an offset between': [
    within('_ = bufferView<vec3f>(&b, 8);'),
    "view-range: 'bufferView': the offset 8 is not a multiple of 16, the alignment of vec3f",
  ],
  'an offset too far': [
    within('_ = bufferView<vec4u>(&w, 64);'),
    "view-range: 'bufferView': vec4u ends at byte 80 of a buffer of 64",
  ],
  'a size too far': [
    within('_ = bufferArrayView<array<u32>>(&w, 16, 80);'),
    "view-range: 'bufferArrayView': array<u32> ends at byte 96 of a buffer of 64",
  ],
  'a type too large for any offset': [
    within('_ = bufferView<array<u32, 17>>(&w, i);'),
    "view-range: 'bufferView': array<u32, 17> ends at byte 68 of a buffer of 64",
  ],
  'no size': [
    within('_ = bufferArrayView<array<u32>>(&b, 0);'),
    "no-overload: no overload of 'bufferArrayView' takes (ptr<storage, buffer, read_write>, abstract-int)",
  ],
  'an offset of another type': [
    within('_ = bufferView<u32>(&b, 0.0);'),
    "no-overload: no overload of 'bufferView' takes (ptr<storage, buffer, read_write>, abstract-float)",
  ],
  'a view of a view': [
    within('let x = bufferView<array<u32, 4>>(&b, 0); _ = bufferView<vec2u>(x, 0);'),
    "no-overload: no overload of 'bufferView' takes (ptr<storage, array<u32, 4>, read_write>, abstract-int)",
  ],
  'a view without a type': [
    within('_ = bufferView(&b, 0);'),
    "missing-template: 'bufferView' needs a template list, as in 'bufferView<u32>'",
  ],
  'a result that nobody takes': [
    within('bufferView<u32>(&b, 0);'),
    "unused-result: the result of 'bufferView' is not used",
  ],
  'a length that nobody takes': [
    within('bufferLength(&b);'),
    "unused-result: the result of 'bufferLength' is not used",
  ],
  'views that alias': [within('two(bufferView<u32>(&b, 0), bufferView<u32>(&b, 4));'), 'aliased-pointers: '],
  'a buffer with another access': [
    within('reads(&b);'),
    "type-mismatch: expected ptr<storage, buffer, read> for parameter 'a', found ptr<storage, buffer, read_write>",
  ],
  'a buffer of another size': [
    within('sized(&b);'),
    'type-mismatch: expected ptr<storage, buffer<16>, read_write> '
      + "for parameter 'a', found ptr<storage, buffer, read_write>",
  ],
  'a buffer as a value': [
    within('let x = b;'),
    'not-loadable: buffer cannot be read as a whole: read it through a bufferView',
  ],
  'a buffer that is dropped': [
    within('_ = b;'),
    'not-loadable: buffer cannot be read as a whole: read it through a bufferView',
  ],
  'an element of a buffer': [within('b[0] = 1;'), 'not-indexable: buffer cannot be indexed'],
  'private memory': ['var<private> b: buffer<64>;', 'store-type: '],
  'immediate data': ['var<immediate> b: buffer<8>;', 'store-type: '],
  'function memory': ['fn f() { var b: buffer<64>; }', 'type-not-allowed: '],
  'a member': ['struct S { a: buffer<64> }', 'member-type: '],
  'an array of buffers': [bound('storage', 'array<buffer<8>, 2>'), 'array-element-type: '],
  'a parameter': ['fn f(b: buffer<8>) {}', 'type-not-allowed: '],
  'a result': ['fn f() -> buffer<8> { }', 'type-not-allowed: '],
  'a constructor': ['fn f() { _ = buffer<8>(); }', 'not-constructible: '],
  'uniform bytes without a size': [bound('uniform', 'buffer'), 'store-type: '],
  "a workgroup's bytes without a size": ['var<workgroup> b: buffer;', 'store-type: '],
  'an override of a storage buffer': [`override n = 4; ${bound('storage', 'buffer<n>')}`, 'store-type: '],
  'size 0': [
    bound('storage', 'buffer<0>'),
    "buffer-size: a buffer's size must be a constant i32 or u32, a multiple of 4 from 4 to 2147483644, found 0",
  ],
  'size 6': [bound('storage', 'buffer<6>'), 'buffer-size: '],
  'size −4': [bound('storage', 'buffer<-4>'), 'buffer-size: '],
  'a float as a size': [bound('storage', 'buffer<4.0>'), 'buffer-size: '],
  'a view at module scope': [`${bound('storage', 'buffer<64>')} const q = bufferView<u32>(&b, 0);`, ''],
};

describe('buffers and views', () => {
  it.each(Object.entries(VALID))('%s', (_, source) => expect(messages(source)).toEqual([]));
  it.each(Object.entries(INVALID))('%s', (_, [source, message]) => {
    const found = messages(source);
    expect(found).toHaveLength(1);
    expect(found[0]!.startsWith(message), found[0]).toBe(true);
  });
  it('sizes and offsets from overrides are validated once they are known', () => {
    const { module } = parseModule(`override n = 8u; override o = 4u; var<workgroup> w: buffer<n>;
      @compute @workgroup_size(1) fn main() { _ = *bufferView<u32>(&w, o); }`);
    const codes = (constants: Record<string, number>): string[] =>
      resolveEntryPoint(module, { entryPoint: 'main', constants, math: simpleMath }).diagnostics.map(
        ({ code }) => code
      );
    expect(codes({})).toEqual([]);
    expect(codes({ n: 12, o: 8 })).toEqual([]);
    expect(codes({ o: 8 })).toEqual(['view-range']);
    expect(codes({ n: 12, o: 6 })).toEqual(['view-range']);
    expect(codes({ n: 6 })).toEqual(['buffer-size']);
  });
});
