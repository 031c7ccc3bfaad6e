// Validation of pipelines with framebuffer fetch and fragment stages.
import { expect, test } from 'vitest';
import { apiDevice, validationError } from '../fake';

const reading = async (
  inputs: string,
  targets: (GPUColorTargetState | null)[],
  features: readonly string[] = ['fragment-stages']
): Promise<string | null> => {
  const { device } = await apiDevice({ requiredFeatures: features as GPUFeatureName[] });
  return validationError(device, () => {
    const module = device.createShaderModule({
      code: `enable fragment_stages;
      @vertex fn vs() -> @builtin(position) vec4f { return vec4f(); }
      @fragment fn fs(${inputs}) -> @location(0) vec4f { return vec4f(); }`,
    });
    device.createRenderPipeline({ label: 'p', layout: 'auto', vertex: { module }, fragment: { module, targets } });
  });
};
const one = { operation: 'add', srcFactor: 'one', dstFactor: 'one' } as const;

test('framebuffer fetch works with matching targets', async () => {
  expect(await reading('@color(0) below: vec4f', [{ format: 'rgba8unorm' }])).toBeNull();
  expect(await reading('@color(0) below: f32', [{ format: 'rgba8unorm' }])).toBeNull();
  expect(
    await reading('@color(0) a: vec2f, @color(1) b: vec3u', [
      { format: 'rgba8unorm' },
      { format: 'rg16uint', writeMask: 0 },
    ])
  ).toBeNull();
  const blend = { color: one, alpha: one };
  expect(
    await reading('@color(1) below: i32', [
      { format: 'rgba8unorm', blend },
      { format: 'r32sint', writeMask: 0 },
    ])
  ).toBeNull();
});

test('errors name mismatched targets', async () => {
  const at = '[RenderPipeline "p"] createRenderPipeline: entry point "fs" reads';
  expect(await reading('@color(1) below: vec4f', [{ format: 'rgba8unorm' }])).toBe(
    `${at} @color(1) as "below", but fragment.targets[1] does not exist; the pipeline has 1 targets`
  );
  expect(await reading('@color(0) below: vec4u', [{ format: 'rgba8unorm' }])).toBe(
    `${at} @color(0) as "below" of type vec4u, but fragment.targets[0] (rgba8unorm) contains f32`
  );
  expect(await reading('@color(0) below: vec4f', [{ format: 'rgba8unorm', blend: { color: one, alpha: one } }])).toBe(
    `${at} @color(0) as "below", and fragment.targets[0] (rgba8unorm) has a blend state: `
      + 'a shader that reads its target must blend itself, so omit `blend`'
  );
});

test('framebuffer fetch needs the feature', async () => {
  expect(await reading('@color(0) below: vec4f', [{ format: 'rgba8unorm' }], [])).toContain(
    "extension 'fragment_stages' needs the device feature 'fragment-stages'"
  );
});

interface Stage {
  readonly entryPoint: string;
  readonly rate?: string;
  readonly constants?: Record<string, number>;
}
interface Rest {
  readonly features?: readonly string[];
  readonly entryPoint?: string;
  readonly alpha?: boolean;
  readonly depth?: GPUTextureFormat;
  readonly blends?: boolean;
}

const staged = async (
  code: string,
  stages: readonly Stage[],
  { features = ['fragment-stages'], entryPoint, alpha = false, depth, blends = false }: Rest = {}
): Promise<string | null> => {
  const { device } = await apiDevice({ requiredFeatures: features as GPUFeatureName[] });
  return validationError(device, () => {
    const module = device.createShaderModule({
      code: `${features.length ? 'enable fragment_stages;' : ''}
      struct V { @builtin(position) p: vec4f, @location(0) @interpolate(perspective, sample) s: f32 }
      @vertex fn vs() -> V { return V(); }
      ${code}`,
    });
    device.createRenderPipeline({
      label: 'p',
      layout: 'auto',
      vertex: { module },
      multisample: { count: 4, alphaToCoverageEnabled: alpha },
      ...(depth && {
        depthStencil: {
          format: depth,
          ...(depth !== 'stencil8' && { depthCompare: 'always', depthWriteEnabled: false }),
        },
      }),
      fragment: {
        module,
        ...(entryPoint !== undefined && { entryPoint }),
        stages,
        targets: [{ format: 'rgba8unorm', ...(blends && { blend: { color: one, alpha: one } }) }],
      } as GPUFragmentState,
    });
  });
};

const PIXEL = '@fragment fn a(@builtin(position) p: vec4f) -> @link(0) vec2f { return p.xy; }';
const SAMPLE = `@fragment fn b(@link(0) x: vec2f, @color(0) below: vec4f) -> @location(0) vec4f {
  return vec4f(x, below.xy);
}`;
const A = { entryPoint: 'a', rate: 'pixel' };
const B = { entryPoint: 'b', rate: 'sample' };

