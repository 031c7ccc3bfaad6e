// A copy of a pass's invocation counts (Pass.counts) from before a chunk. When a parked tile is abandoned and replayed
// from its beginning, its counts are restored from the copy (streamed-pass.ts).
import { TILE_SIZE } from '../../../assembly/layout/limits';
import { Pass } from '../../../build/layout';
import { WORD } from '../../base/bits';

export class CountBackup {
  private kept = new Uint8Array(0);

  /** `pass`: address of the PASS record. */
  constructor(
    private readonly memory: WebAssembly.Memory,
    private readonly pass: number
  ) {}

  /** Makes the copy. Called when a chunk begins. */
  save(): void {
    const { address, rowBytes, height } = this.counts();
    if (address !== 0) this.kept = new Uint8Array(this.memory.buffer, address, rowBytes * height).slice();
  }

  /** Restores the counts of a tile's pixels. */
  restore(tile: number): void {
    const { address, rowBytes, width, height, tilesX } = this.counts();
    if (address === 0) return;
    const left = (tile % tilesX) * TILE_SIZE;
    const top = Math.floor(tile / tilesX) * TILE_SIZE;
    const bytes = Math.min(TILE_SIZE, width - left) * WORD;
    const all = new Uint8Array(this.memory.buffer);
    for (let y = top, end = Math.min(top + TILE_SIZE, height); y < end; y++) {
      const from = y * rowBytes + left * WORD;
      all.set(this.kept.subarray(from, from + bytes), address + from);
    }
  }

  private counts(): Readonly<Record<'address' | 'rowBytes' | 'width' | 'height' | 'tilesX', number>> {
    const words = new Uint32Array(this.memory.buffer);
    const of = (field: number): number => words[(this.pass + field) >>> 2]!;
    return {
      address: of(Pass.counts),
      rowBytes: of(Pass.countsRowBytes),
      width: of(Pass.width),
      height: of(Pass.height),
      tilesX: of(Pass.tilesX),
    };
  }
}
