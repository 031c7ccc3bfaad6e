// WebGPU's enumerations as the kernels' numbers.
import {
  BLEND_ADD, BLEND_MAX, BLEND_MIN, BLEND_REVERSE_SUBTRACT, BLEND_SUBTRACT, CULL_BACK, CULL_FRONT, CULL_NONE,
  FACTOR_CONSTANT, FACTOR_DST, FACTOR_DST_ALPHA, FACTOR_ONE, FACTOR_ONE_MINUS_CONSTANT, FACTOR_ONE_MINUS_DST,
  FACTOR_ONE_MINUS_DST_ALPHA, FACTOR_ONE_MINUS_SRC, FACTOR_ONE_MINUS_SRC_ALPHA, FACTOR_SRC, FACTOR_SRC_ALPHA,
  FACTOR_SRC_ALPHA_SATURATED, FACTOR_ZERO, STENCIL_DECREMENT_CLAMP, STENCIL_DECREMENT_WRAP, STENCIL_INCREMENT_CLAMP,
  STENCIL_INCREMENT_WRAP, STENCIL_INVERT, STENCIL_KEEP, STENCIL_REPLACE, STENCIL_ZERO, TOPOLOGY_LINE_LIST,
  TOPOLOGY_LINE_LIST_ADJACENCY, TOPOLOGY_LINE_STRIP, TOPOLOGY_POINT_LIST, TOPOLOGY_TRIANGLE_LIST,
  TOPOLOGY_TRIANGLE_LIST_ADJACENCY, TOPOLOGY_TRIANGLE_STRIP,
} from '../../assembly/layout/draw-codes';
import {
  VERTEX_FLOAT16, VERTEX_FLOAT16X2, VERTEX_FLOAT16X4, VERTEX_FLOAT32, VERTEX_FLOAT32X2, VERTEX_FLOAT32X3,
  VERTEX_FLOAT32X4, VERTEX_SINT16, VERTEX_SINT16X2, VERTEX_SINT16X4, VERTEX_SINT32, VERTEX_SINT32X2, VERTEX_SINT32X3,
  VERTEX_SINT32X4, VERTEX_SINT8, VERTEX_SINT8X2, VERTEX_SINT8X4, VERTEX_SNORM16, VERTEX_SNORM16X2, VERTEX_SNORM16X4,
  VERTEX_SNORM8, VERTEX_SNORM8X2, VERTEX_SNORM8X4, VERTEX_UINT16, VERTEX_UINT16X2, VERTEX_UINT16X4, VERTEX_UINT32,
  VERTEX_UINT32X2, VERTEX_UINT32X3, VERTEX_UINT32X4, VERTEX_UINT8, VERTEX_UINT8X2, VERTEX_UINT8X4,
  VERTEX_UNORM10_10_10_2, VERTEX_UNORM16, VERTEX_UNORM16X2, VERTEX_UNORM16X4, VERTEX_UNORM8, VERTEX_UNORM8X2,
  VERTEX_UNORM8X4, VERTEX_UNORM8X4_BGRA,
} from '../../assembly/layout/formats';
import {
  ADDRESS_CLAMP, ADDRESS_MIRROR, ADDRESS_REPEAT, COMPARE_ALWAYS, COMPARE_EQUAL, COMPARE_GREATER, COMPARE_GREATER_EQUAL,
  COMPARE_LESS, COMPARE_LESS_EQUAL, COMPARE_NEVER, COMPARE_NOT_EQUAL, DIMENSION_1D, DIMENSION_2D, DIMENSION_2D_ARRAY,
  DIMENSION_3D, DIMENSION_CUBE, DIMENSION_CUBE_ARRAY, FILTER_LINEAR, FILTER_NEAREST,
} from '../../assembly/layout/texture-codes';
import type { InputTopology } from './types';

