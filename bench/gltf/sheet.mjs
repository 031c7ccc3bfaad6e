// Contact sheets: pictures in a grid, each with a line of text below.

/** Capital letters, digits and signs of 5 × 7 points: one byte per column, with the highest point in the lowest bit. */
const FONT = {
  0: '3e5149453e',
  1: '00427f4000',
  2: '4261514946',
  3: '2141454b31',
  4: '1814127f10',
  5: '2745454539',
  6: '3c4a494930',
  7: '0171090503',
  8: '3649494936',
  9: '064949291e',
  A: '7e1111117e',
  B: '7f49494936',
  C: '3e41414122',
  D: '7f4141221c',
  E: '7f49494941',
  F: '7f09090901',
  G: '3e4149497a',
  H: '7f0808087f',
  I: '00417f4100',
  J: '2040413f01',
  K: '7f08142241',
  L: '7f40404040',
  M: '7f020c027f',
  N: '7f0408107f',
  O: '3e4141413e',
  P: '7f09090906',
  Q: '3e4151215e',
  R: '7f09192946',
  S: '4649494931',
  T: '01017f0101',
  U: '3f4040403f',
  V: '1f2040201f',
  W: '3f4038403f',
  X: '6314081463',
  Y: '0708700807',
  Z: '6151494543',
  '-': '0808080808',
  _: '4040404040',
  '.': '0060600000',
  '/': '2010080402',
  '@': '324979413e',
  ' ': '0000000000',
};
const ADVANCE = 6;
const LINE = 12;

/**
 * Arranges square pictures in a grid.
 * @param cells { pixels, text }: RGBA in rows from the top, or undefined for an empty cell
 * @returns RGBA
 */
export function contactSheet(cells, side, columns) {
  const width = columns * side;
  const height = Math.ceil(cells.length / columns) * (side + LINE);
  const pixels = new Uint8Array(width * height * 4).fill(255);
  cells.forEach((cell, i) => {
    const left = (i % columns) * side;
    const top = Math.floor(i / columns) * (side + LINE);
    for (let y = 0; cell.pixels && y < side; y++)
      pixels.set(cell.pixels.subarray(y * side * 4, (y + 1) * side * 4), ((top + y) * width + left) * 4);
    write(pixels, width, left + 2, top + side + 2, cell.text.slice(-Math.floor((side - 4) / ADVANCE)));
  });
  return { width, height, pixels };
}

function write(pixels, width, left, top, text) {
  [...text.toUpperCase()].forEach((letter, i) => {
    const columns = FONT[letter] ?? FONT['-'];
    for (let x = 0; x < 5; x++) {
      const column = parseInt(columns.slice(x * 2, x * 2 + 2), 16);
      for (let y = 0; y < 7; y++) {
        if (((column >> y) & 1) === 0) continue;
        pixels.set([0, 0, 0, 255], ((top + y) * width + left + i * ADVANCE + x) * 4);
      }
    }
  });
}
