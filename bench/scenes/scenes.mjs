// The benchmarks' own basic scenes, in plain WebGPU: the same code runs on Rasterloom and on any other implementation.
// A scene is a function (device, { width, height, samples }) → { render(): submits one frame, color: its texture }.
// Scenes have the interface of ../shared/peers/scenes.mjs, so that ../shared/peers/run.mjs can run them (SCENES=…).

import { BUFFER, HASH, TEXTURE, upload } from './kit.mjs';
import { bumpyBall, POSITION_NORMAL } from './meshes.mjs';

export { readback } from './kit.mjs';

/** All shaders have this uniform: a small number that changes every frame, so that no two frames are equal. */
const TICK = '@group(0) @binding(15) var<uniform> tick: f32;';
const TICKS = 50;

/**
 * Creates one pipeline that draws into one picture with a depth buffer. `resources` are bound at 0, 1, … in addition to
 * the tick.
 * @param draw issues the draw calls; the pipeline and its resources are already set
 */
function scene(
  device,
  { width, height, samples },
  { code, buffers = [], blend, cullMode = 'none', depthWriteEnabled = true, resources = [] },
  draw
) {
  const size = [width, height];
  const format = 'rgba8unorm';
  const tick = device.createBuffer({ size: 16, usage: BUFFER.UNIFORM | BUFFER.COPY_DST });
  const color = device.createTexture({ size, format, usage: TEXTURE.ATTACHMENT | TEXTURE.COPY_SRC });
  const many =
    samples > 1 ? device.createTexture({ size, format, sampleCount: samples, usage: TEXTURE.ATTACHMENT }) : null;
  const depth = device.createTexture({ size, format: 'depth32float', sampleCount: samples, usage: TEXTURE.ATTACHMENT });
  const module = device.createShaderModule({ code: `${TICK} ${code}` });
  const pipeline = device.createRenderPipeline({
    layout: 'auto',
    vertex: { module, buffers },
    fragment: { module, targets: [blend ? { format, blend } : { format }] },
    primitive: { topology: 'triangle-list', cullMode },
    multisample: { count: samples },
    depthStencil: { format: 'depth32float', depthCompare: 'less', depthWriteEnabled },
  });
  const group = device.createBindGroup({
    layout: pipeline.getBindGroupLayout(0),
    entries: [
      ...resources.map((resource, binding) => ({ binding, resource })),
      { binding: 15, resource: { buffer: tick } },
    ],
  });
  let frame = 0;
  const descriptor = {
    colorAttachments: [
      {
        view: (many ?? color).createView(),
        ...(many ? { resolveTarget: color.createView() } : {}),
        loadOp: 'clear',
        storeOp: many ? 'discard' : 'store',
        clearValue: [0.1, 0.12, 0.15, 1],
      },
    ],
    depthStencilAttachment: {
      view: depth.createView(),
      depthLoadOp: 'clear',
      depthStoreOp: 'discard',
      depthClearValue: 1,
    },
  };
  return {
    color,
    render() {
      device.queue.writeBuffer(tick, 0, Float32Array.of((++frame % TICKS) / 1000));
      const encoder = device.createCommandEncoder();
      const pass = encoder.beginRenderPass(descriptor);
      pass.setPipeline(pipeline);
      pass.setBindGroup(0, group);
      draw(pass);
      pass.end();
      device.queue.submit([encoder.finish()]);
    },
  };
}

/** Projection × view, column by column, of a camera on the z axis that is raised by the slope `rise`. */
function camera(aspect, distance, rise) {
  const cot = 2.2;
  const near = 0.1;
  const far = 60;
  const c = 1 / Math.sqrt(1 + rise * rise);
  const s = rise * c;
  const a = far / (near - far);
  return Float32Array.of(
    cot / aspect,
    0,
    0,
    0,
    0,
    cot * c,
    a * s,
    -s,
    0,
    -cot * s,
    a * c,
    -c,
    0,
    0,
    -a * distance + near * a,
    distance
  );
}

const TRIANGLE = `
  @vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
    return vec4f(f32(i & 1u) * 4 - 1, f32(i >> 1u) * 4 - 1, 0.5, 1);
  }
`;

/** One full-screen triangle with a trivial shader: the fixed cost of a frame and the fill rate. */
const fill = (device, o) =>
  scene(
    device,
    o,
    {
      code: `
        ${TRIANGLE}
        @fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4f {
          return vec4f(p.x / ${o.width}, p.y / ${o.height}, 0.5 + tick * 8, 1);
        }
      `,
    },
    (pass) => pass.draw(3)
  );

