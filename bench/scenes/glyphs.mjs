// Letters as strokes, and an atlas of their signed distances.
import { TEXTURE } from './kit.mjs';

/** Side of a glyph's cell in texels; cells per row; the distance in texels that the bytes 0…255 cover. */
const CELL = 32;
export const ACROSS = 8;
export const SPREAD = 8;

// Strokes on a grid: x is 0…4, y is 0 (below the line) … 8 (top), with the baseline at 2 and the x-height at 6. Points
// are two digits, and spaces separate strokes. `o` with a centre and a radius (in halves) is a circle.
const STROKES = {
  a: '46_42 o444',
  b: '08_02 o244',
  c: '36_26_15_04_13_22_32',
  d: '48_42 o444',
  e: '04_44_45_36_26_15_04_03_12_22_42',
  f: '48_38_27_22 06_46',
  g: '46_41_30_10 o444',
  h: '08_02 05_16_26_35_32',
  i: '26_22 28_28',
  j: '36_31_20_10 38_38',
  k: '08_02 46_04_42',
  l: '28_23_32',
  m: '06_02 05_16_25_22 25_36_45_42',
  n: '06_02 05_16_26_35_32',
  o: 'o444',
  p: '06_00 o244',
  q: '46_40 o444',
  r: '06_02 04_16_36',
  s: '46_16_05_14_34_43_32_02',
  t: '28_23_32_42 06_46',
  u: '06_03_12_22_33 36_32',
  v: '06_22_46',
  w: '06_12_25_32_46',
  x: '06_42 02_46',
  y: '06_22 46_10',
  z: '06_46_02_42',
  '.': '22_22',
  ',': '22_11',
  '-': '04_34',
  "'": '28_27',
};
const GLYPHS = Object.keys(STROKES);
export const glyphOf = (letter) => GLYPHS.indexOf(letter);

const pointOf = (text) => [Number(text[0]), Number(text[1])];
/** Returns the segments and circles of a letter. */
function shapesOf(letter) {
  return STROKES[letter].split(' ').flatMap((stroke) => {
    if (stroke[0] === 'o') return [{ centre: pointOf(stroke.slice(1)), radius: Number(stroke[3]) / 2 }];
    const points = stroke.split('_').map(pointOf);
    return points.slice(1).map((b, k) => ({ a: points[k], b }));
  });
}
function distanceTo(shape, x, y) {
  if (shape.centre) {
    const u = x - 2;
    const v = y - shape.centre[1];
    return Math.abs(Math.sqrt(u * u + v * v) - shape.radius);
  }
  const { a, b } = shape;
  const u = b[0] - a[0];
  const v = b[1] - a[1];
  const square = u * u + v * v;
  const t = square ? Math.min(1, Math.max(0, ((x - a[0]) * u + (y - a[1]) * v) / square)) : 0;
  const p = x - a[0] - t * u;
  const q = y - a[1] - t * v;
  return Math.sqrt(p * p + q * q);
}

/** Creates an r8unorm texture of all glyphs: 0.5 at the outline, larger inside. */
export function atlasOf(device) {
  const width = CELL * ACROSS;
  const height = CELL * Math.ceil(GLYPHS.length / ACROSS);
  const texels = new Uint8Array(width * height);
  GLYPHS.forEach((letter, n) => {
    const shapes = shapesOf(letter);
    const left = (n % ACROSS) * CELL;
    const top = Math.floor(n / ACROSS) * CELL;
    const unit = CELL / 11;
    for (let y = 0; y < CELL; y++)
      for (let x = 0; x < CELL; x++) {
        const u = (x + 0.5) / unit - 3.5;
        const v = 9.5 - (y + 0.5) / unit;
        const distance = (Math.min(...shapes.map((shape) => distanceTo(shape, u, v))) - 0.48) * unit;
        const value = Math.min(1, Math.max(0, 0.5 - distance / SPREAD));
        texels[(top + y) * width + left + x] = Math.floor(value * 255 + 0.5);
      }
  });
  const texture = device.createTexture({
    size: [width, height],
    format: 'r8unorm',
    usage: TEXTURE.SAMPLED | TEXTURE.COPY_DST,
  });
  device.queue.writeTexture({ texture }, texels, { bytesPerRow: width }, [width, height]);
  return { texture, rows: height / CELL };
}
