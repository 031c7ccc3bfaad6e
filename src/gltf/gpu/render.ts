// Renders a scene to pixels: one render pass and a readback. It works on any WebGPU device.
/// <reference types="@webgpu/types" />
import { globals } from '../constants';
import type { StatisticsDevice, StatisticsRenderPassDescriptor, SurfaceStatistics } from '../../index';
import { LINEAR16, unpremultiply } from '../images/colour';
import { encodeDepthOfField } from './depth-of-field';
import type { Blur } from '../scene/lens';
import { COLOR_FORMAT, DEPTH_FORMAT, RATE_FORMAT, type LIGHT_FORMAT } from './pipelines';
import type { SampleCount } from './sample-count';
import { beginWithRates, DrawRates, type SceneRates } from './shading-rates';
import { exp2 } from '../math';
import { beforeToneMapping } from '../materials/tone-mapping';
import { encodeDraw } from './draw-list';
import { submitAndRead } from './readback';
import type { GpuScene } from './upload';

const { GPUTextureUsage } = globals;

export interface PictureOptions {
  /** Size in pixels. */
  width: number;
  height: number;
  samples: SampleCount;
  /** sRGB colour and alpha, 0 to 255 each. */
  background: readonly [r: number, g: number, b: number, a: number];
  /** Blur of the lens; undefined: everything is in focus. */
  blur?: Blur | undefined;
  /** Shading rates; undefined: every pixel is shaded separately. The device must have the feature "shading-rate". */
  rates?: SceneRates | undefined;
  /** Format of the colours: COLOR_FORMAT by default, or LIGHT_FORMAT. */
  format?: typeof COLOR_FORMAT | typeof LIGHT_FORMAT | undefined;
  /** Called when all work has finished, before its textures are destroyed. */
  drawn?: () => void;
}

/** Draws a scene and returns its pixels: RGBA in rows from the top, sRGB, with straight (not premultiplied) alpha. */
export async function renderPicture(device: GPUDevice, scene: GpuScene, options: PictureOptions): Promise<Uint8Array> {
  const pixels = await drawPicture(device, scene, options, (encoder, picture) =>
    submitAndRead(device, encoder, picture)
  );
  unpremultiply(pixels);
  return pixels;
}

/** Draws a scene to a texture with one sample per pixel, premultiplied by alpha, which `read` reads. */
export function drawPicture<T>(
  device: GPUDevice,
  scene: GpuScene,
  options: PictureOptions,
  read: (encoder: GPUCommandEncoder, picture: GPUTexture) => Promise<T>
): Promise<T> {
  return withTargets(device, options, async (targets) => {
    const encoder = device.createCommandEncoder({ label: 'picture' });
    encodeBefore(encoder, scene, options);
    encodeScene(encoder, scene, { label: 'picture', ...attachments(targets, options) }, options.rates);
    if (!options.blur) return read(encoder, targets.picture);
    const blurred = encodeDepthOfField(device, encoder, targets, options.blur);
    const result = await read(encoder, blurred.picture);
    blurred.destroy();
    return result;
  });
}

/**
 * Draws a scene that was uploaded to show its rates. Returns for each pixel the shading rate code of the fragment that
 * is visible at its centre, plus 1; the background is 0.
 */
export async function drawRates(device: GPUDevice, scene: GpuScene, options: PictureOptions): Promise<Uint32Array> {
  const { width, height } = options;
  const target = (label: string, format: GPUTextureFormat, usage: number): GPUTexture =>
    device.createTexture({ label, size: [width, height], format, usage: GPUTextureUsage.RENDER_ATTACHMENT | usage });
  const codes = target('rates', RATE_FORMAT, GPUTextureUsage.COPY_SRC);
  const depth = target('depth', DEPTH_FORMAT, 0);
  const encoder = device.createCommandEncoder({ label: 'rates' });
  encodeScene(
    encoder,
    scene,
    {
      label: 'rates',
      colorAttachments: [{ view: codes.createView(), loadOp: 'clear', storeOp: 'store' }],
      depthStencilAttachment: {
        view: depth.createView(),
        depthLoadOp: 'clear',
        depthStoreOp: 'discard',
        depthClearValue: 1,
      },
    },
    options.rates
  );
  const bytes = await submitAndRead(device, encoder, codes);
  options.drawn?.();
  for (const texture of [codes, depth]) texture.destroy();
  return new Uint32Array(bytes.buffer);
}

/**
 * Draws a scene and returns the number of fragment shader invocations per pixel, in rows from the top. The device must
 * have Rasterloom's feature "statistics".
 */
export async function countInvocations(
  device: GPUDevice,
  scene: GpuScene,
  options: PictureOptions
): Promise<Uint32Array> {
  const counts = device.createTexture({
    label: 'invocations',
    size: [options.width, options.height],
    format: 'r32uint',
    usage: GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.COPY_SRC,
  });
  const bytes = await withTargets(device, options, (targets) => {
    const encoder = device.createCommandEncoder({ label: 'invocations' });
    const pass: StatisticsRenderPassDescriptor = {
      label: 'invocations',
      ...attachments(targets, options),
      invocationCounts: counts.createView(),
    };
    encodeBefore(encoder, scene, options);
    encodeScene(encoder, scene, pass, options.rates);
    return submitAndRead(device, encoder, counts);
  });
  counts.destroy();
  return new Uint32Array(bytes.buffer);
}

