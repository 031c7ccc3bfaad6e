// Pipelines of a scene's steps: its own, and those that draw shading rates in place of colours.
import type { ModularPipeline, ModularPipelineDevice } from 'rasterloom';
import type { DrawStep, Scene } from '../scenes/recipe';
import type { Resources } from './resources';

export const COLOR_FORMAT = 'rgba8unorm' as const;
export const DEPTH_FORMAT = 'depth32float' as const;

/** Writes the code of its shading rate. `fine` is for draw calls that ignore rates. */
const RATE_CODE = `
  enable shading_rate;
  @fragment fn rate(@builtin(shading_rate) code: u32) -> @location(0) vec4f { return vec4f(f32(code) / 255, 0, 0, 1); }
  @fragment fn fine() -> @location(0) vec4f { return vec4f(0, 0, 0, 1); }`;
const ADD = { color: { srcFactor: 'one', dstFactor: 'one' }, alpha: { srcFactor: 'one', dstFactor: 'one' } } as const;

type DrawPipeline = GPURenderPipeline | ModularPipeline;

/** A step with what it needs to be encoded. */
export interface PreparedDraw {
  readonly step: DrawStep;
  readonly pipelines: readonly DrawPipeline[];
  readonly group: GPUBindGroup;
}
export interface PreparedCompute {
  readonly workgroups: readonly [x: number, y: number];
  readonly pipeline: GPUComputePipeline;
  readonly group: GPUBindGroup;
}

export class Pipelines {
  readonly #device: GPUDevice;
  readonly #module: GPUShaderModule;
  readonly #resources: Resources;
  readonly #samples: number;
  #rates: GPUShaderModule | null = null;

  constructor(device: GPUDevice, module: GPUShaderModule, resources: Resources, samples: number) {
    this.#device = device;
    this.#module = module;
    this.#resources = resources;
    this.#samples = samples;
  }

  compute({ compute = [] }: Scene): PreparedCompute[] {
    return compute.map(({ compute: entryPoint, workgroups, uses = {} }) => {
      const { layout, group } = this.#resources.bind(uses, GPUShaderStage.COMPUTE);
      const pipeline = this.#device.createComputePipeline({
        label: entryPoint,
        layout: this.#device.createPipelineLayout({ bindGroupLayouts: [layout] }),
        compute: { module: this.#module, entryPoint },
      });
      return { workgroups, pipeline, group };
    });
  }

  draws({ draws }: Scene): PreparedDraw[] {
    return draws.map((step) => {
      const { vertex, fragment, parts, intoSurface = false, writesNothing = false, blend } = step;
      const target: GPUColorTargetState = {
        format: COLOR_FORMAT,
        ...(writesNothing ? { writeMask: 0 } : {}),
        ...(blend === 'add' ? { blend: ADD } : {}),
      };
      const targets = intoSurface ? [] : [target];
      const module = this.#module;
      const states = parts
        ? [{ module, targets, stages: parts }]
        : [fragment].flat().map((entryPoint) => ({ module, targets, entryPoint }));
      return this.#prepare(step, states, intoSurface ? Math.max(2, this.#samples) : this.#samples, String(vertex));
    });
  }

  /** A step that draws its shading rate. @param isFine its own shader ignores rates */
  rate(step: DrawStep, isFine: boolean): PreparedDraw {
    this.#rates ??= this.#device.createShaderModule({ label: 'rates', code: RATE_CODE });
    const targets = [{ format: COLOR_FORMAT }] as const;
    const state = { module: this.#rates, entryPoint: isFine ? 'fine' : 'rate', targets: [...targets] };
    const states = Array.from({ length: [step.fragment].flat().length || 1 }, () => state);
    return this.#prepare(step, states, 1, 'rates');
  }

  #prepare(step: DrawStep, fragments: readonly GPUFragmentState[], count: number, label: string): PreparedDraw {
    const { vertex, uses = {}, topology = 'triangle-list', depth = false, cull = false, intoSurface = false } = step;
    const { layout, group } = this.#resources.bind(uses, GPUShaderStage.VERTEX | GPUShaderStage.FRAGMENT);
    const device = this.#device;
    const shared = {
      label,
      layout: device.createPipelineLayout({ bindGroupLayouts: [layout] }),
      multisample: { count },
      ...(intoSurface
        ? {}
        : {
            depthStencil: {
              format: DEPTH_FORMAT,
              depthWriteEnabled: depth,
              depthCompare: depth ? ('less' as const) : ('always' as const),
            },
          }),
    };
    const module = this.#module;
    const cullMode = cull ? 'back' : 'none';
    const pipelines = fragments.map((fragment): DrawPipeline => {
      if (typeof vertex === 'string')
        return device.createRenderPipeline({
          ...shared,
          vertex: { module, entryPoint: vertex },
          primitive: { topology, cullMode },
          fragment,
        });
      const { layout: pipelineLayout, depthStencil, multisample } = { depthStencil: undefined, ...shared };
      return (device as unknown as ModularPipelineDevice).createModularPipeline({
        label,
        layout: pipelineLayout,
        input: { topology },
        stages: vertex.map((entryPoint) => ({ kind: 'vertex', module, entryPoint })),
        sinks: [{ raster: { primitive: { cullMode }, depthStencil, multisample, fragment } }],
      } as Parameters<ModularPipelineDevice['createModularPipeline']>[0]);
    });
    return { step, pipelines, group };
  }
}

/** Records the draw calls of a step. */
export function encodeDraw(pass: GPURenderPassEncoder, { step, pipelines, group }: PreparedDraw): void {
  const { vertices, instances = 1, modularDraws, vertex } = step;
  const set = (pipeline: DrawPipeline): void => {
    pass.setPipeline(pipeline as GPURenderPipeline);
    pass.setBindGroup(0, group);
  };
  const [first] = pipelines;
  if (modularDraws) {
    set(first!);
    modularDraws.forEach(({ without }, k) => {
      for (let slot = 0; slot < vertex.length; slot++) pass.setStageEnabled(slot, !without.includes(slot));
      pass.draw(vertices, 1, 0, k);
    });
  } else if (pipelines.length === 1) {
    set(first!);
    pass.draw(vertices, instances);
  } else
    for (let k = 0; k < instances; k++) {
      set(pipelines[k % pipelines.length]!);
      pass.draw(vertices, 1, 0, k);
    }
}
