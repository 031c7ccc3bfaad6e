// The draw calls of a scene on the device, in the order for its camera.
/// <reference types="@webgpu/types" />
import type { ShadingRate } from '../../index';
import type { Backdrop } from './backdrop';

/** One draw call with all its resources. */
export interface GpuDraw {
  readonly pipeline: GPURenderPipeline;
  /** Draws it as what is seen through others; undefined: it is not. */
  readonly behindPipeline: GPURenderPipeline | undefined;
  /** Offset of its uniforms in bytes. */
  readonly offset: number;
  readonly materialGroup: GPUBindGroup;
  readonly vertices: GPUBuffer;
  /** Undefined for lines and points. */
  readonly indices: GPUBuffer | undefined;
  /** Indices, or vertices of a line or a point. */
  readonly count: number;
  readonly instances: number;
  /** Matrices of the instances. */
  readonly places: GPUBuffer | undefined;
  /** The rate that the material asks for; undefined: none. */
  readonly rate: ShadingRate | undefined;
  /** Whether the material has cut-out edges. */
  readonly isCut: boolean;
}

/** The draw calls of a scene. */
export interface DrawList {
  readonly drawGroup: GPUBindGroup;
  /** In the order for the last camera: opaque draws first, then blended ones from back to front. */
  readonly draws: readonly GpuDraw[];
  /** Number of opaque draws. */
  readonly solidCount: number;
  /** The plane under the model; undefined: it is not shown. It is drawn between opaque and blended draws. */
  readonly ground: { encode(pass: GPURenderPassEncoder, target: 'color' | 'light'): void } | undefined;
  /** The environment behind the draws, in the picture and in what is behind; undefined: it is not shown. */
  readonly backdrop: Backdrop | undefined;
}

/** Encodes one draw call. Group 0 and the pipeline are set. */
export function encodeDraw(
  pass: GPURenderPassEncoder,
  scene: Pick<DrawList, 'drawGroup'>,
  draw: Omit<GpuDraw, 'pipeline' | 'behindPipeline'>
): void {
  pass.setBindGroup(1, scene.drawGroup, [draw.offset]);
  pass.setBindGroup(2, draw.materialGroup);
  pass.setVertexBuffer(0, draw.vertices);
  if (draw.places) pass.setVertexBuffer(1, draw.places);
  if (!draw.indices) {
    pass.draw(draw.count, draw.instances);
    return;
  }
  pass.setIndexBuffer(draw.indices, 'uint32');
  pass.drawIndexed(draw.count, draw.instances);
}