/** 32 opaque full-screen layers, back to front, each with four octaves of noise. */
const overdraw = (device, o) =>
  scene(
    device,
    o,
    {
      code: `${HASH}
  struct V { @builtin(position) p: vec4f, @location(0) @interpolate(flat, either) n: u32 };
  @vertex fn vs(@builtin(vertex_index) i: u32, @builtin(instance_index) n: u32) -> V {
    return V(vec4f(f32(i & 1u) * 4 - 1, f32(i >> 1u) * 4 - 1, 0.98 - 0.03 * f32(n), 1), n);
  }
  fn value(q: vec2f) -> f32 {
    let i = vec2i(floor(q)); let f = q - floor(q); let k = u32(i.x) * 1597u + u32(i.y) * 51749u;
    let s = f * f * (3 - 2 * f);
    return mix(mix(hash(k), hash(k + 1597u), s.x), mix(hash(k + 51749u), hash(k + 53346u), s.x), s.y); }
  @fragment fn fs(v: V) -> @location(0) vec4f {
    var q = v.p.xy / 90 + f32(v.n) + tick; var sum = 0.0; var gain = 0.5;
    for (var k = 0; k < 4; k++) { sum += gain * value(q); q *= 2.1; gain *= 0.5; }
    return vec4f(sum, sum * sum, f32(v.n) / 32, 1);
  }`,
    },
    (pass) => pass.draw(3, 32)
  );

/** 20 000 translucent discs. */
const particles = (device, o) =>
  scene(
    device,
    o,
    {
      depthWriteEnabled: false,
      blend: {
        color: { srcFactor: 'one', dstFactor: 'one-minus-src-alpha' },
        alpha: { srcFactor: 'one', dstFactor: 'one-minus-src-alpha' },
      },
      code: `${HASH}
  struct V { @builtin(position) p: vec4f, @location(0) q: vec2f, @location(1) c: vec4f };
  @vertex fn vs(@builtin(vertex_index) i: u32, @builtin(instance_index) n: u32) -> V {
    let k = select(i - 2u, i, i < 3u); let q = vec2f(f32(k & 1u), f32(k >> 1u)) * 2 - 1;
    let at = vec2f(hash(n * 3u), hash(n * 3u + 1u)) * 2 - 1;
    return V(vec4f(at + tick + q * vec2f(22.0 / ${o.width}, 22.0 / ${o.height}), 0.5, 1), q,
      vec4f(at * 0.5 + 0.5, hash(n * 3u + 2u), 0.3));
  }
  @fragment fn fs(v: V) -> @location(0) vec4f {
    let a = v.c.a * saturate(1 - dot(v.q, v.q)); return vec4f(v.c.rgb * a, a);
  }`,
    },
    (pass) => pass.draw(6, 20000)
  );

function lit(device, o, rings, instances, distance, rise) {
  const { data, index } = bumpyBall(rings);
  const side = Math.ceil(Math.sqrt(instances));
  const vertices = upload(device, data, BUFFER.VERTEX);
  const indices = upload(device, index, BUFFER.INDEX);
  const matrix = upload(device, camera(o.width / o.height, distance, rise), BUFFER.UNIFORM);
  return scene(
    device,
    o,
    {
      buffers: [POSITION_NORMAL],
      cullMode: 'back',
      resources: [{ buffer: matrix }],
      code: `
    @group(0) @binding(0) var<uniform> m: mat4x4f;
    struct V { @builtin(position) p: vec4f, @location(0) w: vec3f, @location(1) n: vec3f };
    @vertex fn vs(@location(0) p: vec3f, @location(1) n: vec3f, @builtin(instance_index) k: u32) -> V {
      let w = p + vec3f(f32(k % ${side}u) - ${(side - 1) / 2}, 0, f32(k / ${side}u) - ${(side - 1) / 2}) * 2.3
        + vec3f(tick, 0, 0);
      return V(m * vec4f(w, 1), w, n);
    }
    @fragment fn fs(v: V) -> @location(0) vec4f {
      let n = normalize(v.n); let l = normalize(vec3f(3, 6, 4) - v.w);
      let h = normalize(l + normalize(vec3f(0, ${distance * rise}, ${distance}) - v.w));
      return vec4f(vec3f(0.06, 0.07, 0.09) + vec3f(0.8, 0.5, 0.3) * max(dot(n, l), 0.0)
        + 0.4 * pow(max(dot(n, h), 0.0), 40.0), 1);
    }`,
    },
    (pass) => {
      pass.setVertexBuffer(0, vertices);
      pass.setIndexBuffer(indices, 'uint32');
      pass.drawIndexed(index.length, instances);
    }
  );
}

/** 500 000 small triangles, lit. */
const mesh = (device, o) => lit(device, o, 354, 1, 3.2, 0.2);
/** 100 balls of 4 600 triangles. */
const instances = (device, o) => lit(device, o, 34, 100, 17, 0.6);

