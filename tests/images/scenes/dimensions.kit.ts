// Textures of several layers.
import { COVER, SIZE, TEXTURE, bind, canvas, paintOn, pipeline, texels } from './kit';
import type { Frame } from './kit';

export const LINEAR = { magFilter: 'linear', minFilter: 'linear' } as const;

/** Layer n has its own hue; a checkerboard reveals its orientation. */
export function layerTexture(device: GPUDevice, side: number, layers: number, levels: number): GPUTexture {
  const texture = device.createTexture({
    size: [side, side, layers],
    mipLevelCount: levels,
    format: 'rgba8unorm',
    usage: TEXTURE.SAMPLED | TEXTURE.COPY_DST | TEXTURE.COPY_SRC,
  });
  for (let mipLevel = 0; mipLevel < levels; mipLevel++)
    for (let n = 0; n < layers; n++) {
      const s = side >> mipLevel;
      const data = texels(s, s, (x, y) => [
        (x + y) & 1 ? 40 + n * 35 : 200 - n * 30,
        (x + y) & 1 ? 250 - n * 40 : 30 + n * 20,
        mipLevel * 90 + x * 5,
        255,
      ]);
      device.queue.writeTexture({ texture, mipLevel, origin: [0, 0, n] }, data, { bytesPerRow: s * 4 }, [s, s, 1]);
    }
  return texture;
}

// Top: sampled, with layer indices out of range at both ends. Bottom: loaded, and views of some of the layers.
export function layers(frame: Frame): GPUTexture {
  const { device } = frame;
  const pipe = pipeline(
    frame,
    `@group(0) @binding(0) var t: texture_2d_array<f32>; @group(0) @binding(1) var s: sampler; ${COVER}
    @fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4f {
      let q = vec2u(p.xy); let n = textureNumLayers(t); let k = i32(q.x / 16u) - 1;
      let sampled = textureSample(t, s, p.xy / 64, k); let level = f32(q.y % 32u) / 12;
      switch (q.y % 64u / 16u) {
        case 0: { return sampled; } case 1: { return textureSampleLevel(t, s, p.xy / 23, k, level); }
        case 2: { return textureLoad(t, q % textureDimensions(t), u32(max(k, 0)) % n, 0); }
        default: { return vec4f(f32(n) / 8, vec2f(textureDimensions(t, 1)) / 16, 1); }
      } }`
  );
  const texture = layerTexture(device, 16, 6, 3);
  const sampler = device.createSampler({
    ...LINEAR,
    addressModeU: 'repeat',
    addressModeV: 'repeat',
    mipmapFilter: 'linear',
  });
  const views = [
    texture.createView(),
    texture.createView({ dimension: '2d-array', baseArrayLayer: 2, arrayLayerCount: 3 }),
  ];
  return paintOn(frame, canvas(frame), (pass) => {
    pass.setPipeline(pipe);
    views.forEach((view, k) => {
      pass.setScissorRect(0, k * 64, SIZE, 64);
      pass.setBindGroup(0, bind(device, pipe, view, sampler));
      pass.draw(6);
    });
  });
}
