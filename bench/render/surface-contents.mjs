// Contents of multisampled surfaces, which surfaces.mjs measures: one value in each pixel, several, or one per sample,
// and thin triangles. Each is a list of draw calls of `vertices` vertices.
export const FULL_SCREEN = `
  @vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
    return vec4f(f32(i & 1u) * 4 - 1, f32(i >> 1u) * 4 - 1, 0.5, 1);
  }
`;
const GRADIENT =
  '@fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4f { return vec4f(p.x / 1280, p.y / 720, 0.5, 1); }';
const NOISE = `@fragment fn fs(@builtin(position) p: vec4f, @builtin(sample_index) s: u32) -> @location(0) vec4f {
  return unpack4x8unorm((u32(p.x) * 16u + s + u32(p.y) * 20480u) * 2654435761u); }`;

/** Writes value `k` of `count` to about every count-th sample, which samples differs from pixel to pixel. */
const valueOf = (k, count, samples) => `
struct Out { @location(0) color: vec4f, @builtin(sample_mask) mask: u32 }
@fragment fn fs(@builtin(position) p: vec4f) -> Out {
  let turn = ((u32(p.x) * 73856093u) ^ (u32(p.y) * 19349663u)) >> 7u;
  var mask = 0u;
  for (var s = 0u; s < ${samples}u; s++) {
    if (((s ^ turn) & ${samples - 1}u) * ${count}u / ${samples}u == ${k}u) { mask |= 1u << s; }
  }
  return Out(vec4f(p.x / 1280, p.y / 720, ${k / count}, 1), mask);
}`;

/** 12 000 blades, each a triangle of two to six pixels' width. */
const BLADES = 12000;
const GRASS = `
struct Corner { @builtin(position) p: vec4f, @location(0) color: vec3f }
fn hash(n: u32) -> f32 {
  let m = (n ^ (n >> 15u)) * 2246822519u;
  return f32(((m ^ (m >> 13u)) * 3266489917u) >> 8u) / 16777216;
}
@vertex fn vs(@builtin(vertex_index) i: u32) -> Corner {
  let blade = i / 3u * 5u + 1u;
  let corner = i % 3u;
  let root = vec2f(hash(blade), hash(blade + 1u)) * vec2f(2.1, 2.2) - vec2f(1.05, 1.2);
  let lean = (hash(blade + 2u) - 0.5) * 0.08;
  let height = 0.1 + 0.15 * hash(blade + 3u);
  let half = 0.0015 + 0.003 * hash(blade + 4u);
  let at = array(vec2f(-half, 0), vec2f(half, 0), vec2f(lean, height))[corner];
  return Corner(vec4f(root + at, 0.5, 1), vec3f(0.2, 0.35 + 0.3 * hash(blade + 2u), 0.1) * (1 + f32(corner / 2u)));
}
@fragment fn fs(c: Corner) -> @location(0) vec4f { return vec4f(c.color, 1); }`;

const fullScreen = (code) => ({ code: `${FULL_SCREEN} ${code}`, vertices: 3 });

/** The most samples of a pixel that hold different values, by content. Grass has up to a value per sample. */
export const VALUE_COUNTS = {
  'one value': 1,
  '2 values': 2,
  '3 values': 3,
  '4 values': 4,
  '6 values': 6,
  '8 values': 8,
};

/** Returns a content's draw calls for a surface with `samples` samples, or null if it needs more samples. */
export function contentOf(name, samples) {
  if (name === 'noise') return [fullScreen(NOISE)];
  if (name === 'grass') return [fullScreen(GRADIENT), { code: GRASS, vertices: BLADES * 3 }];
  const count = VALUE_COUNTS[name];
  if (count > samples) return null;
  if (count === 1) return [fullScreen(GRADIENT)];
  return Array.from({ length: count }, (_, k) => fullScreen(valueOf(k, count, samples)));
}
