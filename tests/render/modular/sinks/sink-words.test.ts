// What buffer sinks hold, compared with plain TypeScript: default values of what no stage writes, primitives of several
// topologies in one buffer, and the number of vertices that did not fit.
// RASTERLOOM_FUZZ=count runs more pipelines, RASTERLOOM_SEED=number others.
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { BufferSinkAttribute, ModularPipelineDescriptor } from '../../../../src/index';
import { GPUMapMode } from '../../../support/flags';
import { rounds } from '../../../support/rounds';
import { open } from '../../../threads/open';
import { type Device, engines, type Pass, USAGE, empty } from '../modular-sinks.kit';

const PIPELINES = rounds(60);
const SEED = Number(process.env['RASTERLOOM_SEED'] ?? 62);
const CODE = `enable modular_pipelines;
  override k: u32 = 0;
  struct V { @location(0) p: vec2f, @location(1) @interpolate(flat) n: u32 }
  @vertex fn load(@builtin(vertex_index) i: u32) -> V { return V(vec2f(f32(i), f32(i * 2)), i * 3); }
  @geometry fn points(c: array<V, 1>, @builtin(primitive_index) i: u32) { emit(c[0], i); }
  @geometry fn lines(c: array<V, 2>, @builtin(primitive_index) i: u32) { emit(c[0], i); }
  @geometry fn triangles(c: array<V, 3>, @builtin(primitive_index) i: u32) { emit(c[0], i); }
  fn emit(c: V, i: u32) {
    for (var j = 0u; j < (i * 5 + k) % 7; j++) { emitVertex(V(c.p + vec2f(f32(j), 0), c.n + 1000)); }
  }`;
const MOST = 6;
const LISTS = { points: ['point-list', 1], lines: ['line-list', 2], triangles: ['triangle-list', 3] } as const;
type List = keyof typeof LISTS;

/** Attributes; location 2 is written by no stage. */
const attribute = fc.oneof(
  fc.record({ location: fc.constantFrom(0, 2), size: fc.integer({ min: 1, max: 4 }), scalar: fc.constant('float32') }),
  fc.record({ location: fc.constantFrom(1, 3), size: fc.integer({ min: 1, max: 4 }), scalar: fc.constant('uint32') })
);
const cases = fc.record({
  input: fc.constantFrom<List>('points', 'lines', 'triangles'),
  output: fc.constantFrom<List>('points', 'lines', 'triangles'),
  /** Whether assembled primitives go to the buffer as well. */
  isMixed: fc.boolean(),
  attributes: fc.uniqueArray(attribute, { selector: ({ location }) => location, minLength: 1, maxLength: 4 }),
  k: fc.nat({ max: 6 }),
  counts: fc.array(fc.nat({ max: 400 }), { minLength: 1, maxLength: 3 }),
  /** Room in the buffer, in vertices. */
  room: fc.oneof(fc.nat({ max: 2000 }), fc.constant(20_000)),
});
type Case = typeof cases extends fc.Arbitrary<infer T> ? T : never;

interface Vertex {
  readonly p: readonly number[];
  readonly n: number;
}

/** The primitives that reach the buffer, in order. */
function primitivesOf({ input, output, isMixed, k, counts }: Case): Vertex[][] {
  const corners = LISTS[input][1];
  const made = LISTS[output][1];
  return counts.flatMap((count) =>
    Array.from({ length: Math.floor(count / corners) }, (_, i) => {
      const own = Array.from({ length: corners }, (__, c): Vertex => {
        const index = i * corners + c;
        return { p: [index, 2 * index], n: 3 * index };
      });
      const [first] = own as [Vertex];
      const emitted = Array.from({ length: (i * 5 + k) % 7 }, (__, j): Vertex => ({
        p: [first.p[0]! + j, first.p[1]!],
        n: first.n + 1000,
      }));
      const lists = Array.from({ length: Math.floor(emitted.length / made) }, (__, at) =>
        emitted.slice(at * made, (at + 1) * made)
      );
      return [...lists, ...(isMixed ? [own] : [])];
    }).flat()
  );
}

/** The words of the buffer, the number of vertices in it, and the number of those without room. */
function expected(of: Case): { readonly words: Uint32Array; readonly vertices: number; readonly missed: number } {
  const primitives = primitivesOf(of);
  const isOne = new Uint32Array(Float32Array.of(1).buffer)[0]!;
  const bits = (value: number): number => new Uint32Array(Float32Array.of(value).buffer)[0]!;
  const words: number[] = [];
  let vertices = 0;
  let missed = 0;
  for (const primitive of primitives) {
    const fits = missed === 0 && vertices + primitive.length <= of.room;
    if (fits) vertices += primitive.length;
    else missed += primitive.length;
    for (const { p, n } of fits ? primitive : []) {
      for (const { location, size, scalar } of of.attributes)
        for (let c = 0; c < size; c++) {
          const written = location === 0 ? p.map(bits) : location === 1 ? [n] : [];
          const one = scalar === 'uint32' ? 1 : isOne;
          words.push(written[c] ?? (c === 3 || (size === 1 && scalar === 'float32') ? one : 0));
        }
      words.push(primitive.length);
    }
  }
  return { words: Uint32Array.from(words), vertices, missed };
}

