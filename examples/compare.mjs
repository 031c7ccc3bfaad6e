// Helpers for examples that compare pictures: read back a texture, and measure the difference of two pictures.

/** Reads back a texture with four bytes per texel, row by row, after the work submitted so far. */
export async function texelsOf(device, texture) {
  const { width, height } = texture;
  const bytesPerRow = Math.ceil(width / 64) * 256;
  const COPY_DST = 8;
  const MAP_READ = 1;
  const buffer = device.createBuffer({ size: bytesPerRow * height, usage: COPY_DST | MAP_READ });
  const encoder = device.createCommandEncoder();
  encoder.copyTextureToBuffer({ texture }, { buffer, bytesPerRow }, [width, height]);
  device.queue.submit([encoder.finish()]);
  await buffer.mapAsync(MAP_READ);
  const rows = new Uint8Array(buffer.getMappedRange());
  const texels = new Uint8Array(width * height * 4);
  for (let y = 0; y < height; y++)
    texels.set(rows.subarray(y * bytesPerRow, y * bytesPerRow + width * 4), y * width * 4);
  buffer.destroy();
  return texels;
}

/**
 * Peak signal-to-noise ratio in decibels of 8-bit RGBA pictures. Ignores alpha and the pixels where `counts(i)` is
 * false.
 */
export function psnrOf(a, b, counts = () => true) {
  let sum = 0;
  let values = 0;
  for (let i = 0; i < a.length; i += 4) {
    if (!counts(i / 4)) continue;
    for (let c = 0; c < 3; c++) sum += (a[i + c] - b[i + c]) ** 2;
    values += 3;
  }
  return sum === 0 ? Infinity : 10 * Math.log10((255 * 255 * values) / sum);
}
