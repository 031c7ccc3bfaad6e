// Pipelines of random frames (immediate.frames.ts), and what their formats need.
import type { Draw, Frame, Look, Mesh } from './immediate.frame';
import { writesDepth, writesMask, type Scalar } from './immediate.shaders';

export const hasDepth = (format: GPUTextureFormat): boolean => format.startsWith('depth');
export const hasStencil = (format: GPUTextureFormat): boolean => format.includes('stencil');
export const scalarOf = (format: GPUTextureFormat): Scalar =>
  format.endsWith('uint') ? 'u32' : format.endsWith('sint') ? 'i32' : 'f32';
export const isBlendable = (format: GPUTextureFormat): boolean => scalarOf(format) === 'f32' && !format.includes('32');
const channelsOf = (format: GPUTextureFormat): number =>
  /^(rgba|bgra|rgb10a2)/.test(format) ? 4 : format.startsWith('rg') ? 2 : 1;
export const bytesOf = (format: GPUTextureFormat): number =>
  /^(rgb10a2|depth32)/.test(format)
    ? 4
    : hasDepth(format)
      ? 2
      : hasStencil(format)
        ? 1
        : channelsOf(format) * (Number(/[a-z](\d+)/.exec(format)![1]) / 8);

/** Adapts a look to a frame: removes states that its attachments do not have or may not write. */
function depthState(format: GPUTextureFormat, look: Look, readOnly: boolean): GPUDepthStencilState {
  const kept = (face: GPUStencilFaceState): GPUStencilFaceState =>
    readOnly ? { compare: face.compare! } : hasDepth(format) ? face : { ...face, depthFailOp: 'keep' };
  const { stencil } = look;
  return {
    format,
    ...(hasDepth(format) && {
      depthCompare: look.depthCompare,
      depthWriteEnabled: look.depthWrite && !readOnly,
      ...look.bias,
    }),
    ...(hasStencil(format)
      && stencil && { ...stencil, stencilFront: kept(stencil.stencilFront), stencilBack: kept(stencil.stencilBack) }),
  };
}

export function pipelineDescriptor(
  frame: Frame,
  look: Look,
  readOnly: boolean,
  indexFormat: GPUIndexFormat | null,
  module: GPUShaderModule
): GPURenderPipelineDescriptor {
  const { primitive } = look;
  const first = frame.targets[0];
  const covers =
    look.alphaToCoverage
    && frame.samples > 1
    && first !== undefined
    && isBlendable(first)
    && channelsOf(first) === 4
    && !writesMask(look.kind);
  return {
    layout: 'auto',
    vertex: {
      module,
      buffers: [{ arrayStride: 16, attributes: [{ format: 'float32x4', offset: 0, shaderLocation: 0 }] }],
    },
    fragment: {
      module,
      targets: frame.targets.map((format, i) => ({
        format,
        writeMask: look.writeMasks[i]!,
        ...(isBlendable(format) && look.blends[i] && { blend: look.blends[i] }),
      })),
    },
    primitive: {
      ...primitive,
      ...(primitive.topology === 'triangle-strip' && indexFormat && { stripIndexFormat: indexFormat }),
    },
    multisample: { count: frame.samples, mask: look.sampleMask, alphaToCoverageEnabled: covers },
    ...(frame.depth && { depthStencil: depthState(frame.depth, look, readOnly) }),
  };
}

/** Clip-space positions. */
export function positions(frame: Frame, mesh: Mesh): Float32Array<ArrayBuffer> {
  return new Float32Array(
    mesh.vertices.flatMap(([x, y, z, w]) => [
      (x / 128 / frame.width - 1) * w,
      (1 - y / 128 / frame.height) * w,
      z * w,
      w,
    ])
  );
}

/** Whether the frame has the depth attachment that the shader needs. */
export const isDrawable = (frame: Frame, { look }: Draw): boolean =>
  !writesDepth(look.kind) || (frame.depth !== null && hasDepth(frame.depth));
