// Claims record which quads of a tile are pending in the ordered packer, for draw calls that read the render targets
// (Tile.claims).

import { Entry, Packer, sizeOf, Tile } from '../layout';

/** The bit of a quad (block·16 + quad) in the claims of its block. */
export function claimOf(tile: Tile, quad: i32): u64 {
  return (<u64>1) << u64(tile.samples == 1 ? (quad & 15) << 2 : quad & 15);
}

/** Claims of a block. */
export function claimsOf(tile: Tile, block: i32): u64 {
  return load<u64>(tile.claims + (block << 3));
}

/** Adds quads to the claims of a block. */
export function claim(tile: Tile, block: i32, quads: u64): void {
  const at = tile.claims + (block << 3);
  store<u64>(at, load<u64>(at) | quads);
  tile.hasClaims = 1;
}

/** Whether a quad is already among the held quads of an unordered draw call. Also claims it there. */
export function claimHeld(tile: Tile, quad: i32): bool {
  const at = tile.heldClaims + ((quad >> 4) << 3);
  const claims = load<u64>(at);
  const own = claimOf(tile, quad);
  store<u64>(at, claims | own);
  return (claims & own) != 0;
}

/** Releases the claims of a packer's quads. `claims` is Tile.claims or Tile.heldClaims. */
export function releaseClaims(tile: Tile, packer: Packer, claims: usize): void {
  let entry = packer.entries;
  for (const end = entry + packer.count * sizeOf<Entry>(); entry < end; entry += sizeOf<Entry>()) {
    const quad = changetype<Entry>(entry).quad;
    const at = claims + ((quad >> 4) << 3);
    store<u64>(at, load<u64>(at) & ~claimOf(tile, quad));
  }
}
