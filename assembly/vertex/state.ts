// The vertex side's memory behind GEOMETRY_PRIVATE. A batch is what is shaded together, and the primitives between it. Its vertices are
// either up to `STATE_CAPACITY` distinct ones, in packets here that stay in a second-level cache, or (STATE_RANGE) the index range of one
// or more whole instances, at GEOMETRY_RANGE.
//
//   state, setup record, warp, scratch │ hash │ vertex indices │ instances │ primitives │ packets, positions, outcodes, pairs
import { GEOMETRY_PRIVATE } from '../layout/geometry';
import { CORNER_BYTES, EXTRA_VERTICES, OUTCODE_BYTES, POSITION_BYTES, SETUP_BYTES } from '../layout/packet';
import { WARP_BYTES } from '../layout/program';

/** PHASE_*: what geometryRun does next. */
export const STATE_PHASE = GEOMETRY_PRIVATE;
/** Instance (from 0) and position within it of the next index. (These two and those of strips are saved together: STATE_BEGUN.) */
export const STATE_INSTANCE = STATE_PHASE + 4;
export const STATE_POSITION = STATE_INSTANCE + 4;
/** Strips: vertices since the start or restart, and the last two vertex indices. */
export const STATE_STRIP_LENGTH = STATE_POSITION + 4;
export const STATE_STRIP_BEFORE = STATE_STRIP_LENGTH + 4;
export const STATE_STRIP_LAST = STATE_STRIP_BEFORE + 4;
/** Tag of live hash entries: one a batch and instance. */
export const STATE_GENERATION = STATE_STRIP_LAST + 4;
/** The batch: vertices, most vertices, primitives, vertices shaded, the next primitive and the next triangle of its fan. */
export const STATE_VERTICES = STATE_GENERATION + 4;
export const STATE_CAPACITY = STATE_VERTICES + 4;
export const STATE_PRIMITIVES = STATE_CAPACITY + 4;
export const STATE_SHADED = STATE_PRIMITIVES + 4;
export const STATE_CURSOR = STATE_SHADED + 4;
export const STATE_FAN = STATE_CURSOR + 4;
/** Vertices of a primitive: 1, 2, 3. */
export const STATE_CORNERS = STATE_FAN + 4;
/** Outcodes of the batch's vertices, joined. */
export const STATE_CODES = STATE_CORNERS + 4;
/** Most instances in a batch whose vertices are ranges; 0: batches of distinct vertices. */
export const STATE_RANGE = STATE_CODES + 4;
/** First instance of such a batch. */
export const STATE_RANGE_INSTANCE = STATE_RANGE + 4;
/** SEGMENT_* (layout/job.ts): what of the draw is run; SEGMENT_LIST for a whole draw. */
export const STATE_KIND = STATE_RANGE_INSTANCE + 4;
/** The ends of the instances and of the positions in an instance. */
export const STATE_INSTANCE_END = STATE_KIND + 4;
export const STATE_POSITION_END = STATE_INSTANCE_END + 4;
/** 1: the first batch was begun before, and some of its primitives set up. */
export const STATE_RESUMED = STATE_POSITION_END + 4;
/** STATE_INSTANCE, STATE_POSITION and the three of strips as they were when the batch began. */
export const STATE_BEGUN = STATE_RESUMED + 4;
export const BEGUN_BYTES = 20;

export const PHASE_BEGIN = 0;
export const PHASE_FILL = 1;
export const PHASE_SHADE = 2;
export const PHASE_EMIT = 3;

/** After the fields, 16-byte aligned. */
export const STATE_SETUP = 144;
export const STATE_WARP = STATE_SETUP + SETUP_BYTES;
/** One decoded attribute, one register of zeros. */
export const STATE_SCRATCH = STATE_WARP + WARP_BYTES;
export const STATE_ZEROS = STATE_SCRATCH + 16;
/** Addresses of the vertex program's output registers of each varying, padded to whole groups with STATE_ZEROS. */
export const STATE_SOURCES = STATE_ZEROS + 256;
/** Clipping: two lists of vertex numbers. */
export const STATE_POLYGONS = STATE_SOURCES + 256;
export const POLYGON_BYTES = 64;

export const BATCH_VERTICES = 1024;
export const BATCH_PRIMITIVES = 2048;
/** Entries of u64: vertex index, generation << 10 | place in the batch. Four times the vertices: probes stay short. */
export const HASH_ENTRIES = 4096;
/** Takes a product of 32 bits to an entry. */
export const HASH_SHIFT = 20;
export const STATE_HASH = STATE_POLYGONS + 2 * POLYGON_BYTES;
export const STATE_INDICES = STATE_HASH + HASH_ENTRIES * 8;
export const STATE_INSTANCES = STATE_INDICES + BATCH_VERTICES * 4;
/** u16 places, STATE_CORNERS each. */
export const STATE_PRIMITIVE_LIST = STATE_INSTANCES + BATCH_VERTICES * 4;
export const STATE_PACKET = STATE_PRIMITIVE_LIST + BATCH_PRIMITIVES * 8;
export const PACKET_BYTES = 262144;
export const STATE_POSITIONS = STATE_PACKET + PACKET_BYTES;
export const STATE_OUTCODES = STATE_POSITIONS + (BATCH_VERTICES + EXTRA_VERTICES) * POSITION_BYTES;
export const STATE_PAIRS = STATE_OUTCODES + (BATCH_VERTICES + EXTRA_VERTICES) * OUTCODE_BYTES;
export const STATE_BYTES = STATE_PAIRS + BATCH_VERTICES * CORNER_BYTES;
