// Scenes of cube maps.
import { COVER, TEXTURE, bind, canvas, paintOn, pipeline, texels } from './kit';
import type { Frame } from './kit';
import { LEVEL_COLOURS } from './texture.kit';

function cubeTexture(device: GPUDevice, side: number, levels: number): GPUTexture {
  const texture = device.createTexture({
    size: [side, side, 6],
    mipLevelCount: levels,
    format: 'rgba8unorm',
    usage: TEXTURE.SAMPLED | TEXTURE.COPY_DST,
    textureBindingViewDimension: 'cube',
  });
  for (let face = 0; face < 6; face++)
    for (let l = 0; l < levels; l++) {
      const [r, g, b] = LEVEL_COLOURS[face] ?? LEVEL_COLOURS[0];
      const s = side >> l;
      // A bright first texel and a ramp along x reveal the orientation of the face.
      const data = texels(s, s, (x, y) =>
        x + y === 0 ? [255, 255, 255, 255] : [(r * (x + 2)) / (s + 1), (g * (y + 2)) / (s + 1), l ? 255 - b : b, 255]
      );
      device.queue.writeTexture({ texture, mipLevel: l, origin: [0, 0, face] }, data, { bytesPerRow: s * 4 }, [
        s,
        s,
        1,
      ]);
    }
  return texture;
}

// All directions: longitude along x, latitude along y, in planar pieces, so that no trigonometry is needed.
export function cubeMap(frame: Frame, sampler: GPUSamplerDescriptor, read: string): GPUTexture {
  const { device } = frame;
  const pipe = pipeline(
    frame,
    `@group(0) @binding(0) var t: texture_cube<f32>; @group(0) @binding(1) var s: sampler; ${COVER}
    fn around(x: f32) -> vec2f {
      let q = x * 4; let u = fract(q) * 2 - 1;
      switch (u32(q)) {
        case 0: { return vec2f(1, u); }
        case 1: { return vec2f(-u, 1); }
        case 2: { return vec2f(-1, -u); }
        default: { return vec2f(u, -1); }
      }
    }
    @fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4f {
      let a = around(p.x / 128 * 0.999); let d = vec3f(a.x, (0.5 - p.y / 128) * 5, a.y); ${read}
    }`
  );
  const group = bind(
    device,
    pipe,
    cubeTexture(device, 8, 3).createView({ dimension: 'cube' }),
    device.createSampler(sampler)
  );
  return paintOn(frame, canvas(frame), (pass) => {
    pass.setPipeline(pipe);
    pass.setBindGroup(0, group);
    pass.draw(6);
  });
}

// A ball that reflects a cube map: levels are chosen from the derivatives of the direction.
export function cubeMirror(frame: Frame): GPUTexture {
  const { device } = frame;
  const pipe = pipeline(
    frame,
    `@group(0) @binding(0) var t: texture_cube<f32>; @group(0) @binding(1) var s: sampler; ${COVER}
    @fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4f {
      let q = p.xy / 60 - 1.0667; let h = 1 - dot(q, q); let n = vec3f(q.x, -q.y, sqrt(max(h, 0.0)));
      let c = textureSample(t, s, reflect(vec3f(0, 0, -1), n)); return select(vec4f(0.1, 0.1, 0.1, 1), c, h > 0.02); }`
  );
  const group = bind(
    device,
    pipe,
    cubeTexture(device, 64, 6).createView({ dimension: 'cube' }),
    device.createSampler({ minFilter: 'linear', magFilter: 'linear', mipmapFilter: 'nearest' })
  );
  return paintOn(frame, canvas(frame), (pass) => {
    pass.setPipeline(pipe);
    pass.setBindGroup(0, group);
    pass.draw(6);
  });
}

/** Small mirrors that show the level itself: each level of the cube map has one gray. */
export function cubeBias(frame: Frame): GPUTexture {
  const { device } = frame;
  const levels = 7;
  const side = 64;
  const cube = device.createTexture({
    size: [side, side, 6],
    mipLevelCount: levels,
    format: 'rgba8unorm',
    usage: TEXTURE.SAMPLED | TEXTURE.COPY_DST,
    textureBindingViewDimension: 'cube',
  } as GPUTextureDescriptor);
  for (let mipLevel = 0; mipLevel < levels; mipLevel++)
    for (let z = 0; z < 6; z++) {
      const size = side >> mipLevel;
      device.queue.writeTexture(
        { texture: cube, mipLevel, origin: [0, 0, z] },
        texels(size, size, () => [mipLevel * 40, 64, 128, 255]),
        { bytesPerRow: size * 4 },
        [size, size]
      );
    }
  const pipe = pipeline(
    frame,
    `@group(0) @binding(0) var t: texture_cube<f32>; @group(0) @binding(1) var s: sampler; ${COVER}
    @fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4f {
      let q = (fract(p.xy / 32) * 2 - 1) * 1.04; let h = 1 - dot(q, q); let n = vec3f(q.x, -q.y, sqrt(max(h, 0.0)));
      let c = textureSampleBias(t, s, reflect(vec3f(0, 0, -1), n), floor(p.x / 32) * 0.75 - 0.75);
      return select(vec4f(0.1, 0.1, 0.1, 1), c, h > 0.02);
    }`
  );
  const group = bind(
    device,
    pipe,
    cube.createView({ dimension: 'cube' }),
    device.createSampler({ minFilter: 'linear', magFilter: 'linear', mipmapFilter: 'linear' })
  );
  return paintOn(frame, canvas(frame), (pass) => {
    pass.setPipeline(pipe);
    pass.setBindGroup(0, group);
    pass.draw(6);
  });
}
