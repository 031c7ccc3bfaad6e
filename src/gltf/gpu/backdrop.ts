// The environment as the background of a picture, sharp or blurred.
/// <reference types="@webgpu/types" />
import { globals } from '../constants';
import type { Lighting } from '../light/lighting';
import { TONE_MAP } from '../materials/tone-mapping';
import { exp2, PI, sinCosDegrees, type Vec3 } from '../math';
import type { Camera } from '../scene/camera';
import { colorFormatOf, DEPTH_FORMAT, LIGHT_FORMAT, memo, type PipelineOutput } from './pipelines';

const { GPUBufferUsage } = globals;

/** Slope of the view in which an orthographic camera shows the environment. */
const { sin, cos } = sinCosDegrees(15);
const ORTHOGRAPHIC_SLOPE = sin / cos;

const PANORAMA = `@group(0) @binding(3) var panorama: texture_2d<f32>;
@group(0) @binding(4) var panoramaSampler: sampler;`;

const code = (isImage: boolean, toneMap: string | undefined): string => `
struct View { right: vec4f, up: vec4f, forward: vec4f, turn: vec4f } // turn: of the panorama, factor, level, exposure
@group(0) @binding(0) var<uniform> view: View;
@group(0) @binding(1) var environment: texture_cube<f32>;
@group(0) @binding(2) var environmentSampler: sampler;
${isImage ? PANORAMA : ''}
struct Corner { @builtin(position) position: vec4f, @location(0) way: vec3f }
@vertex fn vs(@builtin(vertex_index) i: u32) -> Corner {
  let at = vec2f(vec2u(i & 1, i >> 1) * 4) - 1;
  return Corner(vec4f(at, 1, 1), view.forward.xyz + view.right.xyz * at.x + view.up.xyz * at.y);
}
${toneMap ?? 'fn toneMap(light: vec3f) -> vec3f { return light; }'}
@fragment fn fs(in: Corner) -> @location(0) vec4f {
  let d = normalize(in.way);
  var light = textureSampleLevel(environment, environmentSampler, d, view.turn.z).rgb;
  ${
    isImage
      ? `if (view.turn.z < 1) {
    let u = atan2(d.z, d.x) * ${1 / (2 * PI)} + 0.5 + view.turn.x;
    let v = acos(clamp(d.y, -1.0, 1.0)) * ${1 / PI};
    light = mix(textureSampleLevel(panorama, panoramaSampler, vec2f(u, v), 0).rgb * view.turn.y, light, view.turn.z);
  }`
      : ''
  }
  return vec4f(toneMap(light * view.turn.w), 1);
}`;

type Target = 'color' | 'light';
const PIPELINES = new WeakMap<GPUDevice, Map<string, GPURenderPipeline>>();

export class Backdrop {
  readonly #device: GPUDevice;
  readonly #lighting: Lighting;
  readonly #samples: number;
  readonly #formats: Readonly<Record<Target, GPUTextureFormat>>;
  readonly #buffers: Readonly<Record<Target, GPUBuffer>>;

  constructor(device: GPUDevice, lighting: Lighting, output: PipelineOutput) {
    this.#device = device;
    this.#lighting = lighting;
    this.#samples = output.samples;
    this.#formats = { color: colorFormatOf(output), light: LIGHT_FORMAT };
    const buffer = (): GPUBuffer =>
      device.createBuffer({ label: 'backdrop', size: 64, usage: GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST });
    this.#buffers = { color: buffer(), light: buffer() };
  }

  setCamera(camera: Camera, { width, height }: { width: number; height: number }): void {
    const { environment, settings } = this.#lighting;
    const m = camera.viewProjection;
    const t = environment.turn ?? [1, 0, 0, 0, 1, 0, 0, 0, 1];
    const turned = ([x, y, z]: Vec3): Vec3 => [
      t[0] * x + t[3] * y + t[6] * z,
      t[1] * x + t[4] * y + t[7] * z,
      t[2] * x + t[5] * y + t[8] * z,
    ];
    // The rows of the matrix are the axes of the picture, times the inverse of their slopes.
    const axis = (row: number, slope: number): number[] => {
      const [x, y, z] = [m[row], m[4 + row], m[8 + row]];
      const square = x * x + y * y + z * z;
      const factor = camera.orthographic ? slope / Math.sqrt(square) : 1 / square;
      return [...turned([x * factor, y * factor, z * factor]), 0];
    };
    const view = [
      ...axis(0, (ORTHOGRAPHIC_SLOPE * width) / height),
      ...axis(1, ORTHOGRAPHIC_SLOPE),
      ...turned(camera.forward),
      0,
    ];
    const level = (settings.backdrop ?? 0) * (environment.levels - 1);
    const turn = environment.panorama?.turn ?? [0, 1];
    const exposures = { color: exp2(settings.exposure), light: 1 };
    for (const target of ['color', 'light'] as const) {
      const data = Float32Array.of(...view, turn[0], turn[1], level, exposures[target]);
      this.#device.queue.writeBuffer(this.#buffers[target], 0, data);
    }
  }

  /** Draws it with its tone mapping, or as light. It sets group 0 and the pipeline. */
  encode(pass: GPURenderPassEncoder, target: Target): void {
    const { environment } = this.#lighting;
    const pipeline = this.#pipeline(target);
    pass.setPipeline(pipeline);
    const resources: GPUBindingResource[] = [
      { buffer: this.#buffers[target] },
      environment.view,
      environment.sampler,
      ...(environment.panorama ? [environment.panorama.view, environment.panorama.sampler] : []),
    ];
    const entries = resources.map((resource, binding) => ({ binding, resource }));
    pass.setBindGroup(0, this.#device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries }));
    pass.draw(3);
  }

  destroy(): void {
    for (const buffer of Object.values(this.#buffers)) buffer.destroy();
  }

  #pipeline(target: Target): GPURenderPipeline {
    const { environment, settings } = this.#lighting;
    const isImage = environment.panorama !== undefined;
    const { toneMapping } = settings;
    const format = this.#formats[target];
    let known = PIPELINES.get(this.#device);
    if (!known) PIPELINES.set(this.#device, (known = new Map()));
    return memo(known, JSON.stringify([target, isImage, toneMapping, this.#samples, format]), () => {
      const module = this.#device.createShaderModule({
        label: 'backdrop',
        code: code(isImage, target === 'color' ? TONE_MAP[toneMapping] : undefined),
      });
      return this.#device.createRenderPipeline({
        label: 'backdrop',
        layout: 'auto',
        vertex: { module },
        fragment: { module, targets: [{ format }] },
        depthStencil: { format: DEPTH_FORMAT, depthCompare: 'always', depthWriteEnabled: false },
        multisample: { count: this.#samples },
      });
    });
  }
}
