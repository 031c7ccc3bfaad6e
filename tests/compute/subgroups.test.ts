// Subgroup operations on all engines, compared with plain TypeScript: every operation and type, inactive lanes, and
// random shaders. A subgroup is four consecutive invocations.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { deviceOf, engines, run, type Words } from './kit';
import { rounds } from '../support/rounds';

type Scalar = 'i32' | 'u32' | 'f32';
/** A value per lane; null for an inactive lane. */
type Lanes = readonly (number | null)[];

const SIZE = 4;
const floats = new Float32Array(1);
const words = new Uint32Array(floats.buffer);
const bitsOf = (type: Scalar, value: number): number => {
  if (type !== 'f32') return value >>> 0;
  floats[0] = value;
  return words[0]!;
};
const rounded: Readonly<Record<Scalar, (value: number) => number>> = {
  i32: (value) => value | 0,
  u32: (value) => value >>> 0,
  f32: Math.fround,
};

const multiplied =
  (type: Scalar) =>
  (a: number, b: number): number =>
    type === 'f32' ? Math.fround(a * b) : rounded[type](Math.imul(a, b));
/** An operation that combines two values, and its identity. */
const combining = (
  name: string,
  type: Scalar
): { readonly of: (a: number, b: number) => number; readonly none: number } => {
  const of = rounded[type];
  switch (name) {
    case 'Add':
      return { of: (a, b) => of(a + b), none: 0 };
    case 'Mul':
      return { of: multiplied(type), none: 1 };
    case 'Min':
      return { of: Math.min, none: { i32: 0x7fffffff, u32: 0xffffffff, f32: Infinity }[type] };
    case 'Max':
      return { of: Math.max, none: { i32: -0x80000000, u32: 0, f32: -Infinity }[type] };
    case 'And':
      return { of: (a, b) => of(a & b), none: of(-1) };
    case 'Or':
      return { of: (a, b) => of(a | b), none: 0 };
    default:
      return { of: (a, b) => of(a ^ b), none: 0 };
  }
};

/** Returns the results in the active lanes, for the function with these arguments. */
function oracle(name: string, type: Scalar, lanes: Lanes, by: readonly number[]): number[] {
  const value = (lane: number): number => lanes[lane >>> 0] ?? 0;
  const first = lanes.findIndex((each) => each !== null);
  const scan = /^subgroup(Inclusive|Exclusive)(\w+)$/.exec(name);
  if (scan) {
    const { of, none } = combining(scan[2]!, type);
    const sums: number[] = [];
    lanes.reduce<number>((sum, each, lane) => {
      const next = lane === 0 ? (each ?? none) : of(sum, each ?? none);
      sums.push(scan[1] === 'Inclusive' ? next : lane === 0 ? none : sum);
      return next;
    }, none);
    return sums;
  }
  const whole = /^subgroup(Add|Mul|Min|Max|And|Or|Xor)$/.exec(name);
  if (whole) {
    const { of, none } = combining(whole[1]!, type);
    const [a, b, c, d] = lanes.map((each) => each ?? none);
    return Array<number>(SIZE).fill(of(of(a!, b!), of(c!, d!)));
  }
  return lanes.map((_, lane) => {
    switch (name) {
      case 'subgroupBroadcastFirst':
        return value(first);
      case 'subgroupShuffle':
        return value(by[lane]!);
      case 'subgroupShuffleXor':
        return value(lane ^ by[lane]!);
      case 'subgroupShuffleUp':
        return value(lane - by[lane]!);
      case 'subgroupShuffleDown':
        return value(lane + by[lane]!);
      case 'quadSwapX':
        return value(lane ^ 1);
      case 'quadSwapY':
        return value(lane ^ 2);
      case 'quadSwapDiagonal':
        return value(lane ^ 3);
      default:
        return value(Number(/\d/.exec(name)![0]));
    }
  });
}

