// The vertex side's memory behind GEOMETRY_PRIVATE. A batch is what is shaded together: up to `STATE_CAPACITY` distinct vertices
// and the primitives between them; its packet and lists stay in a second-level cache.
//
//   state, setup record, warp, scratch │ hash │ vertex indices │ instances │ primitives │ packet
import { GEOMETRY_PRIVATE } from '../layout/geometry';
import { SETUP_BYTES } from '../layout/packet';
import { WARP_BYTES } from '../layout/program';

/** PHASE_*: what geometryRun does next. */
export const STATE_PHASE = GEOMETRY_PRIVATE;
/** Instance (from 0) and position within it of the next index. */
export const STATE_INSTANCE = STATE_PHASE + 4;
export const STATE_POSITION = STATE_INSTANCE + 4;
/** Tag of live hash entries: one a batch and instance. */
export const STATE_GENERATION = STATE_POSITION + 4;
/** Strips: vertices since the start or restart, and the last two vertex indices. */
export const STATE_STRIP_LENGTH = STATE_GENERATION + 4;
export const STATE_STRIP_BEFORE = STATE_STRIP_LENGTH + 4;
export const STATE_STRIP_LAST = STATE_STRIP_BEFORE + 4;
/** The batch: vertices, most vertices, primitives, vertices shaded, the next primitive and the next triangle of its fan. */
export const STATE_VERTICES = STATE_STRIP_LAST + 4;
export const STATE_CAPACITY = STATE_VERTICES + 4;
export const STATE_PRIMITIVES = STATE_CAPACITY + 4;
export const STATE_SHADED = STATE_PRIMITIVES + 4;
export const STATE_CURSOR = STATE_SHADED + 4;
export const STATE_FAN = STATE_CURSOR + 4;
/** Vertices of a primitive: 1, 2, 3. */
export const STATE_CORNERS = STATE_FAN + 4;

export const PHASE_FILL = 0;
export const PHASE_SHADE = 1;
export const PHASE_EMIT = 2;

export const STATE_SETUP = 80;
export const STATE_WARP = STATE_SETUP + SETUP_BYTES;
/** One decoded attribute, one register of zeros. */
export const STATE_SCRATCH = STATE_WARP + WARP_BYTES;
export const STATE_ZEROS = STATE_SCRATCH + 16;
/** Addresses of the vertex program's output registers of each varying, padded to whole groups with STATE_ZEROS. */
export const STATE_SOURCES = STATE_ZEROS + 256;
/** Clipping: two lists of vertex addresses, and room for the vertices that clipping makes: two for each of seven planes. */
export const STATE_POLYGONS = STATE_SOURCES + 256;
export const POLYGON_BYTES = 64;
const CLIP_VERTICES = 14;
/** 48 + MAX_VARYINGS · 4. */
export const VERTEX_BYTES = 304;
export const STATE_CLIPPED = STATE_POLYGONS + 2 * POLYGON_BYTES;
/** Corners of the square or parallelogram that stands for a point or line. */
export const STATE_MOVED = STATE_CLIPPED + CLIP_VERTICES * VERTEX_BYTES;
const MOVED_VERTICES = 4;

export const BATCH_VERTICES = 1024;
export const BATCH_PRIMITIVES = 2048;
/** Entries of u64: vertex index, generation << 10 | place in the batch. Four times the vertices: probes stay short. */
export const HASH_ENTRIES = 4096;
/** Takes a product of 32 bits to an entry. */
export const HASH_SHIFT = 20;
export const STATE_HASH = STATE_MOVED + MOVED_VERTICES * VERTEX_BYTES;
export const STATE_INDICES = STATE_HASH + HASH_ENTRIES * 8;
export const STATE_INSTANCES = STATE_INDICES + BATCH_VERTICES * 4;
/** u16 places, STATE_CORNERS each. */
export const STATE_PRIMITIVE_LIST = STATE_INSTANCES + BATCH_VERTICES * 4;
export const STATE_PACKET = STATE_PRIMITIVE_LIST + BATCH_PRIMITIVES * 8;
export const PACKET_BYTES = 262144;
export const STATE_BYTES = STATE_PACKET + PACKET_BYTES;