/** A texture with a checkerboard in two colours and all its mip levels. */
function checks(device, side, a, b) {
  const levels = 32 - Math.clz32(side);
  const texture = device.createTexture({
    size: [side, side],
    mipLevelCount: levels,
    format: 'rgba8unorm',
    usage: TEXTURE.SAMPLED | TEXTURE.COPY_DST,
  });
  let texels = new Uint8Array(side * side * 4);
  for (let y = 0; y < side; y++)
    for (let x = 0; x < side; x++) {
      const t = (((x >> 5) ^ (y >> 5)) & 1) * 0.8 + (((x >> 2) ^ (y >> 3)) & 1) * 0.2;
      for (let c = 0; c < 4; c++) texels[(y * side + x) * 4 + c] = a[c] + (b[c] - a[c]) * t;
    }
  for (let mipLevel = 0, size = side; mipLevel < levels; mipLevel++, size >>= 1) {
    device.queue.writeTexture({ texture, mipLevel }, texels, { bytesPerRow: size * 4 }, [size, size]);
    const half = size >> 1;
    const next = new Uint8Array(half * half * 4);
    for (let y = 0; y < half; y++)
      for (let x = 0; x < half; x++)
        for (let c = 0; c < 4; c++) {
          const at = (y * 2 * size + x * 2) * 4 + c;
          next[(y * half + x) * 4 + c] =
            (texels[at] + texels[at + 4] + texels[at + size * 4] + texels[at + size * 4 + 4] + 2) >> 2;
        }
    texels = next;
  }
  return texture;
}

/** A ball with five trilinear textures and a metallic-roughness material under two lights. */
function textured(device, o) {
  const { data, index } = bumpyBall(96);
  const vertices = upload(device, data, BUFFER.VERTEX);
  const indices = upload(device, index, BUFFER.INDEX);
  const matrix = upload(device, camera(o.width / o.height, 3.2, 0.3), BUFFER.UNIFORM);
  const textures = [
    [
      [200, 40, 30, 255],
      [240, 220, 200, 255],
    ],
    [
      [0, 60, 0, 255],
      [0, 220, 255, 255],
    ],
    [
      [118, 138, 250, 255],
      [138, 118, 250, 255],
    ],
    [
      [0, 0, 0, 255],
      [30, 10, 60, 255],
    ],
    [
      [160, 0, 0, 255],
      [255, 0, 0, 255],
    ],
  ].map(([a, b]) => checks(device, 1024, a, b));
  const sampler = device.createSampler({
    magFilter: 'linear',
    minFilter: 'linear',
    mipmapFilter: 'linear',
    addressModeU: 'repeat',
    addressModeV: 'repeat',
  });
  return scene(
    device,
    o,
    {
      buffers: [POSITION_NORMAL],
      cullMode: 'back',
      resources: [{ buffer: matrix }, sampler, ...textures.map((texture) => texture.createView())],
      code: `
    @group(0) @binding(0) var<uniform> m: mat4x4f; @group(0) @binding(1) var s: sampler;
    ${textures.map((_, k) => `@group(0) @binding(${k + 2}) var t${k}: texture_2d<f32>;`).join(' ')}
    struct V { @builtin(position) p: vec4f, @location(0) w: vec3f, @location(1) n: vec3f };
    @vertex fn vs(@location(0) p: vec3f, @location(1) n: vec3f) -> V {
      let w = p + vec3f(tick, 0, 0); return V(m * vec4f(w, 1), w, n);
    }
    fn light(n: vec3f, v: vec3f, l: vec3f, base: vec3f, f0: vec3f, a2: f32) -> vec3f {
      let h = normalize(v + l); let nl = max(dot(n, l), 0.0); let nv = max(dot(n, v), 0.001);
      let nh = max(dot(n, h), 0.0);
      let d = nh * nh * (a2 - 1) + 1; let f = f0 + (1 - f0) * pow(1 - max(dot(v, h), 0.0), 5.0);
      let k = sqrt(a2) * 0.5; return (base * (1 - f) + f * a2 / (d * d * 4 * mix(nl, 1.0, k) * mix(nv, 1.0, k))) * nl;
    }
    @fragment fn fs(v: V) -> @location(0) vec4f {
      let uv = v.n.xz * 2 + v.n.y; let base = textureSample(t0, s, uv).rgb; let mr = textureSample(t1, s, uv).gb;
      let bump = textureSample(t2, s, uv).xyz * 2 - 1; let glow = textureSample(t3, s, uv).rgb;
      let ao = textureSample(t4, s, uv).r;
      let n0 = normalize(v.n); let t = normalize(cross(n0, vec3f(0.3, 1, 0.2)));
      let n = normalize(bump.x * t + bump.y * cross(n0, t) + bump.z * n0);
      let eye = normalize(vec3f(0, 0.96, 3.2) - v.w); let rough = max(mr.x * mr.x, 0.02);
      let f0 = mix(vec3f(0.04), base, mr.y); let diffuse = base * (1 - mr.y) / 3.14159;
      let c = light(n, eye, normalize(vec3f(0.5, 0.8, 0.5)), diffuse, f0, rough * rough) * 3
        + light(n, eye, normalize(vec3f(-0.8, 0.1, 0.4)), diffuse, f0, rough * rough) + base * 0.05 * ao + glow;
      return vec4f(pow(c / (c + 1), vec3f(1 / 2.2)), 1); }`,
    },
    (pass) => {
      pass.setVertexBuffer(0, vertices);
      pass.setIndexBuffer(indices, 'uint32');
      pass.drawIndexed(index.length);
    }
  );
}

export const scenes = { fill, overdraw, particles, mesh, instances, textured };
