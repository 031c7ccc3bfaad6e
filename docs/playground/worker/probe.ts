// The samples of a pixel: their colours and depths, and how the surface holds them.
import type { Probe } from '../protocol';
import type { SceneRenderer } from './scene-renderer';

const STATES = ['the clear value', 'one value', 'some values', 'one value per sample'] as const;
const MAX_SAMPLES = 16;
/** Floats of a sample: its colour, its depth, the state of the pixel, and padding. */
const STRIDE = 8;

const shaderOf = (isMultisampled: boolean): string => `
  ${isMultisampled ? 'enable multisample_storage_textures;' : ''}
  struct Sample { color: vec4f, depth: f32, state: f32 }
  @group(0) @binding(0) var colors: ${isMultisampled ? 'texture_multisampled_2d<f32>' : 'texture_2d<f32>'};
  @group(0) @binding(1) var depths: ${isMultisampled ? 'texture_depth_multisampled_2d' : 'texture_depth_2d'};
  @group(0) @binding(2) var<storage, read_write> found: array<Sample, ${MAX_SAMPLES}>;
  @group(0) @binding(3) var<uniform> at: vec2u;
  @compute @workgroup_size(1) fn probe() {
    ${
      isMultisampled
        ? `for (var k = 0u; k < textureNumSamples(colors); k++) {
             let color = textureLoadSample(colors, at, k);
             let depth = textureLoad(depths, at, min(k, textureNumSamples(depths) - 1));
             found[k] = Sample(color.value, depth, f32(color.state));
           }`
        : 'found[0] = Sample(textureLoad(colors, at, 0), textureLoad(depths, at, 0), 0);'
    }
  }`;

/** Reads a pixel. The frame must have kept its samples. @param counts invocations per pixel, as r32uint */
export async function probePixel(
  device: GPUDevice,
  scene: SceneRenderer,
  counts: GPUTexture,
  [x, y]: readonly [number, number]
): Promise<Probe> {
  const { surface, samples, depth } = scene;
  const colors = surface ?? samples;
  const isMultisampled = colors.sampleCount > 1 && depth.sampleCount > 1;
  // With one sample, a scene with a surface of its own shows the picture.
  const shown = isMultisampled ? colors : scene.picture;
  const size = MAX_SAMPLES * STRIDE * 4;
  const { STORAGE, COPY_SRC, COPY_DST, MAP_READ, UNIFORM } = GPUBufferUsage;
  const found = device.createBuffer({ size, usage: STORAGE | COPY_SRC });
  const at = device.createBuffer({ size: 16, usage: UNIFORM | COPY_DST });
  const read = device.createBuffer({ size: size + 4, usage: MAP_READ | COPY_DST });
  try {
    device.queue.writeBuffer(at, 0, new Uint32Array([x, y, 0, 0]));
    const pipeline = await device.createComputePipelineAsync({
      layout: 'auto',
      compute: { module: device.createShaderModule({ code: shaderOf(isMultisampled) }) },
    });
    const resources = [shown.createView(), depth.createView(), { buffer: found }, { buffer: at }];
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    pass.setPipeline(pipeline);
    pass.setBindGroup(
      0,
      device.createBindGroup({
        layout: pipeline.getBindGroupLayout(0),
        entries: resources.map((resource, binding) => ({ binding, resource })),
      })
    );
    pass.dispatchWorkgroups(1);
    pass.end();
    encoder.copyBufferToBuffer(found, 0, read, 0, size);
    encoder.copyTextureToBuffer({ texture: counts, origin: [x, y] }, { buffer: read, offset: size }, [1, 1]);
    device.queue.submit([encoder.finish()]);
    await read.mapAsync(GPUMapMode.READ);
    const bytes = read.getMappedRange();
    const floats = new Float32Array(bytes);
    const count = isMultisampled ? shown.sampleCount : 1;
    return {
      type: 'probed',
      x,
      y,
      samples: Array.from({ length: count }, (_, k) => ({
        rgba: [...floats.slice(k * STRIDE, k * STRIDE + 4)],
        depth: floats[k * STRIDE + 4]!,
      })),
      state: isMultisampled ? STATES[floats[5]!]! : null,
      invocations: new Uint32Array(bytes)[size / 4]!,
    };
  } finally {
    for (const buffer of [found, at, read]) buffer.destroy();
  }
}