describe.each(Object.entries(engines))('words in buffers: %s', (name, options) => {
  let device: Device;
  let module: GPUShaderModule;
  beforeAll(async () => {
    device = (await open(options)) as unknown as Device;
    module = device.createShaderModule({ code: CODE });
  });
  afterAll(() => device.destroy());

  function pipelineOf({ input, output, isMixed, attributes, k }: Case): ModularPipelineDescriptor & { stride: number } {
    let offset = 0;
    const kept = attributes.map(({ location, size, scalar }): BufferSinkAttribute => {
      const at = offset;
      offset += 4 * size;
      const format = `${scalar}${size === 1 ? '' : `x${size}`}` as BufferSinkAttribute['format'];
      return { shaderLocation: location, offset: at, format };
    });
    const stride = offset + 4;
    return {
      stride,
      layout: 'auto',
      input: { topology: LISTS[input][0] },
      stages: [
        { kind: 'vertex', module, entryPoint: 'load' },
        {
          kind: 'geometry',
          module,
          entryPoint: input,
          constants: { k },
          maxVertices: MOST,
          topology: LISTS[output][0],
        },
      ],
      edges: [[0, 1]],
      sinks: [
        {
          from: isMixed ? [0, 1] : [1],
          buffer: {
            arrayStride: stride,
            attributes: [...kept, { builtin: 'primitive_vertices', offset, format: 'uint32' }],
          },
        },
      ],
    };
  }

  async function drawn(of: Case, more: Partial<ModularPipelineDescriptor> = {}): Promise<ReturnType<typeof expected>> {
    const { stride, ...descriptor } = pipelineOf(of);
    const size = of.room * stride;
    const usage = USAGE.STORAGE | USAGE.COPY_SRC | USAGE.COPY_DST | USAGE.INDIRECT;
    const buffer = device.createBuffer({ size: Math.max(4, size), usage });
    const counts = device.createBuffer({ size: 32, usage });
    const calls = device.createBuffer({ size: 16 * of.counts.length, usage });
    const read = device.createBuffer({ size: Math.max(4, size) + 32, usage: USAGE.MAP_READ | USAGE.COPY_DST });
    device.queue.writeBuffer(calls, 0, Uint32Array.from(of.counts.flatMap((count) => [count, 1, 0, 0])));
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginRenderPass(empty) as Pass;
    pass.setPipeline(device.createModularPipeline({ ...descriptor, ...more }));
    pass.setSinkBuffer(buffer, 0, size, counts, 0, 0, 20);
    of.counts.forEach((_, i) => pass.drawIndirect(calls, 16 * i));
    pass.end();
    encoder.copyBufferToBuffer(counts, 0, read, 0, 32);
    if (size > 0) encoder.copyBufferToBuffer(buffer, 0, read, 32, size);
    device.queue.submit([encoder.finish()]);
    await read.mapAsync(GPUMapMode.READ);
    const words = new Uint32Array(read.getMappedRange().slice(0));
    for (const each of [buffer, counts, calls, read]) each.destroy();
    const [vertices = 0, , , , , missed = 0] = words;
    return { words: words.slice(8, 8 + (vertices * stride) / 4), vertices, missed };
  }

  test('are those of the primitives in order, as far as there is room', async () => {
    await fc.assert(
      fc.asyncProperty(cases, async (of) => {
        device.pushErrorScope('validation');
        const found = await drawn(of);
        expect((await device.popErrorScope())?.message).toBeUndefined();
        expect(found).toEqual(expected(of));
      }),
      {
        numRuns: Math.ceil(PIPELINES / Object.keys(engines).length),
        seed: SEED + Object.keys(engines).indexOf(name),
        interruptAfterTimeLimit: 100_000,
        markInterruptAsFailure: true,
      }
    );
  }, 120_000);

  test('out of order are as many as there is room for, and the others are counted', async () => {
    await fc.assert(
      fc.asyncProperty(cases, async (of) => {
        const { vertices, missed } = await drawn(of, { processingOrder: { primitive: 'independent' } });
        const lengths = primitivesOf(of).map((primitive) => primitive.length);
        expect(vertices + missed).toBe(lengths.reduce((all, each) => all + each, 0));
        expect(vertices).toBeLessThanOrEqual(of.room);
        if (missed > 0) expect(vertices + Math.max(...lengths)).toBeGreaterThan(of.room);
      }),
      { numRuns: 12, seed: SEED, interruptAfterTimeLimit: 50_000, markInterruptAsFailure: true }
    );
  }, 60_000);
});
