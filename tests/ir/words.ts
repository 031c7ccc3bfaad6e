// Floats and their bits.

const view = new DataView(new ArrayBuffer(4));
export const f32 = (bits: number): number => {
  view.setUint32(0, bits);
  return view.getFloat32(0);
};
export const bits = (value: number): number => {
  if (Number.isNaN(value)) return 0x7fc00000;
  view.setFloat32(0, value);
  return view.getUint32(0);
};
export const truth = (value: boolean): number => (value ? 0xffffffff : 0);
export const u = (value: number): bigint => BigInt.asUintN(32, BigInt(value));
export const i = (value: number): bigint => BigInt.asIntN(32, BigInt(value));
export const word = (value: bigint): number => Number(BigInt.asUintN(32, value));
export const binaryText = (value: number): string => (value >>> 0).toString(2).padStart(32, '0');

/** Rounds to nearest, ties to even, by the distances to both neighbors. */
export function nearest(x: number): number {
  const below = Math.floor(x);
  const above = Math.ceil(x);
  if (below === above) return x;
  const result = x - below < above - x || (x - below === above - x && below % 2 === 0) ? below : above;
  return result === 0 ? Math.sign(x) * 0 : result;
}

export function halfOf(x: number): number {
  const sign = Object.is(x, -0) || x < 0 ? 0x8000 : 0;
  const size = Math.abs(x);
  if (Number.isNaN(x)) return 0x7e00;
  if (size >= 65520) return sign | 0x7c00;
  // Half floats by binary search: value k has the bits k.
  let [below, above] = [0, 0x7c00];
  while (above - below > 1) {
    const middle = (below + above) >> 1;
    if (halfValue(middle) <= size) below = middle;
    else above = middle;
  }
  const upper = above === 0x7c00 ? 65536 : halfValue(above);
  const [down, up] = [size - halfValue(below), upper - size];
  return sign | (down < up || (down === up && below % 2 === 0) ? below : above);
}
export function halfValue(half: number): number {
  const sign = half & 0x8000 ? -1 : 1;
  const exponent = (half >> 10) & 31;
  const fraction = half & 1023;
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return exponent === 0 ? sign * fraction * 2 ** -24 : sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

export function extract(value: number, offset: number, count: number, signed: boolean): number {
  const o = Math.min(offset, 32);
  const c = Math.min(count, 32 - o);
  const field = (u(value) >> BigInt(o)) & ((1n << BigInt(c)) - 1n);
  return word(signed ? BigInt.asIntN(c, field) : field);
}
export function insert(value: number, inserted: number, offset: number, count: number): number {
  const o = Math.min(offset, 32);
  const c = Math.min(count, 32 - o);
  const mask = ((1n << BigInt(c)) - 1n) << BigInt(o);
  return word((u(value) & ~mask) | ((u(inserted) << BigInt(o)) & mask));
}
export function fraction(x: number): [number, number] {
  if (x === 0 || !Number.isFinite(x)) return [x, 0];
  for (let e = -150; e <= 130; e++) if (Math.abs(x) < 2 ** e && Math.abs(x) >= 2 ** (e - 1)) return [x / 2 ** e, e];
  throw new Error(`frexp of ${x}`);
}
