// A dispatch whose atomic operations must see each other's results.
import { read, storage } from '../kit';

interface Shared {
  readonly numbers: Uint32Array;
  readonly most: number;
  readonly both: number;
}

export async function gatherResults(device: GPUDevice, groups: number): Promise<Shared> {
  const pipeline = device.createComputePipeline({
    layout: 'auto',
    compute: {
      module: device.createShaderModule({
        code: `
    @group(0) @binding(0) var<storage, read_write> next: atomic<u32>;
    @group(0) @binding(1) var<storage, read_write> numbers: array<u32>;
    @group(0) @binding(2) var<storage, read_write> most: atomic<u32>;
    @group(0) @binding(3) var<storage, read_write> both: array<atomic<u32>, 2>;
    @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
      numbers[id.x] = atomicAdd(&next, 1u);
      atomicMax(&most, id.x);
      atomicAdd(&both[0], 2u);
      atomicOr(&both[1], 1u);
    }`,
      }),
    },
  });
  const numbers = storage(device, new Uint32Array(groups * 64));
  const most = storage(device, new Uint32Array(1));
  const both = storage(device, Uint32Array.of(5, 0));
  const group = device.createBindGroup({
    layout: pipeline.getBindGroupLayout(0),
    entries: [storage(device, new Uint32Array(1)), numbers, most, both].map((buffer, binding) => ({
      binding,
      resource: { buffer },
    })),
  });
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  pass.setPipeline(pipeline);
  pass.setBindGroup(0, group);
  pass.dispatchWorkgroups(groups);
  pass.end();
  device.queue.submit([encoder.finish()]);
  const [found] = await read(device, most);
  const [sum] = await read(device, both);
  return { numbers: await read(device, numbers), most: found!, both: sum! };
}
