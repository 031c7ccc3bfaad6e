// WebGPU's enumerations as the kernels' numbers.
import * as D from '../../assembly/layout/draw';
import * as T from '../../assembly/layout/texture';
import * as F from '../../assembly/layout/formats';

export const compareNumber: Record<GPUCompareFunction, number> = {
  never: T.COMPARE_NEVER, less: T.COMPARE_LESS, equal: T.COMPARE_EQUAL, 'less-equal': T.COMPARE_LESS_EQUAL,
  greater: T.COMPARE_GREATER, 'not-equal': T.COMPARE_NOT_EQUAL, 'greater-equal': T.COMPARE_GREATER_EQUAL, always: T.COMPARE_ALWAYS,
};
export const stencilNumber: Record<GPUStencilOperation, number> = {
  keep: D.STENCIL_KEEP, zero: D.STENCIL_ZERO, replace: D.STENCIL_REPLACE, invert: D.STENCIL_INVERT,
  'increment-clamp': D.STENCIL_INCREMENT_CLAMP, 'decrement-clamp': D.STENCIL_DECREMENT_CLAMP,
  'increment-wrap': D.STENCIL_INCREMENT_WRAP, 'decrement-wrap': D.STENCIL_DECREMENT_WRAP,
};
export const cullNumber: Record<GPUCullMode, number> = { none: D.CULL_NONE, front: D.CULL_FRONT, back: D.CULL_BACK };
export const topologyNumber: Record<GPUPrimitiveTopology, number> = {
  'triangle-list': D.TOPOLOGY_TRIANGLE_LIST, 'triangle-strip': D.TOPOLOGY_TRIANGLE_STRIP,
  'line-list': D.TOPOLOGY_LINE_LIST, 'line-strip': D.TOPOLOGY_LINE_STRIP, 'point-list': D.TOPOLOGY_POINT_LIST,
};
export const blendOperationNumber: Record<GPUBlendOperation, number> = {
  add: D.BLEND_ADD, subtract: D.BLEND_SUBTRACT, 'reverse-subtract': D.BLEND_REVERSE_SUBTRACT, min: D.BLEND_MIN, max: D.BLEND_MAX,
};
/** Dual-source factors are a feature that is not advertised: validation refuses them before they come here. */
export const blendFactorNumber: Partial<Record<GPUBlendFactor, number>> = {
  zero: D.FACTOR_ZERO, one: D.FACTOR_ONE, src: D.FACTOR_SRC, 'one-minus-src': D.FACTOR_ONE_MINUS_SRC,
  'src-alpha': D.FACTOR_SRC_ALPHA, 'one-minus-src-alpha': D.FACTOR_ONE_MINUS_SRC_ALPHA, dst: D.FACTOR_DST, 'one-minus-dst': D.FACTOR_ONE_MINUS_DST,
  'dst-alpha': D.FACTOR_DST_ALPHA, 'one-minus-dst-alpha': D.FACTOR_ONE_MINUS_DST_ALPHA, 'src-alpha-saturated': D.FACTOR_SRC_ALPHA_SATURATED,
  constant: D.FACTOR_CONSTANT, 'one-minus-constant': D.FACTOR_ONE_MINUS_CONSTANT,
};
export const dimensionNumber: Record<GPUTextureViewDimension, number> = {
  '1d': T.DIMENSION_1D, '2d': T.DIMENSION_2D, '2d-array': T.DIMENSION_2D_ARRAY, '3d': T.DIMENSION_3D, cube: T.DIMENSION_CUBE, 'cube-array': T.DIMENSION_CUBE_ARRAY,
};
export const addressNumber: Record<GPUAddressMode, number> = { 'clamp-to-edge': T.ADDRESS_CLAMP, repeat: T.ADDRESS_REPEAT, 'mirror-repeat': T.ADDRESS_MIRROR };
export const filterNumber: Record<GPUFilterMode, number> = { nearest: T.FILTER_NEAREST, linear: T.FILTER_LINEAR };

export const vertexFormatNumber: Record<GPUVertexFormat, number> = {
  uint8: F.VERTEX_UINT8, uint8x2: F.VERTEX_UINT8X2, uint8x4: F.VERTEX_UINT8X4, sint8: F.VERTEX_SINT8, sint8x2: F.VERTEX_SINT8X2, sint8x4: F.VERTEX_SINT8X4,
  unorm8: F.VERTEX_UNORM8, unorm8x2: F.VERTEX_UNORM8X2, unorm8x4: F.VERTEX_UNORM8X4, snorm8: F.VERTEX_SNORM8, snorm8x2: F.VERTEX_SNORM8X2, snorm8x4: F.VERTEX_SNORM8X4,
  uint16: F.VERTEX_UINT16, uint16x2: F.VERTEX_UINT16X2, uint16x4: F.VERTEX_UINT16X4, sint16: F.VERTEX_SINT16, sint16x2: F.VERTEX_SINT16X2, sint16x4: F.VERTEX_SINT16X4,
  unorm16: F.VERTEX_UNORM16, unorm16x2: F.VERTEX_UNORM16X2, unorm16x4: F.VERTEX_UNORM16X4, snorm16: F.VERTEX_SNORM16, snorm16x2: F.VERTEX_SNORM16X2, snorm16x4: F.VERTEX_SNORM16X4,
  float16: F.VERTEX_FLOAT16, float16x2: F.VERTEX_FLOAT16X2, float16x4: F.VERTEX_FLOAT16X4,
  float32: F.VERTEX_FLOAT32, float32x2: F.VERTEX_FLOAT32X2, float32x3: F.VERTEX_FLOAT32X3, float32x4: F.VERTEX_FLOAT32X4,
  uint32: F.VERTEX_UINT32, uint32x2: F.VERTEX_UINT32X2, uint32x3: F.VERTEX_UINT32X3, uint32x4: F.VERTEX_UINT32X4,
  sint32: F.VERTEX_SINT32, sint32x2: F.VERTEX_SINT32X2, sint32x3: F.VERTEX_SINT32X3, sint32x4: F.VERTEX_SINT32X4,
  'unorm10-10-10-2': F.VERTEX_UNORM10_10_10_2, 'unorm8x4-bgra': F.VERTEX_UNORM8X4_BGRA,
};