test('stages fit together if links, rates and results do', async () => {
  expect(await staged(PIXEL + SAMPLE, [A, B])).toBeNull();
  expect(await staged(PIXEL + SAMPLE, [{ ...A, rate: 'coarse' }, B])).toBeNull();
  // A struct shared by stages may have members that one of them may not use.
  expect(await staged(`@fragment fn a(v: V) -> @link(0) vec2f { return v.p.xy; } ${SAMPLE}`, [A, B])).toBeNull();
  expect(
    await staged(
      `${PIXEL} @fragment fn b(
    v: V, @link(0) x: vec2f, @builtin(sample_depth) d: f32, @builtin(sample_stencil) s: u32
  ) -> @location(0) vec4f { return vec4f(x, d + v.s, f32(s)); }`,
      [A, B],
      { depth: 'depth24plus-stencil8' }
    )
  ).toBeNull();
});

const after = '[RenderPipeline "p"] createRenderPipeline: ';
test.each<[string, string, readonly Stage[], string, Rest?]>([
  [
    'a link that nobody gives',
    SAMPLE,
    [B],
    'fragment.stages[0] ("b") reads @link(0) x, which no earlier stage outputs',
  ],
  [
    'a link that comes later',
    `${PIXEL}
    @fragment fn c(@link(0) x: vec2f) -> @location(0) vec4f { return x.xyxy; }`,
    [{ entryPoint: 'c', rate: 'pixel' }, A],
    'fragment.stages[0] ("c") reads @link(0) x, which no earlier stage outputs; fragment.stages[1] ("a") does',
  ],
  [
    'a link of another type',
    `${PIXEL} @fragment fn b(@link(0) x: vec3f) -> @location(0) vec4f { return x.xyzx; }`,
    [A, B],
    'fragment.stages[1] ("b") reads @link(0) x as vec3f, but fragment.stages[0] ("a") outputs vec2f',
  ],
  [
    'a link that two give',
    PIXEL + SAMPLE,
    [A, A, B],
    'fragment.stages[1] ("a") outputs @link(0), and so does fragment.stages[0] ("a")',
  ],
  [
    'stages out of order',
    PIXEL + SAMPLE,
    [B, A],
    'fragment.stages[1] ("a") of rate "pixel" follows fragment.stages[0] ("b") of rate "sample"; '
      + 'the order is coarse, pixel, sample',
  ],
  [
    'a target that a stage of pixels reads',
    PIXEL + SAMPLE,
    [A, { ...B, rate: 'pixel' }],
    'fragment.stages[1] ("b") of rate "pixel" reads @color(0) below, '
      + 'which differs between the samples of a pixel; only stages of rate "sample" can read it',
  ],
  [
    'a varying of samples that a stage of pixels uses',
    `@fragment fn a(v: V) -> @location(0) vec4f { return vec4f(v.s); }`,
    [A],
    'fragment.stages[0] ("a") of rate "pixel" reads @location(0) @interpolate(perspective, sample), '
      + 'which differs between the samples of a pixel; only stages of rate "sample" can read it',
  ],
  [
    'a target that two write',
    `${PIXEL} ${SAMPLE}
    @fragment fn c() -> @location(0) vec4f { return vec4f(); }`,
    [A, { entryPoint: 'c', rate: 'pixel' }, B],
    'fragment.stages[2] ("b") outputs @location(0), and so does fragment.stages[1] ("c")',
  ],
  [
    'a sample mask of a stage of samples',
    `${PIXEL}
    @fragment fn b(@link(0) x: vec2f) -> @builtin(sample_mask) u32 { return u32(x.x); }`,
    [A, B],
    'fragment.stages[1] ("b") outputs @builtin(sample_mask), which is only allowed in the last stage of rate '
      + '"coarse" or "pixel", fragment.stages[0] ("a")',
  ],
  [
    'alpha to coverage of samples',
    PIXEL + SAMPLE,
    [A, B],
    'multisample.alphaToCoverageEnabled needs @location(0) from a stage of rate "coarse" or "pixel", '
      + 'but fragment.stages[1] ("b") of rate "sample" outputs it',
    { alpha: true },
  ],
  [
    'a depth that is not there',
    '@fragment fn b(@builtin(sample_depth) d: f32) -> @location(0) vec4f { return vec4f(d); }',
    [B],
    'entry point "b" reads @builtin(sample_depth), but the pipeline has no depthStencil format with depth',
  ],
  [
    'a stencil that is not there',
    '@fragment fn b(@builtin(sample_stencil) s: u32) -> @location(0) vec4f { return vec4f(f32(s)); }',
    [B],
    'entry point "b" reads @builtin(sample_stencil), but the pipeline has no depthStencil format with stencil',
    { depth: 'depth32float' },
  ],
  [
    'a blend state where the program reads',
    PIXEL + SAMPLE,
    [A, B],
    'entry point "b" reads @color(0) as "below", and fragment.targets[0] (rgba8unorm) has a blend state: '
      + 'a shader that reads its target must blend itself, so omit `blend`',
    { blends: true },
  ],
  [
    'an entry point beside stages',
    PIXEL + SAMPLE,
    [A, B],
    'fragment: entryPoint and constants cannot be combined with stages; set them in each of fragment.stages',
    { entryPoint: 'a' },
  ],
  ['no stages', PIXEL, [], 'fragment.stages: 0 stages; a pipeline can have 1 to 8'],
])('%s is an error', async (_, code, stages, message, rest) => {
  expect(await staged(code, stages, rest)).toBe(after + message);
});

