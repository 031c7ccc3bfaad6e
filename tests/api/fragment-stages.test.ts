// Pipelines whose fragment programs read their targets: what these have to be.
import { expect, test } from 'vitest';
import { apiDevice, validationError } from './fake';

const reading = async (
  inputs: string, targets: (GPUColorTargetState | null)[], features: readonly string[] = ['fragment-stages']
): Promise<string | null> => {
  const { device } = await apiDevice({ requiredFeatures: features as GPUFeatureName[] });
  return validationError(device, () => {
    const module = device.createShaderModule({ code: `enable fragment_stages;
      @vertex fn vs() -> @builtin(position) vec4f { return vec4f(); }
      @fragment fn fs(${inputs}) -> @location(0) vec4f { return vec4f(); }` });
    device.createRenderPipeline({ label: 'p', layout: 'auto', vertex: { module }, fragment: { module, targets } });
  });
};
const one = { operation: 'add', srcFactor: 'one', dstFactor: 'one' } as const;

test('take targets as they are', async () => {
  expect(await reading('@color(0) below: vec4f', [{ format: 'rgba8unorm' }])).toBeNull();
  expect(await reading('@color(0) below: f32', [{ format: 'rgba8unorm' }])).toBeNull();
  expect(await reading(
    '@color(0) a: vec2f, @color(1) b: vec3u', [{ format: 'rgba8unorm' }, { format: 'rg16uint', writeMask: 0 }]
  )).toBeNull();
  const blend = { color: one, alpha: one };
  expect(await reading(
    '@color(1) below: i32', [{ format: 'rgba8unorm', blend }, { format: 'r32sint', writeMask: 0 }]
  )).toBeNull();
});

test('name what does not fit', async () => {
  const at = '[RenderPipeline "p"] createRenderPipeline: entry point "fs" reads';
  expect(await reading('@color(1) below: vec4f', [{ format: 'rgba8unorm' }])).toBe(
    `${at} @color(1) as "below", but fragment.targets[1] is not there; the pipeline has 1 of them`
  );
  expect(await reading('@color(0) below: vec4u', [{ format: 'rgba8unorm' }])).toBe(
    `${at} @color(0) as "below" of type vec4u, but fragment.targets[0] (rgba8unorm) holds f32`
  );
  expect(await reading(
    '@color(0) below: vec4f', [{ format: 'rgba8unorm', blend: { color: one, alpha: one } }]
  )).toBe(`${at} @color(0) as "below", and fragment.targets[0] (rgba8unorm) has a blend state: the program blends by itself, so leave \`blend\` away`);
});

test('need the feature', async () => {
  expect(await reading('@color(0) below: vec4f', [{ format: 'rgba8unorm' }], [])).toContain(
    "extension 'fragment_stages' needs the device feature 'fragment-stages'"
  );
});
