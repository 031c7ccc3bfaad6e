// Pipelines in the shader cache: what identifies them, and how they are made from WGSL if they are not found.
import { programKey } from '../../base/program-key';
import { finish, type Steps } from '../../base/steps';
import type {
  CachedPipeline,
  LinkedPipeline,
  PipelineShaders,
  PipelineSource,
  PipelineState,
} from '../../render/types';
import type { DeviceCore } from '../core/device-core';
import type { FragmentProgram } from './fragment-stages';
import type { RenderPipelineDescriptor, StageDescriptor } from './pipeline-descriptor';
import type { StageProgram } from './pipeline-layout';

/** Identifies the shader of a stage. `key`: that of its module. */
export function stageKey(
  { module, constants }: Pick<StageDescriptor, 'module' | 'constants'>,
  { entry }: StageProgram
): string {
  return JSON.stringify([module.program.key, programKey(entry.name, constants ?? new Map())]);
}

/** Everything that the linked fragment stages of a pipeline depend on. */
export function fragmentKey(
  { features }: DeviceCore,
  { fragment, multisample }: Pick<RenderPipelineDescriptor, 'fragment' | 'multisample'>,
  program: FragmentProgram | null
): string {
  const parts = program?.parts.map(({ d, rate, stage }) => [rate, stageKey(d as StageDescriptor, stage)]);
  const targets = fragment?.targets.map((target) => target && [target.format.name, target.blend, target.writeMask]);
  const { count, alphaToCoverageEnabled } = multisample;
  return JSON.stringify([features.has('shading-rate'), parts, targets, count, alphaToCoverageEnabled]);
}

/** Compiles the shaders of a pipeline. */
type Compile = () => Steps<PipelineShaders>;
/** The state of a pipeline with these shaders. */
type StateOf = (shaders: PipelineShaders) => PipelineState;

/** Finds the shaders of a pipeline in the cache, or compiles them. */
export function* shadersOf(
  device: DeviceCore,
  d: RenderPipelineDescriptor,
  programs: { readonly vertex: StageProgram; readonly fragment: FragmentProgram | null },
  compile: Compile,
  stateOf: StateOf
): Steps<{ readonly shaders: PipelineShaders; readonly source: PipelineSource | null }> {
  const { pipelineCache: cache } = device.render;
  if (cache === null) return { shaders: yield* compile(), source: null };
  const keys = [stageKey(d.vertex, programs.vertex), fragmentKey(device, d, programs.fragment)];
  const key = cache.key('render pipeline', ...keys);
  const whole = (): CachedPipeline => {
    const shaders = finish(compile());
    return { shaders, linked: cache.link(stateOf(shaders)) };
  };
  const found = cache.find(key, whole);
  const shaders = found?.shaders ?? (yield* compile());
  const keep = (linked: LinkedPipeline): void => cache.keep(key, { shaders, linked });
  return { shaders, source: { linked: found?.linked ?? null, keep } };
}