const REDUCTIONS = ['subgroupAdd', 'subgroupMul', 'subgroupMin', 'subgroupMax'];
const SCANS = ['subgroupInclusiveAdd', 'subgroupExclusiveAdd', 'subgroupInclusiveMul', 'subgroupExclusiveMul'];
const BITS = ['subgroupAnd', 'subgroupOr', 'subgroupXor'];
const MOVES = ['subgroupBroadcastFirst', 'quadSwapX', 'quadSwapY', 'quadSwapDiagonal'];
const SHUFFLES = ['subgroupShuffle', 'subgroupShuffleXor', 'subgroupShuffleUp', 'subgroupShuffleDown'];
/** With the source lane. */
const BROADCASTS = [0, 1, 2, 3].flatMap((lane) => [`subgroupBroadcast ${lane}`, `quadBroadcast ${lane}`]);

const namesOf = (type: Scalar): string[] => [
  ...REDUCTIONS,
  ...SCANS,
  ...MOVES,
  ...SHUFFLES,
  ...BROADCASTS,
  ...(type === 'f32' ? [] : BITS),
];
const callOf = (name: string, value: string, by: string): string =>
  SHUFFLES.includes(name)
    ? `${name}(${value}, ${by})`
    : name.includes(' ')
      ? `${name.split(' ')[0]}(${value}, ${name.split(' ')[1]}u)`
      : `${name}(${value})`;

const HEAD = `enable subgroups; diagnostic(off, subgroup_uniformity);
  @group(0) @binding(0) var<storage, read> given: array<u32>;
  @group(0) @binding(1) var<storage, read_write> out: array<u32>;`;
const BUILTINS = `@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) l: u32,
  @builtin(subgroup_invocation_id) lane: u32, @builtin(subgroup_size) size: u32`;

/** Pseudo-random numbers. Floats are small integers and half-integers, whose sums and products are exact. */
const numbers = (type: Scalar, count: number): number[] =>
  Array.from({ length: count }, (_, i) => {
    const mixed = Math.imul(i + 1, 0x9e3779b1) >>> 3;
    return type === 'f32' ? ((mixed % 33) - 16) / 2 : rounded[type](mixed * (i % 3 ? 1 : 97) - (i % 5) * 77777777);
  });

