// Uploads a flat scene as GPU objects: buffers, textures with their mips, pipelines and bind groups. Everything that
// depends on the camera is written by setCamera, so that a model can be drawn from many places.
/// <reference types="@webgpu/types" />
import { globals } from '../constants';
import type { SceneImage } from '../images/image-set';
import type { Environment } from '../light/environment';
import type { Lighting } from '../light/lighting';
import { Backdrop } from './backdrop';
import type { LightSettings } from '../light/settings';
import type { MaterialData } from '../materials/material';
import type { SceneShader } from '../materials/scene-shader';
import { drawBytes, samplerBinding, textureBinding } from '../materials/shader';
import { variantOf, vertexAttributes, type Variant } from '../materials/variant';
import { casterOf, casterVariant } from '../materials/caster';
import type { Bounds } from '../scene/bounds';
import type { Camera } from '../scene/camera';
import { CORNERS, type Geometry } from '../scene/geometry';
import type { Draw, FlatScene } from '../scene/scene';
import { MAX_SHADOW_MAPS, shadowViews } from '../scene/shadow-views';
import { drawOrder, trianglesBackToFront } from '../scene/sort';
import { Behind, type BehindPicture } from './behind';
import { DepthMaps, depthPipelines, type Caster } from './depth-maps';
import type { DrawList, GpuDraw } from './draw-list';
import {
  behindOffset,
  drawUniforms,
  frameUniforms,
  interleave,
  materialUniforms,
  type ShadowMapPlan,
  type Strokes,
} from './pack';
import { Ground } from './ground';
import { memo, pipelinesOf, type PipelineOutput, type Pipelines } from './pipelines';
import { Textures } from './textures';

const { GPUBufferUsage } = globals;

/** Distance of the uniforms of two draws, which is the alignment of dynamic offsets. */
const DRAW_STRIDE = 256;

/** A scene on the device. */
export interface GpuScene extends DrawList {
  readonly frameGroup: GPUBindGroup;
  readonly settings: LightSettings;
  readonly counts: { textures: number; pipelines: number; textureBytes: number; bufferBytes: number };
  /** Must be called before the first picture. `next` is the camera of the next frame, for motion. */
  setCamera(camera: Camera, strokes: Strokes, next?: Camera): void;
  /** Sentences about what is drawn otherwise than the file says. */
  readonly warnings: readonly string[];
  /** Draws shadow maps, and what is seen through materials that let light pass. Called before a pass of the scene. */
  encodeBefore(encoder: GPUCommandEncoder, picture: BehindPicture): void;
  /** Frees its buffers. The textures are those of the model. */
  destroy(): void;
}

/**
 * Uploads a scene, and images as they arrive; textures that are on the device already are not needed again. Pipelines
 * are compiled concurrently. If one fails, it rejects with a GPUPipelineError; all other errors go to the device's
 * error scopes.
 * @param bounds to which shadow maps are fitted; by default those of the scene
 */
export function uploadScene(
  device: GPUDevice,
  scene: FlatScene,
  lighting: Lighting,
  images: AsyncIterable<SceneImage>,
  output: PipelineOutput,
  { textures = new Textures(device), bounds = scene }: { textures?: Textures; bounds?: Bounds } = {}
): Promise<GpuScene> {
  return new Upload(device, scene, lighting, output, textures, bounds).run(images);
}

class Upload implements GpuScene {
  draws: GpuDraw[] = [];
  solidCount = 0;
  frameGroup!: GPUBindGroup;
  drawGroup!: GPUBindGroup;
  readonly #device: GPUDevice;
  readonly #scene: FlatScene;
  readonly #lighting: Lighting;
  readonly #environment: Environment;
  readonly #textures: Textures;
  readonly #pipelines: Pipelines;
  readonly #materialGroups = new Map<MaterialData, Map<string, GPUBindGroup>>();
  readonly #vertices = new Map<Geometry, Map<string, GPUBuffer>>();
  readonly #indices = new Map<Geometry, GPUBuffer>();
  readonly #buffers: GPUBuffer[] = [];
  #bufferBytes = 0;
  readonly #shader: SceneShader;
  readonly #output: PipelineOutput;
  readonly #behind: Behind | undefined;
  readonly backdrop: Backdrop | undefined;
  readonly ground: Ground | undefined;
  readonly warnings: string[] = [];
  readonly #shadows: (ShadowMapPlan & { maps: DepthMaps; sampler: GPUSampler }) | undefined;
  readonly #casters: Caster[] = [];
  #frame!: Float32Array;
  #frameBuffer!: GPUBuffer;
  readonly #drawUniforms: Float32Array;
  #drawBuffer!: GPUBuffer;
  readonly #gpuDraws = new Map<Draw, GpuDraw>();

