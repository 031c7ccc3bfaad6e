// Explains the cells of the cost map that cost more than LIMIT times their nearest common relative: their arithmetic
// needs it. The first pattern that matches a cell's name applies.
export const REASONS = [
  [
    /^(texture reads, 3d|filters and address modes, \w+\|3d).*(sample|level|bias|grad|linear|anis)/,
    'eight texels instead of four, and a third coordinate',
  ],
  [
    /^(texture reads, cube|filters and address modes, \w+\|cube)/,
    'each pixel has a face of its own: three comparisons, two divisions, and gradients by the quotient rule',
  ],
  [/^filters and address modes, \w+\|3d/, 'a third coordinate and its gradients'],
  [/^texture reads, multisampled/, 'where a sample lies follows from the state of its block: looked up pixel by pixel'],
  [/rg11b10ufloat/, 'three channels of two widths, each unpacked into a float of its own'],
  [/^texture reads.*srgb\|load/, 'twelve reads of the table that decodes sRGB'],
  [
    /^texture reads, [^|]+\|(?!rgba8unorm\||rgba16float|depth32)/,
    'formats that few programs read go through their codec: a call, and four loads for each texel',
  ],
  [/^colour targets.*srgb/, 'decoded by a table, encoded by two square roots and a polynomial for each channel'],
  [/^colour targets.*\|max/, 'rgba8unorm takes one instruction for the sixteen bytes of four texels'],
  [/^colour targets.*float/, 'two or four times the bytes, decoded, rounded and encoded again at each layer'],
  [
    /^colour targets, whole blocks, [48] samples\|(rgb10a2unorm|rg8unorm)\|(multiply|add)/,
    'channels of other widths, or fewer, are taken apart texel by texel; '
      + 'the bytes of rgba8unorm are blended as they lie',
  ],
  [
    /^colour targets, small triangles, [48]/,
    'a pixel that a triangle covers in part has values of its own in each sample',
  ],
  [/^colour targets.*masked/, 'channels that are not written have to be merged, sample by sample'],
  [
    /^depth and stencil.*(blended|discard|sample_mask|alpha|frag_depth)$/,
    'tested quad by quad, since each layer takes effect before the next; without a test whole blocks are shaded',
  ],
  [/^primitives\|(line|point)/, 'two triangles each, whose corners are made from the ends'],
  [/^WGSL, simple functions\|quantizeToF16/, 'rounded to a half and back'],
  [/^WGSL, control flow\|loop/, 'lanes leave at turns of their own: a mask is kept and tested at each'],
  [/^WGSL, integers\|[/%] /, 'WebAssembly has no division of vectors: by floats, and corrected'],
  [/^WGSL, integers/, 'several instructions where an addition is one'],
  [/^vertex attributes\|(un|sn|ui|si)\w+8x2/, 'two bytes are widened twice, as four are: fewer bytes save nothing'],
  [/^vertex attributes\|(un|sn|ui|si)\w+8x4/, 'bytes are widened twice, to words; floats are copied as they are'],
  [/^WGSL, transcendental functions\|a(sin|cos|tan)h/, 'a square root and a logarithm'],
  [/^transfers\|.*\|(upload|readback)/, 'the bytes are copied once more, out of or into what the program owns'],
  [/^transfers\|rgba32float/, 'four times the bytes'],
];

export const reasonFor = (key) => REASONS.find(([pattern]) => pattern.test(key))?.[1];
