// Shaders of the random frames: one WGSL module per kind of fragment shader and list of targets. Colors are computed
// from the vertex index, so a mesh consists of positions only.

/** The component type of a target. */
export type Scalar = 'f32' | 'u32' | 'i32';

interface Program {
  /**
   * Members of the interface between vertex and fragment stage, with their values in the vertex stage (`c` is a hash of
   * the vertex).
   */
  readonly varyings: readonly (readonly [member: string, value: string])[];
  /** Additional parameters of the fragment stage. */
  readonly inputs?: string;
  /** Statements that compute `color`, a vec4f. */
  readonly body: string;
  /** Members of the result in addition to colors, with their values. */
  readonly outputs?: readonly (readonly [member: string, value: string])[];
  /** Whether it reads the texture and the sampler. */
  readonly textured?: boolean;
  /** Whether depth and stencil are tested before the shader. */
  readonly testsEarly?: boolean;
}

const smooth = [['@location(0) a: vec4f', 'c']] as const;

const programs = {
  constant: { varyings: [], body: 'let color = vec4f(0.3, 0.6, 0.9, 0.7);' },
  flat: { varyings: [['@location(0) @interpolate(flat) a: vec4f', 'c']], body: 'let color = v.a;' },
  smooth: { varyings: smooth, body: 'let color = v.a;' },
  linear: { varyings: [['@location(0) @interpolate(linear) a: vec4f', 'c']], body: 'let color = v.a;' },
  mixed: {
    varyings: [
      ['@location(0) a: vec2f', 'c.xy'],
      ['@location(1) @interpolate(flat) n: u32', 'i'],
      ['@location(2) @interpolate(linear) b: vec3f', 'c.yzw'],
    ],
    body: 'let color = vec4f(v.a.x, v.b.z, f32(v.n % 5u) / 4, v.a.y + v.b.x - v.b.y);',
  },
  centroid: {
    varyings: [
      ['@location(0) @interpolate(perspective, centroid) a: vec4f', 'c'],
      ['@location(1) @interpolate(linear, centroid) b: vec4f', 'c.yzwx'],
    ],
    body: 'let color = vec4f(v.a.xy, v.b.zw);',
  },
  sample: {
    varyings: [
      ['@location(0) @interpolate(perspective, sample) a: vec4f', 'c'],
      ['@location(1) @interpolate(linear, sample) b: vec4f', 'c.wzyx'],
    ],
    body: 'let color = vec4f(v.a.xy, v.b.zw);',
  },
  discards: { varyings: smooth, body: 'if (fract(v.a.x * 5) < 0.4) { discard; } let color = v.a;' },
  discardsCentroid: {
    varyings: [['@location(0) @interpolate(perspective, centroid) a: vec4f', 'c']],
    body: 'if (fract(v.a.x * 5) < 0.4) { discard; } let color = v.a;',
  },
  fragDepth: {
    varyings: smooth,
    body: 'let color = v.a;',
    outputs: [['@builtin(frag_depth) depth: f32', 'round(v.a.y * 20) / 16 - 0.1']],
  },
  maskOut: {
    varyings: smooth,
    body: 'let color = v.a;',
    outputs: [['@builtin(sample_mask) mask: u32', 'u32(abs(v.a.z) * 40)']],
  },
  maskIn: {
    varyings: smooth,
    inputs: '@builtin(sample_mask) m: u32',
    body: 'let color = vec4f(f32(m) / 16, v.a.yzw);',
  },
  sampleIndex: {
    varyings: smooth,
    inputs: '@builtin(sample_index) s: u32, @builtin(sample_mask) m: u32',
    body: 'let color = vec4f(f32(s) / 4, v.a.yz, f32(m) / 16);',
  },
  maskTested: {
    varyings: smooth,
    inputs: '@builtin(sample_mask) m: u32',
    body: 'let color = vec4f(f32(m) / 16, v.a.yzw);',
    testsEarly: true,
  },
  discardsTested: {
    varyings: smooth,
    inputs: '@builtin(sample_mask) m: u32',
    body: 'if (fract(v.a.x * 5) < 0.4) { discard; } let color = vec4f(f32(m) / 16, v.a.yzw);',
    outputs: [['@builtin(sample_mask) mask: u32', 'm ^ u32(abs(v.a.z) * 40)']],
    testsEarly: true,
  },
  derivatives: {
    // Helper invocations take part in the loop.
    varyings: smooth,
    body: `
      var k = v.a.x; for (var i = 0; i < min(i32(v.a.y * 4), 99); i++) { k += v.a.z; }
      let color = vec4f(dpdx(k) * 20, dpdy(v.a.y) * 20, fwidth(k) * 20, v.a.w);
    `,
  },
  derivativesOfMask: {
    varyings: smooth,
    inputs: '@builtin(sample_mask) m: u32',
    body: 'let color = vec4f(0.5 + dpdx(f32(m)) / 32, 0.5 + dpdy(f32(m)) / 32, v.a.zw);',
  },
  textured: {
    varyings: smooth,
    body: 'let color = textureSample(t, s, v.a.xy * 3) + vec4f(0, 0, 0, v.a.w - 0.5);',
    textured: true,
  },
  position: {
    varyings: smooth,
    inputs: '@builtin(front_facing) front: bool',
    body: 'let color = vec4f(fract(v.p.x * 0.21), fract(v.p.y * 0.17), v.p.z, select(v.p.w * 0.3, 1, front));',
  },
} satisfies Record<string, Program>;

