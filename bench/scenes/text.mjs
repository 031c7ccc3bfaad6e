// A page of text: one blended quad per letter, read from an atlas of signed distances.
import { BUFFER, FORMAT, OVER, bound, canvas, floats, hash, pipelineOf, upload } from './kit.mjs';
import { ACROSS, SPREAD, atlasOf, glyphOf } from './glyphs.mjs';

const SENTENCES = [
  'a page is drawn letter by letter, and every letter is a small square that reads how far it is from an outline.',
  'what lies inside is ink, what lies outside is paper, and one pixel between them is a little of both.',
  'the quick brown fox jumps over the lazy dog while five boxing wizards look on.',
  'light falls on the hills, the river turns, and a boat with a grey sail goes down to the sea.',
  "it isn't the size of the type that matters but the space around it.",
];
const COLUMNS = 3;
const WIDTH = 1280;
const HEIGHT = 720;
const MARGIN = 28;
const GAP = 26;

/** One letter: centre and size in points of a page of 1280 × 720, glyph, colour. */
function* lettersOf(text, x, y, size, colour) {
  for (const letter of text) {
    if (letter !== ' ') yield [x, y, size, glyphOf(letter), ...colour];
    x += size * 0.53;
  }
}

/** Random sentences, as one text with at least `length` letters. */
function prose(seed, length) {
  let text = '';
  for (let k = 0; text.length < length; k++) text += `${SENTENCES[Math.floor(hash(seed + k) * SENTENCES.length)]} `;
  return text;
}

function page() {
  const all = [];
  const across = (WIDTH - 2 * MARGIN - (COLUMNS - 1) * GAP) / COLUMNS;
  all.push(...lettersOf('the page of distances', MARGIN + 14, 44, 46, [0.1, 0.16, 0.3, 1]));
  for (let column = 0; column < COLUMNS; column++) {
    const size = 13 + column * 2.5;
    const line = size * 1.02;
    const left = MARGIN + column * (across + GAP) + size / 2;
    const words = prose(column * 100, 6000).split(' ');
    const most = Math.floor(across / (size * 0.53));
    let y = 96;
    let text = '';
    let paragraph = 0;
    for (const word of words) {
      if (text.length + word.length <= most) {
        text += `${word} `;
        continue;
      }
      const shade = paragraph % 4 === 3 ? [0.55, 0.12, 0.1, 1] : [0.12, 0.12, 0.14, 1];
      all.push(...lettersOf(text, left, y, size, shade));
      text = `${word} `;
      y += line * (hash(column * 977 + y) < 0.14 ? (paragraph++, 1.7) : 1);
      if (y > HEIGHT - MARGIN) break;
    }
  }
  return Float32Array.from(all.flat());
}

const code = (rows) => `
struct Page { tick: f32 };
@group(0) @binding(0) var<uniform> page: Page;
@group(0) @binding(1) var s: sampler;
@group(0) @binding(2) var atlas: texture_2d<f32>;
struct V { @builtin(position) p: vec4f, @location(0) uv: vec2f, @location(1) @interpolate(flat, either) c: vec4f };
@vertex fn vs(@builtin(vertex_index) i: u32, @location(0) at: vec4f, @location(1) c: vec4f) -> V {
  let k = select(i - 2u, i, i < 3u);
  let q = vec2f(f32(k & 1u), f32(k >> 1u));
  let p = at.xy + (q - 0.5) * at.z * 1.35 + vec2f(0, page.tick * 40);
  let cell = vec2f(at.w % ${ACROSS}, floor(at.w / ${ACROSS}));
  return V(
    vec4f(p.x / ${WIDTH / 2} - 1, 1 - p.y / ${HEIGHT / 2}, 0, 1), (cell + q) / vec2f(${ACROSS}, ${rows}), c
  );
}
@fragment fn fs(v: V) -> @location(0) vec4f {
  let d = textureSample(atlas, s, v.uv).r;
  let texels = fwidth(v.uv) * vec2f(textureDimensions(atlas));
  let soft = 0.35 * (texels.x + texels.y) / ${SPREAD};
  let a = v.c.a * smoothstep(0.5 - soft, 0.5 + soft, d);
  return vec4f(v.c.rgb * a, a);
}`;

export function text(device, o) {
  const picture = canvas(device, o);
  const data = page();
  const letters = upload(device, data, BUFFER.VERTEX);
  const tick = device.createBuffer({ size: 16, usage: BUFFER.UNIFORM | BUFFER.COPY_DST });
  const { texture, rows } = atlasOf(device);
  const pipeline = pipelineOf(device, code(rows), {
    buffers: [floats([4, 4], { stepMode: 'instance' })],
    samples: o.samples,
    depth: null,
    targets: [{ format: FORMAT, blend: OVER }],
  });
  const sampler = device.createSampler({ magFilter: 'linear', minFilter: 'linear' });
  const group = bound(device, pipeline, [tick, sampler, texture.createView()]);
  return {
    color: picture.color,
    render: () =>
      picture.frame((encoder, now) => {
        device.queue.writeBuffer(tick, 0, Float32Array.of(now));
        const pass = encoder.beginRenderPass({ colorAttachments: [picture.attachment([0.97, 0.95, 0.9, 1])] });
        pass.setPipeline(pipeline);
        pass.setBindGroup(0, group);
        pass.setVertexBuffer(0, letters);
        pass.draw(6, data.length / 8);
        pass.end();
      }),
  };
}
