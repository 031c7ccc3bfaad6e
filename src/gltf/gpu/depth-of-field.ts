// Depth of field: turns a sharp picture and its depths into a picture taken with a lens. It blurs linear light after
// tone mapping, because unlit materials and the background have no other light, and transparent materials were blended
// with it.
/// <reference types="@webgpu/types" />
import { globals } from '../constants';
import {
  foregroundShader,
  backgroundShader,
  compositeShader,
  radiusShader,
  tileRadiusShader,
} from './depth-of-field-shader';
import type { Blur } from '../scene/lens';
import { DEPTH_FORMAT } from './pipelines';

const { GPUBufferUsage, GPUShaderStage, GPUTextureUsage } = globals;

/** Transparent surfaces write no depth, so they have the circles of confusion of the opaque surface that they cover. */
interface SharpPicture {
  /** In COLOR_FORMAT or LIGHT_FORMAT, with one sample per pixel and usage TEXTURE_BINDING. */
  picture: GPUTexture;
  /** With any number of samples, and usage TEXTURE_BINDING. */
  depth: GPUTexture;
}

/**
 * The blurred picture in the same format. `destroy` frees all resources; call it after the encoder's work has finished.
 */
interface BlurredPicture {
  picture: GPUTexture;
  destroy(): void;
}

interface FullScreenPass {
  label: string;
  code: string;
  uniforms: GPUBuffer;
  /** Textures at bindings 1, 2 and so on. */
  reads: readonly GPUTexture[];
  targets: readonly GPUTexture[];
}

/** Encodes a pass whose fragment shader runs for every pixel of its targets. */
function encodeFullScreenPass(
  device: GPUDevice,
  encoder: GPUCommandEncoder,
  { label, code, uniforms, reads, targets }: FullScreenPass
): void {
  const module = device.createShaderModule({ label, code });
  const layout = device.createBindGroupLayout({
    label,
    entries: [
      { binding: 0, visibility: GPUShaderStage.FRAGMENT, buffer: {} },
      ...reads.map(({ format, sampleCount }, i) => ({
        binding: i + 1,
        visibility: GPUShaderStage.FRAGMENT,
        texture: {
          sampleType: format === DEPTH_FORMAT ? ('depth' as const) : ('unfilterable-float' as const),
          multisampled: sampleCount > 1,
        },
      })),
    ],
  });
  const pipeline = device.createRenderPipeline({
    label,
    layout: device.createPipelineLayout({ bindGroupLayouts: [layout] }),
    vertex: { module },
    fragment: { module, targets: targets.map(({ format }) => ({ format })) },
  });
  const group = device.createBindGroup({
    label,
    layout,
    entries: [
      { binding: 0, resource: { buffer: uniforms } },
      ...reads.map((texture, i) => ({ binding: i + 1, resource: texture.createView() })),
    ],
  });
  const pass = encoder.beginRenderPass({
    label,
    colorAttachments: targets.map((texture) => ({
      view: texture.createView(),
      loadOp: 'clear' as const,
      storeOp: 'store' as const,
    })),
  });
  pass.setPipeline(pipeline);
  pass.setBindGroup(0, group);
  pass.draw(3);
  pass.end();
}

/** Encodes the passes. The side of their tiles is the largest radius, so that circles reach only neighbouring tiles. */
export function encodeDepthOfField(
  device: GPUDevice,
  encoder: GPUCommandEncoder,
  { picture, depth }: SharpPicture,
  blur: Blur
): BlurredPicture {
  const made: (GPUTexture | GPUBuffer)[] = [];
  const { width, height } = picture;
  const uniforms = device.createBuffer({
    label: 'blur',
    size: 16,
    usage: GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST,
  });
  made.push(uniforms);
  device.queue.writeBuffer(uniforms, 0, Float32Array.of(blur.slope, blur.offset, blur.maximum));
  const target = (label: string, format: GPUTextureFormat, size = [width, height]): GPUTexture => {
    const texture = device.createTexture({
      label,
      size,
      format,
      usage: GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.COPY_SRC,
    });
    made.push(texture);
    return texture;
  };
  const draw = (label: string, code: string, reads: readonly GPUTexture[], targets: readonly GPUTexture[]): void => {
    encodeFullScreenPass(device, encoder, { label, code, uniforms, reads, targets });
  };
  const side = Math.ceil(blur.maximum) + 1;
  const radii = target('radii', 'r32float');
  const reaches = target('reaches', 'r32float', [Math.ceil(width / side), Math.ceil(height / side)]);
  const behind = target('behind the focus', 'rgba16float');
  const before = target('before the focus', 'rgba16float');
  const hidden = target('hidden', 'r16float');
  const result = target('blurred', picture.format);
  draw('radii', radiusShader(depth.sampleCount), [depth], [radii]);
  draw('reaches', tileRadiusShader, [radii], [reaches]);
  draw('behind the focus', backgroundShader, [radii, reaches, picture], [behind]);
  draw('before the focus', foregroundShader, [radii, reaches, picture], [before, hidden]);
  draw('join', compositeShader, [radii, reaches, behind, before, hidden], [result]);
  return { picture: result, destroy: () => made.forEach((each) => each.destroy()) };
}
