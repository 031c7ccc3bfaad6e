// The compute shader of rate images: one invocation per four blocks of a row, whose codes are one word of the buffer.
//
// For each rate, the error of a block is the greatest range (maximum less minimum) of any channel over the pixels of a
// coarse pixel. A coarse pixel's value lies between those of its pixels, so no pixel changes by more.

/** Candidates from coarse to fine: the code, and the element of `Errors` that must not exceed the tolerance. */
const CANDIDATES = [
  ['4x4', 10, 'e44'],
  ['4x2', 9, 'e42'],
  ['2x4', 6, 'e24'],
  ['2x2', 5, 'e22'],
  ['2x1', 4, 'e21'],
  ['1x2', 1, 'e12'],
] as const;

/** Names of the rates that a rate image may contain. */
export type ImageRate = '1x1' | (typeof CANDIDATES)[number][0];
export const IMAGE_RATES: readonly ImageRate[] = ['1x1', ...CANDIDATES.map(([name]) => name)];

/** Whether a rate is at most as wide and as high as another one. */
const isWithin = (rate: string, most: string): boolean =>
  [0, 1].every((side) => Number(rate.split('x')[side]) <= Number(most.split('x')[side]));

/** Writes the shader for a block size, the coarsest rate, and whether there is a texture of motion. */
export function rateShader(blockSize: number, coarsest: ImageRate, moves: boolean): string {
  const choices = CANDIDATES.filter(([rate]) => isWithin(rate, coarsest)).map(
    ([, code, error]) => `if (e.${error} <= params.tolerance) { return ${code}; }`
  );
  return `
struct Params { size: vec2i, tolerance: f32, words: u32 }
struct Errors { e21: f32, e12: f32, e22: f32, e42: f32, e24: f32, e44: f32 }
struct Range { low: vec4f, high: vec4f }
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> codes: array<u32>;
@group(0) @binding(2) var color: texture_2d<f32>;
${moves ? '@group(0) @binding(3) var motion: texture_2d<f32>;' : ''}

// Stands for pixels outside the picture: no coarse pixel may reach from the picture into them.
const OUTSIDE = 1e38;
var<private> known: bool;
fn before(pixel: vec2i) -> vec4f {
  if (any(pixel >= params.size)) { return vec4f(OUTSIDE); }
  ${moves ? 'let source = vec2i(round(vec2f(pixel) - textureLoad(motion, pixel, 0).xy));' : 'let source = pixel;'}
  if (any(source < vec2i(0)) || any(source >= params.size)) { known = false; }
  return textureLoad(color, clamp(source, vec2i(0), params.size - 1), 0);
}
fn pair(a: vec4f, b: vec4f) -> Range { return Range(min(a, b), max(a, b)); }
fn both(a: Range, b: Range) -> Range { return Range(min(a.low, b.low), max(a.high, b.high)); }
fn error(r: Range) -> f32 {
  let d = r.high - r.low;
  return max(max(d.x, d.y), max(d.z, d.w));
}
struct Quad { across: f32, down: f32, range: Range }
fn quad(at: vec2i) -> Quad {
  let a = before(at);
  let b = before(at + vec2i(1, 0));
  let c = before(at + vec2i(0, 1));
  let d = before(at + vec2i(1, 1));
  let upper = pair(a, b);
  let lower = pair(c, d);
  return Quad(
    max(error(upper), error(lower)), max(error(pair(a, c)), error(pair(b, d))), both(upper, lower));
}
fn rate(block: vec2i) -> u32 {
  var e = Errors(0, 0, 0, 0, 0, 0);
  known = true;
  for (var i = 0; i < ${(blockSize / 4) * (blockSize / 4)}; i++) {
    let at = block * ${blockSize} + vec2i(i % ${blockSize / 4}, i / ${blockSize / 4}) * 4;
    if (any(at >= params.size)) { continue; }
    let a = quad(at);
    let b = quad(at + vec2i(2, 0));
    let c = quad(at + vec2i(0, 2));
    let d = quad(at + vec2i(2, 2));
    let upper = both(a.range, b.range);
    let lower = both(c.range, d.range);
    e.e21 = max(e.e21, max(max(a.across, b.across), max(c.across, d.across)));
    e.e12 = max(e.e12, max(max(a.down, b.down), max(c.down, d.down)));
    e.e22 = max(e.e22, max(max(error(a.range), error(b.range)), max(error(c.range), error(d.range))));
    e.e42 = max(e.e42, max(error(upper), error(lower)));
    e.e24 = max(e.e24, max(error(both(a.range, c.range)), error(both(b.range, d.range))));
    e.e44 = max(e.e44, error(both(upper, lower)));
  }
  if (!known) { return 0; }
  ${choices.join('\n  ')}
  return 0;
}
@compute @workgroup_size(16) fn main(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= params.words) { return; }
  var word = 0u;
  for (var i = 0u; i < 4; i++) {
    let block = vec2i(vec2u(id.x * 4 + i, id.y));
    if (block.x * ${blockSize} < params.size.x) { word |= rate(block) << (i * 8); }
  }
  codes[id.y * params.words + id.x] = word;
}`;
}
