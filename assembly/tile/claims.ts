// Claims: which quads of a tile wait in the ordered packer, of a draw that reads what is there (Tile.claims).

import { Tile, TILE_BLOCKS } from '../layout';

/** Whether an entry of a quad (block·16 + quad) waits. */
export function isClaimed(tile: Tile, quad: i32): bool {
  return (<i32>load<u16>(tile.claims + ((quad >> 4) << 1)) >> (quad & 15) & 1) != 0;
}

/** Whether any of a block's does. */
export function isBlockClaimed(tile: Tile, block: i32): bool { return load<u16>(tile.claims + (block << 1)) != 0; }

export function claimQuad(tile: Tile, quad: i32): void {
  const at = tile.claims + ((quad >> 4) << 1);
  store<u16>(at, <u16>(<i32>load<u16>(at) | 1 << (quad & 15)));
  tile.hasClaims = 1;
}

/** Nothing waits any more. */
export function releaseClaims(tile: Tile): void {
  memory.fill(tile.claims, 0, TILE_BLOCKS * 2);
  tile.hasClaims = 0;
}