  constructor(
    device: GPUDevice,
    scene: FlatScene,
    lighting: Lighting,
    output: PipelineOutput,
    textures: Textures,
    bounds: Bounds
  ) {
    this.#device = device;
    this.#scene = scene;
    this.#lighting = lighting;
    const { environment, settings } = lighting;
    this.#environment = environment;
    this.#textures = textures;
    this.#output = output;
    if (settings.shadowSize !== undefined && output.outputKind === 'color')
      this.#shadows = this.#planShadows(bounds, settings.shadowSize);
    if (settings.ground && output.outputKind === 'color') this.ground = new Ground(device, bounds, output);
    this.#shader = {
      lights: scene.lights.length,
      shadows: this.#shadows?.plan.views.length ?? 0,
      environment: environment.kind,
      turned: environment.turn !== undefined,
      levels: environment.levels,
      // Shading rates do not depend on what is behind.
      transmission:
        output.outputKind === 'color' && scene.draws.some(({ material }) => material.layers.transmission !== undefined),
      toneMapping: settings.toneMapping,
      exposed: settings.exposure !== 0,
    };
    this.#pipelines = pipelinesOf(device, output, this.#shader);
    if (this.#shader.transmission)
      this.#behind = new Behind(
        device,
        output.samples,
        pipelinesOf(device, { outputKind: 'light', samples: output.samples }, { ...this.#shader, transmission: false })
      );
    if (settings.backdrop !== undefined && output.outputKind === 'color')
      this.backdrop = new Backdrop(device, lighting, output);
    this.#drawUniforms = new Float32Array((scene.draws.length * DRAW_STRIDE) / 4);
  }

  get settings(): LightSettings {
    return this.#lighting.settings;
  }

  get counts(): GpuScene['counts'] {
    return {
      textures: this.#textures.count,
      pipelines: new Set([...this.#gpuDraws.values()].map(({ pipeline }) => pipeline)).size,
      textureBytes:
        this.#textures.bytes + this.#environment.bytes + (this.#shadows?.maps.bytes ?? 0) + (this.ground?.bytes ?? 0),
      bufferBytes: this.#bufferBytes,
    };
  }

  async run(images: AsyncIterable<SceneImage>): Promise<GpuScene> {
    const draws = this.#scene.draws.map((draw) => ({
      draw,
      variant: variantOf(draw.material, draw.geometry, draw.instances !== undefined),
    }));
    // Pipelines are requested first, so that they are compiled while images are decoded.
    const pipelines = draws.map(({ draw, variant }) => this.#pipelines.pipeline(variant, draw.mirrored));
    const behind = draws.map(({ draw, variant }) =>
      this.#behind && isBehind(draw) ? this.#behind.pipelines.pipeline(variant, draw.mirrored) : undefined
    );
    const casters = (this.#shadows ?? this.ground) ? this.#planCasters() : [];
    const ground = this.ground?.compile();
    ground?.catch(() => undefined);
    this.#makeFrameGroup();
    this.#makeDrawGroup();
    for await (const image of images) this.#textures.add(image);
    const made = draws.map(({ draw, variant }, i) => this.#draw(draw, variant, i));
    const [ready, readyBehind] = await Promise.all([Promise.all(pipelines), Promise.all(behind)]);
    draws.forEach(({ draw }, i) =>
      this.#gpuDraws.set(draw, { ...made[i], pipeline: ready[i], behindPipeline: readyBehind[i] })
    );
    for (const { caster, draw, variant, number, pipeline } of casters)
      this.#casters.push({ ...this.#draw(draw, variant, number, caster), pipeline: await pipeline });
    await ground;
    return this;
  }

  setCamera(camera: Camera, strokes: Strokes, next?: Camera): void {
    const { queue } = this.#device;
    this.#frame.set(camera.eye);
    if (this.#shader.transmission) this.#frame.set(camera.viewProjection, behindOffset(this.#shader));
    queue.writeBuffer(this.#frameBuffer, 0, this.#frame as Float32Array<ArrayBuffer>);
    this.#scene.draws.forEach((draw, i) =>
      this.#drawUniforms.set(drawUniforms(draw, camera, strokes, this.#output.outputKind, next), (i * DRAW_STRIDE) / 4)
    );
    queue.writeBuffer(this.#drawBuffer, 0, this.#drawUniforms as Float32Array<ArrayBuffer>);
    const order = drawOrder(this.#scene.draws, camera);
    for (const draw of order) {
      if (!isSorted(draw)) continue;
      const sorted = trianglesBackToFront(draw, camera) as Uint32Array<ArrayBuffer>;
      queue.writeBuffer(this.#gpuDraws.get(draw)!.indices!, 0, sorted);
    }
    this.draws = order.map((draw) => this.#gpuDraws.get(draw)!);
    this.solidCount = order.filter(({ material }) => material.alphaMode !== 'BLEND').length;
    this.backdrop?.setCamera(camera, strokes);
    this.#shadows?.maps.setStrokes(strokes);
    this.ground?.setCamera(camera, strokes);
  }

  encodeBefore(encoder: GPUCommandEncoder, picture: BehindPicture): void {
    this.#shadows?.maps.encode(encoder, this.drawGroup, this.#casters);
    this.ground?.prepare(encoder, this.drawGroup, this.#casters);
    if (!this.#behind) return;
    const texture = this.#behind.encode(encoder, picture, this);
    this.#frame.set([picture.width, picture.height, texture.mipLevelCount - 1, 0], behindOffset(this.#shader) + 16);
    this.#device.queue.writeBuffer(this.#frameBuffer, 0, this.#frame as Float32Array<ArrayBuffer>);
    this.frameGroup = this.#frameGroup(this.#pipelines, texture);
  }

  destroy(): void {
    this.#behind?.destroy();
    this.#shadows?.maps.destroy();
    this.ground?.destroy();
    this.backdrop?.destroy();
    for (const buffer of this.#buffers) buffer.destroy();
    this.#lighting.release();
  }

  /** Shadow maps of the scene's lights; undefined: there is nothing to draw in them. */
  #planShadows(bounds: Bounds, size: number): (ShadowMapPlan & { maps: DepthMaps; sampler: GPUSampler }) | undefined {
    const plan = shadowViews(this.#scene.lights, bounds, size);
    if (plan.leftOut > 0) {
      const count = `${plan.leftOut} of ${plan.first.length} lights`;
      this.warnings.push(`${count} cast no shadow, because only ${MAX_SHADOW_MAPS} shadow maps are drawn.`);
    }
    if (plan.views.length === 0) return undefined;
    const clips = plan.views.map(({ clip }) => clip);
    return {
      plan,
      size,
      maps: new DepthMaps(this.#device, 'shadows', clips, size),
      sampler: this.#device.createSampler({
        label: 'shadows',
        compare: 'less-equal',
        magFilter: 'linear',
        minFilter: 'linear',
      }),
    };
  }

  /** The draw calls of depth maps, whose pipelines begin to be compiled. */
  #planCasters(): {
    caster: MaterialData;
    draw: Draw;
    variant: Variant;
    number: number;
    pipeline: Promise<GPURenderPipeline>;
  }[] {
    const pipelines = depthPipelines(this.#device);
    const known = new Map<MaterialData, MaterialData | undefined>();
    return this.#scene.draws.flatMap((draw, number) => {
      const { material, geometry, instances } = draw;
      if (!known.has(material)) known.set(material, casterOf(material));
      const caster = known.get(material);
      if (!caster) return [];
      const variant = casterVariant(caster, geometry, instances !== undefined);
      return [{ caster, draw, variant, number, pipeline: pipelines.pipeline(variant, false) }];
    });
  }

  #draw(
    draw: Draw,
    variant: Variant,
    number: number,
    material = draw.material
  ): Omit<GpuDraw, 'pipeline' | 'behindPipeline'> {
    const { topology, indices } = draw.geometry;
    const common = {
      offset: number * DRAW_STRIDE,
      materialGroup: this.#materialGroup(material, variant),
      vertices: this.#vertexBuffer(draw.geometry, variant),
      rate: material.shadingRate,
      isCut: material.alphaMode === 'MASK',
    };
    if (topology !== 'triangles')
      return {
        ...common,
        indices: undefined,
        count: 4,
        instances: indices.length / CORNERS[topology],
        places: undefined,
      };
    return {
      ...common,
      indices: isSorted(draw)
        ? this.#buffer('sorted indices', indices, GPUBufferUsage.INDEX)
        : this.#indexBuffer(draw.geometry),
      count: indices.length,
      instances: draw.instances ? draw.instances.length / 16 : 1,
      places: draw.instances && this.#buffer('instances', draw.instances, GPUBufferUsage.VERTEX),
    };
  }

  #buffer(label: string, data: Float32Array | Uint32Array, usage: number): GPUBuffer {
    const buffer = this.#device.createBuffer({ label, size: data.byteLength, usage: usage | GPUBufferUsage.COPY_DST });
    this.#device.queue.writeBuffer(buffer, 0, data.buffer as ArrayBuffer, data.byteOffset, data.byteLength);
    this.#bufferBytes += data.byteLength;
    this.#buffers.push(buffer);
    return buffer;
  }

  #makeFrameGroup(): void {
    this.#frame = frameUniforms(this.#shader, this.#lighting, this.#scene.lights, this.#shadows);
    this.#frameBuffer = this.#buffer('frame', this.#frame, GPUBufferUsage.UNIFORM);
    if (this.#behind) this.#behind.frameGroup = this.#frameGroup(this.#behind.pipelines, undefined);
    else this.frameGroup = this.#frameGroup(this.#pipelines, undefined);
  }

  #frameGroup({ frameLayout }: Pipelines, behind: GPUTexture | undefined): GPUBindGroup {
    return this.#device.createBindGroup({
      label: 'frame',
      layout: frameLayout,
      entries: [
        { binding: 0, resource: { buffer: this.#frameBuffer } },
        { binding: 1, resource: this.#environment.view },
        { binding: 2, resource: this.#environment.sampler },
        ...(behind
          ? [
              { binding: 3, resource: behind.createView() },
              { binding: 4, resource: this.#environment.sampler },
            ]
          : []),
        ...(this.#shadows
          ? [
              { binding: 5, resource: this.#shadows.maps.view },
              { binding: 6, resource: this.#shadows.sampler },
            ]
          : []),
      ],
    });
  }

  #makeDrawGroup(): void {
    this.#drawBuffer = this.#buffer('draws', this.#drawUniforms, GPUBufferUsage.UNIFORM);
    this.drawGroup = this.#device.createBindGroup({
      label: 'draws',
      layout: this.#pipelines.drawLayout,
      entries: [{ binding: 0, resource: { buffer: this.#drawBuffer, size: drawBytes(this.#output.outputKind) } }],
    });
  }

  #materialGroup(material: MaterialData, variant: Variant): GPUBindGroup {
    const groups = memo(this.#materialGroups, material, () => new Map<string, GPUBindGroup>());
    return memo(groups, variant.key, () => {
      const uniforms = this.#buffer('material', materialUniforms(material, variant), GPUBufferUsage.UNIFORM);
      return this.#device.createBindGroup({
        label: 'material',
        layout: this.#pipelines.materialLayout(variant),
        entries: [
          { binding: 0, resource: { buffer: uniforms } },
          ...variant.reads.map(({ use }, i) => ({
            binding: textureBinding(i),
            resource: this.#textures.view(use.image, use.srgb),
          })),
          ...variant.samplers.map((settings, i) => ({
            binding: samplerBinding(variant, i),
            resource: this.#textures.sampler(settings),
          })),
        ],
      });
    });
  }

  #vertexBuffer(geometry: Geometry, variant: Variant): GPUBuffer {
    const attributes = vertexAttributes(variant);
    const buffers = memo(this.#vertices, geometry, () => new Map<string, GPUBuffer>());
    const key = attributes.map(({ name }) => name).join();
    return memo(buffers, key, () => this.#buffer('vertices', interleave(geometry, variant), GPUBufferUsage.VERTEX));
  }

  #indexBuffer(geometry: Geometry): GPUBuffer {
    return memo(this.#indices, geometry, () => this.#buffer('indices', geometry.indices, GPUBufferUsage.INDEX));
  }
}

/** Whether the triangles of a draw are drawn from back to front. */
const isSorted = ({ material, geometry }: Draw): boolean =>
  material.alphaMode === 'BLEND' && geometry.topology === 'triangles';

/** Whether a draw is seen through materials that let light pass: if it is opaque itself. */
const isBehind = ({ material }: Draw): boolean =>
  material.alphaMode !== 'BLEND' && material.layers.transmission === undefined;
