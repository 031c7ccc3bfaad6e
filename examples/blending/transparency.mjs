// node examples/blending/transparency.mjs [transparency.png]
// Order-independent transparency. Intersecting glass balls and panes are drawn out of order, with four samples per
// pixel: first with plain blending, then with k-buffers of rasterloom/blends with 2, 4 and 8 layers. A k-buffer keeps
// the nearest fragments of each sample in render targets of the pass, and the last draw call composites them over the
// picture. Prints how similar each picture is to the one with 8 layers, and whether reversing the draw calls changes
// it. Needs `npm run build`.
import { writeFileSync } from 'node:fs';
import { encode } from 'fast-png';
import { create, globals } from 'rasterloom';
import { kBuffer } from 'rasterloom/blends';
import { psnrOf, texelsOf } from '../compare.mjs';

const { GPUTextureUsage } = globals;
const [file = 'transparency.png'] = process.argv.slice(2);
const width = 480;
const height = 320;
const size = [width, height];
const samples = 4;
const multisample = { count: samples };
const format = 'rgba8unorm';
const depthFormat = 'depth32float';

const adapter = await create().requestAdapter();
const device = await adapter.requestDevice({
  requiredFeatures: ['fragment-stages', 'multisample-32bit'],
  // Eight layers take 64 bytes per sample, and the picture takes 8.
  requiredLimits: { maxColorAttachmentBytesPerSample: 72 },
});
device.addEventListener('uncapturederror', ({ error }) => {
  console.error(error.message);
  process.exitCode = 1;
});

// The camera looks along −z, slightly downwards. Half of the picture's height spans 0.26 units at distance 1.
const SCENE = `
const eye = vec3f(0, 2.4, 8);
const ahead = vec3f(0, -0.16, -0.9871);
const above = vec3f(0, 0.9871, -0.16);
const sun = vec3f(0.43, 0.75, 0.5);
struct Seen {
  @builtin(position) position: vec4f,
  // Of the eye, at each sample: where panes cross, each sample has its own order.
  @location(0) @interpolate(perspective, sample) away: f32,
  @location(1) p: vec3f, @location(2) n: vec3f, @location(3) @interpolate(flat) color: vec3f,
}
fn seen(p: vec3f, n: vec3f, color: vec3f) -> Seen {
  let v = p - eye;
  let away = dot(v, ahead);
  let place = vec2f(v.x / ${width / height}, dot(v, above)) / 0.26;
  return Seen(vec4f(place, (away - 1) * 30.0 / 29, away), away, p, n, color);
}
fn colorOf(k: u32) -> vec3f {
  return array(
    vec3f(0.9, 0.2, 0.15), vec3f(0.15, 0.6, 0.25), vec3f(0.2, 0.35, 0.9), vec3f(0.95, 0.7, 0.1), vec3f(0.6, 0.2, 0.75)
  )[k % 5];
}
fn corner(i: u32) -> vec2f {
  return vec2f(f32(array(0, 0, 1, 1, 0, 1)[i]), f32(array(0, 1, 0, 0, 1, 1)[i])) * 2 - 1;
}
@vertex fn floorCorner(@builtin(vertex_index) i: u32) -> Seen {
  let at = corner(i);
  return seen(vec3f(at.x * 30, 0, at.y * 15 - 6), vec3f(0, 1, 0), vec3f(0.8));
}
// Upright, turned about the middle of the scene.
@vertex fn paneCorner(@builtin(vertex_index) i: u32, @builtin(instance_index) k: u32) -> Seen {
  let angle = f32(k) * 1.0471976 + 0.35;
  let across = vec3f(cos(angle), 0, sin(angle));
  let at = corner(i);
  return seen(vec3f(0, 1.25, 0) + across * at.x * 2.3 + vec3f(0, at.y * 1.15, 0), across.zyx * vec3f(-1, 0, 1),
    colorOf(k));
}
// Rings of 32 × 16 patches.
@vertex fn ballCorner(@builtin(vertex_index) i: u32, @builtin(instance_index) k: u32) -> Seen {
  let patch_ = i / 6;
  let u = f32(patch_ % 32 + array(0u, 1, 0, 0, 1, 1)[i % 6]) * (6.2831853 / 32);
  let v = f32(patch_ / 32 + array(0u, 0, 1, 1, 0, 1)[i % 6]) * (3.1415927 / 16);
  let n = vec3f(sin(v) * cos(u), cos(v), sin(v) * sin(u));
  let angle = f32(k) * 1.2566371;
  return seen(vec3f(cos(angle) * 1.7, 0.95, sin(angle) * 1.7) + n * 0.75, n, colorOf(k + 2));
}
@fragment fn floorColor(seen: Seen) -> @location(0) vec4f {
  let squares = f32((i32(floor(seen.p.x)) + i32(floor(seen.p.z))) & 1);
  let color = mix(vec3f(0.86, 0.85, 0.82), vec3f(0.55, 0.57, 0.6), squares);
  return vec4f(mix(color, vec3f(0.75, 0.82, 0.9), smoothstep(6, 26, seen.away)), 1);
}
// Multiplied by alpha; denser where it is seen from the side, and light is added where the sun is mirrored.
fn glass(seen: Seen) -> vec4f {
  let look = normalize(seen.p - eye);
  let n = normalize(seen.n) * -sign(dot(seen.n, look));
  let alpha = mix(0.32, 0.85, pow(1 - abs(dot(n, look)), 3));
  let shine = pow(max(dot(reflect(look, n), sun), 0), 60);
  return vec4f(seen.color * (0.6 + 0.4 * max(dot(n, sun), 0)) * alpha + shine, alpha);
}`;
const plainModule = device.createShaderModule({
  code: `${SCENE}
@fragment fn blended(seen: Seen) -> @location(0) vec4f { return glass(seen); }`,
});

