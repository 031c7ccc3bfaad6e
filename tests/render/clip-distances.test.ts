// Clip distances: the remaining pixels and their interpolated values, compared with barycentric coordinates in double
// precision. All engines give the same bits. Also covers lines, points, index ranges and the rules of the API.
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { create } from '../../src/index';
import { forCreate, type CreateOptions } from '../support/options';
import { openDevice } from '../images/scenes';
import { engines, KERNELS } from '../storage-programs/kit';
import { apiDevice } from '../api/fake';
import { GPUBufferUsage, GPUMapMode, GPUTextureUsage } from '../support/flags';
import { rounds } from '../support/rounds';

const options: Readonly<Record<string, CreateOptions>> = {
  ...engines,
  'many chunks': { engine: 'jit', threads: 2, arenaBytes: 65536 },
  oracle: { immediate: true, threads: 0 },
};
const names = [
  'compiled',
  'compiled, on this thread',
  'interpreted',
  'scalar',
  'overtaking',
  'many chunks',
  'oracle',
] as const;
const devices = new Map<string, Promise<GPUDevice>>();
const deviceOf = (name: (typeof names)[number]): Promise<GPUDevice> => {
  const device =
    devices.get(name)
    ?? openDevice(create(forCreate({ alwaysUseWorkers: true, ...options[name], kernelUrl: KERNELS })), {}, [
      'clip-distances',
    ]);
  devices.set(name, device);
  return device;
};
afterAll(async () => {
  for (const device of devices.values()) (await device).destroy();
});

const SIZE = 32;
interface Vertex {
  /** In clip space. */
  readonly position: readonly [number, number, number, number];
  readonly distances: readonly number[];
  readonly value: number;
}
interface Drawn {
  readonly vertices: readonly Vertex[];
  readonly indices?: readonly number[];
}
const wgsl = (count: number): string => `enable clip_distances;
  struct In { @location(0) position: vec4f, @location(1) a: vec4f, @location(2) b: vec4f, @location(3) value: f32 }
  struct Out {
    @location(0) value: f32, @builtin(clip_distances) distances: array<f32, ${count}>,
    @location(1) @interpolate(linear) even: f32, @builtin(position) position: vec4f,
  }
  @vertex fn vertex(in: In) -> Out {
    var out: Out;
    let all = array(in.a.x, in.a.y, in.a.z, in.a.w, in.b.x, in.b.y, in.b.z, in.b.w);
    for (var i = 0; i < ${count}; i++) { out.distances[i] = all[i]; }
    out.value = in.value;
    out.even = in.value;
    out.position = in.position;
    return out;
  }
  @fragment fn fragment(@location(0) value: f32, @location(1) @interpolate(linear) even: f32) -> @location(0) vec4f {
    return vec4f(value, even, 0, 1);
  }`;