test('links connect stages, and stages need their feature', async () => {
  const { device } = await apiDevice({ requiredFeatures: ['fragment-stages' as GPUFeatureName] });
  const module = device.createShaderModule({
    code: `enable fragment_stages;
    @vertex fn vs() -> @builtin(position) vec4f { return vec4f(); } ${PIXEL}`,
  });
  expect(
    await validationError(device, () =>
      device.createRenderPipeline({
        label: 'p',
        layout: 'auto',
        vertex: { module },
        fragment: { module, targets: [{ format: 'rgba8unorm', writeMask: 0 }] },
      })
    )
  ).toBe(`${after}entry point "a" has @link(0) result: links connect fragment.stages, and this pipeline has none`);
  expect(
    await staged('@fragment fn c() -> @location(0) vec4f { return vec4f(); }', [{ entryPoint: 'c', rate: 'pixel' }], {
      features: [],
    })
  ).toBe(
    `${after}fragment.stages needs the feature "fragment-stages"; ask for it in requestDevice({ requiredFeatures })`
  );
  await expect(staged(PIXEL, [{ entryPoint: 'a', rate: 'often' }])).rejects.toThrow(
    '"often" is not a valid FragmentStageRate; valid values are "coarse", "pixel", "sample"'
  );
});

test('dispatches belong to the last stage, which gives all results', async () => {
  const at = '[RenderPipeline "p"] createRenderPipeline:';
  const pixel = { entryPoint: 'a', rate: 'pixel' };
  const sample = { entryPoint: 'b', rate: 'sample' };
  const sends = '@fragment fn b(@link(0) x: vec2f) { dispatchSamples(3u, vec4f(x, x)); }';
  expect(await staged(`${PIXEL} ${sends}`, [pixel, sample])).toBeNull();
  const both = `struct A { @link(0) x: vec2f, @location(0) y: vec4f } @fragment fn a() -> A { return A(); } ${sends}`;
  expect(await staged(both, [pixel, sample])).toBe(
    `${at} fragment.stages[0] ("a") outputs @location(0), but fragment.stages[1] ("b") outputs the results of `
      + 'all stages with dispatchSamples'
  );
  const early =
    '@fragment fn a() { dispatchSamples(1u, vec4f()); } @fragment fn b() -> @location(0) vec4f { return vec4f(); }';
  expect(await staged(early, [pixel, sample])).toBe(
    `${at} fragment.stages[0] ("a") uses dispatchSamples, which is only allowed in the last stage, `
      + 'fragment.stages[1] ("b")'
  );
});

const interlocked = async (
  inputs: string,
  interlock: string,
  features: readonly string[] = ['fragment-stages']
): Promise<string | null> => {
  const { device } = await apiDevice({ requiredFeatures: features as GPUFeatureName[] });
  return validationError(device, () => {
    const module = device.createShaderModule({
      code: `${features.length ? 'enable fragment_stages;' : ''}
      @vertex fn vs() -> @builtin(position) vec4f { return vec4f(); }
      @fragment fn fs(${inputs}) -> @location(0) vec4f { return vec4f(); }`,
    });
    device.createRenderPipeline({
      label: 'p',
      layout: 'auto',
      vertex: { module },
      fragment: { module, targets: [{ format: 'rgba8unorm' }], interlock } as GPUFragmentState,
    });
  });
};

test('an interlock requires framebuffer fetch', async () => {
  const at = '[RenderPipeline "p"] createRenderPipeline:';
  expect(await interlocked('@color(0) below: vec4f', 'unordered')).toBeNull();
  expect(await interlocked('', 'ordered')).toBeNull();
  expect(await interlocked('', 'unordered')).toBe(
    `${at} fragment.interlock is "unordered", but entry point "fs" reads no stored value (@color, `
      + '@builtin(sample_depth) or @builtin(sample_stencil)): leave it out'
  );
  expect(await interlocked('', 'unordered', [])).toBe(
    `${at} fragment.interlock needs the feature "fragment-stages"; ask for it in requestDevice({ requiredFeatures })`
  );
  await expect(interlocked('', 'none')).rejects.toThrow('interlock');
});
