// Tables of the sRGB transfer function, computed only with + − × ÷, so that they have the same values in every engine.

/** Fifth root of a number in (0, 1] by Newton's method, which converges to the last bits within 60 steps. */
function fifthRoot(x: number): number {
  let root = 1;
  for (let i = 0, before = 0; i < 60 && root !== before; i++) {
    before = root;
    root -= (root - x / (root * root * root * root)) / 5;
  }
  return root;
}

/** Converts an sRGB value to linear light, both 0 to 1 (IEC 61966-2-1): x^2.4 is x² · ⁵√x². */
export function srgbToLinear(encoded: number): number {
  if (encoded <= 0.04045) return encoded / 12.92;
  const x = (encoded + 0.055) / 1.055;
  return x * x * fifthRoot(x * x);
}

/** Linear light, 0 to 65535, of each 8-bit sRGB value. */
export const LINEAR16 = Uint16Array.from({ length: 256 }, (_, i) => Math.floor(srgbToLinear(i / 255) * 65535 + 0.5));

/** The 8-bit sRGB value nearest to each linear light, 0 to 65535. */
export const SRGB8 = ((): Uint8Array => {
  const table = new Uint8Array(65536);
  for (let value = 0, linear = 0; value < 256; value++) {
    const next = value === 255 ? 65536 : Math.ceil(srgbToLinear((value + 0.5) / 255) * 65535);
    table.fill(value, linear, next);
    linear = next;
  }
  return table;
})();

/**
 * Converts premultiplied pixels of an sRGB target, (encode(linear · alpha), alpha), to the straight alpha of PNG, in
 * place.
 */
export function unpremultiply(pixels: Uint8Array): void {
  for (let i = 0; i < pixels.length; i += 4) {
    const alpha = pixels[i + 3];
    if (alpha === 255) continue;
    for (let c = i; c < i + 3; c++) {
      pixels[c] = alpha === 0 ? 0 : SRGB8[Math.min(65535, Math.floor((LINEAR16[pixels[c]] * 255) / alpha + 0.5))];
    }
  }
}
