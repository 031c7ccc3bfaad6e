// WORK ITEM: what a triangle covers of a block of a tile, or of a quad. Rasterisation appends the items of one triangle
// to the tile's queue (Tile.work), and assembly/loop/work.ts drains it before the next triangle. There is at most one
// item per block, so the queue is never full.

import { WARP_QUADS } from '../limits';
import { MAX_LAYERS } from '../surface/plane';
import { pastFields } from '../record';


@unmanaged
export class WorkItem {
  /**
   * A quad: its samples. A block at one sample: bit quad·4 + pixel. A block at more samples: a bit for each touched
   * quad; its samples are at WorkItem.samples.
   */
  cover: u64;
  /** Number of the block, or block·16 + quad; 0 for WORK_TILE. */
  place: i32;
  /** WORK_*. */
  kind: i32;
  /** Depth test of the block as a whole: 1 passes, -1 fails, 0 must be tested sample by sample. */
  side: i32;
  /** Bounds of the triangle's depth in the block, if it may have to be written. */
  low: f32;
  high: f32;
  /** For each layer 16 u16, one per quad, with bit pixel·4 + sample. Only valid for parts of blocks. */
  get samples(): usize {
    return pastFields(this);
  }
  get past(): usize {
    return this.samples + MAX_LAYERS * WARP_QUADS * sizeof<u16>();
  }
}
