// `primitive_index` in fragment shaders, compared with primitives assembled in plain TypeScript: topologies, restarts,
// instances, indirect draws, clipping, and many batches and tasks, on every engine.
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { create } from '../../src/index';
import { forCreate, type CreateOptions } from '../support/options';
import { openDevice } from '../images/scenes';
import { engines, KERNELS } from '../storage-programs/kit';
import { apiDevice } from '../api/fake';
import { GPUBufferUsage, GPUMapMode, GPUTextureUsage } from '../support/flags';
import { devices, names } from './primitive-index.kit';

const options: Readonly<Record<string, CreateOptions>> = {
  ...engines,
  'many chunks': { engine: 'jit', threads: 2, arenaBytes: 65536 },
  oracle: { immediate: true, threads: 0 },
};
type Name = (typeof names)[number];
const deviceOf = (name: Name): Promise<GPUDevice> => {
  const device =
    devices.get(name)
    ?? openDevice(create(forCreate({ alwaysUseWorkers: true, ...options[name], kernelUrl: KERNELS })), {}, [
      'primitive-index',
      'clip-distances',
      'indirect-first-instance',
    ]);
  devices.set(name, device);
  return device;
};
afterAll(async () => {
  for (const device of devices.values()) (await device).destroy();
});

const WIDTH = 512;
/** Height of an instance's band in pixels. */
const BAND = 64;
const MAX_INSTANCES = 4;
const HEIGHT = BAND * MAX_INSTANCES;
/** Vertices per row of a band, between two lines that are four pixels apart; every other row runs backwards. */
const ROW = 128;
const RESTART = 0xffffffff;

interface Drawn {
  readonly topology: GPUPrimitiveTopology;
  /** Vertex numbers or RESTART; null: 0, 1, 2, … without an index buffer. */
  readonly indices: readonly number[] | null;
  readonly count: number;
  readonly instances: number;
  readonly firstInstance: number;
  readonly indirect: boolean;
  /** Whether there is a clip distance that is negative in half of the target. */
  readonly clipped: boolean;
}

/** Position of a vertex in its band, in pixels. */
const place = (v: number): readonly [number, number] => {
  const row = Math.floor(v / ROW);
  const x = row % 2 ? ROW - 1 - (v % ROW) : v % ROW;
  return [x * 4 + 2, ((row * 8) % BAND) + 2 + (v % 2) * 4];
};

const wgsl = (clipped: boolean): string => `enable primitive_index; ${clipped ? 'enable clip_distances;' : ''}
  struct Out {
    @builtin(position) position: vec4f, @location(0) other: vec3f,
    ${clipped ? '@builtin(clip_distances) d: array<f32, 1>,' : ''}
  }
  @vertex fn vertex(@builtin(vertex_index) v: u32, @builtin(instance_index) k: u32) -> Out {
    var out: Out;
    let x = f32(select(v % ${ROW}, ${ROW - 1} - v % ${ROW}, v / ${ROW} % 2 == 1) * 4 + 2) + 0.5;
    let y = f32((v / ${ROW} * 8) % ${BAND} + 2 + v % 2 * 4 + k % ${MAX_INSTANCES} * ${BAND}) + 0.5;
    out.position = vec4f(x / ${WIDTH / 2} - 1, 1 - y / ${HEIGHT / 2}, 0.5, 1);
    out.other = vec3f(7);
    ${clipped ? `out.d[0] = x - ${WIDTH / 2};` : ''}
    return out;
  }
  @fragment fn fragment(@location(0) other: vec3f, @builtin(primitive_index) number: u32) -> @location(0) vec2u {
    return vec2u(number, u32(other.x));
  }`;