/** Storage of a multisampled colour attachment. */
interface StoredSamples {
  /** One byte per pixel in rows from the top, as from StatisticsDevice.encodingStates. */
  states: Uint8Array;
  surface: SurfaceStatistics;
}

/**
 * Draws a scene to a multisampled attachment, stores its samples, and returns how they are stored. The device must have
 * Rasterloom's feature "statistics".
 */
export function storeSamples(
  device: StatisticsDevice,
  scene: GpuScene,
  options: PictureOptions
): Promise<StoredSamples> {
  return withTargets(device, options, async (targets) => {
    const encoder = device.createCommandEncoder({ label: 'encoding' });
    encodeBefore(encoder, scene, options);
    encodeScene(encoder, scene, { label: 'encoding', ...attachments(targets, options, true) }, options.rates);
    device.queue.submit([encoder.finish()]);
    const states = await device.encodingStates(targets.color);
    // The only other surface is the depth attachment.
    return { states, surface: device.statistics().surfaces.find(({ format }) => format === COLOR_FORMAT)! };
  });
}

interface Targets {
  readonly picture: GPUTexture;
  readonly color: GPUTexture;
  readonly depth: GPUTexture;
}

async function withTargets<T>(
  device: GPUDevice,
  options: PictureOptions,
  draw: (targets: Targets) => Promise<T>
): Promise<T> {
  const targets = makeTargets(device, options);
  const result = await draw(targets);
  options.drawn?.();
  for (const texture of Object.values(targets)) texture.destroy();
  return result;
}

/** Without multisampling, `color` is the picture itself. */
function makeTargets(
  device: GPUDevice,
  { width, height, samples, blur, format = COLOR_FORMAT }: PictureOptions
): Targets {
  const target = (label: string, format: GPUTextureFormat, sampleCount: number, usage = 0): GPUTexture =>
    device.createTexture({
      label,
      size: [width, height],
      format,
      sampleCount,
      usage: GPUTextureUsage.RENDER_ATTACHMENT | usage,
    });
  const read = blur ? GPUTextureUsage.TEXTURE_BINDING : 0;
  const picture = target(
    'picture',
    format,
    1,
    GPUTextureUsage.COPY_SRC | (format === COLOR_FORMAT ? read : GPUTextureUsage.TEXTURE_BINDING)
  );
  return {
    picture,
    color: samples > 1 ? target('samples', format, samples) : picture,
    depth: target('depth', DEPTH_FORMAT, samples, read),
  };
}

/** Resolves the colour samples and discards them unless they are inspected. Depths are stored only for the blur. */
function attachments(
  { picture, color, depth }: Targets,
  { background, blur }: PictureOptions,
  keepsSamples = false
): GPURenderPassDescriptor {
  const resolved = color !== picture;
  return {
    colorAttachments: [
      {
        view: color.createView(),
        ...(resolved ? { resolveTarget: picture.createView() } : {}),
        loadOp: 'clear',
        storeOp: resolved && !keepsSamples ? 'discard' : 'store',
        clearValue: clearColor(background),
      },
    ],
    depthStencilAttachment: {
      view: depth.createView(),
      depthLoadOp: 'clear',
      depthStoreOp: blur ? 'store' : 'discard',
      depthClearValue: 1,
    },
  };
}

function encodeBefore(
  encoder: GPUCommandEncoder,
  scene: GpuScene,
  { width, height, background }: PictureOptions
): void {
  const { r, g, b, a } = clearColor([background[0], background[1], background[2], 255]);
  const [red, green, blue] = beforeToneMapping([r, g, b], scene.settings.toneMapping, exp2(scene.settings.exposure));
  const alpha = (a * background[3]) / 255;
  scene.encodeBefore(encoder, {
    width,
    height,
    background: { r: red * alpha, g: green * alpha, b: blue * alpha, a: alpha },
  });
}

export function encodeScene(
  encoder: GPUCommandEncoder,
  scene: GpuScene,
  descriptor: GPURenderPassDescriptor,
  rates: SceneRates | undefined
): void {
  const pass = beginWithRates(encoder, descriptor, rates);
  const drawRates = new DrawRates(pass, rates);
  scene.backdrop?.encode(pass, 'color');
  pass.setBindGroup(0, scene.frameGroup);
  let pipeline: GPURenderPipeline | undefined;
  const encodeDraws = (draws: GpuScene['draws']): void => {
    for (const draw of draws) {
      if (draw.pipeline !== pipeline) pass.setPipeline((pipeline = draw.pipeline));
      drawRates.set(draw.rate, draw.isCut);
      encodeDraw(pass, scene, draw);
    }
  };
  encodeDraws(scene.draws.slice(0, scene.solidCount));
  if (scene.ground) {
    drawRates.set(undefined, false);
    scene.ground.encode(pass, 'color');
    pass.setBindGroup(0, scene.frameGroup);
    pipeline = undefined;
  }
  encodeDraws(scene.draws.slice(scene.solidCount));
  pass.end();
}

/** Converts the background to the target's values: linear light, premultiplied by alpha. */
function clearColor([r, g, b, a]: PictureOptions['background']): GPUColorDict {
  const alpha = a / 255;
  return {
    r: (LINEAR16[r] / 65535) * alpha,
    g: (LINEAR16[g] / 65535) * alpha,
    b: (LINEAR16[b] / 65535) * alpha,
    a: alpha,
  };
}
