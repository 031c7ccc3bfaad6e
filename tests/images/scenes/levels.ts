// Scenes of mip levels.
import { COVER, bind, canvas, cell, paintOn, pipeline } from './kit';
import type { Frame } from './kit';
import { SAMPLED, rainbow } from './texture.kit';

// Rows: level by number, by bias, by gradients; the level increases from left to right.
export function explicitLevels(frame: Frame): GPUTexture {
  const { device } = frame;
  const pipe = pipeline(
    frame,
    `${SAMPLED} @group(0) @binding(2) var n: sampler; ${COVER}
    @fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4f {
      let x = p.x / 128; let uv = vec2f(p.x, p.y) / 64; let step = exp2(floor(x * 8) + 0.2) / 64;
      let biased = textureSampleBias(t, s, uv, floor(x * 6) - 1 + 0.3); let sampled = textureSample(t, n, uv * 2.6);
      switch (u32(p.y) / 16u) {
        case 0: { return textureSampleLevel(t, s, uv, x * 8 - 1); }
        case 1: { return textureSampleLevel(t, n, uv, floor(x * 8) + 0.25); }
        case 2: { return textureSampleGrad(t, s, uv, vec2f(step, 0), vec2f(0)); }
        case 3: { return textureSampleGrad(t, n, uv, vec2f(0), vec2f(0, step)); }
        case 4: { return biased; }
        case 5: { return sampled; }
        case 6: { return textureSampleLevel(t, s, uv, 1000.0); }
        default: { return textureSampleLevel(t, n, uv, -5.0); } } }`
  );
  const repeat = { addressModeU: 'repeat', addressModeV: 'repeat' } as const;
  const group = bind(
    device,
    pipe,
    rainbow(device, 64).createView(),
    device.createSampler({ ...repeat, minFilter: 'linear', magFilter: 'linear', mipmapFilter: 'linear' }),
    device.createSampler(repeat)
  );
  return paintOn(frame, canvas(frame), (pass) => {
    pass.setPipeline(pipe);
    pass.setBindGroup(0, group);
    pass.draw(6);
  });
}

// Samplers that clamp the level, and views of some of the levels.
export function levelLimits(frame: Frame): GPUTexture {
  const { device } = frame;
  const pipe = pipeline(
    frame,
    `${SAMPLED} ${COVER}
    @fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4f {
      let q = (p.xy % 32) / 32; let dims = textureDimensions(t); let levels = textureNumLevels(t);
      if (q.y < 0.15) { return vec4f(f32(dims.x) / 64, f32(levels) / 8, 0, 1); }
      return textureSampleLevel(t, s, q, q.x * 7);
    }`
  );
  const texture = rainbow(device, 64);
  const samplers: GPUSamplerDescriptor[] = [
    {},
    { lodMinClamp: 2 },
    { lodMaxClamp: 3 },
    { lodMinClamp: 1.5, lodMaxClamp: 2.5 },
  ];
  const views: GPUTextureViewDescriptor[] = [
    {},
    { baseMipLevel: 2 },
    { mipLevelCount: 3 },
    { baseMipLevel: 3, mipLevelCount: 1 },
  ];
  const groups = views.flatMap((view) =>
    samplers.map((sampler) =>
      bind(device, pipe, texture.createView(view), device.createSampler({ ...sampler, mipmapFilter: 'linear' }))
    )
  );
  return paintOn(frame, canvas(frame), (pass) => {
    pass.setPipeline(pipe);
    groups.forEach((group, k) => {
      cell(pass, k, 4);
      pass.setBindGroup(0, group);
      pass.draw(6);
    });
  });
}

// A texture whose sizes are no powers of two, with all its levels.
export function oddSides(frame: Frame): GPUTexture {
  const { device } = frame;
  const pipe = pipeline(
    frame,
    `${SAMPLED} ${COVER}
    @fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4f {
      return textureSampleLevel(t, s, p.xy / vec2f(48, 40), floor(p.y / 22));
    }`
  );
  const group = bind(
    device,
    pipe,
    rainbow(device, 37, 37, 19).createView(),
    device.createSampler({
      addressModeU: 'repeat',
      addressModeV: 'mirror-repeat',
      magFilter: 'linear',
      minFilter: 'linear',
    })
  );
  return paintOn(frame, canvas(frame), (pass) => {
    pass.setPipeline(pipe);
    pass.setBindGroup(0, group);
    pass.draw(6);
  });
}

// The quad at an edge takes its level from neighbors that the triangle does not cover; a branch does not affect the
// level.
export function quadLevels(frame: Frame): GPUTexture {
  const { device } = frame;
  const pipe = pipeline(
    frame,
    `${SAMPLED}
    struct V { @builtin(position) p: vec4f, @location(0) uv: vec2f };
    @vertex fn vs(@builtin(vertex_index) i: u32, @builtin(instance_index) n: u32) -> V {
      let at = vec2f(f32(n % 16u), f32(n / 16u)) * 8; var o = array(vec2f(0.6, 0.4), vec2f(2.2, 7.4), vec2f(7.3, 1.1));
      let q = snap(at + o[i] * (0.3 + 0.7 * hash(n))); return V(px(q.x, q.y, 0.5), q * (1.0 + f32(n / 64u) * 2.1) / 64);
    }
    @fragment fn fs(v: V) -> @location(0) vec4f { return textureSample(t, s, v.uv); }`
  );
  const group = bind(
    device,
    pipe,
    rainbow(device, 64).createView(),
    device.createSampler({ addressModeU: 'repeat', addressModeV: 'repeat' })
  );
  return paintOn(frame, canvas(frame), (pass) => {
    pass.setPipeline(pipe);
    pass.setBindGroup(0, group);
    pass.draw(3, 256);
  });
}