export type Kind = keyof typeof programs;
export const kinds = Object.keys(programs) as Kind[];
const programOf = (kind: Kind): Program => programs[kind];

export const writesMask = (kind: Kind): boolean => kind === 'maskOut' || kind === 'discardsTested';
export const writesDepth = (kind: Kind): boolean => kind === 'fragDepth';
export const isTextured = (kind: Kind): boolean => programOf(kind).textured ?? false;

const NUMBERS: Readonly<Record<Scalar, string>> = {
  f32: 'vec4f(r)',
  u32: 'vec4u(r * 300)',
  i32: 'vec4i(r * 300 - 100)',
};

/** Returns the module of a kind for these targets, with the entry points `vs` and `fs`. */
export function wgsl(kind: Kind, targets: readonly Scalar[]): string {
  const { varyings, inputs, body, outputs = [], textured, testsEarly } = programOf(kind);
  const colors = targets.map((scalar, i): readonly [string, string] => [
    `@location(${i}) c${i}: vec4<${scalar}>`,
    `color${i}`,
  ]);
  const results = [...colors, ...outputs];
  const parameters = [...(varyings.length ? ['v: V'] : []), ...(inputs ? [inputs] : [])].join(', ');
  return `${testsEarly ? 'enable multisample_storage_textures;' : ''}
    struct V { ${['@builtin(position) p: vec4f', ...varyings.map(([member]) => member)].join(', ')} }
    ${textured ? '@group(0) @binding(0) var t: texture_2d<f32>; @group(0) @binding(1) var s: sampler;' : ''}
    fn hash(n: u32) -> f32 {
      var x = n * 747796405u + 2891336453u; x = ((x >> ((x >> 28u) + 4u)) ^ x) * 277803737u;
      return f32(((x >> 22u) ^ x) >> 8u) / 16777216.0;
    }
    @vertex fn vs(@location(0) x: vec4f, @builtin(vertex_index) i: u32, @builtin(instance_index) n: u32) -> V {
      // From a little below 0 to a little above 1: formats clamp. Instances lie beside and behind one another.
      let c = vec4f(hash(4 * i), hash(4 * i + 1), hash(4 * i + 2 + n), hash(4 * i + 3)) * 1.3 - 0.15;
      return V(
        ${['x + vec4f(0.11, -0.07, 0.0625, 0) * (f32(n) * x.w)', ...varyings.map(([, value]) => value)].join(', ')});
    }
    ${results.length ? `struct R { ${results.map(([member]) => member).join(', ')} }` : ''}
    @fragment ${testsEarly ? '@early_depth_test' : ''} fn fs(${parameters}) ${results.length ? '-> R' : ''} {
      ${body}
      ${targets
        .map(
          (scalar, i) =>
            `
              let r${i} = color${['.xyzw', '.yzwx', '.wxyz'][i % 3]!};
              let color${i} = ${NUMBERS[scalar].replace('r', `r${i}`)};
            `
        )
        .join('\n')}
      ${results.length ? `return R(${results.map(([, value]) => value).join(', ')});` : '_ = color;'}
    }`;
}

/**
 * Reads every sample of an attachment: row y·samples + sample of the target is sample `sample` of row y of the
 * attachment.
 */
export function readerWgsl(scalar: Scalar | 'depth', samples: number): string {
  const many = samples > 1 ? 'multisampled_' : '';
  const type = scalar === 'depth' ? `texture_depth_${many}2d` : `texture_${many}2d<${scalar}>`;
  const result = scalar === 'depth' ? 'vec4f' : `vec4<${scalar}>`;
  const texel = `textureLoad(t, vec2i(i32(p.x), i32(p.y) / ${samples}), i32(p.y) % ${samples})`;
  return `
    @group(0) @binding(0) var t: ${type};
    @vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
      return vec4f(f32(i & 1) * 4 - 1, f32(i >> 1) * 4 - 1, 0, 1);
    }
    @fragment fn fs(@builtin(position) p: vec4f) -> @location(0) ${result} {
      return ${scalar === 'depth' ? `vec4f(${texel})` : texel};
    }`;
}
