// A forest at dusk: 500 conifers on a hilly ground, ferns with cut-out leaves, fog and lanterns. WGSL computes the
// surfaces. Nine lanterns light every fragment, so shading dominates the cost.
// examples/shading/forest.mjs and the benchmarks use this scene.

const TREES = 700;
const FERNS = 70;
const SIDES = 9;
const DEPTH = 90;
const BUFFER = { COPY_DST: 8, VERTEX: 32, UNIFORM: 64 };
const GROUND = 0;
const BARK = 1;
const NEEDLES = 2;
const FERN = 3;

/** View distances of the near and far clip planes, and of the nearest visible surface. */
const NEAR = 0.3;
const FAR = 120;
const NEAREST = 2;
const HALF_HEIGHT = 0.5;
const EYE = [0, 1.8, 0];

/** Converts a view distance to window depth. */
const depthOf = (distance) => (FAR / (FAR - NEAR)) * (1 - NEAR / distance);

/** The depth table that `rasterloom render --shading-rate auto` derives from these distances. */
export const depthRates = {
  near: depthOf(NEAREST),
  far: 1,
  rates: Array.from({ length: 16 }, (_, i) => (i < 7 ? '1x1' : i < 14 ? '2x2' : '4x4')),
};

const code = (rates) => `
${rates ? 'enable shading_rate;' : ''}
struct Camera { matrix: mat4x4f, eye: vec3f, tick: f32 }
@group(0) @binding(0) var<uniform> camera: Camera;

struct Corner { @location(0) p: vec3f, @location(1) n: vec3f, @location(2) uv: vec2f, @location(3) kind: f32 }
struct Seen {
  @builtin(position) position: vec4f,
  @location(0) p: vec3f, @location(1) n: vec3f, @location(2) uv: vec2f, @location(3) @interpolate(flat) kind: f32,
}
@vertex fn vs(v: Corner) -> Seen {
  return Seen(camera.matrix * vec4f(v.p, 1), v.p, v.n, v.uv, v.kind);
}

fn hash(p: vec2i) -> f32 {
  var x = u32(p.x) * 747796405u + u32(p.y) * 2891336453u + 277803737u;
  x = ((x >> ((x >> 28u) + 4u)) ^ x) * 277803737u;
  return f32(((x >> 22u) ^ x) >> 8u) / 16777216.0;
}
fn noise(p: vec2f) -> f32 {
  let i = vec2i(floor(p));
  let f = fract(p);
  let s = f * f * (3 - 2 * f);
  return mix(mix(hash(i), hash(i + vec2i(1, 0)), s.x), mix(hash(i + vec2i(0, 1)), hash(i + vec2i(1, 1)), s.x), s.y);
}
// Octaves of it, without those that are finer than pixels.
fn clouds(p: vec2f, pixel: f32) -> f32 {
  var sum = 0.0;
  var scale = 1.0;
  for (var octave = 0; octave < 3; octave++) {
    sum += (noise(p * scale) - 0.5) / scale * saturate(2 - 3 * pixel * scale);
    scale *= 2;
  }
  return sum;
}

fn surfaceOf(kind: i32, v: Seen, pixel: f32) -> vec3f {
  switch (kind) {
    case ${GROUND}: { return vec3f(0.2, 0.18, 0.11) + 0.14 * clouds(v.p.xz * 1.5, pixel * 1.5) * vec3f(0.8, 1, 0.5); }
    case ${BARK}: { return vec3f(0.22, 0.15, 0.1) + 0.16 * clouds(vec2f(v.uv.x * 14, v.p.y), pixel * 3); }
    case ${NEEDLES}: {
      let shade = 0.6 + 0.4 * v.uv.y;
      return (vec3f(0.1, 0.24, 0.13) + 0.12 * clouds(vec2f(v.uv.x * 20, v.p.y * 2), pixel * 3)) * shade;
    }
    default: { return vec3f(0.16, 0.32, 0.1) * (0.5 + v.uv.y); }
  }
}
fn shade(v: Seen) -> vec4f {
  let n = normalize(v.n);
  let pixel = max(length(dpdx(v.p)), length(dpdy(v.p)));
  let color = surfaceOf(i32(v.kind), v, pixel);
  let toEye = camera.eye - v.p;
  let distance = length(toEye);
  let look = toEye / distance;
  var light = color * mix(vec3f(0.15, 0.13, 0.12), vec3f(0.4, 0.46, 0.62), n.y * 0.5 + 0.5);
  for (var k = 0; k < 9; k++) {
    let lamp = vec3f((hash(vec2i(k, 3)) - 0.5) * 24, 2.2, 6 + f32(k) * 5);
    let way = lamp - v.p;
    let square = dot(way, way);
    let l = way * inverseSqrt(square);
    let shine = 0.2 * pow(max(dot(n, normalize(l + look)), 0), 12.0);
    light += vec3f(1, 0.7, 0.35) * 9 / (1 + square) * (max(dot(n, l), 0) + 0.15) * (color + shine);
  }
  let fog = 1 - exp2(-distance / 40);
  let dusk = mix(vec3f(0.3, 0.2, 0.17), vec3f(0.12, 0.16, 0.26), saturate(v.p.y / 9));
  let seen = mix(light, dusk, fog);
  return vec4f(sqrt(seen / (seen + 0.5) * 1.3), 1);
}
@fragment fn fs(v: Seen) -> @location(0) vec4f { return shade(v); }

// Leaves of a fern, cut out of a rectangle.
fn isCut(uv: vec2f) -> bool {
  let side = abs(uv.x - 0.5) * 2;
  return side > (1 - uv.y) * (0.35 + 0.65 * fract(uv.y * 9));
}
@fragment fn fern(v: Seen) -> @location(0) vec4f {
  if (isCut(v.uv)) { discard; }
  return shade(v);
}
${
  rates
    ? `
