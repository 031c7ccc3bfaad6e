// Triangles of the mixed frames: small ones, some that cover the target, slivers, and clipped ones with w that differ
// by many orders of magnitude.
import type { Dice } from '../dice';

/** In clip space. */
type Corner = readonly [x: number, y: number, z: number, w: number];
export type Triangle = readonly [Corner, Corner, Corner];

/** Between −1.3 and 1.3, sometimes at multiples of 1/256, so that edges coincide. */
const place = (dice: Dice): number => {
  const at = dice.fraction() * 2.6 - 1.3;
  return dice.chance(0.3) ? Math.round(at * 8) / 8 : at;
};
const depth = (dice: Dice): number => (dice.chance(0.5) ? dice.below(5) / 4 : dice.fraction() * 1.2 - 0.1);
const corner = (x: number, y: number, z: number, w = 1): Corner => [x * w, y * w, z * w, w];

function small(dice: Dice): Triangle[] {
  const x = place(dice);
  const y = place(dice);
  const z = depth(dice);
  const size = dice.pick([0.1, 0.4, 1]);
  const near = (): Corner => corner(x + (dice.fraction() - 0.5) * size, y + (dice.fraction() - 0.5) * size, z);
  return [[near(), near(), near()]];
}
/** Two triangles over the whole target or over a rectangle, at one depth or in perspective. */
function cover(dice: Dice): Triangle[] {
  const isWhole = dice.chance(0.6);
  const [left, top] = isWhole ? [-1, -1] : [place(dice), place(dice)];
  const [right, bottom] = isWhole ? [1, 1] : [place(dice), place(dice)];
  const z = depth(dice);
  const slope = dice.chance(0.3) ? dice.fraction() - 0.5 : 0;
  const far = dice.chance(0.3) ? 1 + dice.fraction() * 8 : 1;
  const [a, b] = [corner(left, top, z), corner(right, top, z + slope)];
  const [c, d] = [corner(left, bottom, z, far), corner(right, bottom, z + slope, far)];
  return [
    [a, b, c],
    [c, b, d],
  ];
}
function any(dice: Dice): Triangle[] {
  const one = (): Corner => corner(place(dice), place(dice), depth(dice), dice.chance(0.5) ? 1 : 0.2 + dice.fraction());
  return [[one(), one(), one()]];
}
const MAGNITUDES = [-30, -12, -7, -6, -5, -4, -3, -2, -1, 0, 0, 1, 2, 3, 4, 5, 6, 7, 12, 30];
const signed = (dice: Dice): number => (dice.fraction() - 0.5) * 2 * 10 ** dice.pick(MAGNITUDES);
/** Vertices with very different w, in front of the eye and behind it, and far outside of the picture. */
function wild(dice: Dice): Triangle[] {
  const one = (): Corner => {
    const w = dice.chance(0.1) ? 0 : signed(dice);
    if (dice.chance(0.5)) return corner(place(dice), place(dice), depth(dice), w);
    const at = (): number => (dice.chance(0.5) ? place(dice) : signed(dice));
    return [at(), at(), dice.chance(0.5) ? depth(dice) * w : signed(dice), w];
  };
  return [[one(), one(), one()]];
}
/** A visible triangle with one vertex behind the eye, close to it, or with a w up to 10⁹ times as large. */
function cut(dice: Dice): Triangle[] {
  const far = 10 ** (2 + dice.below(8));
  const w = dice.pick([-far, -1, 1 / far, -1 / far, far, far]);
  const far2 = dice.chance(0.4) ? corner(place(dice), place(dice), depth(dice), dice.fraction() * far) : null;
  const tip: Corner = [place(dice) * far, place(dice) * far, depth(dice) * (dice.chance(0.5) ? w : far), w];
  return [[corner(place(dice), place(dice), depth(dice)), far2 ?? corner(place(dice), place(dice), depth(dice)), tip]];
}

/** `room`: the maximum number of triangles. */
export function meshOf(dice: Dice, room: number): Triangle[] {
  const shapes = dice.pick([
    [cover],
    [cover],
    [small, any],
    [any],
    [small],
    [cover, small, any],
    [wild, cut],
    [cut],
    [any, wild, cover, cut],
  ]);
  const triangles: Triangle[] = [];
  for (let left = 1 + dice.below(dice.chance(0.3) ? 12 : 3); left > 0; left--)
    triangles.push(...dice.pick(shapes)(dice));
  return triangles.slice(0, room);
}