describe.each(Object.keys(engines))('%s', (engine) => {
  // All lanes; those in a mask of their subgroup.
  test.each<[Scalar, number]>([
    ['i32', 1],
    ['u32', 1],
    ['f32', 1],
    ['i32', 3],
    ['f32', 4],
    ['u32', 2],
  ])('%s × %i', async (type, width) => {
    const names = namesOf(type);
    const count = 68;
    const given = numbers(type, count * width);
    const shaped = width === 1 ? type : `vec${width}<${type}>`;
    const read = Array.from({ length: width }, (_, k) => `bitcast<${type}>(given[id.x * ${width}u + ${k}u])`).join();
    const parts = ['x', 'y', 'z', 'w'].slice(0, width);
    const wgsl = `${HEAD}
      @compute @workgroup_size(${count}) fn main(${BUILTINS}) {
        let value = ${width === 1 ? read : `${shaped}(${read})`};
        let by = (id.x * 7u + id.x / 4u) % 5u;
        let there = id.x / 4u % 16u;
        ${names
          .map(
            (name, k) => `
          if (there == 0u || ((there >> lane) & 1u) != 0u) {
            let result = ${callOf(name, 'value', 'by')};
            let at = (${k}u * ${count}u + id.x) * ${width}u;
            ${parts
              .map((part, i) => `out[at + ${i}u] = bitcast<u32>(result${width === 1 ? '' : `.${part}`});`)
              .join('\n')}
          }`
          )
          .join('')}
      }`;
    const data = Uint32Array.from(given, (value) => bitsOf(type, value));
    const [, found] = await run(await deviceOf(engine), {
      wgsl,
      buffers: [data, new Uint32Array(names.length * count * width)],
      groups: [1],
    });
    names.forEach((name, k) => {
      for (let quad = 0; quad < count; quad += SIZE) {
        const mask = (quad / SIZE) % 16;
        const lanes = [0, 1, 2, 3];
        const there = (lane: number): boolean => mask === 0 || ((mask >> lane) & 1) !== 0;
        for (let part = 0; part < width; part++) {
          const values = lanes.map((lane) => (there(lane) ? given[(quad + lane) * width + part]! : null));
          const by = lanes.map((lane) => ((quad + lane) * 7 + quad / SIZE) % 5);
          const results = oracle(name, type, values, by);
          for (const lane of lanes) {
            const at = (k * count + quad + lane) * width + part;
            // The order and sign of zeros in minima and maxima is unspecified.
            const wanted = there(lane) ? bitsOf(type, results[lane]! + 0) : 0;
            const bits = found![at]!;
            const plain = (word: number): number => (word === 0x80000000 && type === 'f32' ? 0 : word);
            const what = `${name} of ${values.join()} by ${by.join()} in lane ${lane}`;
            expect(plain(bits), what).toBe(plain(wanted));
          }
        }
      }
    });
  });

  test('lane numbers of type i32: literals and negative ones', async () => {
    const [, out] = await run(await deviceOf(engine), {
      wgsl: `${HEAD}
        @compute @workgroup_size(4) fn main(${BUILTINS}) {
          let own = vec2u(given[0] + l, l + 11);
          let shuffled = subgroupShuffle(own, 2);
          out[l * 5] = shuffled.x;
          out[l * 5 + 1] = shuffled.y;
          out[l * 5 + 2] = subgroupShuffle(own.x, 2 - i32(l));
          out[l * 5 + 3] = subgroupBroadcast(own.x, 3);
          out[l * 5 + 4] = quadBroadcast(own.x, 1);
        }`,
      buffers: [Uint32Array.of(1), new Uint32Array(20)],
      groups: [1],
    });
    expect([...out!]).toEqual([3, 2, 1, 0].flatMap((own) => [3, 13, own, 4, 2]));
  });

  test('votes, the elected lane, and the built-in values', async () => {
    const count = 64;
    const given = Uint32Array.from(numbers('u32', count));
    const [, out] = await run(await deviceOf(engine), {
      wgsl: `${HEAD}
        @compute @workgroup_size(8, 4) fn main(${BUILTINS}, @builtin(workgroup_id) w: vec3u) {
          let at = w.x * 32u + l;
          let there = (at / 4u) % 16u;
          var all = (subgroupBallot(true).x << 24u) | (size << 16u) | (lane << 20u);
          if (((there >> lane) & 1u) != 0u) {
            let yes = given[at] % 3u == 0u;
            let votes = subgroupBallot(yes);
            all |= votes.x | ((votes.y + votes.z + votes.w) << 4u) | (u32(subgroupAll(yes)) << 5u);
            all |= (u32(subgroupAny(yes)) << 6u) | (u32(subgroupElect()) << 7u) | (subgroupBallot(true).x << 8u);
          }
          out[at] = all;
        }`,
      buffers: [given, new Uint32Array(count)],
      groups: [2],
    });
    expect(out).toEqual(
      Uint32Array.from({ length: count }, (_, at) => {
        const lane = at % 4;
        const quad = at - lane;
        const there = (quad / 4) % 16;
        const always = ((15 << 24) | (4 << 16) | (lane << 20)) >>> 0;
        if (((there >> lane) & 1) === 0) return always;
        const yes = [0, 1, 2, 3].filter((k) => ((there >> k) & 1) !== 0 && given[quad + k]! % 3 === 0);
        const votes = yes.reduce((bits, k) => bits | (1 << k), 0);
        const first = Math.log2(there & -there);
        const all = Number(votes === there) << 5;
        const any = Number(votes !== 0) << 6;
        const elected = Number(lane === first) << 7;
        return (always | votes | all | any | elected | (there << 8)) >>> 0;
      })
    );
  });

  test.each(['1', '2', '3', '5', '1, 1, 2', '66'])(
    'workgroups of %s, whose last subgroups are not full',
    async (size) => {
      const invocations = size.split(', ').reduce((product, extent) => product * Number(extent), 1);
      const groups = 9;
      const [, out] = await run(await deviceOf(engine), {
        wgsl: `${HEAD}
        @compute @workgroup_size(${size}) fn main(${BUILTINS}, @builtin(workgroup_id) w: vec3u) {
          out[w.x * ${invocations}u + l] = subgroupAdd(w.x * 100u + l) + (subgroupBallot(true).x << 16u) + given[0];
        }`,
        buffers: [Uint32Array.of(0), new Uint32Array(groups * invocations)],
        groups: [groups],
      });
      expect(out).toEqual(
        Uint32Array.from({ length: groups * invocations }, (_, i) => {
          const group = Math.floor(i / invocations);
          const first = (i % invocations) - ((i % invocations) % SIZE);
          const lanes = Math.min(SIZE, invocations - first);
          let sum = 0;
          for (let k = 0; k < lanes; k++) sum += group * 100 + first + k;
          return sum + (((1 << lanes) - 1) << 16);
        })
      );
    }
  );

  test('f16 operations', async () => {
    const count = 12;
    const given = Uint32Array.from({ length: count }, (_, i) => i * 3 + 1);
    const [, out] = await run(await deviceOf(engine), {
      wgsl: `enable f16; ${HEAD}
        @compute @workgroup_size(${count}) fn main(${BUILTINS}) {
          let half = vec2h(f16(given[l]), f16(given[l]) / 4);
          let sum = subgroupAdd(half); let next = subgroupShuffleXor(half, 1);
          out[l] = pack2x16float(vec2f(sum)) ^ pack2x16float(vec2f(next));
        }`,
      buffers: [given, new Uint32Array(count)],
      groups: [1],
    });
    // Half floats of integers below 2048, and of quarters of them, are exact.
    const half = (value: number): number => {
      const exponent = Math.floor(Math.log2(value));
      return ((exponent + 15) << 10) | ((value / 2 ** exponent - 1) * 1024);
    };
    expect([...out!]).toEqual(
      [...given].map((_, i) => {
        const quad = [...given.slice(i - (i % SIZE), i - (i % SIZE) + SIZE)];
        const sum = quad.reduce((a, b) => a + b);
        const next = quad[(i % SIZE) ^ 1]!;
        return ((half(sum) | (half(sum / 4) << 16)) ^ (half(next) | (half(next / 4) << 16))) >>> 0;
      })
    );
  });

  test('lanes that leave loops, with barriers in between', async () => {
    const count = 96;
    const given = Uint32Array.from({ length: count }, (_, i) => Math.imul(i + 3, 0x9e3779b1) >>> 29);
    const [, out] = await run(await deviceOf(engine), {
      wgsl: `${HEAD}
        var<workgroup> own: array<u32, ${count}>;
        @compute @workgroup_size(${count}) fn main(${BUILTINS}) {
          var sum = 0u;
          for (var k = 0u; k < given[l]; k++) {
            sum += subgroupAdd(k + l) * (k + 1u);
            if (subgroupAny(k == 5u)) { sum += 1000u; continue; }
            if (k == 3u && lane == 2u) { break; }
            sum += countOneBits(subgroupBallot(k % 2u == lane % 2u).x);
          }
          own[l] = subgroupMax(sum) + sum;
          workgroupBarrier();
          out[l] = subgroupInclusiveAdd(own[(l * 5u) % ${count}u]) + sum;
        }`,
      buffers: [given, new Uint32Array(count)],
      groups: [1],
    });
    const sums = Array<number>(count).fill(0);
    for (let quad = 0; quad < count; quad += SIZE) {
      let there = [0, 1, 2, 3];
      for (let k = 0; ; k++) {
        there = there.filter((lane) => k < given[quad + lane]!);
        if (there.length === 0) break;
        const sum = there.reduce((total, lane) => total + k + quad + lane, 0) * (k + 1);
        for (const lane of there) sums[quad + lane]! += sum;
        if (k === 5) {
          for (const lane of there) sums[quad + lane]! += 1000;
          continue;
        }
        if (k === 3) there = there.filter((lane) => lane !== 2);
        const votes = there.filter((lane) => k % 2 === lane % 2).length;
        for (const lane of there) sums[quad + lane]! += votes;
      }
    }
    const own = sums.map((sum, i) => Math.max(...sums.slice(i - (i % SIZE), i - (i % SIZE) + SIZE)) + sum);
    expect([...out!]).toEqual(
      sums.map((sum, i) => {
        let scan = 0;
        for (let k = i - (i % SIZE); k <= i; k++) scan += own[(k * 5) % count]!;
        return scan + sum;
      })
    );
  });
});

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
