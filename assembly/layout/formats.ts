// Texel formats. Both compilers read this file. src/surface/formats.ts has names and API properties, keyed by these
// numbers.

export const FORMAT_NONE = 0;
export const FORMAT_R8UNORM = 1;
export const FORMAT_R8SNORM = 2;
export const FORMAT_R8UINT = 3;
export const FORMAT_R8SINT = 4;
export const FORMAT_RG8UNORM = 5;
export const FORMAT_RG8SNORM = 6;
export const FORMAT_RG8UINT = 7;
export const FORMAT_RG8SINT = 8;
export const FORMAT_RGBA8UNORM = 9;
export const FORMAT_RGBA8UNORM_SRGB = 10;
export const FORMAT_RGBA8SNORM = 11;
export const FORMAT_RGBA8UINT = 12;
export const FORMAT_RGBA8SINT = 13;
export const FORMAT_BGRA8UNORM = 14;
export const FORMAT_BGRA8UNORM_SRGB = 15;
export const FORMAT_R16UINT = 16;
export const FORMAT_R16SINT = 17;
export const FORMAT_R16FLOAT = 18;
export const FORMAT_RG16UINT = 19;
export const FORMAT_RG16SINT = 20;
export const FORMAT_RG16FLOAT = 21;
export const FORMAT_RGBA16UINT = 22;
export const FORMAT_RGBA16SINT = 23;
export const FORMAT_RGBA16FLOAT = 24;
export const FORMAT_R32UINT = 25;
export const FORMAT_R32SINT = 26;
export const FORMAT_R32FLOAT = 27;
export const FORMAT_RG32UINT = 28;
export const FORMAT_RG32SINT = 29;
export const FORMAT_RG32FLOAT = 30;
export const FORMAT_RGBA32UINT = 31;
export const FORMAT_RGBA32SINT = 32;
export const FORMAT_RGBA32FLOAT = 33;
export const FORMAT_RGB10A2UNORM = 34;
export const FORMAT_RGB10A2UINT = 35;
export const FORMAT_RG11B10UFLOAT = 36;
export const FORMAT_RGB9E5UFLOAT = 37;
/** Stored as 32-bit float. */
export const FORMAT_DEPTH32FLOAT = 38;
/** Stored as 32-bit float. */
export const FORMAT_DEPTH24PLUS = 39;
/** Depth as 32-bit float, followed by a separate stencil plane. Also used for depth32float-stencil8. */
export const FORMAT_DEPTH24PLUS_STENCIL8 = 40;
export const FORMAT_DEPTH16UNORM = 41;
export const FORMAT_STENCIL8 = 42;
export const FORMAT_R16UNORM = 43;
export const FORMAT_R16SNORM = 44;
export const FORMAT_RG16UNORM = 45;
export const FORMAT_RG16SNORM = 46;
export const FORMAT_RGBA16UNORM = 47;
export const FORMAT_RGBA16SNORM = 48;

/** Vertex formats (GPUVertexFormat), read by the attribute fetch. */
export const VERTEX_UINT8 = 1; export const VERTEX_UINT8X2 = 2; export const VERTEX_UINT8X4 = 3;
export const VERTEX_SINT8 = 4; export const VERTEX_SINT8X2 = 5; export const VERTEX_SINT8X4 = 6;
export const VERTEX_UNORM8 = 7; export const VERTEX_UNORM8X2 = 8; export const VERTEX_UNORM8X4 = 9;
export const VERTEX_SNORM8 = 10; export const VERTEX_SNORM8X2 = 11; export const VERTEX_SNORM8X4 = 12;
export const VERTEX_UINT16 = 13; export const VERTEX_UINT16X2 = 14; export const VERTEX_UINT16X4 = 15;
export const VERTEX_SINT16 = 16; export const VERTEX_SINT16X2 = 17; export const VERTEX_SINT16X4 = 18;
export const VERTEX_UNORM16 = 19; export const VERTEX_UNORM16X2 = 20; export const VERTEX_UNORM16X4 = 21;
export const VERTEX_SNORM16 = 22; export const VERTEX_SNORM16X2 = 23; export const VERTEX_SNORM16X4 = 24;
export const VERTEX_FLOAT16 = 25; export const VERTEX_FLOAT16X2 = 26; export const VERTEX_FLOAT16X4 = 27;
export const VERTEX_FLOAT32 = 28;
export const VERTEX_FLOAT32X2 = 29; export const VERTEX_FLOAT32X3 = 30; export const VERTEX_FLOAT32X4 = 31;
export const VERTEX_UINT32 = 32;
export const VERTEX_UINT32X2 = 33; export const VERTEX_UINT32X3 = 34; export const VERTEX_UINT32X4 = 35;
export const VERTEX_SINT32 = 36;
export const VERTEX_SINT32X2 = 37; export const VERTEX_SINT32X3 = 38; export const VERTEX_SINT32X4 = 39;
export const VERTEX_UNORM10_10_10_2 = 40;
export const VERTEX_UNORM8X4_BGRA = 41;
