// Contents of stored tiles, as numbers that represent texels.

export function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 4294967296;
  };
}

/** Contents of the blocks of a tile. `flat`: the same value in all of them; `own`: a value for each block. */
type Kind = 'clear' | 'flat' | 'own' | 'one' | 'edges' | 'few' | 'many' | 'all';
export const KINDS: readonly Kind[] = ['clear', 'flat', 'own', 'one', 'edges', 'few', 'many', 'all'];

/** Values of all samples of a tile, pixel by pixel, as numbers that represent texels. 0 is the clear value. */
export function content(kinds: readonly Kind[], samples: number, seed: number): Uint16Array {
  const next = generator(seed);
  const value = (most: number): number => 1 + Math.floor(next() * most);
  const values = new Uint16Array(4096 * samples);
  for (let block = 0; block < 64; block++) {
    const kind = kinds[Math.floor(next() * kinds.length)]!;
    const own = kind === 'flat' ? 9 : value(200);
    for (let pixel = block * 64; pixel < block * 64 + 64; pixel++) {
      const first = kind === 'flat' || kind === 'own' ? own : value(200);
      const split = kind === 'few' || kind === 'many' || (kind === 'edges' && next() < 0.1);
      for (let s = 0; s < samples; s++) {
        values[pixel * samples + s] =
          kind === 'clear'
            ? 0
            : kind === 'all'
              ? 1 + ((pixel * samples + s) % 251)
              : split
                ? value(kind === 'many' ? 250 : 3)
                : first;
      }
    }
  }
  return values;
}
