// Helpers for compute benchmarks: a pipeline with its buffers, submitted as one pass.
const USAGE = { MAP_READ: 1, COPY_SRC: 4, COPY_DST: 8, UNIFORM: 64, STORAGE: 128 };

export function bufferOf(device, data, usage = USAGE.STORAGE) {
  const buffer = device.createBuffer({ size: data.byteLength, usage: usage | USAGE.COPY_SRC | USAGE.COPY_DST });
  device.queue.writeBuffer(buffer, 0, data);
  return buffer;
}

export const uniformOf = (device, data) => bufferOf(device, data, USAGE.UNIFORM);

export async function pipelineOf(device, code, constants) {
  const module = device.createShaderModule({ code });
  return device.createComputePipelineAsync({ layout: 'auto', compute: { module, ...(constants && { constants }) } });
}

export const groupOf = (device, pipeline, ...buffers) =>
  device.createBindGroup({
    layout: pipeline.getBindGroupLayout(0),
    entries: buffers.map((buffer, binding) => ({ binding, resource: { buffer } })),
  });

/** Submits dispatches `[pipeline, group, ...workgroups]` as one pass. */
export function submit(device, dispatches) {
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  for (const [pipeline, group, ...counts] of dispatches) {
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, group);
    pass.dispatchWorkgroups(...counts);
  }
  pass.end();
  device.queue.submit([encoder.finish()]);
}

/** Reads back a buffer as a typed array of the type of `like`. */
export async function readAs(device, buffer, like) {
  const copy = device.createBuffer({ size: buffer.size, usage: USAGE.MAP_READ | USAGE.COPY_DST });
  const encoder = device.createCommandEncoder();
  encoder.copyBufferToBuffer(buffer, 0, copy, 0, buffer.size);
  device.queue.submit([encoder.finish()]);
  await copy.mapAsync(1);
  const words = new like.constructor(copy.getMappedRange().slice(0));
  copy.destroy();
  return words;
}

/** Pseudo-random numbers from 0 to 1, the same on each run. */
export const chance = (count) =>
  Float32Array.from({ length: count }, (_, i) => (Math.imul(i + 1, 0x9e3779b1) >>> 8) / 2 ** 24);
