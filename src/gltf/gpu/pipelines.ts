// The pipelines of a scene, one per variant, and the layouts of their bind groups. They are compiled concurrently with
// the rest of the upload, so that the first frame already runs compiled shaders.
/// <reference types="@webgpu/types" />
import { globals } from '../constants';
import type { SampleCount } from './sample-count';
import type { OutputKind, SceneShader, SurfaceKind } from '../materials/scene-shader';
import { samplerBinding, shaderCode, textureBinding } from '../materials/shader';
import { vertexAttributes, type Variant } from '../materials/variant';

const { GPUShaderStage } = globals;

/** Format of the picture: stored as sRGB, blended as linear light. */
export const COLOR_FORMAT = 'rgba8unorm-srgb';
export const DEPTH_FORMAT = 'depth32float';
/** Format of shading rate codes. */
export const RATE_FORMAT = 'r32uint';

/** Format of light before tone mapping. */
export const LIGHT_FORMAT = 'rgba16float';
/** Formats of the normal with the distance, and of the ids, of surfaces. */
export const NORMAL_FORMAT = 'rgba32float';
export const ID_FORMAT = 'rg32uint';
/** Format of the motion in pixels, and whether there is a surface. */
export const MOTION_FORMAT = 'rgba32float';

/**
 * Output of the pipelines: colours or light with a number of samples; with one sample, shading rate codes plus 1, the
 * depths of a shadow map, or what surfaces are. Colours in LIGHT_FORMAT are linear and more than 8 bits deep.
 */
export type PipelineOutput =
  | { outputKind: 'color'; samples: SampleCount; format?: typeof COLOR_FORMAT | typeof LIGHT_FORMAT }
  | { outputKind: 'light'; samples: SampleCount }
  | { outputKind: 'rates' | 'depth' | SurfaceKind; samples: 1 };

const FORMATS: Readonly<Record<OutputKind, readonly GPUTextureFormat[]>> = {
  color: [COLOR_FORMAT],
  light: [LIGHT_FORMAT],
  rates: [RATE_FORMAT],
  depth: [],
  surface: [NORMAL_FORMAT, ID_FORMAT],
  motion: [MOTION_FORMAT],
};

/** Format of the colours of a picture. */
export const colorFormatOf = (output: PipelineOutput): GPUTextureFormat =>
  'format' in output && output.format ? output.format : COLOR_FORMAT;

const formatsOf = (output: PipelineOutput): readonly GPUTextureFormat[] =>
  output.outputKind === 'color' ? [colorFormatOf(output)] : FORMATS[output.outputKind];

/** Bias of shadow maps in steps of their depths, which is more than their rounding. */
const SHADOW_BIAS = 16;

const PIPELINES = new WeakMap<GPUDevice, Map<string, Pipelines>>();

/** The pipelines of a device, which all models share. */
export function pipelinesOf(device: GPUDevice, output: PipelineOutput, scene: SceneShader): Pipelines {
  let known = PIPELINES.get(device);
  if (!known) PIPELINES.set(device, (known = new Map()));
  return memo(known, JSON.stringify([output, scene]), () => new Pipelines(device, output, scene));
}

/** Group 0 of a shadow map. */
const VIEW_ENTRIES: GPUBindGroupLayoutEntry[] = [{ binding: 0, visibility: GPUShaderStage.VERTEX, buffer: {} }];

/** Group 0 of a scene. */
function frameEntries({ transmission, shadows }: SceneShader): GPUBindGroupLayoutEntry[] {
  const { FRAGMENT } = GPUShaderStage;
  const entries: GPUBindGroupLayoutEntry[] = [
    { binding: 0, visibility: FRAGMENT, buffer: {} },
    { binding: 1, visibility: FRAGMENT, texture: { viewDimension: 'cube' } },
    { binding: 2, visibility: FRAGMENT, sampler: {} },
  ];
  if (transmission)
    entries.push({ binding: 3, visibility: FRAGMENT, texture: {} }, { binding: 4, visibility: FRAGMENT, sampler: {} });
  if (shadows > 0)
    entries.push(
      { binding: 5, visibility: FRAGMENT, texture: { sampleType: 'depth', viewDimension: '2d-array' } },
      { binding: 6, visibility: FRAGMENT, sampler: { type: 'comparison' } }
    );
  return entries;
}

export class Pipelines {
  readonly frameLayout: GPUBindGroupLayout;
  readonly drawLayout: GPUBindGroupLayout;
  readonly #device: GPUDevice;
  readonly #output: PipelineOutput;
  readonly #scene: SceneShader;
  readonly #materialLayouts = new Map<string, GPUBindGroupLayout>();
  readonly #pipelines = new Map<string, Promise<GPURenderPipeline>>();

