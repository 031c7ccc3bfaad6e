// Whether the order in which quads run a shader is observable: conflicts between accesses of two quads.
import { describe, expect, test } from 'vitest';
import { optimize, quadOrder, exposesRunOrder, type IrProgram, type QuadOrder } from '../../src/ir';
import { lower } from '../lower/source';
import { hostMath } from './evaluate';

const program = (body: string): IrProgram =>
  optimize(
    lower(`
  struct Node { color: vec3f, next: u32 }
  struct Box { least: array<atomic<u32>, 3>, most: array<atomic<u32>, 3> }
  @group(0) @binding(0) var<storage, read_write> words: array<u32, 100>;
  @group(0) @binding(1) var<storage, read_write> nodes: array<Node>;
  @group(0) @binding(2) var<storage, read_write> counts: array<atomic<u32>>;
  @group(0) @binding(3) var<storage, read_write> heads: array<atomic<u32>>;
  @group(0) @binding(4) var<storage, read_write> boxes: array<Box>;
  @group(0) @binding(5) var<storage, read_write> rows: array<array<f32, 3>, 20>;
  @group(0) @binding(6) var<storage> seen: array<u32>;
  @group(0) @binding(8) var<uniform> size: vec2u;
  @group(0) @binding(7) var image: texture_storage_2d<r32uint, read_write>;
  @fragment fn main(@builtin(position) position: vec4f, @location(0) @interpolate(flat) i: u32)
    -> @location(0) vec4f {
    let at = vec2u(position.xy);
    ${body}
    return position;
  }`),
    hostMath
  );
const order = (body: string): QuadOrder => quadOrder(program(body));

describe('the order of quads is not observable', () => {
  test.each([
    ['operations that commute', 'atomicAdd(&counts[i], 1u); atomicAdd(&counts[i * 2u], i);'],
    ['the same in a loop', 'for (var k = 0u; k < i; k++) { atomicMax(&counts[k], i); }'],
    ['a store', 'words[i] = at.x;'],
    ['a store of a vector', 'nodes[i].color = position.xyz;'],
    ['a store of a structure', 'nodes[i] = Node(position.xyz, i);'],
    ['members that are told apart', 'atomicMin(&boxes[i].least[0], at.x); atomicMax(&boxes[i].most[0], at.x);'],
    ['elements that are told apart', 'words[2] = i; words[3] = at.x; rows[i] = array(1f, 2f, position.x);'],
    [
      'a list of fragments',
      `let node = atomicAdd(&counts[0], 1u);
      nodes[node] = Node(position.xyz, atomicExchange(&heads[at.y * 640u + at.x], node));`,
    ],
    ['a single exchange', 'words[i] = atomicExchange(&heads[0], i);'],
    ['loads of what nobody writes', 'words[i] = seen[i] + seen[i + 1u];'],
    ['texels of their own', 'textureStore(image, at, textureLoad(image, at) + 1u); textureStore(image, at, vec4u(i));'],
  ])('%s', (_, body) => {
    expect(order(body)).toBe('unseen');
  });
});

describe('the order of quads is observable', () => {
  test.each([
    ['two stores to a word', 'words[i] = 1u; words[i * 3u] = 2u;'],
    ['a store in a loop', 'for (var k = 0u; k < i; k++) { words[k] = i; }'],
    ['a load and a store', 'words[i] = words[i] + 1u;'],
    ['stores of two ways', 'if (i > 3u) { words[i] = 1u; } else { words[at.x] = 2u; }'],
    ['operations that do not commute', 'atomicMin(&counts[i], at.x); atomicMax(&counts[i + 1u], at.x);'],
    ['two results', 'words[i] = atomicAdd(&counts[0], 1u) + atomicAdd(&counts[1u + i], 1u);'],
    ['a result, and the word again', 'words[i] = atomicAdd(&counts[0], 1u); atomicAdd(&counts[i], 1u);'],
    ['a member of any element', 'atomicMin(&boxes[0].least[i], at.x); atomicMax(&boxes[0].most[i], at.x);'],
    ['an exchange in a loop', 'for (var k = 0u; k < i; k++) { atomicExchange(&heads[0], k); }'],
    ['texels of others', 'textureStore(image, at / 2u, textureLoad(image, at));'],
  ])('%s', (_, body) => {
    expect(order(body)).toBe('seen');
  });

  test('with more accesses than are analyzed', () => {
    const stores = (count: number): string => Array.from({ length: count }, (_, k) => `words[${k}] = i;`).join('\n');
    expect(order(stores(64))).toBe('unseen');
    expect(order(stores(65))).toBe('seen');
  });
});

describe('the order of quads is observable if a buffer has no element for some pixel', () => {
  test.each([
    [
      'of a row of constant length',
      'nodes[at.y * 640u + at.x].next += i;',
      { resource: 0, elementBytes: 16, width: 640, elements: null },
    ],
    ['of a power of two', 'nodes[at.x + at.y * 512u].next = nodes[at.y * 512u + at.x].next + 1u;', { width: 512 }],
    [
      'of signed numbers',
      'let p = vec2i(position.xy); rows[p.y * 100 + p.x][1] *= 2;',
      { width: 100, elementBytes: 12, elements: 20 },
    ],
    [
      'of a row whose length is a uniform',
      'for (var k = 0u; k < i; k++) { nodes[at.y * size.x + at.x].color *= 2f; }',
      { width: { value: expect.any(Number) as number }, elementBytes: 16 },
    ],
  ])('%s', (_, body, rows) => {
    expect(order(body)).toEqual([expect.objectContaining(rows)]);
  });

  test.each([
    ['two rows', 'nodes[at.y * 640u + at.x].next += nodes[at.y * 320u + at.x].next;'],
    ['a pixel and some other one', 'nodes[at.y * 640u + at.x].next += nodes[i].next;'],
    ['columns', 'nodes[at.x * 640u + at.y].next += i;'],
    ['every other pixel', 'nodes[at.y * 640u + at.x / 2u].next += i;'],
    ['elements beside', 'nodes[at.y * 640u + at.x + 1u].next += i;'],
  ])('not with %s', (_, body) => {
    expect(order(body)).toBe('seen');
  });
});

describe('the order of several runs for one pixel', () => {
  test.each([
    ['operations that commute', 'atomicAdd(&counts[i], 1u); atomicAdd(&counts[at.x], i);'],
    ['a store', 'words[at.x] = i;'],
    ['one operation whose result is used', 'words[i] = atomicAdd(&counts[at.x], 1u);'],
    ['a load', 'if (words[i] == 1u) { atomicAdd(&counts[i], 1u); }'],
  ])('is not observable: %s', (_, body) => {
    expect(exposesRunOrder(program(body))).toBe(false);
  });

  test.each([
    ['texels of its own', 'textureStore(image, at, textureLoad(image, at) + 1u);'],
    ['elements of its own', 'nodes[at.y * 640u + at.x].next += i;'],
    ['a load and a store', 'words[i] = words[i] + 1u;'],
    ['two operations whose results are used', 'words[i] = atomicAdd(&counts[0], 1u) + atomicAdd(&counts[1u + i], 1u);'],
    ['a store in a loop', 'for (var k = 0u; k < i; k++) { words[k] = i; }'],
  ])('is observable: %s', (_, body) => {
    expect(exposesRunOrder(program(body))).toBe(true);
  });
});
