// A full-screen pass of a row of the cost map, on any implementation of WebGPU.
import { pictureOf } from '../support/picture.mjs';
import { samplerOf, textureOf } from '../support/textures.mjs';
import { BUFFER, TEXTURE } from '../scenes/kit.mjs';
import { BLENDED, ROWS, TEXTURES } from './rows.mjs';

const TYPES = {
  '2d': 'texture_2d<f32>',
  target: 'texture_2d<f32>',
  array: 'texture_2d_array<f32>',
  cube: 'texture_cube<f32>',
  '3d': 'texture_3d<f32>',
  shadow: 'texture_depth_2d',
  depth: 'texture_depth_2d',
};
const VARYINGS = [...'abcdefgh'];

/** A texture of the picture's size, filled with a grey. */
function targetOf(device, size, made) {
  const usage = TEXTURE.SAMPLED | TEXTURE.COPY_DST;
  const texture = device.createTexture({ size, format: 'rgba16float', usage });
  made.push(texture);
  const half = 0x3800;
  const data = Uint16Array.from({ length: size[0] * size[1] * 4 }, (_, i) => half + ((i >> 2) % 300));
  device.queue.writeTexture({ texture }, data, { bytesPerRow: size[0] * 8 }, size);
  return texture.createView();
}

function codeOf(body, used) {
  const varyings = body.includes('v.h') ? VARYINGS : ['a'];
  const bindings = used.flatMap(({ name, kind, samples }, i) => [
    `@group(0) @binding(${i * 2 + 1}) var ${name}: ${TYPES[kind]};`,
    samples
      ? `@group(0) @binding(${i * 2 + 2}) var ${name}_s: ${kind === 'shadow' ? 'sampler_comparison' : 'sampler'};`
      : '',
  ]);
  return `
struct Uniforms { matrix: mat4x4f, size: vec4f, list: array<vec4f, 16> };
${/\bu\./.test(body) ? '@group(0) @binding(0) var<uniform> u: Uniforms;' : ''}
${bindings.join('\n')}
struct Varyings {
  @builtin(position) p: vec4f,
  ${varyings.map((name, i) => `@location(${i}) ${name}: vec4f,`).join(' ')}
};
@vertex fn vs(@builtin(vertex_index) i: u32) -> Varyings {
  let q = vec2f(f32(i & 1u) * 4 - 1, f32(i >> 1u) * 4 - 1);
  let a = vec4f(q * 0.5 + 0.5, q.y * 0.3 + 0.4, q.x * 0.2 + 0.6);
  var o: Varyings;
  o.p = vec4f(q, 0, 1);
  ${varyings.map((name, i) => `o.${name} = a * ${(1 - i * 0.05).toFixed(2)};`).join(' ')}
  return o;
}
@fragment fn fs(v: Varyings) -> @location(0) vec4f { ${body} }`;
}

/** Makes what side-frames.mjs runs. A frame has `repeats` passes. */
export async function make(device, { row, format, samples, size }, createPipeline) {
  const made = [];
  const body = ROWS[row];
  const named = (text) => new RegExp(`\\b${text}\\b`).test(body);
  const used = Object.entries(TEXTURES)
    .filter(([name]) => named(name))
    .map(([name, texture]) => ({ name, samples: named(`${name}_s`), ...texture }));
  const module = device.createShaderModule({ code: codeOf(body, used) });
  const over = { srcFactor: 'src-alpha', dstFactor: 'one-minus-src-alpha' };
  const blend = BLENDED.includes(row) ? { blend: { color: over, alpha: over } } : {};
  const pipeline = await createPipeline({
    layout: 'auto',
    vertex: { module },
    fragment: { module, targets: [{ format, ...blend }] },
    multisample: { count: samples },
  });
  const uniforms = device.createBuffer({ size: 336, usage: BUFFER.UNIFORM | BUFFER.COPY_DST });
  made.push(uniforms);
  const numbers = Array.from({ length: 80 }, (_, i) => ((i * 37) % 50) / 100);
  device.queue.writeBuffer(uniforms, 0, Float32Array.of(...numbers.slice(0, 16), ...size, 0, 0, ...numbers.slice(16)));
  const viewOf = (texture) =>
    texture.kind === 'target'
      ? targetOf(device, size, made)
      : textureOf(device, texture.kind === 'depth' ? { ...texture, kind: 'shadow' } : texture, made);
  const entries = [
    ...(/\bu\./.test(body) ? [{ binding: 0, resource: { buffer: uniforms } }] : []),
    ...used.flatMap((texture, i) => [
      { binding: i * 2 + 1, resource: viewOf(texture) },
      ...(texture.samples ? [{ binding: i * 2 + 2, resource: samplerOf(device, texture) }] : []),
    ]),
  ];
  const group = entries.length ? device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries }) : null;
  const usage = TEXTURE.ATTACHMENT | TEXTURE.SAMPLED;
  const color = device.createTexture({ size, format, usage });
  const many =
    samples > 1 ? device.createTexture({ size, format, sampleCount: samples, usage: TEXTURE.ATTACHMENT }) : null;
  made.push(color, ...(many ? [many] : []));
  const attachment = {
    view: (many ?? color).createView(),
    ...(many ? { resolveTarget: color.createView() } : {}),
    loadOp: 'clear',
    storeOp: many ? 'discard' : 'store',
  };
  return {
    frame(repeats) {
      const encoder = device.createCommandEncoder();
      for (let i = 0; i < repeats; i++) {
        const pass = encoder.beginRenderPass({ colorAttachments: [attachment] });
        pass.setPipeline(pipeline);
        if (group) pass.setBindGroup(0, group);
        pass.draw(3);
        pass.end();
      }
      device.queue.submit([encoder.finish()]);
    },
    picture: () => pictureOf(device, color),
    destroy: () => made.forEach((resource) => resource.destroy()),
  };
}