  constructor(device: GPUDevice, output: PipelineOutput, scene: SceneShader) {
    this.#scene = scene;
    this.#device = device;
    this.#output = output;
    this.frameLayout = device.createBindGroupLayout({
      label: 'frame',
      entries: output.outputKind === 'depth' ? VIEW_ENTRIES : frameEntries(scene),
    });
    this.drawLayout = device.createBindGroupLayout({
      label: 'draw',
      entries: [{ binding: 0, visibility: GPUShaderStage.VERTEX, buffer: { hasDynamicOffset: true } }],
    });
  }

  materialLayout(variant: Variant): GPUBindGroupLayout {
    return memo(this.#materialLayouts, variant.key, () =>
      this.#device.createBindGroupLayout({
        label: 'material',
        entries: [
          { binding: 0, visibility: GPUShaderStage.VERTEX | GPUShaderStage.FRAGMENT, buffer: {} },
          ...variant.reads.map((_, i) => ({
            binding: textureBinding(i),
            visibility: GPUShaderStage.FRAGMENT,
            texture: {},
          })),
          ...variant.samplers.map((_, i) => ({
            binding: samplerBinding(variant, i),
            visibility: GPUShaderStage.FRAGMENT,
            sampler: {},
          })),
        ],
      })
    );
  }

  /** Returns the pipeline of a variant. Its compilation begins at the first call. @throws GPUPipelineError */
  pipeline(variant: Variant, mirrored: boolean): Promise<GPURenderPipeline> {
    return memo(this.#pipelines, `${mirrored} ${variant.key}`, () => {
      const pipeline = this.#compile(variant, mirrored);
      // Callers that await the pipeline get the error, possibly after it has occurred.
      pipeline.catch(() => undefined);
      return pipeline;
    });
  }

  #compile(variant: Variant, mirrored: boolean): Promise<GPURenderPipeline> {
    const module = this.#device.createShaderModule({
      label: 'material',
      code: shaderCode(variant, this.#output.outputKind, this.#scene),
    });
    const common = {
      label: 'material',
      layout: this.#device.createPipelineLayout({
        bindGroupLayouts: [this.frameLayout, this.drawLayout, this.materialLayout(variant)],
      }),
      vertex: { module, entryPoint: 'vs', buffers: vertexBuffers(variant) },
    };
    const isStroke = variant.topology !== 'triangles';
    const topology = isStroke ? 'triangle-strip' : 'triangle-list';
    const { outputKind, samples } = this.#output;
    if (outputKind === 'depth')
      return this.#device.createRenderPipelineAsync({
        ...common,
        ...(variant.alphaMode === 'MASK' ? { fragment: { module, entryPoint: 'fs', targets: [] } } : {}),
        primitive: { topology },
        depthStencil: { format: DEPTH_FORMAT, depthCompare: 'less', depthWriteEnabled: true, depthBias: SHADOW_BIAS },
      });
    const blended = variant.alphaMode === 'BLEND';
    const isBlended = blended && outputKind !== 'rates';
    const over = { srcFactor: 'one', dstFactor: 'one-minus-src-alpha' } as const;
    return this.#device.createRenderPipelineAsync({
      ...common,
      fragment: {
        module,
        entryPoint: 'fs',
        targets: formatsOf(this.#output).map((format) => ({
          format,
          ...(isBlended ? { blend: { color: over, alpha: over } } : {}),
        })),
      },
      primitive: {
        topology,
        frontFace: mirrored ? 'cw' : 'ccw',
        cullMode: variant.doubleSided || isStroke ? 'none' : 'back',
      },
      depthStencil: { format: DEPTH_FORMAT, depthCompare: 'less', depthWriteEnabled: !blended },
      multisample: { count: samples },
    });
  }
}

/** Vertices one after the other; the ends of a line or a point per instance; matrices of instances. */
function vertexBuffers(variant: Variant): GPUVertexBufferLayout[] {
  let offset = 0;
  const attributes = vertexAttributes(variant).map(({ location, components }) => {
    const attribute = { shaderLocation: location, offset, format: `float32x${components}` as const };
    offset += components * 4;
    return attribute;
  });
  if (variant.topology === 'points') return [{ arrayStride: offset, stepMode: 'instance', attributes }];
  if (variant.topology === 'lines') {
    const end = attributes.map((each) => ({
      ...each,
      shaderLocation: each.shaderLocation + 8,
      offset: each.offset + offset,
    }));
    return [{ arrayStride: 2 * offset, stepMode: 'instance', attributes: [...attributes, ...end] }];
  }
  if (!variant.instanced) return [{ arrayStride: offset, attributes }];
  const columns = [0, 1, 2, 3].map((column) => ({
    shaderLocation: 8 + column,
    offset: 16 * column,
    format: 'float32x4' as const,
  }));
  return [
    { arrayStride: offset, attributes },
    { arrayStride: 64, stepMode: 'instance', attributes: columns },
  ];
}

/** Returns the value of a key; `make` creates it at the first call. */
export function memo<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  let value = map.get(key);
  if (value === undefined) {
    value = make();
    map.set(key, value);
  }
  return value;
}