/** Returns the index and 7 per pixel; 0, 0 where nothing was drawn. */
async function draw(name: Name, d: Drawn): Promise<Uint32Array> {
  const device = await deviceOf(name);
  const { topology, indices, count, instances, firstInstance } = d;
  device.pushErrorScope('validation');
  const module = device.createShaderModule({ code: wgsl(d.clipped) });
  const pipeline = device.createRenderPipeline({
    layout: 'auto',
    vertex: { module },
    fragment: { module, targets: [{ format: 'rg32uint' }] },
    primitive: { topology, ...(topology.endsWith('strip') && indices && { stripIndexFormat: 'uint32' }) },
  });
  const target = device.createTexture({
    size: [WIDTH, HEIGHT],
    format: 'rg32uint',
    usage: GPUTextureUsage.COPY_SRC | GPUTextureUsage.RENDER_ATTACHMENT,
  });
  const copy = device.createBuffer({
    size: WIDTH * HEIGHT * 8,
    usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST,
  });
  const list = Uint32Array.from(indices ?? [0]);
  const index = device.createBuffer({ size: list.byteLength, usage: GPUBufferUsage.INDEX | GPUBufferUsage.COPY_DST });
  device.queue.writeBuffer(index, 0, list);
  const indirect = device.createBuffer({ size: 20, usage: GPUBufferUsage.INDIRECT | GPUBufferUsage.COPY_DST });
  device.queue.writeBuffer(
    indirect,
    0,
    Uint32Array.from(indices ? [indices.length, instances, 0, 0, firstInstance] : [count, instances, 0, firstInstance])
  );
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginRenderPass({
    colorAttachments: [{ view: target.createView(), loadOp: 'clear', storeOp: 'store' }],
  });
  pass.setPipeline(pipeline);
  pass.setIndexBuffer(index, 'uint32');
  if (indices && d.indirect) pass.drawIndexedIndirect(indirect, 0);
  else if (indices) pass.drawIndexed(indices.length, instances, 0, 0, firstInstance);
  else if (d.indirect) pass.drawIndirect(indirect, 0);
  else pass.draw(count, instances, 0, firstInstance);
  pass.end();
  encoder.copyTextureToBuffer({ texture: target }, { buffer: copy, bytesPerRow: WIDTH * 8 }, [WIDTH, HEIGHT]);
  device.queue.submit([encoder.finish()]);
  const error = await device.popErrorScope();
  if (error) throw new Error(error.message);
  await copy.mapAsync(GPUMapMode.READ);
  const texels = new Uint32Array(copy.getMappedRange().slice(0));
  for (const each of [target, copy, index, indirect]) each.destroy();
  return texels;
}

/** The primitives of an instance as vertex numbers. */
function assemble({ topology, indices, count }: Drawn): number[][] {
  const list = indices ?? Array.from({ length: count }, (_, i) => i);
  const corners = { 'point-list': 1, 'line-list': 2, 'line-strip': 2, 'triangle-list': 3, 'triangle-strip': 3 }[
    topology
  ];
  const made: number[][] = [];
  if (!topology.endsWith('strip')) {
    for (let i = 0; i + corners <= list.length; i += corners) made.push(list.slice(i, i + corners));
    return made;
  }
  let strip: number[] = [];
  for (const vertex of list) {
    if (vertex === RESTART) {
      strip = [];
      continue;
    }
    strip.push(vertex);
    if (strip.length >= corners) made.push(strip.slice(-corners));
  }
  return made;
}

/**
 * The pixel in the middle of a primitive that is within one row of its band. Null if it spans two rows, because others
 * may cover it.
 */
function middle(vertices: readonly number[], instance: number): number | null {
  if (new Set(vertices.map((v) => Math.floor(v / ROW))).size > 1) return null;
  const points = vertices.map(place);
  const of = (axis: 0 | 1): number => points.reduce((sum, point) => sum + point[axis], 0) / points.length;
  return (Math.round(of(1)) + (instance % MAX_INSTANCES) * BAND) * WIDTH + Math.round(of(0));
}

function check(d: Drawn, texels: Uint32Array): number {
  let seen = 0;
  for (let k = 0; k < d.instances; k++)
    for (const [number, vertices] of assemble(d).entries()) {
      const pixel = middle(vertices, k + d.firstInstance);
      if (pixel === null) continue;
      const isCut = d.clipped && pixel % WIDTH < WIDTH / 2 - 4;
      const isWhole = !d.clipped || pixel % WIDTH > WIDTH / 2 + 4;
      if (!isCut && !isWhole) continue;
      const found = [texels[pixel * 2], texels[pixel * 2 + 1]];
      const wanted = isCut ? [0, 0] : [number, 7];
      if (String(found) !== String(wanted))
        expect(found, `${pixel % WIDTH},${Math.floor(pixel / WIDTH)}`).toEqual(wanted);
      seen++;
    }
  return seen;
}