export const compareNumber: Record<GPUCompareFunction, number> = {
  never: COMPARE_NEVER, less: COMPARE_LESS, equal: COMPARE_EQUAL, 'less-equal': COMPARE_LESS_EQUAL,
  greater: COMPARE_GREATER, 'not-equal': COMPARE_NOT_EQUAL, 'greater-equal': COMPARE_GREATER_EQUAL,
  always: COMPARE_ALWAYS,
};
export const stencilNumber: Record<GPUStencilOperation, number> = {
  keep: STENCIL_KEEP, zero: STENCIL_ZERO, replace: STENCIL_REPLACE, invert: STENCIL_INVERT,
  'increment-clamp': STENCIL_INCREMENT_CLAMP, 'decrement-clamp': STENCIL_DECREMENT_CLAMP,
  'increment-wrap': STENCIL_INCREMENT_WRAP, 'decrement-wrap': STENCIL_DECREMENT_WRAP,
};
export const cullNumber: Record<GPUCullMode, number> = { none: CULL_NONE, front: CULL_FRONT, back: CULL_BACK };
export const topologyNumber: Record<InputTopology, number> = {
  'triangle-list': TOPOLOGY_TRIANGLE_LIST, 'triangle-strip': TOPOLOGY_TRIANGLE_STRIP,
  'line-list': TOPOLOGY_LINE_LIST, 'line-strip': TOPOLOGY_LINE_STRIP, 'point-list': TOPOLOGY_POINT_LIST,
  'line-list-adjacency': TOPOLOGY_LINE_LIST_ADJACENCY, 'triangle-list-adjacency': TOPOLOGY_TRIANGLE_LIST_ADJACENCY,
};
/** Vertices of each primitive of a topology. */
export const cornersOf = (topology: InputTopology): number => CORNERS[topology];
const CORNERS: Readonly<Record<InputTopology, number>> = {
  'point-list': 1, 'line-list': 2, 'line-strip': 2, 'triangle-list': 3, 'triangle-strip': 3, 'line-list-adjacency': 4,
  'triangle-list-adjacency': 6,
};
export const blendOperationNumber: Record<GPUBlendOperation, number> = {
  add: BLEND_ADD, subtract: BLEND_SUBTRACT, 'reverse-subtract': BLEND_REVERSE_SUBTRACT, min: BLEND_MIN, max: BLEND_MAX,
};
/** Dual-source factors are a feature that is not advertised: validation refuses them before they come here. */
export const blendFactorNumber: Partial<Record<GPUBlendFactor, number>> = {
  zero: FACTOR_ZERO, one: FACTOR_ONE, src: FACTOR_SRC, 'one-minus-src': FACTOR_ONE_MINUS_SRC,
  'src-alpha': FACTOR_SRC_ALPHA, 'one-minus-src-alpha': FACTOR_ONE_MINUS_SRC_ALPHA, dst: FACTOR_DST,
  'one-minus-dst': FACTOR_ONE_MINUS_DST, 'dst-alpha': FACTOR_DST_ALPHA,
  'one-minus-dst-alpha': FACTOR_ONE_MINUS_DST_ALPHA, 'src-alpha-saturated': FACTOR_SRC_ALPHA_SATURATED,
  constant: FACTOR_CONSTANT, 'one-minus-constant': FACTOR_ONE_MINUS_CONSTANT,
};
export const dimensionNumber: Record<GPUTextureViewDimension, number> = {
  '1d': DIMENSION_1D, '2d': DIMENSION_2D, '2d-array': DIMENSION_2D_ARRAY, '3d': DIMENSION_3D, cube: DIMENSION_CUBE,
  'cube-array': DIMENSION_CUBE_ARRAY,
};
export const addressNumber: Record<GPUAddressMode, number> = {
  'clamp-to-edge': ADDRESS_CLAMP, repeat: ADDRESS_REPEAT, 'mirror-repeat': ADDRESS_MIRROR,
};
export const filterNumber: Record<GPUFilterMode, number> = { nearest: FILTER_NEAREST, linear: FILTER_LINEAR };

export const vertexFormatNumber: Record<GPUVertexFormat, number> = {
  uint8: VERTEX_UINT8, uint8x2: VERTEX_UINT8X2, uint8x4: VERTEX_UINT8X4, sint8: VERTEX_SINT8, sint8x2: VERTEX_SINT8X2,
  sint8x4: VERTEX_SINT8X4, unorm8: VERTEX_UNORM8, unorm8x2: VERTEX_UNORM8X2, unorm8x4: VERTEX_UNORM8X4,
  snorm8: VERTEX_SNORM8, snorm8x2: VERTEX_SNORM8X2, snorm8x4: VERTEX_SNORM8X4, uint16: VERTEX_UINT16,
  uint16x2: VERTEX_UINT16X2, uint16x4: VERTEX_UINT16X4, sint16: VERTEX_SINT16, sint16x2: VERTEX_SINT16X2,
  sint16x4: VERTEX_SINT16X4, unorm16: VERTEX_UNORM16, unorm16x2: VERTEX_UNORM16X2, unorm16x4: VERTEX_UNORM16X4,
  snorm16: VERTEX_SNORM16, snorm16x2: VERTEX_SNORM16X2, snorm16x4: VERTEX_SNORM16X4, float16: VERTEX_FLOAT16,
  float16x2: VERTEX_FLOAT16X2, float16x4: VERTEX_FLOAT16X4, float32: VERTEX_FLOAT32, float32x2: VERTEX_FLOAT32X2,
  float32x3: VERTEX_FLOAT32X3, float32x4: VERTEX_FLOAT32X4, uint32: VERTEX_UINT32, uint32x2: VERTEX_UINT32X2,
  uint32x3: VERTEX_UINT32X3, uint32x4: VERTEX_UINT32X4, sint32: VERTEX_SINT32, sint32x2: VERTEX_SINT32X2,
  sint32x3: VERTEX_SINT32X3, sint32x4: VERTEX_SINT32X4, 'unorm10-10-10-2': VERTEX_UNORM10_10_10_2,
  'unorm8x4-bgra': VERTEX_UNORM8X4_BGRA,
};
