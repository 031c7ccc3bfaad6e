// Waves of light, which an expensive coarse stage computes, on a ground whose texture a cheap pixel stage reads: the
// use case of stages with two rates. Two triangles per frame, so shading is the cost.
const ROUNDS = 64;
const ATTACHMENT = 16;

const CODE = `enable fragment_stages;
struct V { @builtin(position) p: vec4f, @location(0) at: vec2f }
@vertex fn vs(@builtin(vertex_index) i: u32) -> V {
  let at = vec2f(f32(i & 1u) * 2 - 1, f32(i >> 1u) * 2 - 1);
  return V(vec4f(at, 0.5, 1), at * 4);
}
@fragment fn light(v: V) -> @link(0) vec3f {
  var q = v.at;
  var sum = vec3f(0);
  for (var i = 0; i < ${ROUNDS}; i++) {
    q = fract(q.yx * vec2f(1.13, 1.27) + vec2f(0.11, 0.17)) * 2 - 1;
    sum += vec3f(q.x * q.x, q.y * q.y, q.x * q.y + 1) / (1 + dot(q, q));
  }
  return sum / ${ROUNDS};
}
@fragment fn ground(v: V, @link(0) light: vec3f) -> @location(0) vec4f {
  let cell = floor(v.at * 16);
  let dark = fract((cell.x + cell.y) * 0.5) * 0.6;
  return vec4f(light * (1 - dark), 1);
}`;
const STAGES = [
  { entryPoint: 'light', rate: 'coarse' },
  { entryPoint: 'ground', rate: 'pixel' },
];

/** Creates a scene of this size whose passes have the shading rate `rate`. */
export function coarseStages(device, { width, height, samples, rate }) {
  const module = device.createShaderModule({ code: CODE });
  const format = 'rgba8unorm';
  const size = [width, height];
  const pipeline = device.createRenderPipeline({
    layout: 'auto',
    vertex: { module },
    primitive: { topology: 'triangle-strip' },
    multisample: { count: samples },
    fragment: { module, stages: STAGES, targets: [{ format }] },
  });
  const texture = device.createTexture({ size, format, sampleCount: samples, usage: ATTACHMENT });
  const view = texture.createView();
  return {
    render() {
      const encoder = device.createCommandEncoder();
      const pass = encoder.beginRenderPass({ colorAttachments: [{ view, loadOp: 'clear', storeOp: 'store' }] });
      pass.setShadingRate(rate);
      pass.setPipeline(pipeline);
      pass.draw(4);
      pass.end();
      device.queue.submit([encoder.finish()]);
    },
  };
}
