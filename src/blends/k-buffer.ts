// Order-independent transparency with a k-buffer per sample (Bavoil et al., Multi-Fragment Effects on the GPU using the
// k-Buffer, 2007). Integer render targets hold the k nearest fragments of a sample, nearest first. A fragment shader
// reads them by `@color(n)`, inserts its own fragment and writes them back. A last draw call of the pass composites
// them onto the picture, so they are never stored.
//
// A LAYER is a premultiplied colour and a KEY that is greater for nearer fragments: the depth's bits subtracted from
// all ones, which preserves order for depths from 0 on. Targets cleared to zeros are therefore empty: key 0 is farther
// than everything, and colour 0 covers nothing.
//
//   words of a sample   colours of layer 0, 1, …   keys of layer 0, 1, …
//
// Targets have four words each; the last one has the rest.
//
// Fragments with equal keys are ordered by the bits of their colours, so their order does not matter either. A fragment
// for which no layer is left is merged with the farthest layer, as in multi-layer alpha blending (Salvi and
// Vaidyanathan, 2014): the nearer over the farther one, with the nearer one's key.

/** Number of layers per sample; each takes 6 to 12 bytes. */
export type KBufferLayers = 2 | 3 | 4 | 5 | 6 | 7 | 8;
export interface KBufferOptions {
  /** k: with up to this many fragments per sample, the order of draw calls does not matter. */
  readonly layers: KBufferLayers;
  /**
   * Storage format of colours: 'rgba8unorm' by default (4 bytes); 'rgba16float' (8 bytes) also stores values above 1.
   */
  readonly color?: 'rgba8unorm' | 'rgba16float';
  /** Storage format of depths: 'float32' by default; 'float16' has 11 significant bits and stores at most 65504. */
  readonly depth?: 'float32' | 'float16';
  /** The n of `@color(n)` and `@location(n)` of its first target; 0 by default. */
  readonly firstTarget?: number;
  /** Prefix of all names in the WGSL; 'kBuffer' by default. */
  readonly name?: string;
}
export interface KBuffer {
  /** WGSL of `<name>_Held`, `<name>_Stored`, `<name>_insert` and `<name>_resolve`. */
  readonly wgsl: string;
  /** The formats of its targets, in order, starting at `firstTarget`. */
  readonly formats: readonly ('r32uint' | 'rg32uint' | 'rgba32uint')[];
  /** What its targets add to maxColorAttachmentBytesPerSample. */
  readonly bytesPerSample: number;
}

const CHANNELS = 'xyzw';
/** Formats by number of words in a target; a target of three words uses four. */
const FORMATS = [undefined, 'r32uint', 'rg32uint', 'rgba32uint', 'rgba32uint'] as const;
const TYPES = { r32uint: 'u32', rg32uint: 'vec2u', rgba32uint: 'vec4u' } as const;

/** Number of words of a colour, their WGSL type, and expressions that convert from and to a vec4f. */
const COLORS = {
  rgba8unorm: { words: 1, type: 'u32', pack: 'pack4x8unorm(color)', unpack: 'unpack4x8unorm(words)' },
  rgba16float: {
    words: 2,
    type: 'vec2u',
    pack: 'vec2u(pack2x16float(color.rg), pack2x16float(color.ba))',
    unpack: 'vec4f(unpack2x16float(words.x), unpack2x16float(words.y))',
  },
} as const;
const KEYS = {
  float32: '0xffffffff - bitcast<u32>(near)',
  float16: '0xffff - pack2x16float(vec2f(min(near, 65504), 0))',
} as const;

/** The WGSL expressions that read and write the words, and the positions of layers in them. */
function layoutOf({ layers, color = 'rgba8unorm', depth = 'float32' }: KBufferOptions) {
  const colorWords = COLORS[color].words;
  const keysAt = layers * colorWords;
  const words = keysAt + (depth === 'float32' ? layers : Math.ceil(layers / 2));
  const formats = Array.from({ length: Math.ceil(words / 4) }, (_, i) => FORMATS[Math.min(4, words - i * 4)]!);
  const word = (i: number): string => {
    const of = `held.words${i >> 2}`;
    return formats[i >> 2] === 'r32uint' ? of : `${of}.${CHANNELS[i & 3]!}`;
  };
  const key = (layer: number): string => {
    if (depth === 'float32') return word(keysAt + layer);
    const both = word(keysAt + (layer >> 1));
    return layer & 1 ? `${both} >> 16` : `${both} & 0xffff`;
  };
  const colorAt = (layer: number): string =>
    colorWords === 1 ? word(layer) : `vec2u(${word(layer * 2)}, ${word(layer * 2 + 1)})`;
  /** The words of the layers in the variables layer0, layer1, …, one after the other. */
  const given = Array.from({ length: words }, (_, i) => {
    if (i < keysAt) return colorWords === 1 ? `layer${i}.color` : `layer${i >> 1}.color.${CHANNELS[i & 1]!}`;
    if (depth === 'float32') return `layer${i - keysAt}.key`;
    const low = (i - keysAt) * 2;
    const both = low + 1 < layers;
    return both ? `layer${low}.key | (layer${low + 1}.key << 16)` : `layer${low}.key`;
  });
  const targets = formats.map((format, i) => {
    const own = given.slice(i * 4, i * 4 + 4);
    const all = format === 'rgba32uint' && own.length === 3 ? [...own, '0'] : own;
    return format === 'r32uint' ? own[0]! : `${TYPES[format]}(${all.join(', ')})`;
  });
  return { formats, targets, layerAt: (layer: number) => `${colorAt(layer)}, ${key(layer)}` };
}