const { RENDER_ATTACHMENT, COPY_SRC } = GPUTextureUsage;
const target = (of, sampleCount = samples, usage = 0) =>
  device.createTexture({ size, format: of, sampleCount, usage: RENDER_ATTACHMENT | usage });
const over = { srcFactor: 'one', dstFactor: 'one-minus-src-alpha' };
/**
 * `picture`: state of render target 0; `layers`: formats of the other render targets, which are written if `writes`.
 */
function pipelineOf(
  vertex,
  fragment,
  { module = plainModule, picture = {}, layers = [], writes = false, opaque = false }
) {
  return device.createRenderPipeline({
    layout: 'auto',
    vertex: { module, entryPoint: vertex },
    multisample,
    fragment: {
      module,
      entryPoint: fragment,
      targets: [{ format, ...picture }, ...layers.map((each) => ({ format: each, writeMask: writes ? 15 : 0 }))],
    },
    depthStencil: { format: depthFormat, depthCompare: 'less', depthWriteEnabled: opaque },
  });
}
/** Draw calls: the number of vertices and the instance index. */
const GLASS = [
  ...[0, 1, 2].map((first) => ({ vertex: 'paneCorner', vertices: 6, first })),
  ...[0, 1, 2, 3, 4].map((first) => ({ vertex: 'ballCorner', vertices: 32 * 16 * 6, first })),
];

/** Draws the scene with its glass in the given order. Without `layers`, the glass is blended in that order. */
async function drawn(order, layers) {
  const buffer = layers && kBuffer({ layers, firstTarget: 1 });
  const formats = buffer?.formats ?? [];
  const module = buffer
    ? device.createShaderModule({
        code: `enable fragment_stages; ${SCENE} ${buffer.wgsl}
    @fragment fn insert(seen: Seen, held: kBuffer_Held) -> kBuffer_Stored {
      return kBuffer_insert(held, glass(seen), seen.away);
    }
    @vertex fn whole(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
      return vec4f(f32(i & 1) * 4 - 1, f32(i >> 1) * 4 - 1, 0, 1);
    }
    @fragment fn resolve(held: kBuffer_Held, @color(0) below: vec4f) -> @location(0) vec4f {
      return kBuffer_resolve(held, below);
    }`,
      })
    : plainModule;
  const picture = target(format, 1, COPY_SRC);
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginRenderPass({
    colorAttachments: [
      {
        view: target(format).createView(),
        resolveTarget: picture.createView(),
        loadOp: 'clear',
        storeOp: 'discard',
        clearValue: [0.75, 0.82, 0.9, 1],
      },
      ...formats.map((each) => ({ view: target(each).createView(), loadOp: 'clear', storeOp: 'discard' })),
    ],
    depthStencilAttachment: {
      view: target(depthFormat).createView(),
      depthLoadOp: 'clear',
      depthClearValue: 1,
      depthStoreOp: 'discard',
    },
  });
  pass.setPipeline(pipelineOf('floorCorner', 'floorColor', { module, layers: formats, opaque: true }));
  pass.draw(6);
  for (const { vertex, vertices, first } of order) {
    pass.setPipeline(
      buffer
        ? pipelineOf(vertex, 'insert', { module, picture: { writeMask: 0 }, layers: formats, writes: true })
        : pipelineOf(vertex, 'blended', { picture: { blend: { color: over, alpha: over } } })
    );
    pass.draw(vertices, 1, 0, first);
  }
  if (buffer) {
    pass.setPipeline(pipelineOf('whole', 'resolve', { module, layers: formats }));
    pass.draw(3);
  }
  pass.end();
  device.queue.submit([encoder.finish()]);
  return texelsOf(device, picture);
}

const ways = [];
for (const layers of [undefined, 2, 4, 8])
  ways.push({
    name: layers ? `${layers} layers` : 'as drawn',
    picture: await drawn(GLASS, layers),
    reversed: await drawn(GLASS.toReversed(), layers),
  });
const best = ways.at(-1).picture;
for (const { name, picture, reversed } of ways) {
  const others = picture.reduce(
    (sum, value, i) => sum + Number(i % 4 === 3 && [0, 1, 2].some((c) => picture[i - 3 + c] !== reversed[i - 3 + c])),
    0
  );
  const alike = picture === best ? '' : `; ${psnrOf(picture, best).toFixed(1)} dB of 8 layers`;
  console.log(`${name.padEnd(8)}  the other way round, ${others} pixels differ${alike}`);
}
const sheet = new Uint8Array(width * height * 16);
ways.forEach(({ picture }, i) => {
  for (let y = 0; y < height; y++)
    sheet.set(
      picture.subarray(y * width * 4, (y + 1) * width * 4),
      (((i >> 1) * height + y) * width * 2 + (i & 1) * width) * 4
    );
});
try {
  writeFileSync(file, encode({ width: width * 2, height: height * 2, channels: 4, data: sheet }));
} catch (error) {
  console.error(`The picture ${JSON.stringify(file)} cannot be written: ${error.message}`);
  process.exit(1);
}
console.log(`Wrote ${file}.`);
device.destroy();
