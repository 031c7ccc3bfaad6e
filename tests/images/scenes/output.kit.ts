// Shows textures side by side, and layers to blend.
import { COVER, bind, canvas, paintOn, pipeline } from './kit';
import type { Frame } from './kit';

/** Draws a texture over a whole new picture, with the given expression of `t`. */
export function show(frame: Frame, textures: GPUTexture[], code: string): GPUTexture {
  const single = { device: frame.device, samples: 1 };
  const pipe = pipeline(single, code + COVER);
  const target = canvas(single);
  const group = bind(frame.device, pipe, ...textures.map((t) => t.createView()));
  return paintOn(single, target, (pass) => {
    pass.setPipeline(pipe);
    pass.setBindGroup(0, group);
    pass.draw(6);
  });
}

export const SOURCE = `
  @fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4f { return vec4f(0.9, 0.45, 0.15, 0.6); }
`;
export const UNDER = `
  @fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4f {
    return vec4f(fract(p.x / 9), fract(p.y / 9), 0.7, 0.3 + 0.5 * fract((p.x + p.y) / 18));
  }
`;
