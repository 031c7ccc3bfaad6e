// The ACCESS record and its scratch lie inside the WARP record, and the WARP record inside the tile context.
import { expect, it } from 'vitest';
import { CTX_PACKERS, CTX_WARP } from '../../assembly/layout/context';
import { ACCESS_PLACES, ACCESS_SCRATCH, WARP_ACCESS, WARP_BYTES } from '../../assembly/layout/program';

it('gives texture reads the scratch memory that they use', () => {
  expect((WARP_ACCESS + ACCESS_SCRATCH) % 16).toBe(0);
  expect(ACCESS_SCRATCH + 416).toBeLessThanOrEqual(ACCESS_PLACES);
  expect((WARP_ACCESS + ACCESS_PLACES) % 16).toBe(0);
  expect(WARP_ACCESS + ACCESS_PLACES + 4432).toBeLessThanOrEqual(WARP_BYTES);
  expect(CTX_WARP + WARP_BYTES).toBeLessThanOrEqual(CTX_PACKERS);
});