fn rateColor(rate: u32) -> vec4f {
  let steps = f32((rate >> 2) + (rate & 3)) / 4;
  return vec4f(mix(vec3f(0.15, 0.2, 0.45), vec3f(1, 0.85, 0.2), steps), 1);
}
@fragment fn rates(@builtin(shading_rate) rate: u32) -> @location(0) vec4f { return rateColor(rate); }
@fragment fn fernRates(v: Seen, @builtin(shading_rate) rate: u32) -> @location(0) vec4f {
  if (isCut(v.uv)) { discard; }
  return rateColor(rate);
}`
    : ''
}`;

/** Numbers from 0 to 1, the same in every run. */
function randomFrom(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

const heightAt = (x, z) => 0.5 * Math.sin(x * 0.21 + 1) * Math.sin(z * 0.17) - 0.2;

/** Triangles of three vertices with position, normal, texture coordinates and kind: the opaque ones, and the ferns. */
function mesh() {
  const random = randomFrom(62);
  const solid = [];
  const cut = [];
  const put = (to, p, n, uv, kind) => to.push(...p, ...n, ...uv, kind);
  const cone = ([x, y, z], low, high, height, kind) => {
    for (let i = 0; i < SIDES; i++) {
      const [a, b] = [i, i + 1].map((k) => (k / SIDES) * 2 * Math.PI);
      const at = (angle, up) => {
        const r = up ? high : low;
        return [x + r * Math.cos(angle), y + up * height, z + r * Math.sin(angle)];
      };
      const n = (angle) => [Math.cos(angle), (low - high) / height, Math.sin(angle)];
      const corner = (angle, side, up) => put(solid, at(angle, up), n(angle), [side / SIDES, up], kind);
      corner(a, i, 0);
      corner(b, i + 1, 0);
      corner(b, i + 1, 1);
      if (!high) continue;
      corner(a, i, 0);
      corner(b, i + 1, 1);
      corner(a, i, 1);
    }
  };
  const places = Array.from({ length: TREES }, () => [(random() - 0.5) * 90, 5 + random() * (DEPTH - 8)])
    .filter(([x, z]) => Math.abs(x) > 2.2 || z > 60)
    .sort((a, b) => a[1] - b[1]);
  for (const [x, z] of places) {
    const y = heightAt(x, z);
    const size = 0.7 + random() * 0.7;
    cone([x, y - 0.2, z], 0.22 * size, 0.14 * size, 2.4 * size, BARK);
    for (let k = 0; k < 4; k++)
      cone([x, y + (1.2 + k * 1.5) * size, z], (1.9 - k * 0.4) * size, 0, (2.6 - k * 0.15) * size, NEEDLES);
  }
  const step = 2;
  for (let z = 0; z < DEPTH; z += step)
    for (let x = -46; x < 46; x += step) {
      const corner = (dx, dz) => {
        const [px, pz] = [x + dx * step, z + dz * step];
        const slope = (ax, az) => (heightAt(px + ax, pz + az) - heightAt(px - ax, pz - az)) / 0.2;
        put(solid, [px, heightAt(px, pz), pz], [-slope(0.1, 0), 1, -slope(0, 0.1)], [dx, dz], GROUND);
      };
      for (const [dx, dz] of [
        [0, 0],
        [1, 0],
        [0, 1],
        [0, 1],
        [1, 0],
        [1, 1],
      ])
        corner(dx, dz);
    }
  for (let i = 0; i < FERNS; i++) {
    const [x, z] = [(random() - 0.5) * 16, 3 + random() * 16];
    const y = heightAt(x, z) - 0.05;
    for (const [dx, dz] of [
      [0.5, 0.15],
      [0.15, -0.5],
    ]) {
      const corner = (s, t) => {
        const p = [x + (s - 0.5) * 2 * dx, y + t * 0.8, z + (s - 0.5) * 2 * dz];
        put(cut, p, [-dz, 1, dx], [s, t], FERN);
      };
      for (const [s, t] of [
        [0, 0],
        [1, 0],
        [0, 1],
        [0, 1],
        [1, 0],
        [1, 1],
      ])
        corner(s, t);
    }
  }
  return { solid: Float32Array.from(solid), cut: Float32Array.from(cut) };
}

/** Returns the columns of projection × view for a camera that looks along z. */
function matrixOf([x, y, z], aspect) {
  const across = 1 / (HALF_HEIGHT * aspect);
  const up = 1 / HALF_HEIGHT;
  const a = FAR / (FAR - NEAR);
  const b = -NEAR * a;
  return [across, 0, 0, 0, 0, up, 0, 0, 0, 0, a, 1, -x * across, -y * up, b - a * z, -z];
}

/**
 * Creates the forest on a device. `draw(pass, tick, rates)` draws it; the tick, a small number, moves the camera. With
 * `rates`, the pass has shading rates: ferns ignore them, because a coarse pixel is discarded as a whole. `shows`
 * selects the picture: `'color'`, or `'rates'`, where coarser rates are lighter. `'rates'` needs a device with the
 * feature shading-rate.
 */
export function forest(device, { width, height, samples, format, shows = 'color' }) {
  const mapped = shows === 'rates';
  const module = device.createShaderModule({ code: code(mapped) });
  const group0 = device.createBindGroupLayout({
    entries: [{ binding: 0, visibility: 3, buffer: { type: 'uniform' } }],
  });
  const layout = device.createPipelineLayout({ bindGroupLayouts: [group0] });
  const pipelineOf = (entryPoint) =>
    device.createRenderPipeline({
      layout,
      vertex: {
        module,
        buffers: [
          {
            arrayStride: 36,
            attributes: [
              { shaderLocation: 0, offset: 0, format: 'float32x3' },
              { shaderLocation: 1, offset: 12, format: 'float32x3' },
              { shaderLocation: 2, offset: 24, format: 'float32x2' },
              { shaderLocation: 3, offset: 32, format: 'float32' },
            ],
          },
        ],
      },
      fragment: { module, entryPoint, targets: [{ format }] },
      depthStencil: { format: 'depth32float', depthCompare: 'less', depthWriteEnabled: true },
      multisample: { count: samples },
    });
  const upload = (data, usage) => {
    const buffer = device.createBuffer({ size: data.byteLength, usage: usage | BUFFER.COPY_DST });
    device.queue.writeBuffer(buffer, 0, data);
    return buffer;
  };
  const { solid, cut } = mesh();
  const draws = [
    { pipeline: pipelineOf(mapped ? 'rates' : 'fs'), data: solid },
    { pipeline: pipelineOf(mapped ? 'fernRates' : 'fern'), data: cut },
  ].map(({ pipeline, data }) => ({ pipeline, vertices: upload(data, BUFFER.VERTEX), count: data.length / 9 }));
  const camera = device.createBuffer({ size: 80, usage: BUFFER.UNIFORM | BUFFER.COPY_DST });
  const group = device.createBindGroup({ layout: group0, entries: [{ binding: 0, resource: { buffer: camera } }] });
  return {
    draw(pass, tick = 0, rates = false) {
      const eye = [EYE[0] + tick, EYE[1], EYE[2]];
      device.queue.writeBuffer(camera, 0, Float32Array.of(...matrixOf(eye, width / height), ...eye, tick));
      pass.setBindGroup(0, group);
      draws.forEach(({ pipeline, vertices, count }, i) => {
        if (rates) pass.setShadingRate('1x1', i ? { region: 'keep', depth: 'keep' } : {});
        pass.setPipeline(pipeline);
        pass.setVertexBuffer(0, vertices);
        pass.draw(count);
      });
    },
  };
}
