// Sample stages against the same arithmetic in shaders without stages, for surfaces.mjs.
import { frameOf } from '../support/pairs.mjs';
import { FULL_SCREEN } from './surface-contents.mjs';

/** Iterations of the stages' loops. */
export const LOOPS = [1, 5, 20, 100, 600];
const SIZE = { width: 320, height: 180 };

const SUM = `
fn sum(start: f32, count: u32) -> f32 {
  var x = start;
  for (var i = 0u; i < count; i++) { x = fract(x * 1.618 + f32(i) * 0.01); }
  return x;
}`;

/**
 * Frames that shade a whole target. `sample stage` and `per sample` run the loop for every sample; `hybrid` and
 * `supersampled` also run it for the pixel and for every sample, respectively, with an input of their own.
 */
export function stagesOf(device, samples, loops) {
  const format = 'rgba8unorm';
  const view = device
    .createTexture({ size: [SIZE.width, SIZE.height], format, sampleCount: samples, usage: 16 })
    .createView();
  const frame = (code, stages) => {
    const module = device.createShaderModule({ code: `${code} ${SUM} ${FULL_SCREEN}` });
    const pipeline = device.createRenderPipeline({
      layout: 'auto',
      vertex: { module },
      fragment: { module, targets: [{ format }], ...(stages ? { stages } : {}) },
      multisample: { count: samples },
    });
    const render = () => {
      const encoder = device.createCommandEncoder();
      const pass = encoder.beginRenderPass({ colorAttachments: [{ view, loadOp: 'clear', storeOp: 'discard' }] });
      pass.setPipeline(pipeline);
      pass.draw(3);
      pass.end();
      device.queue.submit([encoder.finish()]);
    };
    return frameOf(device, { render });
  };
  const bySample = `vec4f(sum(f32(s) * 0.1, ${loops}u))`;
  const byPixel = `sum(p.x * 0.01 + p.y * 0.003, ${loops}u)`;
  const staged = (pixel) => `enable fragment_stages;
    struct Linked { @link(0) x: f32 }
    @fragment fn whole(@builtin(position) p: vec4f) -> Linked { return Linked(${pixel}); }
    @fragment fn each(@link(0) x: f32, @builtin(sample_index) s: u32) -> @location(0) vec4f {
      return x + ${bySample}; }`;
  const single = (pixel) => `
    @fragment fn fs(@builtin(position) p: vec4f, @builtin(sample_index) s: u32) -> @location(0) vec4f {
      return ${pixel} + ${bySample}; }`;
  // The interpolation makes the position, and with it what it is computed from, differ from sample to sample.
  const supersampled = `
    struct Inputs { @builtin(position) p: vec4f, @builtin(sample_index) s: u32 }
    @fragment fn fs(i: Inputs) -> @location(0) vec4f {
      let p = i.p; let s = i.s;
      return ${`sum(p.x * 0.01 + p.y * 0.003 + f32(s) * 0.02, ${loops}u)`} + ${bySample}; }`;
  const stages = [
    { entryPoint: 'whole', rate: 'pixel' },
    { entryPoint: 'each', rate: 'sample' },
  ];
  return {
    'sample stage': frame(staged('0'), stages),
    'per sample': frame(single('0')),
    hybrid: frame(staged(byPixel), stages),
    supersampled: frame(supersampled),
  };
}