/** The members of a WGSL structure, one per target. */
const members = (formats: KBuffer['formats'], attribute: 'color' | 'location', first: number): string =>
  formats.map((format, i) => `  @${attribute}(${first + i}) words${i}: ${TYPES[format]},\n`).join('');

/**
 * Creates a k-buffer: the formats of its targets, which a pass clears to zeros and discards, and WGSL of
 *
 *   struct <name>_Held     what fragment shaders read: an input
 *   struct <name>_Stored   what they write: an output
 *   fn <name>_insert(held: <name>_Held, color: vec4f, depth: f32) -> <name>_Stored
 *   fn <name>_resolve(held: <name>_Held, background: vec4f) -> vec4f
 *
 * Colours are premultiplied by alpha. Smaller depths are nearer; negative ones count as 0. A fragment whose stored
 * colour is all zeros takes no layer.
 */
export function kBuffer(options: KBufferOptions): KBuffer {
  const { layers, color = 'rgba8unorm', depth = 'float32', firstTarget = 0, name = 'kBuffer' } = options;
  const { formats, targets, layerAt } = layoutOf(options);
  const { words, type, pack, unpack } = COLORS[color];
  const all = Array.from({ length: layers }, (_, i) => i);
  const last = layers - 1;
  const isNothing = (colors: string): string => (words === 1 ? `${colors} == 0` : `all(${colors} == vec2u())`);
  const greater = (a: string, b: string): string =>
    words === 1 ? `(${a} > ${b})` : `((${a}.x > ${b}.x) | ((${a}.x == ${b}.x) & (${a}.y > ${b}.y)))`;
  const wgsl = `
struct ${name}_Held {
${members(formats, 'color', firstTarget)}}
struct ${name}_Stored {
${members(formats, 'location', firstTarget)}}
struct ${name}_Layer { color: ${type}, key: u32 }
fn ${name}_pack(color: vec4f) -> ${type} { return ${pack}; }
fn ${name}_unpack(words: ${type}) -> vec4f { return ${unpack}; }
fn ${name}_layer(color: vec4f, depth: f32) -> ${name}_Layer {
  let words = ${name}_pack(color);
  let near = select(0, depth, depth > 0);
  return ${name}_Layer(words, select(${KEYS[depth]}, 0u, ${isNothing('words')}));
}
fn ${name}_isNearer(a: ${name}_Layer, b: ${name}_Layer) -> bool {
  return (a.key > b.key) | ((a.key == b.key) & ${greater('a.color', 'b.color')});
}
fn ${name}_choice(a: ${name}_Layer, b: ${name}_Layer, second: bool) -> ${name}_Layer {
  return ${name}_Layer(select(a.color, b.color, second), select(a.key, b.key, second));
}
fn ${name}_insert(held: ${name}_Held, color: vec4f, depth: f32) -> ${name}_Stored {
  let own = ${name}_layer(color, depth);
${all
  .map(
    (i) => `  let held${i} = ${name}_Layer(${layerAt(i)});
  let moves${i} = ${i ? `moves${i - 1} | ` : ''}${name}_isNearer(own, held${i});
  ${i === last ? 'var' : 'let'} layer${i} =
    ${name}_choice(held${i}, ${i ? `${name}_choice(own, held${i - 1}, moves${i - 1})` : 'own'}, moves${i});
`
  )
  .join('')}  let rest = ${name}_choice(own, held${last}, moves${last});
  if (rest.key != 0) {
    let nearer = ${name}_unpack(layer${last}.color);
    layer${last}.color = ${name}_pack(nearer + (1 - nearer.a) * ${name}_unpack(rest.color));
  }
  return ${name}_Stored(${targets.join(', ')});
}
fn ${name}_resolve(held: ${name}_Held, background: vec4f) -> vec4f {
  var color = background;
${all
  .toReversed()
  .map(
    (i) => `  let held${i} = ${name}_Layer(${layerAt(i)});
  let color${i} = ${name}_unpack(held${i}.color);
  color = color${i} + (1 - color${i}.a) * color;
`
  )
  .join('')}  return color;
}
`;
  const bytesPerSample = formats.reduce((sum, format) => sum + { r32uint: 4, rg32uint: 8, rgba32uint: 16 }[format], 0);
  return { wgsl, formats, bytesPerSample };
}
