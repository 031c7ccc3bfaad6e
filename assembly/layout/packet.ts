// PACKET: a shaded vertex on its way from the vertex side to setup; an array of structures, `SETUP_STRIDE` bytes each.
//
//   screen (16 bytes)              varyings, in the draw's order, padded to four
//   X, Y (24.8), depth, 1/w        a0 a1 a2 a3 | a4 …
//
// What only clipping reads lies in arrays of its own, so that a mesh's packets stay small: clip-space positions (x, y, z, w) and outcodes
// (u16). Packets, positions and outcodes have EXTRA_VERTICES more behind those of the batch, for the vertices that clipping, points and lines make. X and Y, of
// which most triangles of a mesh need no more to be culled, stand once more in an array of pairs: a first-level cache holds a stretch of it.
//
// SETUP: what setup needs of a draw, made once a draw (geometryBegin), so that no triangle looks it up again.

export const PACKET_X = 0;
export const PACKET_Y = 4;
/** Viewport depth, without bias. */
export const PACKET_Z = 8;
/** 1/w. */
export const PACKET_W = 12;
export const PACKET_VARYINGS = 16;
export const POSITION_BYTES = 16;
export const OUTCODE_BYTES = 2;
/** X, Y. */
export const CORNER_BYTES = 8;
/** Two for each of seven clip planes, and the four corners of a point or line. */
export const EXTRA_VERTICES = 18;

/** Outside the clip volume: x < −w, x > w, y < −w, y > w, z < 0, z > w. */
export const OUTCODE_LEFT = 1;
export const OUTCODE_RIGHT = 2;
export const OUTCODE_BOTTOM = 4;
export const OUTCODE_TOP = 8;
export const OUTCODE_NEAR = 16;
export const OUTCODE_FAR = 32;
/** Any of the six above at all vertices: outside. */
export const OUTCODE_VOLUME = 63;
/** w below W_MINIMUM: no screen position. */
export const OUTCODE_BEHIND = 64;
/** Outside the guard band. */
export const OUTCODE_GUARD = 128;
/** A coordinate is infinite or NaN. */
export const OUTCODE_WILD = 256;
/** Any of these at one vertex: the triangle is clipped. (Left … top need no clipping: the guard band and the scissor see to it.) */
export const OUTCODE_CLIP = 240;

