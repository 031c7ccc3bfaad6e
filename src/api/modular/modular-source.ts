// Modular pipelines in the shader cache. Their shaders have records of their own, because each choice of stages links
// them anew; so has each linked choice.
import { finish, type Steps } from '../../base/steps';
import { mapTree, type StageShader } from '../../mpipe';
import type { FragmentShader, PipelineSource, PipelineState } from '../../render/types';
import type { DeviceCore, Fail } from '../core/device-core';
import { compileFragment, type FragmentPart, type FragmentProgram } from '../pipelines/fragment-stages';
import { compilePart, type OutputDescriptor } from '../pipelines/pipeline';
import type { Attributes } from '../pipelines/pipeline-checks';
import { fragmentKey } from '../pipelines/pipeline-source';
import type { ChosenLeaf, ChosenTree, FragmentStage, TableSink } from './modular-slots';

/** A shader, and its key in the cache; null without one. */
interface Keyed {
  readonly key: string | null;
}

/** Finds the shader of a slot in the cache, or compiles it. `inputs`: everything that it depends on. */
export function* shaderOf(
  { render }: DeviceCore,
  inputs: readonly unknown[],
  compile: () => Steps<StageShader>
): Steps<Keyed & { readonly table: StageShader }> {
  const { pipelineCache: cache } = render;
  if (cache === null) return { key: null, table: yield* compile() };
  const key = cache.key('modular stage', JSON.stringify(inputs));
  const found = cache.findShader(key, () => finish(compile()));
  if (found) return { key, table: found };
  const table = yield* compile();
  cache.keepShader(key, table);
  return { key, table };
}

/** Finds the fragment shader of a sink in the cache, or compiles it. `shaderOf` compiles one of its parts. */
export function* fragmentShaderOf(
  device: DeviceCore,
  program: FragmentProgram,
  output: OutputDescriptor,
  no: Fail,
  shaderOf: (part: FragmentPart) => Steps<StageShader> = compilePart
): Steps<FragmentStage> {
  const { pipelineCache: cache } = device.render;
  const compile = (): Steps<FragmentShader> =>
    compileFragment(device, program, output, shaderOf, device.features.has('shading-rate'), no);
  if (cache === null) return { key: null, program, ...(yield* compile()) };
  const key = cache.key('modular fragment', fragmentKey(device, output, program));
  const found = cache.findFragment(key, () => finish(compile()));
  if (found) return { key, program, ...found };
  const made = yield* compile();
  cache.keepFragment(key, made);
  return { key, program, ...made };
}

/** The fragment shaders of a choice's ends; those of buffers have none. */
type LeafFragments = ReadonlyMap<ChosenLeaf, FragmentStage>;

/** Everything that the linked stages before a sink, and those after it, depend on. */
const sinkKey = (device: DeviceCore, sink: TableSink, fragment: FragmentStage | null): unknown =>
  sink.kind === 'buffer'
    ? sink.buffer.attributes.map(({ shaderLocation, builtin, format }) => [shaderLocation, builtin, format])
    : (fragment?.key ?? fragmentKey(device, sink.raster, null));

/** Where the cache keeps the linked stages of a choice; null without one. */
export function treeSource(
  device: DeviceCore,
  state: PipelineState,
  {
    tree,
    attributes,
    sinks,
    fragments,
  }: {
    readonly tree: ChosenTree;
    readonly attributes: Attributes;
    readonly sinks: readonly TableSink[];
    readonly fragments: LeafFragments;
  }
): PipelineSource | null {
  const { pipelineCache: cache } = device.render;
  if (cache === null) return null;
  const keys = mapTree(
    tree,
    ({ key }) => key,
    (leaf) => [leaf.sink, sinkKey(device, sinks[leaf.sink]!, fragments.get(leaf) ?? null)]
  );
  const key = cache.key('modular pipeline', JSON.stringify([keys, [...attributes.keys()].sort()]));
  return { linked: cache.findTree(key, state), keep: (linked) => cache.keepTree(key, linked) };
}
