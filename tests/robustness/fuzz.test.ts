// More random draw calls than in tests/fuzz/targets.test.ts, in a single device each, with consecutive passes. A
// failure names its seed; RASTERLOOM_FUZZ=count runs more of them.
import { describe, expect, test } from 'vitest';
import { Dice } from '../fuzz/dice';
import { Round } from '../fuzz/draws';
import { open, type Opened } from './kit';
import { rounds } from '../support/rounds';

const ROUNDS = rounds(50);

describe('random draw calls', () => {
  const variants = {
    'as a whole': {},
    'in small chunks': { arenaBytes: 4096 },
    'by the scalar kernel': { simd: false },
  };
  test.each(Object.entries(variants))(
    '%s',
    async (name, options) => {
      const { device, uncaptured }: Opened = await open({ timeoutMs: 5000, ...options });
      let lost = '';
      void device.lost.then(({ message }) => {
        lost = message;
      });
      let drawn = 0;
      const rounds = Math.ceil(ROUNDS / 3);
      for (let seed = 1; seed <= rounds; seed++) {
        const round = new Round(device, new Dice(seed * 7919 + name.length));
        if ((await round.run()) !== null) drawn++;
        expect([lost, uncaptured], `seed ${seed}`).toEqual(['', []]);
        expect(await round.touched(), `seed ${seed}`).toBe(-1);
      }
      expect(drawn).toBeGreaterThan(rounds / 3);
    },
    60_000 + ROUNDS * 100
  );
});
