// The ACCESS record and its scratch lie inside the WARP record, and the WARP record inside the tile context.
import { expect, it } from 'vitest';
import { ACCESS_PLACES } from '../../assembly/layout/program-codes';
import { Access, Tile, Warp } from '../../build/layout';

it('gives texture reads the scratch memory that they use', () => {
  expect((Warp.access + Access.scratch) % 16).toBe(0);
  expect(Access.scratch + 416).toBeLessThanOrEqual(ACCESS_PLACES);
  expect((Warp.access + ACCESS_PLACES) % 16).toBe(0);
  expect(Warp.access + ACCESS_PLACES + 4432).toBeLessThanOrEqual(Warp.bytes);
  expect(Tile.warp + Warp.bytes).toBeLessThanOrEqual(Tile.packers);
});
