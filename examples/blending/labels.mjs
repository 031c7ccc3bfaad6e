// A tiny font for the pictures of examples: letters three pixels wide and five high.

/** Rows from top to bottom, three bits each. */
const LETTERS = {
  a: [2, 5, 7, 5, 5],
  b: [6, 5, 6, 5, 6],
  c: [3, 4, 4, 4, 3],
  d: [6, 5, 5, 5, 6],
  e: [7, 4, 6, 4, 7],
  f: [7, 4, 6, 4, 4],
  g: [3, 4, 5, 5, 3],
  h: [5, 5, 7, 5, 5],
  i: [7, 2, 2, 2, 7],
  j: [1, 1, 1, 5, 2],
  k: [5, 5, 6, 5, 5],
  l: [4, 4, 4, 4, 7],
  m: [5, 7, 7, 5, 5],
  n: [6, 5, 5, 5, 5],
  o: [2, 5, 5, 5, 2],
  p: [6, 5, 6, 4, 4],
  q: [2, 5, 5, 6, 3],
  r: [6, 5, 6, 5, 5],
  s: [3, 4, 2, 1, 6],
  t: [7, 2, 2, 2, 2],
  u: [5, 5, 5, 5, 7],
  v: [5, 5, 5, 5, 2],
  w: [5, 5, 7, 7, 5],
  x: [5, 5, 2, 5, 5],
  y: [5, 5, 2, 2, 2],
  z: [7, 1, 2, 4, 7],
  '-': [0, 0, 7, 0, 0],
};

/** Writes `text` into an RGBA picture, four pixels per letter, with its top left corner at x, y. */
export function drawLabel({ width, data }, text, { x, y }) {
  [...text].forEach((letter, place) => {
    LETTERS[letter]?.forEach((bits, row) => {
      for (let column = 0; column < 3; column++)
        if ((bits >> (2 - column)) & 1) data.set([40, 40, 48, 255], ((y + row) * width + x + place * 4 + column) * 4);
    });
  });
}
