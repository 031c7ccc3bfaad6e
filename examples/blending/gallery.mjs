// node examples/blending/gallery.mjs [gallery.png]
// Draws every blend mode and compositing operator in shaders, with four samples per pixel. Writes the picture next to
// one that plain JavaScript computes, and prints the largest difference between them. Needs `npm run build`.
import { writeFileSync } from 'node:fs';
import { encode } from 'fast-png';
import { create, globals } from 'rasterloom';
import { CELL, cells, expectedGallery, gallery, SHEET } from './gallery-scene.mjs';
import { drawLabel } from './labels.mjs';

const { GPUBufferUsage, GPUMapMode } = globals;
const [file = 'gallery.png'] = process.argv.slice(2);
/** Height in pixels of the label below a cell. */
const LABEL = 8;

const adapter = await create().requestAdapter();
const device = await adapter.requestDevice({ requiredFeatures: ['fragment-stages'] });
device.addEventListener('uncapturederror', ({ error }) => {
  console.error(error.message);
  process.exitCode = 1;
});

const scene = gallery(device);
const { width, height } = SHEET;
const bytesPerRow = width * 4; // a multiple of 256 bytes
scene.render();
const buffer = device.createBuffer({
  size: bytesPerRow * height,
  usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ,
});
const encoder = device.createCommandEncoder();
encoder.copyTextureToBuffer({ texture: scene.color }, { buffer, bytesPerRow }, [width, height]);
device.queue.submit([encoder.finish()]);
await buffer.mapAsync(GPUMapMode.READ);
const drawn = new Uint8Array(buffer.getMappedRange());
const expected = expectedGallery();
const largest = drawn.reduce((most, value, i) => Math.max(most, Math.abs(value - expected[i])), 0);

/** Puts the pictures side by side over a checkerboard, which makes alpha visible, with a label below each cell. */
function sheetOf(pictures) {
  const rows = height / CELL;
  const sheet = {
    width: width * pictures.length,
    height: height + rows * LABEL,
    channels: 4,
    data: new Uint8Array(width * pictures.length * (height + rows * LABEL) * 4).fill(255),
  };
  pictures.forEach((picture, side) => {
    for (let y = 0; y < height; y++)
      for (let x = 0; x < width; x++) {
        const from = (y * width + x) * 4;
        const paper = ((x >> 3) + (y >> 3)) & 1 ? 255 : 225;
        const to = ((y + Math.floor(y / CELL) * LABEL) * sheet.width + side * width + x) * 4;
        for (let c = 0; c < 3; c++)
          sheet.data[to + c] = Math.min(255, Math.round(picture[from + c] + paper * (1 - picture[from + 3] / 255)));
      }
    cells.forEach(({ name }, cell) =>
      drawLabel(sheet, name, {
        x: side * width + (cell % SHEET.columns) * CELL,
        y: Math.floor(cell / SHEET.columns) * (CELL + LABEL) + CELL + 1,
      })
    );
  });
  return sheet;
}

try {
  writeFileSync(file, encode(sheetOf([drawn, expected])));
} catch (error) {
  console.error(`The picture ${JSON.stringify(file)} cannot be written: ${error.message}`);
  process.exit(1);
}
console.log(`${cells.length} blends; the largest difference to what was computed is ${largest} of 255.`);
console.log(`Wrote ${file}.`);
device.destroy();
