// Compute pipelines created asynchronously, and the default limits: shaders exactly at a limit run, created either way,
// and exceeding it by one is an error that names the limit.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, open, read, storage, USAGE } from './kit';

const zeros = (count: number): Uint32Array<ArrayBuffer> => new Uint32Array(count);
const opened: GPUDevice[] = [];
async function opening(name: string): Promise<GPUDevice> {
  const device = await open(engines[name]!);
  opened.push(device);
  return device;
}
afterAll(() => {
  for (const device of opened) device.destroy();
});

function dispatch(device: GPUDevice, pipeline: GPUComputePipeline, buffer: GPUBuffer, x: number, y = 1, z = 1): void {
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  pass.setPipeline(pipeline);
  pass.setBindGroup(
    0,
    device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries: [{ binding: 0, resource: { buffer } }] })
  );
  pass.dispatchWorkgroups(x, y, z);
  pass.end();
  device.queue.submit([encoder.finish()]);
}

const TO = '@group(0) @binding(0) var<storage, read_write> to: array<u32>;';

const ENGINES = ['compiled', 'compiled, four workers', 'interpreted', 'scalar'];

describe.each(ENGINES)('asynchronous, %s', (name) => {
  let device: GPUDevice;
  beforeAll(async () => {
    device = await opening(name);
  });
  const making = (code: string, constants?: Record<string, number>, label = ''): Promise<GPUComputePipeline> =>
    device.createComputePipelineAsync({
      label,
      layout: 'auto',
      compute: { module: device.createShaderModule({ code }), ...(constants && { constants }) },
    });

  test('many at once, each with its own constants, compute the right results', async () => {
    const code = `${TO} override factor: u32 = 1; override size: u32 = 4;
      @compute @workgroup_size(size) fn main(@builtin(global_invocation_id) id: vec3u) {
        to[id.x] = id.x * factor + size;
      }`;
    const made = await Promise.all(
      Array.from({ length: 12 }, (_, k) => making(code, { factor: k + 2, size: k + 1 }, `number ${k}`))
    );
    for (const [k, pipeline] of made.entries()) {
      expect(pipeline.label).toBe(`number ${k}`);
      const buffer = storage(device, zeros(3 * (k + 1)));
      dispatch(device, pipeline, buffer, 3);
      expect(await read(device, buffer)).toEqual(
        Uint32Array.from({ length: 3 * (k + 1) }, (_, i) => i * (k + 2) + k + 1)
      );
    }
  });

  test('queued work continues, and the calling thread stays responsive', async () => {
    let turns = 0;
    let isMade = false;
    const ticking = (): void => {
      if (!isMade)
        setTimeout(() => {
          turns++;
          ticking();
        }, 0);
    };
    ticking();
    // Devices share what they compile, so each one gets a shader of its own.
    const first = ENGINES.indexOf(name);
    const body = Array.from({ length: 400 }, (_, k) => `x = (x ^ ${k + first}u) * 3u + (x >> ${k % 31}u);`).join('\n');
    const promise = making(`${TO} @compute @workgroup_size(1) fn main() { var x = to[0]; ${body} to[0] = x; }`);
    const buffer = storage(device, Uint32Array.of(7));
    expect(await read(device, buffer)).toEqual(Uint32Array.of(7));
    dispatch(device, await promise, buffer, 1);
    isMade = true;
    let x = 7;
    for (let k = 0; k < 400; k++) x = (Math.imul(x ^ (k + first), 3) + (x >>> (k % 31))) >>> 0;
    expect(await read(device, buffer)).toEqual(Uint32Array.of(x));
    expect(turns).toBeGreaterThan(1);
  });

  test('errors reject with their kind and label, and reach no error scope', async () => {
    device.pushErrorScope('validation');
    const code = `${TO} override n: u32; @compute @workgroup_size(n) fn main() { to[0] = n; }
      @fragment fn fragment() {}`;
    const module = device.createShaderModule({ code });
    const rejected = async (compute: Partial<GPUProgrammableStage>): Promise<{ reason: string; message: string }> =>
      await device.createComputePipelineAsync({ label: 'wrong', layout: 'auto', compute: { module, ...compute } }).then(
        () => {
          throw new Error('there is no such pipeline');
        },
        (error: GPUPipelineError) => error
      );
    for (const [compute, message] of [
      [{}, /override 'n' has no default, and the pipeline gives no value/],
      [{ constants: { n: 0 } }, /@workgroup_size/],
      [
        { constants: { n: 257 } },
        /257 exceeds maxComputeWorkgroupSizeX 256 \(up to 1024 by requestDevice's requiredLimits\)/,
      ],
      [{ constants: { n: 4, m: 1 } }, /"m"/],
      [{ entryPoint: 'fragment' }, /is @fragment, not @compute/],
      [{ entryPoint: 'nobody' }, /no entry point "nobody"/],
    ] as const) {
      const error = await rejected(compute);
      expect(error.reason).toBe('validation');
      expect(error.message).toMatch(/^\[ComputePipeline "wrong"\] createComputePipelineAsync: /);
      expect(error.message).toMatch(message);
    }
    expect(await device.popErrorScope()).toBe(null);
  });
});

test('a pipeline in creation resolves when its device is destroyed', async () => {
  const device = await opening('compiled');
  const module = device.createShaderModule({ code: `${TO} @compute @workgroup_size(1) fn main() { to[0] = 1; }` });
  const promise = device.createComputePipelineAsync({ layout: 'auto', compute: { module } });
  device.destroy();
  await expect(promise).resolves.toBeDefined();
});

/** By limit: a shader at the limit and one beyond it. */
const sized = (x: number, y: number, z: number): string => `
  ${TO}
  @compute @workgroup_size(${x}, ${y}, ${z}) fn main(@builtin(local_invocation_index) i: u32) { to[i] = i + 1u; }`;
const remembering = (words: number): string => `
  ${TO} var<workgroup> all: array<u32, ${words}>;
  @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) {
    for (var k = i; k < ${words}; k += 64) { all[k] = k; }
    workgroupBarrier();
    for (var k = i; k < 256; k += 64) { to[k] = ${words} - all[${words - 1} - k]; }
  }`;
const CASES: Readonly<Record<string, readonly [holds: string, breaks: string, message: RegExp]>> = {
  maxComputeWorkgroupSizeX: [sized(256, 1, 1), sized(257, 1, 1), /257 exceeds maxComputeWorkgroupSizeX 256/],
  maxComputeWorkgroupSizeY: [sized(1, 256, 1), sized(1, 257, 1), /257 exceeds maxComputeWorkgroupSizeY 256/],
  maxComputeWorkgroupSizeZ: [sized(4, 1, 64), sized(1, 1, 65), /65 exceeds maxComputeWorkgroupSizeZ 64/],
  maxComputeInvocationsPerWorkgroup: [
    sized(16, 16, 1),
    sized(43, 3, 2),
    /258 invocations exceed maxComputeInvocationsPerWorkgroup 256/,
  ],
  maxComputeWorkgroupStorageSize: [
    remembering(4096),
    remembering(4097),
    /take 16400 bytes, more than maxComputeWorkgroupStorageSize 16384/,
  ],
};

describe.each(['compiled', 'compiled, four workers', 'interpreted', 'scalar'])('limits, %s', (name) => {
  let device: GPUDevice;
  beforeAll(async () => {
    device = await opening(name);
  });

  test.each(Object.keys(CASES))('%s', async (limit) => {
    const [holds, breaks, message] = CASES[limit]!;
    const descriptor = (code: string): GPUComputePipelineDescriptor => ({
      layout: 'auto',
      compute: { module: device.createShaderModule({ code }) },
    });
    for (const pipeline of [
      device.createComputePipeline(descriptor(holds)),
      await device.createComputePipelineAsync(descriptor(holds)),
    ]) {
      const buffer = storage(device, zeros(256));
      dispatch(device, pipeline, buffer, 1);
      expect(await read(device, buffer)).toEqual(Uint32Array.from({ length: 256 }, (_, i) => i + 1));
    }
    device.pushErrorScope('validation');
    device.createComputePipeline(descriptor(breaks));
    expect((await device.popErrorScope())?.message).toMatch(message);
    await expect(device.createComputePipelineAsync(descriptor(breaks))).rejects.toThrow(message);
  });

  test('maxComputeWorkgroupsPerDimension', async () => {
    const pipeline = device.createComputePipeline({
      layout: 'auto',
      compute: {
        module: device.createShaderModule({
          code: `
        @group(0) @binding(0) var<storage, read_write> to: array<atomic<u32>, 2>;
        @compute @workgroup_size(1) fn main(@builtin(workgroup_id) id: vec3u) {
          atomicAdd(&to[0], 1u);
          atomicMax(&to[1], id.x + id.y + id.z);
        }`,
        }),
      },
    });
    for (const axis of [0, 1, 2]) {
      const along = (count: number): [number, number, number] =>
        [0, 1, 2].map((k) => (k === axis ? count : 1)) as [number, number, number];
      const buffer = storage(device, zeros(2));
      dispatch(device, pipeline, buffer, ...along(65535));
      expect(await read(device, buffer)).toEqual(Uint32Array.of(65535, 65534));
      device.pushErrorScope('validation');
      dispatch(device, pipeline, buffer, ...along(65536));
      expect((await device.popErrorScope())?.message).toMatch(/65536 exceeds maxComputeWorkgroupsPerDimension 65535/);
    }
  });

  test.each([
    [
      'workgroup_index',
      1,
      [
        [65535, 65535, 1],
        [65535, 32768, 2],
      ],
      [
        [65535, 65535, 2],
        [65535, 65535, 65535],
      ],
    ],
    ['workgroup_index', 64, [[65535, 65535, 1]], [[65535, 2, 65535]]],
    ['global_invocation_index', 1, [[65535, 65535, 1]], [[65535, 65535, 2]]],
    [
      'global_invocation_index',
      32,
      [
        [65535, 2048, 1],
        [2, 1024, 65535],
      ],
      [
        [65535, 2049, 1],
        [2, 65535, 1025],
      ],
    ],
    [
      'global_invocation_index',
      256,
      [[1, 256, 65535]],
      [
        [16384, 1024, 1],
        [1, 257, 65535],
      ],
    ],
    ['global_invocation_id', 256, [[65535, 65535, 65535]], []],
  ] as const)('workgroup sizes for @builtin(%s) of %i invocations', async (builtin, size, fitting, others) => {
    const type = builtin.endsWith('id') ? 'vec3u' : 'u32';
    const module = device.createShaderModule({
      code: `
      @group(0) @binding(0) var<storage, read_write> to: array<u32>;
      @compute @workgroup_size(${size}) fn main(@builtin(${builtin}) i: ${type}) { to[0] = 1u; }`,
    });
    const pipeline = device.createComputePipeline({ layout: 'auto', compute: { module } });
    const buffer = storage(device, zeros(1));
    const layout = pipeline.getBindGroupLayout(0);
    const group = device.createBindGroup({ layout, entries: [{ binding: 0, resource: { buffer } }] });
    for (const count of [...fitting, ...others]) {
      const encoder = device.createCommandEncoder();
      const pass = encoder.beginComputePass();
      pass.setPipeline(pipeline);
      pass.setBindGroup(0, group);
      pass.dispatchWorkgroups(...(count as readonly [number, number, number]));
      pass.end();
      device.pushErrorScope('validation');
      encoder.finish();
      const error = await device.popErrorScope();
      const isTooLarge = (others as readonly unknown[]).includes(count);
      if (isTooLarge) expect(error?.message).toContain(`${count.join(' × ')} workgroups: @builtin(${builtin})`);
      else expect(error).toBeNull();
    }
  });

  test('maxStorageBufferBindingSize', async () => {
    const { maxStorageBufferBindingSize: most } = device.limits;
    const pipeline = device.createComputePipeline({
      layout: 'auto',
      compute: {
        module: device.createShaderModule({
          code: `
        ${TO} @compute @workgroup_size(1) fn main() { to[arrayLength(&to) - 1] = arrayLength(&to); }`,
        }),
      },
    });
    const buffer = device.createBuffer({ size: most + 4, usage: USAGE.STORAGE | USAGE.COPY_SRC });
    const copy = device.createBuffer({ size: 8, usage: USAGE.COPY_DST | USAGE.COPY_SRC });
    const bind = (size: number): GPUBindGroup =>
      device.createBindGroup({
        layout: pipeline.getBindGroupLayout(0),
        entries: [{ binding: 0, resource: { buffer, size } }],
      });
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, bind(most));
    pass.dispatchWorkgroups(1);
    pass.end();
    encoder.copyBufferToBuffer(buffer, most - 4, copy, 0, 8);
    device.queue.submit([encoder.finish()]);
    expect(await read(device, copy)).toEqual(Uint32Array.of(most / 4, 0));
    device.pushErrorScope('validation');
    bind(most + 4);
    expect((await device.popErrorScope())?.message).toMatch(/exceeds maxStorageBufferBindingSize 134217728/);
    buffer.destroy();
  });
});
