import fc from 'fast-check';
import { expect, test } from 'vitest';
import { deviceOf, engines, run, type Words } from './kit';
import { rounds } from '../support/rounds';
import { BUILTINS, HEAD, SIZE, callOf, namesOf, oracle } from './subgroups.kit';

// ── Random shaders ──

type Node =
  | { readonly kind: 'op'; readonly name: string; readonly by: number }
  | { readonly kind: 'if'; readonly bit: number; readonly then: readonly Node[]; readonly otherwise: readonly Node[] }
  | { readonly kind: 'loop'; readonly rounds: number; readonly body: readonly Node[] };

const { list } = fc.letrec<{ list: readonly Node[]; node: Node }>((tie) => ({
  list: fc.array(tie('node'), { minLength: 1, maxLength: 3 }),
  node: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    fc.record({ kind: fc.constant('op' as const), name: fc.constantFrom(...namesOf('u32')), by: fc.nat(5) }),
    fc.record({ kind: fc.constant('if' as const), bit: fc.nat(7), then: tie('list'), otherwise: tie('list') }),
    fc.record({ kind: fc.constant('loop' as const), rounds: fc.integer({ min: 2, max: 5 }), body: tie('list') })
  ),
}));

function source(nodes: readonly Node[], depth = 0): string {
  return nodes
    .map((node) => {
      switch (node.kind) {
        case 'op':
          return `x = x * 3u + ${callOf(node.name, 'x', `(${node.by}u + x % 3u) % 6u`)};`;
        case 'if':
          return `if (((x >> ${node.bit}u) & 1u) != 0u) { ${source(node.then, depth)} }
          else { ${source(node.otherwise, depth)} }`;
        case 'loop':
          return `for (var k${depth} = 0u; k${depth} < x % ${node.rounds}u; k${depth}++) {
          ${source(node.body, depth + 1)} x += 1u; }`;
      }
    })
    .join('\n');
}

/** Executes a list for the active lanes of a subgroup. */
function execute(nodes: readonly Node[], x: number[], there: readonly number[]): void {
  for (const node of nodes) {
    if (there.length === 0) return;
    if (node.kind === 'op') {
      const lanes = [0, 1, 2, 3].map((lane) => (there.includes(lane) ? x[lane]! : null));
      const results = oracle(
        node.name,
        'u32',
        lanes,
        x.map((value) => (node.by + (value % 3)) % 6)
      );
      for (const lane of there) x[lane] = (Math.imul(x[lane]!, 3) + results[lane]!) >>> 0;
    } else if (node.kind === 'if') {
      const then = there.filter((lane) => ((x[lane]! >>> node.bit) & 1) !== 0);
      const otherwise = there.filter((lane) => !then.includes(lane));
      execute(node.then, x, then);
      execute(node.otherwise, x, otherwise);
    } else {
      let inside = there;
      for (let k = 0; ; k++) {
        inside = inside.filter((lane) => k < x[lane]! % node.rounds);
        if (inside.length === 0) break;
        execute(node.body, x, inside);
        for (const lane of inside) x[lane] = (x[lane]! + 1) >>> 0;
      }
    }
  }
}

test('random shaders give the results of plain TypeScript', async () => {
  await fc.assert(
    fc.asyncProperty(list, fc.integer({ min: 1, max: 40 }), async (nodes, count) => {
      const given: Words = Uint32Array.from({ length: count }, (_, i) => Math.imul(i + 1, 0x85ebca6b) >>> 20);
      const wanted = given.slice();
      for (let quad = 0; quad < count; quad += SIZE) {
        const there = [0, 1, 2, 3].filter((lane) => quad + lane < count);
        const x = [0, 1, 2, 3].map((lane) => given[quad + lane] ?? 0);
        execute(nodes, x, there);
        for (const lane of there) wanted[quad + lane] = x[lane]!;
      }
      const wgsl = `${HEAD} @compute @workgroup_size(${count}) fn main(${BUILTINS}) {
      var x = given[l];
      ${source(nodes)}
      out[l] = x;
    }`;
      for (const engine of Object.keys(engines)) {
        const buffers = [given, new Uint32Array(count)];
        const [, out] = await run(await deviceOf(engine), { wgsl, buffers, groups: [1] });
        expect([...out!], `${engine}\n${wgsl}`).toEqual([...wanted]);
      }
    }),
    { numRuns: rounds(20), seed: 21 }
  );
});

test('subgroup_id and num_subgroups', async () => {
  for (const [x, y, z] of [
    [1, 1, 1],
    [3, 1, 1],
    [5, 3, 1],
    [4, 2, 2],
    [64, 2, 1],
  ] as const) {
    const count = x * y * z;
    const wgsl = `enable subgroups; requires subgroup_id;
      @group(0) @binding(0) var<storage, read_write> out: array<vec4u>;
      @compute @workgroup_size(${x}, ${y}, ${z}) fn main(
        @builtin(local_invocation_index) i: u32, @builtin(subgroup_id) id: u32, @builtin(num_subgroups) all: u32
      ) { out[i] = vec4u(id, all, subgroupMin(i), subgroupMax(id)); }`;
    const wanted = Array.from({ length: count }, (_, i) => {
      const id = Math.floor(i / SIZE);
      return [id, Math.ceil(count / SIZE), id * SIZE, id];
    }).flat();
    for (const engine of Object.keys(engines)) {
      const [out] = await run(await deviceOf(engine), { wgsl, buffers: [new Uint32Array(count * 4)], groups: [1] });
      expect([...out!], engine).toEqual(wanted);
    }
  }
});

test('@subgroup_size requests the only supported size', async () => {
  const device = await deviceOf('compiled');
  const refusal = async (
    size: string,
    width: number,
    constants?: Record<string, number>
  ): Promise<string | undefined> => {
    device.pushErrorScope('validation');
    device.createComputePipeline({
      layout: 'auto',
      compute: {
        module: device.createShaderModule({
          code: `enable subgroups; enable subgroup_size_control; override four = 4u;
        @compute @workgroup_size(${width}) @subgroup_size(${size}) fn main() {}`,
        }),
        ...(constants && { constants }),
      },
    });
    return (await device.popErrorScope())?.message;
  };
  expect(await refusal('4', 64)).toBeUndefined();
  expect(await refusal('four', 8)).toBeUndefined();
  expect(await refusal('8', 64)).toContain("@subgroup_size(8) is not this device's subgroup size, 4");
  expect(await refusal('4', 6)).toContain('6 invocations in x are not a multiple of @subgroup_size(4)');
  expect(await refusal('four', 6, { four: 2 })).toContain('@subgroup_size(2) is not');
  expect(await refusal('four', 8, { four: 3 })).toContain(
    '@subgroup_size must be a power of two, an i32 or u32, found 3'
  );
  const wgsl = `enable subgroups; enable subgroup_size_control;
    @group(0) @binding(0) var<storage, read_write> out: array<vec2u>;
    @compute @workgroup_size(8) @subgroup_size(4) fn main(
      @builtin(local_invocation_index) i: u32, @builtin(subgroup_size) size: u32
    ) { out[i] = vec2u(size, subgroupAdd(i)); }`;
  for (const engine of Object.keys(engines)) {
    const [out] = await run(await deviceOf(engine), { wgsl, buffers: [new Uint32Array(16)], groups: [1] });
    expect([...out!], engine).toEqual([0, 0, 0, 0, 1, 1, 1, 1].flatMap((second) => [4, second ? 22 : 6]));
  }
});