/** DRAW and PASS records. */
export const SETUP_DRAW = 0;
export const SETUP_PASS = 4;
/** Bytes of a packet's vertex. */
export const SETUP_STRIDE = 8;
/** Groups of four varyings. */
export const SETUP_GROUPS = 12;
/** f32: screen = ndc · scale + offset; x and y in 1/256 pixel, z in depth. */
export const SETUP_SCALE_X = 16;
export const SETUP_OFFSET_X = 20;
export const SETUP_SCALE_Y = 24;
export const SETUP_OFFSET_Y = 28;
export const SETUP_SCALE_Z = 32;
export const SETUP_OFFSET_Z = 36;
/** f32: the guard band in clip space, |x| ≤ guard · w. */
export const SETUP_GUARD_X = 40;
export const SETUP_GUARD_Y = 44;
/** Outcodes that count: without near and far when depth is unclipped. */
export const SETUP_OUTCODES = 48;
/** Pixels: scissor ∩ viewport ∩ pass; i32, maximum exclusive. */
export const SETUP_MIN_X = 52;
export const SETUP_MIN_Y = 56;
export const SETUP_MAX_X = 60;
export const SETUP_MAX_Y = 64;
/** First and last position of a sample within a pixel, in 1/256. */
export const SETUP_SAMPLE_FIRST = 68;
export const SETUP_SAMPLE_LAST = 72;
/** Orientation that is culled: 1: E < 0 (counter-clockwise on the screen), 2: clockwise, 0: neither. */
export const SETUP_CULL_SIDE = 76;
/** f32: depth per unit of constant bias; 0: by the exponent of the largest depth (float formats). */
export const SETUP_BIAS_UNIT = 80;
/** 1: the draw has a depth bias. */
export const SETUP_BIASED = 84;
export const SETUP_PERSPECTIVE_COUNT = 88;
/** First flat varying. */
export const SETUP_FLAT_FIRST = 92;
/** For each group of four varyings two v128 of lane masks: perspective, flat. */
export const SETUP_MASKS = 96;
/** Addresses of the packets, their positions and their outcodes; the number of the first extra vertex. */
export const SETUP_PACKETS = 608;
export const SETUP_POSITIONS = 612;
export const SETUP_OUTCODE_LIST = 616;
export const SETUP_EXTRA = 620;
/** Address of the pairs of X and Y. */
export const SETUP_CORNERS = 628;
/** Of four triangles that are looked at together, 32-bit lanes: the box's least pixel, and the number of pixels. */
export const SETUP_LANES = 640;
export const LANES_MIN_X = 0;
export const LANES_MIN_Y = 16;
export const LANES_WIDTH = 32;
export const LANES_HEIGHT = 48;
/** The first vertices, and the others less them, 24.8. */
export const LANES_A_X = 64;
export const LANES_A_Y = 80;
export const LANES_B_X = 96;
export const LANES_B_Y = 112;
export const LANES_C_X = 128;
export const LANES_C_Y = 144;
/** Samples of small triangles (TRI_COVER), 0 of others: the lower and the upper halves. */
export const LANES_COVER = 160;
export const LANES_COVER_HIGH = 176;
/** Sides of the boxes of pixels of which four are covered at once. */
export const SETUP_TINY = 832;
/** As SETUP_CULL_SIDE, four bits a side: what the bits of counter-clockwise triangles are xored with, and then which are culled. */
export const SETUP_CULL_FLIP = 836;
export const SETUP_CULL_MASK = 840;
/** 255 less SETUP_SAMPLE_LAST. */
export const SETUP_SAMPLE_UP = 844;
/** Samples of a pixel: PASS_SAMPLES. */
export const SETUP_SAMPLES = 848;
/** u64, one a layer: what coverLayers found. */
export const SETUP_COVERS = 864;
/** For each layer the positions of its four samples within a pixel, in 1/256: i32x4 of x, i32x4 of y. */
export const SETUP_PLACES = 896;
export const PLACES_Y = 16;
export const PLACES_SHIFT = 5;
/** A stretch of triangles: how many were culled, by cause; the longest sides of boxes, in pixels, by lane. */
export const SETUP_CULLED_AREA = 1024;
export const SETUP_CULLED_FACE = 1028;
export const SETUP_CULLED_OUTSIDE = 1032;
export const SETUP_CULLED_BETWEEN = 1036;
export const SETUP_LONGEST = 1040;
/** Those that were not culled, in order, and four more: where their indices stand, and bit 0 where they are counter-clockwise on the screen; */
export const SETUP_LIVE = 1056;
/** their samples as LANES_COVER says; */
export const LIVE_COVERS = 272;
export const LIVE_COVERS_HIGH = 544;
/** packets of their vertices in clockwise order: of the first ones, and as many bytes after each other of the second and third ones; */
export const LIVE_PACKETS = 816;
export const LIVE_PACKETS_BYTES = 272;
/** of more than four samples a pixel, 32 bytes each: those of each layer, and of any in LIVE_COVERS. */
export const LIVE_LAYERS = 1632;
export const LIVE_LAYERS_SHIFT = 5;
/** Triangles of a stretch at the most. */
export const STRETCH_TRIANGLES = 64;
/** Four triangles whose records are written together, 32-bit lanes: screen positions, depth and 1/w of vertices in clockwise order; */
export const SETUP_FOUR = 4736;
export const FOUR_A = 0;
export const FOUR_B = 64;
export const FOUR_C = 128;
/** box, tile (−1 for several), spans of the vertices' box (24.8), the record's flags; */
export const FOUR_MIN_X = 192;
export const FOUR_MIN_Y = 208;
export const FOUR_MAX_X = 224;
export const FOUR_MAX_Y = 240;
export const FOUR_TILE = 256;
export const FOUR_SPAN_X = 272;
export const FOUR_SPAN_Y = 288;
export const FOUR_FLAGS = 304;
/** −1 where b and c have changed places; the records' addresses; */
export const FOUR_TURNED = 320;
export const FOUR_TRIANGLES = 336;
/** f32: what the differences of a value at b and c are multiplied by for ddx, and for ddy; */
export const FOUR_X1 = 352;
export const FOUR_X2 = 368;
export const FOUR_Y1 = 384;
export const FOUR_Y2 = 400;
/** i64: twice the area; f64: the same factors, four lanes each. */
export const FOUR_AREA = 416;
export const FOUR_X1_F64 = 448;
export const FOUR_X2_F64 = 480;
export const FOUR_Y1_F64 = 512;
export const FOUR_Y2_F64 = 544;
/** SETUP_FOUR + 576. */
export const SETUP_BYTES = 5312;

/** Smallest w in front of the eye. */
export const W_MINIMUM = 1e-7;