const topologies = ['point-list', 'line-list', 'line-strip', 'triangle-list', 'triangle-strip'] as const;
/** Vertices in order, with restarts in between. */
const broken = (count: number): fc.Arbitrary<number[]> =>
  fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 40 }).map((lengths) => {
    const list: number[] = [];
    let v = 0;
    for (const length of lengths) {
      for (let i = 0; i < length && v < count; i++) list.push(v++);
      list.push(RESTART);
      if (length > 8) list.push(RESTART);
    }
    return list;
  });

test.each(topologies)('%s', async (topology) => {
  let seen = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        count: fc.integer({ min: 1, max: 400 }),
        instances: fc.integer({ min: 1, max: MAX_INSTANCES }),
        firstInstance: fc.integer({ min: 0, max: 2 }),
        indirect: fc.boolean(),
        clipped: fc.boolean(),
        isIndexed: fc.boolean(),
        list: broken(400),
      }),
      async ({ isIndexed, list, ...rest }) => {
        const order = topology.endsWith('strip') ? list : Array.from({ length: rest.count }, (_, i) => i);
        const d: Drawn = { ...rest, topology, indices: isIndexed ? order : null };
        const found = await Promise.all(names.map((name) => draw(name, d)));
        for (const each of found) expect(Buffer.from(each.buffer).equals(Buffer.from(found[0]!.buffer))).toBe(true);
        seen += check(d, found[0]!);
      }
    ),
    { numRuns: 12, seed: 5 }
  );
  expect(seen).toBeGreaterThan(100);
});

test.each(topologies)('%s with many batches, instances and tasks', async (topology) => {
  const count = 1000 + 8 * ROW * 8;
  for (const indices of [
    null,
    Array.from({ length: count }, (_, i) => (i % 700 === 699 && topology.endsWith('strip') ? RESTART : i)),
  ]) {
    const d: Drawn = {
      topology,
      indices,
      count,
      instances: MAX_INSTANCES,
      firstInstance: 0,
      indirect: false,
      clipped: false,
    };
    for (const name of names) {
      const texels = await draw(name, d);
      // Rows of a band cover earlier ones: the last ones are visible, except for the line from the last to the first.
      let seen = 0;
      for (const [number, vertices] of assemble(d).entries()) {
        const pixel = middle(vertices, MAX_INSTANCES - 1);
        if (pixel === null || pixel % WIDTH < 12 || Math.min(...vertices) < count - 8 * ROW + 8) continue;
        expect(texels[pixel * 2], `${name} ${vertices.join()}`).toBe(number);
        seen++;
      }
      expect(seen).toBeGreaterThan(200);
    }
  }
});

test('validation rules', async () => {
  const made = async (o: GPUDeviceDescriptor, code: string, locations = 0): Promise<string | null> => {
    const { device } = await apiDevice(o);
    device.pushErrorScope('validation');
    const list = Array.from({ length: locations }, (_, i) => `@location(${i}) l${i}: f32,`).join(' ');
    const module = device.createShaderModule({
      code: `${code}
      struct Out { @builtin(position) p: vec4f, ${list} }
      struct In { ${list} @builtin(primitive_index) n: u32 }
      @vertex fn vs() -> Out { return Out(); }
      @fragment fn fs(in: In) -> @location(0) vec4f { return vec4f(f32(in.n)); }`,
    });
    device.createRenderPipeline({
      layout: 'auto',
      vertex: { module },
      fragment: { module, targets: [{ format: 'rgba8unorm' }] },
    });
    return (await device.popErrorScope())?.message ?? null;
  };
  const feature = { requiredFeatures: ['primitive-index'] as GPUFeatureName[] };
  expect(await made(feature, 'enable primitive_index;')).toBeNull();
  expect(await made(feature, '')).toMatch(/enable primitive_index/);
  expect(await made({}, 'enable primitive_index;')).toMatch(/primitive-index/);
  expect(
    await made(
      feature,
      `enable primitive_index;
    @vertex fn other(@builtin(primitive_index) n: u32) -> @builtin(position) vec4f { return vec4f(f32(n)); }`
    )
  ).toMatch(/primitive_index.*vertex/);
  // It counts as one location.
  expect(await made(feature, 'enable primitive_index;', 15)).toBeNull();
  expect(await made(feature, 'enable primitive_index;', 16)).toMatch(/17 locations and builtins; there are 16/);
});
