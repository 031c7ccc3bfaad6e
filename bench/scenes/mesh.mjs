// A wavy mesh of small triangles that covers the picture, shaded by a long fragment shader: the use case of coarse
// shading of meshes.
import { BUFFER, canvas, depthAttachment, pipelineOf, upload } from './kit.mjs';

const COLUMNS = 64;
const ROWS = 64;
const LIGHTS = 4;

/** Four point lights with highlights, and fog: about 200 instructions per invocation. `derivatives` adds a few. */
const codeOf = (derivatives) => `
struct V { @builtin(position) p: vec4f, @location(0) at: vec3f, @location(1) n: vec3f }
@vertex fn vs(@location(0) p: vec3f) -> V {
  return V(vec4f(p.xy, p.z * 0.4 + 0.5, 1), vec3f(p.xy * 4, p.z), vec3f(p.z, p.x - p.z, 1 - p.z * p.y));
}
fn lit(at: vec3f, n: vec3f, eye: vec3f, light: vec3f, color: vec3f) -> vec3f {
  let way = light - at;
  let l = normalize(way);
  let shine = pow(max(dot(n, normalize(l + eye)), 0), 24.5);
  return color * (max(dot(n, l), 0) + shine) / (1 + dot(way, way));
}
@fragment fn fs(v: V) -> @location(0) vec4f {
  let n = normalize(v.n)${derivatives ? ' + fwidth(v.at)' : ''};
  let eye = normalize(vec3f(0, 0, 6) - v.at);
  var sum = vec3f(0.05);
  ${Array.from(
    { length: LIGHTS },
    (_, i) => `sum += lit(v.at, n, eye, vec3f(${i * 2 - 3}, ${(i % 3) - 1}, 1.5), vec3f(${1 + i}, 2, ${4 - i}));`
  ).join('\n  ')}
  return vec4f(mix(vec3f(0.5, 0.6, 0.7), sum, exp2(-0.2 * v.at.z)), 1);
}`;

function vertices() {
  const data = new Float32Array((COLUMNS + 1) * (ROWS + 1) * 3);
  for (let j = 0, k = 0; j <= ROWS; j++) {
    for (let i = 0; i <= COLUMNS; i++, k += 3) {
      const x = (i / COLUMNS) * 2 - 1;
      const y = (j / ROWS) * 2 - 1;
      data.set([x, y, 0.5 + 0.5 * x * y * (1 - x * x)], k);
    }
  }
  return data;
}

function indices() {
  const list = [];
  for (let j = 0; j < ROWS; j++)
    for (let i = 0; i < COLUMNS; i++) {
      const a = j * (COLUMNS + 1) + i;
      const b = a + COLUMNS + 1;
      list.push(a, a + 1, b, b, a + 1, b + 1);
    }
  return Uint32Array.from(list);
}

/**
 * Creates a scene of 8,192 triangles. `rate`: the shading rate of its passes; without it, nothing is set.
 */
export function mesh(device, { rate, derivatives = false, ...o }) {
  const picture = canvas(device, o);
  const depthStencilAttachment = depthAttachment(device, o);
  const pipeline = pipelineOf(device, codeOf(derivatives), {
    samples: o.samples,
    buffers: [{ arrayStride: 12, attributes: [{ shaderLocation: 0, offset: 0, format: 'float32x3' }] }],
  });
  const at = upload(device, vertices(), BUFFER.VERTEX);
  const index = upload(device, indices(), BUFFER.INDEX);
  return {
    color: picture.color,
    render: () =>
      picture.frame((encoder) => {
        const pass = encoder.beginRenderPass({ colorAttachments: [picture.attachment()], depthStencilAttachment });
        if (rate) pass.setShadingRate(rate);
        pass.setPipeline(pipeline);
        pass.setVertexBuffer(0, at);
        pass.setIndexBuffer(index, 'uint32');
        pass.drawIndexed(COLUMNS * ROWS * 6);
        pass.end();
      }),
  };
}
