// A frame that the oracle and the fast path draw, as data that a failing test can print. Positions are in 1/256 pixels.
import type { SampleCount } from '../../../src/gltf/gpu/sample-count';
import type { Kind } from './immediate.shaders';

export interface Mesh {
  /** x, y in 1/256 pixels of the frame, depth, w. */
  readonly vertices: readonly (readonly [number, number, number, number])[];
  /** Vertex indices. −1 restarts a strip and has no effect in lists. */
  readonly indices: readonly number[];
  /** Null: a non-indexed draw call; the vertices are stored in the order of the indices. */
  readonly indexFormat: GPUIndexFormat | null;
}
export interface Look {
  readonly kind: Kind;
  readonly primitive: {
    readonly topology: 'triangle-list' | 'triangle-strip';
    readonly cullMode: GPUCullMode;
    readonly frontFace: GPUFrontFace;
    readonly unclippedDepth: boolean;
  };
  readonly depthCompare: GPUCompareFunction;
  readonly depthWrite: boolean;
  readonly bias: {
    readonly depthBias: number;
    readonly depthBiasSlopeScale: number;
    readonly depthBiasClamp: number;
  } | null;
  readonly stencil: {
    readonly stencilFront: GPUStencilFaceState;
    readonly stencilBack: GPUStencilFaceState;
    readonly stencilReadMask: number;
    readonly stencilWriteMask: number;
  } | null;
  /** One per target. */
  readonly blends: readonly (GPUBlendState | null)[];
  readonly writeMasks: readonly number[];
  readonly sampleMask: number;
  readonly alphaToCoverage: boolean;
}
export interface Draw {
  readonly look: Look;
  readonly mesh: Mesh;
  readonly instances: number;
  /** First index, vertex and instance; preceding ones are not drawn. */
  readonly skip: number;
  /** Fractions of the frame: x, y, width, height; then the depth range. */
  readonly viewport: readonly [number, number, number, number, number, number] | null;
  readonly scissor: readonly [number, number, number, number] | null;
  readonly blendConstant: readonly [number, number, number, number];
  readonly stencilReference: number;
  /** Whether an occlusion query includes it. */
  readonly isAsked: boolean;
}
export interface Pass {
  readonly draws: readonly Draw[];
  /** Whether color attachments are cleared or loaded. */
  readonly clearsColor: boolean;
  readonly clearsDepth: boolean;
  readonly clearsStencil: boolean;
  readonly storeOp: GPUStoreOp;
  readonly depthStoreOp: GPUStoreOp;
  /** Depth and stencil are loaded and not written. */
  readonly readOnly: boolean;
}
export interface Frame {
  readonly width: number;
  readonly height: number;
  readonly samples: SampleCount;
  readonly targets: readonly GPUTextureFormat[];
  readonly depth: GPUTextureFormat | null;
  readonly clearColor: readonly [number, number, number, number];
  readonly clearDepth: number;
  readonly clearStencil: number;
  readonly passes: readonly Pass[];
}