/** Returns the texels of a SIZE × SIZE target, four floats each; 0 where nothing was drawn. */
async function draw(
  name: (typeof names)[number],
  topology: GPUPrimitiveTopology,
  { vertices, indices }: Drawn,
  instances = 1
): Promise<Float32Array> {
  const device = await deviceOf(name);
  const count = vertices[0]!.distances.length;
  device.pushErrorScope('validation');
  const module = device.createShaderModule({ code: wgsl(count) });
  const pipeline = device.createRenderPipeline({
    layout: 'auto',
    vertex: {
      module,
      buffers: [
        {
          arrayStride: 52,
          attributes: [
            { shaderLocation: 0, format: 'float32x4', offset: 0 },
            { shaderLocation: 1, format: 'float32x4', offset: 16 },
            { shaderLocation: 2, format: 'float32x4', offset: 32 },
            { shaderLocation: 3, format: 'float32', offset: 48 },
          ],
        },
      ],
    },
    fragment: { module, targets: [{ format: 'rgba32float' }] },
    primitive: { topology },
  });
  const words = Float32Array.from(
    vertices.flatMap(({ position, distances, value }) => [
      ...position,
      ...Array.from({ length: 8 }, (_, k) => distances[k] ?? 0),
      value,
    ])
  );
  const buffer = device.createBuffer({
    size: words.byteLength,
    usage: GPUBufferUsage.VERTEX | GPUBufferUsage.COPY_DST,
  });
  device.queue.writeBuffer(buffer, 0, words);
  const list = Uint32Array.from(indices ?? []);
  const index = device.createBuffer({
    size: Math.max(4, list.byteLength),
    usage: GPUBufferUsage.INDEX | GPUBufferUsage.COPY_DST,
  });
  device.queue.writeBuffer(index, 0, list);
  const target = device.createTexture({
    size: [SIZE, SIZE],
    format: 'rgba32float',
    usage: GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.COPY_SRC,
  });
  const copy = device.createBuffer({ size: SIZE * 512, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginRenderPass({
    colorAttachments: [{ view: target.createView(), loadOp: 'clear', storeOp: 'store' }],
  });
  pass.setPipeline(pipeline);
  pass.setVertexBuffer(0, buffer);
  pass.setIndexBuffer(index, 'uint32');
  if (indices) pass.drawIndexed(indices.length, instances);
  else pass.draw(vertices.length, instances);
  pass.end();
  encoder.copyTextureToBuffer({ texture: target }, { buffer: copy, bytesPerRow: 512 }, [SIZE, SIZE]);
  device.queue.submit([encoder.finish()]);
  const error = await device.popErrorScope();
  if (error) throw new Error(error.message);
  await copy.mapAsync(GPUMapMode.READ);
  const texels = new Float32Array(copy.getMappedRange().slice(0));
  for (const each of [buffer, index, target, copy]) each.destroy();
  return texels;
}

type Three = readonly [number, number, number];
/** Weights of a triangle's vertices at a point of the screen (−1 … 1), with sum 1; the third row is `last`. */
function weights(x: Three, y: Three, last: Three, px: number, py: number): Three | null {
  const minor = (a: Three, b: Three, i: number): number =>
    a[(i + 1) % 3]! * b[(i + 2) % 3]! - a[(i + 2) % 3]! * b[(i + 1) % 3]!;
  const sums = [0, 1, 2].map((i) => minor(y, last, i) * px + minor(last, x, i) * py + minor(x, y, i));
  const all = sums[0]! + sums[1]! + sums[2]!;
  return all === 0 ? null : (sums.map((sum) => sum / all) as unknown as Three);
}

/**
 * The value at a pixel's center, with perspective and linear interpolation. Returns null for uncovered pixels and
 * undefined for pixels too close to an edge to decide.
 */
function expected(vertices: readonly Vertex[], x: number, y: number): readonly [number, number] | null | undefined {
  const [px, py] = [((x + 0.5) / SIZE) * 2 - 1, 1 - ((y + 0.5) / SIZE) * 2];
  const of = (k: number): Three => vertices.map(({ position }) => position[k]!) as unknown as Three;
  const [vx, vy, vz, vw] = [of(0), of(1), of(2), of(3)];
  const own = weights(vx, vy, vw, px, py);
  const divided = (v: Three): Three => [v[0] / vw[0], v[1] / vw[1], v[2] / vw[2]];
  const flat = weights(divided(vx), divided(vy), [1, 1, 1], px, py);
  if (!own || !flat) return null;
  const at = (values: readonly number[], w: Three): number => values[0]! * w[0] + values[1]! * w[1] + values[2]! * w[2];
  const count = vertices[0]!.distances.length;
  const sides = [
    ...flat,
    at(vz, own),
    at(vw, own) - at(vz, own),
    ...Array.from({ length: count }, (_, k) =>
      at(
        vertices.map(({ distances }) => distances[k]!),
        own
      )
    ),
  ];
  // The pixel's width relative to a side is unknown, so the margin is a few hundredths of its maximum.
  if (sides.some((side) => side < -0.08)) return null;
  if (sides.some((side) => side < 0.08)) return undefined;
  const values = vertices.map(({ value }) => value);
  return [at(values, own), at(values, flat)];
}

const number = (least: number, most: number): fc.Arbitrary<number> =>
  fc.integer({ min: least * 64, max: most * 64 }).map((n) => n / 64);
const vertexOf = (count: number): fc.Arbitrary<Vertex> =>
  fc.record({
    position: fc
      .tuple(number(-2, 2), number(-2, 2), number(0, 1), number(1, 3))
      .map(([x, y, z, w]): Vertex['position'] => [x * w, y * w, z * w, w]),
    distances: fc.array(number(-2, 4), { minLength: count, maxLength: count }),
    value: number(1, 9),
  });

test('clipped triangles have the expected pixels and interpolated values', async () => {
  let seen = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 8 }).chain((count) => fc.tuple(vertexOf(count), vertexOf(count), vertexOf(count))),
      async (vertices) => {
        const found = await Promise.all(names.map((name) => draw(name, 'triangle-list', { vertices })));
        for (const each of found) expect(Buffer.from(each.buffer).equals(Buffer.from(found[0]!.buffer))).toBe(true);
        for (let y = 0; y < SIZE; y++)
          for (let x = 0; x < SIZE; x++) {
            const wanted = expected(vertices, x, y);
            const texel = found[0]!.subarray((y * SIZE + x) * 4, (y * SIZE + x) * 4 + 4);
            if (wanted === undefined) continue;
            if (wanted === null) expect([...texel], `${x},${y}`).toEqual([0, 0, 0, 0]);
            else {
              seen++;
              expect(texel[3], `${x},${y}`).toBe(1);
              expect(Math.abs(texel[0]! - wanted[0]), `${x},${y}`).toBeLessThan(0.02);
              expect(Math.abs(texel[1]! - wanted[1]), `${x},${y} evenly`).toBeLessThan(0.02);
            }
          }
      }
    ),
    { numRuns: rounds(60), seed: 22 }
  );
  expect(seen).toBeGreaterThan(800);
});

test('two triangles with a common edge are clipped alike, without gaps or overlaps', async () => {
  // A square whose distance is x + y / 2 at its corners: half of each triangle is clipped.
  const corner = (x: number, y: number): Vertex => ({ position: [x, y, 0.5, 1], distances: [x + y / 2, 1], value: 2 });
  const square = [corner(-1, -1), corner(1, -1), corner(-1, 1), corner(-1, 1), corner(1, -1), corner(1, 1)];
  for (const name of names) {
    const texels = await draw(name, 'triangle-list', { vertices: square });
    for (let y = 0; y < SIZE; y++)
      for (let x = 0; x < SIZE; x++) {
        const side = (x + 0.5) / 16 - 1 + (1 - (y + 0.5) / 16) / 2;
        if (Math.abs(side) > 0.01) expect(texels[(y * SIZE + x) * 4], `${name} ${x},${y}`).toBe(side > 0 ? 2 : 0);
      }
  }
});

test('lines are clipped, points are kept or removed', async () => {
  const at = (x: number, y: number, distance: number): Vertex => ({
    position: [(x + 0.5) / 16 - 1, 1 - (y + 0.5) / 16, 0.5, 1],
    distances: [distance],
    value: x + 1,
  });
  for (const name of names) {
    // Along row 3, from −8 to 23: the line begins at the ninth pixel.
    const line = await draw(name, 'line-list', { vertices: [at(0, 3, -8), at(31, 3, 23)] });
    const row = Array.from({ length: SIZE }, (_, x) => line[(3 * SIZE + x) * 4]!);
    row.forEach((value, x) => {
      if (x < 8) expect(value, `${name} ${x}`).toBe(0);
      else if (x > 8 && x < 31) expect(value, `${name} ${x}`).toBeCloseTo(x + 1, 2);
    });
    const points = await draw(name, 'point-list', {
      vertices: [at(1, 5, -0.5), at(2, 5, 0), at(3, 5, 1), at(4, 5, NaN), at(5, 5, -0)],
    });
    expect([1, 2, 3, 4, 5].map((x) => points[(5 * SIZE + x) * 4])).toEqual([0, 3, 4, 0, 6]);
  }
});

test('clip distances work with indexed and instanced draw calls', async () => {
  const vertices = Array.from({ length: 81 }, (_, i): Vertex => {
    const [x, y] = [(i % 9) / 4 - 1, Math.floor(i / 9) / 4 - 1];
    return { position: [x, y, 0.5, 1], distances: [0.7 - x * x - y * y, y + 0.5], value: x * 3 + y };
  });
  const indices = Array.from({ length: 64 }, (_, i) => Math.floor(i / 8) * 9 + (i % 8)).flatMap((i) => [
    i,
    i + 1,
    i + 9,
    i + 9,
    i + 1,
    i + 10,
  ]);
  const flat = await draw('compiled', 'triangle-list', { vertices: indices.map((i) => vertices[i]!) });
  expect(flat.filter((value) => value !== 0).length).toBeGreaterThan(500);
  for (const name of names) {
    const found = await draw(name, 'triangle-list', { vertices, indices }, 40);
    expect(Buffer.from(found.buffer).equals(Buffer.from(flat.buffer)), name).toBe(true);
  }
});

describe('validation rules', () => {
  const FEATURE = { requiredFeatures: ['clip-distances'] as GPUFeatureName[] };
  const shaderError = async (code: string, o: GPUDeviceDescriptor = FEATURE): Promise<string> => {
    const { device } = await apiDevice(o);
    device.pushErrorScope('validation');
    const module = device.createShaderModule({ code });
    await device.popErrorScope();
    return (await module.getCompilationInfo()).messages.map(({ message }) => message).join('\n');
  };
  const program = (type: string, head = 'enable clip_distances;'): string => `${head}
    struct Out { @builtin(position) p: vec4f, @builtin(clip_distances) d: ${type} }
    @vertex fn vs() -> Out { return Out(); }`;

  test('of shaders', async () => {
    expect(await shaderError(program('array<f32, 8>'))).toBe('');
    expect(await shaderError(program('array<f32, 1>'))).toBe('');
    for (const type of ['array<f32, 9>', 'array<u32, 2>', 'f32', 'vec4f', 'array<vec2f, 2>'])
      expect(await shaderError(program(type)), type).toMatch(/clip_distances.*array<f32, N> with N from 1 to 8/);
    expect(await shaderError(program('array<f32, 2>', ''))).toMatch(/enable clip_distances|clip_distances/);
    expect(await shaderError(program('array<f32, 2>'), {})).toMatch(/clip-distances/);
    expect(
      await shaderError(`enable clip_distances;
      @fragment fn fs(@builtin(clip_distances) d: array<f32, 2>) -> @location(0) vec4f { return vec4f(d[0]); }`)
    ).toMatch(/clip_distances/);
  });

  const pipelineError = async (
    locations: number,
    distances: number,
    topology: GPUPrimitiveTopology,
    last = locations - 1
  ): Promise<string | null> => {
    const { device } = await apiDevice(FEATURE);
    device.pushErrorScope('validation');
    const members = Array.from(
      { length: locations },
      (_, i) => `@location(${i === locations - 1 ? last : i}) l${i}: f32,`
    );
    const module = device.createShaderModule({
      code: `enable clip_distances;
      struct Out {
        @builtin(position) p: vec4f, ${distances > 0 ? `@builtin(clip_distances) d: array<f32, ${distances}>,` : ''}
        ${members.join(' ')}
      }
      @vertex fn vs() -> Out { return Out(); }
      @fragment fn fs() -> @location(0) vec4f { return vec4f(); }`,
    });
    device.createRenderPipeline({
      layout: 'auto',
      vertex: { module },
      fragment: { module, targets: [{ format: 'rgba8unorm' }] },
      primitive: { topology },
    });
    return (await device.popErrorScope())?.message ?? null;
  };
  test('four distances count as one location', async () => {
    for (const [distances, room] of [
      [1, 15],
      [4, 15],
      [5, 14],
      [8, 14],
    ] as const) {
      expect(await pipelineError(room, distances, 'triangle-list')).toBeNull();
      expect(await pipelineError(room + 1, distances, 'triangle-list')).toMatch(
        /clip_distances.*counts as [12].*there are 16/
      );
      expect(await pipelineError(room - 1, distances, 'point-list')).toBeNull();
      expect(await pipelineError(room, distances, 'point-list')).toMatch(/there are 15/);
      expect(await pipelineError(2, distances, 'triangle-list', room)).toMatch(/locations must be less/);
      expect(await pipelineError(2, distances, 'triangle-list', room - 1)).toBeNull();
    }
    expect(await pipelineError(16, 0, 'triangle-list')).toBeNull();
  });
});
